"""Puts numbers into a figure, and fits it to a width, as static/figures/fill.js does in the browser.

    fitted, cell = fit(figure, width=640)
    filled = fill(fitted, {"matrices": [...], "shares": {...}, "block": {...}}, View(cell=cell))

`matrices` has for each of `layout.meta.matrices` what the browser has of that step: see `Numbers`.
"""

import re
from typing import Any

from ui.figures.cells import LARGEST_CELL
from ui.figures.parts import PARTS, Numbers, View, of_shares
from ui.figures.references import Drawn, Reference, is_reference
from ui.figures.style import MARGIN

SMALLEST_CELL = 24  # pixels of its height
ENOUGH = 26  # pixels of a cell's width; with less, a narrower arrangement is taken
WRITTEN = ("text", "size")  # parts that are larger from near
VARIABLE = re.compile(r"var\((--st-[a-z-]+)\)")


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

    def filled(part: Any) -> Any:
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
    found: Numbers = {**given, "name": drawn.get("title") or given["name"], "sign": drawn.get("sign", "")}
    if "cells" in drawn:
        return block_of(drawn["cells"], found)
    return turned(found) if drawn.get("turned") else found


def turned(given: Numbers) -> Numbers:
    def turn(rows):
        return rows and [list(column) for column in zip(*rows, strict=True)]

    name, comma, head = given["name"].partition(",")
    large = given["large"]
    return {
        **given,
        "name": f"{name}ᵀ{comma}{head}",
        "rows": given["columns"],
        "columns": given["rows"],
        "values": turn(given["values"]),
        "unknown": turn(given["unknown"]),
        "strip": None,
        "hidden": [(column, row) for row, column in given["hidden"]],
        "lit": [(column, row, mark) for row, column, mark in given["lit"]],
        "large": large and {**large, "at": large["at"][::-1], "turned": True},
    }


def block_of(cells: list, given: Numbers) -> Numbers:
    def picked(rows):
        return rows and [[rows[row][column] for row, column in line] for line in cells]

    marks = {(row, column): mark for row, column, mark in given["lit"]}
    lit = [
        (row, column, marks[tuple(cell)])
        for row, line in enumerate(cells)
        for column, cell in enumerate(line)
        if tuple(cell) in marks
    ]
    return {
        **given,
        "values": picked(given["values"]),
        "unknown": picked(given["unknown"]),
        "rows": [given["rows"][line[0][0]] for line in cells],
        "columns": [str(place) for place in range(len(cells[0]))],
        "hidden": [],
        "lit": lit,
        "strip": None,
    }
