"""Tokens one by one give what causal attention gives at once; the cache only saves work."""

from itertools import pairwise

import numpy as np
import pytest

from attention_core import (
    AttentionError,
    cost,
    multi_head_attention,
    multiplications,
    token_by_token,
)

from .varied import varied_traces

TRACES = varied_traces()
RNG = np.random.default_rng(3)


def some(*shape):
    return RNG.standard_normal(shape)


LAYERS = {
    "one head": ((some(5, 4), some(4, 3), some(4, 3), some(4, 2)), {"n_heads": 1}),
    "heads, w_o and biases": (
        (some(6, 8), some(8, 8), some(8, 8), some(8, 8), some(8, 5)),
        {"n_heads": 4, "b_q": some(8), "b_k": some(8), "b_v": some(8), "b_o": some(5)},
    ),
    "gqa, batch": ((some(2, 5, 6), some(6, 8), some(6, 4), some(6, 6)), {"n_heads": 4, "n_kv_heads": 2}),
    "mqa, scale and softcap": (
        (some(4, 6), some(6, 8), some(6, 2), some(6, 3)),
        {"n_heads": 4, "n_kv_heads": 1, "scale": 0.3, "softcap": 2.0},
    ),
    "window": ((some(7, 4), some(4, 4), some(4, 4), some(4, 4)), {"n_heads": 2, "window": (2, 0)}),
    "one token": ((some(1, 4), some(4, 4), some(4, 4), some(4, 4)), {"n_heads": 2}),
    "whole numbers": (([[1, 0], [0, 1], [2, 1]], [[1], [0]], [[0], [1]], [[1], [1]]), {"n_heads": 1}),
}


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize(("given", "options"), LAYERS.values(), ids=LAYERS)
def test_every_token_gets_its_row_of_causal_attention(given, options, use_cache):
    whole = multi_head_attention(*given, **options, is_causal=True)
    steps = token_by_token(*given, **options, use_cache=use_cache)
    assert [step.token for step in steps] == list(range(np.shape(given[0])[-2]))
    for step in steps:
        here, so_far = step.token, slice(step.token + 1)
        close(step.q, whole["q_heads"][..., here, :])
        close(step.k, whole["k_heads"][..., here, :])
        close(step.v, whole["v_heads"][..., here, :])
        close(step.keys, whole["k_heads"][..., so_far, :])
        close(step.values, whole["v_heads"][..., so_far, :])
        close(step.weights, whole["weights"][..., here, so_far])
        close(step.output, whole.output[..., here, :])


@pytest.mark.parametrize(("given", "options"), LAYERS.values(), ids=LAYERS)
def test_the_cache_only_grows(given, options):
    """What a step adds is its own key and value, and nothing that was kept is touched again."""
    steps = token_by_token(*given, **options)
    for before, after in pairwise(steps):
        np.testing.assert_array_equal(after.keys[..., :-1, :], before.keys)
        np.testing.assert_array_equal(after.values[..., :-1, :], before.values)
        np.testing.assert_array_equal(after.keys[..., -1, :], after.k)
        np.testing.assert_array_equal(after.values[..., -1, :], after.v)


def test_with_a_cache_a_step_projects_one_token_and_without_all_so_far():
    given, options = LAYERS["heads, w_o and biases"]
    cached = token_by_token(*given, **options)
    again = token_by_token(*given, **options, use_cache=False)
    whole = multi_head_attention(*given, **options, is_causal=True)
    for step, repeated in zip(cached, again, strict=True):
        n_tokens = step.token + 1
        close(repeated.trace.output, whole.output[:n_tokens])  # every earlier row once more
        assert step.trace["k"].shape == (1, 8)
        assert repeated.trace["k"].shape == (n_tokens, 8)
        assert step.products == {
            "q": 8 * 8,
            "k": 8 * 8,
            "v": 8 * 8,
            "scores": n_tokens * 8,
            "head_outputs": n_tokens * 8,
            "output": 8 * 5,
        }
        for name, count in step.products.items():
            assert repeated.products[name] == count * n_tokens


def test_the_whole_sentence_costs_as_much_as_one_pass_with_a_cache_and_much_more_without():
    x, *weights = given = (some(12, 6), some(6, 4), some(6, 4), some(6, 4))
    cached = token_by_token(*given, n_heads=2)
    again = token_by_token(*given, n_heads=2, use_cache=False)

    def total(steps, name):
        return sum(step.products[name] for step in steps)

    at_once = multiplications(multi_head_attention(x, *weights, n_heads=2))
    for name in ("q", "k", "v"):
        assert total(cached, name) == at_once[name]
        assert total(again, name) == at_once[name] * (12 + 1) / 2
    assert total(cached, "scores") == 4 * sum(range(1, 13))
    assert total(again, "scores") == 4 * sum(n * n for n in range(1, 13))


def test_the_cache_is_as_large_as_its_formula_says():
    last = token_by_token(some(9, 12), some(12, 12), some(12, 6), some(12, 6), n_heads=4, n_kv_heads=2)[-1]
    found = cost(d_model=12, n_tokens=9, n_heads=4, n_kv_heads=2, bytes_each=8)["kv_cache_bytes"]
    assert found == last.keys.nbytes + last.values.nbytes


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_multiplications_are_counted_for_every_matrix_product(trace):
    """Each number of a product adds up as many products as its left factor has columns."""
    counts = multiplications(trace)
    products = [step for step in trace.steps if step.op == "contract"]
    assert list(counts) == [step.name for step in products]
    assert {"scores"} < set(counts)
    for step in products:
        left, right = (trace.step(name) for name in step.inputs[:2])
        summed = [axis for axis in left.axes if axis in right.axes and axis not in step.axes]
        assert len(summed) == 1
        assert counts[step.name] == step.value.size * left.shape[left.axes.index(summed[0])]


@pytest.mark.parametrize("name", ["attn_mask", "is_causal", "past_key", "kv_lengths", "memory", "dropout_p"])
def test_options_that_would_part_the_steps_from_the_sentence_are_refused(name):
    given, options = LAYERS["one head"]
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        token_by_token(*given, **options, **{name: None})


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"x": [1.0, 2.0]}, "ndim"),
        ({"x": np.ones((0, 4))}, "empty"),
        ({"x": np.ones((3, 5))}, "size"),
        ({"n_heads": 2}, "heads_divide"),
        ({"use_cache": "yes"}, "number"),
    ],
)
def test_what_cannot_be_computed_is_refused(change, code):
    given, options = LAYERS["one head"]
    named = dict(zip(("x", "w_q", "w_k", "w_v"), given, strict=True)) | options | change
    with pytest.raises(AttentionError) as error:
        token_by_token(**named)
    assert error.value.code == code
