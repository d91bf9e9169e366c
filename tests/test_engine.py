"""Two hands, one plan: what the browser's engine computes and explains is what attention_core does.

A step is held to 1e-12 of what was added up for it, from the numbers that its inputs have in Python; a whole
computation to 1e-12 of the largest number of the step, more where large scores stand in an exponent.
"""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import attention_core
from attention_core import (
    AttentionError,
    conv_attention,
    explain_cell,
    fused_qkv_attention,
    multi_head_attention,
    post_norm_attention,
    scaled_dot_product_attention,
)
from attention_core.explain import EXPLAIN
from attention_core.expressions import Numeral
from attention_core.trace import MOVING
from tests.test_onnx_attention import CASES, outputs_of, read, trace_of
from tests.varied import varied_calls, varied_traces
from ui.scenario.presets import load_preset, preset_ids

from .engine import GIVEN, engine, lines_of, pack, unpack

NEAR = 1e-12
EXAMPLES = 2000
LARGE = [preset for preset in preset_ids() if load_preset(preset).is_large]  # which the browser declines
TRACES = varied_traces()
ADDS_UP = ("contract", "add", "depthwise", "mask")


@pytest.fixture(scope="module")
def browser():
    """The engine, in one Node for all tests."""
    with engine() as found:
        yield found


def near(found, value, size, name):
    """Whether numbers are alike: what is none the same, every other within 1e-12 of `size`."""
    value, finite = np.asarray(value, float), np.isfinite(value)
    np.testing.assert_array_equal(found[~finite], value[~finite], err_msg=name)
    away = np.abs(found[finite] - value[finite])
    assert (away <= NEAR * np.broadcast_to(size, value.shape)[finite]).all(), (name, found, value)


def size_of(trace, line):
    """What was added up for each number of a step, all of it with one sign."""
    value = trace[line.name]
    if line.op in ADDS_UP:
        scope = {name: getattr(attention_core, name) for name in attention_core.__all__} | {"where": np.where}
        sizes = {
            name: np.abs(trace[name]) if trace[name].dtype != bool else trace[name] for name in line.inputs
        }
        return np.abs(eval(line.formula, {"__builtins__": {}}, scope | sizes))
    if line.op == "layer_norm":
        rows = trace[line.inputs[0]]
        largest = np.abs(rows).max(axis=-1, keepdims=True) / np.sqrt(rows.var(axis=-1, keepdims=True) + 1e-5)
        gamma, beta = (np.abs(trace[name]) if name in line.inputs else 1 for name in ("gamma", "beta"))
        return largest * gamma + beta
    return np.abs(value)


def assert_each_step(browser, trace):
    found = browser.each_step(trace)
    computed = [line for line in trace.plan.lines if line.op not in GIVEN]
    assert [*found] == [line.name for line in computed]
    for line in computed:
        near(found[line.name], trace[line.name], size_of(trace, line), line.name)


def assert_whole(browser, trace):
    found, failed = browser.carry_out(trace)
    assert not failed
    steep = max(1.0, largest(trace["scaled"]), largest(trace["masked"]))
    for line in trace.plan.lines:
        near(found[line.name], trace[line.name], steep * largest(trace[line.name]), line.name)


def largest(array):
    """The size of its largest finite number."""
    return float(np.abs(array[np.isfinite(array)].astype(float)).max(initial=0))


def assert_explained(browser, trace, cells):
    for (name, index, decimals), told in zip(cells, browser.explain(trace, cells), strict=True):
        expected = explain_cell(trace, name, index, decimals)
        assert told["text"] == expected.text
        assert told["latex"] == expected.latex
        pieces = expected.pieces, expected.latex_pieces
        assert told["numerals"] == [[isinstance(piece, Numeral) for piece in line] for line in pieces]
        operands = [[[one.step, list(one.index)] for one in term.operands] for term in expected.terms]
        assert told["operands"] == operands
        assert unpack(told["values"]).tolist() == [one.value for one in expected.operands]
        terms = unpack(told["terms"])
        near(terms, expected.terms, np.abs(expected.terms), expected.text)
        near(unpack(told["total"])[0], expected.total, np.abs(terms[np.isfinite(terms)]).sum(), expected.text)


