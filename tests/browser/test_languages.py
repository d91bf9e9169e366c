"""The language: from the browser at first, changed anywhere without losing anything, part of the link."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import (
    arithmetic,
    cell,
    choose,
    choose_language,
    go_to,
    open_lab,
    open_menu,
    picture,
    type_into,
    view,
)
from tests.browser.lesson_page import open_lesson
from tests.browser.lesson_page import open_menu as open_lesson_menu
from ui.words import Words, languages

OTHERS = [language for language in languages() if language != "en"]
LOCALES = {"vi": "vi-VN", "ko": "ko-KR", "zh": "zh-CN"}


@pytest.mark.parametrize("language", OTHERS)
def test_the_browsers_language_comes_first(new_page, language):
    page = new_page(locale=LOCALES[language])
    page.goto("/")
    expect(page.get_by_text(Words(language)("home.tagline"))).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", language)


def test_another_language_loses_nothing(new_page):
    page = open_lab(new_page())
    type_into(page, "X, token p0, feature c0: 1", "7")
    words = Words("ko")
    choose_language(page, "ko")
    expect(page.get_by_role("heading", name=words("bench.title"), exact=True)).to_be_visible()
    first = page.locator("[role=gridcell][data-row='0'][data-column='0']").first
    expect(first).to_have_text("7")
    page.reload()  # it is in the link
    expect(page.get_by_role("heading", name=words("bench.title"), exact=True)).to_be_visible()
    expect(first).to_have_text("7")
    other = new_page()
    other.goto(page.url)
    expect(other.get_by_role("heading", name=words("bench.title"), exact=True)).to_be_visible()


def test_a_language_is_changed_again_and_again(new_page):
    page = open_lab(new_page())
    for language in ("vi", "ko", "zh", "en"):
        choose_language(page, language)
        expect(page).to_have_title(Words(language)("lab.title"))


def test_a_lesson_changes_its_language_where_it_stands(new_page):
    page = open_lesson(new_page(), "projection")
    page.get_by_role("button", name="Section 2").click()
    expect(page.get_by_role("heading", name=re.compile(r"^2\. "))).to_be_visible()
    open_lesson_menu(page).get_by_role("combobox", name="Language").select_option("ko")
    title = Words("ko")("lesson.projection.swap.title")
    expect(page.get_by_role("heading", name=f"2. {title}")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name=Words("ko")("bench.to_course"), exact=True).click()
    expect(page.get_by_text(Words("ko")("home.tagline"))).to_be_visible()


def test_a_language_chosen_on_one_page_holds_on_those_left_before(new_page):
    page = open_lab(new_page())
    choose_language(page, "vi")
    expect(page.get_by_role("heading", name=Words("vi")("bench.title"), exact=True)).to_be_visible()
    page.get_by_role("link", name=Words("vi")("lab.to_home")).click()
    expect(page.get_by_text(Words("vi")("home.tagline"))).to_be_visible()
    page.get_by_role("combobox", name=Words("vi")("bench.language")).select_option("ko")
    expect(page.get_by_text(Words("ko")("home.tagline"))).to_be_visible()
    page.get_by_role("link", name=Words("ko")("home.to_lab")).click()
    expect(page.get_by_role("heading", name=Words("ko")("bench.title"), exact=True)).to_be_visible()


# Numbers, letters and lines


def test_vietnamese_numbers_have_a_decimal_comma_everywhere(new_page):
    words = Words("vi")
    page = open_lab(new_page(locale="vi-VN"))
    page.locator(".frame[data-stage=softmax]").click()
    weights = page.get_by_role("gridcell", name=re.compile(f"^{words('name.weights')}, .*: 0,40"))
    expect(weights.first).to_have_text("0,40")
    weights.first.click()
    expect(arithmetic(page).locator("p.text")).to_contain_text("= 4,113 / 10,23 = 0,40")
    expect(arithmetic(page).locator("mn", has_text="0,40").first).to_be_visible()
    expect(picture(page).locator(".bartext", has_text="0,40").first).to_be_visible()
    assert picture(page).evaluate("(one) => one.layout.separators") == ",."
    expect(picture(page)).to_have_accessible_name(re.compile("0,40"))
    page.locator(".views .view").nth(1).click()  # all heads as heatmaps
    heatmap = page.get_by_role("figure", name=re.compile("p1: 0,10; 0,40; 0,10; 0,40"))
    expect(heatmap.locator(".textpoint text", has_text="0,40").first).to_be_visible()
    assert heatmap.evaluate("(one) => one.layout.separators") == ",."
    for text in page.locator(".qkv-bench").all_inner_texts():
        assert not re.search(r"(?<![\w.])\d+\.\d+(?!\w)", text)


@pytest.mark.parametrize("typed", ["0,25", "0.25"])
def test_numbers_are_typed_by_either_habit(new_page, typed):
    words = Words("vi")
    page = open_lab(new_page(locale="vi-VN"))
    first = page.locator("[role=gridcell][data-row='0'][data-column='0']").first
    first.dblclick()
    page.keyboard.type(typed, delay=10)
    page.keyboard.press("Enter")
    expect(first).to_have_text("0,25")
    first.dblclick()
    expect(first.get_by_role("textbox")).to_have_value("0,25")  # as it is shown
    page.keyboard.press("Escape")
    page.locator(".frame[data-stage=scale]").click()
    page.get_by_role("radio", name=words("scale.own"), exact=True).click()
    field = page.locator("[data-choice=own_scale] input")
    expect(field).to_have_value("0,5")
    field.fill(typed)
    field.press("Enter")
    scaled = page.get_by_role("gridcell", name=re.compile(f"^{words('name.scaled')}, .*: 0,75"))
    expect(scaled.first).to_be_visible()
    field.press("ArrowUp")
    expect(field).to_have_value("0,35")


def read(page):
    """Every line of the workbench that is seen; what was spoken last may be gone after a reload."""
    spoken = page.locator(".qkv-bench .heard").inner_text().splitlines()
    return [line for line in page.locator(".qkv-bench").inner_text().splitlines() if line not in spoken]


def test_another_language_writes_every_number_anew(new_page):
    page = open_lab(new_page())
    go_to(page, "Softmax")
    cell(page, "weights, query p1, key p3").click()
    expect(arithmetic(page)).to_contain_text("= 0.40")
    expect(picture(page).locator(".bartext", has_text="0.40").first).to_be_visible()
    choose_language(page, "vi")
    expect(arithmetic(page)).to_contain_text("= 0,40")
    expect(picture(page).locator(".bartext", has_text="0,40").first).to_be_visible()
    changed = read(page)
    page.reload()
    expect(picture(page).locator(".bartext", has_text="0,40").first).to_be_visible()
    expect(arithmetic(page)).to_contain_text("= 0,40")
    assert read(page) == changed  # nothing of the other language had stayed


def test_another_language_leaves_no_word_behind(new_page):
    page = open_lab(new_page())
    choose(page, "Heads", "2")
    go_to(page, "Split heads")
    view(page, "Heatmap")
    tabs, choosers = page.locator(".lab-stage .tabs"), page.locator(".choosers")
    title = page.locator(".meaning .annotation-text", has_text=re.compile("[01]$")).first
    expect(tabs).to_contain_text("Q by head")
    expect(choosers).to_contain_text("show")
    expect(title).to_contain_text("head")
    choose_language(page, "vi")
    words = Words("vi")
    expect(tabs).to_contain_text(words("name.q_heads"))
    expect(choosers).to_contain_text(words("bench.head_shown"))
    expect(title).to_contain_text(words("axis.head"))
    changed = read(page)
    page.reload()
    expect(title).to_contain_text(words("axis.head"))
    assert read(page) == changed


@pytest.mark.parametrize(
    ("language", "breaks", "font"),
    [
        ("ko", ("word-break", "keep-all"), "Malgun Gothic"),
        ("zh", ("line-break", "strict"), "Microsoft YaHei"),
    ],
)
def test_letters_and_lines_follow_the_language(new_real_page, language, breaks, font):
    page = new_real_page(width=390, locale=LOCALES[language])
    page.goto("/lab")
    page.locator(".frame[data-stage=softmax]").click()
    open_menu(page).locator("[data-panel=more]").click()
    label = page.locator(".st-key-lab_panel label p").first  # of Streamlit
    prose = page.locator(".qkv-bench .says").first  # of the workbench
    for place in (label, prose):
        expect(place).to_have_css(*breaks)
        expect(place).to_have_css("font-family", re.compile(f'^"Source Sans", .*"{font}"'))
    assert page.evaluate("document.documentElement.scrollWidth") == 390
