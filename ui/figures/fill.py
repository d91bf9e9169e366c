"""Puts numbers into a figure, and fits it to a width, as static/fill.js does in the browser.

    fitted, cell = fit(figure, width=640)
    filled = fill(fitted, {"matrices": [...], "shares": {...}, "block": {...}}, View(cell=cell))

`matrices` has for each of `layout.meta.matrices` what the browser has of that step: see `Numbers`.
"""

import base64
import re
from collections.abc import Mapping
from typing import NamedTuple, TypedDict

from ui.figures.cells import LARGEST_CELL
from ui.figures.references import Drawn, Reference, is_reference
from ui.figures.style import LETTERS, MARGIN, SCALES, ink_colour
from ui.numbers import Marks, write_number

SMALLEST_CELL = 24  # pixels of its height
ENOUGH = 26  # pixels of a cell's width; with less, a narrower arrangement is taken
SMALL_LETTERS, SMALLEST_LETTERS = 8, 7
TITLE, SMALLEST_TITLE = 13, 9
WIDE_LETTER = 0.6  # of its size, a digit; a letter of a title is 0.57
LONGEST_LABEL = 8
UNKNOWN = "?"  # to be predicted
WRITTEN = ("text", "size")  # parts that are larger from near
VARIABLE = re.compile(r"var\((--st-[a-z-]+)\)")


class Large(TypedDict):
    """Of a large matrix: where its numbers begin, and a picture of it, a byte for each dot."""

    at: list[int]
    dots: str
    size: list[int]


class Numbers(TypedDict):
    """One matrix of the board, in the head and batch item shown."""

    name: str
    scale: str  # "signed", "share" or "flag"
    top: float  # where its shade is full
    values: list[list[float | None]]  # None is −∞
    rows: list[str]
    columns: list[str]
    hidden: list[list[int]]  # masked cells
    lit: list[list]  # [row, column, "chosen" or "source"]
    strip: list[list] | None  # for each column the ink of Q, K or V
    unknown: list[list[bool]] | None  # cells that are to be predicted
    large: Large | None


class View(NamedTuple):
    """How it is looked at: the width of a cell in pixels, decimals, the marks in numbers, colours by name."""

    cell: float = LARGEST_CELL
    decimals: int = 2
    marks: Marks = Marks()
    colours: Mapping[str, str] = {}
    near: Mapping[int, float] = {}  # of large matrices that are seen from near: the width of a cell


def fit(figure: dict, width: float) -> tuple[dict, float]:
    """The figure in the widest arrangement for which there is room, and the width of its cells in pixels."""
    layout = figure["layout"]
    meta = layout.get("meta", {})
    if "cells" not in meta:
        return figure, 0.0
    wide, high = meta["cells"]
    for narrower in meta.get("narrow", []):
        if width / wide >= ENOUGH:
            break
        wide, high = narrower["cells"]
        layout = layout | merged(layout, {name: part for name, part in narrower.items() if name != "cells"})
    cell = min(LARGEST_CELL, width / wide)
    below = (
        38 if any(trace["type"] == "bar" and trace["orientation"] == "v" for trace in figure["data"]) else 0
    )
    margin = {**MARGIN, "r": MARGIN["r"] + max(0, width - cell * wide), "b": max(MARGIN["b"], below)}
    height = int(high * max(SMALLEST_CELL, cell) + margin["t"] + margin["b"] + 0.5)
    return figure | {"layout": layout | {"margin": margin, "height": height}}, cell


