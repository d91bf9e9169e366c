"""Every figure of the Lab has a text alternative with its numbers."""

import pytest
from playwright.sync_api import expect

from tests.browser.alternatives import everything_is_said
from tests.browser.lab_page import choose, figure, go_to, open_example, open_lab, steps, type_into

PRESETS = ["2×2 pixels", "The cat sat on the mat.", "Textbook: 32 × 20 × 512, 8 heads"]


def is_drawn(page):
    """Waits until the figure in focus is of the step in focus."""
    page.wait_for_function(
        """() => {
            const place = document.querySelector(".qkv-bench .focus > .figure");
            const shown = place.querySelector(".main-svg") && place.getAttribute("aria-label");
            return shown && (place.drawn === place.turn);
        }"""
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_every_step_says_its_numbers(new_page, preset):
    page = open_lab(new_page())
    open_example(page, preset)
    for place in range(steps(page).count()):
        steps(page).nth(place).click()
        expect(steps(page).nth(place)).to_have_attribute("aria-current", "step")
        tabs = page.locator(".focus .tabs button:visible")
        for tab in range(max(1, tabs.count())):
            if tabs.count():
                tabs.nth(tab).click()
            is_drawn(page)
            everything_is_said(page)


def test_masked_cells_and_differences_are_said_and_blanks_are_not(lab):
    choose(lab, "Mask", "Causal")
    go_to(lab, "Softmax")
    lab.locator(".focus > .numbers summary").click()
    weights = lab.get_by_role("table", name="weights", exact=True)
    expect(weights).to_contain_text("0.00, hidden by the mask")
    lab.get_by_role("button", name="Keep and compare").click()
    type_into(lab, "X, token p3, feature c0", "1")
    difference = lab.get_by_role("figure", name="change of weights. p0: 0")
    expect(difference).to_be_visible()
    is_drawn(lab)
    everything_is_said(lab)
    lab.get_by_role("button", name="Predict this step").click()
    expect(figure(lab, "weights")).to_have_accessible_name("Figure of weights and what it is made from.")
    lab.locator(".focus > .numbers summary").click()
    expect(weights.locator("td", has_text="?")).to_have_count(16)
