"""What the learner predicted on this page: each guess judged once, and a small score."""

import numpy as np
import streamlit as st

from attention_core import Trace
from ui.board.matrices import Matrix
from ui.board.stages import steps_by_stage
from ui.message.arithmetic import in_names, named
from ui.numbers import Marks, as_typed
from ui.predict.judge import judge
from ui.scenario.scenario import Scenario
from ui.words import Words

MOST_NOTES = 3


def book(scenario: Scenario) -> dict:
    """The guesses for these numbers; when the numbers change, they are over. The score stays."""
    known = st.session_state.get("guesses")
    if known is None or not known["of"].computes_as(scenario):
        score = known["score"] if known else [0, 0]
        known = st.session_state["guesses"] = {"of": scenario, "cells": {}, "shown": set(), "score": score}
    return known


def guess(scenario: Scenario, trace: Trace, name: str, index: tuple[int, ...], typed: float) -> None:
    """Judges a guess; only the first one for a cell counts."""
    known = book(scenario)
    if (name, index) in known["shown"] or (name, ()) in known["shown"]:
        return  # the answer is there to read
    verdict = judge(trace, name, index, typed, scenario.view.decimals)
    if (name, index) not in known["cells"]:
        known["score"] = [known["score"][0] + verdict.right, known["score"][1] + 1]
    known["cells"].pop((name, index), None)  # the newest is last
    known["cells"][name, index] = (typed, verdict)


def reveal(scenario: Scenario, name: str, index: tuple[int, ...] = ()) -> None:
    """Shows one number of a step, or all of them."""
    book(scenario)["shown"].add((name, index))


def shown_guesses(scenario: Scenario, trace: Trace, drawn: list[Matrix], words: Words) -> dict:
    """Guesses by matrix as [row, column, text, state], what went wrong last in this stage, and the score."""
    known = book(scenario)
    stages = steps_by_stage(trace)
    present = stages.get(scenario.view.step, next(iter(stages.values())))
    found = {}
    for matrix in drawn:
        if matrix.step.name in present:
            found[matrix.key] = states_of(matrix, known, words.marks)
    notes = [
        note(scenario, trace, step, index, judged, words)
        for (step, index), judged in known["cells"].items()
        if step in present and not judged[1].right
    ]
    states = {key: states for key, states in found.items() if states}
    return {"guesses": states, "notes": notes[-MOST_NOTES:], "score": known["score"]}


def states_of(matrix: Matrix, known: dict, marks: Marks) -> list[list]:
    """What is shown in the cells that are not blank: a guess, or the number itself ("open")."""
    name = matrix.step.name
    every = (name, ()) in known["shown"]
    found = []
    for row, column in np.ndindex(matrix.numbers.shape):
        index = matrix.index(row + matrix.at[0], column + matrix.at[1])
        judged = known["cells"].get((name, index))
        verdict = "" if judged is None else "right" if judged[1].right else "wrong"
        text = "" if judged is None else as_typed(judged[0], marks)
        if every or (name, index) in known["shown"]:
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
