"""attention_core gives PyTorch's numbers: outputs, steps and gradients of every stored case.

tests/reference/make_torch_reference.py wrote them and says how; no PyTorch is needed here.
"""

import inspect
import json
import math
import typing
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import attention_core
from attention_core.options import PAST, Choices

FILE = Path(__file__).parent / "reference" / "torch_reference.npz"
CLOSE = {"float64": 1e-10, "float32": 2e-5}
FORWARD, STEPS, GRADIENTS = "forward", "steps", "gradients"

# Public, but nothing that PyTorch computes: counts, random draws, checks, and what is put together from
# functions that are compared. They have tests of their own.
NOT_COMPARED = {"cost", "explain_cell", "gradients", "origins"}
NOT_COMPARED |= {"compare_layers", "crossing_length", "growth", "multiplications", "reach", "token_by_token"}
NOT_COMPARED |= {"candidate_scales", "random_dot_products", "random_pairs", "random_scores"}
NOT_COMPARED |= {"running_dot_products", "saturation", "scaled_scores", "variance_experiment"}
NOT_COMPARED |= {"broken_rules", "failed_checks", "largest_safe_score", "softmax_steps"}
# Dropout draws random numbers: one case, below, compares it with the same draws.
RANDOM = {"dropout_p", "rng"}
# The kinds of layer met in the wild, two of PyTorch's own functions among them.
IMPLEMENTATIONS = {
    "bare_formula",
    "temperature_module",
    "post_norm_layer",
    "torch_function",
    "torch_module",
    "building_blocks_layer",
    "three_linears",
    "vision_transformer",
    "detector_block",
}
FEWEST_CASES = {
    "scaled_dot_product_attention": 29,
    "multi_head_attention": 23,
    "fused_qkv_attention": 12,
    "conv_attention": 7,
    "post_norm_attention": 10,
}


class Case(typing.NamedTuple):
    """One call of a public function and what PyTorch found."""

    name: str
    function: str
    implementation: str
    dtype: str
    arguments: dict
    d_output: np.ndarray | None
    expected: dict  # FORWARD, STEPS, GRADIENTS -> name -> array


def read_case(facts: dict, numbers: np.ndarray) -> Case:
    """Cuts the flat `numbers` into the arrays that `facts` describe."""
    found = {"input": {}, "step": {}, "gradient": {}}
    for group, name, kind, shape in facts["parts"]:
        part, numbers = np.split(numbers, [math.prod(shape)])
        dtype = {"f": facts["dtype"], "b": bool, "i": int}[kind]
        found[group][name] = part.reshape(shape).astype(dtype)
    assert numbers.size == 0, f"{facts['name']}: {numbers.size} numbers left over"
    arguments, steps = found["input"], found["step"]
    d_output = arguments.pop("d_output", None)
    arguments |= {twin: arguments[name] for twin, name in facts["same"].items()} | facts["options"]
    expected = {FORWARD: {"output": steps.pop("output")}, STEPS: steps, GRADIENTS: found["gradient"]}
    kept = {name: facts[name] for name in ("name", "function", "implementation", "dtype")}
    return Case(**kept, arguments=arguments, d_output=d_output, expected=expected)


def read_cases() -> dict[str, Case]:
    with np.load(FILE, allow_pickle=False) as file:
        facts = json.loads(bytes(file["cases"]))
        return {one["name"]: read_case(one, file[one["numbers"]]) for one in facts["cases"]}


CASES = read_cases()
GROUPS = [(case.name, group) for case in CASES.values() for group, named in case.expected.items() if named]


@cache
def computed(name: str):
    """What attention_core returns for the case: a Trace, or an array from a plain function."""
    case = CASES[name]
    return getattr(attention_core, case.function)(**case.arguments)


