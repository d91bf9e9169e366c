"""Other sizes keep the numbers that still have a place, and always give something that computes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.scenario import shaping
from ui.scenario.layouts import laid_out, layout_of, possible_layouts
from ui.scenario.link import read_link, write_link
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import array_shape, build_array

RESIZABLE = [preset_id for preset_id in preset_ids() if shaping.can_be_resized(load_preset(preset_id))]
FUSED = [  # (preset, layout) of one matrix for Q, K and V
    (preset_id, layout)
    for preset_id in RESIZABLE
    for layout in possible_layouts(load_preset(preset_id))
    if layout != "three"
]
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "n_tokens": st.integers(1, 16),
        "n_features": st.integers(1, 16),
        "d_key": st.integers(1, 4),
        "d_value": st.integers(1, 4),
        "n_kv_heads": st.just(1),
    },
)


def test_which_presets_can_be_resized():
    assert {"pixels_2x2", "cat_on_the_mat", "grouped_query", "cross", "causal"} <= set(RESIZABLE)
    assert "fused_vit" in RESIZABLE  # with its batch
    assert not {"textbook", "vit_base", "conv_4_to_8", "post_norm"} & set(RESIZABLE)


@given(st.sampled_from(RESIZABLE), CHANGES)
def test_any_size_computes_and_fits_the_link(preset_id, change):
    scenario = load_preset(preset_id)
    found = shaping.resized(scenario, **change)
    trace = found.trace()
    assert shaping.sizes_of(found)._asdict().items() >= change.items()
    assert read_link(write_link(found)).trace().output.shape == trace.output.shape
    before, after = laid_out(scenario, "three"), laid_out(found, "three")
    for name, recipe in before.arrays.items():
        old, new = build_array(recipe), build_array(after.arrays[name])
        kept = tuple(slice(0, min(a, b)) for a, b in zip(old.shape, new.shape, strict=True))
        np.testing.assert_array_equal(new[kept], old[kept])
        assert np.abs(new).sum() == pytest.approx(np.abs(new[kept]).sum())


def test_growing_and_shrinking_again_gives_the_same_numbers():
    scenario = load_preset("pixels_2x2")
    there = shaping.resized(scenario, n_tokens=6, d_key=3)
    back = shaping.resized(there, n_tokens=4, d_key=2)
    np.testing.assert_array_equal(back.trace().output, scenario.trace().output)


def test_which_layouts_can_be_resized():
    assert {("pixels_2x2", "fused"), ("cat_on_the_mat", "per_head")} <= set(FUSED)
    for preset_id, layout in FUSED:
        scenario = load_preset(preset_id)
        assert shaping.can_be_resized(laid_out(scenario, layout))
        assert shaping.sizes_of(laid_out(scenario, layout)) == shaping.sizes_of(scenario)


def test_one_matrix_may_be_as_wide_as_three():
    wide = shaping.resized(load_preset("cat_on_the_mat"), d_key=8, d_value=8)
    fused = laid_out(wide, "fused")
    assert array_shape(fused.arrays["w_qkv"]) == (4, 48)
    assert shaping.can_be_resized(fused)
    wider = shaping.resized(wide, d_key=9, d_value=9)
    assert not shaping.can_be_resized(laid_out(wider, "fused"))


@given(st.sampled_from(FUSED), CHANGES)
def test_one_matrix_is_resized_as_three_would_be(chosen, change):
    preset_id, layout = chosen
    scenario = load_preset(preset_id)
    found = shaping.resized(laid_out(scenario, layout), **change)
    expected = shaping.resized(laid_out(scenario, "three"), **change)
    assert shaping.sizes_of(found)._asdict().items() >= change.items()
    assert layout_of(found) == (layout if layout in possible_layouts(expected) else "three")
    for name, recipe in laid_out(found, "three").arrays.items():
        np.testing.assert_array_equal(build_array(recipe), build_array(expected.arrays[name]))
    np.testing.assert_allclose(found.trace().output, expected.trace().output, rtol=1e-12, atol=1e-12)


def test_one_matrix_becomes_three_where_it_no_longer_fits():
    fused = laid_out(load_preset("cat_on_the_mat"), "fused")
    assert layout_of(shaping.resized(fused, n_tokens=3, n_features=5)) == "fused"
    assert layout_of(shaping.resized(fused, d_key=3, d_value=3)) == "fused"
    assert layout_of(shaping.resized(fused, d_value=3)) == "three"
    assert layout_of(shaping.resized(fused, n_kv_heads=1)) == "three"


def test_a_batch_can_grow():
    scenario = load_preset("fused_vit")
    assert shaping.sizes_of(scenario).n_batch == 1
    found = shaping.resized(scenario, n_batch=3, n_tokens=4)
    assert found.trace()["weights"].shape == (3, 2, 4, 4)
    np.testing.assert_array_equal(build_array(found.arrays["x"])[0, :3], build_array(scenario.arrays["x"])[0])
    assert shaping.sizes_of(load_preset("pixels_2x2")).n_batch == 0


def test_a_mask_grows_with_the_tokens():
    scenario = load_preset("nothing_to_look_at")
    mask = shaping.resized(scenario, n_tokens=4).options["attn_mask"]
    assert mask == [[True, True, False, True], [False, False, False, True], [True] * 4, [True] * 4]
    added = scenario.with_options(attn_mask=[[0, None, 1]] * 3)
    assert shaping.resized(added, n_tokens=2).options["attn_mask"] == [[0, None]] * 2


@pytest.mark.parametrize("part", shaping.PARTS)
@pytest.mark.parametrize("preset_id", RESIZABLE)
def test_a_new_part_changes_nothing_yet_and_can_be_taken_away(preset_id, part):
    scenario = shaping.with_part(load_preset(preset_id), part, False)
    assert not shaping.has_part(scenario, part)
    with_it = shaping.with_part(scenario, part, True)
    assert shaping.has_part(with_it, part)
    np.testing.assert_allclose(with_it.trace().output, scenario.trace().output, rtol=1e-12, atol=1e-12)
    again = shaping.with_part(with_it, part, False)
    np.testing.assert_allclose(again.trace().output, scenario.trace().output, rtol=1e-12, atol=1e-12)
    assert read_link(write_link(with_it)).trace().output.shape == scenario.trace().output.shape


@pytest.mark.parametrize("fill", shaping.FILLS)
def test_fills(fill):
    scenario = load_preset("cat_on_the_mat")
    found = shaping.filled(scenario, "w_q", fill, 3)
    array = build_array(found.arrays["w_q"])
    assert array.shape == array_shape(scenario.arrays["w_q"])
    expected = {"zeros": np.zeros((4, 4)), "ones": np.ones((4, 4)), "identity": np.eye(4)}
    if fill == "selector":
        assert (array.sum(axis=0) == 1).all()
        assert (array.sum(axis=1) == 1).all()
    if fill in expected:
        np.testing.assert_array_equal(array, expected[fill])
    assert found == shaping.filled(scenario, "w_q", fill, 3)
    found.trace()
