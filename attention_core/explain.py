"""The arithmetic behind one number: operands, terms, total, as values, as text and as LaTeX."""

import math
import operator
from typing import NamedTuple

import numpy as np

from .checks import read_count
from .contraction import summed_axes
from .errors import AttentionError
from .origins import one_step_back
from .trace import Step, Trace

LONGEST = 12  # terms written out in text before the middle is left out
PLAIN_EXPONENT = 20  # scores up to here are written e^score, larger ones e^(score - highest)


class Operand(NamedTuple):
    """A number and where it stands: the step or parameter and the index there."""

    step: str
    index: tuple[int, ...]
    value: float

    def __str__(self) -> str:
        return f"{self.step}[{', '.join(map(str, self.index))}]" if self.index else self.step


class Term(float):
    """A number that remembers the operands it was made of."""

    def __new__(cls, value, *operands: Operand):
        term = super().__new__(cls, value)
        term.operands = operands
        return term


class Explanation(NamedTuple):
    """Why `step[index]` is `total`: `terms` hold the products or exponentials, `text` the line."""

    step: str
    index: tuple[int, ...]
    terms: tuple[Term, ...]
    total: float
    text: str
    latex: str

    @property
    def operands(self) -> tuple[Operand, ...]:
        return tuple(operand for term in self.terms for operand in term.operands)


class Arithmetic(NamedTuple):
    """Terms, total, and the line between name and total in symbols, in numbers, and in LaTeX."""

    terms: tuple[Term, ...]
    total: float
    symbols: str
    numbers: str
    latex: str


def explain_cell(trace: Trace, step: str, index, digits: int = 6) -> Explanation:
    """The terms behind `trace[step][index]`, with numbers written to `digits` significant places."""
    found = trace.step(step)
    at = read_index(found, index)
    write = Writer(read_count("digits", digits))
    explain = explain_moved if found.moved else EXPLAIN.get(found.op, explain_given)
    terms, total, symbols, numbers, latex = explain(trace, found, at, write)
    name = str(Operand(found.name, at, total))
    lines = dict.fromkeys(part for part in (name, symbols, numbers, write(total)) if part)
    return Explanation(
        found.name,
        at,
        terms,
        total,
        " = ".join(lines),
        f"{write.latex_name(found.name, at)} = {latex}{write.latex_total(latex, total)}",
    )


def read_index(step: Step, index) -> tuple[int, ...]:
    """`index` as a tuple of ints inside the step's shape; negative ones count from the end."""
    try:
        given = tuple(index) if np.iterable(index) else (index,)
        at = tuple(operator.index(i) for i in given)
        inside = len(at) == len(step.shape) and all(-n <= i < n for i, n in zip(at, step.shape, strict=True))
    except TypeError:
        inside = False
    if not inside:
        facts = {"given": index, "shape": step.shape, "needed": len(step.shape)}
        raise AttentionError("index", name=step.name, **facts)
    return tuple(i % n for i, n in zip(at, step.shape, strict=True))


class Writer:
    """Numbers as a textbook prints them."""

    def __init__(self, digits: int):
        self.digits = digits

    def __call__(self, value: float) -> str:
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        return f"{value + 0.0:.{self.digits}g}".replace("-", "−")

    def factor(self, value: float) -> str:
        return f"({self(value)})" if value < 0 else self(value)

    def latex(self, value: float) -> str:
        text = self(value).replace("−", "-").replace("∞", r"\infty")
        mantissa, _, exponent = text.partition("e")
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else text

    def latex_factor(self, value: float) -> str:
        return rf"\left({self.latex(value)}\right)" if value < 0 else self.latex(value)

    def latex_name(self, name: str, index: tuple[int, ...]) -> str:
        place = f"_{{{','.join(map(str, index))}}}" if index else ""
        return rf"\mathrm{{{name.replace('_', chr(92) + '_')}}}{place}"

    def latex_total(self, latex: str, total: float) -> str:
        return "" if latex == self.latex(total) else f" = {self.latex(total)}"

    def added(self, parts: list[str]) -> str:
        """`parts` with plus signs between, the middle left out when there are many."""
        if len(parts) > LONGEST:
            parts = [*parts[: LONGEST - 2], "…", parts[-1]]
        return " + ".join(parts)


