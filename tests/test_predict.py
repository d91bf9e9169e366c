"""A right prediction is right; of a wrong one the mistake is found, made here once more in whole arrays."""

import math
import tomllib

import numpy as np
import pytest

from attention_core import AttentionError, scaled_dot_product_attention, softmax
from ui.predict.judge import Verdict, agrees, judge
from ui.scenario.presets import load_preset, preset_ids
from ui.words import FOLDER, Words

from .test_words import fields
from .varied import varied_traces

PRESETS = {name: load_preset(name).trace() for name in preset_ids() if not load_preset(name).is_large}
VARIED = varied_traces()
TRACES = PRESETS | VARIED
SENTENCES = tomllib.loads((FOLDER / "en" / "predict.toml").read_text("utf-8"))["mistake"]
WORDS = Words()
SAMPLE = 10  # cells of each array of wrong numbers
# By code: a function from a trace to (step, numbers with that mistake), NaN where it cannot be made.
WRONG = {}


def mistake(*codes):
    def register(function):
        WRONG.update((code, lambda trace, code=code: function(trace, code)) for code in codes)
        return function

    return register


def read(text):
    """A number as a sentence writes it."""
    return float(text.replace("−", "-").replace("∞", "inf"))


def named(trace, text):
    """The number or the line of numbers that a sentence names: q[0, :]."""
    name, _, places = text.removesuffix("]").partition("[")
    return trace[name][tuple(slice(None) if place == ":" else int(place) for place in places.split(", "))]


def assert_told_truly(verdict, typed, decimals):
    """A mistake has a sentence for its facts, and the number it names is the one that was typed."""
    assert not verdict.right
    assert set(verdict.facts) == fields(SENTENCES[verdict.mistake]), verdict
    assert all(isinstance(fact, str) and "-" not in fact for fact in verdict.facts.values()), verdict
    assert WORDS(f"mistake.{verdict.mistake}", **verdict.facts).endswith(".")
    number = read(verdict.facts["number"])
    off = max(10.0**-decimals, 0.011 * abs(typed))
    assert number == typed or abs(number - typed) <= off + 1e-9, (verdict, typed)


def assert_cells_are_meant(trace, verdict, true, typed):
    """The cells that a sentence names hold what it says of them."""
    code, facts = verdict.mistake, verdict.facts
    same = {"other": facts.get("other")} if code != "addend_forgotten" else {"one": facts["one"]}
    same |= {"value": facts["value"]} if code == "one_value" else {}
    same |= {"before": facts["before"]} if code == "step_forgotten" else {}
    claims = [named(trace, text) for text in same.values() if text]
    if code in ("product_forgotten", "product_sign"):
        product = named(trace, facts["left"]) * named(trace, facts["right"])
        claims.append(true - product * (2 if code == "product_sign" else 1))
    if code == "bias_forgotten":
        claims.append(true - named(trace, facts["bias"]))
    if code == "plain_average":
        claims.append(named(trace, facts["values"]).mean())
    if "taken" in facts:
        assert named(trace, facts["taken"]).ndim == named(trace, facts["needed"]).ndim == 1
    for claim in claims:
        assert agrees(typed, float(claim), 5), (verdict, claim)


# Each mistake, made independently


def steps_of(trace, *ops):
    return [step for step in trace.steps if step.op in ops]


def multiply(step, trace, left=None, right=None, bias=True):
    """A contraction by einsum, with other operands if they are given."""
    a, b, *added = (trace.step(name) for name in step.inputs)
    letters = {axis: chr(97 + i) for i, axis in enumerate(dict.fromkeys(a.axes + b.axes + step.axes))}
    words = ["".join(letters[axis] for axis in axes) for axes in (a.axes, b.axes, step.axes)]
    left, right = (one.value if given is None else given for one, given in ((a, left), (b, right)))
    product = np.einsum(f"{words[0]},{words[1]}->{words[2]}", left, right)
    for one in added if bias else ():
        [axis] = one.axes
        place = step.axes.index(axis)
        product = product + one.value.reshape([-1 if i == place else 1 for i in range(len(step.axes))])
    return product


