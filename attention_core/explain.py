"""The arithmetic behind one number: operands, terms, total, as values, as text and as LaTeX.

A line is true when it is computed again from what is printed: it begins with as many decimals as are asked
for, and takes more where they are needed.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from .checks import read_count
from .contraction import summed_axes
from .errors import AttentionError
from .expressions import (
    LONGEST,
    Difference,
    Fixed,
    Number,
    Pieces,
    Power,
    Printing,
    Product,
    Quotient,
    Root,
    Sum,
    Tanh,
    plain_latex,
)
from .origins import one_step_back
from .trace import Step, Trace

PLAIN_EXPONENT = 20  # scores up to here are written e^score, larger ones e^(score - highest)
MOST_MORE = 8  # digits that a line may have beyond those asked for
FINEST = 18  # decimals of an exponent


class Operand(NamedTuple):
    """A number and where it stands: the step or parameter and the index there."""

    step: str
    index: tuple[int, ...]  # pyright: ignore[reportIncompatibleMethodOverride]: of a place, not of a tuple
    value: float

    def __str__(self) -> str:
        return cell_name(self.step, self.index)


def cell_name(step: str, index: tuple[int | str, ...]) -> str:
    """A number of a step as it is called: scores[0, 1]."""
    return f"{step}[{', '.join(map(str, index))}]" if index else step


class Term(float):
    """A number that remembers the operands it was made of."""

    operands: tuple[Operand, ...]

    def __new__(cls, value, *operands: Operand):
        term = super().__new__(cls, value)
        term.operands = operands
        return term


class Settled(NamedTuple):
    """How a line is printed: the expressions before the total, each with its digits; those of the total."""

    members: list[tuple]
    total: Printing


class Arithmetic(NamedTuple):
    """Terms, total, the line in symbols, and how it is settled for a number of decimals.

    `latex` is the right side of a line without numbers: a name.
    """

    terms: tuple[Term, ...]
    total: float
    symbols: str = ""
    settle: Callable[[int], Settled] = lambda decimals: Settled([], Printing(decimals))
    latex: str = ""


@dataclass(frozen=True)
class Explanation:
    """Why `step[index]` is `total`: `terms` hold the products or exponentials, `text` the line.

    `pieces` and `latex_pieces` are the same lines in parts, those that are numbers as `Numeral`.
    """

    step: str
    index: tuple[int, ...]
    decimals: int
    arithmetic: Arithmetic

    @property
    def terms(self) -> tuple[Term, ...]:
        return self.arithmetic.terms

    @property
    def total(self) -> float:
        return self.arithmetic.total

    @property
    def operands(self) -> tuple[Operand, ...]:
        return tuple(operand for term in self.terms for operand in term.operands)

    @cached_property
    def settled(self) -> Settled:
        return self.arithmetic.settle(self.decimals)

    @cached_property
    def pieces(self) -> Pieces:
        members, how = self.settled
        numbers = [member.pieces(digits) for member, digits in members]
        name = cell_name(self.step, self.index)
        return in_a_line([[name], [self.arithmetic.symbols], *numbers, [how.text(self.total)]])

    @cached_property
    def latex_pieces(self) -> Pieces:
        members, how = self.settled
        numbers = [member.latex(digits) for member, digits in members]
        name, symbols = latex_name(self.step, self.index), self.arithmetic.latex
        return in_a_line([[name], [symbols], *numbers, [how.text(self.total)]])

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def latex(self) -> str:
        return plain_latex(self.latex_pieces)


def explain_cell(trace: Trace, step: str, index, decimals: int = 4) -> Explanation:
    """The terms behind `trace[step][index]`; the line has so many decimals, or as many as make it true."""
    found = trace.step(step)
    at = read_index(found, index)
    decimals = read_count("decimals", decimals, least=0)
    explain = explain_moved if found.moved else EXPLAIN.get(found.op, explain_given)
    return Explanation(found.name, at, decimals, explain(trace, found, at))


def read_index(step: Step, index) -> tuple[int, ...]:
    """`index` as a tuple of ints inside the step's shape; negative ones count from the end."""
    facts = {"given": index, "shape": step.shape, "needed": len(step.shape)}
    try:
        at = tuple(operator.index(i) for i in (index if np.iterable(index) else (index,)))
    except TypeError:
        raise AttentionError("index", name=step.name, **facts) from None
    if len(at) != len(step.shape) or not all(-n <= i < n for i, n in zip(at, step.shape, strict=True)):
        raise AttentionError("index", name=step.name, **facts)
    return tuple(i % n for i, n in zip(at, step.shape, strict=True))


