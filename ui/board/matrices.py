"""The board: which matrices of a trace are shown, which cells they have, and how a cell is found again."""

import base64
import math
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple, NotRequired, TypedDict

import numpy as np

from attention_core import Explanation, Trace
from attention_core.trace import Step
from ui.limits import MOST_ALONG_AN_AXIS, MOST_SIDE_BY_SIDE
from ui.message.arithmetic import shown_operand
from ui.scenario.link import fits_a_link
from ui.scenario.scenario import Scenario

FULL_FROM = 0.99  # of the numbers of a large matrix are less than what is shaded in full
HIDDEN = -1e8  # scores below were pushed out of sight by a mask and do not count for the shades
LENS = 8  # rows and columns of numbers written out of a large matrix
MOST_HEADS_SIDE_BY_SIDE = 8
OVERVIEW = 64  # dots along the longer side of the picture of a large matrix

# Matrices of one kind are shaded on one scale.
KINDS = {
    "x": "input",
    "memory": "input",
    "memory_values": "input",
    "attn_mask": "score",
    "scores": "score",
    "scaled": "score",
    "softcapped": "score",
    "masked": "score",
    "weights": "share",
    "dropped": "share",
    "visible": "flag",
    "keep": "flag",
}
# Axes that are laid flat as the columns of one matrix, last ones first.
FLAT = (("height", "width"), ("kernel_row", "kernel_column"))
FLAT += (("part", "head", "head_feature"), ("head", "part", "head_feature"))

OF_WORDS = ("token", "query")  # axes along which the word in focus has its row


class Shown(NamedTuple):
    """Which slice of the arrays the learner sees."""

    n_heads: int = 1
    head: int = 0
    batch: int = 0
    all_heads: bool = False
    lens: Mapping[str, int] = MappingProxyType({})

    def place(self, axis: str, size: int) -> int:
        """Where along a leading axis: the head and batch item shown, the key/value head they share."""
        if axis == "kv_head":
            return self.head * size // self.n_heads
        return min({"head": self.head, "batch": self.batch}.get(axis, 0), size - 1)


def shown_places(scenario: Scenario, trace: Trace) -> Shown:
    """Which batch item and head the board shows."""
    shape = (1, 1, *trace["weights"].shape)
    n_batch, n_heads = shape[-4:-2]
    view = scenario.view
    everything = view.all_heads and 1 < n_heads <= MOST_HEADS_SIDE_BY_SIDE
    return Shown(n_heads, min(view.head, n_heads - 1), min(view.batch, n_batch - 1), everything, view.lens)


class Matrix(NamedTuple):
    """One matrix out of a step: the index in front of it; its last `n_flat` axes lie flat as columns."""

    key: str  # the name of the step; with a number where several of its matrices are shown
    step: Step
    front: tuple[int, ...]
    n_flat: int
    at: tuple[int, int] = (0, 0)  # where the numbers shown begin, of a large matrix

    @property
    def whole(self) -> np.ndarray:
        """The two-dimensional array."""
        return self.step.value[self.front].reshape(self.shape)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        shape = (1, 1, *self.step.shape[len(self.front) :])
        first = 2 if len(shape) > 4 else len(shape) - 2
        return shape[first], math.prod(shape[first + 1 :])

    @property
    def axes(self) -> tuple[str, str]:
        """The names of the rows and the columns; what lies flat is named after its first axis."""
        axes = ("row", *self.step.axes)
        return axes[-self.n_flat - 1], "token" if axes[-1] == "width" else axes[-self.n_flat]

    @property
    def is_large(self) -> bool:
        rows, columns = self.shape
        return rows > MOST_ALONG_AN_AXIS or columns > MOST_SIDE_BY_SIDE

    @property
    def numbers(self) -> np.ndarray:
        """What is written out: everything, or of a large matrix the part under the lens."""
        if not self.is_large:
            return self.whole
        row, column = self.at
        return self.whole[row : row + LENS, column : column + LENS]

    def index(  # pyright: ignore[reportIncompatibleMethodOverride]: of a cell, not of a tuple
        self, row: int, column: int
    ) -> tuple[int, ...]:
        """The full index of a cell."""
        if self.step.value.ndim == 1:
            return (column,)
        flat = np.unravel_index(column, self.step.shape[-self.n_flat :])
        return (*self.front, row, *(int(i) for i in flat))

    def cell(self, index: tuple[int, ...]) -> tuple[int, int] | None:
        """Where a full index stands in the matrix, or None where it is in another slice."""
        return self.place(index) if index[: len(self.front)] == self.front else None

    def place(self, index: tuple[int, ...]) -> tuple[int, int]:
        """The row and the column of a full index, whatever its slice."""
        if self.step.value.ndim == 1:
            return 0, index[0]
        column = int(np.ravel_multi_index(index[-self.n_flat :], self.step.shape[-self.n_flat :]))
        return index[-self.n_flat - 1], column


