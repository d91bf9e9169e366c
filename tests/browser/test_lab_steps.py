"""The filmstrip, the step on the stage, its heatmaps and shapes, and the arithmetic of a cell."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import (
    CLIPBOARD,
    arithmetic,
    at,
    box_of,
    cell,
    choices,
    chosen,
    clipboard,
    figure,
    frame,
    frames,
    go_to,
    grid,
    in_focus,
    link_of,
    open_example,
    open_lab,
    picture,
    press_number,
    show,
    view,
)

CAT = "The cat sat on the mat."


def test_the_lab_opens_with_a_sentence_and_two_heads(new_page):
    page = open_lab(new_page(), "")
    expect(page.get_by_role("combobox", name="Example").locator("option:checked")).to_have_text(CAT)
    in_focus(page, "Input")
    expect(page.get_by_role("textbox", name="Your own words")).to_have_value("The cat sat on the mat .")
    expect(choices(page, "Heads").get_by_role("radio", name="2")).to_be_checked()
    expect(frames(page).first).to_have_attribute("aria-current", "step")
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_the_strip_has_every_matrix_with_its_shape_and_no_step_that_does_nothing(lab):
    given = ["X 4×4", "Q 4×2", "K 4×2", "V 4×2"]
    weighed = ["scores 1×4×4", "scaled 1×4×4", "weights 1×4×4"]
    expect(frames(lab)).to_have_text([*given, *weighed, "head outputs 1×4×2", "output 4×2"])
    expect(frame(lab, "scores")).to_have_accessible_name("Scores: scores, 1×4×4")
    open_example(lab, CAT)
    heads = ["Q by head 2×7×2", "scores 2×7×7", "scaled 2×7×7", "weights 2×7×7", "head outputs 2×7×2"]
    whole = ["X 7×4", "Q 7×4", "K 7×4", "V 7×4"]
    expect(frames(lab)).to_have_text([*whole, *heads, "merged 7×4", "output 7×4"])


def test_each_arrow_says_what_is_done(lab):
    open_example(lab, CAT)
    signs = lab.locator(".film .operation")
    expect(signs).to_have_text(
        ["", "·W", "", "", "split", "q·k", "÷√d", "softmax", "Σ·v", "merge", "·Wo"], use_inner_text=False
    )


def test_only_what_goes_in_and_what_comes_out_stands_on_the_stage(lab):
    names = lab.locator(".board .matrix .name")
    expect(names).to_have_text(["X", "Wq", "Wk", "Wv"])
    for frame_name, stand in (
        ("Q", ["X", "Wq", "Q"]),
        ("scores", ["Q", "Kᵀ", "scores"]),
        ("scaled", ["scores", "scaled"]),
        ("weights", ["scaled", "weights"]),
        ("head outputs", ["weights", "V", "head outputs"]),
    ):
        frame(lab, frame_name).click()
        expect(names).to_have_text(stand)


def test_steps_are_walked_by_click_and_by_arrow(lab):
    in_focus(lab, "Input")
    go_to(lab, "Scores")
    expect(lab.get_by_text("scores = q_heads @ k_heads.mT")).to_be_visible()
    expect(frame(lab, "scores")).to_have_attribute("aria-current", "step")
    lab.keyboard.press("ArrowRight")
    in_focus(lab, "Scale")
    lab.keyboard.press("ArrowLeft")
    in_focus(lab, "Scores")
    expect(lab.get_by_text("(1×4×2) · (1×2×4) → (1×4×4)")).to_be_visible()
    lab.get_by_role("button", name="Next step").click()
    in_focus(lab, "Scale")
    go_to(lab, "Input")
    expect(lab.get_by_role("button", name="Step back")).to_be_disabled()


def test_arrows_come_to_every_frame_in_order_and_stop_at_the_ends(lab):
    lab.keyboard.press("ArrowLeft")
    for place in range(9):
        expect(frames(lab).nth(place)).to_have_attribute("aria-current", "step")
        expect(lab.locator(".film [aria-current]")).to_have_count(1)
        lab.keyboard.press("ArrowRight")
    expect(frames(lab).last).to_have_attribute("aria-current", "step")
    expect(lab.get_by_role("button", name="Next step")).to_be_disabled()


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
    expect(lab.locator(".qkv-bench[data-waiting='0']")).to_be_visible()  # the server knows
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
    at(page, "weights, query p1, key p3").click()
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
    at(lab, "weights, query p2, key p3").click()
    way = ["scaled[p2, p3]", "scores[p2, p3]", "Q[p2, 0]", "X[p2, c0]"]
    lines = ["= 7·0.707 = 4.95", "= 3·1 + 1·4 = 7", "q[p2, 0] = ", "x[p2, c0] = 3"]
    for name, line in zip(way, lines, strict=True):
        arithmetic(lab).get_by_role("button", name=name, exact=True).first.click()
        expect(arithmetic(lab)).to_contain_text(line)
    expect(cell(lab, "X, token p2, feature c0: 3 (chosen")).to_be_visible()


def test_a_cell_of_a_heatmap_opens_too(lab):
    go_to(lab, "Scores")
    view(lab, "Heatmap")
    press_number(lab, figure(lab, "scores"), "7")
    expect(arithmetic(lab)).to_contain_text("= 3·1 + 1·4 = 7")
    view(lab, "Meaning")
    expect(cell(lab, "scores, query p2, key p3: 7 (chosen)")).to_be_visible()


def test_operands_stand_left_and_above_their_product(lab):
    go_to(lab, "Scores")
    left, above, product = (box_of(grid(lab, name)) for name in ("Q", "Kᵀ", "scores"))
    assert left["x"] + left["width"] <= product["x"]
    assert above["y"] + above["height"] <= product["y"] + 1
    last = [grid(lab, name).locator("td[data-row]").last for name in ("Q", "Kᵀ", "scores")]
    boxes = [box_of(one) for one in last]
    assert abs(boxes[0]["y"] - boxes[2]["y"]) < 1
    assert abs(boxes[1]["x"] - boxes[2]["x"]) < 1


def test_a_heatmap_is_exported(lab):
    go_to(lab, "Scores")
    view(lab, "Heatmap")
    expect(figure(lab, "scores").locator("text").first).to_be_visible()
    for kind, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        with lab.expect_download() as made:
            lab.get_by_role("button", name=kind, exact=True).click()
        assert made.value.suggested_filename == f"attention.{kind.lower()}"
        content = made.value.path().read_bytes()
        assert content.startswith(start)
        assert len(content) > 2000


def test_what_is_shown_of_a_step_is_remembered(lab, new_page):
    go_to(lab, "Scores")
    view(lab, "Shapes")
    expect(lab.locator(".meaning .figure")).to_have_accessible_name(
        re.compile(r"^Shapes of scores and what it is made from\. \(1×4×2\) · \(1×2×4\) → \(1×4×4\)$")
    )
    lab.keyboard.press("ArrowRight")
    expect(lab.locator(".meaning .figure")).to_have_accessible_name(re.compile("^Shapes of scaled"))
    expect(lab.locator(".qkv-bench[data-waiting='0']")).to_be_visible()
    other = open_lab(new_page(), "?" + lab.url.partition("?")[2])
    expect(other.locator(".meaning .figure")).to_have_accessible_name(re.compile("^Shapes of scaled"))
    view(lab, "Meaning")
    expect(picture(lab)).to_have_accessible_name(re.compile("^Every score of p0 is multiplied by 0.7071"))


def test_lines_of_numpy_and_pytorch(lab):
    go_to(lab, "Softmax")
    expect(lab.get_by_text("weights = powers / powers.sum(axis=-1, keepdims=True)")).to_be_visible()
    lab.get_by_role("button", name="PyTorch").click()
    expect(lab.get_by_role("button", name="PyTorch")).to_be_focused()
    expect(lab.get_by_text("weights = torch.softmax(scaled, dim=-1)")).to_be_visible()
    lab.keyboard.press("ArrowLeft")
    expect(lab.get_by_text("scaled = scores * scale")).to_be_visible()  # still in PyTorch
    expect(lab.get_by_role("button", name="PyTorch")).to_have_attribute("aria-pressed", "true")


def test_a_stage_with_several_matrices_shows_the_one_asked_for(lab):
    go_to(lab, "Project")
    expect(grid(lab, "V")).to_be_visible()
    lab.get_by_role("group", name="Which matrix").get_by_role("button", name="K").click()
    expect(grid(lab, "K")).to_be_visible()
    expect(grid(lab, "V")).to_have_count(0)
    expect(lab.get_by_text("k = x @ w_k")).to_be_visible()
    expect(frame(lab, "K")).to_have_attribute("aria-current", "step")


@pytest.mark.parametrize(("title", "name"), [("Split heads", "Q by head"), ("Merge", "merged")])
def test_heads_are_split_and_merged(lab, title, name):
    open_example(lab, CAT)
    go_to(lab, title)
    expect(grid(lab, name)).to_be_visible()
    said = {"Split heads": "Each head takes its own 2 channels", "Merge": "The 2 channels of each head"}[
        title
    ]
    expect(picture(lab)).to_have_accessible_name(re.compile(said))
    expect(picture(lab).locator("text", has_text=re.compile("^head [01]$"))).to_have_count(2)
    view(lab, "Shapes")
    for head in ("head 0", "head 1"):
        place = lab.locator(".meaning .figure .annotation-text", has_text=re.compile(f"^{head}$"))
        expect(place.first).to_be_visible()


def test_softmax_says_its_sum_and_entropy(lab):
    go_to(lab, "Softmax")
    expect(lab.get_by_text("row p0 adds up to 1")).to_be_visible()
    at(lab, "weights, query p1, key p3").click()
    expect(lab.get_by_text("row p1 adds up to 1")).to_be_visible()
    expect(lab.get_by_text("entropy 1.71 bits")).to_be_visible()


def test_a_row_after_dropout_has_its_sum_and_no_entropy(lab):
    open_example(lab, "Rows that do not add up to 1")
    go_to(lab, "Dropout")
    expect(lab.get_by_text("row t0 adds up to 0.442")).to_be_visible()
    expect(lab.get_by_text(re.compile("^entropy"))).to_have_count(0)
    expect(lab.locator(".meaning .says")).to_contain_text("The row now adds up to 0.44.")


def test_the_picture_follows_the_word_in_focus_through_the_steps(new_page):
    page = open_lab(new_page(), link_of("cat_on_the_mat"))
    go_to(page, "Softmax")
    expect(page.locator(".meaning .says")).to_contain_text("sat leads The by 2.12")
    grid(page, "scaled").get_by_role("rowheader", name="mat", exact=True).click()
    expect(page.locator(".meaning .says")).not_to_contain_text("sat leads The by 2.12")
    show(page, "output")
    expect(page.locator(".meaning .says")).to_contain_text("mat as it came in")
