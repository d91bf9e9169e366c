"""Self-attention, an RNN and a CNN: what is counted is what really happens."""

import math
import pickle
from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    Amount,
    compare_layers,
    explain_cell,
    fixed_table,
    gradients,
    multi_head_attention,
    reach,
)

KINDS = ("self_attention", "rnn", "cnn")
LENGTHS, KERNELS = st.integers(2, 40), st.integers(1, 8).map(lambda side: 2 * side + 1)


# Paths, counted on the graph of what sees what


def neighbours(kind, position, n, k):
    """Positions that are told of `position` within one step."""
    if kind == "self_attention":
        return range(n)
    if kind == "rnn":
        return range(position, min(position + 2, n))
    return range(max(position - k // 2, 0), min(position + k // 2 + 1, n))


def steps_from(start, kind, n, k):
    """By position: after how many steps it depends on what was at `start`."""
    found, waiting = {start: 0}, deque([start])
    while waiting:
        position = waiting.popleft()
        for other in neighbours(kind, position, n, k):
            if other not in found:
                found[other] = found[position] + 1
                waiting.append(other)
    return found


@given(st.sampled_from(KINDS), LENGTHS, KERNELS)
def test_the_path_is_the_longest_on_the_graph(kind, n, k):
    path = compare_layers(n_tokens=n, d_model=8, kernel=k)[kind]["path"]
    assert path == steps_from(0, kind, n, k)[n - 1]
    assert path == max(max(steps_from(start, kind, n, k).values()) for start in range(n))


@given(st.sampled_from(KINDS), st.integers(1, 16), st.integers(0, 20), KERNELS)
def test_reach_is_what_the_graph_says(kind, n, steps, k):
    found = reach(kind, n, steps, k)
    for key in range(n):
        after = steps_from(key, kind, n, k)
        assert found[:, key].tolist() == [after.get(query, math.inf) <= steps for query in range(n)]


@given(LENGTHS, KERNELS)
def test_the_last_position_hears_from_the_first_after_the_path_and_not_before(n, k):
    for kind, amounts in compare_layers(n_tokens=n, d_model=8, kernel=k).items():
        path = amounts["path"]
        assert reach(kind, n, path, k)[-1, 0]
        assert not reach(kind, n, path - 1, k)[-1, 0]


def test_an_rnn_never_hears_from_what_is_to_come():
    np.testing.assert_array_equal(reach("rnn", 5, 99), np.tri(5, dtype=bool))


# Operations and parameters, counted while the layers are computed


class Counted:
    """Matrix products that are counted, and how many have to wait for one another."""

    def __init__(self):
        self.operations = self.mixing = 0

    def product(self, a, b, mixes=False):
        operations = 2 * a.shape[0] * a.shape[1] * b.shape[1]
        self.operations += operations
        self.mixing += operations * mixes
        return a @ b


def computed_rnn(x, rng):
    n, d = x.shape
    w_x, w_h = rng.standard_normal((2, d, d))
    counted, hidden, steps = Counted(), np.zeros((1, d)), 0
    read = counted.product(x, w_x)  # all at once
    for t in range(n):
        hidden = np.tanh(read[t] + counted.product(hidden, w_h, mixes=True))
        steps += 1
    return counted, steps, w_x.size + w_h.size


def computed_cnn(x, rng, k):
    n, d = x.shape
    kernel = rng.standard_normal((k, d, d))
    padded = np.pad(x, [(k // 2, k // 2), (0, 0)])
    counted = Counted()
    for place in range(k):  # nothing waits: each product reads x only
        counted.product(padded[place : place + n], kernel[place], mixes=True)
    return counted, 1, kernel.size


def computed_self_attention(x, rng):
    d = x.shape[1]
    trace = multi_head_attention(x, *rng.standard_normal((3, d, d)), n_heads=1)
    counted = Counted()
    for step in trace.steps:
        if step.op == "contract":
            summed = trace.step(step.inputs[0]).shape[-1]
            made = 2 * step.value.size * summed
            counted.operations += made
            counted.mixing += made * (step.name in ("scores", "head_outputs"))
    parameters = sum(line.value.size for name, line in trace.parameters.items() if name.startswith("w_"))
    return counted, 1, parameters


@pytest.mark.parametrize(("n", "d", "k"), [(2, 1, 3), (5, 4, 3), (9, 8, 5), (16, 6, 7)])
def test_amounts_are_those_of_real_layers(n, d, k):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, d))
    real = {
        "self_attention": computed_self_attention(x, rng),
        "rnn": computed_rnn(x, rng),
        "cnn": computed_cnn(x, rng, k),
    }
    for kind, amounts in compare_layers(n_tokens=n, d_model=d, kernel=k).items():
        counted, steps, parameters = real[kind]
        assert amounts["operations"] == counted.operations
        assert amounts["mixing_operations"] == counted.mixing
        assert amounts["steps"] == steps
        assert amounts["parameters"] == parameters
        layers = amounts["path"] if kind == "cnn" else 1
        assert amounts["linked_operations"] == layers * counted.operations


@given(LENGTHS, st.integers(1, 2048), KERNELS)
def test_filled_formulas_give_the_amount(n, d, k):
    for amounts in compare_layers(n_tokens=n, d_model=d, kernel=k).values():
        for amount in amounts.values():
            assert not set("ndk") & set(amount.filled)
            code = amount.filled.replace("·", "*").replace("²", "**2").replace("−", "-")
            code = code.replace("⌈", "ceil(").replace("⌉", ")")
            assert eval(code, {"__builtins__": {}, "ceil": math.ceil}) == amount


def test_an_amount_keeps_its_formula_when_pickled():
    amount = Amount.of("⌈(n − 1) / 2⌉·d²", {"n": 8, "d": 3})
    again = pickle.loads(pickle.dumps(amount))
    assert (again, again.formula, again.filled) == (36, "⌈(n − 1) / 2⌉·d²", "⌈(8 − 1) / 2⌉·3²")


# A fixed table


def drawn(n=4, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.standard_normal((3, d, d))


def test_a_table_of_the_content_weights_gives_the_same_output_until_x_changes():
    x, weights = drawn()
    content = multi_head_attention(x, *weights, n_heads=1)
    table = content["weights"][0]
    np.testing.assert_allclose(fixed_table(x, weights[2], table).output, content.output)
    x[0] += 1
    moved = multi_head_attention(x, *weights, n_heads=1)
    fixed = fixed_table(x, weights[2], table)
    assert not np.allclose(moved["weights"][0], table)
    np.testing.assert_array_equal(fixed["table"], table)
    assert not np.allclose(fixed.output, moved.output)


def test_every_number_of_a_table_can_be_explained():
    x, weights = drawn()
    trace = fixed_table(x, weights[2], np.tri(4))
    np.testing.assert_allclose(trace.output, np.tri(4) @ x @ weights[2])
    for step in trace.steps:
        for index in np.ndindex(step.shape):
            assert math.isclose(explain_cell(trace, step.name, index).total, step.value[index])


def test_the_table_is_what_is_learned():
    x, weights = drawn()
    found = gradients(fixed_table(x, weights[2], np.tri(4)))
    values = x @ weights[2]
    np.testing.assert_allclose(found["table"], np.tile(values.sum(axis=1), (4, 1)))