def compare(label: str, found: np.ndarray, expected: np.ndarray, dtype: str) -> None:
    """Fails with the label and the largest difference unless the arrays agree, -inf with -inf."""
    assert found.shape == expected.shape, f"{label}: shape {found.shape}, PyTorch has {expected.shape}"
    assert found.dtype == expected.dtype, f"{label}: {found.dtype}, PyTorch has {expected.dtype}"
    if expected.dtype == bool:
        assert (found == expected).all(), f"{label}: {(found != expected).sum()} cells differ"
        return
    hidden = np.isneginf(expected)
    assert (np.isneginf(found) == hidden).all(), f"{label}: -inf in other cells than PyTorch"
    found, expected = found[~hidden], expected[~hidden]
    difference = np.abs(found - expected)
    close = difference <= CLOSE[dtype] * np.maximum(1, np.abs(expected))
    assert close.all(), f"{label}: largest difference {difference.max():.3g}"


@pytest.mark.parametrize(("name", "group"), GROUPS, ids=[f"{name}: {group}" for name, group in GROUPS])
def test_agrees_with_torch(name, group):
    case, result = CASES[name], computed(name)
    if group == GRADIENTS:
        found = attention_core.gradients(result, case.d_output)
    elif isinstance(result, np.ndarray):
        found = {"output": result}
    else:
        found = result
    for quantity, expected in case.expected[group].items():
        compare(f"{name}, {group}: {quantity}", found[quantity], expected, case.dtype)


def public_functions() -> set[str]:
    return {name for name in attention_core.__all__ if inspect.isfunction(getattr(attention_core, name))}


def parameters(function) -> set[str]:
    """Names a function can be called with; `**options` are those of the dot product and its cache."""
    names = set(inspect.signature(function).parameters)
    return names - {"options"} | set(Choices._fields + PAST) if "options" in names else names


@pytest.mark.parametrize("function", sorted(public_functions() - NOT_COMPARED))
def test_every_argument_of_every_public_function_has_a_case(function):
    used = {name for case in CASES.values() if case.function == function for name in case.arguments}
    missing = parameters(getattr(attention_core, function)) - used - RANDOM
    assert not missing, f"no case of {function} passes {sorted(missing)}"


@pytest.mark.parametrize("function", FEWEST_CASES)
def test_no_case_went_missing(function):
    cases = [case for case in CASES.values() if case.function == function]
    assert len(cases) >= FEWEST_CASES[function]
    assert {case.dtype for case in cases} == {"float64", "float32"}
    for case in cases:
        assert all(case.expected.values()), f"{case.name} lacks its output, steps or gradients"


def test_cases_cover_the_listed_implementations_and_dropout():
    assert {case.implementation for case in CASES.values()} >= IMPLEMENTATIONS
    assert any(case.arguments.keys() >= RANDOM for case in CASES.values())
    assert {case.function for case in CASES.values()} == public_functions() - NOT_COMPARED


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.expected[GRADIENTS]])
def test_a_gradient_is_stored_for_every_float_argument(name):
    case = CASES[name]
    arrays = {id(a) for a in case.arguments.values() if isinstance(a, np.ndarray) and a.dtype.kind == "f"}
    inputs = case.expected[GRADIENTS].keys() - case.expected[STEPS].keys()
    assert len(inputs) == len(arrays)
    assert any(case.expected[GRADIENTS][quantity].any() for quantity in inputs)


def test_stored_numbers_are_numbers():
    for case in CASES.values():
        for group, named in case.expected.items():
            for quantity, array in named.items():
                hidden = np.isneginf(array) & (group == STEPS and quantity == "masked")
                assert (np.isfinite(array) | hidden).all(), f"{case.name}, {group}: {quantity}"


def test_a_wrong_number_is_noticed_and_named():
    name = "sdpa bool mask 2-D"
    expected = CASES[name].expected[STEPS]["weights"]
    wrong = expected.copy()
    wrong[0, 0, 0, 0] += 1e-6
    with pytest.raises(AssertionError, match=r"weights: largest difference 1e-06"):
        compare("weights", wrong, expected, "float64")
    with pytest.raises(AssertionError, match="-inf in other cells"):
        compare("masked", np.zeros_like(expected), np.full_like(expected, -np.inf), "float64")