def flat_axes(axes: tuple[str, ...]) -> int:
    """How many of the last axes lie flat as columns."""
    return next((len(flat) for flat in FLAT if axes[-len(flat) :] == flat and len(axes) > len(flat)), 1)


def matrices_of(step: Step, shown: Shown) -> list[Matrix]:
    """The matrices of a step that are shown: one, or one for each head and each part of Q, K and V."""
    n_flat = flat_axes(step.axes)
    n_front = max(0, step.value.ndim - 1 - n_flat)
    fronts: list[tuple[int, ...]] = [()]
    for axis, size in zip(step.axes[:n_front], step.shape, strict=False):
        every = axis == "part" or (shown.all_heads and axis in ("head", "kv_head"))
        places = range(size) if every else [shown.place(axis, size)]
        fronts = [(*front, place) for front in fronts for place in places]
    keys = [step.name] if len(fronts) == 1 else [f"{step.name}.{place}" for place in range(len(fronts))]
    found = [Matrix(key, step, front, n_flat) for key, front in zip(keys, fronts, strict=True)]
    return [matrix._replace(at=lens_at(matrix, shown)) for matrix in found]


def lens_at(matrix: Matrix, shown: Shown) -> tuple[int, int]:
    """Where the lens lies on a large matrix; every matrix with that axis is seen from the same place."""
    if not matrix.is_large:
        return 0, 0
    starts = []
    for axis, size in zip(matrix.axes, matrix.shape, strict=True):
        starts.append(min(shown.lens.get(axis, 0), max(0, size - LENS)))
    return starts[0], starts[1]


def drawn_matrices(trace: Trace, names: list[str], shown: Shown) -> list[Matrix]:
    """Every matrix on the board, in order."""
    return [matrix for name in names for matrix in matrices_of(trace.step(name), shown)]


def kind_of(name: str) -> str:
    if name.startswith(("w_", "b_")) or name in ("gamma", "beta"):
        return "parameter"
    return KINDS.get(name, "result")


def number(value: float) -> float | None:
    """A number as it is sent: a whole one whole, others to seven places; None is −∞."""
    if value == -math.inf:
        return None
    rounded = float(f"{value:.7g}")
    return int(rounded) if rounded.is_integer() else rounded


def written(array: np.ndarray) -> list[list[float | None]]:
    """The rows of an array as they are sent."""
    if array.dtype == bool:
        return array.astype(int).tolist()
    return [[number(value) for value in row] for row in array.tolist()]


