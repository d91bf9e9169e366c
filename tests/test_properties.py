"""What must hold for any numbers, tried on many."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import (
    causal_mask,
    conv_attention,
    fused_qkv_attention,
    merge_heads,
    multi_head_attention,
    padding_mask,
    scaled_dot_product_attention,
    softmax,
    split_heads,
    window_mask,
)

NUMBERS = st.floats(-8, 8, allow_nan=False, width=32)


def numbers(*shape):
    return arrays(np.float64, shape, elements=NUMBERS)


@st.composite
def layers(draw, square=False):
    """x, w_q, w_k, w_v and n_heads of one multi-head layer."""
    n_heads = draw(st.integers(1, 3))
    n_tokens, d_in, d_key, d_value = (draw(st.integers(1, 4)) for _ in range(4))
    x = draw(numbers(n_tokens, d_in))
    d_value = d_key if square else d_value
    w_q, w_k, w_v = (draw(numbers(d_in, n_heads * width)) for width in (d_key, d_key, d_value))
    return x, w_q, w_k, w_v, n_heads


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@given(layers(), st.data())
def test_rows_of_weights_sum_to_one_or_zero(layer, data):
    *given_arrays, n_heads = layer
    n_tokens = len(given_arrays[0])
    mask = data.draw(arrays(bool, (n_tokens, n_tokens)))
    trace = multi_head_attention(*given_arrays, n_heads=n_heads, attn_mask=mask)
    close(trace["weights"].sum(axis=-1), np.broadcast_to(mask.any(axis=-1), trace["weights"].shape[:-1]))
    assert (trace["weights"] >= 0).all()
    assert (trace["weights"][:, ~mask] == 0).all()
    assert (trace["head_outputs"][:, ~mask.any(axis=-1)] == 0).all()


@given(arrays(np.float64, (3, 5), elements=st.floats(-700, 700)), st.floats(-300, 300))
def test_a_constant_added_to_a_row_of_scores_changes_nothing(scores, constant):
    np.testing.assert_allclose(softmax(scores + constant), softmax(scores), rtol=1e-9, atol=1e-12)
    close(softmax(scores).sum(axis=-1), 1)


@given(layers(), numbers(1))
def test_a_constant_mask_changes_nothing(layer, constant):
    *given_arrays, n_heads = layer
    plain = multi_head_attention(*given_arrays, n_heads=n_heads)
    moved = multi_head_attention(*given_arrays, n_heads=n_heads, attn_mask=constant)
    close(moved.output, plain.output)


@given(layers(), st.data())
def test_a_later_token_never_changes_an_earlier_output_under_a_causal_mask(layer, data):
    x, *weights, n_heads = layer
    last = data.draw(numbers(x.shape[1]))
    before = multi_head_attention(x, *weights, n_heads=n_heads, is_causal=True)
    after = multi_head_attention(np.vstack((x[:-1], last)), *weights, n_heads=n_heads, is_causal=True)
    np.testing.assert_array_equal(before.output[:-1], after.output[:-1])


@given(layers(), st.randoms(use_true_random=False))
def test_permuting_tokens_permutes_outputs(layer, random):
    x, *weights, n_heads = layer
    order = list(range(len(x)))
    random.shuffle(order)
    plain = multi_head_attention(x, *weights, n_heads=n_heads)
    shuffled = multi_head_attention(x[order], *weights, n_heads=n_heads)
    close(shuffled.output, plain.output[order])


@given(layers())
def test_one_head_equals_single_head_attention(layer):
    x, w_q, w_k, w_v, _ = layer
    w_q, w_k = w_q[:, : w_k.shape[1]], w_k
    trace = multi_head_attention(x, w_q, w_k, w_v, n_heads=1)
    single = scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)
    close(trace.output, single.output)


@given(layers())
def test_cutting_the_weights_into_columns_per_head_gives_the_same_numbers(layer):
    x, w_q, w_k, w_v, n_heads = layer
    whole = multi_head_attention(x, w_q, w_k, w_v, n_heads=n_heads)
    cut = [np.split(weight, n_heads, axis=1) for weight in (w_q, w_k, w_v)]
    heads = [multi_head_attention(x, *weights, n_heads=1).output for weights in zip(*cut, strict=True)]
    close(whole.output, np.concatenate(heads, axis=-1))


@given(layers(square=True), st.data())
def test_fused_equals_separate(layer, data):
    x, *weights, n_heads = layer
    bias = data.draw(numbers(3 * weights[0].shape[1]))
    fused = fused_qkv_attention(x, np.concatenate(weights, axis=1), n_heads=n_heads, b_qkv=bias)
    b_q, b_k, b_v = np.split(bias, 3)
    separate = multi_head_attention(x, *weights, n_heads=n_heads, b_q=b_q, b_k=b_k, b_v=b_v)
    close(fused.output, separate.output)
    for name in ("q_heads", "k_heads", "v_heads", "weights"):
        close(fused[name], separate[name])


def head_by_head(array, n_heads):
    """Columns [Q | K | V] as [q k v of head 0 | q k v of head 1 | ...]."""
    parts = [np.split(part, n_heads, axis=-1) for part in np.split(array, 3, axis=-1)]
    return np.concatenate([part for head in zip(*parts, strict=True) for part in head], axis=-1)


@given(layers(square=True), st.data())
def test_columns_head_by_head_give_the_same_heads(layer, data):
    x, *weights, n_heads = layer
    w_qkv, bias = np.concatenate(weights, axis=1), data.draw(numbers(3 * weights[0].shape[1]))
    fused = fused_qkv_attention(x, w_qkv, n_heads=n_heads, b_qkv=bias)
    rearranged = {"b_qkv": head_by_head(bias, n_heads), "per_head": True}
    per_head = fused_qkv_attention(x, head_by_head(w_qkv, n_heads), n_heads=n_heads, **rearranged)
    b_q, b_k, b_v = np.split(bias, 3)
    separate = multi_head_attention(x, *weights, n_heads=n_heads, b_q=b_q, b_k=b_k, b_v=b_v)
    close(per_head["qkv"], head_by_head(fused["qkv"], n_heads))
    for name in ("qkv_permuted", "q_heads", "k_heads", "v_heads", "weights", "output"):
        close(per_head[name], fused[name])
        if name != "qkv_permuted":
            close(per_head[name], separate[name])


@given(st.integers(1, 3), st.integers(1, 2), st.integers(1, 3), st.integers(1, 3), st.data())
def test_a_1x1_convolution_has_its_channels_head_by_head(n_heads, head_dim, height, width, data):
    dim = n_heads * head_dim
    image, w_qkv = data.draw(numbers(1, dim, height, width)), data.draw(numbers(3 * dim, dim))
    conv = conv_attention(image, w_qkv, n_heads=n_heads, attn_ratio=1.0)
    fused = fused_qkv_attention(image.reshape(dim, -1).T, w_qkv.T, n_heads=n_heads, per_head=True)
    close(conv["weights"][0], fused["weights"])
    close(conv.output.reshape(dim, -1), fused.output.T)


@given(st.integers(1, 3), st.integers(1, 2), st.integers(1, 3), st.integers(1, 3), st.data())
def test_a_1x1_convolution_equals_the_linear_route(n_heads, key_dim, height, width, data):
    dim = 2 * key_dim * n_heads
    image = data.draw(numbers(1, dim, height, width))
    w_qkv = data.draw(numbers(2 * dim, dim))
    conv = conv_attention(image, w_qkv, n_heads=n_heads, attn_ratio=0.5)
    per_head = w_qkv.reshape(n_heads, 4 * key_dim, dim)
    w_q, w_k, w_v = (
        per_head[:, first:last].reshape(-1, dim).T
        for first, last in ((0, key_dim), (key_dim, 2 * key_dim), (2 * key_dim, None))
    )
    linear = multi_head_attention(image.reshape(dim, -1).T, w_q, w_k, w_v, n_heads=n_heads)
    close(conv["weights"][0], linear["weights"])
    close(conv.output.reshape(dim, -1), linear.output.T)


@given(layers(), st.booleans())
def test_a_cache_fed_token_by_token_equals_one_pass(layer, windowed):
    x, *weights, n_heads = layer
    options = {"n_heads": n_heads, "is_causal": True, "window": (1, None) if windowed else None}
    whole = multi_head_attention(x, *weights, **options)
    d_key, d_value = (weight.shape[1] // n_heads for weight in weights[1:])
    cache = {"past_key": np.zeros((n_heads, 0, d_key)), "past_value": np.zeros((n_heads, 0, d_value))}
    for number, token in enumerate(x):
        step = multi_head_attention(token[None], *weights, **options, **cache)
        cache = {"past_key": step["present_key"], "past_value": step["present_value"]}
        close(step.output[0], whole.output[number])
    close(cache["past_key"], whole["k_heads"])


@given(layers(), st.integers(0, 4))
def test_valid_lengths_of_a_prefilled_cache_hide_the_rest(layer, length):
    x, *weights, n_heads = layer
    length = min(length, len(x))
    trace = multi_head_attention(x, *weights, n_heads=n_heads, kv_lengths=[length])
    assert (trace["weights"][..., length:] == 0).all()
    if length:
        memory = multi_head_attention(x, *weights, n_heads=n_heads, memory=x[:length])
        close(trace.output, memory.output)


@given(numbers(2, 4, 6), st.sampled_from([1, 2, 3, 6]))
def test_merge_undoes_split(channels, n_heads):
    heads = split_heads(channels, n_heads)
    assert heads.shape == (2, n_heads, 4, 6 // n_heads)
    assert np.shares_memory(heads, channels)
    np.testing.assert_array_equal(merge_heads(heads), channels)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(-2, 3), st.integers(0, 3), st.integers(0, 3))
def test_masks_say_what_they_mean(n_queries, n_keys, offset, left, right):
    causal = causal_mask(n_queries, n_keys, offset)
    window = window_mask(n_queries, n_keys, left, right, offset)
    for query, key in np.ndindex(n_queries, n_keys):
        here = query + offset
        assert causal[query, key] == (key <= here)
        assert window[query, key] == (here - left <= key <= here + right)
    assert window_mask(n_queries, n_keys).all()
    np.testing.assert_array_equal(causal, window_mask(n_queries, n_keys, None, 0, offset))


def test_padding_mask():
    np.testing.assert_array_equal(padding_mask([1, 3], 3)[:, 0, 0], [[True, False, False], [True] * 3])
    np.testing.assert_array_equal(causal_mask(2), [[True, False], [True, True]])


@given(layers(), st.floats(0.5, 20))
def test_softcap_bounds_the_scores(layer, cap):
    *given_arrays, n_heads = layer
    trace = multi_head_attention(*given_arrays, n_heads=n_heads, softcap=cap)
    assert (np.abs(trace["softcapped"]) <= cap).all()


@pytest.mark.parametrize("dropout_p", [0.1, 0.5, 0.9])
def test_dropout_keeps_the_mean_over_seeds(dropout_p):
    rng = np.random.default_rng(0)
    x, weights = rng.standard_normal((4, 6)), [rng.standard_normal((6, 6)) for _ in range(3)]
    plain = multi_head_attention(x, *weights, n_heads=2)
    draws = [
        multi_head_attention(x, *weights, n_heads=2, dropout_p=dropout_p, rng=seed)["dropped"]
        for seed in range(2000)
    ]
    kept = np.asarray(draws) > 0
    np.testing.assert_allclose(kept.mean(), 1 - dropout_p, atol=0.01)
    spread = np.sqrt(dropout_p / (1 - dropout_p) / len(draws))
    np.testing.assert_allclose(np.mean(draws, axis=0), plain["weights"], atol=5 * spread)
    one = draws[0][draws[0] > 0] / plain["weights"][draws[0] > 0]
    np.testing.assert_allclose(one, 1 / (1 - dropout_p), rtol=1e-12)


def test_dropout_draws_from_the_generator_it_is_given():
    x = np.eye(4)

    def dropped(rng):
        return multi_head_attention(x, x, x, x, n_heads=1, dropout_p=0.5, rng=rng)["dropped"]

    np.testing.assert_array_equal(dropped(3), dropped(np.random.default_rng(3)))
    generator = np.random.default_rng(3)
    assert (dropped(generator) != dropped(generator)).any()
    assert "dropped" not in multi_head_attention(x, x, x, x, n_heads=1, dropout_p=0.0, rng=3).names
