"""The Lab's input: a sentence, sizes, whole matrices, and what a teacher fixed matrix by matrix."""

from dataclasses import replace

import numpy as np
import pytest

from tests.learner import Learner, Reader
from ui.board.stages import steps_by_stage
from ui.board.stands import stand_of
from ui.page.lab import LAB
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import HERE, Locks
from ui.words import Words

WORDS = Words("en")


def x_of(me):
    return np.array(me.trace["x"])


def test_words_become_the_tokens_and_rows_follow_them():
    me = Learner("cat_on_the_mat")
    before = x_of(me)
    me.do("sentence", "The big cat sat on the mat .")
    assert me.scenario.labels("token", 8) == ["The", "big", "cat", "sat", "on", "the", "mat", "."]
    after = x_of(me)
    np.testing.assert_array_equal(np.delete(after, 1, axis=0), before)  # those that stay keep their rows
    assert after[1].any()
    assert me.scenario.view.focus == 2  # the word in focus too
    me.do("undo")
    np.testing.assert_array_equal(x_of(me), before)


def test_fewer_words_shrink_x_and_another_word_keeps_the_numbers_of_its_place():
    me = Learner("cat_on_the_mat")
    before = x_of(me)
    me.do("sentence", "The dog sat on the mat .")
    np.testing.assert_array_equal(x_of(me), before)
    me.do("sentence", "The dog sat")
    np.testing.assert_array_equal(x_of(me), before[:3])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (" ".join("abcdefghijklmnopq"), WORDS("edit.many_words", given=17, most=16)),
        ("a" * 25, WORDS("edit.no_name", most=24)),
        ("   ", WORDS("edit.no_name", most=24)),
    ],
)
def test_words_that_cannot_be_tokens_change_nothing(text, sentence):
    me = Learner("cat_on_the_mat")
    link = me.link
    me.do("sentence", text)
    assert (me.sentence, me.link) == (sentence, link)


def test_sizes_are_choices():
    me = Learner("cat_on_the_mat")
    me.do("choose", "n_tokens", 9).do("choose", "n_features", 6).do("choose", "n_heads", 3)
    assert me.trace["x"].shape == (9, 6)
    assert me.scenario.options["n_heads"] == 2  # 3 does not divide a width of 4
    me.do("choose", "d_key", 3).do("choose", "d_value", 3).do("choose", "n_heads", 3)
    assert me.trace["weights"].shape == (3, 9, 9)
    me.do("choose", "n_kv_heads", 1)
    assert me.trace["k_heads"].shape == (1, 9, 2)
    link = me.link
    for choice, value in (("n_tokens", 17), ("n_tokens", 0), ("d_key", 9), ("n_kv_heads", 2), ("dropout", 1)):
        assert me.do("choose", choice, value).link == link


@pytest.mark.parametrize(
    ("size", "number", "shapes", "kept"),
    [
        ("n_tokens", 5, {"x": (5, 4), "weights": (1, 5, 5)}, ("x", (3, 0), 4)),
        ("n_tokens", 2, {"x": (2, 4), "weights": (1, 2, 2)}, ("x", (1, 0), 2)),
        ("n_features", 3, {"x": (4, 3), "w_q": (3, 2)}, ("x", (3, 0), 4)),
        ("d_key", 3, {"w_q": (4, 3), "w_k": (4, 3)}, ("w_q", (2, 1), 1)),
        ("d_value", 5, {"w_v": (4, 5), "output": (4, 5)}, ("q", (3, 0), 4)),
    ],
)
def test_sizes_change_with_the_numbers_kept(size, number, shapes, kept):
    me = Learner("pixels_2x2")
    before = {name: me.trace[name].shape for name in shapes}
    me.do("choose", size, number)
    assert {name: me.trace[name].shape for name in shapes} == shapes
    name, index, value = kept
    assert me.trace[name][index] == value
    me.do("undo")
    assert {name: me.trace[name].shape for name in shapes} == before


