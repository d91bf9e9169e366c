"""A trace names, orders and protects its steps, and each formula computes its step."""

import copy
import pickle

import numpy as np
import pandas as pd
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
    for array, as_it_was in zip(arrays, before, strict=True):
        assert array.flags.writeable
        np.testing.assert_array_equal(array, as_it_was)
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


def attend(x):
    return multi_head_attention(x, np.eye(3), np.eye(3), np.eye(3), n_heads=3, b_q=np.zeros(3))


def test_frozen_inputs_are_taken_without_a_copy():
    x = np.eye(3)
    x.setflags(write=False)
    trace = attend(x)
    assert np.shares_memory(trace["x"], x)
    assert np.shares_memory(attend(trace.output)["x"], trace.output)


def test_a_read_only_view_of_what_can_change_is_copied():
    owner = np.eye(3)
    view = owner.view()
    view.setflags(write=False)
    trace = attend(view)
    owner[...] = 7
    np.testing.assert_array_equal(trace["x"], np.eye(3))
    frame = pd.DataFrame(np.eye(3))
    trace = attend(frame.to_numpy())
    frame.iloc[0, 0] = 99
    assert trace["x"][0, 0] == 1


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_copies_are_as_read_only_as_the_original(copied):
    again = copied(TRACES["gqa and everything"])
    for step in (*again.steps, *again.parameters.values()):
        assert step.op == "number" or not step.value.flags.writeable
        np.testing.assert_array_equal(step.value, TRACES["gqa and everything"][step.name])
    amount = copied(attention_core.cost(d_model=8, n_tokens=2, n_heads=2)["parameters"])
    assert amount.formula == "L·(12·d² + 13·d) + V·d"


def test_a_cache_of_another_type_is_promoted_with_the_rest():
    x = np.eye(2, dtype=np.float32)
    cache = np.ones((1, 1, 2))
    trace = multi_head_attention(x, x, x, x, n_heads=1, past_key=cache, past_value=cache)
    assert trace.output.dtype == np.float64
    assert not trace["past_key"].flags.writeable


def test_a_trace_can_be_walked():
    trace = TRACES["one head"]
    assert [step.name for step in trace] == list(trace.names)
    assert len(trace) == len(trace.steps)


def test_projected_answers_only_where_something_is_projected():
    assert TRACES["two heads, w_o"]["projected"] is TRACES["two heads, w_o"].output
    assert "projected" not in TRACES["one head"]
    assert "projected" not in TRACES["conv"]