def tops_of(trace: Trace, drawn: list[Matrix]) -> dict[str, float]:
    """For every kind the largest size of a number, at which its shade is full.

    Shares are shaded from 0 to 1. A large matrix has a top of its own, from which a hundredth of it is in full.
    """
    tops: dict[str, float] = {"flag": 1.0}
    for matrix in drawn:
        kind = kind_of(matrix.step.name)
        if kind == "flag":
            tops[shade_of(matrix)] = 1.0
            continue
        if matrix.is_large:
            tops[matrix.step.name] = top_of_large(trace, matrix.step.name, matrix.front)
            continue
        if kind == "share":
            tops[kind] = 1.0
            continue
        numbers = matrix.whole
        if kind == "score":
            numbers = numbers[np.isfinite(numbers) & (numbers > HIDDEN)]
        tops[kind] = max(tops.get(kind, 0.0), float(np.abs(numbers).max(initial=0.0)))
    return {kind: number(top) or 1.0 for kind, top in tops.items()}


def shade_of(matrix: Matrix) -> str:
    """What a matrix is shaded together with: others of its kind, or where it is large only itself."""
    return matrix.step.name if matrix.is_large else kind_of(matrix.step.name)


@lru_cache(maxsize=64)
def top_of_large(trace: Trace, name: str, front: tuple[int, ...]) -> float:
    """The size that all but a hundredth of the numbers stay below, so that a few do not wash out the rest."""
    step = trace.step(name)
    sizes = np.abs(Matrix(name, step, front, flat_axes(step.axes)).whole)
    seen = sizes[np.isfinite(sizes) & (sizes < -HIDDEN)]
    return float(np.quantile(seen, FULL_FROM)) if seen.size else 0.0