def neighbour(array, axis):
    """The number of the next cell along an axis, NaN at the end."""
    after = np.roll(array.astype(float), -1, axis)
    after[(slice(None),) * axis + (-1,)] = np.nan
    return after


def summed(step, trace):
    """Both operands, the axis that is summed in each, and its length."""
    a, b = (trace.step(name) for name in step.inputs[:2])
    [axis] = [axis for axis in a.axes if axis not in step.axes]
    return a, b, a.axes.index(axis), b.axes.index(axis), a.shape[a.axes.index(axis)]


def only(array, place, axis):
    """The array with zeros everywhere but at one place along an axis."""
    kept = np.zeros_like(array)
    at = (slice(None),) * axis + (place,)
    kept[at] = array[at]
    return kept


@mistake("product_forgotten", "product_sign", "first_product")
def wrong_products(trace, code):
    for step in steps_of(trace, "contract"):
        a, b, along_a, _, length = summed(step, trace)
        for place in range(length if length > 2 else 0):
            product = multiply(step, trace, left=only(a.value, place, along_a), bias=False)
            if code == "product_forgotten":
                yield step.name, step.value - product
            elif code == "product_sign":
                negative = multiply(step, trace, only(a.value < 0, place, along_a), np.ones(b.shape), False)
                negative += multiply(step, trace, only(np.ones(a.shape), place, along_a), b.value < 0, False)
                yield step.name, np.where(negative, step.value - 2 * product, np.nan)
            elif place == 0:
                yield step.name, product


@mistake("pairs_added")
def wrong_pairs(trace, code):
    for step in steps_of(trace, "contract"):
        a, b, *_ = summed(step, trace)
        with_bias = multiply(step, trace, left=np.ones(a.shape))
        yield step.name, with_bias + multiply(step, trace, right=np.ones(b.shape), bias=False)


@mistake("bias_forgotten")
def no_bias(trace, code):
    for step in steps_of(trace, "contract"):
        if len(step.inputs) > 2:
            yield step.name, multiply(step, trace, bias=False)
    for step in steps_of(trace, "depthwise"):
        if len(step.inputs) > 2:
            yield step.name, step.value - trace[step.inputs[2]][:, None, None]


@mistake("transposed")
def transposed_operand(trace, code):
    for step in steps_of(trace, "contract"):
        a, b, along_a, along_b, _ = summed(step, trace)
        for one, along, side in ((a, along_a, "left"), (b, along_b, "right")):
            if one.shape[-1] == one.shape[-2] and along >= one.value.ndim - 2:
                yield step.name, multiply(step, trace, **{side: one.value.swapaxes(-1, -2)})


@mistake("swapped_row", "swapped_column")
def other_line(trace, code):
    for step in steps_of(trace, "contract"):
        axes = [set(trace.step(name).axes) for name in step.inputs[:2]]
        mine, other = axes if code == "swapped_row" else axes[::-1]
        for place, axis in enumerate(step.axes):
            if axis in mine - other and not axis.startswith("batch"):
                yield step.name, neighbour(step.value, place)


@mistake("other_head", "other_batch")
def other_item(trace, code):
    for step in trace.steps:
        for place, axis in enumerate(step.axes):
            if axis.startswith("batch") if code == "other_batch" else axis.endswith("head"):
                yield step.name, neighbour(step.value, place)


@mistake("other_row", "other_column", "other_place")
def other_cell(trace, code):
    wanted = {"other_column": [-1], "other_row": [-2], "other_place": [-3, -4, -5]}[code]
    for step in trace.steps:
        for place, axis in enumerate(step.axes):
            named = axis.startswith("batch") or axis.endswith("head") or step.op == "contract"
            if place - len(step.axes) in wanted and not named:
                yield step.name, neighbour(step.value, place)


@mistake("turned")
def rows_for_columns(trace, code):
    for step in trace.steps:
        if step.value.ndim > 1 and step.shape[-1] == step.shape[-2]:
            yield step.name, step.value.swapaxes(-1, -2)


