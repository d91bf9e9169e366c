"""The arithmetic of a chosen cell, followed through steps that only move numbers, in the learner's names."""

import re
from collections.abc import Collection

from attention_core import Explanation, Operand, Trace, explain_cell
from attention_core.explain import Settled
from ui.message.types import Line
from ui.numbers import Numeral, Spelled, as_latex, in_marks
from ui.scenario.scenario import Scenario
from ui.words import Words

MOST_BACK = 24  # numbers a line offers to step back to
CELL = re.compile(r"(?<!\w)([a-z_]+)\[((?:\d+|:)(?:, (?:\d+|:))*)\]")


def ink_of(name: str) -> str:
    """The identity colour of a matrix: q, k, v or none."""
    stem = name.removeprefix("w_").removeprefix("b_").removeprefix("past_").removeprefix("present_")
    stem = {"key": "k", "value": "v"}.get(stem, stem).partition("_")[0]
    return stem if stem in ("q", "k", "v") else ""


def explain_through_moves(
    trace: Trace, name: str, index: tuple[int, ...], decimals: int
) -> list[Explanation]:
    """Why the number is what it is: where it was moved from, step by step, and how it was computed there."""
    lines = [explain_cell(trace, name, index, decimals)]
    while trace.step(lines[-1].step).moved:
        [operand] = lines[-1].operands
        lines.append(explain_cell(trace, operand.step, operand.index, decimals))
    return lines


def shown_operand(trace: Trace, operand: Operand, names: Collection[str]) -> Operand:
    """The operand itself, or the number it was moved from, on a matrix that is shown."""
    while operand.step not in names and trace.step(operand.step).moved:
        [operand] = explain_cell(trace, operand.step, operand.index).operands
    return operand


def named(
    scenario: Scenario, trace: Trace, name: str, index: tuple[int | slice, ...], words: Words | None = None
) -> str:
    """A cell in the learner's names: weights[p1, p3]; head and batch item only where there are several.
    With `words` the matrix is called as on the board, else as in code.
    """
    step = trace.step(name)
    places = [
        ":" if isinstance(place, slice) else scenario.labels(axis, size)[place]
        for axis, size, place in zip(step.axes, step.shape, index, strict=True)
        if size > 1 or axis not in ("batch", "head", "kv_head")
    ]
    called = words(f"name.{name}") if words else name
    return f"{called}[{', '.join(places)}]" if places else called


def in_names(scenario: Scenario, trace: Trace, text: str) -> str:
    """A text that speaks of cells by number, in the learner's names: q_heads[0, 1, 0] as q_heads[p1, 0].

    A whole row or column keeps its colon: x[1, :] as x[p1, :].
    """

    def renamed(match: re.Match) -> str:
        name, places = match[1], match[2].split(", ")
        index = tuple(slice(None) if place == ":" else int(place) for place in places)
        known = name in trace.plan.by_name and len(index) == trace[name].ndim
        inside = known and all(
            isinstance(place, slice) or place < size
            for place, size in zip(index, trace[name].shape, strict=True)
        )
        return named(scenario, trace, name, index) if inside else match[0]

    return CELL.sub(renamed, text)


def written_lines(
    scenario: Scenario, trace: Trace, lines: list[Explanation], words: Words, names: Collection[str]
) -> list[Line]:
    """Each line as text in the learner's names and as LaTeX, with the numbers to step back to: on the matrices `names`,
    where they are shown.
    """
    found = []
    for line in lines:
        shown = [shown_operand(trace, operand, names) for operand in line.operands]
        operands = dict.fromkeys((operand.step, operand.index) for operand in shown if operand.index)
        back = [
            (named(scenario, trace, step, index, words), step, list(index), ink_of(step))
            for step, index in list(operands)[:MOST_BACK]
        ]
        name = named(scenario, trace, line.step, line.index, words)
        text, latex = line_in_names(scenario, trace, line, words), latex_of(line, words)
        found.append(Line(name, text, latex, back, ink_of(line.step)))
    return found


def line_in_names(scenario: Scenario, trace: Trace, line: Explanation, words: Words) -> str:
    """A line of arithmetic as a learner reads it."""
    return in_names(scenario, trace, in_marks(Spelled(*line.pieces), words.marks))


def latex_of(line: Explanation, words: Words) -> str:
    """The same as LaTeX, a comma in a number without the room that one in a list has."""
    return joined_latex(line.latex_pieces, words)


def joined_latex(pieces: list[str], words: Words) -> str:
    return "".join(
        as_latex(in_marks(piece, words.marks)) if isinstance(piece, Numeral) else piece for piece in pieces
    )


def equation(settled: Settled, total: float, words: Words) -> str:
    """Arithmetic that is no step of a trace, as LaTeX: 1 + 2 = 3."""
    members = [joined_latex(member.latex(digits), words) for member, digits in settled.members]
    return " = ".join([*members, joined_latex([settled.total.text(total)], words)])
