"""Which key each query may look at: every kind of mask becomes one boolean and one float array."""

from typing import NamedTuple

import numpy as np

from .checks import read_count, read_flag
from .errors import AttentionError, Phrase
from .pieces import window_mask


class Mask(NamedTuple):
    visible: np.ndarray | None = None  # True may look; broadcasts to the scores
    added: np.ndarray | None = None  # attn_mask of floats, added to the scores
    band: tuple | None = None  # (offset, left, right) limits that hold for every row, where known


NO_MASK = Mask()


def read_window(window) -> tuple[int | None, int | None]:
    try:
        left, right = (None if side is None else read_count("window", side, least=0) for side in window)
        return left, right
    except (TypeError, ValueError):  # AttentionError is a ValueError: same sentence for every slip
        raise AttentionError("window", given=repr(window)) from None


def read_lengths(kv_lengths, n_batch: int, n_keys: int) -> np.ndarray:
    """(batch,) whole numbers from 0 to n_keys."""
    try:
        lengths = np.atleast_1d(np.asarray(kv_lengths))
    except (TypeError, ValueError):
        lengths = np.empty(0)  # not whole numbers either
    fits = lengths.dtype.kind in "iu" and lengths.shape == (n_batch,)
    if not fits or lengths.min() < 0 or lengths.max() > n_keys:
        raise AttentionError(
            "kv_lengths", name="kv_lengths", given=repr(kv_lengths), needed=n_batch, most=n_keys
        )
    return lengths.astype(np.int64)


def copy_mask(attn_mask) -> np.ndarray:
    """attn_mask as an array of booleans or floats of its own."""
    try:
        mask = np.array(attn_mask)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise AttentionError("mask_dtype", given=type(attn_mask).__name__) from None
    if mask.dtype.kind not in "bf":
        raise AttentionError("mask_dtype", given=Phrase("values_of", dtype=mask.dtype))
    return mask


def read_mask(attn_mask, shape: tuple[int, ...], dtype, longest_valid: int | None) -> np.ndarray:
    """attn_mask as booleans or floats of `dtype` that broadcast to `shape`.

    With kv_lengths the keys past the longest of them (`longest_valid`) may be left out: they are hidden.
    """
    mask = copy_mask(attn_mask)
    boolean = mask.dtype.kind == "b"
    if mask.ndim == 0:
        mask = mask.reshape(1)
    if longest_valid is not None and longest_valid <= mask.shape[-1] < shape[-1] and mask.shape[-1] != 1:
        missing = [(0, 0)] * (mask.ndim - 1) + [(0, shape[-1] - mask.shape[-1])]
        mask = np.pad(mask, missing, constant_values=False if boolean else -np.inf)
    sizes = zip(mask.shape[::-1], shape[::-1], strict=False)
    if mask.ndim > len(shape) or not all(size in (1, full) for size, full in sizes):
        axes = (*("batch",) * (len(shape) - 3), "head", "query", "key")[-len(shape) :]
        raise AttentionError("mask_shape", shape=mask.shape, needed=shape, axes=", ".join(axes))
    if not boolean:
        rounded = mask.astype(dtype, copy=False)
        wrong = np.argwhere(np.isnan(mask) | (rounded == np.inf) | (np.isinf(rounded) & np.isfinite(mask)))
        if len(wrong):
            index = tuple(wrong[0].tolist())
            raise AttentionError("mask_value", value=mask[index], index=index)
        mask = rounded
    mask.setflags(write=False)
    return mask


def combine_masks(shape, dtype, *, attn_mask, is_causal, window, kv_lengths, n_past: int) -> Mask:
    """One Mask for scores of `shape` (..., query, key).

    Positions of queries start after the cache: after n_past keys, or so that the last query is the
    last of kv_lengths valid keys; without a cache at 0.
    """
    is_causal = read_flag("is_causal", is_causal)
    if attn_mask is None and not is_causal and window is None and kv_lengths is None:
        return NO_MASK
    *lead, n_queries, n_keys = shape
    parts, added, offset = [], None, n_past
    lengths = None
    if kv_lengths is not None:
        n_batch = lead[-2] if len(lead) > 1 else 1
        lengths = read_lengths(kv_lengths, n_batch, n_keys)
        lengths = lengths.reshape((-1, 1, 1, 1) if len(lead) > 1 else (-1, 1))
        offset = lengths - n_queries
        parts.append(np.arange(n_keys) < lengths)
    left, right = read_window(window) if window is not None else (None, None)
    if is_causal:
        parts.append(window_mask(n_queries, n_keys, None, 0, offset))
    if left is not None or right is not None:
        parts.append(window_mask(n_queries, n_keys, left, right, offset))
    if attn_mask is not None:
        longest_valid = None if lengths is None else int(lengths.max())
        mask = read_mask(attn_mask, tuple(shape), dtype, longest_valid)
        if mask.dtype == bool:
            parts.append(mask)
        else:
            added = mask
    visible = parts[0] if parts else None
    for part in parts[1:]:
        visible = visible & part
    if visible is not None:
        visible.setflags(write=False)
    if is_causal:
        right = 0 if right is None else min(right, 0)
    band = (n_past, left, right) if lengths is None else None
    return Mask(visible, added, band)
