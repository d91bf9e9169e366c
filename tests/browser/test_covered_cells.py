"""Cells that a lesson asks about first: pressed and copied, they show what they are made of and keep their number."""

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import CLIPBOARD, arithmetic, cell, clipboard, grid
from tests.browser.lesson_page import answer, done, open_lesson

# By lesson: the matrix, a covered cell beside the asked one and its number, and the answer.
FIRST_EXERCISES = {
    "projection": ("Q", "Q, token p1, channel 0", "2", "3"),
    "attention": ("scores", "scores, query cat, key sat", "6", "7"),
}


@pytest.mark.parametrize("lesson", FIRST_EXERCISES)
def test_pressing_a_covered_cell_lights_what_it_is_made_of(new_page, lesson):
    matrix, name, number, right = FIRST_EXERCISES[lesson]
    page = open_lesson(new_page(), lesson)
    expect(page.locator(".try")).to_be_hidden()  # while there is nothing to press
    cell(page, f"{name}: to be predicted").click()
    expect(arithmetic(page)).to_contain_text(f"{matrix} is covered until you answer")
    expect(arithmetic(page)).not_to_contain_text("=")
    assert page.locator("td.source").count() >= 4
    expect(page.locator(".try .state.done")).to_have_count(0)  # its arithmetic was not seen yet
    answer(page, right)
    expect(arithmetic(page)).to_contain_text(f"= {number}")  # of the cell that was pressed
    done(page, 1)


@pytest.mark.parametrize("lesson", FIRST_EXERCISES)
def test_a_covered_matrix_is_copied_as_it_is_seen(new_page, lesson):
    matrix, name, _, right = FIRST_EXERCISES[lesson]
    page = open_lesson(new_page(permissions=CLIPBOARD), lesson)
    grid(page, matrix).hover()
    copy = page.get_by_role("button", name=f"Copy {matrix}", exact=True)
    copy.click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.includes('\\n'))")
    assert set(clipboard(page).split()) == {"?"}
    cell(page, f"{name}: to be predicted").focus()
    page.evaluate("navigator.clipboard.writeText('')")
    page.keyboard.press("Control+c")
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.includes('\\n'))")
    assert set(clipboard(page).split()) == {"?"}
    answer(page, right)
    copy.click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => !text.includes('?'))")
    assert right in clipboard(page).split()
