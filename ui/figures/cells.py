"""Figures of matrices: one function for each kind, from sizes alone. Numbers stand in them by reference."""

from typing import NamedTuple

from ui.figures import places, style
from ui.figures.places import Arrangement, Size
from ui.figures.references import Drawn, matrix, shares

LARGEST_CELL = 44  # pixels
LARGE_ROOM = 12  # cells whose room a large matrix takes along each side
WIDTHS_OF_BLOCKS = (26, 18, 12, 8)  # cells in a row of blocks: the first for which there is room is taken
MOST_BARS_WITH_NUMBERS = 8
MOST_ON_ONE_SCALE = 16  # bars: among more, no share comes near 1


class Piece(NamedTuple):
    """A matrix of a figure: which it is, and its size."""

    drawn: Drawn
    rows: int
    columns: int
    dots: tuple[int, int] | None = None  # of a large one: rows and columns of its picture
    heads: list[list[int | None]] | None = None  # where colour says which head a cell goes to

    @property
    def room(self) -> Size:
        """Rows and columns that it takes in a figure."""
        if self.dots is None:
            return self.rows, self.columns
        return min(LARGE_ROOM, self.rows), min(LARGE_ROOM, self.columns)


class Bars(NamedTuple):
    """The row of weights that is shown as bars."""

    step: str
    number: int
    beside_rows: bool = False  # lying, beside the rows that they are the shares of


def side_by_side(pieces: list[Piece]) -> dict:
    """What goes in and what comes out, side by side or below each other."""
    return assemble(pieces, arrangements_of(pieces))


def with_shares(pieces: list[Piece], bars: Bars) -> dict:
    """The same, and below it one row of weights as bars."""
    return assemble(pieces, [places.with_bars_below(one) for one in arrangements_of(pieces)], bars)


def product(left: Piece, above: Piece, result: Piece, bias: Piece | None, bars: Bars | None) -> dict:
    """left · above = result, at their crossing. In a weighted sum, bars say how much of each row is taken."""
    found = places.crossing(left.room, above.room, bias is not None, bars is not None)
    return assemble([left, above, result, *([bias] if bias else [])], [found], bars)


def moved(whole: Piece, blocks: list[Piece], merging: bool) -> dict:
    """Numbers that only move: a matrix, and the blocks they go to or come from, in the hues of the heads."""
    found: list[Arrangement] = [in_one_line(whole, blocks, merging)]
    for width in WIDTHS_OF_BLOCKS:
        most = max(width, whole.columns)
        one = places.packed(whole.room, [block.room for block in blocks], most, whole_first=not merging)
        if not found or one.wide < found[-1].wide:
            found.append(one)
    return assemble([whole, *blocks], found)


def in_one_line(whole: Piece, blocks: list[Piece], merging: bool) -> Arrangement:
    """The matrix and its blocks side by side, in the order in which numbers move; the first place is the whole's."""
    rooms = [block.room for block in blocks]
    order = [*rooms, whole.room] if merging else [whole.room, *rooms]
    found = places.in_lines(order, len(order))
    return found._replace(places=[found.places[-1], *found.places[:-1]]) if merging else found


def arrangements_of(pieces: list[Piece]) -> list[Arrangement]:
    """All in one line, or fewer and fewer where there is no room."""
    rooms = [piece.room for piece in pieces]
    return [places.in_lines(rooms, per_line) for per_line in range(len(pieces), 0, -1)]


def assemble(pieces: list[Piece], arrangements: list[Arrangement], bars: Bars | None = None) -> dict:
    """The figure in its widest arrangement; `layout.meta` has the narrower ones and names its matrices."""
    first, *narrower = arrangements
    data, layout = [], placed(first, len(pieces))
    layout["annotations"] = [
        title
        | {
            "text": matrix(number, "title") | title["text"],
            "font": {"size": matrix(number, "title_size") | title["text"]},
        }
        for number, title in enumerate(layout["annotations"])
    ]
    for number, piece in enumerate(pieces):
        data += traces_of(piece, number)
        x, y = axes_of(piece, number)
        layout[f"xaxis{axis_name(number)}"] |= x
        layout[f"yaxis{axis_name(number)}"] |= y
        if ink := piece.drawn.get("ink"):
            font = layout["annotations"][number]["font"]
            font["color"] = style.ink_colour(ink, text=True)
    if bars:
        add_bars(data, layout, bars, len(pieces))
    marked = [number for number, piece in enumerate(pieces) if piece.dots is None]
    layout["shapes"] = [matrix(number, "marks", axis=axis_name(number)) for number in marked]
    meta = {"kind": "cells", "matrices": [piece.drawn for piece in pieces]}
    meta["cells"] = [first.wide, first.high]
    if narrower:
        meta["narrow"] = [placed(one, len(pieces)) | {"cells": [one.wide, one.high]} for one in narrower]
    return {"data": data, "layout": layout | {"meta": meta}}


def axis_name(number: int) -> str:
    """Plotly's axes: xaxis, xaxis2, xaxis3."""
    return str(number + 1) if number else ""


def placed(arrangement: Arrangement, n_matrices: int) -> dict:
    """What of a layout depends on the arrangement: where axes are, and titles with the room they have."""
    found: dict = {"annotations": []}
    for number, place in enumerate(arrangement.places):
        across, up = arrangement.domains(place)
        found[f"xaxis{axis_name(number)}"] = {"domain": across}
        found[f"yaxis{axis_name(number)}"] = {"domain": up}
        if number < n_matrices:
            room = {"room": arrangement.room_for_title(place)}
            found["annotations"].append({"x": across[0], "y": up[1], "text": room, "font": {"size": room}})
    return found


