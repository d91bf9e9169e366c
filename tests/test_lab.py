"""What a learner does on the workbench: each act does its work, and a hostile one does nothing."""

import json
import math
import random
import time
from dataclasses import replace

import numpy as np
import pytest

from ui.board.stages import steps_by_stage
from ui.page.lab import LAB
from ui.page.request import arrival
from ui.scenario.link import read_link, write_link
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import Locks
from ui.state import lab

from .test_link import KEPT, hostile_json, mutated


def test_an_edit_changes_the_numbers_and_the_link(learner):
    me = learner("pixels_2x2").do("edit", "x", 0, 0, "1/2")
    assert me.values("q")[0] == [0.5, 1]
    assert read_link(me.link).arrays["x"][0][0] == 0.5
    me.do("edit", "w_q", 0, 0, "0,25\t−1\n2;3")
    assert "not a number" in me.sentence  # tabs part the cells, so 2;3 is none
    me.do("edit", "w_q", 0, 0, "0,25\t−1\n2\t3")
    assert me.sentence == ""
    assert me.values("w_q")[:2] == [[0.25, -1], [2, 3]]


def test_a_block_that_does_not_fit_is_refused_and_nothing_changes(learner):
    me = learner("pixels_2x2")
    before = me.scenario
    me.do("edit", "x", 3, 3, "1\t2")
    assert me.sentence.startswith("The block has 1 rows and 2 columns")
    assert me.scenario == before


def pasted(rows, columns):
    return "\n".join(
        "\t".join(str(row * columns + column) for column in range(columns)) for row in range(rows)
    )


@pytest.mark.parametrize(
    ("key", "at", "block", "sentence", "label", "shapes"),
    [
        ("x", (0, 0), (6, 7), "the matrix has only 4 and 4", "6×7", ((6, 7), (7, 2), (7, 2))),
        ("x", (2, 0), (3, 2), "only 2 and 4 are left", "5×4", ((5, 4), (4, 2), (4, 2))),
        ("w_q", (0, 0), (1, 3), "the matrix has only 4 and 2", "4×3", ((4, 4), (4, 3), (4, 2))),
        ("w_v", (3, 1), (2, 2), "only 1 and 1 are left", "5×3", ((4, 5), (5, 2), (5, 3))),
    ],
)
def test_a_block_that_does_not_fit_can_enlarge_the_matrix(learner, key, at, block, sentence, label, shapes):
    me = learner("pixels_2x2").do("edit", key, *at, pasted(*block))
    assert sentence in me.sentence
    words, act = me.message["instead"]
    assert words == f"Enlarge the matrix to {label}"
    assert me.scenario.computes_as(load_preset("pixels_2x2"))
    me.do(*act)
    assert "instead" not in me.message
    assert tuple(me.trace[name].shape for name in ("x", "w_q", "w_v")) == shapes
    rows, columns = (slice(start, start + size) for start, size in zip(at, block, strict=True))
    assert me.trace[key][rows, columns].ravel().tolist() == list(range(block[0] * block[1]))
    me.do("undo")  # one step
    assert me.scenario.computes_as(load_preset("pixels_2x2"))


@pytest.mark.parametrize(
    ("preset_id", "key", "block", "sentence"),
    [
        ("pixels_2x2", "x", (1, 17), "a matrix here has at most 16 of each"),
        ("pixels_2x2", "w_q", (4000, 1), "a matrix here has at most 16 of each"),
        ("cross", "memory", (1, 9), "the matrix has only"),
        ("conv_4_to_8", "x", (9, 9), "the matrix has only"),
    ],
)
def test_a_block_too_large_for_any_matrix_is_told_the_limit(learner, preset_id, key, block, sentence):
    me = learner(preset_id).do("edit", key, 0, 0, pasted(*block))
    assert sentence in me.sentence
    assert "instead" not in me.message
    me.do("enlarge", key, 0, 0, pasted(*block))
    assert sentence in me.sentence
    assert me.scenario.computes_as(load_preset(preset_id))


def test_a_matrix_is_not_enlarged_where_a_teacher_fixed_the_sizes(learner):
    me = learner(replace(load_preset("pixels_2x2"), locks=Locks(locked=("more",))))
    me.do("edit", "x", 0, 0, pasted(5, 4))
    assert "instead" not in me.message
    assert me.do("enlarge", "x", 0, 0, pasted(5, 4)).scenario.computes_as(load_preset("pixels_2x2"))


def test_a_lesson_offers_no_other_sizes(student):
    page = student("projection").do("edit", "x", 0, 0, pasted(5, 4))
    assert "the matrix has only" in page.sentence
    assert "instead" not in page.message


