"""The usual mistakes of each operation, made on purpose: which of them gives the number that was typed?"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from attention_core import Step, Term, Trace, explain_cell, numerals
from attention_core.explain import cell_name
from attention_core.expressions import LONGEST
from ui.numbers import LINE, Numeral, Spelled

FILLS = (-math.inf, -1e9)  # what hidden scores become, here or elsewhere
BASES = (2, 10, 3)  # of powers that are none of e
DIGITS = 4  # significant ones of a number in a sentence about a mistake
LARGE = 1e6  # from here on the board writes one digit, and a whole number need not be exact either


class Slip(NamedTuple):
    """A mistake, the number that comes out when it is made, and what its sentence tells besides."""

    code: str
    number: float
    facts: dict


class Cell(NamedTuple):
    """The cell a number is predicted for."""

    trace: Trace
    step: Step
    at: tuple[int, ...]

    @property
    def value(self) -> float:
        return float(self.step.value[self.at])

    def source(self, number: int = 0) -> Step:
        """An input of the step."""
        return self.trace.step(self.step.inputs[number])

    def has(self, name: str) -> bool:
        """Whether the step has an input of that name."""
        return name in self.step.inputs

    def seen_from(self, name: str, at: tuple) -> np.ndarray:
        """A mask at a place of the step; it broadcasts."""
        return np.broadcast_to(self.trace[name], self.step.shape)[at]


def brief(value: float) -> Numeral:
    """A number in few digits, whatever its size."""
    return Numeral(numerals.brief(value, DIGITS))


def factor(value: float) -> Spelled:
    """A number that is multiplied or added."""
    return Spelled("(", brief(value), ")") if value < 0 else Spelled(brief(value))


def shown(value: float, decimals: int) -> Numeral:
    """A number as a learner would type it; what is whole but for rounding is whole."""
    if abs(value) >= LARGE:
        return brief(value)
    return Numeral(numerals.numeral(round(value) if is_whole(value) else value, decimals, LINE))


def is_whole(value: float) -> bool:
    return math.isfinite(value) and abs(value - round(value)) <= 1e-9


def given_slips(cell: Cell) -> Iterator[Slip]:
    """Nothing is computed where numbers are given."""
    yield from ()


# Sums of products


def contraction_slips(cell: Cell) -> Iterator[Slip]:
    if cell.step.name == "scores" and "scale" in cell.trace:
        scale = float(cell.trace["scale"])
        yield Slip("scaled_already", cell.value * scale, {"scale": brief(scale)})
    shares = [place for place in (0, 1) if cell.source(place).op in ("softmax", "dropout")]
    if shares:
        yield from weighting_slips(cell, shares[0])
    yield from term_slips(cell)


def products_and_bias(cell: Cell) -> tuple[list[Term], list[Term]]:
    """The terms of a sum of products, those of two factors and those of one."""
    terms = explain_cell(cell.trace, cell.step.name, cell.at).terms
    products = [term for term in terms if len(term.operands) == 2]
    return products, [term for term in terms if len(term.operands) == 1]


def term_slips(cell: Cell) -> Iterator[Slip]:
    """One term left out or with the wrong sign."""
    products, bias = products_and_bias(cell)
    terms = products + bias
    for term in bias:
        facts = {"bias": str(term.operands[0]), "value": brief(term)}
        yield Slip("bias_forgotten", math.fsum(products), facts)
    if len(products) <= LONGEST:  # among many terms one fits by chance
        for term in products if len(products) > 1 else ():
            yield Slip("product_forgotten", math.fsum((*terms, -term)), in_words(term))
        for term in products:
            if min(operand.value for operand in term.operands) < 0:
                yield Slip("product_sign", math.fsum((*terms, -2 * term)), in_words(term))


def unlikely_slips(cell: Cell) -> Iterator[Slip]:
    """Slips in a sum of products that are rarer than reading another row or column."""
    products, bias = products_and_bias(cell)
    if cell.step.op == "contract":
        for operand, other in ((cell.source(0), cell.source(1)), (cell.source(1), cell.source(0))):
            yield from transposed_slips(cell, operand, other, math.fsum(bias))
    if len(products) > 2:
        yield Slip("first_product", float(products[0]), in_words(products[0]))
    pairs = [operand.value for term in products for operand in term.operands]
    first, second = (factor(value) for value in pairs[:2])
    facts = {"sum": Spelled(first, " + ", second), **in_words(products[0])}
    yield Slip("pairs_added", math.fsum((*pairs, *bias)), facts)


def in_words(term: Term) -> dict[str, str]:
    """A product as a sentence names it: 2·3 (q[0, 1] times k[2, 1])."""
    left, right = term.operands
    product = Spelled(factor(left.value), "·", factor(right.value))
    return {"product": product, "left": str(left), "right": str(right)}


def weighting_slips(cell: Cell, place: int) -> Iterator[Slip]:
    """Other weights: those before dropout, equal ones, one alone. `place`: which input the weights are."""
    shares, values = cell.source(place), cell.source(1 - place)
    column = line(cell, values)
    numbers = values.value[column]
    if shares.op == "dropout":
        before = cell.trace.step(shares.inputs[0])
        facts = {"before": written(before, line(cell, before)), "needed": written(shares, line(cell, shares))}
        yield Slip("before_dropout", float(before.value[line(cell, before)] @ numbers), facts)
    yield Slip("plain_average", float(numbers.mean()), {"values": written(values, column)})
    for key, number in enumerate(numbers[:LONGEST]):
        alone = tuple(key if isinstance(each, slice) else each for each in column)
        yield Slip("one_value", float(number), {"value": written(values, alone)})


def transposed_slips(cell: Cell, operand: Step, other: Step, bias: float) -> Iterator[Slip]:
    """An operand read along its rows where its columns belong, where both are equally long."""
    needed = line(cell, operand)
    taken = (*needed[:-2], *needed[:-3:-1])
    kinds = {isinstance(each, slice) for each in needed[-2:]}
    if len(kinds) == 2 and operand.shape[-1] == operand.shape[-2]:
        number = float(operand.value[taken] @ other.value[line(cell, other)]) + bias
        facts = {"taken": written(operand, taken), "needed": written(operand, needed)}
        yield Slip("transposed", number, facts)


def line(cell: Cell, operand: Step, at: tuple | None = None) -> tuple:
    """The index of the numbers of an operand that are summed for a cell: a slice along the summed axis."""
    places = dict(zip(cell.step.axes, at or cell.at, strict=True))
    return tuple(places.get(axis, slice(None)) for axis in operand.axes)


def written(step: Step, at: tuple) -> str:
    """A cell or a line of a step: q[0, :]."""
    return cell_name(step.name, tuple(":" if isinstance(i, slice) else int(i) for i in at))


def depthwise_slips(cell: Cell) -> Iterator[Slip]:
    batch, channel, row, column = cell.at
    image, kernel = np.pad(cell.source().value[batch, channel], 1), cell.source(1).value[channel]
    flipped = float((image[row : row + 3, column : column + 3] * kernel[::-1, ::-1]).sum())
    bias = sum(float(cell.trace[name][channel]) for name in cell.step.inputs[2:])
    kernel_name = written(cell.source(1), (channel, slice(None), slice(None)))
    yield Slip("kernel_flipped", flipped + bias, {"kernel": kernel_name})
    yield from term_slips(cell)


# From scores to weights


def scale_slips(cell: Cell) -> Iterator[Slip]:
    score, scale = float(cell.source().value[cell.at]), float(cell.trace["scale"])
    queries = cell.trace.step("q_heads")
    sizes = dict(zip(queries.axes, queries.shape, strict=True))
    width = sizes["key_feature"]
    yield Slip("scale_forgotten", score, {"scale": brief(scale)})
    if math.isclose(scale, width**-0.5, rel_tol=1e-6):
        facts = {"width": str(width), "root": brief(math.sqrt(width))}
        for wide in dict.fromkeys((model_width(cell.trace), width * sizes.get("head", 1))):
            yield Slip("root_of_all", score / math.sqrt(wide), {"all": str(wide), **facts})
        yield Slip("root_forgotten", score / width, facts)
    if scale:
        yield Slip("scale_inverted", score / scale, {"inverse": brief(1 / scale), "scale": brief(scale)})


def model_width(trace: Trace) -> int:
    """How many numbers a token has before it is projected; 1, as if not scaled, when it never was."""
    if "x" not in trace:
        return 1
    x = trace.step("x")
    return x.shape[x.axes.index("channel" if "channel" in x.axes else "feature")]


def softcap_slips(cell: Cell) -> Iterator[Slip]:
    score, cap = float(cell.source().value[cell.at]), brief(float(cell.trace["softcap"]))
    yield Slip("cap_forgotten", score, {"cap": cap})


def mask_slips(cell: Cell) -> Iterator[Slip]:
    score = float(cell.source().value[cell.at])
    added = float(cell.seen_from("attn_mask", cell.at)) if cell.has("attn_mask") else 0.0
    fill = {"fill": shown(cell.value, DIGITS)}
    covered = cell.has("visible") and not cell.seen_from("visible", cell.at)
    if covered:
        yield Slip("mask_forgotten", score, fill)
        yield Slip("mask_forgotten", score + added, fill)
    elif cell.has("attn_mask"):
        yield Slip("added_forgotten", score, {"mask": brief(added)})
        yield Slip("added_subtracted", score - added, {"mask": brief(added)})
    if covered or added <= -LARGE:  # a mask that is added can hide a score too
        yield Slip("hidden_as_zero", 0.0, fill)
        yield from (Slip("other_fill", number, fill) for number in FILLS)
    else:
        yield from (Slip("hidden_wrongly", number, {}) for number in FILLS)


def softmax_slips(cell: Cell) -> Iterator[Slip]:
    source, (*row, key) = cell.source(), cell.at
    scores = source.value[tuple(row)]
    score = float(scores[key])
    for op in ("scale", "softcap", "mask"):
        if any(each.op == op for each in cell.trace.plan.lines):
            yield Slip(f"softmax_without_{op}", share(scores_without(cell, op), key), {})
    yield Slip("step_forgotten", score, {"before": written(source, cell.at)})
    for shift, away in ((0.0, ""), (float(scores.max()), " − max")):
        powers = np.exp(scores - shift)
        facts = {"power": Spelled("e^(", brief(score), f"{away})"), "sum": brief(float(powers.sum()))}
        yield Slip("undivided", float(powers[key]), facts)
    total = float(scores[np.isfinite(scores)].sum())
    yield Slip("no_powers", float(np.divide(score, total)), {"score": brief(score), "sum": brief(total)})
    down = (*row[:-1], slice(None), key)
    facts = {"taken": written(source, down), "needed": written(source, (*row, slice(None)))}
    yield Slip("softmax_of_column", share(source.value[down], row[-1]), facts)
    for base in BASES:
        yield Slip("other_base", share(scores, key, base), {"base": str(base)})


def share(scores: np.ndarray, place: int, base: float = math.e) -> float:
    """The softmax of one of the scores."""
    highest = scores.max()
    if highest == -math.inf:
        return 0.0
    powers = base ** (scores - highest)
    return float(powers[place] / powers.sum())


def scores_without(cell: Cell, left_out: str) -> np.ndarray:
    """The row of scores that softmax would get if one step before it were left out."""
    trace, row = cell.trace, cell.at[:-1]
    scores = trace["scores"][row]
    for each in trace.plan.lines:
        if each.op == left_out:
            continue
        if each.op == "scale":
            scores = scores * trace["scale"]
        elif each.op == "softcap":
            scores = trace["softcap"] * np.tanh(scores / trace["softcap"])
        elif each.op == "mask":
            if "attn_mask" in each.inputs:
                scores = scores + cell.seen_from("attn_mask", row)
            if "visible" in each.inputs:
                scores = np.where(cell.seen_from("visible", row), scores, trace["masked_fill"])
    return scores


def dropout_slips(cell: Cell) -> Iterator[Slip]:
    weight, p = float(cell.source().value[cell.at]), float(cell.trace["dropout_p"])
    if cell.trace["keep"][cell.at]:
        yield Slip("dropout_unscaled", weight, {"p": brief(p), "rest": brief(1 - p)})
        yield Slip("dropped_wrongly", 0.0, {})
    else:
        yield Slip("kept_wrongly", weight / (1 - p), {})
        yield Slip("kept_wrongly", weight, {})


# After the heads


def add_slips(cell: Cell) -> Iterator[Slip]:
    first, second = (cell.source(number) for number in (0, 1))
    for one, other in ((first, second), (second, first)):
        facts = {"one": written(one, cell.at), "other": written(other, cell.at)}
        yield Slip("addend_forgotten", float(one.value[cell.at]), facts)


def layer_norm_slips(cell: Cell) -> Iterator[Slip]:
    source, channel = cell.source(), cell.at[-1]
    row = source.value[cell.at[:-1]].astype(np.float64)
    mean, here, eps = float(row.mean()), float(row[channel]), float(cell.trace["eps"])
    gamma, beta = (
        float(cell.trace[name][channel]) if cell.has(name) else usual
        for name, usual in (("gamma", 1.0), ("beta", 0.0))
    )
    deviation = math.sqrt(row.var() + eps)
    normal = (here - mean) / deviation
    facts = {"gamma": brief(gamma), "beta": brief(beta)}
    yield Slip("norm_undivided", (here - mean) * gamma + beta, {"deviation": brief(deviation)})
    yield Slip("mean_kept", here / deviation * gamma + beta, {"mean": brief(mean)})
    yield Slip("gamma_forgotten", normal + beta, {"gamma": facts["gamma"]})
    yield Slip("beta_forgotten", normal * gamma, {"beta": facts["beta"]})
    yield Slip("gamma_and_beta_forgotten", normal, facts)
    if len(row) > 1:
        sample = math.sqrt(row.var(ddof=1) + eps)
        facts = {"count": str(len(row)), "fewer": str(len(row) - 1)}
        yield Slip("one_fewer", (here - mean) / sample * gamma + beta, facts)
    yield Slip("step_forgotten", here, {"before": written(source, cell.at)})


# Numbers that only move


def moved_slips(cell: Cell) -> Iterator[Slip]:
    """The number that another way of moving would have put there, with the cell it would come from."""
    op, at, shape = cell.step.op, cell.at, cell.step.shape
    source = cell.source()
    if op in ("split", "merge", "permute"):
        yield moved_from("no_transpose", source, same_count(at, shape, source.shape))
    elif op.startswith("pick"):
        before = cell.trace.step(source.inputs[0])
        yield moved_from("no_transpose", before, same_count((int(op[-1]), *at), source.shape, before.shape))
    elif op == "repeat":
        yield moved_from("tiled", source, (*at[:-3], at[-3] % source.shape[-3], *at[-2:]))
    elif op == "concat":
        yield from cache_slips(cell)
    yield from layout_slips(cell)
    if op.startswith(("pick", "cut")):
        parts = (cell.trace.step(name) for name in ("q_heads", "k_heads", "v_heads"))
        yield from (moved_from("other_part", one, at) for one in parts if inside(at, one.shape))


def same_count(at: tuple, shape: tuple, source_shape: tuple) -> tuple[int, ...]:
    """Where a reshape finds a number: the place with the same count from the start."""
    return tuple(int(i) for i in np.unravel_index(np.ravel_multi_index(at, shape), source_shape))


def moved_from(code: str, source: Step, at: tuple[int, ...]) -> Slip:
    return Slip(code, float(source.value[at]), {"other": written(source, at)})


def inside(at: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return len(at) == len(shape) and all(0 <= i < n for i, n in zip(at, shape, strict=True))


def cache_slips(cell: Cell) -> Iterator[Slip]:
    """The new rows put before those of the cache."""
    past, new = cell.source(), cell.source(1)
    *lead, row, feature = cell.at
    n_new = new.shape[-2]
    source, row = (new, row) if row < n_new else (past, row - n_new)
    yield moved_from("cache_last", source, (*lead, row, feature))


def layout_slips(cell: Cell) -> Iterator[Slip]:
    """The channels of Q, K and V in another order: by head where they lie by part, or by part."""
    op, at = cell.step.op, cell.at
    if op == "reshape" and "part" in cell.step.axes:
        *lead, outer, inner, feature = at  # part and head, in this order or in the other
        n_outer, _, width = cell.step.shape[-3:]
        source = cell.trace.step("qkv")
        yield moved_from("other_layout", source, (*lead, (inner * n_outer + outer) * width + feature))
    elif op.startswith("cut"):
        batch, head, feature, pixel = at
        n_heads, width = cell.step.shape[1:3]
        start = int(op[-1]) * int(cell.trace["key_dim"]) * n_heads  # Q and K go before and are equally wide
        source = cell.trace.step("qkv")
        place = divmod(pixel, source.shape[-1])
        yield moved_from("other_layout", source, (batch, start + head * width + feature, *place))


# Other cells of the same step


def elsewhere_slips(cell: Cell) -> Iterator[Slip]:
    """The number of another cell: row and column swapped, or another place along one axis, nearest first."""
    *lead, row, column = cell.at if len(cell.at) > 1 else (0, 0)
    turned = (*lead, column, row)
    if inside(turned, cell.step.shape):
        yield moved_from("turned", cell.step, turned)
    for place in reversed(range(len(cell.at))):
        here, size = cell.at[place], cell.step.shape[place]
        others = [i for away in range(1, LONGEST) for i in (here - away, here + away) if 0 <= i < size]
        for other in others[:LONGEST]:
            yield elsewhere(cell, place, (*cell.at[:place], other, *cell.at[place + 1 :]))


def elsewhere(cell: Cell, place: int, there: tuple[int, ...]) -> Slip:
    """The number of the cell `there`, which differs along one axis."""
    axis, slip = cell.step.axes[place], moved_from("other_place", cell.step, there)
    if axis.startswith("batch"):
        return slip._replace(code="other_batch")
    if axis in ("head", "kv_head"):
        return slip._replace(code="other_head")
    if cell.step.op == "contract":
        left = axis in cell.source().axes
        operand = cell.source(0 if left else 1)
        lines = {"taken": line(cell, operand, there), "needed": line(cell, operand)}
        facts = slip.facts | {name: written(operand, each) for name, each in lines.items()}
        return slip._replace(code="swapped_row" if left else "swapped_column", facts=facts)
    names = {len(there) - 1: "other_column", len(there) - 2: "other_row"}
    return slip._replace(code=names.get(place, slip.code))


SLIPS = {
    "contract": contraction_slips,
    "scale": scale_slips,
    "softcap": softcap_slips,
    "mask": mask_slips,
    "softmax": softmax_slips,
    "dropout": dropout_slips,
    "add": add_slips,
    "layer_norm": layer_norm_slips,
    "depthwise": depthwise_slips,
}