def by_blocks(array: np.ndarray, reduce: np.ufunc) -> np.ndarray:
    """At most OVERVIEW rows, each made of as many rows of a matrix; the last may be made of fewer."""
    height = -(-len(array) // OVERVIEW)
    whole = len(array) // height * height
    rows = reduce.reduce(array[:whole].reshape(-1, height, array.shape[1]), axis=1)
    return np.vstack([rows, reduce.reduce(array[whole:], axis=0)]) if whole < len(array) else rows


@lru_cache(maxsize=64)
def strongest(trace: Trace, name: str, front: tuple[int, ...]) -> np.ndarray:
    """A large matrix cut into at most OVERVIEW blocks along each side: the strongest number of each block."""
    step = trace.step(name)
    whole = Matrix(name, step, front, flat_axes(step.axes)).whole
    whole = whole.astype(np.float32) if whole.dtype == bool else whole
    highest, lowest = (by_blocks(by_blocks(whole, reduce).T, reduce).T for reduce in (np.maximum, np.minimum))
    hidden = np.isneginf(lowest) & np.isfinite(highest)
    return np.where((np.abs(highest) >= np.abs(lowest)) | hidden, highest, lowest)


class Overview(TypedDict):
    """A large matrix as a picture of few dots."""

    dots: str
    size: list[int]  # in dots
    shape: list[int]
    at: list[int]  # where the numbers under the lens begin
    turned: NotRequired[bool]  # transposed, in a figure


def overview(trace: Trace, matrix: Matrix, top: float) -> Overview:
    """A large matrix as a picture of few dots, each a byte around 128; hidden ones are 0."""
    dots = strongest(trace, matrix.step.name, matrix.front)
    shades = np.clip(np.round(128 + 127 * np.where(np.isfinite(dots), dots, 0) / top), 1, 255)
    return {
        "dots": base64.b64encode(shades.astype(np.uint8).tobytes()).decode(),
        "size": list(dots.shape),
        "shape": list(matrix.whole.shape),
        "at": list(matrix.at),
    }


def is_editable(step: Step, scenario: Scenario) -> bool:
    """Whether the learner gave these numbers and may change them."""
    return is_given(step, scenario) and not is_locked(step, scenario)


def is_given(step: Step, scenario: Scenario) -> bool:
    """Whether the learner gave these numbers, and they are few enough to be typed."""
    return scenario.given_as(step.name) is not None and fits_a_link(step.name, step.shape)


def is_locked(step: Step, scenario: Scenario) -> bool:
    """Whether a teacher fixed numbers that would be the learner's."""
    name = scenario.given_as(step.name)
    return name is not None and (scenario.is_fixed or scenario.fixes(name))


def hidden_cells(trace: Trace, matrix: Matrix) -> list[tuple[int, int]]:
    """Cells that the mask hides, in the steps that the mask has reached."""
    if matrix.step.name not in ("masked", "weights", "dropped") or "masked" not in trace.names:
        return []
    hidden = np.zeros(matrix.step.shape, bool)
    if "visible" in trace.parameters:
        hidden |= ~trace["visible"]
    if "attn_mask" in trace.parameters:
        hidden |= np.isneginf(trace["attn_mask"])
    row, column = matrix.at
    n_rows, n_columns = matrix.numbers.shape
    seen = hidden[matrix.front][row : row + n_rows, column : column + n_columns]
    return [(row, column) for row, column in np.argwhere(seen).tolist()]


def lit_cells(trace: Trace, lines: list[Explanation], drawn: list[Matrix]) -> dict[str, list]:
    """The chosen cell and the cells its number comes from, by the key of their matrix."""
    lit: dict[str, list] = {}
    names = {matrix.step.name for matrix in drawn}
    operands = [shown_operand(trace, operand, names) for line in lines for operand in line.operands]
    places = [(operand.step, operand.index, "source") for operand in operands if operand.index]
    places += [(line.step, line.index, "chosen") for line in lines[:1]]
    by_name: dict[str, list[Matrix]] = {}
    for matrix in drawn:
        by_name.setdefault(matrix.step.name, []).append(matrix)
    for name, index, mark in places:
        for matrix in by_name.get(name, []):
            cell = matrix.cell(index)
            if cell is None:
                continue
            row, column = cell[0] - matrix.at[0], cell[1] - matrix.at[1]
            n_rows, n_columns = matrix.numbers.shape
            if 0 <= row < n_rows and 0 <= column < n_columns:
                lit.setdefault(matrix.key, []).append([row, column, mark])
    return lit


def matrix_by_key(key: object, drawn: list[Matrix]) -> Matrix | None:
    """The matrix that the browser speaks of."""
    return next((matrix for matrix in drawn if matrix.key == key), None)


def is_cell(matrix: Matrix, row: object, column: object) -> bool:
    """Whether the browser speaks of a real cell; anything else is nobody's choice."""
    if type(row) is not int or type(column) is not int:
        return False
    n_rows, n_columns = matrix.whole.shape
    return 0 <= row < n_rows and 0 <= column < n_columns


def place_of(trace: Trace, name: str, index: tuple[int, ...]) -> dict[str, object]:
    """The view in which a cell is seen and chosen, from its full index."""
    step = trace.step(name)
    n_flat = flat_axes(step.axes)
    front = dict(zip(step.axes[: -1 - n_flat], index, strict=False))
    view: dict[str, object] = {axis: front[axis] for axis in ("batch", "head") if axis in front}
    if "kv_head" in front:
        n_heads, size = trace["weights"].shape[-3], step.shape[step.axes.index("kv_head")]
        view["head"] = front["kv_head"] * n_heads // size
    matrix = Matrix(name, step, tuple(index[: -1 - n_flat]), n_flat)
    row, column = matrix.place(index)
    if matrix.axes[0] in OF_WORDS:
        view["focus"] = row
    view["cell"] = (name, row, column, *([front["part"]] if "part" in front else []))
    return view


def chosen_matrix(scenario: Scenario, trace: Trace, names: list[str], shown: Shown) -> Matrix | None:
    """The matrix of the chosen cell in the head and batch item shown, if it is there and has that cell."""
    match scenario.view.cell:
        case (str(name), row, column, *part) if name in names:
            found = matrices_of(trace.step(name), shown._replace(all_heads=False))
            matrix = found[min(part[0], len(found) - 1)] if part else found[0]
            return matrix if is_cell(matrix, row, column) else None
    return None