@mistake("scaled_already")
def scaled_too_early(trace, code):
    if "scale" in trace.parameters:
        yield "scores", trace["scaled"]


def weighted_sum(trace):
    """The step that weighs the values, its weights and its values with tokens as rows."""
    name = "weights" if "keep" not in trace.parameters else "dropped"
    [step] = [step for step in steps_of(trace, "contract") if name in step.inputs]
    [values] = [one for one in step.inputs if one != name]
    turned = step.axes[-1] == "query"  # channels first
    return step, trace[values].swapaxes(-1, -2) if turned else trace[values], turned


@mistake("before_dropout", "plain_average", "one_value")
def other_weights(trace, code):
    step, values, turned = weighted_sum(trace)
    shape = trace["weights"].shape
    if code == "one_value":
        weights = np.broadcast_to(np.arange(shape[-1]) == 0, shape).astype(float)
    else:
        weights = trace["weights"] if code == "before_dropout" else np.full(shape, 1 / shape[-1])
    if code != "before_dropout" or "keep" in trace.parameters:
        wrong = weights @ values
        yield step.name, wrong.swapaxes(-1, -2) if turned else wrong


@mistake("scale_forgotten", "root_forgotten", "root_of_all", "scale_inverted")
def wrong_scale(trace, code):
    queries = trace.step("q_heads")
    d_head = queries.shape[queries.axes.index("key_feature")]
    if "scale" not in trace.parameters:
        return
    all_widths = {d_head * (1, *trace["weights"].shape)[-3]} | (
        {*trace["x"].shape} if "x" in trace else set()
    )
    usual = math.isclose(trace["scale"], 1 / math.sqrt(d_head))
    if code == "scale_forgotten":
        yield "scaled", trace["scores"]
    elif code == "scale_inverted":
        yield "scaled", trace["scores"] * math.sqrt(d_head) if usual else trace["scores"] / trace["scale"]
    elif usual and code == "root_forgotten":
        if d_head**2 not in all_widths:  # else the root of all channels is the same number, and commoner
            yield "scaled", trace["scores"] / d_head
    elif usual and "x" in trace:
        x = trace.step("x")
        yield "scaled", trace["scores"] / math.sqrt(x.shape[1] if "channel" in x.axes else x.shape[-1])


@mistake("cap_forgotten")
def no_cap(trace, code):
    if "softcap" in trace.parameters:
        yield "softcapped", trace["scaled"]


def broadcast(trace, name, otherwise):
    found = trace.parameters.get(name)
    return np.broadcast_to(otherwise if found is None else found.value, trace["scores"].shape)


@mistake("mask_forgotten", "hidden_as_zero", "other_fill", "hidden_wrongly")
@mistake("added_forgotten", "added_subtracted")
def wrong_mask(trace, code):
    if not steps_of(trace, "mask"):
        return
    visible, added = broadcast(trace, "visible", True), broadcast(trace, "attn_mask", 0.0)
    before = trace["softcapped"]
    if code in ("mask_forgotten", "hidden_as_zero", "other_fill"):
        fill = -np.inf if "masked_fill" in trace.parameters and trace["masked_fill"] > -1e10 else -1e9
        wrong = {"mask_forgotten": before, "hidden_as_zero": np.zeros(before.shape), "other_fill": fill}[code]
        yield "masked", np.where(visible, np.nan, wrong)
    elif code == "hidden_wrongly":
        for fill in (-np.inf, -1e9):
            yield "masked", np.where(visible & np.isfinite(added), fill, np.nan)
    elif "attn_mask" in trace.parameters:
        wrong = before if code == "added_forgotten" else before - np.where(np.isfinite(added), added, np.nan)
        yield "masked", np.where(visible, wrong, np.nan)


def shares(scores, base=math.e, axis=-1):
    return softmax(scores * math.log(base), axis=axis)


