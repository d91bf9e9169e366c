"""axe-core finds nothing to complain about, on any page, in light and dark, whatever is open."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import check, turn
from tests.browser.lab_page import (
    arithmetic,
    at,
    cell,
    choose,
    figure,
    go_to,
    open_example,
    open_lab,
    open_menu,
    open_panel,
    picture,
    press,
    show,
    type_into,
    view,
)
from tests.browser.lesson_page import open_lesson

WIDTHS = pytest.mark.parametrize("width", [1280, 390])
# What a test must be able to see: the second theme is looked at too.
GREY_IN_THE_DARK = "@media (prefers-color-scheme: dark) { .qkv-bench h2 { color: #333 !important } }"


@WIDTHS
def test_home_with_the_course(new_page, width):
    page = new_page(width=width)
    page.goto("/")
    expect(page.locator(".lesson-link")).to_have_count(14)
    page.get_by_role("button", name="Σ·v").click()
    expect(page.locator(".work .column")).to_have_count(7)
    check(page)


def test_what_is_wrong_in_one_theme_only_is_found(new_page):
    page = new_page()
    page.goto("/")
    expect(page.locator(".lesson-link")).to_have_count(14)
    page.add_style_tag(content=GREY_IN_THE_DARK)
    with pytest.raises(AssertionError, match="color-contrast"):
        check(page)


def test_the_lab_with_arithmetic_predicting_and_comparing(lab):
    check(lab)
    go_to(lab, "Softmax")
    at(lab, "weights, query p0, key p3").click()
    expect(arithmetic(lab)).to_contain_text("= 0.65")
    expect(picture(lab).locator(".bars").first).to_be_attached()
    check(lab)
    for name in ("Shapes", "Heatmap"):
        view(lab, name)
        expect(lab.locator(".meaning .main-svg").first).to_be_attached()
        check(lab)
    lab.locator(".meaning > .numbers summary").first.click()
    expect(lab.get_by_role("table", name="weights", exact=True)).to_be_visible()
    check(lab)
    view(lab, "Meaning")
    open_menu(lab)
    check(lab)
    press(lab, "Keep and compare")
    choose(lab, "Mask", "Free")
    lab.keyboard.press("e")
    expect(lab.get_by_role("figure", name="change of weights").locator(".main-svg").first).to_be_attached()
    type_into(lab, "X, token p0, feature c0", "one")
    expect(lab.get_by_role("status")).to_contain_text("is not a number")
    check(lab)
    press(lab, "Predict this step")
    expect(cell(lab, "weights, query p0, key p2: to be predicted")).to_be_visible()
    for text in ("0.1", "9"):
        type_into(lab, "weights, query p0, key p2", text)
        expect(cell(lab, f"weights, query p0, key p2: {text}, not right")).to_be_visible()
    check(lab)


@WIDTHS
def test_every_panel(new_real_page, width):
    page = open_lab(new_real_page(width=width))
    choose(page, "Mask", "Window")
    for panel in ("More", "Upload", "Download", "Share"):
        open_panel(page, panel)
        check(page)
        page.keyboard.press("Escape")
        expect(page.locator(".st-key-lab_panel")).to_have_count(0)


def test_large_examples_and_several_heads(lab):
    open_example(lab, "The cat sat on the mat.")
    show(lab, "weights")
    check(lab)
    view(lab, "Heatmap")
    expect(figure(lab, "weights").locator(".annotation-text", has_text="head 1")).to_be_visible()
    check(lab)
    view(lab, "Meaning")
    open_example(lab, "Textbook: 32 × 20 × 512, 8 heads")
    expect(lab.get_by_role("combobox", name="Batch item")).to_be_visible()
    check(lab)


def test_a_link_that_cannot_be_read(new_page):
    page = open_lab(new_page(), "?s=2nonsense")
    expect(page.locator(".bar > .sentence")).to_be_visible()
    check(page)


def test_on_a_phone(new_page):
    page = open_lab(new_page(width=390))
    at(page, "weights, query p0, key p3").click()
    expect(arithmetic(page)).to_contain_text("= 0.65")
    check(page)


# The widest strips, a table wider than the screen, curves, a sheet of paper.
@pytest.mark.parametrize(
    ("lesson", "section"), [("reshape", 3), ("reshape", 4), ("masks", 2), ("practice", 6)]
)
def test_sections_on_a_phone(new_page, lesson, section):
    page = open_lesson(new_page(width=390), lesson)
    page.get_by_role("button", name=re.compile(f"^Section {section}: ")).click()
    expect(page.get_by_role("heading", name=re.compile(rf"^{section}\. "), level=2)).to_be_visible()
    check(page)


def test_the_theme_follows_the_system_without_loading_anew(real_lab):
    lab, ground = real_lab, real_lab.locator(".stApp")
    expect(ground).to_have_css("background-color", "rgb(251, 251, 249)")
    turn(lab, "dark")
    expect(ground).to_have_css("background-color", "rgb(20, 23, 29)")
    turn(lab, "light")
