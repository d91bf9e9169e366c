"""The board shows the trace's own numbers, and takes only real cells from the browser."""

import numpy as np
import pytest

from attention_core import explain_cell
from ui import board
from ui.arithmetic import explain_through_moves
from ui.presets import load_preset, preset_ids
from ui.words import Words

WORDS = Words()


def loaded(preset_id):
    scenario = load_preset(preset_id)
    trace = scenario.trace()
    names = [line.name for line in trace.plan.lines if line.op != "number"]
    sizes = {axis: size for step in trace.steps for axis, size in zip(step.axes, step.shape, strict=True)}
    shown = {
        "n_heads": sizes.get("head", 1),
        "head": sizes.get("head", 1) - 1,
        "batch": sizes.get("batch", 1) - 1,
    }
    return scenario, trace, names, shown


@pytest.mark.parametrize("preset_id", preset_ids())
def test_every_cell_shows_the_number_at_its_index(preset_id):
    scenario, trace, names, shown = loaded(preset_id)
    for drawn in board.matrices(trace, scenario, names, shown, WORDS):
        step = trace.step(drawn["id"])
        cut = board.slice_of(step, shown)
        assert len(drawn["rows"]) == len(drawn["values"])
        for row, numbers in enumerate(drawn["values"]):
            assert len(numbers) == len(drawn["columns"])
            for column, number in enumerate(numbers):
                index = cut.index(step, row, column)
                value = step.value[index]
                assert cut.cell(step, index) == (row, column)
                assert (number is None and value == -np.inf) or np.isclose(number, value, rtol=1e-6)
                assert [row, column] not in drawn["hidden"] or value in (0, -1e9, -np.inf)


def test_a_query_head_shows_the_keys_it_shares():
    _, trace, _, _ = loaded("grouped_query")
    keys = trace.step("k_heads")
    for head, shared in enumerate((0, 0, 1, 1)):
        cut = board.slice_of(keys, {"head": head, "n_heads": 4})
        assert cut.front == (shared,)
        np.testing.assert_array_equal(board.matrix_of(keys, cut), trace["k_repeated"][head])


def test_shades_of_one_kind_share_a_scale():
    scenario, trace, names, shown = loaded("pixels_2x2")
    tops = {drawn["id"]: drawn["top"] for drawn in board.matrices(trace, scenario, names, shown, WORDS)}
    assert tops["scores"] == tops["scaled"] == 7
    assert tops["q"] == tops["k"] == tops["v"] == 4
    assert tops["weights"] == 1


def test_masked_cells_are_marked():
    scenario, trace, names, shown = loaded("causal")
    drawn = {matrix["id"]: matrix for matrix in board.matrices(trace, scenario, names, shown, WORDS)}
    above = [[row, column] for row in range(4) for column in range(4) if column > row]
    assert drawn["masked"]["hidden"] == drawn["weights"]["hidden"] == above
    assert drawn["scores"]["hidden"] == []
    assert drawn["masked"]["values"][0][1] is None
    assert drawn["visible"]["scale"] == "flag"


def test_the_sources_of_a_number_are_lit_where_they_are_shown():
    _, trace, _, shown = loaded("pixels_2x2")
    lines = explain_through_moves(trace, "scores", (0, 1, 3))
    lit = board.lit_cells(trace, lines, ["q", "k", "scores"], shown)  # heads are not shown, q and k are
    assert lit == {
        "q": [[1, 0, "source"], [1, 1, "source"]],
        "k": [[3, 0, "source"], [3, 1, "source"]],
        "scores": [[1, 3, "chosen"]],
    }


def test_arithmetic_follows_moved_numbers_to_where_they_were_computed():
    _, trace, _, _ = loaded("pixels_2x2")
    lines = explain_through_moves(trace, "output", (1, 1))
    assert [line.step for line in lines] == ["output", "head_outputs"]
    assert lines[-1].total == explain_cell(trace, "head_outputs", (0, 1, 1)).total


@pytest.mark.parametrize(
    "state",
    [
        None,
        [],
        "weights",
        ["weights", 0],
        ["weights", 0, 4],
        ["weights", -1, 0],
        ["weights", 0, 0, 0],
        ["weights", "0", "0"],
        ["weights", 0.5, 0],
        ["nothing", 0, 0],
        ["__class__", 0, 0],
        [["weights"], 0, 0],
        {"weights": 1},
        ["weights", 10**30, 0],
        ["weights", float("nan"), 0],
    ],
)
def test_anything_but_a_cell_is_nobodys_choice(state):
    _, trace, names, shown = loaded("pixels_2x2")
    assert board.chosen_place(state, trace, names, shown) is None


def test_a_cell_is_taken():
    _, trace, names, shown = loaded("pixels_2x2")
    assert board.chosen_place(["weights", 1, 3], trace, names, shown) == ("weights", (0, 1, 3))
    assert board.chosen_place(("x", 3, 0), trace, names, shown) == ("x", (3, 0))
