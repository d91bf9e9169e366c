"""Every figure of the Lab has a text alternative with its numbers."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.alternatives import everything_is_said
from tests.browser.lab_page import (
    choose,
    figure,
    frames,
    go_to,
    open_example,
    open_lab,
    picture,
    press,
    type_into,
    view,
)

PRESETS = ["2×2 pixels", "The cat sat on the mat.", "Textbook: 32 × 20 × 512, 8 heads"]


def is_drawn(page):
    """Waits until the figure beside the stage is of its step."""
    page.wait_for_function(
        """() => {
            const place = document.querySelector(".qkv-bench .meaning > .figure");
            const shown = place.querySelector(".main-svg") && place.getAttribute("aria-label");
            return place.hidden || (shown && place.drawn === place.turn);
        }"""
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_every_heatmap_says_its_numbers(new_page, preset):
    page = open_lab(new_page())
    open_example(page, preset)
    view(page, "Heatmap")
    for place in range(frames(page).count()):
        frames(page).nth(place).click()
        expect(frames(page).nth(place)).to_have_attribute("aria-current", "step")
        is_drawn(page)
        everything_is_said(page)


@pytest.mark.parametrize("preset", PRESETS[:2])
def test_every_picture_says_what_it_shows(new_page, preset):
    """A sentence with the numbers that matter, and no marks of colours or of what was not filled in."""
    page = open_lab(new_page())
    open_example(page, preset)
    for place in range(1, frames(page).count()):
        frames(page).nth(place).click()
        expect(frames(page).nth(place)).to_have_attribute("aria-current", "step")
        is_drawn(page)
        said = picture(page).get_attribute("aria-label")
        assert len(said) > 30
        assert not set("{}:[]") & set(re.sub(r": (?=\S)|\[[\d.−, ]+\]", "", said)), said
        assert picture(page).get_attribute("role") in ("img", "figure")


def test_masked_cells_and_differences_are_said_and_blanks_are_not(lab):
    choose(lab, "Mask", "Causal")
    go_to(lab, "Softmax")
    view(lab, "Heatmap")
    lab.locator(".meaning > .numbers summary").first.click()
    weights = lab.get_by_role("table", name="weights", exact=True)
    expect(weights).to_contain_text("0.00, hidden by the mask")
    press(lab, "Keep and compare")
    view(lab, "Meaning")
    type_into(lab, "X, token p3, feature c0", "1")
    go_to(lab, "Softmax")
    view(lab, "Heatmap")
    difference = lab.get_by_role("figure", name="change of weights. p0: 0")
    expect(difference).to_be_visible()
    is_drawn(lab)
    everything_is_said(lab)
    press(lab, "Predict this step")
    expect(figure(lab, "weights")).to_have_accessible_name("Heatmap of weights.")
    lab.locator(".meaning > .numbers summary").first.click()
    expect(weights.locator("td", has_text="?")).to_have_count(16)
