"""Attention of many tokens: the steps of `attention.attend`, filled tile by tile.

Each tile of rows stays in the processor's cache from its scores to its weighted sum, on two threads. Rows of
scores do not depend on each other, so the numbers are those of the formula.
"""

import math
from collections.abc import Iterator

import numpy as np

from ..options import Settings
from .memory import reserve
from .threads import spread

TILE = 1 << 18  # scores in a tile
ROWS = 128  # fewer make the matrix products slow
THREADED = 1 << 21  # scores from which a second thread pays for itself


def is_large(q, k) -> bool:
    """Whether the scores are too many for one tile."""
    return math.prod(q.shape[:-1]) * k.shape[-2] > TILE


def attend_by_tiles(q, k, v, settings: Settings) -> dict[str, np.ndarray]:
    """Every step by its name, as `attention.attend` returns them."""
    shape = (*q.shape[:-1], k.shape[-2])
    used = {
        "scores": True,
        "scaled": settings.scale is not None,
        "softcapped": settings.softcap is not None,
        "masked": settings.has_mask,
        "weights": True,
        "dropped": settings.keep is not None,
    }
    steps = {name: reserve.empty(shape, q.dtype) for name, is_used in used.items() if is_used}
    outputs = empty_outputs((*q.shape[:-1], v.shape[-1]), q.dtype)
    fill_by_tiles(q, k, v, outputs, steps, settings)
    (outputs if outputs.base is None else outputs.base).setflags(write=False)
    return steps | {"head_outputs": outputs}


def empty_outputs(shape: tuple[int, ...], dtype) -> np.ndarray:
    """Room for (..., head, query, feature) that lies in memory query by query: merging heads is no work."""
    if len(shape) < 3:
        return np.empty(shape, dtype)
    *lead, n_heads, n_queries, width = shape
    return np.empty((*lead, n_queries, n_heads, width), dtype).swapaxes(-2, -3)


def fill_tile(q, k_across, v, outputs, steps, hidden, added, keep, settings, columns=None) -> None:
    """Every step of one tile; k_across (..., key_feature, key) is k transposed.

    Keys outside the slice `columns` are hidden from all of its rows.
    """
    held = np.matmul(q, k_across, out=steps["scores"])
    if settings.scale is not None:
        held = np.multiply(held, settings.scale, out=steps["scaled"])
    if settings.softcap is not None:
        held = np.divide(held, settings.softcap, out=steps["softcapped"])
        np.tanh(held, out=held)
        held *= settings.softcap
    weights, masked, dropped = steps["weights"], steps.get("masked"), steps.get("dropped")
    if columns is not None:
        for step, outside in ((masked, -math.inf), (weights, 0), (dropped, 0)):
            if step is not None:
                step[..., : columns.start] = outside
                step[..., columns.stop :] = outside
        held, weights, v = held[..., columns], weights[..., columns], v[..., columns, :]
        masked, dropped, hidden, added, keep = (
            None if part is None else part[..., columns] for part in (masked, dropped, hidden, added, keep)
        )
    if masked is not None:
        if added is None:
            np.copyto(masked, held)
        else:
            np.add(held, added, out=masked)
        if hidden is not None:
            np.copyto(masked, settings.masked_fill, where=hidden)
        held = masked
    fill_softmax(held, weights)
    if keep is not None:
        np.multiply(weights, keep, out=dropped)
        dropped /= 1 - settings.dropout_p
        weights = dropped
    np.matmul(weights, v, out=outputs)


def fill_softmax(scores, weights) -> None:
    """softmax over the last axis, written into `weights`; all 0 for a row of -inf."""
    highest = np.maximum.reduce(scores, axis=-1, keepdims=True)
    if np.minimum.reduce(highest, axis=None) == -math.inf:
        highest[highest == -math.inf] = 0
    np.subtract(scores, highest, out=weights)
    np.exp(weights, out=weights)
    total = np.add.reduce(weights, axis=-1, keepdims=True)
    np.maximum(total, 1, out=total)  # an empty row stays 0; every other total is at least e^0 = 1
    weights /= total


def tile_indices(shape: tuple[int, ...]) -> Iterator[tuple]:
    """Indices that cut (..., head, query, key) into tiles: heads together, or one head's rows."""
    *lead, n_queries, n_keys = shape
    if lead and n_queries * n_keys < TILE:
        n_heads = TILE // (n_queries * n_keys)
        for at in np.ndindex(*lead[:-1]):
            for first in range(0, lead[-1], n_heads):
                yield (*at, slice(first, first + n_heads)), slice(0, n_queries)
    else:
        n_rows = max(ROWS, TILE // n_keys)
        for at in np.ndindex(*lead):
            for first in range(0, n_queries, n_rows):
                yield at, slice(first, min(first + n_rows, n_queries))


def seen_columns(rows: slice, n_keys: int, settings: Settings) -> slice | None:
    """The keys that some row of `rows` may see, where causality or a window tells."""
    if settings.mask.band is None or settings.masked_fill != -math.inf:
        return None
    offset, left, right = settings.mask.band
    start = 0 if left is None else rows.start + offset - left
    stop = n_keys if right is None else rows.stop + offset + right
    start = min(max(start, 0), n_keys - 1)
    return slice(start, min(max(stop, start + 1), n_keys))


def fill_by_tiles(q, k, v, outputs, steps, settings: Settings) -> None:
    shape = steps["scores"].shape
    mask = settings.mask
    k_across, v = np.ascontiguousarray(k.mT), np.ascontiguousarray(v)  # read once for every tile
    hidden = None if mask.visible is None else np.broadcast_to(~mask.visible, shape)
    added = None if mask.added is None else np.broadcast_to(mask.added, shape)

    def run(tile):
        heads, rows = tile
        at = (*heads, ..., rows, slice(None))
        cut = [None if part is None else part[at] for part in (hidden, added, settings.keep)]
        fill_tile(
            q[at],
            k_across[heads],
            v[heads],
            outputs[at],
            {name: step[at] for name, step in steps.items()},
            *cut,
            settings=settings,
            columns=seen_columns(rows, shape[-1], settings),
        )

    if math.prod(shape) >= THREADED:
        spread(run, tile_indices(shape))
    else:
        for tile in tile_indices(shape):
            run(tile)
