"""The axes of a lesson's figure follow its numbers: every point is inside the frame, and they fill it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lesson_page import open_lesson, pick, slide

# Where the points lie along each axis: [first, last], from 0 to 1. Null until the figure is drawn.
EXTENT = """(place) => {
    if (place.drawn !== place.turn || !place._fullLayout) return null;
    const extent = (axis, values) => {
        const ends = axis.range.map(Number);
        const shares = values.filter((value) => value !== null)
            .map((value) => (axis.type === "log" ? Math.log10(value) : Number(value)))
            .map((value) => (value - ends[0]) / (ends[1] - ends[0]));
        return [Math.min(...shares), Math.max(...shares)];
    };
    const { xaxis, yaxis } = place._fullLayout;
    const all = (letter) => place.data.flatMap((line) => [...line[letter]]);
    const across = xaxis.type === "category" ? [0, 1] : extent(xaxis, all("x"));
    return [across, extent(yaxis, all("y"))];
}"""


def has_all_in_its_frame(page, name, last=None):
    """Waits until the last point of a figure is as expected, then looks where all the points are."""
    place = page.get_by_role("figure", name=re.compile(f"^{name}"))
    expect(place.locator(".main-svg").first).to_be_attached()
    if last is not None:
        page.wait_for_function(
            "([place, last]) => place.drawn === place.turn && String(place.data[0].x.at(-1)) === last",
            arg=[place.element_handle(), last],
        )
    page.wait_for_function(f"(place) => ({EXTENT})(place) !== null", arg=place.element_handle())
    (left, right), (low, high) = place.evaluate(EXTENT)
    assert -0.01 <= left < 0.2, "across"
    assert 0.8 < right <= 1.01, "across"
    assert low >= -0.01, "up"
    assert 0.6 < high <= 1.01, "up"


def test_longer_dot_products_have_all_their_terms(new_page):
    page = open_lesson(new_page(), "scaling")
    has_all_in_its_frame(page, "12 random dot products")
    slide(page, "Width dₖ", 10)  # the last stop: 1024
    has_all_in_its_frame(page, "12 random dot products", "1024")
    slide(page, "Width dₖ", 2)
    has_all_in_its_frame(page, "12 random dot products", "4")


@pytest.mark.parametrize("tokens", [0, 7])
def test_the_bars_of_a_layer_are_as_long_as_their_numbers(new_page, tokens):
    page = open_lesson(new_page(), "cost")
    page.get_by_role("button", name=re.compile("^Section 2")).click()
    pick(page, "Two")
    bars = "The parts of one layer"
    has_all_in_its_frame(page, bars)
    slide(page, "Tokens s", tokens)
    expect(page.get_by_role("cell", name=re.compile(r"^4·1·(64|8192)²·768$"))).to_be_visible()
    has_all_in_its_frame(page, bars)


def test_the_row_that_is_asked_for_is_seen(new_page):
    page = open_lesson(new_page(), "cost")
    page.get_by_role("button", name=re.compile("^Section 5")).click()
    place = page.get_by_role("figure", name=re.compile("^Rows of K"))
    expect(place.locator(".main-svg").first).to_be_attached()
    slide(page, "Tokens written", 7)
    page.wait_for_function(
        "(place) => place.drawn === place.turn && place.data[1].y[6] === 28", arg=place.element_handle()
    )
    has_all_in_its_frame(page, "Rows of K")


def test_the_loss_is_shown_to_the_last_epoch(new_page):
    page = open_lesson(new_page(), "learning")
    page.get_by_role("button", name=re.compile("^Section 5")).click()
    expect(page.locator(".block.plot .main-svg").first).to_be_attached()
    page.set_viewport_size({"width": 1100, "height": 900})  # its place changes while it trains
    expect(page.get_by_text(re.compile("^Training.* 100 %$")).first).to_be_visible(timeout=60_000)
    has_all_in_its_frame(page, "The loss", "200")
