"""Exercises in words: what is asked, what a wrong answer was, how the right one is worked out."""

import re

import numpy as np

from attention_core import Trace, explain_cell
from ui.course.exercises.exercise import (
    LETTERS,
    Exercise,
    Grid,
    index_of,
    matrix_of,
    rounded,
    simple_fraction,
    write_power,
    write_value,
)
from ui.course.exercises.grading import grade_number
from ui.course.exercises.thirds import seen_scores
from ui.numbers import in_marks, listed
from ui.predict.judge import Verdict
from ui.words import Words

CELL = re.compile(r"(?<!\w)([a-z_]+)\[((?:\d+|:)(?:, (?:\d+|:))*)\]")
STEPS = ("name", "matrix")  # facts that are names of steps
AXES = ("axis", "other")  # facts that are names of axes


def asked(exercise: Exercise, words: Words) -> str:
    """The sentence that asks."""
    facts = {name: words(f"name.{fact}") if name in STEPS else fact for name, fact in exercise.facts.items()}
    return in_plain_names(words(f"practice.ask.{exercise.ask}", **facts), words)


def told(verdict: Verdict, exercise: Exercise, words: Words) -> str:
    """What a wrong answer was; nothing where that is not known."""
    if not verdict.mistake:
        return ""
    facts = {}
    for name, fact in verdict.facts.items():
        if isinstance(fact, Verdict):
            fact = told(fact, exercise, words)
        elif exercise.kind == "shape" and name in AXES:
            fact = words(f"axis.{fact}")
        facts[name] = fact
    if verdict.mistake == "cell_is_right":
        row, column = map(int, re.findall(r"\d+", facts["cell"]))
        facts["line"] = written_line(exercise, (row, column), words).partition(" = ")[2]
    return in_plain_names(words(f"mistake.{verdict.mistake}", **facts), words)


def in_plain_names(text: str, words: Words) -> str:
    """Cells in the names of the page: k_heads[0, 2, :] as K[2, :], for there is one head."""

    def renamed(match: re.Match) -> str:
        name, places = match[1].removesuffix("_heads"), match[2].split(", ")
        return f"{words(f'name.{name}')}[{', '.join(places[-2:])}]" if f"name.{name}" in words else match[0]

    return CELL.sub(renamed, text)


def cell_name(step: str, cell: tuple[int, int], words: Words) -> str:
    """K[2, 1]."""
    return in_plain_names(f"{step}[{cell[0]}, {cell[1]}]", words)


def in_words(value: float | None, words: Words) -> str:
    """A number as a page in this language shows it."""
    return in_marks(write_value(value), words.marks)


def written_rows(grid: Grid, words: Words) -> list[list[str]]:
    """The numbers of a grid as they are shown: fractions, unless one of them is none."""
    numbers = [value for row in grid.rows for value in row if value is not None and np.isfinite(value)]
    if all(simple_fraction(value) is not None for value in numbers):
        return [[in_words(value, words) for value in row] for row in grid.rows]
    plain = (None, 0, 1)
    return [
        [in_marks(write_value(value) if value in plain else rounded(value), words.marks) for value in row]
        for row in grid.rows
    ]


# Solutions


def solution(exercise: Exercise, words: Words) -> list[str]:
    """How the answer is found, in short lines."""
    match exercise.kind:
        case "shape":
            step = exercise.trace.step(exercise.step)
            return [written_shape(exercise), ", ".join(words(f"axis.{axis}") for axis in step.axes)]
        case "wrong":
            return wrong_solution(exercise, words)
        case "mask" | "code":
            return picked_solution(exercise, words)
    lines = [written_line(exercise, cell, words) for cell in exercise.cells]
    return [*scores_behind(exercise, words), *lines]


def written_shape(exercise: Exercise) -> str:
    return f"({', '.join(write_value(size) for size in exercise.answers)})"


def wrong_solution(exercise: Exercise, words: Words) -> list[str]:
    [cell] = exercise.cells
    shown = exercise.given[-1].rows[cell[0]][cell[1]]
    name, _, line = written_line(exercise, cell, words).partition(" = ")
    made = "" if shown is None else told(grade_number(exercise, cell, shown), exercise, words)
    return [words("practice.key.wrong", cell=name, line=line), *([made] if made else [])]


def picked_solution(exercise: Exercise, words: Words) -> list[str]:
    right = int(exercise.answers[0])
    lines = []
    for place, option in enumerate(exercise.options):
        says = option.says if exercise.kind == "code" else words(f"practice.mask.{option.says}")
        lines.append(f"{LETTERS[place]}: {says}")
    return [lines[right], *(line for place, line in enumerate(lines) if place != right)]


def scores_behind(exercise: Exercise, words: Words) -> list[str]:
    """The row of scores that lies between Q and K and a weight or an output."""
    if exercise.given[0].name != "q" or exercise.step not in ("weights", "output"):
        return []
    trace, row = exercise.trace, exercise.cells[0][0]
    step = "scores" if exercise.level == "thirds" else trace.step("masked").name
    texts = [in_words(float(value), words) for value in matrix_of(trace, step)[row]]
    numbers = listed(texts, words.marks)
    return [words("practice.key.row_of", row=row, name=words(f"name.{step}"), numbers=numbers)]


def written_line(exercise: Exercise, cell: tuple[int, int], words: Words) -> str:
    """K[2, 1] = 1·2 + 3·2 = 8."""
    trace, step = exercise.trace, exercise.step
    value = in_words(float(matrix_of(trace, step)[cell]), words)
    name = cell_name(step, cell, words)
    line = {"softmax": written_share, "scale": written_scaled}.get(trace.step(step).op, written_products)
    return " = ".join(part for part in (name, line(exercise, cell, words), value) if part)


def written_products(exercise: Exercise, cell: tuple[int, int], words: Words, step: str = "") -> str:
    trace, step = exercise.trace, step or exercise.step
    if trace.step(step).moved:
        step = "head_outputs"
    terms = explain_cell(trace, step, index_of(trace, step, cell)).terms
    return " + ".join("·".join(factor(one.value, words) for one in term.operands) for term in terms)


def written_scaled(exercise: Exercise, cell: tuple[int, int], words: Words) -> str:
    by = in_words(1 / float(exercise.trace["scale"]), words)
    return f"({written_products(exercise, cell, words, 'scores')}) / {by}"


def written_share(exercise: Exercise, cell: tuple[int, int], words: Words) -> str:
    trace, base = exercise.trace, "3" if exercise.level == "thirds" else "e"
    row = scores_of_softmax(trace, exercise.level)[cell[0]]
    if np.isneginf(row[cell[1]]):
        return ""  # hidden, so 0
    powers = [in_marks(write_power(base, float(score)), words.marks) for score in row if np.isfinite(score)]
    own = in_marks(write_power(base, float(row[cell[1]])), words.marks)
    return f"{own} / ({' + '.join(powers)})"


def scores_of_softmax(trace: Trace, level: str) -> np.ndarray:
    """The scores (query, key) whose powers are taken."""
    return seen_scores(trace) if level == "thirds" else matrix_of(trace, "masked")


def factor(value: float, words: Words) -> str:
    return f"({in_words(value, words)})" if value < 0 else in_words(value, words)
