"""Figures of the step in focus, as plain Plotly dictionaries: what is multiplied stands left and above.

What is the same in all of them, the style of axes and titles, is in static/figure.js and not sent each time.
"""

import numpy as np

CELL = 40  # pixels of a cell
GAP = 1.0  # cells between two matrices
WIDTH = 350  # pixels of the figure without its margins, about
CHARACTER = 7  # pixels of a digit
# Transparent in the middle, so that both themes show through.
SIGNED = [[0, "rgba(184,116,26,0.75)"], [0.5, "rgba(128,128,128,0.0)"], [1, "rgba(63,120,191,0.75)"]]
SHARE = [[0, "rgba(130,80,196,0.0)"], [1, "rgba(130,80,196,0.75)"]]
MINUS = "−"


def write(value: float, decimals: int) -> str:
    """A number as the board writes it."""
    if np.isneginf(value):
        return f"{MINUS}∞"
    if abs(value) >= 1e6:
        return f"{value:.0e}".replace("e+0", "e").replace("e+", "e").replace("-", MINUS)
    text = f"{value:.{decimals}f}"
    return text.replace("-", MINUS if float(text) else "")


def heatmap(drawn: dict, axis: str, decimals: int, room: float) -> list[dict]:
    """One matrix on the axes `axis` ("" or "2" or "3"): its colours, and over them its numbers.

    They are written where the longest fits into the `room` of a cell, in pixels.

    The numbers are a layer of their own, because only that follows the theme's text colour.
    """
    values = drawn["values"]
    numbers = [value for row in values for value in row if value is not None]
    places = 0 if all(float(value).is_integer() for value in numbers) else decimals
    texts = [[write(-np.inf if value is None else value, places) for value in row] for row in values]
    n_rows, n_columns = len(values), len(values[0])
    on = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
    colours = {
        "type": "heatmap",
        "meta": {"id": drawn["id"], "turned": drawn.get("turned", False)},
        "z": values,
        "hovertemplate": "%{z}<extra>" + drawn["name"] + "</extra>",
        "colorscale": SHARE if drawn["scale"] == "share" else SIGNED,
        "zmin": 0 if drawn["scale"] == "share" else -drawn["top"],
        "zmax": drawn["top"],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        **on,
    }
    if max(len(text) for row in texts for text in row) * CHARACTER > room:
        return [colours]
    writing = {
        "type": "scatter",
        "mode": "text",
        "x": [column for _ in range(n_rows) for column in range(n_columns)],
        "y": [row for row in range(n_rows) for _ in range(n_columns)],
        "text": [text for row in texts for text in row],
        "hoverinfo": "skip",
        **on,
    }
    return [colours, writing]


def axes(drawn: dict, axis: str, across: tuple[float, float], up: tuple[float, float]) -> dict:
    """The two axes of a matrix, with its labels, in a part of the figure."""
    columns, rows = drawn["columns"], drawn["rows"]
    return {
        f"xaxis{axis}": {
            "domain": [round(end, 4) for end in across],
            "anchor": f"y{axis}",
            "side": "top",
            "range": (-0.5, len(columns) - 0.5),
            "tickvals": list(range(len(columns))),
            "ticktext": columns,
        },
        f"yaxis{axis}": {
            "domain": [round(end, 4) for end in up],
            "anchor": f"x{axis}",
            "range": (len(rows) - 0.5, -0.5),
            "tickvals": list(range(len(rows))),
            "ticktext": rows,
        },
    }


def title(drawn: dict, across: tuple[float, float], up: tuple[float, float]) -> dict:
    """The name of a matrix above it."""
    return {"text": f"<b>{drawn['name']}</b>", "x": round(across[0], 4), "y": round(up[1], 4)}


def layout(height: float, annotations: list[dict], **parts) -> dict:
    return {
        "height": height,
        "margin": {"l": 36, "r": 8, "t": 56, "b": 8},
        "annotations": annotations,
        **parts,
    }


def product_figure(left: dict, above: dict, product: dict, decimals: int) -> dict:
    """left · above = product, the product at the crossing of its row and its column."""
    wide_left, wide = len(left["columns"]), len(product["columns"])
    high_above, high = len(above["rows"]), len(product["rows"])
    all_wide, all_high = wide_left + wide + GAP, high_above + high + 2 * GAP
    left_part, right_part = (0, wide_left / all_wide), (1 - wide / all_wide, 1)
    lower_part, upper_part = (0, high / all_high), (1 - high_above / all_high, 1)
    parts = {}
    annotations = []
    for drawn, axis, across, up in (
        (left, "", left_part, lower_part),
        (above, "2", right_part, upper_part),
        (product, "3", right_part, lower_part),
    ):
        parts |= axes(drawn, axis, across, up)
        annotations.append(title(drawn, across, up))
    height = min(all_high, 34) * CELL + 60
    room = WIDTH / all_wide
    figures = [
        part
        for drawn, axis in ((left, ""), (above, "2"), (product, "3"))
        for part in heatmap(drawn, axis, decimals, room)
    ]
    return {"data": figures, "layout": layout(height, annotations, **parts)}


def row_figure(matrices: list[dict], decimals: int) -> dict:
    """Matrices side by side, cells of one size: what a step made of what."""
    all_wide = sum(len(drawn["columns"]) for drawn in matrices) + GAP * 2 * (len(matrices) - 1)
    highest = max(len(drawn["rows"]) for drawn in matrices)
    parts, annotations, figures, start = {}, [], [], 0.0
    for number, drawn in enumerate(matrices):
        axis = str(number + 1) if number else ""
        across = (start / all_wide, min(1, (start + len(drawn["columns"])) / all_wide))
        up = (1 - len(drawn["rows"]) / highest, 1)
        parts |= axes(drawn, axis, across, up)
        annotations.append(title(drawn, across, up))
        figures += heatmap(drawn, axis, decimals, WIDTH / all_wide)
        start += len(drawn["columns"]) + GAP * 2
    height = min(highest, 30) * CELL + 60
    return {"data": figures, "layout": layout(height, annotations, **parts)}


def shares_figure(weights: dict, row: int, decimals: int) -> dict:
    """The weights, and one row of them as bars beside it."""
    wide = len(weights["columns"])
    split = wide / (2 * wide + 2)
    left, right = (0, split), (1 - split, 1)
    shares = [value or 0 for value in weights["values"][row]]
    bars = {
        "type": "bar",
        "x": list(range(wide)),
        "y": shares,
        "text": [write(share, max(decimals, 2)) for share in shares] if wide <= 6 else None,
        "textposition": "outside",
        "cliponaxis": False,
        "hoverinfo": "skip",
        "marker": {"color": "rgba(130,80,196,0.75)"},
        "xaxis": "x2",
        "yaxis": "y2",
    }
    parts = axes(weights, "", left, (0, 1))
    parts["xaxis2"] = {
        "domain": right,
        "anchor": "y2",
        "tickvals": list(range(wide)),
        "ticktext": weights["columns"],
        "title": {"text": f"{weights['name']}: {weights['rows'][row]}", "standoff": 4},
    }
    parts["yaxis2"] = {
        "domain": (0, 1),
        "anchor": "x2",
        "range": (0, 1.12),
        "showgrid": False,
        "visible": False,
    }
    figure = {"data": [*heatmap(weights, "", decimals, WIDTH * split / wide), bars]}
    height = min(len(weights["rows"]), 30) * CELL + 110
    found = layout(height, [title(weights, left, (0, 1))], **parts)
    return figure | {"layout": {**found, "margin": {**found["margin"], "b": 44}}}
