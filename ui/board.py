"""The board: all matrices of a trace on one light component, repainted in place."""

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core import Explanation, Trace
from attention_core.trace import Step
from ui.arithmetic import shown_operand
from ui.browser_code import component
from ui.link import fits_a_link
from ui.scenario import Scenario
from ui.words import Words

HIDDEN = -1e8  # scores below were pushed out of sight by a mask and do not count for the shades
LARGEST = 16  # rows or columns of numbers shown; beyond that a matrix is cut, with a sentence

# Matrices of one kind are shaded on one scale.
KINDS = {
    "x": "input",
    "memory": "input",
    "memory_values": "input",
    "scores": "score",
    "scaled": "score",
    "softcapped": "score",
    "masked": "score",
    "weights": "share",
    "dropped": "share",
    "visible": "flag",
    "keep": "flag",
}
# Words that the browser puts together.
SPOKEN = ("label", "cell", "hidden", "infinity", "chosen", "source", "edit", "switch")


class Place(NamedTuple):
    """A cell the learner chose: the matrix and its full index there."""

    name: str
    index: tuple[int, ...]


@cache
def board_component():
    return component("qkv_board", "board.js", "paint", with_files=("board.css",))


class Slice(NamedTuple):
    """One matrix out of a step: the index in front of it, and whether a grid of pixels was laid flat."""

    front: tuple[int, ...]
    flat: bool

    def index(self, step: Step, row: int, column: int) -> tuple[int, ...]:
        """The full index of a cell of the matrix."""
        if self.flat:
            width = step.shape[-1]
            return (*self.front, row, column // width, column % width)
        if step.value.ndim == 1:
            return (column,)
        return (*self.front, row, column)

    def cell(self, step: Step, index: tuple[int, ...]) -> tuple[int, int] | None:
        """Where a full index stands in the matrix, or None where it is in another slice."""
        if self.flat:
            *front, row, high, wide = index
            column = high * step.shape[-1] + wide
        else:
            *front, row, column = index if len(index) > 1 else (0, *index)
        return (row, column) if tuple(front) == self.front else None


def slice_of(step: Step, shown: dict[str, int]) -> Slice:
    """The matrix of a step for the batch item and head that are shown."""
    flat = step.axes[-2:] == ("height", "width")
    n_front = max(0, step.value.ndim - (3 if flat else 2))
    front = []
    for axis, size in zip(step.axes[:n_front], step.shape, strict=False):
        place = shown.get(axis, 0)
        if axis == "kv_head":  # the head that the shown query head shares
            place = shown.get("head", 0) * size // shown["n_heads"]
        front.append(min(place, size - 1))
    return Slice(tuple(front), flat)


def matrix_of(step: Step, cut: Slice) -> np.ndarray:
    """The two-dimensional array of a slice."""
    value = step.value[cut.front]
    return value.reshape(value.shape[0], -1) if cut.flat else np.atleast_2d(value)


def kind_of(step: Step) -> str:
    if step.name.startswith(("w_", "b_")) or step.name in ("gamma", "beta"):
        return "parameter"
    return KINDS.get(step.name, "result")


def number(value: float) -> float | None:
    """A number as it is sent: a whole one whole, others to seven places; None is -inf."""
    if math.isinf(value):
        return None
    rounded = float(f"{value:.7g}")
    return int(rounded) if rounded.is_integer() else rounded


def ink_of(name: str) -> str:
    """The identity colour of a matrix: q, k, v or none."""
    stem = name.removeprefix("w_").removeprefix("b_").removeprefix("past_").removeprefix("present_")
    stem = {"key": "k", "value": "v"}.get(stem, stem).partition("_")[0]
    return stem if stem in ("q", "k", "v") else ""


def matrices(
    trace: Trace, scenario: Scenario, names, shown: dict[str, int], words: Words, editable: bool = False
) -> list[dict]:
    """What the component draws for each name: numbers, labels, shades; `editable` if it may be typed over."""
    steps = [trace.step(name) for name in names]
    cuts = [slice_of(step, shown) for step in steps]
    arrays = [matrix_of(step, cut)[:LARGEST, :LARGEST] for step, cut in zip(steps, cuts, strict=True)]
    tops: dict[str, float] = {"share": 1.0, "flag": 1.0}
    for step, array in zip(steps, arrays, strict=True):
        finite = np.abs(array[np.isfinite(array) & (array > HIDDEN)], dtype=float)
        kind = kind_of(step)
        if kind not in ("share", "flag"):
            tops[kind] = max(tops.get(kind, 0.0), float(finite.max(initial=0.0)))
    return [
        describe(step, cut, array, scenario, tops, trace, words)
        | {"editable": editable and is_editable(step, scenario)}
        for step, cut, array in zip(steps, cuts, arrays, strict=True)
    ]


def describe(step: Step, cut: Slice, array, scenario: Scenario, tops, trace: Trace, words: Words) -> dict:
    kind = kind_of(step)
    row_axis, column_axis = ("row", *step.axes)[-2:] if not cut.flat else (step.axes[-3], "token")
    rows, columns = (
        scenario.labels(axis, size)
        for axis, size in zip((row_axis, column_axis), matrix_of(step, cut).shape, strict=True)
    )
    return {
        "id": step.name,
        "name": words(f"name.{step.name}"),
        "shape": "×".join(map(str, step.shape)),
        "formula": step.formula,
        "ink": ink_of(step.name),
        "scale": kind if kind in ("share", "flag") else "signed",
        "top": tops[kind] or 1.0,
        "decimals": scenario.view.decimals,
        "axes": [words(f"axis.{row_axis}"), words(f"axis.{column_axis}")],
        "rows": rows[: array.shape[0]],
        "columns": columns[: array.shape[1]],
        "values": [[number(value) for value in row] for row in array.tolist()],
        "hidden": hidden_cells(trace, step, cut, array.shape),
    }


def is_editable(step: Step, scenario: Scenario) -> bool:
    """Whether the learner gave these numbers and may change them."""
    return scenario.given_as(step.name) is not None and fits_a_link(step.value)


class EditPlace(NamedTuple):
    """A matrix that may be edited: its size, and the full index of each cell."""

    step: Step
    cut: Slice
    n_rows: int
    n_columns: int

    def index(self, row: int, column: int) -> tuple[int, ...]:
        return self.cut.index(self.step, row, column)


def edit_places(trace: Trace, scenario: Scenario, shown: dict[str, int]) -> dict[str, EditPlace]:
    """Every matrix that may be edited, by id."""
    places = {}
    for step in (*trace.steps, *trace.parameters.values()):
        if is_editable(step, scenario):
            cut = slice_of(step, shown)
            places[step.name] = EditPlace(step, cut, *matrix_of(step, cut).shape)
    return places


def hidden_cells(trace: Trace, step: Step, cut: Slice, shape: tuple[int, int]) -> list[tuple[int, int]]:
    """Cells that the mask hides, in the steps that the mask has reached."""
    if step.name not in ("masked", "weights", "dropped") or "masked" not in trace.names:
        return []
    hidden = np.zeros(step.shape, bool)
    if "visible" in trace.parameters:
        hidden |= ~trace["visible"]
    if "attn_mask" in trace.parameters:
        hidden |= np.isneginf(trace["attn_mask"])
    return np.argwhere(hidden[cut.front][: shape[0], : shape[1]]).tolist()


def lit_cells(trace: Trace, lines: list[Explanation], names, shown: dict[str, int]) -> dict[str, list]:
    """The chosen cell and the cells its number comes from, by matrix."""
    lit: dict[str, list] = {}
    operands = [shown_operand(trace, operand, names) for line in lines for operand in line.operands]
    places = [(operand.step, operand.index, "source") for operand in operands if operand.index]
    places += [(line.step, line.index, "chosen") for line in lines[:1]]
    for name, index, mark in places:
        cell = slice_of(trace.step(name), shown).cell(trace.step(name), index)
        if cell is not None and max(cell) < LARGEST:
            lit.setdefault(name, []).append([*cell, mark])
    return lit


def chosen_place(state, trace: Trace, names, shown: dict[str, int]) -> Place | None:
    """The cell that the browser says was chosen, checked: anything else is nobody's choice."""
    match state:
        case [str(name), int(row), int(column)] if name in names:
            step = trace.step(name)
            shape = matrix_of(step, slice_of(step, shown)).shape
            if 0 <= row < min(shape[0], LARGEST) and 0 <= column < min(shape[1], LARGEST):
                return Place(name, slice_of(step, shown).index(step, row, column))
    return None


class Events(NamedTuple):
    """What the board reports, and who is told: a cell was chosen, numbers were typed, undo or redo."""

    cell: Callable[[object], None]
    edits: Callable[[object], None] | None = None
    history: Callable[[object], None] | None = None


def draw_board(
    key: str, drawn: list[dict], lit: dict[str, list], words: Words, events: Events, acknowledged: int = 0
) -> None:
    """Mounts the board. Typed numbers come back again and again until they are acknowledged."""

    def tell(name: str) -> Callable[[], None]:
        def told() -> None:
            listener = getattr(events, name)
            reported = st.session_state[key].get(name)
            if listener is not None and reported is not None:
                listener(reported)

        return told

    board_component()(
        key=key,
        data={
            "matrices": drawn,
            "lit": lit,
            "acknowledged": acknowledged,
            "words": {name: words(f"board.{name}") for name in SPOKEN},
        },
        on_cell_change=tell("cell"),
        on_edits_change=tell("edits"),
        on_history_change=tell("history"),
    )