@mistake("softmax_without_scale", "softmax_without_softcap", "softmax_without_mask")
def softmax_of_less(trace, code):
    scale = float(trace["scale"]) if "scale" in trace.parameters else 1.0
    cap = float(trace["softcap"]) if "softcap" in trace.parameters else None
    missing = code.removeprefix("softmax_without_")
    if not steps_of(trace, missing):
        return
    scores = trace["scores"] * (1.0 if missing == "scale" else scale)
    if cap and missing != "softcap":
        scores = cap * np.tanh(scores / cap)
    if missing != "mask":
        scores = scores + broadcast(trace, "attn_mask", 0.0)
        fill = float(trace["masked_fill"]) if "masked_fill" in trace.parameters else 0.0
        scores = np.where(broadcast(trace, "visible", True), scores, fill)
    yield "weights", shares(scores)


@mistake("softmax_of_column", "undivided", "no_powers", "other_base")
def wrong_softmax(trace, code):
    scores = trace["masked"]
    if code == "softmax_of_column":
        yield "weights", shares(scores, axis=-2)
    elif code == "other_base":
        for base in (2, 3, 10):
            yield "weights", shares(scores, base)
    elif code == "undivided":
        yield "weights", np.where(scores < 300, np.exp(np.minimum(scores, 300)), np.nan)
        with np.errstate(invalid="ignore"):
            yield "weights", np.exp(scores - scores.max(axis=-1, keepdims=True))
    elif np.isfinite(scores).all():
        total = scores.sum(axis=-1, keepdims=True)
        yield "weights", scores / np.where(total, total, np.nan)


@mistake("step_forgotten")
def no_step(trace, code):
    yield "weights", trace["masked"]
    for step in steps_of(trace, "layer_norm"):
        yield step.name, trace["residual"]


@mistake("dropout_unscaled", "dropped_wrongly", "kept_wrongly")
def wrong_dropout(trace, code):
    if "keep" not in trace.parameters:
        return
    keep, weights, rest = trace["keep"], trace["weights"], 1 - trace["dropout_p"]
    if code == "kept_wrongly":
        yield "dropped", np.where(keep, np.nan, weights / rest)
        yield "dropped", np.where(keep, np.nan, weights)
    else:
        yield "dropped", np.where(keep, weights if code == "dropout_unscaled" else 0.0, np.nan)


@mistake("addend_forgotten")
def no_residual(trace, code):
    for step in steps_of(trace, "add"):
        for name in step.inputs:
            yield step.name, trace[name]


@mistake("norm_undivided", "mean_kept", "one_fewer")
@mistake("gamma_forgotten", "beta_forgotten", "gamma_and_beta_forgotten")
def wrong_norm(trace, code):
    for step in steps_of(trace, "layer_norm"):
        rows = trace["residual"]
        centred, spread = rows - rows.mean(-1, keepdims=True), rows.std(-1, keepdims=True)
        gamma, beta = (trace[name] if name in trace.parameters else None for name in ("gamma", "beta"))
        if code.endswith("forgotten") and gamma is None:
            continue
        gamma, beta = (1.0, 0.0) if gamma is None else (gamma, beta)
        yield (
            step.name,
            {
                "norm_undivided": centred * gamma + beta,
                "mean_kept": rows / spread * gamma + beta,
                "gamma_forgotten": centred / spread + beta,
                "beta_forgotten": centred / spread * gamma,
                "gamma_and_beta_forgotten": centred / spread,
                "one_fewer": centred / rows.std(-1, keepdims=True, ddof=1) * gamma + beta,
            }[code],
        )


@mistake("kernel_flipped")
def convolved(trace, code):
    for step in steps_of(trace, "depthwise"):
        image, kernel = trace[step.inputs[0]], trace[step.inputs[1]][:, ::-1, ::-1]
        padded = np.pad(image, [(0, 0), (0, 0), (1, 1), (1, 1)])
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
        bias = trace[step.inputs[2]][:, None, None] if len(step.inputs) > 2 else 0.0
        yield step.name, np.einsum("bchwij,cij->bchw", windows, kernel) + bias


