"""Two results compared: where they diverge and what both are there; every confusion beside the right way."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core import AttentionError
from ui.board.comparing import changes_of, first_difference, with_beside
from ui.scenario.link import MOST_KEPT, read_link, write_link
from ui.scenario.presets import load_beside, load_preset, preset_ids
from ui.scenario.scenario import Locks
from ui.state import lab
from ui.words import Words

BESIDE = [preset_id for preset_id in preset_ids() if load_beside(preset_id)]
# By confusion: the first cell that differs, what it is, and what the other reading makes of it.
PARTING = {
    "which_root": ("scaled", (0, 0, 0), 8 / np.sqrt(2), 8 / np.sqrt(4)),
    "view_or_transpose": ("q_heads", (0, 1, 0), 1.0, 0.2),
    "dropout_rows": ("dropped", (0, 0, 0), 2 * 0.2211810, 0.2211810),
    "mask_polarity": ("masked", (0, 0, 0), np.sqrt(0.5), -np.inf),
    "interleave_or_tile": ("k_repeated", (1, 0, 0), 1.0, 0.0),
}


def test_all_seven_confusions_have_a_preset():
    assert sorted(BESIDE) == sorted([*PARTING, "one_wq_or_many", "dims_that_divide"])


@pytest.mark.parametrize("preset_id", preset_ids())
def test_only_a_preset_with_two_readings_names_them(preset_id):
    for reading in ("here", "beside"):
        assert (f"preset.{preset_id}.{reading}" in Words()) == (preset_id in BESIDE)


@pytest.mark.parametrize("preset_id", BESIDE)
def test_the_other_reading_travels_in_the_link(preset_id):
    scenario = with_beside(load_preset(preset_id))
    again = read_link(write_link(scenario))
    assert again == scenario
    assert read_link(again.view.kept) == load_beside(preset_id)
    assert len(again.view.kept) < MOST_KEPT / 10


@pytest.mark.parametrize("preset_id", PARTING)
def test_where_two_readings_part(preset_id):
    right, wrong = load_preset(preset_id).trace(), load_beside(preset_id).trace()
    name, index, here, there = PARTING[preset_id]
    assert first_difference(right, wrong) == (name, index)
    assert right[name][index] == pytest.approx(here)
    assert wrong[name][index] == pytest.approx(there)
    assert not np.allclose(right.output, wrong.output)


def test_a_matrix_for_each_head_gives_the_same_numbers():
    wide, many = load_preset("one_wq_or_many").trace(), load_beside("one_wq_or_many").trace()
    assert first_difference(wide, many) is None
    assert {"w_q", "w_qkv"} & set(many.parameters) == {"w_qkv"}
    np.testing.assert_allclose(wide.output, many.output)


def test_with_eight_heads_no_channel_is_left_for_the_key():
    load_preset("dims_that_divide").trace()
    with pytest.raises(AttentionError) as error:
        load_beside("dims_that_divide").trace()
    assert error.value.code == "key_dim_zero"


def test_the_inverted_mask_leaves_a_row_with_nothing():
    weights = load_beside("mask_polarity").trace()["weights"][0]
    assert weights.any(axis=-1).tolist() == [True, True, True, False]


def test_the_last_digit_does_not_count_but_a_hidden_score_does():
    trace = load_preset("causal").trace()
    nudged = load_preset("causal").edited("x", {(0, 0): 1 + 1e-13}).trace()
    assert first_difference(trace, nudged) is None
    bare = load_preset("causal").with_options(is_causal=None).trace()
    assert np.isneginf(changes_of(trace, bare, "masked")[0, 0, 1])
    assert changes_of(trace, bare, "visible") is None
    assert changes_of(trace, load_preset("cross").trace(), "scores") is None  # another shape


@pytest.mark.parametrize("preset_id", PARTING)
def test_the_lab_opens_a_confusion_where_it_parts(learner, preset_id):
    me = learner("pixels_2x2").do("choose", "preset", preset_id)
    compare = me.message["compare"]
    name, index, here, there = PARTING[preset_id]
    first = compare["first"]
    assert (first["step"], first["index"]) == (name, index)
    assert first["here"] == pytest.approx(here, rel=1e-6)
    assert first["there"] == (None if np.isneginf(there) else pytest.approx(there, rel=1e-6))
    key, row, column = first["at"]  # it is on the board
    assert me.values(key)[row][column] == first["here"]
    assert compare["reading"] == Words()(f"preset.{preset_id}.beside")
    assert name in [step["id"] for step in stage_in_focus(me.message)["steps"]]
    me.do("open", name, list(index))
    assert [row, column, "chosen"] in me.message["lit"][key]


def stage_in_focus(message):
    view = message["view"]["step"]
    return next(stage for stage in message["new_outline"]["stages"] if stage["id"] == view)


def test_the_first_difference_is_told_by_both_arithmetics(learner):
    me = learner("pixels_2x2").do("choose", "preset", "view_or_transpose")
    assert me.message["compare"]["first"]["lines"] == [
        "q_heads[0, 1, 0] = q[1, 0] = 1",
        "q_heads[0, 1, 0] = q[0, 2] = 0.2",
    ]
    tiled = me.do("choose", "preset", "interleave_or_tile").message
    assert tiled["compare"]["first"]["lines"] == [
        "k_repeated[1, 0, 0] = k_heads[0, 0, 0] = 1",
        "k_heads[1, 0, 0] = k[0, 1] = 0",
    ]
    assert tiled["view"]["head"] == 1


def test_what_cannot_be_computed_and_what_is_the_same_are_told(learner):
    me = learner("pixels_2x2").do("choose", "preset", "dims_that_divide")
    compare = me.message["compare"]
    assert compare["refused"].startswith("8 channels over 8 heads leave 1 per head")
    assert compare["refused"].endswith("Use fewer heads, more channels or a larger ratio.")
    assert me.do("swap").sentence == compare["refused"]  # it cannot come onto the board
    assert me.scenario.options["n_heads"] == 4
    compare = me.do("choose", "preset", "one_wq_or_many").message["compare"]
    assert (compare["largest"], compare["other"], "first" in compare) == ([], False, False)
    assert compare["count"] == 9  # x, the heads, and all that comes of them


def test_the_comparison_of_a_preset_is_in_the_link_and_survives(learner):
    me = learner("pixels_2x2").do("choose", "preset", "which_root").do("edit", "x", 0, 0, "0")
    before = me.message["compare"]
    assert learner("causal").do("follow", me.link).message["compare"] == before
    assert learner(read_link(me.link)).message["compare"] == before
    assert before["first"]["step"] == "x"  # the learner's own change comes first now


def test_swapping_shows_the_other_reading(learner):
    me = learner("pixels_2x2").do("choose", "preset", "view_or_transpose")
    first = me.message["compare"]["first"]
    message = me.do("swap").message
    assert me.scenario.options["split"] == "view"
    swapped = message["compare"]["first"]
    assert (swapped["here"], swapped["there"]) == (first["there"], first["here"])
    assert message["compare"]["reading"] == "right, with a transpose"
    assert read_link(me.link) == me.scenario
    me.do("undo")
    assert "split" not in me.scenario.options
    assert me.message["compare"]["first"] == first
    me.do("swap").do("swap")
    assert me.message["compare"]["first"] == first


def test_the_comparison_ends_and_comes_back_with_the_example(learner):
    me = learner("pixels_2x2").do("choose", "preset", "which_root").do("forget")
    assert "compare" not in me.message
    assert "compare" in me.do("reset").message
    assert "compare" not in me.do("choose", "preset", "causal").message
    assert "compare" in me.do("undo").message
    assert "compare" not in learner("causal").do("choose", "preset", "which_root").do("undo").message


def test_numbers_that_a_teacher_fixed_are_not_swapped_away(learner):
    kept = write_link(load_preset("pixels_2x2").edited("x", {(0, 0): 9.0}))
    scenario = load_preset("pixels_2x2").looking(kept=kept)
    me = learner(replace(scenario, locks=Locks(locked=("edit",)))).do("swap")
    assert me.values("x")[0][0] == 1
    assert learner(scenario).do("swap").values("x")[0][0] == 9


def test_a_large_result_of_ones_own_is_kept_beside_the_link(learner, monkeypatch):
    monkeypatch.setattr(lab, "MOST_KEPT", 1)
    me = learner("pixels_2x2").do("keep").do("edit", "x", 0, 0, "5")
    assert me.scenario.view.kept == ""
    assert read_link(me.state.kept).arrays["x"][0][0] == 1
    assert me.do("swap").values("x")[0][0] == 1
    assert me.message["compare"]["first"]["there"] == 5


def test_a_teacher_who_hides_comparing_hides_the_other_reading(learner):
    me = learner(replace(load_preset("pixels_2x2"), locks=Locks(hidden=("compare",))))
    me.do("choose", "preset", "which_root")
    assert me.scenario.preset == "which_root"
    assert "compare" not in me.message
    me = learner(replace(load_preset("causal"), locks=Locks(locked=("compare",))))
    me.do("choose", "preset", "which_root").do("swap")
    assert "scale" not in me.scenario.options  # seen, but fixed
    assert "compare" in me.message