def merged(one, other):
    """`one` with what `other` says differently, part by part."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one | {name: merged(one.get(name), part) for name, part in other.items()}
    if isinstance(one, list) and isinstance(other, list) and any(isinstance(part, dict) for part in other):
        return [merged(*pair) for pair in zip(one, other, strict=True)]
    return other


def fill(figure: dict, numbers: dict, view: View) -> dict:
    """The figure with every reference replaced, and every colour that is known by name."""
    drawn = figure["layout"].get("meta", {}).get("matrices", [])
    matrices = [as_drawn(*pair) for pair in zip(drawn, numbers.get("matrices", []), strict=True)]

    def filled(part):
        if is_reference(part):
            return filled_colours(look_up(part))
        if isinstance(part, dict):
            return {name: one if name == "meta" else filled(one) for name, one in part.items()}
        if isinstance(part, list):
            return [one for each in part for one in several(each)]
        return filled_colours(part)

    def several(part) -> list:
        is_marks = is_reference(part) and part.get("as") == "marks"
        return filled(part) if is_marks else [filled(part)]

    def look_up(reference: Reference):
        if "$block" in reference:
            found = numbers["block"]
            for step in reference["$block"]:
                found = found[step]
            return found
        if "$shares" in reference:
            return of_shares(reference, numbers["shares"].get(reference["$shares"]), view)
        number = reference["$matrix"]
        seen = view._replace(cell=view.near.get(number, view.cell)) if reference["as"] in WRITTEN else view
        return PARTS[reference["as"]](matrices[number], reference, seen)

    def filled_colours(part):
        if isinstance(part, str):
            return VARIABLE.sub(lambda found: view.colours.get(found[1], found[0]), part)
        if isinstance(part, dict):
            return {name: filled_colours(one) for name, one in part.items()}
        return [filled_colours(one) for one in part] if isinstance(part, list) else part

    return {"data": filled(figure["data"]), "layout": filled(figure["layout"])}


# A matrix as it stands in the figure: turned, or a block of it.


def as_drawn(drawn: Drawn, given: Numbers) -> Numbers:
    found = {**given, "name": drawn.get("title") or given["name"], "sign": drawn.get("sign", "")}
    if "cells" in drawn:
        return found | block_of(drawn["cells"], given)
    return found | turned(found) if drawn.get("turned") else found


def turned(given: Numbers) -> dict:
    def turn(rows):
        return rows and [list(column) for column in zip(*rows, strict=True)]

    name, comma, head = given["name"].partition(",")
    found = {"name": f"{name}ᵀ{comma}{head}", "rows": given["columns"], "columns": given["rows"]}
    found |= {"values": turn(given["values"]), "unknown": turn(given["unknown"]), "strip": None}
    found |= {part: [[cell[1], cell[0], *cell[2:]] for cell in given[part]] for part in ("hidden", "lit")}
    if given["large"]:
        found["large"] = given["large"] | {"at": given["large"]["at"][::-1], "turned": True}
    return found


def block_of(cells: list, given: Numbers) -> dict:
    def picked(rows):
        return rows and [[rows[row][column] for row, column in line] for line in cells]

    marks = {(row, column): mark for row, column, mark in given["lit"]}
    lit = [
        [row, column, marks[tuple(cell)]]
        for row, line in enumerate(cells)
        for column, cell in enumerate(line)
        if tuple(cell) in marks
    ]
    return {
        "values": picked(given["values"]),
        "unknown": picked(given["unknown"]),
        "rows": [given["rows"][line[0][0]] for line in cells],
        "columns": [str(place) for place in range(len(cells[0]))],
        "hidden": [],
        "lit": lit,
        "strip": None,
    }


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
    return "−∞" if value is None else write_number(value, places).replace(".", marks.decimal)


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
    return [""] * len(texts), SMALLEST_LETTERS


# Titles and labels.


def width_of(text: str) -> float:
    """In letters; one of Chinese or Korean is as wide as two."""
    return sum(2 if ord(letter) > 0x2E80 else 1 for letter in text)


def title_of(matrix: Numbers, room: float) -> tuple[str, int]:
    """A title on one line, on two, or in smaller letters: nothing of it is cut."""
    text = matrix["sign"] + matrix["name"]
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


def of_shares(reference: Reference, given: dict | None, view: View):
    """The row of weights as bars; nothing while it is to be predicted."""
    values = given["shares"] if given else []
    match reference["as"]:
        case "values":
            return values
        case "text":
            return [written(value, max(2, view.decimals), view.marks) for value in values]
        case "title":
            return given["title"].replace("{row}", label_of(given["name"])) if given else ""
    end = 1.15 * (max([reference["least"], *values]) or 1)
    return [end, 0] if reference["reversed"] else [0, end]


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
