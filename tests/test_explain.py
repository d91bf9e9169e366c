"""Every number can be explained, and the terms give the value."""

import math

import numpy as np
import pytest

from attention_core import AttentionError, explain_cell, multi_head_attention, scaled_dot_product_attention

from .varied import varied_traces

TRACES = varied_traces()


def assert_explains(trace, name, index):
    step = trace.step(name)
    found = explain_cell(trace, name, index)
    value = float(step.value[index])
    assert found.total == value or math.isclose(found.total, value, rel_tol=1e-9, abs_tol=1e-12), found
    assert found.index == index
    for operand in found.operands:
        assert operand.value == trace[operand.step][operand.index], found
    if step.op not in ("softmax", "input"):
        assert found.terms
        assert math.fsum(found.terms) == found.total or found.total == -math.inf
    if step.op == "softmax":
        total = math.fsum(found.terms)
        assert math.isclose(found.terms[index[-1]] / (total or 1), value, rel_tol=1e-9, abs_tol=1e-12)
    assert found.text.startswith(f"{found.step}[")
    assert found.latex
    return found


@pytest.mark.parametrize("name", TRACES)
def test_every_cell_of_every_step(name):
    trace = TRACES[name]
    for step in trace.steps:
        for index in np.ndindex(step.shape):
            assert_explains(trace, step.name, index)


@pytest.mark.parametrize("name", TRACES)
def test_products_are_products_of_their_operands(name):
    trace = TRACES[name]
    for step in trace.steps:
        if step.op in ("contract", "depthwise", "scale"):
            for term in explain_cell(trace, step.name, (0,) * step.value.ndim).terms:
                assert math.prod(operand.value for operand in term.operands) == term


def pixels():
    x = [[1, 0, 1, 2], [2, 1, 0, 2], [3, 0, 1, 2], [4, 1, 0, 2]]
    w_q, w_k = [[1, 0], [0, 0], [0, 1], [0, 0]], [[0, 1], [1, 0], [0, 0], [0, 0]]
    return multi_head_attention(x, w_q, w_k, [[0, 0], [0, 1], [1, 0], [0, 0]], n_heads=1)


def test_text_of_a_projection():
    found = explain_cell(pixels(), "q", (0, 1))
    assert found.text == (
        "q[0, 1] = x[0, 0]·w_q[0, 1] + x[0, 1]·w_q[1, 1] + x[0, 2]·w_q[2, 1] + x[0, 3]·w_q[3, 1]"
        " = 1·0 + 0·0 + 1·1 + 2·0 = 1"
    )
    assert found.latex == r"\mathrm{q}_{0,1} = 1 \cdot 0 + 0 \cdot 0 + 1 \cdot 1 + 2 \cdot 0 = 1"
    assert [float(term) for term in found.terms] == [0, 0, 1, 0]


def test_text_of_a_weight():
    found = explain_cell(pixels(), "weights", (0, 1, 3), decimals=2)
    assert found.text.endswith(
        "= e^1.4142 / (e^0 + e^1.4142 + e^0 + e^1.4142)"
        " = 4.113 / (1 + 4.113 + 1 + 4.113) = 4.113 / 10.23 = 0.40"
    )
    assert r"= \frac{4.113}{1 + 4.113 + 1 + 4.113} = \frac{4.113}{10.23} = 0.40" in found.latex


def test_text_of_a_moved_number():
    assert explain_cell(pixels(), "q_heads", (0, 2, 0)).text == "q_heads[0, 2, 0] = q[2, 0] = 3"


def test_text_of_what_is_given():
    assert explain_cell(pixels(), "x", (3, 0)).text == "x[3, 0] = 4"
    assert explain_cell(pixels(), "w_q", (0, 0)).text == "w_q[0, 0] = 1"


def test_text_of_hidden_scores_and_negative_numbers():
    trace = scaled_dot_product_attention([[1.0], [-2.0]], [[-3.0], [0.5]], [[1.0], [2.0]], is_causal=True)
    hidden = explain_cell(trace, "masked", (0, 1))
    assert hidden.text == "masked[0, 1] = masked_fill (visible[0, 1] = False) = −∞"
    assert explain_cell(trace, "masked", (0, 0)).text == "masked[0, 0] = scaled[0, 0] = −3"
    assert explain_cell(trace, "scores", (0, 0)).text.endswith("= 1·(−3) = −3")
    assert explain_cell(trace, "weights", (0, 1)).text.endswith(
        "e^(−∞) / (e^(−3) + e^(−∞)) = 0 / (0.0497871 + 0) = 0 / 0.0497871 = 0"
    )


def test_large_scores_are_written_shifted():
    trace = scaled_dot_product_attention([[1.0]], [[1000.0], [999.0]], [[1.0], [2.0]])
    text = explain_cell(trace, "weights", (0, 1), decimals=3).text
    assert "e^(scaled[0, 1] − max) / (e^(scaled[0, 0] − max) + e^(scaled[0, 1] − max))" in text
    assert text.endswith("= e^(−1) / (e^0 + e^(−1)) = 0.36788 / (1 + 0.36788) = 0.36788 / 1.3679 = 0.269")


def test_long_sums_leave_out_the_middle_of_the_line_but_no_term():
    w = np.ones((40, 40))
    found = explain_cell(multi_head_attention(np.ones((1, 40)), w, w, w, n_heads=1), "q", (0, 0))
    assert len(found.terms) == 40
    assert found.text.count("1·1") == 11
    assert "… " in found.text
    assert r"\dots" in found.latex


@pytest.mark.parametrize("index", [(0,), (0, 0, 9), (0, 0, 0, 0), "abc", (0, 0, 0.5), None])
def test_an_index_outside_is_refused(index):
    with pytest.raises(AttentionError, match=r"not an index of weights, which has shape \(1, 4, 4\)"):
        explain_cell(pixels(), "weights", index)


def test_negative_index_counts_from_the_end():
    assert explain_cell(pixels(), "x", (-1, 0)).index == (3, 0)


def test_unknown_step_is_refused():
    with pytest.raises(AttentionError) as error:
        explain_cell(pixels(), "wieghts", (0, 0))
    assert error.value.code == "unknown_step"
    assert "weights" in str(error.value)
