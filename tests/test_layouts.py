"""Three matrices or one, in either order: the same heads, weights and output, there and back."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.scenario.layouts import LAYOUTS, laid_out, layout_of, possible_layouts, why_not_fused
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import Scenario, View, build_array
from ui.words import all_words

SAME = ("q_heads", "k_heads", "v_heads", "weights", "output")
BIASES = ("b_q", "b_k", "b_v")


def assert_same_numbers(found, expected):
    """Both compute the same, up to the rounding of one product instead of three."""
    found, expected = found.trace(), expected.trace()
    for name in SAME:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12, atol=1e-12, err_msg=name)


@st.composite
def three_matrices(draw):
    """A scenario of any size with three matrices of one width, and some of the biases and options."""
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    n_heads, width, n_tokens, n_features = (draw(st.integers(1, 4)) for _ in range(4))
    channels = n_heads * width
    shapes = {"x": (*draw(st.sampled_from([(), (1,), (2,)])), n_tokens, n_features)}
    shapes |= dict.fromkeys(("w_q", "w_k", "w_v"), (n_features, channels))
    shapes |= dict.fromkeys(draw(st.sets(st.sampled_from(BIASES))), (channels,))
    if draw(st.booleans()):
        shapes |= {"w_o": (channels, 3), "b_o": (3,)}
    arrays = {name: np.round(rng.standard_normal(shape), 2).tolist() for name, shape in shapes.items()}
    options = {"n_heads": n_heads} | draw(
        st.sampled_from([{}, {"is_causal": True}, {"scale": 0.3, "softcap": 2.0}, {"n_kv_heads": n_heads}])
    )
    return Scenario("pixels_2x2", "multi_head_attention", arrays, options)


@pytest.mark.parametrize("preset_id", preset_ids())
def test_every_preset_computes_the_same_in_every_layout(preset_id):
    scenario = load_preset(preset_id)
    own = layout_of(scenario)
    assert (own in possible_layouts(scenario)) == (own is not None)
    for layout in possible_layouts(scenario):
        there = laid_out(scenario, layout)
        assert layout_of(there) == layout
        assert_same_numbers(there, scenario)
        assert_same_numbers(laid_out(there, own), scenario)


@given(three_matrices(), st.lists(st.sampled_from(LAYOUTS), min_size=1, max_size=4))
def test_any_way_through_the_layouts_computes_the_same(scenario, layouts):
    assert possible_layouts(scenario) == LAYOUTS
    found = scenario
    for layout in layouts:
        found = laid_out(found, layout)
        assert layout_of(found) == layout
        assert possible_layouts(found) == LAYOUTS
        assert why_not_fused(found) == ""
        assert_same_numbers(found, scenario)
    back = laid_out(found, "three")
    for name, rows in scenario.arrays.items():
        assert back.arrays[name] == rows


def one_feature(**more):
    """One token of one feature, two heads of width 1: each column is one number."""
    arrays = {"x": [[1]], "w_q": [[1, 2]], "w_k": [[3, 4]], "w_v": [[5, 6]]} | more
    return Scenario("pixels_2x2", "multi_head_attention", arrays, {"n_heads": 2})


def test_the_order_of_the_columns():
    scenario = one_feature(b_q=[1, 2], b_k=[3, 4], b_v=[5, 6])
    fused, per_head = laid_out(scenario, "fused"), laid_out(scenario, "per_head")
    assert fused.function == per_head.function == "fused_qkv_attention"
    assert fused.arrays == {"x": [[1]], "w_qkv": [[1, 2, 3, 4, 5, 6]], "b_qkv": [1, 2, 3, 4, 5, 6]}
    assert per_head.arrays == {"x": [[1]], "w_qkv": [[1, 3, 5, 2, 4, 6]], "b_qkv": [1, 3, 5, 2, 4, 6]}
    assert fused.options == {"n_heads": 2}
    assert per_head.options == {"n_heads": 2, "per_head": True}
    assert laid_out(per_head, "fused") == fused
    assert laid_out(per_head, "three") == scenario


def test_one_order_read_as_the_other_gives_other_heads():
    fused = laid_out(one_feature(), "fused")
    misread = fused.with_options(per_head=True).trace()
    assert misread["q_heads"].ravel().tolist() == [1, 4]
    assert fused.trace()["q_heads"].ravel().tolist() == [1, 2]


def test_missing_biases_become_zeros():
    fused = laid_out(one_feature(b_k=[7, 8]), "fused")
    assert fused.arrays["b_qkv"] == [0, 0, 7, 8, 0, 0]
    three = laid_out(fused, "three")
    assert [three.arrays[name] for name in BIASES] == [[0, 0], [7, 8], [0, 0]]
    assert "b_qkv" not in laid_out(one_feature(), "per_head").arrays


def test_all_else_is_kept():
    scenario = load_preset("cat_on_the_mat").with_options(is_causal=True)
    scenario = replace(scenario, view=View("split", ("w_q", 1, 2), head=1, decimals=3))
    found = laid_out(scenario, "per_head")
    assert found.view == View("split", (), head=1, decimals=3)
    assert found.options == {**scenario.options, "per_head": True}
    assert (found.preset, found.names) == (scenario.preset, scenario.names)
    assert {found.arrays[name] == scenario.arrays[name] for name in ("x", "w_o")} == {True}
    assert laid_out(scenario, "three") is scenario


WHY = {
    "memory": load_preset("cross"),
    "view": load_preset("cat_on_the_mat").with_options(split="view"),
    "shared": load_preset("grouped_query"),
    "widths": one_feature(w_v=[[1, 2, 3, 4]]),
}


@pytest.mark.parametrize("why", WHY)
def test_what_cannot_be_fused_says_why(why):
    assert why_not_fused(WHY[why]) == why
    assert possible_layouts(WHY[why]) == ("three",)
    assert all_words("en")[f"layout.why_{why}"].endswith(".")
    with pytest.raises(ValueError, match="cannot be laid out as 'fused'"):
        laid_out(WHY[why], "fused")


def test_some_scenarios_have_no_choice():
    for preset_id in ("conv_4_to_8", "post_norm"):
        assert layout_of(load_preset(preset_id)) is None
        assert possible_layouts(load_preset(preset_id)) == ()
        assert why_not_fused(load_preset(preset_id)) == ""
    assert possible_layouts(load_preset("textbook")) == ("three",)  # large ones keep theirs
    assert possible_layouts(load_preset("vit_base")) == ("fused",)


def test_every_layout_and_every_reason_has_its_words():
    keys = {key for key in all_words("en") if key.startswith("layout.")}
    assert keys == {f"layout.{layout}" for layout in LAYOUTS} | {f"layout.why_{why}" for why in WHY}


def test_drawn_matrices_keep_their_numbers():
    scenario = load_preset("bare_formula")
    there = laid_out(scenario, "per_head")
    for name in ("w_q", "w_k", "w_v"):
        again = build_array(laid_out(there, "three").arrays[name])
        np.testing.assert_array_equal(again, build_array(scenario.arrays[name]))
