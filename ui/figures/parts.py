"""The parts of a matrix that a figure refers to: numbers as they are written, labels, titles, marks on cells.

static/figures/fill.js has the same.
"""

import base64
import math
from collections.abc import Mapping
from typing import NamedTuple, NotRequired, TypedDict

from ui.board.matrices import Overview
from ui.figures.cells import LARGEST_CELL
from ui.figures.references import SharesReference
from ui.figures.style import LETTERS, SCALES, ink_colour
from ui.numbers import CELL, Marks, write

SMALL_LETTERS, SMALLEST_LETTERS = 8, 7
TITLE, SMALLEST_TITLE = 13, 9
WIDE_LETTER = 0.6  # of its size, a digit; a letter of a title is 0.57
LONGEST_LABEL = 8
UNKNOWN = "?"  # to be predicted


class Numbers(TypedDict):
    """One matrix of the board, in the head and batch item shown."""

    name: str
    sign: NotRequired[str]  # before its title
    scale: str  # "signed", "share" or "flag"
    top: float  # where its shade is full
    values: list[list[float | None]]  # None is −∞
    rows: list[str]
    columns: list[str]
    hidden: list[tuple[int, int]]  # masked cells
    lit: list[tuple[int, int, str]]  # row, column, "chosen" or "source"
    strip: list[tuple[str, int]] | None  # for each column the ink of Q, K or V
    unknown: list[list[bool]] | None  # cells that are to be predicted
    large: Overview | None


class View(NamedTuple):
    """How it is looked at: the width of a cell in pixels, decimals, the marks in numbers, colours by name."""

    cell: float = LARGEST_CELL
    decimals: int = 2
    marks: Marks = Marks()
    colours: Mapping[str, str] = {}
    near: Mapping[int, float] = {}  # of large matrices that are seen from near: the width of a cell


# Numbers as they are written, as large as fits into a cell.


def values_of(matrix: Numbers) -> list[list[float | None]]:
    if not matrix["unknown"]:
        return matrix["values"]
    pairs = zip(matrix["values"], matrix["unknown"], strict=True)
    return [[None if hidden else value for value, hidden in zip(*rows, strict=True)] for rows in pairs]


def texts_of(matrix: Numbers, places: int, view: View) -> list[str]:
    texts = []
    for row, line in enumerate(matrix["values"]):
        for column, value in enumerate(line):
            if matrix["unknown"] and matrix["unknown"][row][column]:
                texts.append(UNKNOWN)
            elif matrix["scale"] == "flag":
                texts.append("✓" if value else "✕")
            else:
                texts.append(written(value, places, view.marks))
    return texts


def written(value: float | None, places: int, marks: Marks) -> str:
    return write(-math.inf if value is None else value, places, marks, CELL)


def letters(matrix: Numbers, view: View) -> tuple[list[str], int]:
    """The numbers with as many places as there is room for, and their size; nothing where there is none."""
    whole = all(value is None or float(value).is_integer() for line in matrix["values"] for value in line)
    most = 0 if whole else view.decimals
    least = min(1, most)
    for places in range(most, least - 1, -1):
        texts = texts_of(matrix, places, view)
        longest = max(map(len, texts))
        size = min(LETTERS, int((view.cell - 2) / (WIDE_LETTER * longest)))
        if size >= (SMALL_LETTERS if places > least else SMALLEST_LETTERS):
            return texts, size
    return [""] * sum(map(len, matrix["values"])), SMALLEST_LETTERS


# Titles and labels.


def width_of(text: str) -> float:
    """In letters; one of Chinese or Korean is as wide as two."""
    return sum(2 if ord(letter) > 0x2E80 else 1 for letter in text)


def title_of(matrix: Numbers, room: float) -> tuple[str, int]:
    """A title on one line, on two, or in smaller letters: nothing of it is cut."""
    text = matrix.get("sign", "") + matrix["name"]
    fits = room / (0.57 * TITLE)
    lines = [text]
    if width_of(text) > fits and " " in text:
        spaces = [place for place, letter in enumerate(text) if letter == " "]
        cuts = [[text[:place], text[place + 1 :]] for place in spaces]
        lines = min(cuts, key=lambda cut: max(map(width_of, cut)))
    longest = max(map(width_of, lines))
    size = TITLE if longest <= fits else max(SMALLEST_TITLE, int(TITLE * fits / longest))
    return f"<b>{'<br>'.join(lines)}</b>", size


