"""Typing, pasting, copying and taking back, as in a spreadsheet."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import (
    CLIPBOARD,
    at,
    cell,
    chosen,
    clipboard,
    frame,
    grid,
    open_lab,
    paste,
    press,
    show,
    type_into,
)
from ui.scenario import shaping
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset

CHANGED = re.compile("changed")
FIRST = "X, token p0, feature c0"


@pytest.fixture
def lab(lab):
    """At the step that makes Q: X, Wq and Q stand on the stage."""
    show(lab, "Q")
    return lab


def test_typing_repaints_everything_and_keeps_the_place(lab):
    type_into(lab, f"{FIRST}: 1", "3")
    expect(cell(lab, "Q, token p0, channel 0: 3")).to_be_visible()
    expect(cell(lab, "X, token p1, feature c0: 2")).to_be_focused()
    lab.keyboard.type("1/2")
    lab.keyboard.press("Tab")
    expect(cell(lab, "X, token p1, feature c0: 0.50")).to_be_visible()
    expect(cell(lab, "Q, token p1, channel 0: 0.50")).to_be_visible()
    expect(cell(lab, "X, token p1, feature c1: 1.00")).to_be_focused()
    expect(at(lab, "scores, query p0, key p3: 7")).to_be_visible()  # 3·1 + 1·4


def test_arrows_and_shift_leave_a_typed_number_in_their_direction(lab):
    type_into(lab, "X, token p1, feature c1: 1", "5", "ArrowRight")
    expect(cell(lab, "X, token p1, feature c1: 5")).to_be_visible()
    expect(cell(lab, "X, token p1, feature c2")).to_be_focused()
    lab.keyboard.type("6")
    lab.keyboard.press("ArrowUp")
    expect(cell(lab, "X, token p0, feature c2")).to_be_focused()
    lab.keyboard.type("7")
    lab.keyboard.press("Shift+Tab")
    expect(cell(lab, "X, token p0, feature c1")).to_be_focused()
    lab.keyboard.press("ArrowDown")
    lab.keyboard.type("8")
    lab.keyboard.press("Shift+Enter")
    expect(cell(lab, "X, token p0, feature c1")).to_be_focused()
    for name in ("p1, feature c2: 6", "p0, feature c2: 7", "p1, feature c1: 8"):
        expect(cell(lab, f"X, token {name}")).to_be_visible()


def test_inside_a_number_arrows_move_the_caret(lab):
    cell(lab, f"{FIRST}: 1").click()
    lab.keyboard.press("F2")
    box = lab.get_by_role("textbox", name=FIRST)
    expect(box).to_have_value("1")
    box.press("End")
    for key in ("2", "ArrowLeft", "0", "Enter"):
        lab.keyboard.press(key)
    expect(cell(lab, f"{FIRST}: 102")).to_be_visible()


def test_a_decimal_comma_and_either_minus_are_understood(lab):
    type_into(lab, f"{FIRST}: 1", "0,25")
    expect(cell(lab, f"{FIRST}: 0.25")).to_be_visible()
    lab.keyboard.type("-1.5")
    lab.keyboard.press("Enter")
    expect(cell(lab, "Q, token p1, channel 0: −1.50")).to_be_visible()
    lab.keyboard.press("F2")
    lab.keyboard.type("−3")
    lab.keyboard.press("Enter")
    expect(cell(lab, "Q, token p2, channel 0: −3.00")).to_be_visible()


def test_escape_leaves_the_number_and_nonsense_is_refused_with_a_sentence(lab):
    first = cell(lab, f"{FIRST}: 1")
    first.click()
    lab.keyboard.type("9")
    lab.keyboard.press("Escape")
    expect(first).to_have_text("1")
    expect(first).to_be_focused()
    lab.keyboard.press("Enter")
    lab.keyboard.type("1e99")
    lab.keyboard.press("Enter")
    expect(lab.get_by_role("status")).to_contain_text("“1e99” is not a number that can be used here.")
    expect(first).to_have_text("1")
    expect(cell(lab, "X, token p1, feature c0: 2")).to_be_focused()  # Enter went down, and it stays
    lab.keyboard.type("6")
    lab.keyboard.press("Enter")
    expect(cell(lab, "Q, token p1, channel 0: 6")).to_be_visible()
    expect(lab.locator(".bar > .sentence")).to_be_hidden()  # what could not be done is over


def test_typing_and_then_clicking_elsewhere_keeps_the_number_and_nothing_jumps(lab):
    first, other = cell(lab, f"{FIRST}: 1"), cell(lab, "Q, token p3, channel 1")
    first.click()
    before = apart(first, other)
    lab.keyboard.type("9")
    assert apart(first, other) == before
    other.click()
    expect(cell(lab, "Q, token p0, channel 0: 9")).to_be_visible()
    expect(chosen(lab)).to_have_accessible_name(re.compile("^Q, token p3, channel 1"))
    assert apart(cell(lab, FIRST), other) == before


def apart(one, other):
    """How far two cells are from each other, wherever the page is scrolled to."""
    (x, y), (a, b) = ((box["x"], box["y"]) for box in (one.bounding_box(), other.bounding_box()))
    return a - x, b - y


def test_every_frame_says_how_many_of_its_numbers_an_edit_changed(lab):
    type_into(lab, f"{FIRST}: 1", "3")
    for name, count in {"X": 1, "Q": 1, "K": 1, "scores": 4, "scaled": 4, "weights": 8}.items():
        expect(frame(lab, name)).to_contain_text(f"{count} new")
    expect(frame(lab, "weights")).to_have_accessible_name("Softmax: weights, 8 new")
    expect(frame(lab, "V")).to_have_text("V 4×2")
    expect(frame(lab, "weights")).to_have_text("weights 1×4×4")  # two seconds later


def test_x_is_changed_beside_any_step(lab):
    show(lab, "weights")
    expect(grid(lab, "X")).to_have_count(0)
    lab.keyboard.press("e")
    expect(cell(lab, f"{FIRST}: 1")).to_be_focused()
    before = cell(lab, "weights, query p0, key p3").inner_text()
    lab.keyboard.type("3")
    lab.keyboard.press("Enter")
    grown = cell(lab, "weights, query p0, key p3")
    expect(grown).not_to_have_text(before)
    expect(grown).to_have_attribute("data-was", f"{before} →")
    expect(cell(lab, "X, token p1, feature c0: 2")).to_be_focused()
    show(lab, "head outputs")
    expect(grid(lab, "X")).to_be_visible()  # it stays from step to step
    lab.get_by_role("button", name="Close X").click()
    expect(grid(lab, "X")).to_have_count(0)
    expect(grown).to_have_count(1)


def test_only_numbers_that_changed_are_marked_with_what_they_were(lab):
    type_into(lab, f"{FIRST}: 1", "0,25")
    expect(cell(lab, f"{FIRST}: 0.25")).to_have_class(CHANGED)
    marked = cell(lab, "Q, token p0, channel 0: 0.25")
    expect(marked).to_have_class(CHANGED)
    expect(marked).to_have_attribute("data-was", "1.00 →")
    # Written with other places now, yet the same number.
    expect(cell(lab, "X, token p3, feature c0: 4.00")).not_to_have_class(CHANGED)
    expect(cell(lab, "Q, token p1, channel 0")).not_to_have_class(CHANGED)
    expect(lab.locator("td.changed")).to_have_count(0)  # a moment later it is over


def test_a_choice_marks_nothing(lab):
    at(lab, "weights, query p0, key p1").click()
    expect(chosen(lab)).to_have_count(1)
    expect(lab.locator("td.changed")).to_have_count(0)


def test_many_quick_edits_all_arrive(lab):
    cell(lab, f"{FIRST}: 1").click()
    for number in (5, 6, 7, 8):
        lab.keyboard.type(str(number))
        lab.keyboard.press("Enter")
    for row, number in enumerate((5, 6, 7, 8)):
        expect(cell(lab, f"Q, token p{row}, channel 0: {number}")).to_be_visible()
    for _ in range(4):
        lab.keyboard.press("Control+z")
    for row in range(4):
        expect(cell(lab, f"Q, token p{row}, channel 0: {row + 1}")).to_be_visible()


def test_a_block_is_pasted_and_taken_back(lab):
    undo, redo = (lab.get_by_role("button", name=name) for name in ("Undo", "Redo"))
    expect(undo).to_be_disabled()
    cell(lab, f"{FIRST}: 1").click()
    paste(lab, "0,5\t−1\n2\t1/4\n")
    expect(cell(lab, "X, token p0, feature c1: −1.00")).to_be_visible()
    expect(cell(lab, "X, token p1, feature c1: 0.25")).to_be_visible()
    expect(cell(lab, FIRST)).to_be_focused()
    lab.keyboard.press("Control+z")
    expect(cell(lab, "X, token p0, feature c1: 0")).to_be_visible()
    redo.click()
    expect(cell(lab, "X, token p1, feature c1: 0.25")).to_be_visible()
    undo.click()
    expect(cell(lab, f"{FIRST}: 1")).to_be_visible()
    cell(lab, FIRST).focus()
    lab.keyboard.press("Control+Shift+z")
    expect(cell(lab, "X, token p1, feature c1: 0.25")).to_be_visible()
    expect(redo).to_be_disabled()


def test_other_separators_and_blocks_that_do_not_fit(lab):
    cell(lab, "X, token p2, feature c0: 3").click()
    paste(lab, "7;8\n9;10")
    expect(cell(lab, "X, token p3, feature c1: 10")).to_be_visible()
    paste(lab, "1.5,2.5")
    expect(cell(lab, "X, token p2, feature c1: 2.50")).to_be_visible()
    cell(lab, "X, token p3, feature c3").click()
    paste(lab, "1\t2")
    expect(lab.get_by_role("status")).to_contain_text("The block has 1 rows and 2 columns")
    expect(cell(lab, "X, token p3, feature c3: 2.00")).to_be_visible()


def test_a_block_that_is_too_large_enlarges_its_matrix(lab):
    cell(lab, f"{FIRST}: 1").click()
    paste(lab, "\n".join(["1\t2\t3\t4\t5"] * 6))
    lab.get_by_role("button", name="Enlarge the matrix to 6×5").click()
    expect(cell(lab, "X, token p5, feature c4: 5")).to_be_visible()
    expect(lab.locator(".bar > .sentence")).to_be_hidden()
    expect(lab.get_by_role("combobox", name="Example").locator("option:checked")).to_have_text("Own numbers")
    lab.get_by_role("button", name="Undo").click()
    expect(cell(lab, "X, token p3, feature c3: 2")).to_be_visible()
    expect(lab.get_by_role("combobox", name="Example").locator("option:checked")).to_have_text("2×2 pixels")


def test_many_tokens_leave_no_void_above_the_weight_matrices(new_page):
    scenario = shaping.resized(load_preset("pixels_2x2"), n_tokens=16)
    page = open_lab(new_page(), f"?s={write_link(scenario)}")
    show(page, "X")
    tops = [grid(page, name).bounding_box()["y"] for name in ("X", "Wq", "Wk", "Wv")]
    assert max(tops) - min(tops) < 3


def test_a_matrix_is_copied_out_and_pasted_in(new_page):
    page = open_lab(new_page(permissions=CLIPBOARD))
    at(page, "Q, token p0, channel 0").click()
    page.keyboard.press("Control+c")
    assert clipboard(page) == "1\t1\n2\t0\n3\t1\n4\t0"
    show(page, "K").hover()
    page.get_by_role("button", name="Copy K", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("K is in the clipboard, ready for a spreadsheet.")
    assert clipboard(page) == "0\t1\n1\t2\n0\t3\n1\t4"
    cell(page, FIRST).focus()
    page.keyboard.press("Control+v")
    expect(cell(page, "X, token p3, feature c1: 4")).to_be_visible()
    expect(cell(page, "X, token p2, feature c0: 0")).to_be_visible()


def test_start_over_brings_the_example_back(lab):
    type_into(lab, f"{FIRST}: 1", "9")
    expect(cell(lab, "Q, token p0, channel 0: 9")).to_be_visible()
    press(lab, "Start over")
    expect(cell(lab, "Q, token p0, channel 0: 1")).to_be_visible()
    lab.get_by_role("button", name="Undo").click()
    expect(cell(lab, "Q, token p0, channel 0: 9")).to_be_visible()


def test_home_and_back_keeps_the_work(lab):
    type_into(lab, f"{FIRST}: 1", "9")
    expect(cell(lab, "Q, token p0, channel 0: 9")).to_be_visible()
    lab.get_by_role("link", name="Home").click()
    expect(lab.get_by_role("heading", name="See every number of attention.")).to_be_visible()
    lab.get_by_role("navigation").get_by_role("link", name="Lab").click()
    expect(at(lab, "Q, token p0, channel 0: 9")).to_be_visible()