def axes_of(piece: Piece, number: int) -> tuple[dict, dict]:
    axis = axis_name(number)
    x = {"anchor": f"y{axis}", "range": [-0.5, piece.columns - 0.5]}
    y = {"anchor": f"x{axis}", "range": [piece.rows - 0.5, -0.5]}
    if piece.dots is not None:
        few = {"tickformat": "d", "nticks": 6}
        return x | few, y | few
    x |= {"tickvals": matrix(number, "column_ticks"), "ticktext": matrix(number, "columns")}
    return x, y | {"tickvals": matrix(number, "row_ticks"), "ticktext": matrix(number, "rows")}


def traces_of(piece: Piece, number: int) -> list[dict]:
    """A matrix: its colours, and over them its numbers.

    The numbers are a layer of their own, because only that follows the theme's text colour. A large matrix
    has a picture of few dots, and from near the cells that the browser has the numbers of.
    """
    axis = axis_name(number)
    on = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
    colours = {"type": "heatmap", "name": matrix(number, "name"), **on}
    if piece.heads is not None:
        colours |= {"z": piece.heads, "zmin": 0, "zmax": len(style.HEADS) - 1, "meta": {"matrix": number}}
        colours |= {"colorscale": matrix(number, "colorscale", scale="head")}
        colours |= {"opacity": style.HEAD_SHARE, "hoverinfo": "none"}
        return [colours, writing(number, on)]
    colours |= {"zmin": matrix(number, "bottom"), "zmax": matrix(number, "top")}
    colours |= {"colorscale": matrix(number, "colorscale"), "meta": {"matrix": number}}
    if piece.dots is None:
        return [colours | {"z": matrix(number, "values")}, writing(number, on)]
    far, near = ({"meta": {"matrix": number, "from": where}} for where in ("far", "near"))
    begins = {"x0": matrix(number, "first_column"), "y0": matrix(number, "first_row"), "dx": 1, "dy": 1}
    hidden = {"visible": False}  # until somebody comes near
    return [
        colours | {"z": matrix(number, "dots"), "xgap": 0, "ygap": 0} | spread_of(piece, piece.dots) | far,
        colours | {"z": matrix(number, "values"), "xgap": 1, "ygap": 1} | begins | near | hidden,
        writing(number, on) | near | hidden,
    ]


def spread_of(piece: Piece, dots: Size) -> dict:
    """Each dot of the picture of a large matrix stands for a block of cells."""
    dy, dx = -(-piece.rows // dots[0]), -(-piece.columns // dots[1])
    return {"x0": (dx - 1) / 2, "dx": dx, "y0": (dy - 1) / 2, "dy": dy}


def writing(number: int, on: dict) -> dict:
    at = {"x": matrix(number, "across"), "y": matrix(number, "down")}
    text = {"text": matrix(number, "text"), "textfont": {"size": matrix(number, "size")}}
    return {"type": "scatter", **at, **text, **on}


def add_bars(data: list[dict], layout: dict, bars: Bars, number: int) -> None:
    """One row of weights as bars: standing below the matrices, or lying beside the rows that they weigh."""
    axis = axis_name(number)
    of, along = ("x", "y") if bars.beside_rows else ("y", "x")
    length = bar_scale(bars)
    one_each = {"fixedrange": True, "range": [-0.5, bars.number - 0.5]}
    title = {"title": {"text": shares(bars.step, "title"), "standoff": 2}}
    if bars.beside_rows:
        one_each |= {"range": [bars.number - 0.5, -0.5], "visible": False}
        length |= title
    else:
        one_each |= title | bar_names(bars, number) | {"side": "bottom"}
    layout[f"{of}axis{axis}"] |= length | {"anchor": f"{along}{axis}"}
    layout[f"{along}axis{axis}"] |= one_each | {"anchor": f"{of}{axis}"}
    trace = {"type": "bar", "orientation": "h" if bars.beside_rows else "v", of: shares(bars.step, "values")}
    if bars.number <= MOST_BARS_WITH_NUMBERS:
        trace |= {"text": shares(bars.step, "text"), "textposition": "outside", "textangle": 0}
    trace |= {"marker": {"color": style.BARS}, "hovertemplate": f"%{{{of}}}<extra></extra>"}
    data.append(trace | {"cliponaxis": False, "xaxis": f"x{axis}", "yaxis": f"y{axis}"})


def bar_scale(bars: Bars) -> dict:
    """From 0 to 1, so that a small share is a short bar; among very many, to the largest."""
    is_whole = bars.number <= MOST_ON_ONE_SCALE
    ends = shares(bars.step, "range", least=1 if is_whole else 0, reversed=bars.beside_rows)
    lines = {"showgrid": True, "gridcolor": style.GRID, "fixedrange": True}
    return lines | {"range": ends, **({"tickvals": [0, 1]} if is_whole else {"nticks": 3})}


def bar_names(bars: Bars, number: int) -> dict:
    """Each bar has the name of its key: the columns of the last matrix, the weights themselves."""
    if bars.number > MOST_ON_ONE_SCALE:
        return {"nticks": 6}
    weights = number - 1
    return {"tickvals": matrix(weights, "column_ticks"), "ticktext": matrix(weights, "columns")}