def label_of(name: str, ink: str = "") -> str:
    """Names come from learners: plain text, so that Plotly obeys no tag in them."""
    cut = f"{name[: LONGEST_LABEL - 1]}…" if len(name) > LONGEST_LABEL else name
    text = cut.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<span style="color:{ink_colour(ink, text=True)}">{text}</span>' if ink else text


def columns_of(matrix: Numbers) -> list[str]:
    inks = [ink for ink, _ in matrix["strip"]] if matrix["strip"] else [""] * len(matrix["columns"])
    return [label_of(*pair) for pair in zip(matrix["columns"], inks, strict=True)]


# Pictures of large matrices, and marks on cells.


def dots_of(matrix: Numbers) -> list[list[float]]:
    large, top = matrix["large"], matrix["top"]
    if large is None:
        return []
    columns = large["size"][1]
    numbers = [(byte - 128) / 127 * top for byte in base64.b64decode(large["dots"])]
    rows = [numbers[start : start + columns] for start in range(0, len(numbers), columns)]
    return [list(column) for column in zip(*rows, strict=True)] if large.get("turned") else rows


def places_of(matrix: Numbers, along: int) -> list[int]:
    """Where each number stands, across (1) or down (0)."""
    start = matrix["large"]["at"][along] if matrix["large"] else 0
    rows, columns = len(matrix["values"]), len(matrix["values"][0])
    return [start + (row, column)[along] for row in range(rows) for column in range(columns)]


def marks_of(matrix: Numbers, axis: str) -> list[dict]:
    """Masked cells are hatched; the chosen cell and its sources are framed, as on the board."""
    on = {"xref": f"x{axis}", "yref": f"y{axis}"}
    found = []
    for row, column in matrix["hidden"]:
        for low, high in ((-0.25, 0), (0, 0.25)):
            ends = {"x0": column - 0.45 + high, "x1": column + 0.45 + low}
            ends |= {"y0": row + 0.45 + low, "y1": row - 0.45 + high}
            line = {"color": "var(--st-text-color)", "width": 1}
            found.append({**on, "type": "line", **ends, "opacity": 0.35, "line": line})
    for row, column, mark in matrix["lit"]:
        ends = {"x0": column - 0.48, "x1": column + 0.48, "y0": row - 0.48, "y1": row + 0.48}
        line = {"width": 3, "dash": "solid"} if mark == "chosen" else {"width": 1.5, "dash": "dot"}
        found.append({**on, "type": "rect", **ends, "line": {"color": "var(--st-violet-color)", **line}})
    return found


def of_shares(reference: SharesReference, given: dict | None, view: View):
    """The row of weights as bars; nothing while it is to be predicted."""
    values = given["shares"] if given else []
    match reference["as"]:
        case "values":
            return values
        case "text":
            return [written(value, max(2, view.decimals), view.marks) for value in values]
        case "title":
            return given["title"].replace("{row}", label_of(given["name"])) if given else ""
    end = 1.15 * (max([reference.get("least", 0), *values]) or 1)
    return [end, 0] if reference.get("reversed") else [0, end]


PARTS = {
    "values": lambda matrix, _, view: values_of(matrix),
    "text": lambda matrix, _, view: letters(matrix, view)[0],
    "size": lambda matrix, _, view: letters(matrix, view)[1],
    "across": lambda matrix, _, view: places_of(matrix, 1),
    "down": lambda matrix, _, view: places_of(matrix, 0),
    "top": lambda matrix, _, view: matrix["top"],
    "bottom": lambda matrix, _, view: -matrix["top"] if matrix["scale"] == "signed" else 0,
    "colorscale": lambda matrix, reference, view: SCALES[reference.get("scale", matrix["scale"])],
    "rows": lambda matrix, _, view: [label_of(name) for name in matrix["rows"]],
    "columns": lambda matrix, _, view: columns_of(matrix),
    "row_ticks": lambda matrix, _, view: list(range(len(matrix["rows"]))),
    "column_ticks": lambda matrix, _, view: list(range(len(matrix["columns"]))),
    "name": lambda matrix, _, view: matrix["name"],
    "title": lambda matrix, reference, view: title_of(matrix, reference["room"] * view.cell)[0],
    "title_size": lambda matrix, reference, view: title_of(matrix, reference["room"] * view.cell)[1],
    "dots": lambda matrix, _, view: dots_of(matrix),
    "first_row": lambda matrix, _, view: matrix["large"]["at"][0],
    "first_column": lambda matrix, _, view: matrix["large"]["at"][1],
    "marks": lambda matrix, reference, view: marks_of(matrix, reference["axis"]),
}
