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

    def __new__(cls, value: int, formula: str, filled: str):
        amount = super().__new__(cls, value)
        amount.formula = formula
        amount.filled = filled
        return amount

    def __getnewargs__(self):
        return int(self), self.formula, self.filled

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
        if isinstance(node, ast.BinOp):
            return OPERATIONS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp):
            return -value(node.operand)
        if isinstance(node, ast.Call):
            return math.ceil(value(node.args[0]))
        return sizes[node.id] if isinstance(node, ast.Name) else node.value

    return value(parsed(formula))
