"""Every Attention case that the onnx package ships, computed by scaled_dot_product_attention."""

import warnings
from importlib import import_module
from typing import NamedTuple

import numpy as np
import pytest
from onnx import TensorProto, helper

from attention_core import merge_heads, scaled_dot_product_attention, split_heads

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # importing runs onnx's own code
    from onnx.backend.test.case import node

    import_module(
        "onnx.backend.test.case.node.attention"
    )  # adds its cases; those of all operators take seconds
    CASES = [
        case
        for case in node._NodeTestCases
        if case.name.startswith("test_attention") and "_expanded" not in case.name
    ]
# What the optional output qk_matmul_output holds, by its mode. onnx scales Q and K before the product.
STEP_BY_MODE = {0: "scaled", 1: "softcapped", 2: "masked", 3: "weights"}
SIXTEEN_BIT = {"float16": 2e-3, "bfloat16": 2e-2}


def test_all_cases_are_here():
    assert len(CASES) == 93


def named(names, arrays):
    """Arrays by the names of the node's inputs or outputs; those left out have an empty name."""
    return dict(zip([name for name in names if name], arrays, strict=True))


def widened(array):
    return array.astype(np.float32) if array.dtype.name in SIXTEEN_BIT else array


def window(attributes):
    sides = (attributes.get("left_window_size", -1), attributes.get("right_window_size", -1))
    return None if sides == (-1, -1) else tuple(None if side < 0 else side for side in sides)


class Case(NamedTuple):
    given: dict
    expected: dict
    attributes: dict


def read(case):
    """The inputs, outputs and attributes of a case, by name."""
    [node] = case.model.graph.node
    [(inputs, outputs)] = case.data_sets
    attributes = {item.name: helper.get_attribute_value(item) for item in node.attribute}
    return Case(named(node.input, inputs), named(node.output, outputs), attributes)


def trace_of(case, as_type=None):
    """A case that was read, computed by attention_core; in another type of numbers, where one is asked for."""

    def array(name):
        found = widened(case.given[name])
        return found.astype(as_type) if as_type and found.dtype.kind == "f" else found

    attributes = case.attributes
    query, key, value = map(array, "QKV")
    if query.ndim == 3:
        query = split_heads(query, attributes["q_num_heads"])
        key, value = (split_heads(one, attributes["kv_num_heads"]) for one in (key, value))
    return scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=array("attn_mask") if "attn_mask" in case.given else None,
        is_causal=bool(attributes.get("is_causal", 0)),
        scale=attributes.get("scale"),
        enable_gqa=query.shape[1] != key.shape[1],
        softcap=attributes.get("softcap"),
        window=window(attributes),
        kv_lengths=case.given.get("nonpad_kv_seqlen"),
        **{name: array(name) for name in ("past_key", "past_value") if name in case.given},
    )


def outputs_of(trace, case):
    """What ONNX asks of a case, as far as a trace has it."""
    packed = case.given["Q"].ndim == 3
    return {
        "Y": merge_heads(trace.output) if packed else trace.output,
        "qk_matmul_output": trace[STEP_BY_MODE[case.attributes.get("qk_matmul_output_mode", 0)]],
        "present_key": trace["present_key"],
        "present_value": trace["present_value"],
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case):
    name, case = case.name, read(case)
    known = {"scale", "is_causal", "softcap", "left_window_size", "right_window_size", "q_num_heads"}
    known |= {"kv_num_heads", "qk_matmul_output_mode", "softmax_precision"}
    assert set(case.attributes) <= known
    precision = case.attributes.get("softmax_precision", TensorProto.FLOAT)
    assert precision in (TensorProto.FLOAT, TensorProto.DOUBLE)
    tolerance = SIXTEEN_BIT.get(case.given["Q"].dtype.name, 1e-6)
    found = outputs_of(trace_of(case), case)
    for output, array in case.expected.items():
        np.testing.assert_allclose(
            found[output], widened(array), rtol=tolerance, atol=tolerance, err_msg=f"{name}: {output}"
        )
