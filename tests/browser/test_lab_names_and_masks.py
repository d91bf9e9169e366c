"""Names of rows and columns, and masks of every kind."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import (
    arithmetic,
    at,
    cell,
    choose,
    figure,
    frame,
    go_to,
    open_example,
    open_lab,
    picture,
    show,
    type_into,
    view,
)

HATCHED = re.compile("repeating-linear-gradient")


def header(page, matrix, role, name):
    return show(page, matrix).get_by_role(role, name=name, exact=True)


def test_a_row_is_renamed_by_double_click_and_everywhere(lab, new_page):
    header(lab, "X", "rowheader", "p0").dblclick()
    expect(lab.get_by_role("textbox", name="New name for p0")).to_be_focused()
    lab.keyboard.type("sky")
    lab.keyboard.press("Enter")
    for step, matrix, role in (
        ("Q", "X", "rowheader"),
        ("scores", "Q", "rowheader"),
        ("weights", "scaled", "columnheader"),
        ("output", "head outputs", "rowheader"),
    ):
        frame(lab, step).click()
        expect(header(lab, matrix, role, "sky")).to_be_visible()
    at(lab, "weights, query p1, key sky: 0.10").click()
    expect(arithmetic(lab)).to_contain_text("weights[p1, sky] = e^scaled[p1, sky]")
    other = open_lab(new_page(), "?" + lab.url.partition("?")[2])
    expect(header(other, "scaled", "rowheader", "sky")).to_be_visible()


def test_a_column_is_renamed_by_keyboard_alone(lab):
    cell(lab, "X, token p0, feature c1").focus()
    lab.keyboard.press("ArrowUp")
    expect(header(lab, "X", "columnheader", "c1")).to_be_focused()
    lab.keyboard.press("Enter")
    lab.keyboard.type("red")
    lab.keyboard.press("Enter")
    expect(header(lab, "Wq", "rowheader", "red")).to_be_visible()
    expect(cell(lab, "X, token p0, feature red: 0")).to_be_focused()  # Enter went down, and it stays
    lab.keyboard.press("Control+z")
    expect(header(lab, "X", "columnheader", "c1")).to_be_visible()


def test_escape_keeps_the_old_name_and_a_long_one_is_refused(lab):
    header(lab, "X", "rowheader", "p0").dblclick()
    lab.keyboard.type("sky")
    lab.keyboard.press("Escape")
    expect(header(lab, "X", "rowheader", "p0")).to_be_focused()
    lab.keyboard.press("F2")
    lab.keyboard.insert_text("sky " * 40)
    lab.keyboard.press("Enter")
    expect(lab.get_by_role("status")).to_contain_text("A name is one line of at most")
    expect(header(lab, "X", "rowheader", "p0")).to_be_visible()


def test_html_in_a_name_stays_text(lab):
    header(lab, "X", "rowheader", "p0").dblclick()
    lab.keyboard.type("<b>x</b>")
    lab.keyboard.press("Enter")
    frame(lab, "Q").click()
    expect(header(lab, "X", "rowheader", "<b>x</b>")).to_be_visible()
    expect(lab.locator(".qkv-bench b")).to_have_count(0)
    go_to(lab, "Scores")
    expect(picture(lab).locator("text", has_text="<b>x</b>: q")).to_be_visible()
    view(lab, "Heatmap")
    expect(figure(lab, "scores").locator("text", has_text="<b>x</b>").first).to_be_visible()
    view(lab, "Meaning")
    at(lab, "weights, query <b>x</b>, key p3").click()
    expect(arithmetic(lab)).to_contain_text("weights[<b>x</b>, p3] = ")
    expect(lab.locator(".qkv-bench b")).to_have_count(0)


def test_masked_cells_are_hatched_and_say_so(lab):
    open_example(lab, "Causal")
    hidden = at(lab, "masked, query t0, key t1: minus infinity, hidden by the mask")
    expect(hidden).to_have_text("−∞")
    expect(hidden).to_have_css("background-image", HATCHED)
    hidden.click()
    expect(arithmetic(lab)).to_contain_text("masked_fill (visible[t0, t1] = False) = −∞")
    unmasked = cell(lab, "scaled, query t0, key t1")
    expect(unmasked).not_to_have_css("background-image", HATCHED)
    expect(at(lab, "weights, query t0, key t1: 0.00, hidden by the mask")).to_have_css(
        "background-image", HATCHED
    )


def test_a_query_that_sees_nothing_has_weights_of_0(lab):
    open_example(lab, "Nothing to look at")
    for key in ("t0", "t1", "t2"):
        expect(at(lab, f"weights, query t1, key {key}: 0.00, hidden by the mask")).to_be_visible()
    expect(at(lab, "output, query t1, channel 0: 0.00")).to_be_visible()


def test_masks_by_rule(lab):
    for mask, hidden, seen in (
        ("Causal", "query p0, key p1", "query p1, key p0"),
        ("Window", "query p0, key p2", "query p1, key p2"),
        ("Padding", "query p0, key p3", "query p3, key p0"),
    ):
        choose(lab, "Mask", mask)
        expect(at(lab, f"masked, {hidden}: minus infinity, hidden by the mask")).to_be_visible()
        expect(cell(lab, f"masked, {seen}")).not_to_have_text("−∞")
        choose(lab, "Mask", "None")
        expect(frame(lab, "masked")).to_have_count(0)


def test_a_window_reaches_as_far_as_asked(lab):
    choose(lab, "Mask", "Window")
    go_to(lab, "Mask")
    left, right = (lab.get_by_role("spinbutton", name=side, exact=True) for side in ("left", "right"))
    expect(left).to_have_value("1")
    left.fill("2")
    left.press("Enter")
    expect(cell(lab, "masked, query p2, key p0: 0.71")).to_be_visible()
    right.fill("0")
    right.press("Tab")
    expect(cell(lab, "masked, query p2, key p3: minus infinity")).to_be_visible()
    left.fill("17")
    left.press("Enter")
    expect(lab.locator(".bar > .sentence")).to_have_text("left: from 0 to 16. Nothing was changed.")
    expect(left).to_have_value("2")


def test_a_free_mask_is_switched_cell_by_cell(lab):
    choose(lab, "Mask", "Free")
    at(lab, "may look, query p0, key p3: yes (press to switch)").click()
    expect(cell(lab, "may look, query p0, key p3: no")).to_be_focused()
    expect(cell(lab, "masked, query p0, key p3: minus infinity, hidden by the mask")).to_be_visible()
    lab.keyboard.press("Enter")  # and back, by keyboard
    expect(cell(lab, "may look, query p0, key p3: yes")).to_be_focused()
    lab.keyboard.press("Space")
    expect(cell(lab, "may look, query p0, key p3: no")).to_be_focused()
    cell(lab, "may look, query p1, key p1: no").click()
    expect(cell(lab, "may look, query p1, key p1: yes")).to_be_visible()


def test_a_free_mask_of_numbers_that_are_added(lab):
    choose(lab, "Mask", "Free")
    go_to(lab, "Mask")
    choose(lab, "as", "added numbers")
    expect(cell(lab, "mask, query p0, key p0: minus infinity (type to change)")).to_have_text("−∞")
    type_into(lab, "mask, query p0, key p1: 0", "-inf")
    expect(cell(lab, "masked, query p0, key p1: minus infinity, hidden by the mask")).to_have_css(
        "background-image", HATCHED
    )
    type_into(lab, "mask, query p0, key p3: 0", "1.5")
    expect(cell(lab, "masked, query p0, key p3: 5.04")).to_be_visible()  # 5/√2 + 1.5
    type_into(lab, "mask, query p0, key p0: minus infinity", "0")
    expect(cell(lab, "masked, query p0, key p0: 0.71")).to_be_visible()
    choose(lab, "as", "✓ / ✕")
    expect(cell(lab, "may look, query p0, key p1: no")).to_be_visible()
