"""Blocks: what a section shows besides the board. Each is plain data that static/course/blocks.js draws.

[row(matrix("right", a), matrix("wrong", b, marks={(0, 1): "first"})), plot(...), table(...)]
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ui.board.matrices import written
from ui.figures.curves import curves_of

MARKS = ("first", "wrong", "right", "hidden", "lit", "new")


def matrix(
    title: str,
    array: np.ndarray,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    *,
    name: str = "",
    ink: str = "",
    scale: str = "signed",
    top: float | None = None,
    marks: Mapping[tuple[int, ...], str] | None = None,
    heads: np.ndarray | None = None,
    decimals: int = 2,
    note: str = "",
    press: bool = False,
) -> dict:
    """A matrix of its own.

    `name` is the step that pointing at [[name]] lights; `ink` q, k or v; `scale` "signed", "share", "flag" or
    "plain"; `top` the number at which the shade is full; `marks` by cell, one of MARKS; `heads` colours each
    cell by a number from 0 (where it came from); NaN is written as such. With `press`, pressing a cell
    answers the question with its row and column.
    """
    array = np.atleast_2d(np.asarray(array))
    values = [[None if value is None else value for value in line] for line in numbers(array)]
    finite = np.abs(array[np.isfinite(array)]) if array.dtype != bool else np.array([1.0])
    found = {"kind": "matrix", "title": title, "values": values, "scale": scale, "decimals": decimals}
    found["top"] = top or (1.0 if scale == "share" else float(finite.max()) if finite.size else 1.0) or 1.0
    found |= {
        key: value for key, value in {"name": name, "ink": ink, "note": note, "press": press}.items() if value
    }
    if rows:
        found["rows"] = list(rows)
    if columns:
        found["columns"] = list(columns)
    if marks:
        found["marks"] = [[row, column, mark] for (row, column), mark in marks.items()]
    if heads is not None:
        found["heads"] = np.atleast_2d(heads).tolist()
    return found


def covered(block: dict, rows: Iterable[int]) -> dict:
    """A matrix with some rows kept from the learner until the question is answered."""
    hidden = set(rows)
    values = [["?"] * len(line) if place in hidden else line for place, line in enumerate(block["values"])]
    return block | {"values": values}


def numbers(array: np.ndarray) -> list[list]:
    """The rows as they are sent; NaN and infinity as words, since JSON has no numbers for them."""
    if array.dtype == bool:
        return written(array)
    words = {"nan": "NaN", "inf": "∞", "-inf": "−∞"}
    rows: list[list] = [*written(np.where(np.isfinite(array), array, 0.0))]
    for row, column in np.argwhere(~np.isfinite(array)).tolist():
        rows[row][column] = words[str(float(array[row, column]))]
    return rows


def row(*blocks: dict, title: str = "") -> dict:
    """Blocks side by side, one below the other where there is no room."""
    return {"kind": "row", "blocks": list(blocks), "title": title}


def plot(
    title: str,
    x: Iterable[float | str],
    series: Sequence[dict],
    titles: tuple[str, str],
    *,
    log_x: bool = False,
    log_y: bool = False,
    at: float | None = None,
    bars: bool = False,
    top: float | None = None,
    key: str = "",
) -> dict:
    """Curves over x (see `curve`), or bars; `titles` are those of the two axes.

    `at` is a place on the x-axis that is marked. With `top` the y-axis goes from 0 to there, whatever the numbers are.
    """
    places = [value if isinstance(value, str) else round_off(value) for value in x]
    found = {"kind": "plot", "title": title, "x": places, "series": list(series)}
    found |= {"x_title": titles[0], "y_title": titles[1], "log_x": log_x, "log_y": log_y, "bars": bars}
    found |= {"at": at, "top": top, "key": key or title}
    return found | {"figure": curves_of(found)}


def curve(name: str, y: Iterable[float], *, ink: str = "", dash: str = "solid", named: bool = True) -> dict:
    """One line of a plot; `dash` ("solid", "dash", "dot", "dashdot") tells it apart without colour.

    One that is not `named` stands in no legend: one of many alike.
    """
    return {"name": name, "y": [round_off(value) for value in y], "ink": ink, "dash": dash, "named": named}


def round_off(value: float) -> float | None:
    """As many places as a screen can show; None where there is no point."""
    return float(f"{float(value):.6g}") if np.isfinite(value) else None


def table(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], *, marked: int = -1) -> dict:
    """Rows of text; the first column names the row; one row may be marked."""
    lines = [[str(cell) for cell in line] for line in rows]
    return {"kind": "table", "title": title, "headers": list(headers), "rows": lines, "marked": marked}


def arcs(
    title: str,
    names: Sequence[str],
    weights: np.ndarray,
    focus: int,
    *,
    sentence: str,
    says: str,
    bars: Sequence[dict],
    press: bool = True,
    hidden: bool = False,
    beside: bool = False,
) -> dict:
    """A sentence with arcs from the token in focus to each, as wide as its weights, and bars (see `curve`).

    `sentence` names the words to press, `says` is the picture in words. `hidden`: the question is not answered
    yet, so no number of this row is told. `beside` a matrix the words stand in a list.
    """
    seen = [round_off(weight) for weight in weights]
    series = [{"name": one["name"], "ink": one["ink"], "values": [] if hidden else one["y"]} for one in bars]
    return {
        "kind": "arcs",
        "title": title,
        "sentence": sentence,
        "says": title if hidden else says,
        "names": list(names),
        "weights": None if hidden else seen,
        "focus": focus,
        "press": press,
        "list": beside,
        "bars": series,
    }


def strip(title: str, channels: Sequence[tuple[str, str, int]], *, marks: Sequence[int] = ()) -> dict:
    """Channels side by side: (label, ink, head) each; `marks` are the places that are wrong."""
    return {
        "kind": "strip",
        "title": title,
        "channels": [list(channel) for channel in channels],
        "marks": list(marks),
    }


def code(title: str, text: str) -> dict:
    return {"kind": "code", "title": title, "text": text}


def sentence(pieces: list | str, *, tone: str = "") -> dict:
    """A paragraph below the board; tone "warning" sets it apart."""
    return {"kind": "sentence", "pieces": pieces if isinstance(pieces, list) else [pieces], "tone": tone}


def formula(latex: str, title: str = "") -> dict:
    """A formula, set as in a book, with its numbers filled in by who makes it."""
    return {"kind": "formula", "latex": latex, "title": title}


def progress(fraction: float, label: str) -> dict:
    """How far a long experiment is; it can be stopped and taken up again."""
    return {"kind": "progress", "fraction": round(fraction, 3), "label": label}


def moves(title: str, cells: Sequence[tuple[str, str, int]], layouts: Sequence[dict], at: int) -> dict:
    """Cells (text, ink, head) that move between layouts; `at` is the present one.

    A layout has a `title`, and `places`: for each cell its [column, row] on a grid, and `frames`: boxes
    [column, row, columns, rows, label] around groups.
    """
    return {
        "kind": "moves",
        "title": title,
        "cells": [list(cell) for cell in cells],
        "layouts": list(layouts),
        "at": at,
    }


def paper(title: str, html: str, *, file: str, to_print: str, to_save: str) -> dict:
    """A document of its own, as on paper: to look at, to print (`to_print`) and to save as `file`."""
    return {
        "kind": "paper",
        "title": title,
        "html": html,
        "file": file,
        "print": to_print,
        "save": to_save,
    }


def first_difference(one: np.ndarray, other: np.ndarray, within: float = 1e-9) -> tuple[int, ...] | None:
    """The first cell in which two arrays of one shape differ; NaN equals NaN."""
    one, other = np.asarray(one, float), np.asarray(other, float)
    same = np.isclose(one, other, rtol=0, atol=within, equal_nan=True)
    places = np.argwhere(~same)
    return tuple(int(place) for place in places[0]) if len(places) else None
