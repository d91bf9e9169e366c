"""axe-core finds nothing to complain about, on any page, in light and dark, whatever is open."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.lab_page import arithmetic, cell, choose, figure, go_to, open_example, open_lab, open_panel

SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])


# Streamlit's own: a section that it marks as nothing but decoration, and yet names.
NOT_OURS = {"exclude": [['[data-testid="stFileUploaderDropzone"]']]}


def check(page):
    found = Axe().run(page, context=NOT_OURS)
    assert found.violations_count == 0, found.generate_report()


@SCHEMES
def test_home(new_page, scheme):
    page = new_page(scheme=scheme)
    page.goto("/")
    cell(page, "weights, query p0, key p3").click()
    expect(arithmetic(page)).to_contain_text("0.6471")
    check(page)


@SCHEMES
def test_the_lab_with_arithmetic_predicting_and_comparing(new_page, scheme):
    page = open_lab(new_page(scheme=scheme))
    cell(page, "weights, query p0, key p3").click()
    expect(arithmetic(page)).to_contain_text("0.6471")
    go_to(page, "Softmax")
    expect(figure(page, "weights").locator(".bars").first).to_be_attached()
    check(page)
    page.get_by_role("button", name="Keep and compare").click()
    choose(page, "Mask", "Free")
    expect(page.get_by_role("figure", name="change of weights").locator(".main-svg").first).to_be_attached()
    check(page)
    page.get_by_role("button", name="Predict this step").click()
    expect(cell(page, "weights, query p0, key p2: to be predicted")).to_be_visible()
    for text in ("0.1", "9"):
        cell(page, "weights, query p0, key p2").click()
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        expect(cell(page, f"weights, query p0, key p2: {text}, not right")).to_be_visible()
    check(page)


@SCHEMES
def test_every_panel(new_page, scheme):
    page = open_lab(new_page(scheme=scheme))
    choose(page, "Mask", "Window")
    for panel in ("More", "Upload", "Download", "Share"):
        open_panel(page, panel)
        check(page)


@SCHEMES
def test_large_examples_and_several_heads(new_page, scheme):
    page = open_lab(new_page(scheme=scheme))
    open_example(page, "The cat sat on the mat.")
    page.get_by_role("checkbox", name="All heads side by side").check()
    expect(page.get_by_role("grid", name="weights, head 1")).to_be_visible()
    check(page)
    open_example(page, "Textbook: 32 × 20 × 512, 8 heads")
    expect(page.get_by_role("combobox", name="Batch item")).to_be_visible()
    check(page)


def test_on_a_phone(new_page):
    page = open_lab(new_page(width=390))
    cell(page, "weights, query p0, key p3").click()
    expect(arithmetic(page)).to_contain_text("0.6471")
    check(page)
