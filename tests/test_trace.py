"""A trace names, orders and protects its steps, and each formula computes its step."""

import numpy as np
import pytest

import attention_core
from attention_core import AttentionError, Trace, multi_head_attention
from attention_core.trace import Line, Plan

from .varied import varied_calls, varied_traces

TRACES = varied_traces()
NUMPY_NAMES = ("where", "tanh", "concatenate")

STEP_NAMES = {
    *("x", "memory", "memory_values", "q", "k", "v", "q_heads", "k_heads", "v_heads"),
    *("present_key", "present_value", "k_repeated", "v_repeated"),
    *("scores", "scaled", "softcapped", "masked", "weights", "dropped", "head_outputs", "merged"),
    *("projected", "output", "qkv", "qkv_split", "qkv_permuted", "v_grid", "positional", "residual"),
}


@pytest.mark.parametrize("name", TRACES)
def test_every_formula_computes_its_step(name):
    trace = TRACES[name]
    scope = {piece: getattr(attention_core, piece) for piece in attention_core.__all__}
    scope |= {piece: getattr(np, piece) for piece in NUMPY_NAMES}
    for step in (*trace.steps, *trace.parameters.values()):
        if step.formula:
            only = scope | {given: trace[given] for given in step.inputs}
            computed = eval(step.formula, {"__builtins__": {}}, only)
            np.testing.assert_allclose(computed, step.value, rtol=1e-12, atol=1e-13, err_msg=step.name)


@pytest.mark.parametrize("name", TRACES)
def test_steps_are_named_ordered_and_read_only(name):
    trace = TRACES[name]
    seen = set(trace.parameters)
    sizes = {}
    for step in trace.steps:
        assert step.name in STEP_NAMES
        assert set(step.inputs) <= seen
        assert len(step.axes) == step.value.ndim
        for axis, size in zip(step.axes, step.shape, strict=True):
            assert sizes.setdefault(axis, size) == size
        assert not step.value.flags.writeable
        assert np.asarray(step) is step.value
        assert trace[step.name] is step.value
        seen.add(step.name)
    for parameter in trace.parameters.values():
        assert parameter.op == "number" or not parameter.value.flags.writeable
    assert trace.steps[-1].name == "output"
    assert trace.output is trace["output"]


@pytest.mark.parametrize("name", varied_calls())
def test_inputs_are_neither_changed_nor_followed(name):
    """What the caller does with its arrays afterwards does not reach into the trace."""
    function, given, options = varied_calls()[name]
    arrays = [value for value in (*given, *options.values()) if isinstance(value, np.ndarray)]
    before = [array.copy() for array in arrays]
    trace = function(*given, **options)
    values = {step.name: step.value.copy() for step in trace.steps}
    for array, copy in zip(arrays, before, strict=True):
        assert array.flags.writeable
        np.testing.assert_array_equal(array, copy)
    for array in arrays:
        array[...] = 0
    for step, value in values.items():
        np.testing.assert_array_equal(trace[step], value)


def test_steps_without_use_give_what_holds_there():
    trace = TRACES["no scale"]
    assert not {"scaled", "softcapped", "masked", "dropped"} & set(trace.names)
    for name in ("scaled", "softcapped", "masked"):
        assert trace[name] is trace["scores"]
        assert name in trace
    assert trace["dropped"] is trace["weights"]
    assert trace.step("masked").name == "scores"
    assert trace["merged"] is trace.output
    with pytest.raises(AttentionError, match="no 'memory' in this trace"):
        trace["memory"]
    assert "memory" not in trace


def test_present_key_holds_without_a_cache():
    trace = TRACES["sdpa without heads"]
    assert trace["present_key"] is trace["k_heads"]
    assert trace["query"] is trace["q_heads"]
    assert trace["head_outputs"] is trace.output


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_types_are_kept(dtype):
    for function, given, options in varied_calls().values():
        given = [array.astype(dtype) if isinstance(array, np.ndarray) else array for array in given]
        if any(not isinstance(array, np.ndarray) for array in given):
            continue
        for name, value in options.items():
            if isinstance(value, np.ndarray) and value.dtype == np.float64:
                options[name] = value.astype(dtype)
        trace = function(*given, **options)
        floats = [step.value.dtype for step in trace.steps if step.value.dtype.kind == "f"]
        assert set(floats) == {np.dtype(dtype)}


def test_integers_become_float64():
    assert TRACES["lists of integers"].output.dtype == np.float64


def test_repr_shows_the_steps():
    text = repr(TRACES["one head"])
    assert "weights" in text
    assert "softmax(scaled)" in text


def test_plan_refuses_inputs_that_come_later():
    with pytest.raises(AttentionError, match="comes from q, which does not come before it") as error:
        Plan((Line("scores", ("query", "key"), "contract", ("q",)),))
    assert error.value.code == "trace_order"


@pytest.mark.parametrize(
    ("axes", "shape"), [(("token",), (2, 2)), (("token", "token"), (2, 2)), (("token", "feature"), (3, 3))]
)
def test_trace_refuses_axes_that_do_not_fit(axes, shape):
    plan = Plan((Line("x", ("token", "feature"), "input"), Line("q", axes, "contract", ("x",))))
    with pytest.raises(AttentionError, match="Step q has shape") as error:
        Trace(plan, {"x": np.zeros((2, 3)), "q": np.zeros(shape)})
    assert error.value.code == "trace_axes"


def test_read_only_inputs_are_taken_without_a_copy():
    x = np.eye(3)
    x.setflags(write=False)
    trace = multi_head_attention(x, np.eye(3), np.eye(3), np.eye(3), n_heads=3, b_q=np.zeros(3))
    assert np.shares_memory(trace["x"], x)
