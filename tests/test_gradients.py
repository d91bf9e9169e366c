"""Gradients against finite differences, for every function and option, in float64."""

import numpy as np
import pytest

from attention_core import AttentionError, gradients, multi_head_attention

from .varied import varied_calls

CALLS = varied_calls()
STEP = 1e-6

# The names under which positional arguments stand in the trace.
ARGUMENTS = {
    "multi_head_attention": ("x", "w_q", "w_k", "w_v", "w_o"),
    "scaled_dot_product_attention": ("query", "key", "value"),
    "fused_qkv_attention": ("x", "w_qkv", "w_o"),
    "conv_attention": ("x", "w_qkv", "w_proj", "w_pe"),
    "post_norm_attention": ("x", "memory", "memory_values", "w_q", "w_k", "w_v", "w_o"),
}


def float_arguments(name):
    """(where the argument stands, its name in the trace) for each float array given."""
    function, given, options = CALLS[name]
    for place, value in enumerate(given):
        if isinstance(value, np.ndarray):
            yield place, ARGUMENTS[function.__name__][place]
    for key, value in options.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            yield key, key


def output_sum(name, place, array, d_output):
    function, given, options = CALLS[name]
    given, options = list(given), dict(options)
    (options if isinstance(place, str) else given)[place] = array
    if name == "post-norm" and place in (0, 1, 2):
        given[:3] = [array] * 3  # the same input three times
    return float((function(*given, **options).output * d_output).sum())


@pytest.mark.parametrize("name", [name for name in CALLS if name != "lists of integers"])
def test_finite_differences(name):
    function, given, options = CALLS[name]
    trace = function(*given, **options)
    d_output = np.random.default_rng(5).standard_normal(trace.output.shape)
    found = gradients(trace, d_output)
    for place, argument in float_arguments(name):
        if name == "post-norm" and place in (1, 2):
            continue
        array = (options if isinstance(place, str) else given)[place]
        expected = np.zeros_like(array)
        size = max(1.0, float(np.abs(array[np.isfinite(array)]).max()))
        for index in np.ndindex(array.shape):
            if np.isfinite(array[index]):
                up, down = array.copy(), array.copy()
                up[index] += STEP * size
                down[index] -= STEP * size
                rise = output_sum(name, place, up, d_output) - output_sum(name, place, down, d_output)
                expected[index] = rise / (2 * STEP * size)
        np.testing.assert_allclose(
            found[argument], expected, rtol=2e-5, atol=2e-7 * max(1, np.abs(expected).max()), err_msg=argument
        )


@pytest.mark.parametrize("name", CALLS)
def test_every_float_step_and_parameter_has_a_gradient(name):
    function, given, options = CALLS[name]
    trace = function(*given, **options)
    found = gradients(trace)
    everything = {step.name: step for step in trace.steps} | trace.parameters
    floats = {key for key, step in everything.items() if step.value.dtype.kind == "f" and step.op != "number"}
    assert set(found) == floats
    for key in floats:
        assert found[key].shape == trace[key].shape
        assert found[key].dtype == trace[key].dtype
        assert np.isfinite(found[key]).all()
    np.testing.assert_array_equal(found["output"], np.ones_like(trace.output))


def test_intermediate_gradients_are_what_a_change_there_would_do():
    """d(sum)/d(scores), by changing q so that exactly one row of scores moves."""
    rng = np.random.default_rng(2)
    x, weights = rng.standard_normal((3, 4)), [rng.standard_normal((4, 4)) for _ in range(3)]
    trace = multi_head_attention(x, *weights, n_heads=1)
    found = gradients(trace)
    np.testing.assert_allclose(found["q"], found["scores"][0] @ trace["k"], rtol=1e-12)
    np.testing.assert_allclose(found["scores"], found["scaled"] * 0.5, rtol=1e-12)
    np.testing.assert_allclose(found["scaled"].sum(axis=-1), 0, atol=1e-12)  # a constant changes nothing
    assert found["masked"] is found["scaled"]
    assert found["merged"] is found["output"]


def test_d_output_must_fit():
    trace = multi_head_attention(np.eye(2), np.eye(2), np.eye(2), np.eye(2), n_heads=1)
    with pytest.raises(AttentionError, match=r"d_output has shape \(3,\), but \(2, 2\) is needed"):
        gradients(trace, np.ones(3))
    with pytest.raises(AttentionError, match="d_output holds nan"):
        gradients(trace, np.full((2, 2), np.nan))
    with pytest.raises(AttentionError, match="There is no 'visible'"):
        gradients(trace)["visible"]
    found = gradients(multi_head_attention(*[np.eye(2)] * 4, n_heads=1, is_causal=True))
    with pytest.raises(AttentionError, match="visible has no gradient"):
        found["visible"]
    assert "visible" not in found
    assert "merged" in found
    assert found.get("merged") is found["output"]
    assert found.get("nothing", 3) == 3
