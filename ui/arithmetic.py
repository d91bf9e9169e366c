"""The arithmetic of a chosen cell, followed through steps that only move numbers."""

from attention_core import Explanation, Operand, Trace, explain_cell

DIGITS = 4  # significant places in a line of arithmetic


def explain_through_moves(trace: Trace, name: str, index: tuple[int, ...]) -> list[Explanation]:
    """Why the number is what it is: where it was moved from, step by step, and how it was computed there."""
    lines = [explain_cell(trace, name, index, DIGITS)]
    while is_moved(trace, lines[-1].step):
        [operand] = lines[-1].operands
        lines.append(explain_cell(trace, operand.step, operand.index, DIGITS))
    return lines


def shown_operand(trace: Trace, operand: Operand, names) -> Operand:
    """The operand itself, or the number it was moved from, on a matrix that is shown."""
    while operand.step not in names and is_moved(trace, operand.step):
        [operand] = explain_cell(trace, operand.step, operand.index).operands
    return operand


def is_moved(trace: Trace, name: str) -> bool:
    """Whether a step only moves numbers."""
    return trace.step(name).moved
