"""How matrices belong together: operands in order, where moved numbers came from, whose a channel is.

It depends on shapes alone.
"""

import numpy as np

from attention_core import Trace, origins
from attention_core.trace import Step
from ui.board.matrices import flat_axes


def operands_in_order(step: Step, trace: Trace) -> list[list]:
    """The two operands of a product as the algebra writes them, and whether each is turned on its side."""
    first, second = step.inputs[:2]
    if "height" in step.axes:  # a 1x1 convolution: the weight stands left of the image
        return [[second, False], [first, False]]
    if step.axes[-2:] == ("query", "key"):
        turned = trace.step(first).axes[-1] == "query", trace.step(second).axes[-1] != "key"
        return [[first, turned[0]], [second, turned[1]]]
    return [[first, False], [second, step.axes[-1] == "query"]]


def shape_algebra(step: Step, trace: Trace) -> str:
    """(4×2) · (2×4) → (4×4), from the shapes themselves."""

    def written(shape: tuple[int, ...]) -> str:
        return f"({'×'.join(map(str, shape))})"

    if step.op == "contract":
        shapes = []
        for name, turned in operands_in_order(step, trace):
            *lead, rows, columns = trace[name].shape
            shapes.append(written((*lead, columns, rows) if turned else trace[name].shape))
        return f"{' · '.join(shapes)} → {written(step.shape)}"
    sources = [trace.step(name) for name in step.inputs if trace.step(name).op != "number"]
    return f"{', '.join(written(source.shape) for source in sources[:2])} → {written(step.shape)}"


def moved_blocks(step: Step, trace: Trace) -> dict:
    """A matrix and the blocks its numbers move to or come from, cell by cell, in the first batch item.

    `blocks` hold for each cell its row and column in `whole`; the numbers are found there.
    """
    merging = step.op == "merge" or step.axes[-2:] == ("height", "width")
    blocks = trace.step(step.inputs[0]) if merging else step
    whole = step if merging else whole_before(step, trace)
    found = origins(trace, step.name, step.inputs[0] if merging else whole.name)
    if merging:  # where each number of the blocks went
        to = np.empty(blocks.value.size, int)
        to[found.flat.ravel()] = np.arange(step.value.size)
    else:
        to = found.flat.ravel()
    places = cells_of(whole, to).reshape(*blocks.shape, 2)
    return {
        "whole": whole.name,
        "merging": merging,
        "shared": int(trace["n_shared"]) if step.op == "repeat" else 1,
        "blocks": [{"of": name, "cells": cells.tolist()} for name, cells in cut_into_blocks(blocks, places)],
    }


def whole_before(step: Step, trace: Trace) -> Step:
    """The step further back in which the moved numbers stand side by side as one matrix."""
    before = step
    while before.moved and before.op != "concat":
        before = trace.step(before.inputs[0])
    return before


def cells_of(whole: Step, flat: np.ndarray) -> np.ndarray:
    """(row, column) of each flat place on the matrix that the board draws of a step."""
    n_columns = int(np.prod(whole.shape[-flat_axes(whole.axes) :]))
    return np.stack([flat // n_columns % whole.shape[-1 - flat_axes(whole.axes)], flat % n_columns], axis=-1)


def cut_into_blocks(step: Step, places: np.ndarray) -> list[tuple[list[str], np.ndarray]]:
    """Each matrix of a step, with what it is called: ["head", 0], or ["part", 1, "head", 0]."""
    n_flat = flat_axes(step.axes)
    lead_axes, sizes = step.axes[: -1 - n_flat], step.shape[: -1 - n_flat]
    if n_flat == 3:  # labelled, not moved yet: parts and heads lie side by side
        lead_axes, sizes = (*lead_axes, *step.axes[-3:-1]), (*sizes, *step.shape[-3:-1])
        places = np.moveaxis(places, -5, -3)  # the tokens behind part and head
    else:
        places = places.reshape(*sizes, step.shape[-1 - n_flat], -1, 2)
    found = []
    for index in np.ndindex(*sizes):
        if any(axis == "batch" and place for axis, place in zip(lead_axes, index, strict=True)):
            continue
        name = [part for pair in zip(lead_axes, index, strict=True) for part in pair if pair[0] != "batch"]
        found.append((name, places[index]))
    return found


def strip_of(axis: str, size: int, trace: Trace) -> list[tuple[str, int]] | None:
    """For each channel along an axis: whether it is of Q, K or V, and which head it goes to."""
    n_heads = (1, *trace["weights"].shape)[-3]
    if n_heads == 1 and axis != "qkv_channel":
        return None
    if axis in ("q_channel", "k_channel", "v_channel"):
        heads = trace.step(f"{axis[0]}_heads")
        if heads.op == "reshape":  # a view: a channel does not belong to a head
            return None
        n_own = heads.shape[-3]
        return [(axis[0], place * n_own // size) for place in range(size)]
    if axis == "channel" and "merged" in trace and trace.step("merged").axes[-1] == "channel":
        return [("", place * n_heads // size) for place in range(size)]
    if axis == "qkv_channel":
        return qkv_strip(size, n_heads, trace)
    return None


def qkv_strip(size: int, n_heads: int, trace: Trace) -> list[tuple[str, int]]:
    """Channels of Q, K and V in one array: side by side, or head by head."""
    split = trace.step("qkv_split")
    if "head_channel" in split.axes:  # the convolution block: q, k, v of a head, V wider
        d_key = trace.step("q_heads").shape[-2]
        d_head = size // n_heads
        return [("qkv"[min(2, place % d_head // d_key)], place // d_head) for place in range(size)]
    shape = split.shape[-3:]
    part, head = (split.axes[-3:].index(axis) for axis in ("part", "head"))
    places = [np.unravel_index(place, shape) for place in range(size)]
    return [("qkv"[int(place[part])], int(place[head])) for place in places]