def test_dropout_is_a_choice():
    me = Learner("cat_on_the_mat").do("choose", "dropout", 0.5)
    assert "dropped" in me.trace.names
    assert "dropped" not in me.do("choose", "dropout", 0).trace.names


def test_a_matrix_is_cleared_and_drawn_anew():
    me = Learner("cat_on_the_mat").do("fill", "w_q", "zeros", 0)
    assert not me.trace["w_q"].any()
    first = me.do("fill", "w_q", "integers", 7).trace["w_q"]
    assert first.any()
    np.testing.assert_array_equal(me.do("fill", "w_q", "integers", 8).do("undo").trace["w_q"], first)
    link = me.link
    for details in (
        ("scores", "zeros", 0),
        ("w_q", "ones", 0),
        ("w_q", "zeros", -1),
        ("w_q", "integers", 10**6),
    ):
        assert me.do("fill", *details).link == link


def shared(preset, *locked):
    scenario = replace(load_preset(preset), locks=Locks(locked=locked), start=HERE)
    return Reader(LAB, write_link(scenario))


def test_a_teacher_fixes_matrices_one_by_one():
    """As for: students may change X only."""
    me = shared("cat_on_the_mat", "edit_w_q", "edit_w_k", "edit_w_v", "edit_w_o")
    outline = {one["id"]: one for one in me.message["new_outline"]["matrices"]}
    assert outline["x"]["editable"]
    assert all(outline[name]["fixed"] and not outline[name]["editable"] for name in ("w_q", "w_k", "w_v"))
    link = me.link
    for act in (("edit", "w_q", 0, 0, "7"), ("fill", "w_v", "zeros", 0)):
        assert me.do(*act).link == link
    for act in (
        ("choose", "n_features", 5),
        ("choose", "preset", "causal"),
        ("enlarge", "x", 0, 0, "1 2 3 4 5"),
    ):
        me.do(*act)
        assert (me.link, me.sentence) == (link, WORDS("edit.fixed")), act
    me.do("edit", "x", 0, 0, "7")
    assert me.trace["x"][0, 0] == 7
    me.do("reset")
    assert me.trace["x"][0, 0] == 1


def test_a_fixed_x_takes_no_other_words():
    me = shared("cat_on_the_mat", "edit_x")
    link = me.link
    assert me.do("sentence", "other words").link == link
    assert me.sentence == WORDS("edit.no_sentence")
    assert me.do("edit", "w_q", 0, 0, "5").trace["w_q"][0, 0] == 5


@pytest.mark.parametrize("preset", preset_ids())
def test_every_step_has_its_stand_of_matrices_on_the_board(preset):
    trace = load_preset(preset).trace()
    stages = steps_by_stage(trace)
    for name in (name for names in stages.values() for name in names):
        step = trace.step(name)
        stand = stand_of(step, trace)
        assert stand.left, name
        if stand.kind == "product":  # it is a product of what stands there
            left, above = trace[stand.left[0]], trace[stand.above[0]]
            left = left.mT if stand.left[0] in (stand.turned or ()) else left
            above = above.mT if stand.above[0] in (stand.turned or ()) else above
            if step.axes[-2:] != ("height", "width"):
                made = left @ above + (trace[stand.bias] if stand.bias else 0)
                shape = (1,) * (step.value.ndim - made.ndim) + made.shape
                np.testing.assert_allclose(
                    made.reshape(step.shape if made.size == step.value.size else shape), step.value
                )


def test_with_one_head_nothing_is_split_or_merged():
    stages = steps_by_stage(load_preset("bare_formula").trace())
    assert "split" not in stages
    assert "split" in steps_by_stage(load_preset("cat_on_the_mat").trace())


def test_the_bars_are_those_of_the_word_in_focus():
    me = Learner("cat_on_the_mat")
    for row in (0, 5):
        me.do("focus", row)
        shares = me.message["shares"]["weights"]
        assert (shares["row"], shares["name"]) == (row, me.scenario.labels("token", 7)[row])
        np.testing.assert_allclose(shares["shares"], me.trace["weights"][0, row], atol=1e-6)
