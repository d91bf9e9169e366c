"""The Lab on a phone, in light and dark, and by keyboard alone."""

import pytest
from playwright.sync_api import expect

from tests.browser.keyboard import reach
from tests.browser.lab_page import (
    MENU,
    arithmetic,
    at,
    box_of,
    cell,
    choose,
    fits_the_width,
    frame,
    grid,
    link_of,
    open_lab,
    opener_of,
    show,
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_the_matrices_come_first_and_stay(new_page, scheme):
    page = open_lab(new_page(width=390, scheme=scheme, has_touch=True), link_of("cat_on_the_mat"))
    show(page, "weights")
    board, meaning = page.locator(".board"), page.locator(".meaning")
    assert box_of(grid(page, "weights"))["y"] < box_of(meaning)["y"]
    top = box_of(board)["y"]
    stage = page.locator(".lab-stage")
    stage.evaluate("(stage) => stage.scrollTo(0, 9999)")
    assert stage.evaluate("(stage) => stage.scrollTop") > 100
    assert box_of(board)["y"] <= top  # sticky, above what is read
    expect(grid(page, "weights").locator("td[data-row]").first).to_be_in_viewport()
    expect(page.locator(".meaning .why")).to_be_in_viewport()
    assert fits_the_width(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_choices_are_in_the_menu(new_page, scheme):
    page = open_lab(new_page(width=390, scheme=scheme, has_touch=True))
    expect(page.get_by_role("radiogroup", name="Mask")).to_be_hidden()
    choose(page, "Mask", "Causal")
    expect(frame(page, "masked")).to_be_visible()
    expect(page.get_by_role("radiogroup", name="Mask")).to_be_hidden()
    assert fits_the_width(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_the_arithmetic_stands_at_the_bottom(new_page, scheme):
    page = open_lab(new_page(width=390, scheme=scheme, has_touch=True), link_of("cat_on_the_mat"))
    chosen = at(page, "weights, query cat, key sat")
    chosen.tap()
    expect(arithmetic(page)).to_contain_text("weights[0, cat, sat]")
    box = box_of(page.locator(".bar"))
    assert (box["x"], box["width"], box["y"] + box["height"]) == (0, 390, 844)
    expect(chosen).to_be_in_viewport()
    assert fits_the_width(page)
    page.get_by_role("button", name="Close").tap()
    expect(arithmetic(page)).to_contain_text("Choose any cell")


def test_on_a_phone_a_finger_slides_over_a_matrix_and_the_arithmetic_follows(new_page):
    page = open_lab(new_page(width=390, has_touch=True), link_of("cat_on_the_mat"))
    one, other = at(page, "weights, query cat, key sat"), cell(page, "weights, query cat, key on")
    points = [box_of(one), box_of(other)]
    session = page.context.new_cdp_session(page)
    for kind, box in zip(("touchStart", "touchMove"), points, strict=True):
        at_point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at_point]})
    expect(other).to_have_attribute("aria-selected", "true")
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_on_a_phone_a_second_tap_types(new_page):
    page = open_lab(new_page(width=390, has_touch=True))
    first = cell(page, "X, token p0, feature c0: 1")
    first.tap()
    expect(first).to_have_accessible_name("X, token p0, feature c0: 1 (chosen, type to change)")
    first.tap()
    page.get_by_role("textbox", name="X, token p0, feature c0").fill("5")
    page.keyboard.press("Enter")
    expect(at(page, "Q, token p0, channel 0: 5")).to_be_visible()


def test_the_menu_and_a_panel_are_opened_and_closed_by_keyboard(real_lab):
    menu = real_lab.get_by_role("button", name=MENU)
    reach(real_lab, menu)
    real_lab.keyboard.press("Enter")
    expect(menu).to_have_attribute("aria-expanded", "true")
    expect(real_lab.locator(".menu :focus")).to_have_count(1)  # one is in it at once
    real_lab.keyboard.press("Escape")
    expect(menu).to_have_attribute("aria-expanded", "false")
    expect(menu).to_be_focused()
    real_lab.keyboard.press("Enter")
    # The menu closes behind the panel, so the focus goes to what opens the menu.
    for name, focused in (("More", menu), ("Share", opener_of(real_lab, "Share"))):
        opener = opener_of(real_lab, name)
        reach(real_lab, opener)
        real_lab.keyboard.press("Enter")
        expect(real_lab.locator(".st-key-lab_panel")).to_be_visible()
        expect(focused).to_be_focused()
        expect(opener).to_have_attribute("aria-expanded", "true")
        real_lab.keyboard.press("Escape")
        expect(real_lab.locator(".st-key-lab_panel")).to_have_count(0)
        expect(focused).to_be_focused()
