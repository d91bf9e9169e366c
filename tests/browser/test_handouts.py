"""The file to hand out: the app's own numbers, without a server and without a network."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import check, nothing_wrong
from tests.browser.conftest import WIDTHS
from tests.browser.lab_page import (
    arithmetic,
    cell,
    choose,
    fits_the_width,
    frames,
    go_to,
    in_focus,
    open_example,
    open_lab,
    open_panel,
    type_into,
)
from tests.browser.lesson_page import open_lesson, open_panel_of
from ui.files.handout import lab_handout, page_of
from ui.scenario.presets import load_preset
from ui.words import Words, languages


def handed_out(page, folder):
    """Downloads the handout and returns where it lies."""
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile("^One file to hand out")).click()
    path = folder / "handout.html"
    download.value.save_as(path)
    return path


def opened(browser, path, **options):
    """The file in a browser without a network; what it complains about is collected."""
    context = browser.new_context(offline=True, **options)
    page = context.new_page()
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda message: message.type == "error" and page.complaints.append(message.text))
    page.on("request", lambda asked: asked.url.startswith("http") and page.complaints.append(asked.url))
    page.goto(path.as_uri())
    expect(page.get_by_role("grid").first).to_be_visible()
    return page


def labels(page):
    """What every cell says."""
    cells = page.locator(".qkv-bench .board [role=gridcell]")
    found = cells.evaluate_all("(cells) => cells.map((cell) => cell.getAttribute('aria-label'))")
    return [re.sub(r"( \(|, )type to change(?=\)$)", "", label).removesuffix(")") for label in found]


def test_the_file_shows_the_apps_own_numbers_offline(new_real_page, browser, tmp_path):
    page = open_lab(new_real_page())
    open_example(page, "The cat sat on the mat.")
    type_into(page, "X, token The, feature 0", "0.25")
    choose(page, "Decimals", "4")
    go_to(page, "Softmax")
    expect(cell(page, "weights, query cat, key sat: 0.7078")).to_be_visible()
    live = labels(page)
    open_panel(page, "Download")
    path = handed_out(page, tmp_path)
    page.keyboard.press("Escape")
    offline = opened(browser, path)
    in_focus(offline, "Softmax")
    assert labels(offline) == live
    for here in (page, offline):
        cell(here, "weights, query sat, key cat").click()
        expect(arithmetic(here)).to_contain_text("weights[")
    assert arithmetic(offline).inner_text() == arithmetic(page).inner_text()
    for here in (page, offline):
        arithmetic(here).get_by_role("button", name=re.compile("^scaled")).first.click()
        expect(arithmetic(here)).to_contain_text("scaled[")
        heads = here.get_by_role("group", name="show", exact=True)
        heads.get_by_role("button", name="1").click()
        expect(heads.get_by_role("button", pressed=True)).to_have_text("1")
    assert labels(offline) == eventually(page, labels(offline))
    offline.keyboard.press("ArrowRight")
    in_focus(offline, "Weighted sum")
    expect(offline.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    offline.keyboard.press("ArrowRight")
    in_focus(offline, "Merge")
    expect(offline.locator(".meaning .drawn")).to_be_visible()
    assert frames(offline).count() == frames(page).count()
    assert offline.complaints == []
    offline.context.close()


def eventually(page, wanted):
    """What the page's cells say as soon as they say what is wanted, or in the end."""
    found = labels(page)
    for _ in range(100):
        if found == wanted:
            break
        page.evaluate("new Promise(requestAnimationFrame)")
        found = labels(page)
    return found


def test_a_lesson_is_walked_and_answered_offline(new_real_page, browser, tmp_path):
    page = open_lesson(new_real_page(), "projection")
    open_panel_of(page, "Download")
    offline = opened(browser, handed_out(page, tmp_path))
    field = offline.get_by_role("textbox", name="Your answer")
    field.fill("4")
    field.press("Enter")
    expect(offline.get_by_text("Not yet.")).to_be_visible()
    expect(cell(offline, "Q, token p2, channel 0: to be predicted")).to_be_visible()
    field.fill("3")
    field.press("Enter")
    expect(offline.get_by_text("Right.")).to_be_visible()
    expect(offline.get_by_role("heading", name="Why", exact=True)).to_be_visible()
    cell(offline, "Q, token p2, channel 0: 3").click()
    expect(arithmetic(offline)).to_contain_text("= 3")
    for number in range(2, 6):
        offline.get_by_role("button", name="Next", exact=True).click()
        expect(offline.get_by_role("heading", name=re.compile(rf"^{number}\. "), level=2)).to_be_visible()
    expect(offline.get_by_role("button", name="Next", exact=True)).to_have_count(0)
    assert offline.complaints == []
    offline.context.close()


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("width", WIDTHS)
def test_the_file_is_for_everyone(browser, tmp_path, language, width):
    words = Words(language)
    scenario = load_preset("grouped_query")
    path = tmp_path / "handout.html"
    path.write_bytes(page_of(lab_handout(scenario, scenario.trace(), words, ""), words))
    scheme = "dark" if width == 390 else "light"
    offline = opened(browser, path, viewport={"width": width, "height": WIDTHS[width]}, color_scheme=scheme)
    expect(offline.get_by_text(words("bench.offline"))).to_be_visible()
    assert offline.evaluate("document.documentElement.scrollWidth <= innerWidth")
    nothing_wrong(offline)
    assert offline.complaints == []
    offline.context.close()


def test_panels_of_a_lesson_fit_a_phone(new_real_page):
    page = open_lesson(new_real_page(width=390), "projection")
    for name in ("Download", "Share"):
        open_panel_of(page, name)
        expect(
            page.get_by_text("One file to hand out" if name == "Download" else "Start from here").first
        ).to_be_visible()
        assert fits_the_width(page)
        check(page)
