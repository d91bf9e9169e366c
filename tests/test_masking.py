"""Masks read every way, against the library's own functions and by what must hold for any numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import (
    causal_mask,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax,
)
from ui.course.lessons.masks.masking import (
    READINGS,
    WAYS,
    as_added,
    attend_with,
    causal_corners,
    next_layer,
    outcomes,
    read_as,
)

MASKS = arrays(bool, (4, 4))
SCORES = arrays(np.float64, (4, 4), elements=st.floats(-30, 30))
VALUES = arrays(np.float64, (4, 3), elements=st.floats(-9, 9))


@pytest.fixture(scope="module")
def layer():
    rng = np.random.default_rng(1)
    return multi_head_attention(*(rng.standard_normal((4, 4)) for _ in range(4)), n_heads=2, scale=0.4)


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


# Tables that are not square


@pytest.mark.parametrize(("n_queries", "n_keys"), [(2, 5), (5, 2), (4, 4), (1, 6)])
def test_a_causal_mask_has_its_diagonal_in_the_first_corner_or_the_last(n_queries, n_keys):
    rng = np.random.default_rng(2)
    q, k, v = (rng.standard_normal((1, n, 3)) for n in (n_queries, n_keys, n_keys))
    corners = causal_corners(n_queries, n_keys)
    assert corners["first"][0].tolist() == [True] + [False] * (n_keys - 1)
    assert corners["last"][-1].all()
    at_once = scaled_dot_product_attention(q, k, v, is_causal=True)
    np.testing.assert_array_equal(at_once["visible"], corners["first"])
    if n_keys > n_queries:  # the queries are the last tokens, the others are in a cache
        n_past = n_keys - n_queries
        past = {"past_key": k[:, :n_past], "past_value": v[:, :n_past]}
        cached = scaled_dot_product_attention(q, k[:, n_past:], v[:, n_past:], is_causal=True, **past)
        np.testing.assert_array_equal(cached["visible"], corners["last"])
    assert (corners["first"] == corners["last"]).all() == (n_queries == n_keys)


# Readings


def test_the_same_table_read_by_both_habits_hides_opposite_keys(layer):
    mask = causal_mask(4)
    weights = {reading: attend_with(layer, read_as(mask, reading))["weights"] for reading in READINGS}
    same(weights["may_look"], multi_head_again(layer, is_causal=True)["weights"])
    assert (weights["may_look"][:, ~mask] == 0).all()
    assert (weights["may_look"][:, mask] > 0).all()
    assert (weights["is_hidden"][:, mask] == 0).all()
    assert (weights["is_hidden"][:, :-1][:, ~mask[:-1]] > 0).all()
    assert (weights["is_hidden"][:, -1] == 0).all()  # the last token may look everywhere, so nowhere


def test_booleans_added_as_numbers_hide_nothing(layer):
    mask = causal_mask(4)
    added = attend_with(layer, read_as(mask, "added"))
    assert (added["weights"] > 0).all()
    same(added["masked"], layer["scaled"] + mask)


@given(MASKS)
def test_the_opposite_table_read_the_opposite_way_is_the_same(mask):
    np.testing.assert_array_equal(read_as(mask, "may_look"), read_as(~mask, "is_hidden"))


@given(MASKS, st.integers(0, 9))
def test_the_additive_form_gives_the_same_numbers(mask, seed):
    rng = np.random.default_rng(seed)
    trace = scaled_dot_product_attention(*(rng.standard_normal((1, 4, 2)) for _ in range(3)))
    said, added = attend_with(trace, mask), attend_with(trace, as_added(mask))
    assert "visible" in said
    assert "attn_mask" in added
    for name in ("masked", "weights", "output"):
        np.testing.assert_array_equal(said[name], added[name])


def test_without_a_mask_a_layer_is_attended_to_as_it_was(layer):
    same(attend_with(layer, None)["weights"], layer["weights"])
    grouped = multi_head_attention(
        np.eye(3, 4), np.eye(4), np.eye(4, 2), np.eye(4, 2), n_heads=2, n_kv_heads=1
    )
    same(attend_with(grouped, None).output, grouped["head_outputs"])


def multi_head_again(layer, **options):
    given = [layer[name] for name in ("x", "w_q", "w_k", "w_v")]
    return multi_head_attention(*given, n_heads=2, scale=0.4, **options)


# A row with nothing to look at


@given(SCORES, MASKS, VALUES, st.sampled_from([np.float64, np.float32, np.float16]))
def test_a_row_with_something_to_look_at_is_the_same_every_way(scores, mask, values, dtype):
    mask = mask | np.eye(4, dtype=bool)
    found = outcomes(scores, mask, values, dtype)
    expected = softmax(np.where(mask, scores.astype(dtype).astype(np.float64), -np.inf))
    assert tuple(found) == WAYS
    for outcome in found.values():
        assert outcome.weights.dtype == outcome.output.dtype == dtype
        np.testing.assert_array_equal(outcome.weights, found["zero"].weights)
        np.testing.assert_allclose(outcome.weights, expected, rtol=0, atol=4 * np.finfo(dtype).eps)
        assert (outcome.weights[~mask] == 0).all()


@given(SCORES, VALUES)
def test_nothing_to_look_at_ends_in_four_ways(scores, values):
    found = outcomes(scores, np.zeros((4, 4), bool), values)
    assert np.isnan(found["infinite"].weights).all()
    assert np.isnan(found["infinite"].output).all()
    assert (found["filled"].filled == -1e9).all()
    same(found["filled"].weights, 1 / 4)
    same(found["filled"].output, np.tile(values.mean(axis=0), (4, 1)))
    np.testing.assert_allclose(found["added"].weights, softmax(scores), rtol=0, atol=1e-6)
    assert (found["zero"].weights == 0).all()
    assert (found["zero"].output == 0).all()


@given(SCORES, VALUES)
def test_fewer_bits_end_otherwise(scores, values):
    """In 32 bits −1e9 swallows what it is added to; in 16 bits it is −∞ itself."""
    nothing = np.zeros((4, 4), bool)
    single, half = (outcomes(scores, nothing, values, dtype) for dtype in (np.float32, np.float16))
    np.testing.assert_array_equal(single["added"].weights, single["filled"].weights)
    np.testing.assert_array_equal(single["added"].weights, np.full((4, 4), 0.25, np.float32))
    for way in ("infinite", "filled", "added"):
        assert np.isneginf(half[way].filled).all()
        assert np.isnan(half[way].weights).all()
    assert (half["zero"].weights == 0).all()


@given(MASKS, st.integers(0, 9))
def test_filled_and_zero_are_what_the_library_computes(mask, seed):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.standard_normal((4, 3)) for _ in range(3))
    plain = scaled_dot_product_attention(q, k, v)
    found = outcomes(plain["scaled"], mask, v)
    for way, fill in (("zero", -math.inf), ("filled", -1e9)):
        trace = scaled_dot_product_attention(q, k, v, attn_mask=mask, masked_fill=fill)
        same(found[way].filled, trace["masked"])
        same(found[way].weights, trace["weights"])
        same(found[way].output, trace.output)


@pytest.mark.parametrize("empty", [0, 1, 3])
def test_one_row_of_nan_is_every_row_after_another_layer(empty):
    """Even of those that may not look at it."""
    rng = np.random.default_rng(4)
    visible = causal_mask(4)
    x = rng.standard_normal((4, 3))
    healthy = next_layer(x, visible)
    same(healthy, scaled_dot_product_attention(x, x, x, is_causal=True).output)
    x[empty] = np.nan
    assert np.isnan(next_layer(x, visible)).all()
