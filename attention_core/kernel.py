"""From heads to head outputs: the formula, written into arrays that are kept.

A small input is one tile. A large one is cut into tiles of rows, each of which stays in the
processor's cache from its scores to its weighted sum, on two threads. Rows of scores do not depend on
each other, so the numbers are the same.
"""

import math
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from .blas import one_thread_each, thread_setting
from .errors import AttentionError
from .masks import Mask

TILE = 1 << 18  # scores in a tile
THREADED = 1 << 21  # scores from which a second thread pays for itself


class Settings(NamedTuple):
    """What happens between scores and weighted sum; None where an option is not used."""

    mask: Mask
    scale: float | None
    softcap: float | None
    masked_fill: float
    keep: np.ndarray | None
    dropout_p: float


def attend(q, k, v, outputs, settings: Settings) -> dict[str, np.ndarray]:
    """The steps from scores to dropped, as far as used; the weighted sum is written into `outputs`.

    q (..., query, key_feature), k (..., key, key_feature), v (..., key, value_feature),
    outputs (..., query, value_feature); every step (..., query, key).
    """
    mask = settings.mask
    shape = (*q.shape[:-1], k.shape[-2])
    masked = mask.visible is not None or mask.added is not None
    steps = {"scores": np.empty(shape, q.dtype)}
    if settings.scale is not None:
        steps["scaled"] = np.empty(shape, q.dtype)
    if settings.softcap is not None:
        steps["softcapped"] = np.empty(shape, q.dtype)
    if masked:
        steps["masked"] = np.empty(shape, q.dtype)
    make = np.zeros if masked else np.empty  # hidden columns are skipped, so they stay 0
    steps["weights"] = make(shape, q.dtype)
    if settings.keep is not None:
        steps["dropped"] = make(shape, q.dtype)
    if math.prod(shape) <= TILE:
        hidden = None if mask.visible is None else ~mask.visible
        fill_tile(q, k, v, outputs, steps, hidden, mask.added, settings.keep, settings)
    else:
        fill_by_tiles(q, k, v, outputs, steps, settings)
    return steps


def fill_tile(q, k, v, outputs, steps, hidden, added, keep, settings, columns=None) -> None:
    """Every step of one tile. Keys outside the slice `columns` are hidden from all of its rows."""
    held = np.matmul(q, k.mT, out=steps["scores"])
    if settings.scale is not None:
        held = np.multiply(held, settings.scale, out=steps["scaled"])
    if settings.softcap is not None:
        held = np.divide(held, settings.softcap, out=steps["softcapped"])
        np.tanh(held, out=held)
        held *= settings.softcap
    weights, dropped = steps["weights"], steps.get("dropped")
    if "masked" in steps:
        masked = steps["masked"]
        if columns is not None:
            masked[..., : columns.start] = -math.inf
            masked[..., columns.stop :] = -math.inf
            held, masked, weights, v = (
                held[..., columns],
                masked[..., columns],
                weights[..., columns],
                v[..., columns, :],
            )
            hidden, added, keep, dropped = (
                None if part is None else part[..., columns] for part in (hidden, added, keep, dropped)
            )
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
    np.maximum(total, np.finfo(total.dtype).tiny, out=total)  # an empty row stays 0
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
        n_rows = max(1, TILE // n_keys)
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
    hidden = None if mask.visible is None else np.broadcast_to(~mask.visible, shape)
    added = None if mask.added is None else np.broadcast_to(mask.added, shape)

    def run(tiles):
        with np.errstate(all="ignore"):
            for heads, rows in tiles:
                at = (*heads, ..., rows, slice(None))
                cut = [None if part is None else part[at] for part in (hidden, added, settings.keep)]
                fill_tile(
                    q[at],
                    k[heads],
                    v[heads],
                    outputs[at],
                    {name: step[at] for name, step in steps.items()},
                    *cut,
                    settings,
                    seen_columns(rows, shape[-1], settings),
                )

    tiles = list(tile_indices(shape))
    n_threads = min(os.cpu_count() or 1, 2)
    if math.prod(shape) < THREADED or n_threads == 1 or thread_setting() is None:
        run(tiles)
        return
    with one_thread_each(), ThreadPoolExecutor(n_threads) as pool:
        for _ in pool.map(run, (tiles[first::n_threads] for first in range(n_threads))):
            pass


def check_scores(steps: dict[str, np.ndarray]) -> None:
    """Raises when a score is too large for its type: only possible where q or k are enormous."""
    for name in ("scores", "scaled"):
        if name in steps and not np.isfinite(steps[name]).all():
            raise AttentionError("overflow", step=name, dtype=steps[name].dtype)
