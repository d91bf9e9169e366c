"""Whole numbers that remember the formula they come from."""

import ast
import math
import operator
from fractions import Fraction
from functools import lru_cache

# How formulas are written for people, and the same as Python reads it.
SIGNS = str.maketrans({"·": "*", "²": "**2", "−": "-", "⌈": "ceil(", "⌉": ")"})

OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: Fraction,  # exact, so that rounding up never goes one too far
    ast.Pow: operator.pow,
}


class Amount(int):
    """A whole number that remembers its formula, in symbols and filled in with numbers."""

    formula: str
    filled: str

    def __new__(cls, value: int, formula: str, filled: str):
        amount = super().__new__(cls, value)
        amount.formula = formula
        amount.filled = filled
        return amount

    def __reduce__(self):
        return Amount, (int(self), self.formula, self.filled)

    @classmethod
    def of(cls, formula: str, sizes: dict[str, int]) -> "Amount":
        """The value of a formula whose letters are `sizes`, such as "12·d² + 13·d" at {"d": 768}."""
        filled = "".join(str(sizes.get(letter, letter)) for letter in formula)
        return cls(evaluate(formula, sizes), formula, filled)


@lru_cache(maxsize=256)
def parsed(formula: str) -> ast.expr:
    return ast.parse(formula.translate(SIGNS), mode="eval").body


def evaluate(formula: str, sizes: dict[str, int]) -> int:
    """The value of a formula of sums, differences, products, quotients and squares; ⌈ ⌉ rounds up."""

    def value(node: ast.expr) -> int | Fraction:
        match node:
            case ast.BinOp(left, sign, right):
                return OPERATIONS[type(sign)](value(left), value(right))
            case ast.UnaryOp(operand=operand):
                return -value(operand)
            case ast.Call(args=[inner]):
                return math.ceil(value(inner))
            case ast.Name(id=letter):
                return sizes[letter]
            case ast.Constant(value=int(number)):
                return number
        raise ValueError(formula)

    return int(value(parsed(formula)))
