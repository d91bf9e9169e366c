"""What the learner predicted on this page: each guess judged once, and a small score."""

import math

import streamlit as st

from attention_core import Trace
from ui.board import Matrix
from ui.predict import judge
from ui.scenario import Scenario
from ui.words import Words

MOST_NOTES = 3


def book(scenario: Scenario) -> dict:
    """The guesses for these numbers; when the numbers change, they are over. The score stays."""
    known = st.session_state.get("guesses")
    if known is None or not known["of"].computes_as(scenario):
        score = known["score"] if known else [0, 0]
        known = st.session_state["guesses"] = {"of": scenario, "cells": {}, "score": score}
    return known


def guess(scenario: Scenario, trace: Trace, name: str, index: tuple[int, ...], typed: float) -> None:
    """Judges a guess; only the first one for a cell counts."""
    known = book(scenario)
    verdict = judge(trace, name, index, typed, scenario.view.decimals)
    if (name, index) not in known["cells"]:
        known["score"] = [known["score"][0] + verdict.right, known["score"][1] + 1]
    known["cells"].pop((name, index), None)  # the newest is last
    known["cells"][name, index] = (typed, verdict)


def reveal_all(scenario: Scenario, name: str) -> None:
    """Shows every number of a step."""
    book(scenario)["cells"][name, ()] = None


def shown_guesses(scenario: Scenario, drawn: list[Matrix], words: Words) -> dict:
    """Guesses by matrix as [row, column, text, state], what went wrong last, and the score."""
    known = book(scenario)
    found: dict[str, list] = {}
    for matrix in drawn:
        name = matrix.step.name
        if (name, ()) in known["cells"]:
            n_rows, n_columns = matrix.numbers.shape
            found[matrix.key] = [[r, c, "", "open"] for r in range(n_rows) for c in range(n_columns)]
            continue
        for (step, index), judged in known["cells"].items():
            cell = matrix.cell(index) if step == name and index else None
            if cell is not None:
                typed, verdict = judged
                state = "right" if verdict.right else "wrong"
                found.setdefault(matrix.key, []).append([*cell, written(typed), state])
    notes = [note(judged[0], judged[1], words) for judged in known["cells"].values() if judged]
    return {
        "guesses": found,
        "notes": [text for text in notes if text][-MOST_NOTES:],
        "score": known["score"],
    }


def note(typed: float, verdict, words: Words) -> str:
    """What a wrong guess forgot, where that was found."""
    if verdict.right:
        return ""
    if verdict.mistake:
        return words(f"mistake.{verdict.mistake}", **verdict.facts)
    return words("predict.wrong", typed=written(typed))


def written(typed: float) -> str:
    if math.isinf(typed):
        return "−∞"
    return f"{typed:g}".replace("-", "−")