def cell(trace: Trace, name: str, index: tuple[int, ...]) -> Operand:
    return Operand(name, index, float(trace[name][index]))


def by_names(axes: tuple[str, ...], places: dict[str, int]) -> tuple[int, ...]:
    return tuple(places[axis] for axis in axes)


def sum_of_products(terms: tuple[Term, ...], write: Writer) -> Arithmetic:
    symbols = ["·".join(map(str, term.operands)) for term in terms]
    if len(terms) == len(terms[0].operands) == 1:
        return Arithmetic(terms, float(terms[0]), symbols[0], "", write.latex_name(*terms[0].operands[0][:2]))
    numbers = ["·".join(write.factor(one.value) for one in term.operands) for term in terms]
    latex = [r" \cdot ".join(write.latex_factor(one.value) for one in term.operands) for term in terms]
    latex_line = write.added(latex).replace("…", r"\dots")
    return Arithmetic(terms, math.fsum(terms), write.added(symbols), write.added(numbers), latex_line)


def explain_given(trace: Trace, step: Step, at, write: Writer) -> Arithmetic:
    value = float(step.value[at])
    return Arithmetic((), value, "", "", write.latex(value))


def explain_moved(trace: Trace, step: Step, at, write: Writer) -> Arithmetic:
    found = one_step_back(trace, step)
    number = int(found.which[at])
    place = np.unravel_index(int(found.flat[at]), found.shapes[number])
    operand = cell(trace, found.sources[number], tuple(int(i) for i in place))
    return Arithmetic(
        (Term(operand.value, operand),), operand.value, str(operand), "", write.latex_name(*operand[:2])
    )


def explain_contraction(trace: Trace, step: Step, at, write: Writer) -> Arithmetic:
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
    return sum_of_products(tuple(terms), write)


def explain_scale(trace: Trace, step: Step, at, write: Writer) -> Arithmetic:
    score, scale = cell(trace, step.inputs[0], at), cell(trace, "scale", ())
    return sum_of_products((Term(score.value * scale.value, score, scale),), write)


def explain_softcap(trace: Trace, step: Step, at, write: Writer) -> Arithmetic:
    score, cap = cell(trace, step.inputs[0], at), cell(trace, "softcap", ())
    total = cap.value * math.tanh(score.value / cap.value)
    number, latex_number = write(cap.value), write.latex(cap.value)
    return Arithmetic(
        (Term(total, score, cap),),
        total,
        f"softcap·tanh({score} / softcap)",
        f"{number}·tanh({write(score.value)} / {number})",
        rf"{latex_number} \tanh\left(\frac{{{write.latex(score.value)}}}{{{latex_number}}}\right)",
    )


def explain_mask(trace: Trace, step: Step, at, write: Writer) -> Arithmetic:
    def broadcast(name: str) -> tuple[int, ...]:
        shape = trace[name].shape
        return tuple(0 if size == 1 else i for i, size in zip(at[-len(shape) :], shape, strict=True))

    if "visible" in step.inputs and not trace["visible"][broadcast("visible")]:
        seen, fill = cell(trace, "visible", broadcast("visible")), cell(trace, "masked_fill", ())
        symbols = f"masked_fill ({seen} = False)"
        return Arithmetic((Term(fill.value, fill, seen),), fill.value, symbols, "", write.latex(fill.value))
    operands = [cell(trace, step.inputs[0], at)]
    if "attn_mask" in step.inputs:
        operands.append(cell(trace, "attn_mask", broadcast("attn_mask")))
    return sum_of_products(tuple(Term(one.value, one) for one in operands), write)


