"""The first page in a real browser: numbers, arithmetic, mouse, keyboard, phone, dark."""

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import arithmetic, cell, fits_the_width

CELL = "weights, query p2, key p3: 0.76"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_click_opens_the_arithmetic(new_page, width, scheme):
    page = new_page(width=width, scheme=scheme)
    page.goto("/")
    expect(arithmetic(page)).to_contain_text("= 4.113 / 10.23 = 0.40")
    cell(page, CELL).click()
    expect(arithmetic(page)).to_contain_text(
        "e^4.9497 / (e^0.7071 + e^3.5355 + e^2.1213 + e^4.9497)"
        " = 141.1 / (2.028 + 34.31 + 8.342 + 141.1) = 141.1 / 185.8 = 0.76"
    )
    expect(cell(page, f"{CELL} (chosen)")).to_have_attribute("aria-selected", "true")
    expect(cell(page, "used for the chosen number")).to_have_count(4)
    assert fits_the_width(page)


def test_the_keyboard_alone_opens_a_cell(new_page):
    page = new_page()
    page.goto("/")
    cell(page, "scores, query p0, key p0: 1").focus()
    for key in ("ArrowDown", "ArrowDown", "End", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    last = cell(page, "scores, query p2, key p3: 7")
    expect(last).to_be_focused()
    page.keyboard.press("Enter")
    expect(arithmetic(page)).to_contain_text("= 3·1 + 1·4 = 7")
    expect(last).to_be_focused()  # the board was repainted in place
    expect(cell(page, "Q, token p2, channel 0: 3 (used")).to_have_count(1)


def test_every_matrix_is_a_named_grid(new_page):
    page = new_page()
    page.goto("/")
    expect(page.get_by_role("grid")).to_have_count(8)
    for name in ("X 4×4", "Q 4×2", "weights 1×4×4"):
        expect(page.get_by_role("grid", name=name, exact=True)).to_be_visible()


def test_nothing_on_home_looks_as_if_it_could_be_typed_over(new_page):
    page = new_page()
    page.goto("/")
    first = cell(page, "X, token p0, feature c0: 1")
    first.click()
    page.keyboard.type("9")
    expect(cell(page, "X, token p0, feature c0: 1 (chosen)")).to_have_text("1")
    cell(page, "Q, token p2, channel 0: 3").click()
    source = cell(page, "X, token p2, feature c0: 3 (used for the chosen number)")
    expect(source).to_have_css("border-style", "dashed")
