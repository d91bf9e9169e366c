"""Heads, layout, parts, sizes, filling and the finer options: structure changes, numbers stay."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import (
    CLIPBOARD,
    arithmetic,
    at,
    cell,
    choices,
    choose,
    choose_in,
    chosen,
    figure,
    frame,
    frames,
    go_to,
    grid,
    open_example,
    open_lab,
    open_panel,
    set_number,
    show,
    view,
)
from tests.learner import Learner
from ui.scenario.presets import load_preset

CAT = "The cat sat on the mat."
OUTPUT = re.compile("^output, query p0, .* 1: 0.80$")


def switch(panel, name):
    panel.get_by_text(name, exact=True).click()


def test_another_number_of_heads(lab):
    choose(lab, "Heads", "2")
    expect(frame(lab, "scores")).to_have_text("scores 2×4×4")
    expect(choices(lab, "Heads").get_by_role("radio", name="2")).to_be_checked()
    head = lab.get_by_role("group", name="show", exact=True)
    expect(head.get_by_role("button", name="0")).to_have_attribute("aria-pressed", "true")
    expect(at(lab, "scores, query p0, key p3: 1")).to_be_visible()  # 1·1
    head.get_by_role("button", name="1").click()
    expect(cell(lab, "scores, query p0, key p3: 4")).to_be_visible()  # 1·4


def test_heads_that_do_not_divide_say_why(lab):
    open_example(lab, CAT)
    expect(choices(lab, "Heads").get_by_role("radio")).to_have_count(4)
    refused = lab.get_by_role("radio", name="3: This number of heads does not divide every width (4) evenly")
    expect(refused).to_be_disabled()
    refused.click(force=True)
    expect(lab.get_by_role("status")).to_contain_text(
        "This number of heads does not divide every width (4) evenly"
    )
    expect(frame(lab, "weights")).to_have_text("weights 2×7×7")


def test_the_heatmap_shows_all_heads(lab):
    open_example(lab, CAT)
    show(lab, "weights")
    expect(grid(lab, "weights")).to_have_count(1)
    view(lab, "Heatmap")
    place = figure(lab, "weights")
    for head in ("head 0", "head 1"):
        expect(place.locator(".annotation-text", has_text=head)).to_be_visible()
    expect(place.locator(".heatmaplayer image, .heatmaplayer path")).not_to_have_count(0)
    view(lab, "Meaning")
    lab.keyboard.press("h")  # the next head
    head = lab.get_by_role("group", name="show", exact=True).get_by_role("button", name="1")
    expect(head).to_have_attribute("aria-pressed", "true")
    cell(lab, "weights, query cat, key sat").click()
    expect(chosen(lab)).to_have_count(1)
    expect(arithmetic(lab)).to_contain_text("weights[1, cat, sat] = ")


def test_the_heatmap_shows_q_k_and_v_where_they_are_one_step(lab):
    open_example(lab, "One matrix for Q, K and V")
    go_to(lab, "Split heads")
    lab.get_by_role("group", name="Which matrix").get_by_role("button", name="QKV permuted").click()
    view(lab, "Heatmap")
    place = figure(lab, "QKV permuted")
    expect(place.locator(".annotation-text")).to_have_count(6)
    lab.wait_for_function("(one) => one.drawn === one.turn", arg=place.element_handle())
    maps = place.evaluate(
        "({ data }) => data.filter(({ type }) => type === 'heatmap').map(({ z }) => z.map((row) => [...row]))"
    )
    parts = load_preset("fused_vit").trace()["qkv_permuted"]
    assert maps == [part[0, head].tolist() for part in parts for head in range(2)]


def test_queries_share_heads_of_keys_and_values(lab):
    open_example(lab, "Grouped queries")
    expect(show(lab, "K shared out")).to_have_accessible_name(re.compile("^K shared out 4×3×2"))
    go_to(lab, "Input")
    choose(lab, "Heads of K and V", "1")  # MQA
    expect(grid(lab, "Wk")).to_have_accessible_name(re.compile("^Wk 4×2"))
    choose(lab, "Heads of K and V", "4")
    expect(frame(lab, "K shared out")).to_have_count(0)
    expect(grid(lab, "Wk")).to_have_accessible_name("Wk 4×8 learned")


def test_one_matrix_for_q_k_and_v_gives_the_same_output(real_lab):
    panel = open_panel(real_lab, "More")
    for layout, columns in (("One, ViT order", 6), ("One, head by head", 6), ("Three matrices", None)):
        choose_in(panel, "Matrices for Q, K and V", layout)
        if columns:
            expect(frame(real_lab, "QKV")).to_be_visible()
            expect(show(real_lab, "Wqkv")).to_have_accessible_name("Wqkv 4×6 learned")
            expect(grid(real_lab, "Wq")).to_have_count(0)
        else:
            expect(frame(real_lab, "QKV")).to_have_count(0)
            show(real_lab, "Wq")
        show(real_lab, "output")
        expect(cell(real_lab, OUTPUT)).to_be_visible()


def test_parts_that_leave_the_output_as_it_was(real_lab):
    panel = open_panel(real_lab, "More")
    for part, name in (
        ("Biases", "bq"),
        ("Output projection Wo", "Wo"),
        ("A memory to look at (cross-attention)", "memory"),
    ):
        show(real_lab, "X")
        switch(panel, part)
        expect(grid(real_lab, name)).to_be_visible()
        show(real_lab, "output")
        expect(cell(real_lab, OUTPUT)).to_be_visible()
    expect(at(real_lab, "memory, token p3, feature c0: 4 (type to change)")).to_be_visible()
    for part, name in (("A memory to look at (cross-attention)", "memory"), ("Biases", "bq")):
        switch(panel, part)
        expect(grid(real_lab, name)).to_have_count(0)


def test_sizes_are_chosen_at_the_input(lab):
    """What each does to the numbers: tests/test_lab_input.py."""
    set_number(lab, "Tokens", 5)
    expect(grid(lab, "X")).to_have_accessible_name("X 5×4 given")
    expect(frame(lab, "weights")).to_have_text("weights 1×5×5")
    expect(cell(lab, "X, token p3, feature c0: 4")).to_be_visible()
    expect(cell(lab, "X, token p4, feature c0: 0")).to_be_visible()
    lab.get_by_role("button", name="Undo").click()
    expect(grid(lab, "X")).to_have_accessible_name("X 4×4 given")
    expect(lab.get_by_role("spinbutton", name="Tokens")).to_have_value("4")
    set_number(lab, "Width of Q and K per head", 3)
    for name in ("Wq", "Wk"):
        expect(grid(lab, name)).to_have_accessible_name(re.compile(f"^{name} 4×3"))
    expect(cell(lab, "Wq, feature c2, channel 1: 1")).to_be_visible()


def test_a_batch_and_its_items(real_lab):
    open_example(real_lab, "One matrix for Q, K and V")
    set_number(open_panel(real_lab, "More"), "Batch items", 2)
    expect(frame(real_lab, "X")).to_have_text("X 2×3×4")
    real_lab.get_by_role("group", name="Batch item").get_by_role("button", name="1").click()
    expect(cell(real_lab, "X, token CLS, feature 0: 0")).to_be_visible()


def test_a_matrix_is_cleared_drawn_anew_and_pasted_whole(new_page):
    page = open_lab(new_page(permissions=CLIPBOARD))
    page.get_by_role("button", name="Set every number of Wq to 0").click()
    expect(cell(page, "Wq, feature c0, channel 0: 0")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(cell(page, "Wq, feature c0, channel 0: 1")).to_be_visible()
    page.evaluate("Math.random = () => 0.00075")  # the seed is 7
    page.get_by_role("button", name="New random numbers for Wq").click()
    drawn = Learner("pixels_2x2").do("fill", "w_q", "integers", 7).values("w_q")
    expect(grid(page, "Wq").get_by_role("gridcell", name="Wq, ")).to_have_text(
        [str(number).replace("-", "−") for row in drawn for number in row]
    )
    page.evaluate("navigator.clipboard.writeText('5\\t6\\n7\\t8')")
    page.get_by_role("button", name="Paste a matrix into Wq").click()
    for row, column, number in ((0, 0, 5), (0, 1, 6), (1, 0, 7), (1, 1, 8)):
        expect(cell(page, f"Wq, feature c{row}, channel {column}: {number}")).to_be_visible()


def test_the_scale_is_off_or_the_learners_own(lab):
    go_to(lab, "Scale")
    choose(lab, "Scale", "Off")
    expect(frame(lab, "scaled")).to_have_count(0)
    choose(lab, "Scale", "Own")
    expect(at(lab, "scaled, query p0, key p3: 2.50")).to_be_visible()
    set_number(lab, "times", 2)
    expect(cell(lab, "scaled, query p0, key p3: 10")).to_be_visible()
    expect(lab.get_by_role("spinbutton", name="times")).to_be_focused()


def test_a_softcap(real_lab):
    set_number(open_panel(real_lab, "More"), "Softcap (0: none)", 2)
    expect(at(real_lab, "softcapped, query p0, key p3: 1.89")).to_be_visible()  # 2·tanh(3.536 / 2)
    expect(frames(real_lab).nth(6)).to_have_accessible_name("Softcap: softcapped, 1×4×4")


def test_dropout_by_seed(real_lab):
    go_to(real_lab, "Softmax")
    set_number(real_lab, "Dropout", 0.5)
    kept = show(real_lab, "kept").locator("tbody")
    panel = open_panel(real_lab, "More")
    first = kept.inner_text()
    set_number(panel, "Seed of the dropout", 3)
    expect(kept).not_to_have_text(first, use_inner_text=True)
    set_number(panel, "Seed of the dropout", 0)
    expect(kept).to_have_text(first, use_inner_text=True)


def test_hidden_scores_may_be_a_very_low_number(real_lab):
    choose(real_lab, "Mask", "Causal")
    show(real_lab, "masked")
    panel = open_panel(real_lab, "More")
    choose_in(panel, "Hidden scores become", "−1e9")
    expect(cell(real_lab, "masked, query p0, key p1: −1e9, hidden by the mask")).to_be_visible()
    expect(at(real_lab, "weights, query p0, key p1: 0.00, hidden by the mask")).to_be_visible()


def test_decimals(lab):
    choose(lab, "Decimals", "4")
    expect(at(lab, "weights, query p0, key p3: 0.6471")).to_be_visible()
    choose(lab, "Decimals", "0")
    expect(cell(lab, "weights, query p0, key p3: 1")).to_be_visible()