def latex_name(name: str, index: tuple[int, ...]) -> str:
    place = f"_{{{','.join(map(str, index))}}}" if index else ""
    return rf"\mathrm{{{name.replace('_', chr(92) + '_')}}}{place}"


def in_a_line(parts: list[Pieces]) -> Pieces:
    """The parts with = between them; what is empty or was there before is left out."""
    different = {"".join(part): part for part in reversed(parts) if any(part)}
    found: Pieces = []
    for text in dict.fromkeys("".join(part) for part in parts if any(part)):
        found += [" = ", *different[text]] if found else different[text]
    return found


def added(parts: list[str]) -> str:
    """Symbols with plus signs between, the middle left out when there are many."""
    if len(parts) > LONGEST:
        parts = [*parts[: LONGEST - 2], "…", parts[-1]]
    return " + ".join(parts)


def settle(member, total: float, decimals: int) -> Settled:
    """An expression with the fewest digits that give the total as it is printed."""
    if isinstance(member, Sum) and member.is_long:  # nobody can compute it again
        return Settled([(member, Printing(decimals))], Printing(decimals))
    for more in range(MOST_MORE):
        how = Printing(decimals, more=more)
        for digits in range(more, more + MOST_MORE):
            finer = Printing(decimals, more=digits)
            if how.agrees(member.computed(finer), total):
                return Settled([(member, finer)], how)
    return Settled([(member, Printing(decimals))], Printing(decimals))


def cell(trace: Trace, name: str, index: tuple[int, ...]) -> Operand:
    return Operand(name, index, float(trace[name][index]))


def by_names(axes: tuple[str, ...], places: dict[str, int]) -> tuple[int, ...]:
    return tuple(places[axis] for axis in axes)


def sum_of_products(terms: tuple[Term, ...]) -> Arithmetic:
    symbols = ["·".join(map(str, term.operands)) for term in terms]
    if len(terms) == len(terms[0].operands) == 1:
        name = latex_name(*terms[0].operands[0][:2])
        return Arithmetic(terms, float(terms[0]), symbols[0], latex=name)
    products = [tuple(Number(one.value) for one in term.operands) for term in terms]
    parts = [factors[0] if len(factors) == 1 else Product(factors) for factors in products]
    line = Sum(tuple(parts)) if len(parts) > 1 else parts[0]
    total = math.fsum(terms)
    return Arithmetic(terms, total, added(symbols), partial(settle, line, total))


def explain_given(trace: Trace, step: Step, at) -> Arithmetic:
    value = float(step.value[at])
    return Arithmetic((), value)


def explain_moved(trace: Trace, step: Step, at) -> Arithmetic:
    found = one_step_back(trace, step)
    number = int(found.which[at])
    place = np.unravel_index(int(found.flat[at]), found.shapes[number])
    operand = cell(trace, found.sources[number], tuple(int(i) for i in place))
    name = latex_name(*operand[:2])
    return Arithmetic((Term(operand.value, operand),), operand.value, str(operand), latex=name)


def explain_contraction(trace: Trace, step: Step, at) -> Arithmetic:
    a, b, *bias = (trace.step(name) for name in step.inputs)
    places = dict(zip(step.axes, at, strict=True))
    axes = summed_axes(step.axes, a.axes, b.axes)
    sizes = dict(zip(a.axes + b.axes, a.shape + b.shape, strict=True))
    terms = []
    for summed in np.ndindex(*(sizes[axis] for axis in axes)):
        here = places | dict(zip(axes, summed, strict=True))
        factors = [cell(trace, one.name, by_names(one.axes, here)) for one in (a, b)]
        terms.append(Term(factors[0].value * factors[1].value, *factors))
    for given in bias:
        operand = cell(trace, given.name, by_names(given.axes, places))
        terms.append(Term(operand.value, operand))
    return sum_of_products(tuple(terms))