# What every operation needs


def test_every_operation_has_its_rule_in_the_browser(browser):
    met = {line.op for trace in TRACES.values() for line in trace.plan.lines} - {*GIVEN}
    missing(met | {*EXPLAIN} | MOVING, browser.ask("operations"))


def missing(ops, has):
    """Says where an operation of attention_core needs a rule that the browser has not."""
    for op in sorted(ops):
        if op in MOVING:
            place = "MOVES of static/engine/origins.js: from the place of a number to where it came from"
            assert op in has["explained"], f"{op} moves numbers; write its rule in {place}"
            continue
        place = "COMPUTE of static/engine/operations.js: the numbers of the step from those of its inputs"
        assert op in has["computed"], f"{op} is not computed in the browser; write its rule in {place}"
        place = "EXPLAIN of static/engine/explain.js, as that of attention_core/explain.py"
        assert op in has["explained"], f"{op} is not explained in the browser; write its rule in {place}"
    more = {*has["computed"], *has["explained"]} - ops
    assert not more, f"no plan of attention_core has {', '.join(more)}; take the rule out of static/engine"


@pytest.mark.parametrize(
    ("op", "known", "sentence"),
    [
        (
            "rotate",
            [],
            "rotate is not computed in the browser; write its rule in COMPUTE of static/engine/op",
        ),
        (
            "rotate",
            ["computed"],
            "rotate is not explained in the browser; write its rule in EXPLAIN of static",
        ),
        ("split", [], "split moves numbers; write its rule in MOVES of static/engine/origins.js"),
    ],
)
def test_an_operation_without_a_rule_is_told_with_its_place(op, known, sentence):
    with pytest.raises(AssertionError, match=sentence):
        missing({op}, {"computed": [], "explained": []} | {kind: [op] for kind in known})


# Every option, every example


@pytest.mark.parametrize("name", TRACES)
def test_every_step_of_every_option(browser, name):
    assert_each_step(browser, TRACES[name])
    assert_whole(browser, TRACES[name])


@pytest.mark.parametrize("name", TRACES)
def test_every_cell_of_every_option_has_the_same_terms(browser, name):
    trace = TRACES[name]
    cells = [(line.name, index) for line in trace.plan.lines for index in np.ndindex(trace[line.name].shape)]
    assert_explained(browser, trace, [(*cell, place % 7) for place, cell in enumerate(cells)])


@pytest.mark.parametrize("preset", [one for one in preset_ids() if one not in LARGE])
def test_every_example(browser, preset):
    trace = load_preset(preset).trace()
    assert browser.ask("canCarryOut", lines=lines_of(trace))
    assert_each_step(browser, trace)
    assert_whole(browser, trace)
    shapes = {line.name: trace[line.name].shape for line in trace.plan.lines}
    corners = [
        (name, tuple(end * (size - 1) for size in shape)) for name, shape in shapes.items() for end in (0, 1)
    ]
    assert_explained(browser, trace, [(*corner, 2) for corner in corners])


@pytest.mark.parametrize("preset", LARGE)
def test_large_examples_are_declined(browser, preset):
    assert not browser.ask("canCarryOut", lines=lines_of(load_preset(preset).trace()))


def test_every_case_of_onnx(browser):
    """In double precision, which is what the browser has; and so near to what ONNX expects."""
    for case in map(read, CASES):
        trace = trace_of(case, np.float64)
        assert_each_step(browser, trace)
        assert_whole(browser, trace)
        [expected, *_] = case.expected.values()
        if expected.dtype == np.float32:
            found = outputs_of(Computed(trace, browser.carry_out(trace)[0]), case)["Y"]
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


class Computed:
    """A trace with the numbers of the browser."""

    def __init__(self, trace, values):
        self.trace, self.values = trace, values
        self.output = values["output"]

    def __getitem__(self, name):
        return self.values[self.trace.step(name).name]


# Whatever is chosen

SIZES = st.integers(1, 4)