def test_other_numbers_do_not_go_by_the_name_of_the_example(learner):
    me = learner("pixels_2x2")
    [example] = [choice for choice in me.message["new_outline"]["choices"] if choice["id"] == "preset"]
    assert example["otherwise"] == "Own numbers"
    assert me.message["choices"]["preset"] == "pixels_2x2"
    me.do("choose", "mask", "causal")
    assert me.message["choices"]["preset"] == "pixels_2x2"
    me.do("edit", "x", 0, 0, "7")
    assert me.message["choices"]["preset"] == ""
    me.do("undo")
    assert me.message["choices"]["preset"] == "pixels_2x2"
    me.do("edit", "w_k", 0, 0, "7").do("choose", "preset", "pixels_2x2")
    assert me.message["choices"]["preset"] == "pixels_2x2"
    assert me.scenario.computes_as(load_preset("pixels_2x2"))


def test_acts_are_applied_in_order_and_a_repeated_request_gives_the_same(learner):
    me = learner("pixels_2x2")
    acts = [["edit", "x", 0, 0, "5"], ["edit", "x", 0, 0, "6"], ["undo"]]
    request = me.request(acts)  # the browser repeats what was not answered
    assert LAB.respond(request, "en").data() == LAB.respond(request, "en").data()
    me.do_all(*acts)
    assert me.values("x")[0][0] == 5
    assert len(me.answer.trail) == 3
    assert (len(me.undo), len(me.redo)) == (1, 1)


def test_undo_and_redo_keep_the_place(learner):
    me = learner("pixels_2x2").do("step", "scores").do("edit", "x", 0, 0, "9").do("step", "softmax")
    assert len(me.undo) == 1
    me.do("undo")
    assert me.values("x")[0][0] == 1
    assert me.message["view"]["step"] == "softmax"
    assert (len(me.undo), len(me.redo)) == (0, 1)
    me.do("redo")
    assert me.values("x")[0][0] == 9
    me.do("reset")
    assert me.values("x")[0][0] == 1


@pytest.mark.parametrize("preset_id", preset_ids())
def test_every_cell_of_every_preset_opens(learner, preset_id):
    me = learner(preset_id)
    for matrix in me.message["new_outline"]["matrices"]:
        rows, columns = np.shape(me.values(matrix["key"]))
        for row, column in {(0, 0), (rows - 1, columns - 1)}:
            message = me.do("cell", matrix["key"], row, column).message
            assert message["lines"][0]["text"].startswith(matrix["id"])
            assert message["lines"][0]["name"].startswith(matrix["name"])
            assert [row, column, "chosen"] in message["lit"][matrix["key"]]
    assert "lines" not in me.do("cell").message


def test_stepping_back_reaches_what_was_given(learner):
    me = learner("cat_on_the_mat").do("head", 1).do("cell", "output", 2, 1)
    seen = []
    for _ in range(20):
        lines = me.message["lines"]
        seen.append(me.scenario.view.cell[0])
        back = lines[-1]["back"]
        if not back:
            break
        _, step, index, _ = back[0]
        me.do("open", step, index)
    assert seen == ["output", "merged", "weights", "scaled", "scores", "q_heads", "x"]
    assert me.message["lines"][0]["name"] == "X[sat, 0]"


def test_a_line_names_every_cell_by_its_own_row_and_column(learner):
    line = learner("pixels_2x2").do("cell", "q", 0, 1).message["lines"][0]
    assert line["text"].startswith("q[p0, 1] = x[p0, c0]·w_q[c0, 1] + x[p0, c1]·w_q[c1, 1] + ")
    assert [name for name, *_ in line["back"]][:2] == ["X[p0, c0]", "Wq[c0, 1]"]
    assert line["ink"] == "q"


def test_arithmetic_speaks_in_the_learners_names(learner):
    line = learner("pixels_2x2").do("cell", "weights", 1, 3).message["lines"][0]
    assert line["name"] == "weights[p1, p3]"
    assert line["text"].startswith("weights[p1, p3] = e^scaled[p1, p3] / (e^scaled[p1, p0] + ")
    assert line["text"].endswith("= 4.113 / 10.23 = 0.40")
    assert line["latex"].endswith("= 0.40")
    several = learner("cat_on_the_mat").do("head", 1).do("cell", "scores", 1, 2).message["lines"][0]
    assert several["name"] == "scores[1, cat, sat]"


def test_names_of_tokens_are_everywhere(learner):
    me = learner("pixels_2x2").do("rename", "scores", "query", 0, "  sky <b>blue</b> ")
    outline = {matrix["id"]: matrix for matrix in me.message["new_outline"]["matrices"]}
    assert outline["x"]["rows"][0] == outline["weights"]["columns"][0] == "sky <b>blue</b>"
    assert read_link(me.link).names["token"][0] == "sky <b>blue</b>"
    me.do("rename", "x", "feature", 3, "n" * 25)
    assert me.sentence == "A name is one line of at most 24 characters. Use a shorter one."
    me.do("undo")
    assert me.scenario.names["token"][0] == "p0"


