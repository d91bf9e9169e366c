"""An exercise as data: what is given, what is asked, and the answer. Its sentences are in assets/words."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from attention_core import Trace
from attention_core.numerals import numeral
from ui.numbers import LINE, Numeral
from ui.scenario.scenario import Scenario

LEVELS = ("easy", "medium", "hard", "thirds")  # thirds: powers of 3 in place of powers of e
KINDS = ("cell", "weights", "output", "shape", "wrong", "mask", "code")
THIRDS_KINDS = ("cell", "weights", "output", "wrong", "mask")  # nothing else has powers in it
LETTERS = "ABCD"
DECIMALS = 2  # asked for, where a number is no simple fraction
LARGEST_BELOW = 200  # the largest denominator of a simple fraction
RAISED = str.maketrans("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


@dataclass(frozen=True)
class Grid:
    """A matrix on the page: the step it is, or "", and its rows; None where nothing is written."""

    name: str
    rows: tuple[tuple[float | None, ...], ...]
    asked: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Option:
    """One of four answers to pick from: what is seen, and what it is (a line of code, a mask)."""

    grids: tuple[Grid, ...]
    says: str


@dataclass(frozen=True)
class Exercise:
    """One exercise. `answers` are the numbers in the cells or the shape; a row and a column; or an option."""

    level: str
    kind: str
    ask: str  # its sentence, below `practice.ask`
    given: tuple[Grid, ...]
    answers: tuple[float, ...]
    facts: dict[str, Any] = field(default_factory=dict)  # what the sentence names
    scenario: Scenario | None = None  # the computation behind it
    step: str = ""  # the step whose cells, shape or wrong cell is asked for
    cells: tuple[tuple[int, int], ...] = ()  # on the matrix of that step
    code: str = ""
    options: tuple[Option, ...] = ()

    @cached_property
    def trace(self) -> Trace:
        if self.scenario is None:
            raise ValueError(f"nothing is computed for {self.kind}")
        return self.scenario.trace()


def kinds_of(level: str) -> tuple[str, ...]:
    """The kinds of exercise that a level has."""
    return THIRDS_KINDS if level == "thirds" else KINDS


def matrix_of(trace: Trace, step: str) -> np.ndarray:
    """The step as rows and columns; an exercise has one head and one batch item."""
    value = trace[step]
    return value[(0,) * (value.ndim - 2)]


def index_of(trace: Trace, step: str, cell: tuple[int, int]) -> tuple[int, ...]:
    """The full index of a cell of `matrix_of`."""
    return (0,) * (trace[step].ndim - 2) + cell


def as_rows(array: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in np.atleast_2d(array))


def grid(trace: Trace, step: str) -> Grid:
    """A step that is given."""
    return Grid(step, as_rows(matrix_of(trace, step)))


def blank_grid(trace: Trace, step: str, cells: tuple[tuple[int, int], ...]) -> Grid:
    """A step to be filled in at some cells."""
    n_rows, n_columns = matrix_of(trace, step).shape
    return Grid(step, ((None,) * n_columns,) * n_rows, cells)


def fill(
    level: str, kind: str, ask: str, scenario: Scenario, given: tuple, step: str, cells, **facts
) -> Exercise:
    """An exercise with `given` (names of steps, or grids) and cells of `step` to fill in."""
    trace, cells = scenario.trace(), tuple(cells)
    grids = [one if isinstance(one, Grid) else grid(trace, one) for one in given]
    grids = (*grids, blank_grid(trace, step, cells))
    answers = tuple(float(matrix_of(trace, step)[cell]) for cell in cells)
    return Exercise(level, kind, ask, grids, answers, facts, scenario, step, cells)


def simple_fraction(value: float) -> Fraction | None:
    """The fraction with a small denominator that a number is, or None."""
    if not math.isfinite(value):
        return None
    near = Fraction(value).limit_denominator(LARGEST_BELOW)
    return near if abs(float(near) - value) < 1e-9 else None


def write_value(value: float | None) -> Numeral:
    """A number as a page shows it: 3, −2, 3/13, 0.58, −∞; nothing for a blank. It has no marks yet."""
    if value is None:
        return Numeral()
    fraction = simple_fraction(value)
    return Numeral(str(fraction).replace("-", "−") if fraction is not None else rounded(value))


def rounded(value: float) -> Numeral:
    """A number as a decimal, also where it is a simple fraction."""
    return Numeral(numeral(value, DECIMALS, LINE._replace(fixed=True)))


def write_power(base: str, exponent: float) -> Numeral:
    """3² or e⁻¹: a power with a whole exponent."""
    return Numeral(base + write_value(exponent).translate(RAISED))
