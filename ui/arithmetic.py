"""The arithmetic of a chosen cell, followed through steps that only move numbers, in the learner's names."""

from attention_core import Explanation, Operand, Trace, explain_cell
from ui.scenario import Scenario

DIGITS = 4  # significant places in a line of arithmetic
MOST_BACK = 24  # numbers a line offers to step back to


def explain_through_moves(trace: Trace, name: str, index: tuple[int, ...]) -> list[Explanation]:
    """Why the number is what it is: where it was moved from, step by step, and how it was computed there."""
    lines = [explain_cell(trace, name, index, DIGITS)]
    while trace.step(lines[-1].step).moved:
        [operand] = lines[-1].operands
        lines.append(explain_cell(trace, operand.step, operand.index, DIGITS))
    return lines


def shown_operand(trace: Trace, operand: Operand, names) -> Operand:
    """The operand itself, or the number it was moved from, on a matrix that is shown."""
    while operand.step not in names and trace.step(operand.step).moved:
        [operand] = explain_cell(trace, operand.step, operand.index).operands
    return operand


def named(scenario: Scenario, trace: Trace, name: str, index: tuple[int, ...]) -> str:
    """A cell in the learner's names: weights[p1, p3]; head and batch item only where there are several."""
    step = trace.step(name)
    places = [
        scenario.labels(axis, size)[place]
        for axis, size, place in zip(step.axes, step.shape, index, strict=True)
        if size > 1 or axis not in ("batch", "head", "kv_head")
    ]
    return f"{name}[{', '.join(places)}]" if places else name


def written_lines(scenario: Scenario, trace: Trace, lines: list[Explanation]) -> list[dict]:
    """Each line as text in the learner's names and as LaTeX, with the numbers to step back to."""
    found = []
    for line in lines:
        operands = {(operand.step, operand.index): operand for operand in line.operands if operand.index}
        text = line.text
        for step, index in {(line.step, line.index): None, **operands}:
            plain = str(Operand(step, index, 0.0))
            text = text.replace(plain, named(scenario, trace, step, index))
        back = [
            [named(scenario, trace, step, index), step, list(index)]
            for step, index in list(operands)[:MOST_BACK]
        ]
        name = named(scenario, trace, line.step, line.index)
        found.append({"name": name, "text": text, "latex": line.latex, "back": back})
    return found
