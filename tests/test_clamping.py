"""A view of other sizes is brought within the present ones, and one that fits stays as it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.board.clamping import clamped
from ui.board.matrices import drawn_matrices, lens_at, matrices_of, place_of, shown_places
from ui.board.stages import STAGES, board_names, steps_by_stage
from ui.message.assemble import assemble
from ui.message.types import sent
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import Scenario
from ui.scenario.shaping import resized
from ui.words import Words

SMALL = [preset_id for preset_id in preset_ids() if not load_preset(preset_id).is_large]
WORDS = Words()


def seen(scenario: Scenario) -> dict:
    trace = scenario.trace()
    scenario = clamped(scenario, trace)
    return sent(assemble(scenario, board_names(trace), shown_places(scenario, trace), WORDS))


def test_the_last_row_of_more_tokens_is_not_chosen_after_undo():
    before = load_preset("pixels_2x2")
    after = resized(before, n_tokens=6)
    view = place_of(after.trace(), "weights", (0, 5, 0))
    assert clamped(after.looking(**view), after.trace()).view.cell == ("weights", 5, 0)
    undone = before.looking(**view)
    assert clamped(undone, undone.trace()).view.cell == ()
    assert seen(undone)["shares"]["weights"]["row"] == 3  # of the word in focus, which was the last one


def test_head_and_batch_item_go_to_the_nearest():
    scenario = load_preset("grouped_query").looking(head=1000, batch=1000)
    view = clamped(scenario, scenario.trace()).view
    assert (view.head, view.batch) == (3, 0)


def test_a_lens_lies_on_the_numbers():
    scenario = load_preset("vit_base").looking(lens={"token": 99_999, "nothing": 3, "query": 7})
    assert clamped(scenario, scenario.trace()).view.lens == {"token": 197 - 8, "query": 7}


def test_a_step_and_a_matrix_that_are_not_there_are_not_chosen():
    scenario = load_preset("pixels_2x2").looking(step="mask", cell=("masked", 0, 0))
    assert clamped(scenario, scenario.trace()).view == load_preset("pixels_2x2").view
    causal = load_preset("causal").looking(step="mask", cell=("masked", 0, 0))
    assert clamped(causal, causal.trace()) is causal


@pytest.mark.parametrize("preset_id", SMALL)
def test_every_cell_and_stage_of_the_board_stays(preset_id):
    scenario = load_preset(preset_id)
    trace = scenario.trace()
    for name in board_names(trace):
        for matrix in matrices_of(trace.step(name), shown_places(scenario, trace)):
            last = tuple(size - 1 for size in matrix.whole.shape)
            looking = scenario.looking(**place_of(trace, name, matrix.index(*last)))
            assert clamped(looking, trace) is looking
    for stage in steps_by_stage(trace):
        looking = scenario.looking(step=stage)
        assert clamped(looking, trace) is looking


PLACES = st.integers(0, 20) | st.integers(0, 100_000)
STEPS = st.sampled_from([step for steps in STAGES.values() for step in steps] + ["w_q", "visible", "none"])
CELLS = st.just(()) | st.tuples(STEPS, PLACES, PLACES) | st.tuples(STEPS, PLACES, PLACES, PLACES)


@given(
    st.sampled_from(SMALL),
    CELLS,
    st.sampled_from(["", "nothing", *STAGES]),
    st.integers(0, 1000),
    st.integers(0, 1000),
    st.dictionaries(st.sampled_from(["token", "query", "feature", "row", "x"]), PLACES),
    st.booleans(),
)
def test_whatever_is_looked_at_can_be_drawn(preset_id, cell, step, head, batch, lens, all_heads):
    view = {"cell": cell, "step": step, "head": head, "batch": batch, "lens": lens, "all_heads": all_heads}
    scenario = load_preset(preset_id).looking(**view)
    trace = scenario.trace()
    once = clamped(scenario, trace)
    assert clamped(once, trace) is once
    assert json.dumps(seen(scenario), allow_nan=False)
    before, after = shown_places(scenario, trace), shown_places(once, trace)
    for matrix in drawn_matrices(trace, board_names(trace), before):
        assert lens_at(matrix, before) == lens_at(matrix, after)
