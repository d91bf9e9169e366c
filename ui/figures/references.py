"""References: what stands in a figure where numbers or words belong that the browser already has.

A figure is made from structure alone and travels once. Where an array belongs stands one of

    {"$matrix": 1, "as": "values"}       part of a matrix of the board: the second in `layout.meta.matrices`
    {"$shares": "weights", "as": "text"} part of the row of weights that is shown as bars
    {"$block": ["series", 0, "y"]}       a part of the block of a lesson that has the figure

`ui/figures/fill.py` and `static/figures/fill.js` put the numbers in, both alike: tests/test_fill.py compares them.
A colour of the theme is a text, `var(--st-blue-color)`, which the browser reads in light or dark.
"""

from typing import Literal, NotRequired, TypedDict, TypeGuard, Unpack

# What of a matrix: its numbers, a list of all its numbers written out, with the place of each across and down
# and the size of the letters, its colour scale and its ends, its labels, its title, a picture of a large one.
# "marks" stands in a list of shapes for as many as there are masked, chosen and source cells.
Part = Literal[
    "values", "text", "across", "down", "size", "top", "bottom", "colorscale", "rows", "columns", "row_ticks",
    "column_ticks", "title", "title_size", "name", "dots", "first_row", "first_column", "marks",
]  # fmt: skip
SharesPart = Literal["values", "text", "range", "title"]


class MatrixFacts(TypedDict, total=False):
    room: float  # of a title: cells until the next title begins
    scale: str  # of a colorscale: this one, whatever the matrix has
    axis: str  # of marks: "" or "2" or "3"


class SharesFacts(TypedDict, total=False):
    least: float  # of a range: where it ends at least
    reversed: bool  # of a range: from its end to 0


class MatrixReference(TypedDict("MatrixReference", {"$matrix": int, "as": Part}), MatrixFacts):
    """$matrix: which of layout.meta.matrices."""


class SharesReference(TypedDict("SharesReference", {"$shares": str, "as": SharesPart}), SharesFacts):
    """$shares: the step, "weights" or "dropped"."""


BlockReference = TypedDict("BlockReference", {"$block": list[str | int]})
Reference = MatrixReference | SharesReference | BlockReference


class Drawn(TypedDict):
    """A matrix of a figure: of which step, in the head and batch item that are shown, and how it stands."""

    step: str
    head: NotRequired[int]  # this one, whichever is shown
    part: NotRequired[int]  # of Q, K and V in one step, this one
    turned: NotRequired[bool]  # transposed
    cells: NotRequired[list[list[list[int]]]]  # a block of it: for each cell its row and column in the matrix
    title: NotRequired[str]  # instead of its name
    sign: NotRequired[str]  # before its title
    change: NotRequired[bool]  # not its numbers, but their change since a result was kept
    ink: NotRequired[str]  # q, k or v


def matrix(number: int, part: Part, **facts: Unpack[MatrixFacts]) -> MatrixReference:
    return {"$matrix": number, "as": part, **facts}


def shares(step: str, part: SharesPart, **facts: Unpack[SharesFacts]) -> SharesReference:
    return {"$shares": step, "as": part, **facts}


def block(*path: str | int) -> BlockReference:
    return {"$block": list(path)}


def is_reference(part: object) -> TypeGuard[Reference]:
    return isinstance(part, dict) and any(name in part for name in ("$matrix", "$shares", "$block"))