def explain_softmax(trace: Trace, step: Step, at, write: Writer) -> Arithmetic:
    name = step.inputs[0]
    row = [cell(trace, name, (*at[:-1], key)) for key in range(step.shape[-1])]
    highest = max(operand.value for operand in row)
    if highest == -math.inf:  # nothing to look at
        terms = tuple(Term(0.0, operand) for operand in row)
        ends = ", …, ".join(dict.fromkeys((str(row[0]), str(row[-1]))))
        return Arithmetic(terms, 0.0, "", f"0 ({ends} = −∞)", "0")
    lowest = min(operand.value for operand in row if operand.value > -math.inf)
    shifted = max(highest, -lowest) > PLAIN_EXPONENT
    exponents = [operand.value - highest if shifted else operand.value for operand in row]
    terms = tuple(Term(math.exp(exponent), operand) for exponent, operand in zip(exponents, row, strict=True))
    total, below = terms[at[-1]] / math.fsum(terms), math.fsum(terms)

    def fraction(powers: list[str]) -> str:
        return f"{powers[at[-1]]} / ({write.added(powers)})"

    away = " − max" if shifted else ""
    symbols = fraction([f"e^({operand}{away})" if away else f"e^{operand}" for operand in row])
    numbers = fraction([f"e^{write.factor(exponent)}" for exponent in exponents])
    latex_powers = [f"e^{{{write.latex(exponent)}}}" for exponent in exponents]
    latex_below = write.added(latex_powers).replace("…", r"\dots")
    latex = rf"\frac{{{latex_powers[at[-1]]}}}{{{latex_below}}}"
    latex += rf" = \frac{{{write.latex(terms[at[-1]])}}}{{{write.latex(below)}}}"
    return Arithmetic(terms, total, symbols, f"{numbers} = {write(terms[at[-1]])} / {write(below)}", latex)


def explain_dropout(trace: Trace, step: Step, at, write: Writer) -> Arithmetic:
    weight, kept = cell(trace, step.inputs[0], at), cell(trace, "keep", at)
    dropout_p = cell(trace, "dropout_p", ())
    p = dropout_p.value
    if not kept.value:
        return Arithmetic((Term(0.0, weight, kept),), 0.0, f"0 ({kept} = False)", "", "0")
    total = weight.value / (1 - p)
    return Arithmetic(
        (Term(total, weight, kept, dropout_p),),
        total,
        f"{weight} / (1 − dropout_p)",
        f"{write(weight.value)} / {write(1 - p)}",
        rf"\frac{{{write.latex(weight.value)}}}{{{write.latex(1 - p)}}}",
    )


def explain_add(trace: Trace, step: Step, at, write: Writer) -> Arithmetic:
    operands = [cell(trace, name, at) for name in step.inputs]
    return sum_of_products(tuple(Term(one.value, one) for one in operands), write)


def explain_layer_norm(trace: Trace, step: Step, at, write: Writer) -> Arithmetic:
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
    times = f"·{write.factor(gamma.value)}" if gamma else ""
    plus = f" + {write.factor(beta.value)}" if beta else ""
    numbers = (
        f"({write(here.value)} − {write.factor(mean)}) / √({write(variance)} + {write(eps)}){times}{plus}"
    )
    above = f"{write.latex(here.value)} - {write.latex_factor(mean)}"
    below = rf"\sqrt{{{write.latex(variance)} + {write.latex(eps)}}}"
    latex = rf"\frac{{{above}}}{{{below}}}"
    latex += rf" \cdot {write.latex_factor(gamma.value)}" if gamma else ""
    latex += f" + {write.latex_factor(beta.value)}" if beta else ""
    return Arithmetic(tuple(terms), math.fsum(terms), "", numbers, latex)


def explain_depthwise(trace: Trace, step: Step, at, write: Writer) -> Arithmetic:
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
    return sum_of_products(tuple(terms), write)


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
