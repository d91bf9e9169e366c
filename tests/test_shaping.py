"""Other sizes keep the numbers that still have a place, and always give something that computes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui import shaping
from ui.link import read_link, write_link
from ui.presets import load_preset, preset_ids
from ui.scenario import array_shape, build_array

RESIZABLE = [preset_id for preset_id in preset_ids() if shaping.can_be_resized(load_preset(preset_id))]


def test_which_presets_can_be_resized():
    assert {"pixels_2x2", "cat_on_the_mat", "grouped_query", "cross", "causal"} <= set(RESIZABLE)
    assert not {"textbook", "vit_base", "conv_4_to_8", "fused_vit"} & set(RESIZABLE)


@given(
    st.sampled_from(RESIZABLE),
    st.fixed_dictionaries(
        {},
        optional={
            "n_tokens": st.integers(1, 16),
            "n_features": st.integers(1, 16),
            "d_key": st.integers(1, 4),
            "d_value": st.integers(1, 4),
            "n_kv_heads": st.just(1),
        },
    ),
)
def test_any_size_computes_and_fits_the_link(preset_id, change):
    scenario = load_preset(preset_id)
    found = shaping.resized(scenario, **change)
    trace = found.trace()
    assert shaping.sizes_of(found)._asdict().items() >= change.items()
    assert read_link(write_link(found)).trace().output.shape == trace.output.shape
    for name, recipe in scenario.arrays.items():
        old, new = build_array(recipe), build_array(found.arrays[name])
        kept = tuple(slice(0, min(a, b)) for a, b in zip(old.shape, new.shape, strict=True))
        np.testing.assert_array_equal(new[kept], old[kept])
        assert np.abs(new).sum() == pytest.approx(np.abs(new[kept]).sum())


def test_growing_and_shrinking_again_gives_the_same_numbers():
    scenario = load_preset("pixels_2x2")
    there = shaping.resized(scenario, n_tokens=6, d_key=3)
    back = shaping.resized(there, n_tokens=4, d_key=2)
    np.testing.assert_array_equal(back.trace().output, scenario.trace().output)


@pytest.mark.parametrize("fill", shaping.FILLS)
def test_fills(fill):
    scenario = load_preset("cat_on_the_mat")
    found = shaping.filled(scenario, "w_q", fill, 3)
    array = build_array(found.arrays["w_q"])
    assert array.shape == array_shape(scenario.arrays["w_q"])
    expected = {"zeros": np.zeros((4, 4)), "ones": np.ones((4, 4)), "identity": np.eye(4)}
    if fill in expected:
        np.testing.assert_array_equal(array, expected[fill])
    assert found == shaping.filled(scenario, "w_q", fill, 3)
    found.trace()
