"""For a class: the projector view, and the list of keys."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import check
from tests.browser.conftest import WIDTHS
from tests.browser.lab_page import (
    cell,
    close_menu,
    go_to,
    grid,
    in_focus,
    open_lab,
    open_menu,
    picture,
)
from tests.browser.lesson_page import open_lesson

PRESENTING = "html.qkv-presenting"


# The projector view


def test_one_key_shows_only_the_board_the_step_and_the_sentence(new_page):
    page = open_lab(new_page())
    go_to(page, "Scores")
    size = "(one) => parseFloat(getComputedStyle(one).fontSize)"
    before = page.get_by_role("heading", level=2).evaluate(size)
    page.keyboard.press("p")
    expect(page.locator(PRESENTING)).to_have_count(1)
    assert page.locator(".lab-stage h2").evaluate(size) > 1.1 * before
    in_focus(page, "Scores")
    for gone in ("Undo", "Share", "Change X"):
        expect(page.get_by_role("button", name=gone)).to_be_hidden()
    for title in ("Scale", "Softmax", "Weighted sum"):
        page.keyboard.press("ArrowRight")
        in_focus(page, title)
    page.keyboard.press("ArrowLeft")
    in_focus(page, "Softmax")
    page.keyboard.press("p")
    expect(page.locator(PRESENTING)).to_have_count(0)
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    in_focus(page, "Softmax")


def test_what_is_pointed_at_is_lit_with_its_row_and_column(new_page):
    page = open_lab(new_page())
    cell(page, "X, token p1, feature c2").hover()
    expect(page.locator(".spot")).to_have_count(0)  # only for a projector
    open_menu(page).get_by_role("button", name="Present").click()
    cell(page, "X, token p1, feature c2").hover()
    expect(page.locator(".spot")).to_have_attribute("aria-label", re.compile("^X, token p1, feature c2"))
    expect(page.locator("th.spot-line")).to_have_text(["c2", "p1"])
    expect(page.locator("td.spot-line")).to_have_count(7)
    cell(page, "Wq, feature c0, channel 1").hover()
    expect(page.locator(".spot")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".spot")).to_have_count(0)


def test_on_a_projector_the_same_stage_stands_larger(new_page):
    page = open_lab(new_page())
    go_to(page, "Softmax")
    width = "(one) => one.getBoundingClientRect().width"
    before = picture(page).evaluate(width)
    page.keyboard.press("p")
    expect(page.locator(".board .matrix .name")).to_have_text(["scaled", "weights"])
    expect(grid(page, "weights")).to_be_in_viewport(ratio=1)
    expect(picture(page).locator(".bars").first).to_be_attached()
    assert picture(page).evaluate(width) >= before
    fills = "(one) => Math.abs(one.querySelector('.main-svg').clientWidth - one.clientWidth) <= 1"
    page.wait_for_function(fills, arg=picture(page).element_handle())  # drawn anew, in a wider place


def test_sections_of_a_lesson_are_walked_on_a_projector(new_page):
    page = open_lesson(new_page(), "projection")
    page.keyboard.press("ArrowRight")  # not before: a section is not left by accident
    expect(page.get_by_role("heading", name=re.compile(r"^1\. "), level=2)).to_be_visible()
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name=re.compile(r"^2\. "), level=2)).to_be_visible()
    expect(page.locator(".lesson-top .count")).to_have_text("2 of 5")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", name=re.compile(r"^1\. "), level=2)).to_be_visible()
    page.get_by_role("textbox", name="Your answer").fill("p")  # typed, not obeyed
    expect(page.locator(PRESENTING)).to_have_count(1)
    page.get_by_role("heading", name="From X to Q, K, V").click()
    page.keyboard.press("Escape")
    expect(page.locator(PRESENTING)).to_have_count(0)


def test_axe_finds_nothing_on_a_projector_nor_in_the_list_of_keys(new_page):
    page = open_lab(new_page())
    page.keyboard.press("p")
    expect(page.locator(PRESENTING)).to_have_count(1)
    check(page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    check(page)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_projector_view_fits_any_width(new_page, width):
    page = open_lab(new_page(width=width))
    page.keyboard.press("p")
    expect(page.locator(PRESENTING)).to_have_count(1)
    assert page.locator(".qkv-bench").evaluate("(bench) => bench.scrollWidth <= bench.clientWidth")


# The list of keys


def test_every_key_is_listed_and_the_list_closes(new_page):
    page = open_lab(new_page())
    open_menu(page).get_by_role("button", name="Keyboard shortcuts").click()
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys.get_by_role("row")).to_have_count(14)
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    expect(page.get_by_role("button", name="Keyboard shortcuts")).to_be_focused()
    close_menu(page)
    cell(page, "X, token p0, feature c0").click()
    page.keyboard.press("?")  # also from within a matrix, where other signs are typed
    expect(keys).to_be_visible()
