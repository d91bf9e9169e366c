"""Practice from first to last section in a real browser, and the worksheet on paper."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import choose, fits_the_width
from tests.browser.lesson_page import answer, done, go_on, open_lesson, pick, slide
from ui.course.exercises.catalogue import make_exercise
from ui.course.exercises.exercise import LEVELS, write_value
from ui.course.exercises.worksheet import worksheet
from ui.words import Words, languages

SEEDS = (1, 2, 5, 17)
# What is wider or higher than its place, in print.
SPILLS = """() => [...document.querySelectorAll("section, li, .grids, .options, table")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
  .map((one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`)"""


@pytest.fixture(scope="module")
def paper(browser):
    """A page that is looked at as a printer sees it."""
    page = browser.new_page()
    page.emulate_media(media="print")
    yield page
    page.close()


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("level", LEVELS)
def test_a_worksheet_is_two_pages_and_nothing_is_cut_off(paper, level, language):
    for seed in SEEDS:
        paper.set_content(worksheet(seed, level, Words(language)))
        assert paper.evaluate(SPILLS) == []
        pdf = paper.pdf(prefer_css_page_size=True, print_background=True)
        assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 2
        [size] = set(re.findall(rb"/MediaBox\s*\[0 0 (\S+) (\S+)\]", pdf))
        assert [round(float(side)) for side in size] == [595, 842]  # points: A4


def test_a_page_that_spills_is_seen(paper):
    paper.set_content(worksheet(1, "easy", Words()))
    paper.add_style_tag(content="li { min-height: 90mm; }")
    assert paper.evaluate(SPILLS) != []
    pdf = paper.pdf(prefer_css_page_size=True, print_background=True)
    assert pdf.startswith(b"%PDF")


def right_answer(kind, level="easy", another=0):
    """What the page takes as right."""
    exercise = make_exercise(1, level, kind, another)
    if exercise.options:
        return "ABCD"[int(exercise.answers[0])]
    return ", ".join(write_value(size) for size in exercise.answers)


def another(page):
    """Asks for another exercise and waits until it is there: nothing was said to an answer yet."""
    page.get_by_role("button", name="Another one").click()
    expect(page.get_by_role("button", name="Show me")).to_be_visible()
    expect(page.locator(".verdict")).to_be_hidden()


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(), "practice")
    answer(page, right_answer("cell"))
    another(page)
    expect(page.get_by_role("textbox", name="Your answer")).to_have_value(
        ""
    )  # what was typed belongs to the other
    answer(page, right_answer("cell", another=1))
    done(page, 1)
    go_on(page, 2)
    answer(page, right_answer("shape"))
    another(page)
    answer(page, right_answer("shape", another=1))
    done(page, 2)
    go_on(page, 3)
    press_wrong_cell(page, 0)
    another(page)
    press_wrong_cell(page, 1)
    done(page, 3)
    for number, kind in ((4, "mask"), (5, "code")):
        go_on(page, number)
        pick(page, right_answer(kind))
        another(page)
        pick(page, right_answer(kind, another=1))
        done(page, number)
    go_on(page, 6)
    pick(page, "Exactly this sheet")
    slide(page, "Seed", 7)
    done(page, 6)
    sheet = page.frame_locator("iframe[title='The worksheet']")
    expect(sheet.get_by_text("Easy · sheet 7").first).to_be_visible()
    save = page.get_by_role("link", name="Save as a file")
    expect(save).to_have_attribute("download", "attention-easy-7.html")


def press_wrong_cell(page, number):
    exercise = make_exercise(1, "easy", "wrong", number)
    [(row, column)] = exercise.cells
    name = exercise.step.upper()
    page.get_by_role("button", name=f"{name}[{row}, {column}]:").click()
    expect(page.locator(".reply").get_by_text("Right.").first).to_be_visible()


def test_the_wrong_term_is_named_and_a_link_keeps_the_exercise(new_page):
    page = open_lesson(new_page(), "practice")
    choose(page, "Kind", "A row of weights")
    choose(page, "Level", "3ˣ for eˣ")
    expect(page.get_by_text("Take powers of 3, not of e")).to_be_visible()
    field = page.get_by_role("textbox", name="Your answer")
    field.fill("1 3 0 0")
    field.press("Enter")
    expect(page.locator(".reply").get_by_text("weights[1, 1]: 3 is 3¹. Divide it")).to_be_visible()
    other = new_page()
    other.goto(page.url)
    expect(other.get_by_text("Take powers of 3, not of e")).to_be_visible()
    answer(other, "1/4, 3/4, 0, 0")
    expect(other.get_by_text("weights[1, 1] = 3¹ / (3⁰ + 3¹) = 3/4")).to_be_visible()


def test_a_saved_sheet_is_the_one_on_the_page(new_page):
    page = open_lesson(new_page(), "practice")
    page.get_by_role("button", name=re.compile("^Section 6: ")).click()
    choose(page, "Level", "Hard")
    expect(page.frame_locator("iframe").get_by_text("Hard · sheet 1").first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Save as a file").click()
    with open(download.value.path(), encoding="utf-8") as saved:
        assert saved.read() == worksheet(1, "hard", Words())


def test_print_prints_the_sheet_alone(new_page):
    page = open_lesson(new_page(), "practice")
    page.get_by_role("button", name=re.compile("^Section 6: ")).click()
    expect(page.frame_locator("iframe").get_by_text("Easy · sheet 1").first).to_be_visible()
    watch = "(frame) => { frame.contentWindow.print = () => (window.printed = frame.title); }"
    page.locator("iframe").evaluate(watch)
    page.get_by_role("button", name="Print", exact=True).click()
    assert page.evaluate("window.printed") == "The worksheet"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(new_page, scheme):
    page = open_lesson(new_page(width=390, scheme=scheme), "practice")
    for number in range(1, 7):
        page.get_by_role("button", name=re.compile(f"^Section {number}")).click()
        expect(page.get_by_role("heading", name=re.compile(rf"^{number}\. "), level=2)).to_be_visible()
        levels = page.get_by_role("radiogroup", name="Level").get_by_role("radio")
        levels.nth(2).click()
        expect(levels.nth(2)).to_be_checked()
        assert fits_the_width(page), number
