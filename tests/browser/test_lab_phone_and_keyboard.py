"""The Lab on a phone, in light and dark, and by keyboard alone."""

import pytest
from playwright.sync_api import expect

from tests.browser.keyboard import reach
from tests.browser.lab_page import (
    EXPLAINED,
    arithmetic,
    cell,
    choose,
    figure,
    fits_the_width,
    go_to,
    grid,
    open_example,
    open_lab,
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_the_step_in_focus_comes_first(new_page, scheme):
    page = open_lab(new_page(width=390, scheme=scheme, has_touch=True))
    heading = page.get_by_role("heading", name="Input", level=2)
    assert heading.bounding_box()["y"] < grid(page, "X").bounding_box()["y"]
    assert fits_the_width(page)
    mask = page.get_by_role("radiogroup", name="Mask")
    expect(mask).to_be_hidden()
    settings = page.get_by_role("button", name="Settings")
    settings.tap()
    expect(settings).to_have_attribute("aria-expanded", "true")
    choose(page, "Mask", "Causal")
    expect(grid(page, "masked")).to_be_visible()
    settings.tap()
    expect(mask).to_be_hidden()
    assert fits_the_width(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_the_arithmetic_is_a_sheet_at_the_bottom(new_page, scheme):
    page = open_lab(new_page(width=390, scheme=scheme, has_touch=True))
    open_example(page, "The cat sat on the mat.")
    go_to(page, "Softmax")
    expect(figure(page, "weights").locator(".main-svg").first).to_be_visible()
    expect(arithmetic(page)).to_be_hidden()
    chosen = cell(page, "weights, query cat, key sat")
    chosen.tap()
    expect(page.get_by_text(EXPLAINED)).to_be_in_viewport()
    box = arithmetic(page).bounding_box()
    assert (box["x"], box["width"], box["y"] + box["height"]) == (0, 390, 844)
    assert fits_the_width(page)
    page.get_by_role("button", name="Close").tap()
    expect(arithmetic(page)).to_be_hidden()
    expect(chosen).to_be_in_viewport()


def test_on_a_phone_a_second_tap_types(new_page):
    page = open_lab(new_page(width=390, has_touch=True))
    first = cell(page, "X, token p0, feature c0: 1")
    first.tap()
    expect(first).to_have_accessible_name("X, token p0, feature c0: 1 (chosen, type to change)")
    first.tap()
    page.get_by_role("textbox", name="X, token p0, feature c0").fill("5")
    page.keyboard.press("Enter")
    expect(cell(page, "Q, token p0, channel 0: 5")).to_be_visible()


def test_a_panel_is_opened_and_closed_by_keyboard(real_lab):
    more = real_lab.get_by_role("button", name="More")
    reach(real_lab, more)
    real_lab.keyboard.press("Enter")
    expect(real_lab.get_by_role("spinbutton", name="Tokens")).to_be_visible()
    expect(more).to_be_focused()
    real_lab.keyboard.press("Escape")
    expect(real_lab.get_by_role("spinbutton", name="Tokens")).to_have_count(0)
    expect(more).to_be_focused()