def test_choosing_heads_in_all_layouts_keeps_q_and_k(learner):
    me = learner("cat_on_the_mat")
    before = me.trace["q"]
    me.do("choose", "n_heads", 4)
    assert me.trace["q_heads"].shape == (4, 7, 1)
    np.testing.assert_array_equal(me.trace["q"], before)
    me.do("choose", "n_heads", 3)
    assert me.trace["q_heads"].shape == (4, 7, 1)


def test_masks_boolean_and_added(learner):
    me = learner("pixels_2x2").do("choose", "mask", "free")
    assert me.values("visible")[0] == [0, 1, 1, 1]
    me.do("edit", "visible", 0, 0, "1").do("edit", "visible", 1, 2, "0")
    assert me.values("weights")[1][2] == 0
    me.do("choose", "free_mask", "added")
    assert me.values("attn_mask")[1] == [0, None, None, 0]
    me.do("edit", "attn_mask", 1, 2, "-0.5").do("edit", "attn_mask", 0, 3, "−∞")
    assert me.values("masked")[0][3] is None
    assert me.values("masked")[1][2] == pytest.approx(-0.5)
    again = read_link(me.link)
    np.testing.assert_array_equal(again.trace().output, me.trace.output)
    me.do("edit", "x", 0, 0, "-inf")  # only a mask may hide
    assert "not a number" in me.sentence


def test_predicting(learner):
    me = learner("pixels_2x2").do("step", "scale").do("predict", True)
    me.do("guess", "scaled", 0, 0, "1").do("guess", "scaled", 1, 1, "1,41").do("guess", "scaled", 0, 3, "77")
    message = me.message
    assert sorted(message["guesses"]["scaled"]) == [
        [0, 0, "1", "wrong"],
        [0, 3, "77", "wrong"],
        [1, 1, "1.41", "right"],
    ]
    assert message["score"] == (1, 3)
    assert message["notes"][0] == "scaled[p0, p0]: 1 is the score before scaling. Multiply it by 0.7071."
    assert message["notes"][1].startswith("scaled[p0, p3]: 77 is not it.")
    me.do("step", "scores")
    assert me.message["notes"] == []  # they belong to their step
    me.do("guess", "scores", 0, 1, "1").do("step", "scale")
    me.do("guess", "scaled", 0, 0, "0.71")  # a second try does not count again
    assert me.message["score"] == (1, 4)
    me.do("reveal", "scaled", 3, 3)
    assert [3, 3, "", "open"] in me.message["guesses"]["scaled"]
    me.do("reveal")
    shown = {(row, column): state for row, column, _, state in me.message["guesses"]["scaled"]}
    assert len(shown) == 16
    assert (shown[0, 0], shown[0, 3], shown[2, 2]) == ("open right", "open wrong", "open")
    me.do("guess", "scaled", 2, 2, "2.12")  # the answer is there to read
    assert me.message["score"] == (1, 4)
    me.do("edit", "x", 0, 0, "3")  # other numbers, other answers
    assert me.message["guesses"] == {}
    me.do("predict", False)
    assert "guesses" not in me.message


def test_comparing(learner):
    me = learner("pixels_2x2").do("keep")
    assert me.message["compare"]["largest"] == []
    me.do("edit", "x", 0, 0, "5")
    found = me.message["compare"]
    assert found["largest"][0]["change"] == 5 - 1
    by_step = {change["step"]: change for change in found["largest"]}
    assert by_step["q"]["name"] == "Q[p0, 0]"
    assert (by_step["q"]["from"], by_step["q"]["to"]) == (1, 5)
    assert found["differences"]["x"][0] == [4, 0, 0, 0]
    kept, now = me.trace["weights"], me.trace["weights"]
    me.do("undo")
    kept = me.trace["weights"]
    np.testing.assert_allclose(found["differences"]["weights"], (now - kept)[0], atol=1e-6)
    me.do("choose", "preset", "cat_on_the_mat")
    assert me.message["compare"]["other"]
    me.do("forget")
    assert "compare" not in me.message


def test_what_was_kept_travels_in_the_link(learner):
    me = learner("pixels_2x2").do("keep").do("edit", "x", 0, 0, "5")
    other = learner(read_link(me.link))  # in another browser, or after a reload
    assert other.message["compare"]["largest"][0]["change"] == 4
    assert learner("causal").do("follow", me.link).message["compare"]["largest"][0]["change"] == 4


