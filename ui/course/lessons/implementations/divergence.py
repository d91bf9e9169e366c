"""Where two implementations diverge: every step of both in the same orientation, compared in order of flow.

Why they diverge is found by experiment: a habit that is taken away from both is the reason if they then agree.
"""

import math
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from attention_core import Trace, merge_heads
from ui.course.lessons.implementations.catalogue import (
    IMPLEMENTATIONS,
    PLAIN,
    Habits,
    Setting,
    compute,
    habits_of,
)
from ui.course.lessons.implementations.given import Given

# Every step that all can be asked for, in order of flow; a step that is left out holds what stood before it.
FLOW = ("q", "k", "v", "scores", "scaled", "masked", "weights", "dropped", "merged", "positioned")
FLOW += ("projected", "residual", "output")
SAME = 9  # digits from which two numbers count as the same: far more than rounding costs


class Divergence(NamedTuple):
    """The first cell at which two diverge, both numbers there, and the habits that make the difference."""

    step: str
    cell: tuple[int, ...]
    left: float
    right: float
    reasons: tuple[str, ...]


class Comparison(NamedTuple):
    """Two implementations beside each other: how many digits each step shares, and where they diverge.

    `first` is the first place at which they differ. They may meet again: −1e9 and −∞ both give a weight of 0.
    `lasting` is the first place from which on they differ in every step; None where the outputs agree.
    """

    left: str
    right: str
    digits: dict[str, float]
    first: Divergence | None
    lasting: Divergence | None

    @property
    def agree(self) -> bool:
        """Whether the outputs are the same."""
        return self.digits["output"] >= SAME


@lru_cache(maxsize=512)
def steps_of(name: str, habits: Habits, given: Given) -> dict[str, np.ndarray]:
    """The steps of FLOW: (token, channel), or (head, query, key) from scores to dropped."""
    trace, row = compute(name, habits, given), IMPLEMENTATIONS[name]
    steps = {step[0]: merge_heads(in_rows(trace, step)) for step in ("q_heads", "k_heads", "v_heads")}
    if row.route == "heads_given":  # the function may have divided Q already
        steps["q"] = given["x"] @ given["w_q"]
    for step in ("scores", "scaled", "masked", "weights", "dropped"):
        if step != "scores" or not row.divides_q:
            steps[step] = in_rows(trace, step)
    merged = in_rows(trace, "merged" if row.route == "channels_first" else "head_outputs")
    steps["merged"] = merged if row.route == "channels_first" else merge_heads(merged)
    steps["positioned"] = in_rows(trace, "residual") if habits.position else steps["merged"]
    steps["projected"] = in_rows(trace, "projected") if row.projects else steps["positioned"]
    for step in ("residual", "output"):
        steps[step] = in_rows(trace, step) if habits.residual_and_norm else steps["projected"]
    if habits.empty_row == "nan":
        spread_nan(steps)
    return steps


def in_rows(trace: Trace, name: str) -> np.ndarray:
    """A step with a row for every token, whatever the layout, and without the batch of one."""
    step = trace.step(name)
    value = step.value[0] if step.axes[0] == "batch" else step.value
    if "height" in step.axes:  # (channel, height, width)
        return value.reshape(value.shape[0], -1).T
    channels_first = step.axes[-2].endswith("feature") and step.axes[-1] in ("query", "key")
    return value.mT if channels_first else value


def spread_nan(steps: dict[str, np.ndarray]) -> None:
    """Without a guard softmax divides 0 by 0 where every score is −∞; from there on that token is lost."""
    empty = np.all(np.isneginf(steps["masked"]), axis=-1)  # (head, query)
    if empty.any():
        for name in FLOW[FLOW.index("weights") :]:
            rows = empty if steps[name].ndim == 3 else np.any(empty, axis=0)
            steps[name] = np.where(rows[..., None], math.nan, steps[name])


def distance(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """How far two arrays are apart in each cell: in units of 1, or of the larger number if that is more."""
    left, right = np.broadcast_arrays(left, right)
    finite = np.isfinite(left) & np.isfinite(right)
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    a, b = np.where(finite, left, 0), np.where(finite, right, 0)
    apart = np.abs(a - b) / np.maximum(1, np.maximum(np.abs(a), np.abs(b)))
    return np.where(finite, apart, np.where(same, 0, math.inf))


def shared_digits(left: np.ndarray, right: np.ndarray) -> float:
    """The digits that agree in every cell: places after the point for numbers below 1; ∞ if all are equal."""
    most = float(distance(left, right).max())
    if most == 0:
        return math.inf
    return float(max(0, math.floor(-math.log10(most)))) if math.isfinite(most) else 0.0


def same_cells(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """True where both are the same but for rounding."""
    return distance(left, right) <= 10.0**-SAME


def compare(left: str, right: str, setting: Setting, given: Given) -> Comparison:
    """Two implementations on the same X, step by step."""
    names, habits = (left, right), (habits_of(left, setting), habits_of(right, setting))
    ours, theirs = (steps_of(*own, given) for own in zip(names, habits, strict=True))
    digits = {
        step: shared_digits(ours[step], theirs[step]) for step in FLOW if step in ours and step in theirs
    }
    first = lasting = None
    for step, shared in digits.items():
        if shared >= SAME:
            lasting = None
        elif lasting is None:
            lasting = divergence_at(step, names, habits, given)
            first = first or lasting
    return Comparison(left, right, digits, first, lasting)


def divergence_at(
    step: str, names: tuple[str, str], habits: tuple[Habits, Habits], given: Given
) -> Divergence:
    """The first cell of a step at which two differ, and why."""
    left, right = (steps_of(name, own, given)[step] for name, own in zip(names, habits, strict=True))
    cell = tuple(np.argwhere(~same_cells(left, right))[0].tolist())
    left, right = (float(side[cell]) for side in np.broadcast_arrays(left, right))
    return Divergence(step, cell, left, right, reasons_at(step, cell, names, habits, given))


def reasons_at(step: str, cell: tuple, names, habits: tuple[Habits, Habits], given: Given) -> tuple[str, ...]:
    """The fewest habits that have to be taken away from both for the numbers at a cell to agree."""
    differ = [field for field in Habits._fields if getattr(habits[0], field) != getattr(habits[1], field)]
    for count in range(1, len(differ) + 1):
        for taken in combinations(differ, count):
            plain = {field: getattr(PLAIN, field) for field in taken}
            sides = zip(names, habits, strict=True)
            same = same_cells(*(steps_of(name, own._replace(**plain), given)[step] for name, own in sides))
            # With the heads taken away there is but one head to look at.
            if same[tuple(min(at, size - 1) for at, size in zip(cell, same.shape, strict=True))]:
                return taken
    return ()  # they compute differently by nature; no two of ours do, says a test


def compare_all(setting: Setting, given: Given) -> dict[tuple[str, str], Comparison]:
    """Every pair of the eight, in the order of the table."""
    return {pair: compare(*pair, setting, given) for pair in combinations(IMPLEMENTATIONS, 2)}
