"""Pages run from first to last line, for every preset, and carry the numbers of the course."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from ui.lab import stages as stages_of
from ui.link import write_link
from ui.presets import load_preset, preset_ids

ROOT = Path(__file__).parents[1]


def run(script="app.py"):
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    page = page.run() if script == "app.py" else page.switch_page(script).run()
    assert not page.exception
    return page


def board_of(page):
    """The matrices that the board was sent, by id."""
    [element] = [item.proto for item in page.main if getattr(item.proto, "component_name", "") == "qkv_board"]
    return {matrix["id"]: matrix for matrix in json.loads(element.json)["matrices"]}


def test_home_shows_the_worked_example():
    page = run()
    drawn = board_of(page)
    assert list(drawn) == ["x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "scaled", "weights", "output"]
    assert drawn["q"]["values"] == [[1, 1], [2, 0], [3, 1], [4, 0]]
    assert drawn["scores"]["values"][2] == [1, 5, 3, 7]
    printed = [0.097785, 0.402215, 0.097785, 0.402215]
    np.testing.assert_allclose(drawn["weights"]["values"][1], printed, atol=5e-7)
    np.testing.assert_allclose(drawn["output"]["values"][0], [0.195570, 0.804430], atol=5e-7)
    assert "= 4.113 / 10.23 = 0.4022" in page.code[0].value
    assert page.latex[0].value.endswith("= 0.4022\n$$")


def lab(preset_id):
    page = run("pages/lab.py")
    page.selectbox(key="lab_preset").set_value(preset_id).run()
    assert not page.exception
    return page


@pytest.mark.parametrize("preset_id", preset_ids())
def test_lab_walks_every_preset_from_first_step_to_last(preset_id):
    page = lab(preset_id)
    drawn = board_of(page)
    trace = load_preset(preset_id).trace()
    everything = {step.name for step in (*trace.steps, *trace.parameters.values()) if step.op != "number"}
    assert set(drawn) == everything
    stages = page.segmented_control(key="lab_stage").options
    assert len(stages) == len(stages_of(trace))
    for stage in stages_of(trace):
        page.segmented_control(key="lab_stage").set_value(stage).run()
        assert not page.exception
        assert board_of(page) == drawn


def test_heads_and_batch_items_can_be_chosen():
    page = lab("textbook")
    first = board_of(page)["weights"]["values"]
    batch, head = page.select_slider
    assert (len(batch.options), len(head.options)) == (32, 8)
    head.set_value(7).run()
    assert not page.exception
    assert board_of(page)["weights"]["values"] != first
    assert any("first 16 rows" in caption.value for caption in page.caption)


def test_controls_change_the_computation_and_the_link():
    page = lab("cat_on_the_mat")
    page.segmented_control(key="lab_n_heads").set_value(4).run()
    assert board_of(page)["q_heads"]["shape"] == "4×7×1"
    page.segmented_control(key="lab_mask").set_value("causal").run()
    assert board_of(page)["masked"]["values"][0][1] is None
    page.segmented_control(key="lab_scale").set_value("off").run()
    assert "scaled" not in board_of(page)
    link = page.query_params["s"]
    page.button(key="lab_undo").click().run()
    assert "scaled" in board_of(page)
    page.button(key="lab_redo").click().run()
    assert "scaled" not in board_of(page)
    assert page.query_params["s"] == link
    page.button(key="lab_reset").click().run()
    assert board_of(page)["q_heads"]["shape"] == "2×7×2"


def test_a_link_opens_what_it_holds():
    scenario = (
        load_preset("pixels_2x2").edited("x", {(0, 0): 9.0}).looking(step="scores", cell=("scores", 0, 1))
    )
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    page.query_params["s"] = write_link(scenario)
    page.switch_page("pages/lab.py").run()
    assert not page.exception
    assert board_of(page)["x"]["values"][0][0] == 9
    assert page.segmented_control(key="lab_stage").value == "scores"
    assert any("= 9·1 + 1·2 = 11" in code.value for code in page.code)


@pytest.mark.parametrize("link", ["9x", "1!", "1" + "A" * 9000, "<script>"])
def test_a_bad_link_says_so_and_shows_the_lab(link):
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    page.query_params["s"] = link
    page.switch_page("pages/lab.py").run()
    assert not page.exception
    assert (
        page.warning[0].value.endswith("The page stays as it was.")
        or "Copy it again" in page.warning[0].value
    )
    assert board_of(page)["x"]["values"][0] == [1, 0, 1, 2]


def test_only_heads_that_can_be_computed_are_offered():
    assert lab("grouped_query").segmented_control(key="lab_n_heads").options == ["4"]
    assert lab("conv_4_to_8").segmented_control(key="lab_n_heads").options == ["1", "2"]
    assert "12" in lab("vit_base").segmented_control(key="lab_n_heads").options
    page = lab("cat_on_the_mat")
    assert page.segmented_control(key="lab_n_heads").options == ["1", "2", "4"]
    assert any("Not offered: 3 heads" in caption.value for caption in page.caption)


@pytest.mark.parametrize("mask", ["causal", "window", "padding", "free", "none"])
@pytest.mark.parametrize("preset_id", ["cat_on_the_mat", "post_norm", "fused_vit"])
def test_the_mask_that_was_chosen_stays_chosen(preset_id, mask):
    page = lab(preset_id)
    page.segmented_control(key="lab_mask").set_value(mask).run()
    assert not page.exception
    assert page.segmented_control(key="lab_mask").value == mask
    assert ("masked" in board_of(page)) == (mask != "none")


def test_a_link_that_cannot_be_computed_says_why_and_leaves_the_page_as_it_was():
    scenario = load_preset("pixels_2x2")
    broken = replace(scenario, arrays={**scenario.arrays, "w_q": [[1, 0], [0, 1]]})
    page = lab("cat_on_the_mat")
    page.query_params["s"] = write_link(broken)
    page.run()
    assert not page.exception
    assert "w_q has 2 along its in axis (shape (2, 2)), but 4 is needed to match x" in page.warning[0].value
    assert board_of(page)["q_heads"]["shape"] == "2×7×2"