def test_a_teachers_link_takes_things_away(learner):
    locks = Locks(locked=("edit", "mask", "more", "predict"), hidden=("heads", "take", "compare"))
    me = learner(replace(load_preset("pixels_2x2").edited("x", {(0, 0): 9.0}), locks=locks))
    before = me.scenario
    me.do("edit", "x", 0, 0, "9").do("choose", "mask", "causal").do("choose", "n_heads", 2)
    me.do("rename", "x", "token", 0, "mine").do("predict", True).do("keep")
    for panel in ("more", "upload", "take", "share"):
        me.do("panel", panel)
    assert me.scenario == before
    assert me.state.panel == ""
    message = me.message
    assert "n_heads" not in message["choices"]
    assert not any(matrix["editable"] for matrix in message["new_outline"]["matrices"])
    assert message["panels"] == [("more", "More", True)]
    assert (message["may"]["predict"], message["may"]["compare"]) == ("locked", "hidden")
    assert "compare" not in message


def test_starting_over_returns_to_the_teachers_numbers(learner):
    locks = Locks(locked=("preset",))
    me = learner(replace(load_preset("pixels_2x2").edited("x", {(0, 0): 9.0}), locks=locks))
    me.do("edit", "x", 0, 0, "3").do("reset")
    assert me.values("x")[0][0] == 9
    assert me.scenario.locks == locks


def test_a_fault_of_ours_in_drawing_leaves_the_state_before(learner, monkeypatch):
    me = learner("pixels_2x2").do("edit", "x", 0, 0, "5")
    before, real = me.answer.state, LAB.content

    def faulty(state, words):
        if state.scenario.preset == "causal":
            raise RuntimeError("no board")
        return real(state, words)

    monkeypatch.setattr(LAB, "content", faulty)
    me.do_all(["choose", "preset", "causal"], ["step", "scores"])
    assert me.sentence.startswith("Something went wrong here")
    assert me.answer.state == before
    assert me.answer.trail == [(before["link"], "")] * 2  # done, and nothing to undo
    assert [str(fault) for fault in me.answer.faults] == ["no board"]  # for the log


def test_what_cannot_be_drawn_at_all_gives_way_to_the_opening_page(monkeypatch):
    real = LAB.content

    def faulty(state, words):
        if state.link:
            raise RuntimeError("no board")
        return real(state, words)

    monkeypatch.setattr(LAB, "content", faulty)
    answer = LAB.respond(arrival(write_link(load_preset("causal"))), "en")
    assert answer.message.sentence.startswith("Something went wrong here")
    assert answer.now.scenario == LAB.opening()


def test_a_fault_of_ours_in_an_act_is_that_act_alone(learner, monkeypatch):
    monkeypatch.setitem(LAB.handlers, "step", lambda state, details: 1 / 0)
    me = learner("pixels_2x2").do_all(["edit", "x", 0, 0, "5"], ["step", "scores"])
    assert me.sentence.startswith("Something went wrong here")
    assert me.values("x")[0][0] == 5
    assert len(me.answer.faults) == 1
    assert me.do("edit", "x", 0, 0, "6").sentence == ""


def test_the_lens_follows_what_is_pressed_and_what_is_opened(learner):
    me = learner("vit_base").do("lens", "weights", 100, 50)
    assert me.scenario.view.lens == {"query": 96, "key": 46}
    assert me.message["large"]["weights"]["rows"][0] == "96"
    me.do("open", "weights", [0, 3, 10, 190])
    assert me.scenario.view.head == 3
    assert me.scenario.view.cell == ("weights", 10, 190)
    assert [row for row, _, mark in me.message["lit"]["weights"] if mark == "chosen"] != []


def test_a_thousand_hostile_links_leave_a_whole_page(learner):
    rng = random.Random(2)
    me = learner("pixels_2x2")
    for _ in range(500):
        for link in (hostile_json(rng), mutated(KEPT["2"][0], rng)):
            start = time.process_time()
            me.do("follow", link)
            json.dumps(me.message, allow_nan=False)
            assert me.answer.faults == ()
            if not me.scenario.is_large:
                assert time.process_time() - start < 0.25


HOSTILE = [
    None,
    "",
    {},
    [],
    0,
    -1,
    1e308,
    math.nan,
    math.inf,
    True,
    "weights",
    "x",
    "w_q",
    ["x"],
    [[0]],
    "../..",
    "<script>",
    "9" * 5000,
    {"x": 1},
    10**30,
    "step",
    "\x00",
    "none",
]


def test_hostile_acts_do_nothing_but_leave_the_lab_whole(learner):
    rng = random.Random(1)
    me = learner("pixels_2x2").do("choose", "mask", "free")
    kinds = [*lab.HANDLERS, "", "__init__"]
    for _ in range(150):
        acts = [
            [rng.choice(kinds), *(rng.choice(HOSTILE) for _ in range(rng.randrange(6)))] for _ in range(20)
        ]
        me.do_all(*acts)
        assert me.answer.faults == ()
    message = me.message
    assert len(message["values"]) == len(message["new_outline"]["matrices"])
    read_link(me.link)
    for stage in steps_by_stage(me.trace):
        assert me.do("step", stage) is me
