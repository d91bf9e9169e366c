"""Predict, then reveal: is the number a learner expects in a cell right, and if not, what went wrong?

Each operation has its usual mistakes. One is found by making it: the likeliest that gives the typed number is
reported, with the term or the cell it is about. Its sentence is in assets/words under `mistake`.
"""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from attention_core import Trace, numerals
from attention_core.explain import read_index
from ui.numbers import LINE, Numeral
from ui.predict.mistakes import (
    LARGE,
    SLIPS,
    Cell,
    Slip,
    elsewhere_slips,
    given_slips,
    is_whole,
    moved_slips,
    shown,
    unlikely_slips,
)

SHARE = 0.01  # of a number: how far off a prediction may be
WHOLE = 0.05  # how far off a whole number may be: it can be found exactly


class Verdict(NamedTuple):
    """Whether a prediction is right; if not, the mistake that gives it, where one does, with its facts."""

    right: bool
    mistake: str = ""
    facts: dict = {}  # noqa: RUF012, a tuple's default: nobody writes into it


@np.errstate(all="ignore")
def judge(trace: Trace, name: str, index: tuple[int, ...], typed: float, decimals: int) -> Verdict:
    """Whether `typed` is the number at `index` of a step, shown with `decimals`; if not, what went wrong."""
    step = trace.step(name)
    cell = Cell(trace, step, read_index(step, index))
    return judge_among(slips(cell, typed, decimals), cell.value, typed, decimals)


def judge_among(mistakes: Iterable[Slip], value: float, typed: float, decimals: int) -> Verdict:
    """Whether `typed` is `value`; if not, the first of the mistakes that gives it."""
    if agrees(typed, value, decimals):
        return Verdict(True)
    nearly = None
    for slip in mistakes:
        if agrees(typed, slip.number, decimals) and not agrees(slip.number, value, decimals):
            if typed == slip.number or abs(typed - slip.number) <= half_unit(decimals):
                return told(slip, decimals)
            nearly = nearly or slip  # within 1%, but another mistake may fit better
    return told(nearly, decimals) if nearly else Verdict(False)


def half_unit(decimals: int) -> float:
    """Half a unit in the last place shown, and a hair for the sake of binary fractions."""
    return 0.5 * 10.0**-decimals + 1e-9


def agrees(typed: float, value: float, decimals: int) -> bool:
    """Whether `typed` is `value` as far as can be seen: half a unit in the last place, or 1%."""
    if not math.isfinite(value):
        return typed == value
    return abs(typed - value) <= tolerance(value, decimals)


def tolerance(value: float, decimals: int) -> float:
    """How far off a number may be typed."""
    off = max(half_unit(decimals), SHARE * abs(value))
    return min(off, WHOLE) if is_whole(value) and abs(value) < LARGE else off


def told(slip: Slip, decimals: int) -> Verdict:
    """The verdict of a mistake that was found."""
    return Verdict(False, slip.code, {"number": shown(slip.number, decimals)} | slip.facts)


def is_rounded(typed: float, value: float) -> bool:
    """Whether `typed` is `value` rounded, with a place after the point and two digits that count: 3.5 for 3.54.

    That is right where nobody said how many places to give.
    """
    if not math.isfinite(value) or not 0 < abs(value) < LARGE:
        return False
    least = max(1, 1 - math.floor(math.log10(abs(value))))
    return any(abs(round(value, places) - typed) <= 1e-9 for places in range(least, 7))


def number_slips(value: float, typed: float, decimals: int) -> Iterator[Slip]:
    """What can go wrong with any number: its sign, its places."""
    yield Slip("sign", -value, {})
    yield from rounding_slips(value, typed, decimals, range(decimals, 0, -1))


def slips(cell: Cell, typed: float, decimals: int) -> Iterator[Slip]:
    """Every mistake that can be made in a cell, the likeliest first."""
    yield from number_slips(cell.value, typed, decimals)
    yield from (moved_slips if cell.step.moved else SLIPS.get(cell.step.op, given_slips))(cell)
    yield from rounding_slips(cell.value, typed, decimals, (0,))  # other mistakes give whole numbers too
    yield from elsewhere_slips(cell)
    if cell.step.op in ("contract", "depthwise"):
        yield from unlikely_slips(cell)
    for power in (10, 100, 1000):
        yield Slip("point", cell.value * power, {})
        yield Slip("point", cell.value / power, {})


def as_rounded(number: float, places: int) -> Numeral:
    """A number with just so many places, zeros too."""
    return Numeral(numerals.numeral(number, places, LINE._replace(fixed=True)))


def rounding_slips(value: float, typed: float, decimals: int, kept: Iterable[int]) -> Iterator[Slip]:
    """Exactly the right number with only so many places kept, or cut off; one digit of it must be left."""
    if not math.isfinite(value) or abs(value) >= LARGE:
        return
    for places in kept:
        cut = math.trunc(value * 10**places) / 10**places
        for number in (round(value, places), cut):
            if number and abs(number - typed) <= 1e-9 and (places or abs(value) >= 1):
                facts = {"number": as_rounded(number, places), "decimals": str(decimals)}
                yield Slip("cut_off" if places == decimals else "too_coarse", number, facts)
