"""From heads to head outputs: the formula, written into arrays that are kept.

A small input is one tile. A large one is cut into tiles of rows, each of which stays in the
processor's cache from its scores to its weighted sum, on two threads. Rows of scores do not depend on
each other, so the numbers are the same.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .errors import AttentionError
from .masks import Mask
from .memory import reserve
from .threads import spread

TILE = 1 << 18  # scores in a tile
ROWS = 128  # fewer make the matrix products slow
THREADED = 1 << 21  # scores from which a second thread pays for itself


class Settings(NamedTuple):
    """What happens between scores and weighted sum; None where an option is not used."""

    mask: Mask
    scale: float | None
    softcap: float | None
    masked_fill: float
    keep: np.ndarray | None
    dropout_p: float

    @property
    def may_grow(self) -> bool:
        """Whether scores can become larger on their way to the weights."""
        return self.mask.added is not None or (self.scale is not None and abs(self.scale) > 1)

    def named(self) -> dict[str, object]:
        """What a trace keeps of these, by the names of the plan."""
        return {
            "scale": self.scale,
            "softcap": self.softcap,
            "attn_mask": self.mask.added,
            "visible": self.mask.visible,
            "masked_fill": self.masked_fill,
            "keep": self.keep,
            "dropout_p": self.dropout_p,
        }


def attend(q, k, v, outputs, settings: Settings) -> dict[str, np.ndarray]:
    """The steps from scores to dropped, as far as used; the weighted sum is written into `outputs`.

    q (..., query, key_feature), k (..., key, key_feature), v (..., key, value_feature),
    outputs (..., query, value_feature); every step (..., query, key).
    """
    mask = settings.mask
    shape = (*q.shape[:-1], k.shape[-2])
    names = ["scores"]
    if settings.scale is not None:
        names.append("scaled")
    if settings.softcap is not None:
        names.append("softcapped")
    if mask.visible is not None or mask.added is not None:
        names.append("masked")
    names.append("weights")
    if settings.keep is not None:
        names.append("dropped")
    steps = {name: reserve.empty(shape, q.dtype) for name in names}
    if math.prod(shape) <= TILE:
        hidden = None if mask.visible is None else ~mask.visible
        fill_tile(q, k.mT, v, outputs, steps, hidden, mask.added, settings.keep, settings)
    else:
        fill_by_tiles(q, k, v, outputs, steps, settings)
    return steps


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
    masked, weights, dropped = (steps.get(name) for name in ("masked", "weights", "dropped"))
    if columns is not None:
        for step, outside in ((masked, -math.inf), (weights, 0), (dropped, 0)):
            if step is not None:
                step[..., : columns.start] = outside
                step[..., columns.stop :] = outside
        v = v[..., columns, :]
        held, masked, weights, dropped, hidden, added, keep = (
            None if part is None else part[..., columns]
            for part in (held, masked, weights, dropped, hidden, added, keep)
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
            settings,
            seen_columns(rows, shape[-1], settings),
        )

    if math.prod(shape) >= THREADED:
        spread(run, tile_indices(shape))
    else:
        for tile in tile_indices(shape):
            run(tile)


def check_scores(steps: dict[str, np.ndarray]) -> None:
    """Raises when a score is too large for its type; only a hidden one may be -inf."""
    for name in ("scores", "scaled"):
        if name in steps and not np.isfinite(steps[name]).all():
            raise AttentionError("overflow", step=name, dtype=steps[name].dtype)
    if "masked" in steps and not steps["masked"].max() < math.inf:
        raise AttentionError("overflow", step="masked", dtype=steps["masked"].dtype)
