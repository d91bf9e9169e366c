"""Every preset computes, has its words, and every number in it can be explained."""

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_core import explain_cell, origins
from ui.scenario.link import MOST_IN_A_NAME, is_name
from ui.scenario.presets import FOLDER, load_preset, preset_ids
from ui.scenario.scenario import FUNCTIONS, build_array
from ui.words import Words

WORDS = Words()
MOST_CELLS = 20_000  # up to here each cell is explained; of larger presets a sample from every step
SAMPLE = 25


def trace_of(preset_id):
    return load_preset(preset_id).trace()


def cells(trace, step):
    """All places of a step in a small trace, some in a large one."""
    if sum(each.value.size for each in trace.steps) <= MOST_CELLS:
        return np.ndindex(step.shape)
    places = np.random.default_rng(0).integers(0, step.value.size, SAMPLE)
    return [tuple(int(i) for i in np.unravel_index(place, step.shape)) for place in places]


def test_every_file_is_in_the_menu():
    assert sorted(preset_ids()) == sorted(path.stem for path in FOLDER.glob("*.json"))
    assert {load_preset(preset_id).function for preset_id in preset_ids()} == set(FUNCTIONS)


@pytest.mark.parametrize("preset_id", preset_ids())
def test_the_terms_give_every_value(preset_id):
    trace = trace_of(preset_id)
    single = trace.output.dtype == np.float32
    close = {"rel_tol": 2e-4, "abs_tol": 2e-5} if single else {"rel_tol": 1e-9, "abs_tol": 1e-12}
    for step in trace.steps:
        for index in cells(trace, step):
            found = explain_cell(trace, step.name, index)
            value = float(step.value[index])
            assert found.total == value or math.isclose(found.total, value, **close), found


@pytest.mark.parametrize("preset_id", preset_ids())
def test_origins_rebuild_every_moved_step(preset_id):
    trace = trace_of(preset_id)
    for step in trace.steps:
        if step.moved:
            np.testing.assert_array_equal(origins(trace, step.name).rebuild(trace), step.value)


@pytest.mark.parametrize("preset_id", preset_ids())
def test_every_preset_and_every_name_in_it_has_words(preset_id):
    assert WORDS(f"preset.{preset_id}.title")
    assert WORDS(f"preset.{preset_id}.about").endswith(".")
    trace = trace_of(preset_id)
    for step in (*trace.steps, *trace.parameters.values()):
        if step.op != "number":
            assert WORDS(f"name.{step.name}")
        for axis in step.axes:
            assert WORDS(f"axis.{axis}")


def test_real_sizes_are_really_computed():
    assert trace_of("textbook")["weights"].shape == (32, 8, 20, 20)
    assert trace_of("vit_base")["qkv_permuted"].shape == (3, 1, 12, 197, 64)
    np.testing.assert_allclose(trace_of("vit_base")["weights"].sum(axis=-1), 1, rtol=1e-5)


def test_recipes_draw_the_same_numbers_from_the_same_seed():
    recipe = {"integers": {"shape": [2, 3], "seed": 4, "low": -1, "high": 1}}
    np.testing.assert_array_equal(build_array(recipe), build_array(recipe))
    assert set(np.unique(build_array(recipe))) <= {-1, 0, 1}
    drawn = build_array({"normal": {"shape": [400], "seed": 1, "over_root": 100}})
    assert abs(drawn.std() - 0.1) < 0.02
    with pytest.raises(ValueError, match="no recipe is called 'poem'"):
        build_array({"poem": {"seed": 1}})


def test_labels_follow_the_tokens():
    scenario = load_preset("cross")
    assert scenario.labels("query", 2) == ["q0", "q1"]
    assert scenario.labels("key", 4) == ["m0", "m1", "m2", "m3"]
    assert scenario.labels("channel", 3) == ["0", "1", "2"]
    assert scenario.labels("token", 4) == ["q0", "q1", "q2", "q3"]
    assert scenario.labels("token", 1) == ["q0"]


@pytest.mark.parametrize(
    ("names", "further"),
    [
        (["p0", "p1"], ["p2", "p3"]),
        (["p8", "p9"], ["p10", "p11"]),
        (["7", "8"], ["9", "10"]),
        (["CLS", "p0", "p1"], ["p2", "p3"]),
        (["The", "cat"], ["2", "3"]),
        (["p1", "p0"], ["2", "3"]),  # these do not count up
        (["a0", "b1"], ["2", "3"]),
        (["p0", "p٠"], ["2", "3"]),
    ],
)
def test_new_places_continue_the_names(names, further):
    scenario = replace(load_preset("pixels_2x2"), names={"token": names})
    assert scenario.labels("token", len(names) + 2) == [*names, *further]


def test_names_of_new_places_are_short_enough_to_keep():
    longest = MOST_IN_A_NAME - len("99")
    scenario = replace(
        load_preset("pixels_2x2"), names={"token": ["x" * longest + "98", "x" * longest + "99"]}
    )
    assert all(map(is_name, scenario.labels("token", 16)))
