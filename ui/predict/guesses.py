"""What is shown of predictions: each guess judged, what went wrong last, and a small score."""

import numpy as np

from attention_core import Trace
from ui.board.matrices import Matrix
from ui.board.stages import steps_by_stage
from ui.message.arithmetic import in_names, named
from ui.numbers import Marks, as_typed
from ui.predict.judge import judge
from ui.scenario.scenario import Scenario
from ui.state.state import Cell, State
from ui.words import Words

MOST_NOTES = 3


def shown_guesses(
    state: State, drawn: list[Matrix], words: Words
) -> tuple[dict[str, list], list[str], tuple[int, int]]:
    """Guesses by matrix as [row, column, text, state], what went wrong last in this stage, and the score."""
    scenario, guesses = state.scenario, state.guesses
    trace = scenario.trace()
    judged = {
        cell: (typed, judge(trace, *cell, typed, scenario.view.decimals))
        for cell, typed in guesses.typed.items()
        if is_there(trace, cell)
    }
    stages = steps_by_stage(trace)
    present = stages.get(scenario.view.step, next(iter(stages.values())))
    found = {}
    for matrix in drawn:
        if matrix.step.name in present:
            found[matrix.key] = states_of(matrix, judged, guesses.shown, words.marks)
    notes = [
        note(scenario, trace, step, index, verdict, words)
        for (step, index), verdict in judged.items()
        if step in present and not verdict[1].right
    ]
    states = {key: states for key, states in found.items() if states}
    return states, notes[-MOST_NOTES:], (guesses.right, guesses.tried)


def is_there(trace: Trace, cell: Cell) -> bool:
    """Whether a cell that a browser speaks of is one of this computation."""
    step, index = cell
    shape = trace[step].shape if step in trace.plan.by_name else None
    return shape is not None and len(index) == len(shape) and all(map(int.__lt__, index, shape))


def states_of(matrix: Matrix, judged: dict, shown: frozenset[Cell], marks: Marks) -> list[list]:
    """What is shown in the cells that are not blank: a guess, or the number itself ("open")."""
    name = matrix.step.name
    every = (name, ()) in shown
    found = []
    for row, column in np.ndindex(matrix.numbers.shape):
        index = matrix.index(row + matrix.at[0], column + matrix.at[1])
        guess = judged.get((name, index))
        verdict = "" if guess is None else "right" if guess[1].right else "wrong"
        text = "" if guess is None else as_typed(guess[0], marks)
        if every or (name, index) in shown:
            found.append([row, column, text, f"open {verdict}".strip()])
        elif verdict:
            found.append([row, column, text, verdict])
    return found


def note(scenario: Scenario, trace: Trace, step: str, index, judged: tuple, words: Words) -> str:
    """What a wrong guess forgot, where that was found, with the cell it is about."""
    typed, verdict = judged
    if verdict.mistake:
        told = words(f"mistake.{verdict.mistake}", **verdict.facts)
        text = in_names(scenario, trace, told)
    else:
        text = words("predict.wrong", typed=as_typed(typed, words.marks))
    return f"{named(scenario, trace, step, index, words)}: {text}"
