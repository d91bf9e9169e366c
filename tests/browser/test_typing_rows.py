"""Numbers typed row by row, as in a spreadsheet: Tab, Shift+Tab and Enter; and the way out of a matrix."""

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import cell, grid, show


@pytest.fixture
def lab(lab):
    show(lab, "X")
    return lab


def numbers(page, name):
    """The numbers of a matrix as they are seen."""
    return [
        row.locator("td[data-row]").all_inner_texts() for row in grid(page, name).locator("tbody tr").all()
    ]


def type_in(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def test_tab_wraps_to_the_next_row(lab):
    cell(lab, "Wq, feature c0, channel 0: ").click()
    type_in(lab, "7", "Tab", "8", "Tab", "9", "Tab")
    expect(cell(lab, "Wq, feature c1, channel 1: ")).to_be_focused()
    expect(cell(lab, "Wq, feature c1, channel 0: 9")).to_be_visible()
    assert numbers(lab, "Wq")[:2] == [["7", "8"], ["9", "0"]]


def test_shift_tab_goes_left_and_back_to_the_row_before(lab):
    cell(lab, "Wq, feature c1, channel 1: ").click()
    type_in(lab, "5", "Shift+Tab", "6", "Shift+Tab", "7", "Shift+Tab")
    expect(cell(lab, "Wq, feature c0, channel 0: ")).to_be_focused()
    expect(cell(lab, "Wq, feature c0, channel 1: 7")).to_be_visible()
    assert numbers(lab, "Wq")[:2] == [["1", "7"], ["6", "5"]]


def test_enter_returns_to_the_column_where_tab_began(lab):
    cell(lab, "X, token p0, feature c1: ").click()
    type_in(lab, "7", "Tab", "8", "Tab", "Tab")  # the last one skips a cell
    expect(cell(lab, "X, token p1, feature c0: ")).to_be_focused()
    type_in(lab, "9", "Enter")
    expect(cell(lab, "X, token p2, feature c1: ")).to_be_focused()
    type_in(lab, "6", "Tab", "5", "Enter")
    expect(cell(lab, "X, token p3, feature c1: ")).to_be_focused()
    expect(cell(lab, "X, token p2, feature c2: 5")).to_be_visible()
    assert [row[:3] for row in numbers(lab, "X")[:3]] == [["1", "7", "8"], ["9", "1", "0"], ["3", "6", "5"]]


def test_enter_goes_down_where_no_tab_was_pressed(lab):
    cell(lab, "X, token p0, feature c2: ").click()
    type_in(lab, "7", "Enter", "8", "Enter")
    expect(cell(lab, "X, token p2, feature c2: ")).to_be_focused()


def test_tab_leaves_the_matrix_at_its_last_cell(lab):
    cell(lab, "Wq, feature c3, channel 0: ").click()
    type_in(lab, "7", "Tab", "8", "Tab")
    expect(cell(lab, "Wq, feature c3, channel 1: 8")).not_to_be_focused()
    expect(lab.get_by_role("button", name="Paste a matrix into Wq")).to_be_focused()
    assert numbers(lab, "Wq")[3] == ["7", "8"]


def test_escape_and_tab_leave_a_matrix_from_anywhere(lab):
    cell(lab, "Wq, feature c0, channel 0: ").click()
    type_in(lab, "7", "Tab", "Escape", "Tab")
    expect(lab.get_by_role("button", name="Paste a matrix into Wq")).to_be_focused()
    cell(lab, "Wq, feature c0, channel 0: ").click()
    type_in(lab, "9", "Escape", "Tab")
    expect(lab.get_by_role("button", name="Paste a matrix into Wq")).to_be_focused()
    cell(lab, "Wq, feature c0, channel 0: ").focus()
    type_in(lab, "ArrowRight", "Tab")  # who only walks never was kept
    expect(lab.get_by_role("button", name="Paste a matrix into Wq")).to_be_focused()
    assert numbers(lab, "Wq")[0][0] == "7"