@mistake("no_transpose")
def only_viewed(trace, code):
    for step in steps_of(trace, "split", "merge", "permute"):
        yield step.name, trace[step.inputs[0]].reshape(step.shape)
    for step in steps_of(trace, "pick_0", "pick_1", "pick_2"):
        yield step.name, trace["qkv"].reshape(trace["qkv_permuted"].shape)[int(step.op[-1])]


@mistake("tiled")
def heads_in_turn(trace, code):
    for step in steps_of(trace, "repeat"):
        heads = trace[step.inputs[0]]
        yield step.name, np.concatenate([heads] * (step.shape[-3] // heads.shape[-3]), axis=-3)


@mistake("cache_last")
def new_rows_first(trace, code):
    for step in steps_of(trace, "concat"):
        yield step.name, np.concatenate([trace[name] for name in step.inputs[::-1]], axis=-2)


@mistake("other_layout")
def channels_in_another_order(trace, code):
    for step in steps_of(trace, "reshape"):
        if "part" in step.axes:
            *lead, part, heads, width = step.shape
            yield step.name, trace["qkv"].reshape(*lead, heads, part, width).swapaxes(-2, -3)
    if steps_of(trace, "cut_0"):
        names = ("q_heads", "k_heads", "v_heads")
        widths = [trace[name].shape[1] * trace[name].shape[2] for name in names]
        parts = np.split(trace["qkv"], np.cumsum(widths)[:-1], axis=1)
        for name, part in zip(names, parts, strict=True):
            yield name, part.reshape(trace[name].shape)


@mistake("other_part")
def another_of_the_three(trace, code):
    if steps_of(trace, "pick_0", "cut_0"):
        yield "q_heads", trace["k_heads"]
        yield "k_heads", trace["q_heads"]
    if steps_of(trace, "pick_0"):
        yield "v_heads", trace["k_heads"]


@mistake("sign", "point")
def wrong_digits(trace, code):
    for step in trace.steps:
        finite = np.where(np.isfinite(step.value), step.value, np.nan)
        for factor in (-1,) if code == "sign" else (10, 0.01):
            yield step.name, finite * factor


def wrong_cells(code, traces):
    """Some cells of every array with that mistake, where its number differs from the true one."""
    rng = np.random.default_rng(1)
    for trace in traces.values():
        for name, numbers in WRONG[code](trace):
            true = trace[name]
            assert numbers.shape == true.shape
            differs = [
                index
                for index, typed in np.ndenumerate(numbers)
                if not math.isnan(typed) and not agrees(float(typed), float(true[index]), 5)
            ]
            for place in rng.permutation(len(differs))[:SAMPLE]:
                index = differs[place]
                yield trace, name, index, float(true[index]), float(numbers[index])


@pytest.mark.parametrize("code", WRONG)
@pytest.mark.parametrize(("traces", "least"), [(VARIED, 0.9), (PRESETS, 0)], ids=["varied", "presets"])
def test_a_mistake_is_recognised_by_its_number(code, traces, least):
    """In numbers drawn at random hardly two mistakes agree; in those of presets a likelier one may."""
    found = []
    for trace, name, index, true, typed in wrong_cells(code, traces):
        verdict = judge(trace, name, index, typed, 5)
        assert_told_truly(verdict, typed, 5)
        assert_cells_are_meant(trace, verdict, true, typed)
        found.append(verdict.mistake == code)
    assert not least or np.mean(found) >= least


def test_every_mistake_has_a_sentence_and_every_sentence_a_mistake():
    assert set(SENTENCES) == {*WRONG, "too_coarse", "cut_off"}


# Right and wrong


@pytest.mark.parametrize("decimals", [2, 3, 4])
@pytest.mark.parametrize("preset_id", PRESETS)
def test_every_cell_is_right_as_it_is_shown(preset_id, decimals):
    trace = PRESETS[preset_id]
    for step in trace.steps:
        for index, value in np.ndenumerate(step.value):
            assert judge(trace, step.name, index, round(float(value), decimals), decimals) == (True, "", {})


@pytest.mark.parametrize(
    ("typed", "value", "decimals", "right"),
    [
        (0.65, 0.6471, 2, True),
        (0.6471, 0.6471, 2, True),
        (0.64, 0.6471, 2, False),
        (0.647, 0.6471, 4, True),  # within 1%
        (0.6, 0.6471, 1, True),
        (123, 123.9, 2, True),
        (122, 123.9, 2, False),
        (100, 100, 2, True),
        (100.06, 100, 2, False),  # a whole number can be found exactly
        (100.04, 100, 2, True),
        (3.4, 3, 0, False),
        (3, 3.4, 0, True),
        (0, 0.004, 2, True),
        (0.01, 0, 2, False),
        (-0.0, 0.0, 2, True),
        (1.24e6, 1234567, 2, True),
        (-math.inf, -math.inf, 2, True),
        (-1e9, -math.inf, 2, False),
        (-math.inf, -1e9, 2, False),
        (-1e9, -1e9, 2, True),
        (math.nan, 1, 2, False),
        (math.nan, -math.inf, 2, False),
        (math.inf, 1e300, 2, False),
    ],
)
def test_what_is_near_enough(typed, value, decimals, right):
    assert agrees(typed, value, decimals) is right


@pytest.mark.parametrize("name", TRACES)
def test_other_numbers_are_wrong_and_whatever_is_said_of_them_is_true(name):
    trace, rng = TRACES[name], np.random.default_rng(5)
    for step in (*trace.steps, *trace.parameters.values()):
        for flat in rng.permutation(step.value.size)[:12]:
            index = np.unravel_index(flat, step.shape) if step.shape else ()
            decimals = int(rng.integers(0, 5))
            drawn = rng.normal(0, 3), float(rng.integers(-9, 10)), round(rng.random(), 2)
            for typed in (*drawn, 0, -1, 1e9, -math.inf, math.nan, math.inf):
                verdict = judge(trace, step.name, index, typed, decimals)
                assert verdict.right == agrees(typed, float(step.value[index]), decimals)
                if verdict.mistake:
                    assert_told_truly(verdict, typed, decimals)
                else:
                    assert verdict.facts == {}


@pytest.mark.parametrize("name", VARIED)
def test_no_cell_raises(name):
    trace = VARIED[name]
    for step in trace.steps:
        for index in np.ndindex(step.shape):
            assert isinstance(judge(trace, step.name, index, 1e9, 2), Verdict)


def test_what_is_no_number_is_wrong_without_a_reason():
    assert judge(PRESETS["pixels_2x2"], "scores", (0, 0, 1), math.nan, 2) == (False, "", {})
    assert judge(PRESETS["pixels_2x2"], "scores", (0, 0, 1), math.inf, 2) == (False, "", {})
    assert judge(PRESETS["causal"], "masked", (0, 0, 1), math.inf, 2) == (False, "sign", {"number": "∞"})


def test_a_cell_that_is_not_there_is_refused():
    with pytest.raises(AttentionError):
        judge(PRESETS["pixels_2x2"], "scores", (0, 0, 4), 1.0, 2)


# What is said


@pytest.mark.parametrize(
    ("preset_id", "step", "index", "typed", "sentence"),
    [
        (
            "pixels_2x2",
            "scores",
            (0, 0, 1),
            2,
            "2 is the sum without the product 1·1 (q_heads[0, 0, 0] times k_heads[0, 1, 0]).",
        ),
        (
            "pixels_2x2",
            "scores",
            (0, 0, 1),
            5,
            "5 is scores[0, 0, 3], made with k_heads[0, 3, :]. Take k_heads[0, 1, :] here.",
        ),
        (
            "pixels_2x2",
            "scores",
            (0, 0, 3),
            3.54,
            "3.54 is the score times 0.7071. Scaling is the next step; here it is still left out.",
        ),
        ("pixels_2x2", "scaled", (0, 0, 3), 5, "5 is the score before scaling. Multiply it by 0.7071."),
        (
            "pixels_2x2",
            "scaled",
            (0, 0, 3),
            2.5,
            "2.50 is the score divided by √4. The root of the width of one head is needed: √2 = 1.414.",
        ),
        ("pixels_2x2", "scaled", (0, 0, 3), -3.54, "−3.54 has the wrong sign. The rest is right."),
        (
            "pixels_2x2",
            "scaled",
            (0, 0, 3),
            35.4,
            "35.36 has the right digits, but the decimal point is in the wrong place.",
        ),
        ("pixels_2x2", "weights", (0, 0, 3), 0.6, "0.6 has too few places. Give 2 places."),
        ("pixels_2x2", "weights", (0, 0, 3), 0.64, "0.64 is cut off after 2 places. Round it instead."),
        ("causal", "masked", (0, 0, 0), -math.inf, "−∞ hides the score. This query may look at this key."),
        (
            "causal",
            "masked",
            (0, 0, 1),
            -1e9,
            "−1e9 hides the score as well, but here hidden scores become −∞.",
        ),
    ],
)
def test_sentences(preset_id, step, index, typed, sentence):
    verdict = judge(PRESETS[preset_id], step, index, typed, 2)
    assert WORDS(f"mistake.{verdict.mistake}", **verdict.facts) == sentence


def judge_score(q, k, typed):
    """The verdict on the one score of one query and one key."""
    trace = scaled_dot_product_attention([q], [k], [[1.0]], scale=1.0)
    return judge(trace, "scores", (0, 0), typed, 2)


def test_a_mask_that_is_added_can_hide_a_score():
    for hidden, told in ((-math.inf, "−∞"), (-1e9, "−1e9")):
        mask = np.array([[0.0, hidden]])
        trace = scaled_dot_product_attention([[1.0]], [[1.0], [2.0]], [[1.0], [1.0]], attn_mask=mask)
        other = -1e9 if hidden == -math.inf else -math.inf
        assert judge(trace, "masked", (0, 1), hidden, 2).right
        assert judge(trace, "masked", (0, 1), 0, 2)[1:] == ("hidden_as_zero", {"number": "0", "fill": told})
        assert judge(trace, "masked", (0, 1), other, 2).mistake == "other_fill"
        assert judge(trace, "masked", (0, 1), 2, 2)[1:] == ("added_forgotten", {"number": "2", "mask": told})
        assert judge(trace, "masked", (0, 0), other, 2).mistake == "hidden_wrongly"


def test_a_mistake_that_fits_exactly_goes_before_one_that_nearly_fits():
    q, k = [0.18, 100.0, 99.8], [1.0, 1.0, 1.0]
    assert judge_score(q, k, 99.5).facts["product"] == "100·1"
    assert judge_score(q, k, 100.18).facts["product"] == "99.8·1"


def test_a_mistake_that_hardly_changes_the_number_is_not_blamed():
    assert judge_score([10.03, 0.08], [1.0, 1.0], 9.95) == (False, "", {})
    assert judge_score([10.03, 0.38], [1.0, 1.0], 9.95).mistake == "product_forgotten"


def test_only_a_rounded_number_is_called_rounded():
    assert judge_score([1.437], [1.0], 1.4).mistake == "too_coarse"
    assert judge_score([1.437], [1.0], 1.404) == (False, "", {})


def test_rounding_is_told_with_the_places_asked_for():
    trace = VARIED["one head"]
    told = []
    for decimals in (2, 3, 4):
        for index, value in np.ndenumerate(trace["q"]):
            for places in range(1, decimals + 1):
                for typed in (round(float(value), places), math.trunc(value * 10**places) / 10**places):
                    verdict = judge(trace, "q", index, typed, decimals)
                    if verdict.mistake:
                        assert verdict.mistake == ("cut_off" if places == decimals else "too_coarse")
                        assert verdict.facts == {
                            "number": f"{typed:.{places}f}".replace("-", "−"),
                            "decimals": str(decimals),
                        }
                        told.append(verdict.mistake)
    assert set(told) == {"cut_off", "too_coarse"}