def explain_scale(trace: Trace, step: Step, at) -> Arithmetic:
    score, scale = cell(trace, step.inputs[0], at), cell(trace, "scale", ())
    return sum_of_products((Term(score.value * scale.value, score, scale),))


def explain_softcap(trace: Trace, step: Step, at) -> Arithmetic:
    score, cap = cell(trace, step.inputs[0], at), cell(trace, "softcap", ())
    total = cap.value * math.tanh(score.value / cap.value)
    line = Product((Number(cap.value), Tanh(Quotient(Number(score.value), Number(cap.value)))))
    symbols = f"softcap·tanh({score} / softcap)"
    return Arithmetic((Term(total, score, cap),), total, symbols, partial(settle, line, total))


def explain_mask(trace: Trace, step: Step, at) -> Arithmetic:
    def broadcast(name: str) -> tuple[int, ...]:
        shape = trace[name].shape
        return tuple(0 if size == 1 else i for i, size in zip(at[-len(shape) :], shape, strict=True))

    if "visible" in step.inputs and not trace["visible"][broadcast("visible")]:
        seen, fill = cell(trace, "visible", broadcast("visible")), cell(trace, "masked_fill", ())
        symbols = f"masked_fill ({seen} = False)"
        return Arithmetic((Term(fill.value, fill, seen),), fill.value, symbols)
    operands = [cell(trace, step.inputs[0], at)]
    if "attn_mask" in step.inputs:
        operands.append(cell(trace, "attn_mask", broadcast("attn_mask")))
    return sum_of_products(tuple(Term(one.value, one) for one in operands))


def explain_softmax(trace: Trace, step: Step, at) -> Arithmetic:
    name = step.inputs[0]
    row = [cell(trace, name, (*at[:-1], key)) for key in range(step.shape[-1])]
    highest = max(operand.value for operand in row)
    if highest == -math.inf:  # nothing to look at
        terms = tuple(Term(0.0, operand) for operand in row)
        ends = ", …, ".join(dict.fromkeys((str(row[0]), str(row[-1]))))
        return Arithmetic(terms, 0.0, f"0 ({ends} = −∞)")
    lowest = min(operand.value for operand in row if operand.value > -math.inf)
    shifted = max(highest, -lowest) > PLAIN_EXPONENT
    exponents = [operand.value - highest if shifted else operand.value for operand in row]
    terms = tuple(Term(math.exp(exponent), operand) for exponent, operand in zip(exponents, row, strict=True))
    total = terms[at[-1]] / math.fsum(terms)
    away = " − max" if shifted else ""
    powers = [f"e^({operand}{away})" if away else f"e^{operand}" for operand in row]
    symbols = f"{powers[at[-1]]} / ({added(powers)})"
    return Arithmetic(terms, total, symbols, partial(settle_shares, exponents, terms, at[-1], total))


def settle_shares(
    exponents: list[float], terms: tuple[Term, ...], place: int, total: float, decimals: int
) -> Settled:
    """A share three ways: e^1 / (e^0 + e^1) = 2.72 / (1 + 2.72) = 2.72 / 3.72.

    The values have significant digits, which are what a quotient needs; their sum may have fewer than they.
    """
    numbers = [Number(float(term)) for term in terms]
    values = Quotient(numbers[place], Sum(tuple(numbers)))
    fewest = max(3, decimals + 2)
    for more in range(MOST_MORE):
        how = Printing(decimals, more=more)
        for least in range(fewest + more, fewest + more + MOST_MORE):
            of_sum = Printing(significant=least)
            for digits in range(least, least + MOST_MORE):
                finer = Printing(significant=digits)
                divided = add_up(values, math.fsum(terms), finer, of_sum)
                if divided and is_so(divided, how, how, total) and is_so(values, finer, how, total):
                    powers = settle_powers(exponents, numbers, place, total, (decimals, finer, how))
                    if powers:
                        return Settled([powers, (values, finer), (divided, how)], how)
    plain = Printing(decimals)
    return Settled([(values, plain)], plain)


def is_long_below(line: Quotient) -> bool:
    """Whether so many terms are added up below that nobody can do it again."""
    return isinstance(line.below, Sum) and line.below.is_long


def is_so(line: Quotient, digits: Printing, how: Printing, total: float) -> bool:
    """Whether a quotient with these digits gives the total; of a long one nobody can tell."""
    return is_long_below(line) or how.agrees(line.computed(digits), total)


