"""Heads, layout, parts, sizes, filling and the finer options: structure changes, numbers stay."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import cell, choose, chosen, grid, open_example, open_panel, set_number, steps

CAT = "The cat sat on the mat."
OUTPUT = re.compile("^output, query p0, .* 1: 0.80$")


def switch(panel, name):
    panel.get_by_text(name, exact=True).click()


def test_another_number_of_heads(lab):
    choose(lab, "Heads", "2")
    expect(steps(lab).nth(3)).to_have_text("Scores 2×4×4")
    expect(lab.get_by_role("radiogroup", name="Heads").get_by_role("radio", name="2")).to_be_checked()
    head = lab.get_by_role("group", name="Head", exact=True)
    expect(head.get_by_role("button", name="0")).to_have_attribute("aria-pressed", "true")
    expect(cell(lab, "scores, query p0, key p3: 1")).to_be_visible()  # 1·1
    head.get_by_role("button", name="1").click()
    expect(cell(lab, "scores, query p0, key p3: 4")).to_be_visible()  # 1·4


def test_heads_that_do_not_divide_say_why(lab):
    open_example(lab, CAT)
    expect(lab.get_by_role("radiogroup", name="Heads").get_by_role("radio")).to_have_count(4)
    refused = lab.get_by_role("radio", name="3: This number does not divide every width (4) evenly")
    expect(refused).to_be_disabled()
    refused.click(force=True)
    expect(lab.get_by_role("status")).to_contain_text("This number does not divide every width (4) evenly")
    expect(grid(lab, "weights")).to_have_accessible_name("weights 2×7×7 softmax(scaled)")


def test_all_heads_side_by_side(lab):
    open_example(lab, CAT)
    expect(grid(lab, "weights")).to_have_count(1)
    lab.get_by_role("checkbox", name="All heads side by side").check()
    for name in ("weights, head 0", "weights, head 1"):
        expect(grid(lab, name)).to_be_visible()
    expect(lab.get_by_role("group", name="Head", exact=True)).to_be_hidden()
    cell(lab, "scores, head 1, query cat, key sat").click()
    expect(chosen(lab)).to_have_count(1)
    lab.get_by_role("checkbox", name="All heads side by side").uncheck()
    expect(grid(lab, "weights")).to_have_count(1)


def test_queries_share_heads_of_keys_and_values(real_lab):
    open_example(real_lab, "Grouped queries")
    expect(real_lab.get_by_role("grid", name="K shared out 4×3×2")).to_be_visible()
    panel = open_panel(real_lab, "More")
    expect(panel.get_by_text("Heads of Q share heads of K and V, so K and V are narrower")).to_be_visible()
    choose(panel, "Heads of K and V", "1")  # MQA
    expect(grid(real_lab, "Wk")).to_have_accessible_name("Wk 4×2")
    choose(panel, "Heads of K and V", "4")
    expect(grid(real_lab, "K shared out")).to_have_count(0)
    expect(grid(real_lab, "Wk")).to_have_accessible_name("Wk 4×8")


def test_one_matrix_for_q_k_and_v_gives_the_same_output(real_lab):
    panel = open_panel(real_lab, "More")
    for layout, columns in (("One, ViT order", 6), ("One, head by head", 6), ("Three matrices", None)):
        choose(panel, "Matrices for Q, K and V", layout)
        if columns:
            expect(grid(real_lab, "Wqkv")).to_have_accessible_name("Wqkv 4×6")
            expect(grid(real_lab, "Wq")).to_have_count(0)
        else:
            expect(grid(real_lab, "Wq")).to_be_visible()
        expect(cell(real_lab, OUTPUT)).to_be_visible()


def test_parts_that_leave_the_output_as_it_was(real_lab):
    panel = open_panel(real_lab, "More")
    for part, name in (
        ("Biases", "bq"),
        ("Output projection Wo", "Wo"),
        ("A memory to look at (cross-attention)", "memory"),
    ):
        switch(panel, part)
        expect(grid(real_lab, name)).to_be_visible()
        expect(cell(real_lab, OUTPUT)).to_be_visible()
    expect(cell(real_lab, "memory, token p3, feature c0: 4 (type to change)")).to_be_visible()
    for part, name in (("A memory to look at (cross-attention)", "memory"), ("Biases", "bq")):
        switch(panel, part)
        expect(grid(real_lab, name)).to_have_count(0)


def test_sizes_change_with_the_numbers_kept(real_lab):
    panel = open_panel(real_lab, "More")
    for size, number, grids, kept in (
        ("Tokens", 5, ("X 5×4", "weights 1×5×5"), "X, token p3, feature c0: 4"),
        ("Tokens", 2, ("X 2×4", "weights 1×2×2"), "X, token p1, feature c0: 2"),
        ("Features of a token", 3, ("X 4×3", "Wq 3×2"), "X, token p3, feature c0: 4"),
        ("Width of Q and K in each head", 3, ("Wq 4×3", "Wk 4×3"), "Wq, feature c2, channel 1: 1"),
        ("Width of V in each head", 5, ("Wv 4×5", "output 4×5"), "Q, token p3, channel 0: 4"),
    ):
        set_number(panel, size, number)
        for name in grids:
            expect(real_lab.get_by_role("grid", name=name)).to_be_visible()
        expect(cell(real_lab, kept)).to_be_visible()
        if name == "weights 1×5×5":
            expect(cell(real_lab, "X, token p4, feature c0: 0")).to_be_visible()
        real_lab.get_by_role("button", name="Undo").click()
        expect(real_lab.get_by_role("grid", name=grids[0])).to_have_count(0)


def test_a_batch_and_its_items(real_lab):
    open_example(real_lab, "One matrix for Q, K and V")
    set_number(open_panel(real_lab, "More"), "Batch items", 2)
    expect(grid(real_lab, "X")).to_have_accessible_name("X 2×3×4")
    real_lab.get_by_role("group", name="Batch item").get_by_role("button", name="1").click()
    expect(cell(real_lab, "X, token CLS, feature 0: 0")).to_be_visible()


def test_a_matrix_is_filled(real_lab):
    panel = open_panel(real_lab, "More")
    for fill, expected in (
        ("ones", "feature c3, channel 0: 1"),
        ("zeros", "feature c0, channel 0: 0"),
        ("the identity", "feature c1, channel 1: 1"),
    ):
        panel.get_by_role("combobox", name="Fill matrix").click()
        real_lab.get_by_role("option", name="Wq", exact=True).click()
        panel.get_by_role("combobox", name="with", exact=True).click()
        real_lab.get_by_role("option", name=fill).click()
        panel.get_by_role("button", name="Fill", exact=True).click()
        expect(cell(real_lab, f"Wq, {expected}")).to_be_visible()
        real_lab.get_by_role("button", name="Undo").click()
        expect(cell(real_lab, f"Wq, {expected}")).to_have_count(0)


def test_filled_by_seed_it_is_the_same_again(real_lab):
    panel = open_panel(real_lab, "More")
    panel.get_by_role("combobox", name="with", exact=True).click()
    real_lab.get_by_role("option", name="normal numbers").click()
    panel.get_by_role("spinbutton", name="Seed").fill("7")
    panel.get_by_role("button", name="Fill", exact=True).click()
    row = grid(real_lab, "X").get_by_role("row").nth(1)
    expect(row).to_have_text("p00.000.30−0.27−0.89")


def test_the_scale_is_off_or_the_learners_own(lab):
    choose(lab, "Scale", "Off")
    expect(grid(lab, "scaled")).to_have_count(0)
    choose(lab, "Scale", "Own")
    expect(cell(lab, "scaled, query p0, key p3: 2.50")).to_be_visible()
    set_number(lab, "times", 2)
    expect(cell(lab, "scaled, query p0, key p3: 10")).to_be_visible()
    expect(lab.get_by_role("spinbutton", name="times")).to_be_focused()


def test_a_softcap(real_lab):
    set_number(open_panel(real_lab, "More"), "Softcap (0: none)", 2)
    expect(cell(real_lab, "softcapped, query p0, key p3: 1.89")).to_be_visible()  # 2·tanh(3.536 / 2)
    expect(steps(real_lab).nth(5)).to_have_text("Softcap 1×4×4")


def test_dropout_by_seed(real_lab):
    panel = open_panel(real_lab, "More")
    set_number(panel, "Dropout", 0.5)
    expect(grid(real_lab, "weights after dropout")).to_be_visible()
    kept = grid(real_lab, "kept").locator("tbody")
    first = kept.inner_text()
    set_number(panel, "Seed of the dropout", 3)
    expect(kept).not_to_have_text(first, use_inner_text=True)
    set_number(panel, "Seed of the dropout", 0)
    expect(kept).to_have_text(first, use_inner_text=True)


def test_hidden_scores_may_be_a_very_low_number(real_lab):
    choose(real_lab, "Mask", "Causal")
    expect(grid(real_lab, "masked")).to_be_visible()
    panel = open_panel(real_lab, "More")
    choose(panel, "Hidden scores become", "−1e9")
    expect(cell(real_lab, "masked, query p0, key p1: −1e9, hidden by the mask")).to_be_visible()
    expect(cell(real_lab, "weights, query p0, key p1: 0.00, hidden by the mask")).to_be_visible()


def test_decimals(lab):
    choose(lab, "Decimals", "4")
    expect(cell(lab, "weights, query p0, key p3: 0.6471")).to_be_visible()
    choose(lab, "Decimals", "0")
    expect(cell(lab, "weights, query p0, key p3: 1")).to_be_visible()
