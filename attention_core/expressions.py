"""Arithmetic to be printed: as text, as LaTeX, and as what comes out of the printed numbers.

An expression is a tree. A `Printing` says how its numbers are rounded, so a tree can be tried with more and
more digits until a line is true of what it prints.
"""

from decimal import ROUND_HALF_UP, Context, Decimal
from itertools import chain
from typing import NamedTuple, Protocol

from .numerals import LINE, as_latex, brief, exponent_of, numeral, with_places, without_zeros

LONGEST = 12  # terms written out before the middle is left out
NEAR = Decimal("1e-12")  # a number is printed in full if no more than this share of it is missing
COMPUTE = Context(prec=60, rounding=ROUND_HALF_UP, traps=[])

Pieces = list[str]  # of a line; those that are numbers are Numerals


class Numeral(str):
    """A number among the pieces of a line; a page writes it with the marks of its language."""

    __slots__ = ()


class Printing:
    """How numbers are rounded: to so many decimals, or to so many significant digits."""

    def __init__(self, decimals: int = 0, *, more: int = 0, significant: int = 0):
        self.decimals, self.significant = decimals + more, significant
        self.form = LINE._replace(digits=LINE.digits + more)

    def text(self, value: float) -> Numeral:
        """Zeros at the end are dropped where nothing else would follow."""
        if self.significant:
            return Numeral(brief(value, self.significant))
        text = numeral(value, self.decimals, self.form)
        plain = "." in text and "e" not in text
        missing = abs(number_in(text) - Decimal(value)) if plain else 0
        return Numeral(without_zeros(text) if plain and missing <= NEAR * Decimal(abs(value)) else text)

    def agrees(self, computed: Decimal, value: float) -> bool:
        """Whether what was computed gives the digits in which the value is printed."""
        if not computed.is_finite() or value - value != 0:
            return computed == Decimal(value)
        unit = Decimal((0, (1,), self.last_place(abs(value))))
        found = (COMPUTE.quantize(number, unit) for number in (computed, number_in(self.text(value))))
        return next(found) == next(found)

    def last_place(self, size: float) -> int:
        """The power of ten of the last digit that is printed."""
        if size == 0:
            return -(self.significant or self.decimals)
        plain = size < LINE.plain_below and with_places(size, self.decimals).strip("0.")
        if plain and not self.significant:
            return -self.decimals
        digits = self.significant or self.form.digits
        place = exponent_of(size, digits) - digits + 1
        return min(place, 0) if size < LINE.plain_below else place


def number_in(text: str) -> Decimal:
    return Decimal(text.replace("−", "-").replace("∞", "Infinity"))


class Expression(Protocol):
    """A part of a line that can be printed and computed again from what is printed."""

    def pieces(self, how: Printing) -> Pieces: ...

    def latex(self, how: Printing) -> Pieces: ...

    def computed(self, how: Printing) -> Decimal: ...


class Number(NamedTuple):
    value: float

    def pieces(self, how: Printing) -> Pieces:
        return [how.text(self.value)]

    def latex(self, how: Printing) -> Pieces:
        return [how.text(self.value)]

    def computed(self, how: Printing) -> Decimal:
        return number_in(how.text(self.value))


class Fixed(NamedTuple):
    """A number with digits of its own."""

    number: Expression
    own: Printing

    def pieces(self, how: Printing) -> Pieces:
        return self.number.pieces(self.own)

    def latex(self, how: Printing) -> Pieces:
        return self.number.latex(self.own)

    def computed(self, how: Printing) -> Decimal:
        return self.number.computed(self.own)


class Power(NamedTuple):
    """e to a number."""

    exponent: Number

    def pieces(self, how: Printing) -> Pieces:
        return ["e^", *in_brackets(self.exponent, how)]

    def latex(self, how: Printing) -> Pieces:
        return ["e^{", *self.exponent.latex(how), "}"]

    def computed(self, how: Printing) -> Decimal:
        return COMPUTE.exp(self.exponent.computed(how))


class Product(NamedTuple):
    factors: tuple[Expression, ...]

    def pieces(self, how: Printing) -> Pieces:
        return joined("·", [in_brackets(factor, how) for factor in self.factors])

    def latex(self, how: Printing) -> Pieces:
        return joined(r" \cdot ", [in_latex_brackets(factor, how) for factor in self.factors])

    def computed(self, how: Printing) -> Decimal:
        found = Decimal(1)
        for factor in self.factors:
            found = COMPUTE.multiply(found, factor.computed(how))
        return found