def add_up(values: Quotient, sum_: float, finer: Printing, of_sum: Printing) -> Quotient | None:
    """The quotient of two numbers, if what stands below it is the sum of the terms as they are printed."""
    if not is_long_below(values) and not of_sum.agrees(values.below.computed(finer), sum_):
        return None
    return Quotient(Fixed(values.above, finer), Fixed(Number(sum_), of_sum))


def settle_powers(
    exponents: list[float], numbers: list[Number], place: int, total: float, digits
) -> tuple | None:
    """The share in powers of e, with the fewest decimals that give each value as it is printed."""
    decimals, finer, how = digits
    powers = [Power(Number(exponent)) for exponent in exponents]
    line = Quotient(powers[place], Sum(tuple(powers)))
    shown = (*range(LONGEST - 2), place, len(powers) - 1) if is_long_below(line) else range(len(powers))
    for more in range(FINEST):
        own = Printing(decimals, more=more)
        if all(finer.agrees(powers[key].computed(own), numbers[key].value) for key in shown):
            return (line, own) if is_so(line, own, how, total) else None
    return None


def explain_dropout(trace: Trace, step: Step, at) -> Arithmetic:
    weight, kept = cell(trace, step.inputs[0], at), cell(trace, "keep", at)
    dropout_p = cell(trace, "dropout_p", ())
    p = dropout_p.value
    if not kept.value:
        return Arithmetic((Term(0.0, weight, kept),), 0.0, f"0 ({kept} = False)")
    total = weight.value / (1 - p)
    line, symbols = Quotient(Number(weight.value), Number(1 - p)), f"{weight} / (1 − dropout_p)"
    return Arithmetic((Term(total, weight, kept, dropout_p),), total, symbols, partial(settle, line, total))


def explain_add(trace: Trace, step: Step, at) -> Arithmetic:
    operands = [cell(trace, name, at) for name in step.inputs]
    return sum_of_products(tuple(Term(one.value, one) for one in operands))


def explain_layer_norm(trace: Trace, step: Step, at) -> Arithmetic:
    source = step.inputs[0]
    row = [cell(trace, source, (*at[:-1], i)) for i in range(step.shape[-1])]
    values = [operand.value for operand in row]
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / len(values)
    eps_given = cell(trace, "eps", ())
    eps = eps_given.value
    gamma, beta = (cell(trace, name, at[-1:]) if name in step.inputs else None for name in ("gamma", "beta"))
    here = row[at[-1]]
    normal = (here.value - mean) / math.sqrt(variance + eps)
    used = (*row, eps_given, gamma) if gamma else (*row, eps_given)
    terms = [Term(normal * gamma.value if gamma else normal, *used)]
    terms += [Term(beta.value, beta)] if beta else []
    above = Difference(Number(here.value), Number(mean))
    line = Quotient(above, Root(Sum((Number(variance), Number(eps)))))
    line = Product((line, Number(gamma.value))) if gamma else line
    line = Sum((line, Number(beta.value))) if beta else line
    total = math.fsum(terms)
    return Arithmetic(tuple(terms), total, "", partial(settle, line, total))


def explain_depthwise(trace: Trace, step: Step, at) -> Arithmetic:
    image, weight, *bias = step.inputs
    batch, channel, row, column = at
    height, width = step.shape[-2:]
    terms = []
    for down, right in np.ndindex(3, 3):
        i, j = row + down - 1, column + right - 1
        if 0 <= i < height and 0 <= j < width:  # outside the image is 0
            factors = cell(trace, image, (batch, channel, i, j)), cell(trace, weight, (channel, down, right))
            terms.append(Term(factors[0].value * factors[1].value, *factors))
    for name in bias:
        operand = cell(trace, name, (channel,))
        terms.append(Term(operand.value, operand))
    return sum_of_products(tuple(terms))


EXPLAIN = {
    "contract": explain_contraction,
    "scale": explain_scale,
    "softcap": explain_softcap,
    "mask": explain_mask,
    "softmax": explain_softmax,
    "dropout": explain_dropout,
    "add": explain_add,
    "layer_norm": explain_layer_norm,
    "depthwise": explain_depthwise,
}
