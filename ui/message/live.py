"""What the browser needs to carry out a computation itself: the plan, once, and what is given."""

import math
from collections.abc import Iterable

import numpy as np

from attention_core import Trace
from ui.board.matrices import Matrix, number
from ui.limits import MOST_PRODUCTS_AT_ONCE
from ui.message.arithmetic import ink_of
from ui.message.types import Given, PlanLine
from ui.scenario.scenario import Scenario, is_boolean
from ui.words import Words


def is_live(scenario: Scenario, trace: Trace, drawn: Iterable[Matrix]) -> bool:
    """Whether the browser can follow an edit: little work, every number on the board, and one owner of a mask.

    Booleans of the learner's own beside a mask that is a rule become one array, which is not theirs to edit.
    """
    mask = scenario.options.get("attn_mask")
    is_own = mask is None or not is_boolean(mask) or bool(np.array_equal(trace["visible"], mask))
    small = scenario.products <= MOST_PRODUCTS_AT_ONCE
    return is_own and small and not any(matrix.is_large for matrix in drawn)


def plan_of(trace: Trace, words: Words) -> list[PlanLine]:
    """The lines of the plan with their sizes, and what they are called."""
    return [
        PlanLine(
            name=line.name,
            called=words(f"name.{line.name}") if f"name.{line.name}" in words else line.name,
            ink=ink_of(line.name),
            axes=list(line.axes),
            op=line.op,
            inputs=list(line.inputs),
            shape=list(trace[line.name].shape),
        )
        for line in trace.plan.lines
    ]


def labels_of(scenario: Scenario, trace: Trace) -> dict[str, list[str]]:
    """The names along each axis that has some; elsewhere places are counted."""
    found: dict[str, list[str]] = {}
    for line in trace.plan.lines:
        for axis, size in zip(line.axes, trace[line.name].shape, strict=True):
            labels = scenario.labels(axis, size)
            if labels != list(map(str, range(size))) and size >= len(found.get(axis, ())):
                found[axis] = labels
    return found


def given_of(trace: Trace, drawn: Iterable[Matrix]) -> dict[str, Given]:
    """Settings, and every given array that cannot be read from the numbers on the board."""
    on_board = {
        matrix.step.name: matrix.step.value.size for matrix in drawn if matrix.key == matrix.step.name
    }
    shown = {matrix.step.name for matrix in drawn if on_board.get(matrix.step.name) == matrix.whole.size}
    found: dict[str, Given] = {}
    for line in trace.plan.lines:
        if line.op == "number":
            found[line.name] = exact(trace[line.name].item())
        elif line.op in ("input", "parameter"):
            numbers = trace[line.name].ravel().tolist()
            if line.name not in shown or any(number(value) != exact(value) for value in numbers):
                found[line.name] = [exact(value) for value in numbers]
    return found


def exact(value: float) -> float | None:
    """A number with all its digits; None is −∞."""
    if value == -math.inf:
        return None
    return int(value) if float(value).is_integer() else value