class Sum(NamedTuple):
    terms: tuple[Expression, ...]

    @property
    def is_long(self) -> bool:
        return len(self.terms) > LONGEST

    def pieces(self, how: Printing) -> Pieces:
        return joined(" + ", shortened([in_brackets(term, how) for term in self.shown], self.is_long, "…"))

    def latex(self, how: Printing) -> Pieces:
        terms = [in_latex_brackets(term, how) for term in self.shown]
        return joined(" + ", shortened(terms, self.is_long, r"\dots"))

    @property
    def shown(self) -> tuple[Expression, ...]:
        return (*self.terms[: LONGEST - 2], self.terms[-1]) if self.is_long else self.terms

    def computed(self, how: Printing) -> Decimal:
        found = Decimal(0)
        for term in self.terms:
            found = COMPUTE.add(found, term.computed(how))
        return found


class Difference(NamedTuple):
    first: Number
    second: Number

    def pieces(self, how: Printing) -> Pieces:
        return [*self.first.pieces(how), " − ", *in_brackets(self.second, how)]

    def latex(self, how: Printing) -> Pieces:
        return [*self.first.latex(how), " - ", *in_latex_brackets(self.second, how)]

    def computed(self, how: Printing) -> Decimal:
        return COMPUTE.subtract(self.first.computed(how), self.second.computed(how))


class Quotient(NamedTuple):
    above: Expression
    below: Expression

    def pieces(self, how: Printing) -> Pieces:
        return [*in_brackets(self.above, how), " / ", *in_brackets(self.below, how)]

    def latex(self, how: Printing) -> Pieces:
        return [r"\frac{", *self.above.latex(how), "}{", *self.below.latex(how), "}"]

    def computed(self, how: Printing) -> Decimal:
        return COMPUTE.divide(self.above.computed(how), self.below.computed(how))


class Root(NamedTuple):
    inner: Sum

    def pieces(self, how: Printing) -> Pieces:
        return ["√(", *self.inner.pieces(how), ")"]

    def latex(self, how: Printing) -> Pieces:
        return [r"\sqrt{", *self.inner.latex(how), "}"]

    def computed(self, how: Printing) -> Decimal:
        return COMPUTE.sqrt(self.inner.computed(how))


class Tanh(NamedTuple):
    inner: Quotient

    def pieces(self, how: Printing) -> Pieces:
        return ["tanh(", *self.inner.pieces(how), ")"]

    def latex(self, how: Printing) -> Pieces:
        return [r"\tanh\left(", *self.inner.latex(how), r"\right)"]

    def computed(self, how: Printing) -> Decimal:
        twice = COMPUTE.exp(COMPUTE.multiply(Decimal(-2), abs(self.inner.computed(how))))
        size = COMPUTE.divide(COMPUTE.subtract(Decimal(1), twice), COMPUTE.add(Decimal(1), twice))
        return COMPUTE.copy_sign(size, self.inner.computed(how))


def in_brackets(part: Expression, how: Printing) -> Pieces:
    """A part of a larger expression: a sum, a difference or a number below 0 stands in brackets."""
    found = part.pieces(how)
    bare = isinstance(part, Power | Product | Quotient | Root | Tanh) or found[0][0] != "−"
    return found if bare and not isinstance(part, Sum | Difference) else ["(", *found, ")"]


def in_latex_brackets(part: Expression, how: Printing) -> Pieces:
    negative = isinstance(part, Number) and how.text(part.value)[0] == "−"
    return [r"\left(", *part.latex(how), r"\right)"] if negative else part.latex(how)


def joined(sign: str, parts: list[Pieces]) -> Pieces:
    """The pieces of all parts, with a sign between."""
    return list(chain.from_iterable([sign, *part] if place else part for place, part in enumerate(parts)))


def shortened(parts: list[Pieces], is_long: bool, dots: str) -> list[Pieces]:
    return [*parts[:-1], [dots], parts[-1]] if is_long else parts


def plain_latex(pieces: Pieces) -> str:
    """LaTeX without the marks of a language."""
    return "".join(as_latex(piece) if isinstance(piece, Numeral) else piece for piece in pieces)
