"""Every example, and those of real size with their overview, lens and choosers."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import (
    EXAMPLES,
    arithmetic,
    at,
    box_of,
    cell,
    choose,
    figure,
    go_to,
    grid,
    open_example,
    show,
    view,
)

TEXTBOOK, VIT = "Textbook: 32 × 20 × 512, 8 heads", "ViT-B: 197 × 768, 12 heads"


# Presses every frame and waits until its step is on the stage.
WALK = """async () => {
    const frames = () => [...document.querySelectorAll(".qkv-bench .frame")];
    for (const place of frames().keys()) {
        frames()[place].click();
        const title = frames()[place].ariaLabel.split(": ")[0];
        while (
            frames()[place].ariaCurrent !== "step" || document.querySelector(".lab-stage h2").textContent !== title
            || !document.querySelector(".board .matrix[data-role=result], .board[data-kind=input] .matrix")
        ) await new Promise(requestAnimationFrame);
    }
}"""


def test_every_example_opens_and_every_step_can_be_walked(lab):
    for title in EXAMPLES:
        open_example(lab, title)
        lab.evaluate(WALK)
        expect(lab.get_by_role("button", name="Next step")).to_be_disabled()


@pytest.mark.parametrize(
    ("preset", "name"),
    [
        ("4 channels become 8", "Position: V on the grid, 1×4×3×3"),
        ("Grouped queries", "Share heads: K shared out, 4×3×2"),
        (VIT, "Project: QKV, 1×197×2304"),
    ],
)
def test_presets_of_every_kind(lab, preset, name):
    open_example(lab, preset)
    expect(lab.get_by_role("button", name=name, exact=True)).to_be_visible()
    show(lab, "weights").get_by_role("gridcell").first.click()
    expect(arithmetic(lab)).to_contain_text("weights[")


def test_pressing_the_overview_moves_the_lens(lab):
    open_example(lab, VIT)
    weights = show(lab, "weights")
    rows = grid(lab, "scaled").get_by_role("rowheader")
    expect(rows).to_have_text([str(place) for place in range(8)])
    overview = lab.locator(".meaning canvas[aria-label^='weights as a picture: 197 rows, 197 columns']")
    box = box_of(overview)
    overview.click(position={"x": box["width"] / 2, "y": box["height"] - 2.5})  # within its border
    expect(rows.last).to_have_text("196")
    expect(weights.get_by_role("columnheader").first).to_have_text(re.compile("^9[3-6]$"))
    chosen = weights.get_by_role("gridcell").last
    chosen.click()
    expect(arithmetic(lab)).to_contain_text(re.compile(r"weights\[0, 196, \d+\] = "))
    expect(weights.get_by_role("gridcell", selected=True)).to_have_count(1)
    expect(show(lab, "scores").locator("[aria-selected=true]")).to_have_count(0)
    rows = lab.locator(".board .matrix[data-role=left]").get_by_role("rowheader")
    expect(rows.last).to_have_text("196")  # seen from the same place


def test_head_and_batch_item_are_chosen(lab):
    open_example(lab, TEXTBOOK)
    choose(lab, "Decimals", "4")
    go_to(lab, "Softmax")
    first = grid(lab, "weights").get_by_role("gridcell", name=re.compile(r"^weights, query 0, key 0:"))
    before = first.inner_text()
    lab.get_by_role("combobox", name="Batch item").select_option("31")
    expect(first).not_to_have_text(before)
    before = first.inner_text()
    lab.get_by_role("combobox", name="show", exact=True).select_option("7")
    expect(first).not_to_have_text(before)
    first.click()
    expect(arithmetic(lab)).to_contain_text("weights[31, 7, 0, 0] = ")
    expect(lab.get_by_text("row 0 adds up to 1")).to_be_visible()
    view(lab, "Shapes")
    expect(lab.locator(".meaning .figure .annotation-text", has_text="batch item 32")).not_to_have_count(0)
    view(lab, "Meaning")
    lab.reload()
    expect(arithmetic(lab)).to_contain_text("weights[31, 7, 0, 0] = ")
    expect(lab.get_by_role("combobox", name="Batch item")).to_have_value("31")


def test_many_heads_are_a_list_and_one_heatmap(lab):
    open_example(lab, VIT)
    lab.get_by_role("combobox", name="show", exact=True).select_option("11")
    at(lab, "weights, query 0, key 0:").click()
    expect(arithmetic(lab)).to_contain_text("weights[11, 0, 0] = ")
    view(lab, "Heatmap")
    expect(figure(lab, "weights").locator(".heatmaplayer")).to_have_count(1)


def test_numbers_appear_in_a_large_figure_on_zoom(lab):
    open_example(lab, VIT)
    go_to(lab, "Softmax")
    view(lab, "Heatmap")
    place = figure(lab, "weights")
    expect(place.locator(".main-svg").first).to_be_visible()
    expect(place.locator(".textpoint")).to_have_count(0)
    box = box_of(place.locator(".nsewdrag").first)
    lab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    lab.mouse.down()
    lab.mouse.move(box["x"] + box["width"] / 2 + 14, box["y"] + box["height"] / 2 + 14, steps=4)
    lab.mouse.up()
    expect(place.locator(".textpoint").first).to_be_attached()


def test_what_is_drawn_from_a_seed_is_not_typed_over(lab):
    open_example(lab, TEXTBOOK)
    at(lab, "X, token 0, feature 0:").click()
    expect(arithmetic(lab)).to_contain_text("x[0, 0, 0] = ")
    lab.keyboard.type("5")
    expect(lab.get_by_role("textbox")).to_have_count(0)


def test_zooming_into_a_large_figure_brings_its_true_cells_and_numbers(lab):
    open_example(lab, VIT)
    go_to(lab, "Scores")
    view(lab, "Heatmap")
    plot = lab.locator(".qkv-bench .meaning .js-plotly-plot")
    expect(plot.locator(".heatmaplayer image").first).to_be_attached()
    expect(plot.locator(".textpoint text")).to_have_count(0)
    plot.evaluate("plot => Plotly.relayout(plot, {'xaxis.range': [98, 104], 'yaxis.range': [46, 40]})")
    expect(plot.locator(".textpoint text").first).to_be_attached()
    view(lab, "Meaning")
    expect(cell(lab, "scores, query 43, key 101:")).to_be_visible()  # the lens of the board went there too