@st.composite
def numbers(draw):
    """What draws arrays of one kind: whole numbers, what one types, any, of every size, or many that are alike."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["whole", "typed", "any", "every size", "alike"]))

    def some(*shape):
        match kind:
            case "whole":
                return rng.integers(-3, 4, shape).astype(float)
            case "typed":
                return np.round(rng.normal(size=shape), 2)
            case "any":
                return rng.normal(size=shape)
            case "every size":
                return rng.normal(size=shape) * 10.0 ** rng.integers(-9, 2, shape)
        return rng.choice([0.0, 1.0, -1.0], shape)

    return some, rng


@st.composite
def masks(draw, some, rng, n_queries, n_keys):
    """Options that hide keys: some of them, sometimes every key of a row."""
    options = {}
    match draw(st.sampled_from(["none", "causal", "window", "boolean", "float"])):
        case "causal":
            options["is_causal"] = True
        case "window":
            options["window"] = draw(st.tuples(st.none() | st.integers(0, 2), st.none() | st.integers(0, 2)))
        case "boolean":
            options["attn_mask"] = rng.random((n_queries, n_keys)) < draw(st.sampled_from([0.0, 0.3, 0.8]))
        case "float":
            added = some(n_queries, n_keys)
            options["attn_mask"] = np.where(rng.random(added.shape) < 0.3, -np.inf, added)
    if options and draw(st.booleans()):
        options["masked_fill"] = -1e9
    return options


@st.composite
def softened(draw):
    """Options between the scores and the weighted sum."""
    options = {}
    if draw(st.booleans()):
        options["scale"] = draw(st.sampled_from([1.0, 0.25, -0.5, 0.0]))
    if draw(st.booleans()):
        options["softcap"] = draw(st.sampled_from([0.5, 3.0, 30.0]))
    if draw(st.booleans()):
        options |= {"dropout_p": draw(st.sampled_from([0.1, 0.5])), "rng": draw(st.integers(0, 9))}
    return options


@st.composite
def multi_head(draw):
    some, rng = draw(numbers())
    n_tokens, d_in, d_key, d_value, kv_heads, shared = (draw(SIZES) for _ in range(6))
    lead = draw(st.sampled_from([(), (2,)]))
    n_heads = kv_heads * shared if draw(st.booleans()) else kv_heads
    options, past, n_keys, d_memory = {}, 0, n_tokens, d_in
    if n_heads != kv_heads:
        options["n_kv_heads"] = kv_heads
    if draw(st.booleans()):
        past = draw(st.integers(0, 2))
        options |= {
            "past_key": some(*lead, kv_heads, past, d_key),
            "past_value": some(*lead, kv_heads, past, d_value),
        }
    elif draw(st.booleans()):
        n_keys, d_memory = draw(SIZES), draw(SIZES)
        options["memory"] = some(*lead, n_keys, d_memory)
    widths = {"q": n_heads * d_key, "k": kv_heads * d_key, "v": kv_heads * d_value, "o": draw(SIZES)}
    options |= {f"b_{name}": some(width) for name, width in widths.items() if draw(st.booleans())}
    weights = [some(d_in if name == "q" else d_memory, widths[name]) for name in "qkv"]
    if "b_o" in options or draw(st.booleans()):
        weights.append(some(n_heads * d_value, widths["o"]))
    if draw(st.booleans()) and "past_key" not in options and "memory" not in options:
        options["split"] = "view"
    options |= draw(masks(some, rng, n_tokens, past + n_keys)) | draw(softened())
    return multi_head_attention, (some(*lead, n_tokens, d_in), *weights), {"n_heads": n_heads, **options}


@st.composite
def dot_product(draw):
    some, rng = draw(numbers())
    n_queries, n_keys, d_key, d_value, kv_heads, shared = (draw(SIZES) for _ in range(6))
    lead = draw(st.sampled_from([(), (kv_heads,), (2, kv_heads)]))
    repeated = (*lead[:-1], kv_heads * shared) if lead else lead
    options = {"enable_gqa": True} if repeated != lead else {}
    if len(lead) == 2 and draw(st.booleans()):
        options["kv_lengths"] = draw(st.lists(st.integers(0, n_keys), min_size=2, max_size=2))
    options |= draw(masks(some, rng, n_queries, n_keys)) | draw(softened())
    given = some(*repeated, n_queries, d_key), some(*lead, n_keys, d_key), some(*lead, n_keys, d_value)
    return scaled_dot_product_attention, given, options


@st.composite
def fused(draw):
    some, rng = draw(numbers())
    n_tokens, d_in, n_heads, d_head = (draw(SIZES) for _ in range(4))
    lead = draw(st.sampled_from([(), (2,)]))
    given = [some(*lead, n_tokens, d_in), some(d_in, 3 * n_heads * d_head)]
    options = {"n_heads": n_heads, "per_head": draw(st.booleans())}
    if draw(st.booleans()):
        given.append(some(n_heads * d_head, 3))
        options |= {"b_o": some(3)} if draw(st.booleans()) else {}
    options |= {"b_qkv": some(given[1].shape[1])} if draw(st.booleans()) else {}
    options |= draw(masks(some, rng, n_tokens, n_tokens)) | draw(softened())
    return fused_qkv_attention, tuple(given), options


@st.composite
def post_norm(draw):
    some, rng = draw(numbers())
    n_tokens, n_heads, d_head = (draw(SIZES) for _ in range(3))
    width = n_heads * d_head
    x = some(*draw(st.sampled_from([(), (2,)])), n_tokens, width)
    options = {name: some(width) for name in ("gamma", "beta") if draw(st.booleans())}
    options |= {"attn_mask": rng.random((n_tokens, n_tokens)) < 0.6} if draw(st.booleans()) else {}
    return (
        post_norm_attention,
        (x, x, x, *(some(width, width) for _ in range(4))),
        {"n_heads": n_heads, **options},
    )


@st.composite
def convolved(draw):
    some, _ = draw(numbers())
    n_heads, height, width = (draw(st.integers(1, 3)) for _ in range(3))
    dim = 2 * n_heads
    given = [some(draw(st.integers(1, 2)), dim, height, width), some(2 * dim, dim)]
    options = {"n_heads": n_heads, "b_qkv": some(2 * dim)} if draw(st.booleans()) else {"n_heads": n_heads}
    if draw(st.booleans()):
        given += [some(3, dim), some(dim, 3, 3)]
        options |= {"b_pe": some(dim), "b_proj": some(3)} if draw(st.booleans()) else {}
    return conv_attention, tuple(given), options


@settings(
    max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.one_of(multi_head(), dot_product(), fused(), post_norm(), convolved()), st.integers(0, 2**32 - 1))
def test_whatever_is_chosen(browser, call, seed):
    function, arrays, options = call
    trace = function(*arrays, **options)
    assert_each_step(browser, trace)
    assert_whole(browser, trace)
    rng = np.random.default_rng(seed)
    steps = [line.name for line in trace.plan.lines if trace[line.name].size]
    names = rng.choice(steps, 2)
    cells = [(str(name), tuple(int(rng.integers(size)) for size in trace[name].shape)) for name in names]
    assert_explained(browser, trace, [(*cell, int(rng.integers(7))) for cell in cells])


# What is no number


@pytest.mark.parametrize("name", varied_calls())
def test_what_python_refuses_as_too_large_fails_in_the_browser_too(browser, name):
    function, arrays, options = varied_calls()[name]
    trace = TRACES[name]
    first = next(line.name for line in trace.plan.lines if line.op == "input")
    _, failed = browser.carry_out(trace, **{first: trace[first] * math.nan})
    assert failed
    huge = [np.asarray(array, float) * 1e250 for array in arrays]
    with pytest.raises(AttentionError):
        function(*huge, **options)
    given = {
        line.name: trace[line.name] * 1e250 for line in trace.plan.lines if line.op in ("input", "parameter")
    }
    masks = {"visible", "attn_mask", "keep"}
    _, failed = browser.carry_out(
        trace, **{step: array for step, array in given.items() if step not in masks}
    )
    assert failed


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.lists(st.floats(-1e300, 1e300) | st.integers(-9, 9).map(float), max_size=12),
        min_size=60,
        max_size=60,
    )
)
def test_sums_are_rounded_once(browser, lists):
    found = unpack(browser.ask("sums", lists=[pack(one) for one in lists]))
    assert found.tolist() == [math.fsum(one) for one in lists]
