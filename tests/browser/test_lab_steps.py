"""The rail, the step in focus with its figure, and the arithmetic of a cell."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import (
    CLIPBOARD,
    arithmetic,
    box_of,
    cell,
    chosen,
    clipboard,
    figure,
    go_to,
    in_focus,
    open_example,
    open_lab,
    press_number,
    steps,
)


def test_the_rail_has_the_steps_in_use_with_their_shapes(lab):
    projected = ["Input 4×4", "Project 4×2", "Split heads 1×4×2"]
    weighed = ["Scores 1×4×4", "Scale 1×4×4", "Softmax 1×4×4", "Weighted sum 1×4×2", "Merge 4×2"]
    expect(steps(lab)).to_have_text([*projected, *weighed])
    open_example(lab, "The cat sat on the mat.")
    expect(steps(lab).last).to_have_text("Output 7×4")


def test_the_rail_walks_by_click_and_by_arrow(lab):
    in_focus(lab, "Input")
    go_to(lab, "Scores")
    expect(lab.get_by_text("scores = q_heads @ k_heads.mT")).to_be_visible()
    expect(steps(lab).nth(3)).to_have_attribute("aria-current", "step")
    lab.get_by_role("heading", name="Lab").click()
    lab.keyboard.press("ArrowRight")
    in_focus(lab, "Scale")
    lab.keyboard.press("ArrowLeft")
    in_focus(lab, "Scores")
    expect(lab.get_by_text("(1×4×2) · (1×2×4) → (1×4×4)")).to_be_visible()
    lab.get_by_role("button", name="Next step").click()
    in_focus(lab, "Scale")
    go_to(lab, "Input")
    expect(lab.get_by_role("button", name="Step back")).to_be_disabled()


def test_a_step_is_in_the_link_and_in_the_history(lab, new_page):
    first = lab.url
    go_to(lab, "Scores")
    expect(lab).not_to_have_url(first)
    second = lab.url
    go_to(lab, "Softmax")
    expect(lab).not_to_have_url(second)
    in_focus(open_lab(new_page(), "?" + lab.url.partition("?")[2]), "Softmax")
    lab.go_back()
    in_focus(lab, "Scores")
    lab.go_back()
    in_focus(lab, "Input")
    lab.go_forward()
    in_focus(lab, "Scores")


def test_the_steps_are_played_and_paused(new_page):
    lab = new_page(fresh=True)
    lab.clock.install(time=0)
    open_lab(lab)
    go_to(lab, "Scores")
    expect(lab).to_have_url(re.compile(r"\?s="))  # the server knows
    lab.clock.pause_at(600_000)  # from here on, time passes only when this test says so
    lab.get_by_role("button", name="Play the steps").click()
    in_focus(lab, "Scores")
    lab.clock.run_for(2000)
    in_focus(lab, "Scale")
    lab.get_by_role("button", name="Pause").click()
    lab.clock.run_for(5000)
    in_focus(lab, "Scale")
    before = lab.url
    lab.get_by_role("button", name="Play the steps").click()
    lab.clock.run_for(10_000)
    in_focus(lab, "Merge")
    expect(lab.get_by_role("button", name="Play the steps")).to_be_visible()
    lab.clock.resume()
    expect(lab).not_to_have_url(before)
    lab.reload()
    in_focus(lab, "Merge")  # where it stopped is in the link


def test_a_cell_opens_in_text_and_as_a_formula(new_page):
    page = open_lab(new_page(permissions=CLIPBOARD))
    expect(page.get_by_text("Choose any cell to see where its number comes from.")).to_be_visible()
    cell(page, "weights, query p1, key p3").click()
    expect(arithmetic(page)).to_contain_text(
        "e^1.4142 / (e^0 + e^1.4142 + e^0 + e^1.4142)"
        " = 4.113 / (1 + 4.113 + 1 + 4.113) = 4.113 / 10.23 = 0.40"
    )
    expect(arithmetic(page).locator("math mfrac")).to_have_count(3)
    expect(arithmetic(page).locator("math").last).to_have_text("=0.40")
    expect(cell(page, "used for the chosen number")).to_have_count(4)
    page.get_by_role("button", name="LaTeX").click()
    expect(page.get_by_role("status")).to_have_text("The formula is in the clipboard as LaTeX.")
    assert r"\frac{e^{1.4142}}{e^{0} + e^{1.4142} + e^{0} + e^{1.4142}}" in clipboard(page)
    page.get_by_role("button", name="Close").click()
    expect(chosen(page)).to_have_count(0)


def test_from_a_weight_back_to_the_input(lab):
    cell(lab, "weights, query p2, key p3").click()
    way = ["scaled[p2, p3]", "scores[p2, p3]", "Q by head[p2, 0]", "X[p2, c0]"]
    lines = ["= 7·0.707 = 4.95", "= 3·1 + 1·4 = 7", "q[p2, 0] = ", "x[p2, c0] = 3"]
    for name, line in zip(way, lines, strict=True):
        arithmetic(lab).get_by_role("button", name=name, exact=True).first.click()
        expect(arithmetic(lab)).to_contain_text(line)
    expect(cell(lab, "X, token p2, feature c0: 3 (chosen")).to_be_visible()


def test_a_cell_of_the_figure_opens_too(lab):
    go_to(lab, "Scores")
    press_number(lab, figure(lab, "scores"), "7")
    expect(cell(lab, "scores, query p2, key p3: 7 (chosen)")).to_be_visible()
    expect(arithmetic(lab)).to_contain_text("= 3·1 + 1·4 = 7")


def test_operands_stand_left_and_above_their_product(lab):
    go_to(lab, "Scores")
    titles = {}
    for name in ("Q by head", "K by headᵀ", "scores"):
        title = figure(lab, "scores").locator(".annotation-text", has_text=re.compile(f"^{name}$"))
        titles[name] = box_of(title)
    left, above, product = titles.values()
    assert left["x"] < product["x"]
    assert above["y"] < product["y"]
    assert abs(left["y"] - product["y"]) < 3
    assert abs(above["x"] - product["x"]) < 3


def test_the_figure_is_exported(lab):
    go_to(lab, "Scores")
    expect(figure(lab, "scores").locator("text").first).to_be_visible()
    for kind, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        with lab.expect_download() as made:
            lab.get_by_role("button", name=kind, exact=True).click()
        assert made.value.suggested_filename == f"attention.{kind.lower()}"
        content = made.value.path().read_bytes()
        assert content.startswith(start)
        assert len(content) > 2000


def test_lines_of_numpy_and_pytorch(lab):
    go_to(lab, "Softmax")
    expect(lab.get_by_text("weights = powers / powers.sum(axis=-1, keepdims=True)")).to_be_visible()
    lab.get_by_role("button", name="PyTorch").click()
    expect(lab.get_by_text("weights = torch.softmax(scaled, dim=-1)")).to_be_visible()
    lab.keyboard.press("ArrowLeft")
    expect(lab.get_by_text("scaled = scores * scale")).to_be_visible()  # still in PyTorch
    expect(lab.get_by_role("button", name="PyTorch")).to_have_attribute("aria-pressed", "true")


def test_a_stage_with_several_matrices_shows_the_one_asked_for(lab):
    go_to(lab, "Project")
    expect(figure(lab, "Q")).to_be_visible()
    lab.get_by_role("group", name="Which matrix").get_by_role("button", name="V").click()
    expect(figure(lab, "V")).to_be_visible()
    expect(lab.get_by_text("v = x @ w_v")).to_be_visible()


@pytest.mark.parametrize(("title", "of"), [("Split heads", "Q by head"), ("Merge", "merged")])
def test_heads_are_split_and_merged_in_blocks(lab, title, of):
    open_example(lab, "The cat sat on the mat.")
    go_to(lab, title)
    place = figure(lab, of)
    for head in ("head 0", "head 1"):
        expect(place.locator(".annotation-text", has_text=re.compile(f"^{head}$"))).to_be_visible()
    expect(
        lab.get_by_role("img", name=re.compile("^head 2, .* 7, feature 2$|^.* 7, channel 4$"))
    ).to_be_visible()
    press_number(lab, place, "1" if title == "Split heads" else "1.18")
    expect(chosen(lab)).to_have_count(1)


def test_softmax_has_bars_with_their_sum_and_entropy(lab):
    go_to(lab, "Softmax")
    expect(lab.get_by_text("row p0 adds up to 1")).to_be_visible()
    cell(lab, "weights, query p1, key p3").click()
    expect(lab.get_by_text("row p1 adds up to 1")).to_be_visible()
    expect(lab.get_by_text("entropy 1.71 bits")).to_be_visible()
    expect(figure(lab, "weights").locator(".bars .point")).to_have_count(4)
    expect(figure(lab, "weights").get_by_text("weights: p1")).to_be_visible()


def test_a_row_after_dropout_has_its_sum_and_no_entropy(lab):
    open_example(lab, "Rows that do not add up to 1")
    go_to(lab, "Dropout")
    expect(lab.get_by_text("row t0 adds up to 0.442")).to_be_visible()
    expect(lab.get_by_text(re.compile("^entropy"))).to_have_count(0)
    place = figure(lab, "weights after dropout")
    bar = box_of(place.locator(".bars .point path").first)
    scale = place.evaluate("(one) => one._fullLayout.yaxis4._length / 1.15")  # pixels from 0 to 1
    assert bar["height"] == pytest.approx(0.442 * scale, abs=2)


def test_the_axes_of_a_tensor_are_drawn(lab):
    expect(lab.get_by_role("img", name="token 4, feature 4")).to_be_visible()
    open_example(lab, "Grouped queries")
    go_to(lab, "Softmax")
    picture = lab.get_by_role("img", name="head 4, query 3, key 3")
    expect(picture).to_be_visible()
    expect(picture.locator("rect")).to_have_count(4)
