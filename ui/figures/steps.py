"""The figure of a step: which matrices it shows, and how they stand. It depends on shapes alone."""

from itertools import product

from attention_core import Trace
from attention_core.trace import Step
from ui.board.matrices import LENS, MOST_HEADS_SIDE_BY_SIDE, OVERVIEW, Shown, flat_axes, matrices_of
from ui.figures import cells
from ui.figures.cells import Bars, Piece
from ui.figures.operands import moved_blocks, operands_in_order, whole_before
from ui.figures.references import Drawn
from ui.figures.shapes import shapes_of
from ui.figures.style import HEADS
from ui.message.arithmetic import ink_of
from ui.words import Words

LARGE = 2304  # numbers of a step from which blocks are not drawn one by one


def figure_of(step: Step, trace: Trace, words: Words) -> dict:
    """{"data", "layout"} of a step and what it is made from, with references where numbers belong."""
    result = piece_of(step, trace)
    sources = [trace.step(name) for name in step.inputs if trace.step(name).op != "number"]
    pieces = [piece_of(source, trace) for source in sources]
    if step.op in ("softmax", "dropout"):
        return cells.with_shares([*pieces, result], Bars(step.name, result.columns))
    if step.op == "contract":
        return product_of(step, trace, result)
    large = max(part.value.size for part in (step, *sources)) > LARGE
    if step.moved and not large and whole_before(step, trace).op != "concat":  # a cache has two sources
        return moved_figure(step, trace, words)
    return cells.side_by_side([*pieces, result])


def heatmap_of(step: Step, trace: Trace, words: Words) -> dict:
    """A step in every head, side by side on one scale; one without heads, or with very many, as it is shown.

    Where Q, K and V are one step, each of them.
    """
    n_heads = step.shape[-3] if step.axes[:-2] and step.axes[-3] in ("head", "kv_head") else 1
    piece = piece_of(step, trace)
    each_head = 1 < n_heads <= MOST_HEADS_SIDE_BY_SIDE and piece.dots is None
    heads = range(n_heads) if each_head else [None]
    parts = range(3) if "part" in step.axes[: -flat_axes(step.axes) - 1] else [None]
    pieces = []
    for part, head in product(parts, heads):
        drawn = piece.drawn.copy()
        titles = []
        if part is not None:
            drawn["part"] = part
            titles.append("QKV"[part])
        if head is not None:
            drawn["head"] = head
            titles.append(f"{words('axis.' + step.axes[-3])} {head}")
        if titles:
            drawn["title"] = ", ".join(titles)
        pieces.append(piece._replace(drawn=drawn))
    return cells.side_by_side(pieces)


def shapes_figure(step: Step, trace: Trace, words: Words) -> dict:
    """The axes of a step and what it is made from; where numbers only move, where each goes."""
    sources = [trace.step(name) for name in step.inputs if trace.step(name).op != "number"]
    large = max(part.value.size for part in (step, *sources)) > LARGE
    if step.moved and not large and whole_before(step, trace).op != "concat":
        return moved_figure(step, trace, words)
    return shapes_of(step, trace, words)


def change_of(step: Step, trace: Trace) -> dict:
    """By how much each number of a step changed since a result was kept: of a large one, under the lens."""
    found = piece_of(step, trace, change=True)
    if found.dots is not None:
        found = found._replace(rows=min(LENS, found.rows), columns=min(LENS, found.columns), dots=None)
    return cells.side_by_side([found])


def piece_of(step: Step, trace: Trace, turned: bool = False, **drawn) -> Piece:
    matrix = matrices_of(step, Shown((1, *trace["weights"].shape)[-3]))[0]
    size = matrix.whole.shape
    dots = tuple(-(-length // -(-length // OVERVIEW)) for length in size) if matrix.is_large else None
    found = Drawn(step=step.name, **drawn)
    if ink_of(step.name):
        found["ink"] = ink_of(step.name)
    if turned:
        found["turned"] = True
        size, dots = size[::-1], dots and dots[::-1]
    return Piece(found, *size, dots=dots)


def product_of(step: Step, trace: Trace, result: Piece) -> dict:
    first, second = operands_in_order(step, trace)
    left, above = (piece_of(trace.step(name), trace, turned) for name, turned in (first, second))
    [bias] = [piece_of(trace.step(name), trace, sign="+ ") for name in step.inputs[2:]] or [None]
    taken = next((name for name in step.inputs if name in ("weights", "dropped")), None)
    bars = Bars(taken, above.rows, beside_rows=True) if taken else None
    return cells.product(left, above, result, bias, bars)


def moved_figure(step: Step, trace: Trace, words: Words) -> dict:
    """A matrix and the blocks that its numbers go to or come from: each head has its hue."""
    moved = moved_blocks(step, trace)
    whole = piece_of(trace.step(moved["whole"]), trace)
    heads: list[list[int | None]] = [[None] * whole.columns for _ in range(whole.rows)]
    blocks = []
    for block in moved["blocks"]:
        hue = hue_of(block["of"], moved["shared"], step, trace)
        for row, column in (cell for line in block["cells"] for cell in line):
            heads[row][column] = hue
        blocks.append(block_piece(block, hue, step, moved["whole"], words))
    return cells.moved(whole._replace(heads=heads), blocks, moved["merging"])


def block_piece(block: dict, hue: int, step: Step, whole: str, words: Words) -> Piece:
    facts = facts_of(block["of"])
    axis = "kv_head" if "kv_head" in facts else "head"
    part = f"{'QKV'[facts['part']]}, " if "part" in facts else ""
    ink = "qkv"[facts["part"]] if "part" in facts else ink_of(step.name)
    drawn: Drawn = {"step": whole, "cells": block["cells"]}
    drawn["title"] = f"{part}{words(f'axis.{axis}')} {facts.get(axis, 0)}"
    if ink:
        drawn["ink"] = ink
    rows, columns = len(block["cells"]), len(block["cells"][0])
    return Piece(drawn, rows, columns, heads=[[hue] * columns for _ in range(rows)])


def facts_of(name: list) -> dict[str, int]:
    """["part", 1, "head", 0] as {"part": 1, "head": 0}."""
    return dict(zip(name[::2], name[1::2], strict=True))


def hue_of(name: list, shared: int, step: Step, trace: Trace) -> int:
    """Each head has its hue, copies of a shared one the same. With one head, Q, K and V have theirs."""
    facts = facts_of(name)
    head = facts.get("head", facts.get("kv_head", 0))
    n_heads = (1, *trace["weights"].shape)[-3]
    if n_heads > 1:
        return head // shared % len(HEADS)
    ink = "qkv"[facts["part"]] if "part" in facts else ink_of(step.name)
    return {"q": 5, "k": 6, "v": 3}.get(ink, 7)
