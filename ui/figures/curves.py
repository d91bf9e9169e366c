"""Figures of lessons: curves or bars over x. Ranges are computed here, so axes follow the numbers."""

import math

from ui.figures.references import block
from ui.figures.style import ink_colour

HEIGHT = 280  # pixels
MANY_POINTS = 24  # from which a curve has no marker at each point
MARGIN = 0.04  # of the range, left free at each end
POWERS_FROM = 1e6  # ticks from here on are powers of ten, as in the tables


def curves_of(found: dict) -> dict:
    """{"data", "layout"} of a plot of ui/course/engine/blocks.py, with references to the block itself."""
    data = [trace_of(found, number) for number in range(len(found["series"]))]
    heights = [y for one in found["series"] for y in one["y"] if y is not None]
    layout = {"height": HEIGHT, "showlegend": len(data) > 1, "shapes": [], "meta": {"kind": "curves"}}
    if found["at"] is not None:
        ends = {"x0": found["at"], "x1": found["at"], "xref": "x", "y0": 0, "y1": 1, "yref": "paper"}
        line = {"color": "var(--st-text-color)", "dash": "dot", "width": 1.5}
        layout["shapes"] = [{"type": "line", **ends, "line": line}]
    layout["xaxis"] = axis_of("x_title", along(found))
    layout["yaxis"] = axis_of("y_title", upward(heights, found))
    return {"data": data, "layout": layout}


def trace_of(found: dict, number: int) -> dict:
    """One curve; each has a dash of its own besides its colour."""
    one = found["series"][number]
    colour = ink_colour(one["ink"])
    shared = {"x": block("x"), "y": block("series", number, "y"), "name": block("series", number, "name")}
    shared |= {"showlegend": one["named"]}
    if found["bars"]:
        return shared | {"type": "bar", "marker": {"color": colour, "opacity": 0.75}}
    mode = "lines" if len(found["x"]) > MANY_POINTS else "lines+markers"
    line = {"color": colour, "dash": one["dash"], "width": 2 if one["named"] else 1}
    return shared | {"type": "scatter", "mode": mode, "line": line, "marker": {"size": 5}}


def axis_of(title: str, ends: dict) -> dict:
    return {"title": {"text": block(title), "standoff": 8}, **ends}


def along(found: dict) -> dict:
    """The x-axis: names beside each other, or numbers from the first to the last and the marked one."""
    if any(isinstance(x, str) for x in found["x"]):
        return {"type": "category", "autorange": True}
    values = [x for x in found["x"] if x is not None]
    if found["at"] is not None:
        values.append(found["at"])
    if found["bars"]:  # half a bar more at each end
        half = 0.5 * (max(values) - min(values)) / max(1, len(found["x"]) - 1) or 0.5
        return {"type": "linear", "range": [min(values) - half, max(values) + half]}
    return scale_of(values, found["log_x"])


def upward(values: list[float], found: dict) -> dict:
    """The y-axis: from 0, unless it is logarithmic, to the largest number or to `top`."""
    if found["top"] is not None:
        return {"type": "linear", "range": [0, found["top"]]}
    if found["log_y"]:
        return scale_of(values, log=True)
    low, high = min([0, *values]), max([0, *values])
    free = MARGIN * (high - low) or 1
    ends = [low - free if low < 0 else 0, high + free if high > 0 or not low else 0]
    return {"type": "linear", "range": rounded(ends), **powers(values)}


def scale_of(values: list[float], log: bool) -> dict:
    """From the smallest to the largest. A logarithmic axis names powers of ten and nothing between them."""
    if log:
        values = [math.log10(value) for value in values if value > 0]
    if not values:
        return {"type": "log" if log else "linear", "autorange": True}
    low, high = min(values), max(values)
    free = MARGIN * (high - low) or 0.5
    found = {"type": "log" if log else "linear", "range": rounded([low - free, high + free])}
    if log and high - low >= 1:
        found["dtick"] = 1
    return found | powers([10**value for value in values] if log else values)


def powers(values: list[float]) -> dict:
    return {"exponentformat": "power"} if max(values, default=0) >= POWERS_FROM else {}


def rounded(ends: list[float]) -> list[float]:
    return [float(f"{end:.6g}") for end in ends]
