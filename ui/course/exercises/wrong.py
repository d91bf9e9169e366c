"""Find the wrong cell: a matrix that was worked out with one of the usual mistakes in it."""

from collections.abc import Callable, Iterator

import numpy as np

from attention_core import Trace
from attention_core.explain import read_index
from ui.course.exercises.dice import Dice
from ui.course.exercises.exercise import (
    DECIMALS,
    Exercise,
    Grid,
    as_rows,
    grid,
    index_of,
    matrix_of,
    simple_fraction,
)
from ui.course.exercises.numbers import draw_projection, draw_scores, scoring
from ui.course.exercises.thirds import LN_3, scores_grid, seen_scores, thirds_slips
from ui.predict.judge import agrees, judge
from ui.predict.mistakes import Cell, Slip, term_slips, unlikely_slips
from ui.scenario.scenario import Scenario


def wrong_exercise(dice: Dice, level: str) -> Exercise:
    """A matrix with one wrong number in it: its row and its column are asked for."""
    make = {"easy": wrong_projection, "medium": wrong_scores, "hard": wrong_scores, "thirds": wrong_third}
    return make[level](dice, level)


def with_a_slip(dice: Dice, level: str, step: str, draw: Callable, given: tuple, **facts) -> Exercise:
    """A computation, drawn until it has a mistake to make at a cell, and its matrix with the mistake made."""

    def attempt() -> tuple[Scenario, tuple[int, int], list[Slip]]:
        scenario, cell = draw()
        return scenario, cell, believable_slips(scenario.trace(), step, cell, level)

    scenario, cell, slips = dice.until(attempt, lambda drawn: bool(drawn[2]))
    trace = scenario.trace()
    numbers = matrix_of(trace, step).copy()
    numbers[cell] = dice.pick(slips).number
    grids = [scores_grid(trace) if name == "scores" else grid(trace, name) for name in given]
    ask = "wrong_projection" if facts else f"wrong_{step}"
    answers = tuple(map(float, cell))
    return Exercise(
        level, "wrong", ask, (*grids, Grid(step, as_rows(numbers))), answers, facts, scenario, step, (cell,)
    )


def wrong_projection(dice: Dice, level: str) -> Exercise:
    step = dice.pick(("q", "k", "v"))

    def draw() -> tuple[Scenario, tuple[int, int]]:
        cell = dice.whole(0, 2), dice.whole(0, 1)
        return draw_projection(dice, level, step, cell), cell

    return with_a_slip(dice, level, step, draw, ("x", f"w_{step}"), name=step, matrix=f"w_{step}")


def wrong_scores(dice: Dice, level: str) -> Exercise:
    n_tokens, width = (3, 2) if level == "medium" else (4, 3)

    def draw() -> tuple[Scenario, tuple[int, int]]:
        row, column = dice.whole(0, n_tokens - 1), dice.whole(0, n_tokens - 1)
        sizes = n_tokens, width
        scenario = draw_scores(dice, sizes, lambda q, k: (q[row] * k[column]).all(), scale=1.0)
        return scenario, (row, column)

    return with_a_slip(dice, level, "scores", draw, ("q", "k"))


def wrong_third(dice: Dice, level: str) -> Exercise:
    def draw() -> tuple[Scenario, tuple[int, int]]:
        scores = dice.until(
            lambda: dice.matrix(3, 3, 0, 3), lambda drawn: all(len(set(row)) > 1 for row in drawn)
        )
        return scoring(scores, scale=LN_3), (dice.whole(0, 2), dice.whole(0, 2))

    return with_a_slip(dice, level, "weights", draw, ("scores",))


def believable_slips(trace: Trace, step: str, cell: tuple[int, int], level: str) -> list[Slip]:
    """The mistakes that give another number of the same kind in a cell, and that can be named again."""
    true = float(matrix_of(trace, step)[cell])
    return [slip for slip in slips_of(trace, step, cell, level) if is_believable(slip, true, level)]


def slips_of(trace: Trace, step: str, cell: tuple[int, int], level: str) -> Iterator[Slip]:
    if level == "thirds":
        yield from thirds_slips(seen_scores(trace)[cell[0]], cell[1])
        return
    full = index_of(trace, step, cell)
    behind = Cell(trace, trace.step(step), read_index(trace.step(step), full))
    for slip in (*term_slips(behind), *unlikely_slips(behind)):
        if judge(trace, step, full, slip.number, 0).mistake:
            yield slip


def is_believable(slip: Slip, true: float, level: str) -> bool:
    if agrees(slip.number, true, DECIMALS) or not np.isfinite(slip.number):
        return False
    return 0 < slip.number < 1 and simple_fraction(slip.number) is not None if level == "thirds" else True
