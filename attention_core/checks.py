"""Reading what was given: real, finite, rightly shaped numbers, or an AttentionError that says why."""

import math
import operator
from collections.abc import Iterable

import numpy as np

from .errors import AttentionError

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def read_array(name: str, value) -> np.ndarray:
    """`value` as a float32 or float64 array that nobody else can change.

    float32 stays, other numbers become float64 (16-bit ones float32). An array that is read-only
    already is taken as it is, so the steps of one trace can feed another without a copy.
    """
    if type(value) is not np.ndarray:
        try:
            value = np.asarray(value)
        except (ValueError, TypeError, OverflowError):
            raise AttentionError("not_numbers", name=name, given=type(value).__name__) from None
    dtype = value.dtype
    if dtype is not FLOAT32 and dtype is not FLOAT64:
        if dtype.kind not in "fiub":
            raise AttentionError("not_numbers", name=name, given=f"an array of {dtype}")
        value = value.astype(np.float32 if dtype in (np.float16, np.float32) else np.float64)
    elif value.flags.writeable:
        value = value.copy()
    value.setflags(write=False)
    return value


def read_arrays(
    needed: dict[str, object], optional: dict[str, object] | None = None
) -> dict[str, np.ndarray]:
    """What is needed, and what is optional and not None, as arrays of one float type."""
    arrays = {name: read_array(name, value) for name, value in needed.items()}
    for name, value in optional.items() if optional else ():
        if value is not None:
            arrays[name] = read_array(name, value)
    if len({array.dtype for array in arrays.values()}) > 1:
        arrays = {name: read_array(name, array.astype(np.float64)) for name, array in arrays.items()}
    return arrays


def check_ndim(name: str, array: np.ndarray, axes: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    """Raises unless `array` has these axes, with or without the optional ones in front, none empty."""
    if len(axes) <= array.ndim <= len(optional) + len(axes):
        if array.size:
            return
        raise AttentionError("empty", name=name, shape=array.shape)
    needed = str(len(axes)) if not optional else f"{len(axes)} or {len(optional) + len(axes)}"
    raise AttentionError(
        "ndim", name=name, shape=array.shape, needed=needed, axes=", ".join((*optional, *axes))
    )


def check_size(name: str, array: np.ndarray, axis: int, axis_name: str, needed: int, other: str) -> None:
    """Raises unless `array` has size `needed` along `axis`, as `other` has."""
    if array.shape[axis] != needed:
        raise AttentionError(
            "size",
            name=name,
            axis=axis_name,
            given=array.shape[axis],
            shape=array.shape,
            needed=needed,
            other=other,
        )


def check_heads(name: str, width: int, n_heads: int) -> None:
    if width % n_heads:
        raise AttentionError("heads_divide", name=name, width=width, n_heads=n_heads)


def check_kv_heads(n_heads: int, n_kv_heads: int) -> None:
    if n_heads % n_kv_heads:
        raise AttentionError("kv_heads_divide", n_heads=n_heads, n_kv_heads=n_kv_heads)


def check_goes_with(given: dict[str, np.ndarray], **partners: str) -> None:
    """Raises when one of `partners` was given without the array it belongs to."""
    for name, missing in partners.items():
        if name in given and missing not in given:
            raise AttentionError("goes_with", given=name, missing=missing)


def read_count(name: str, value, least: int = 1) -> int:
    """`value` as an int of at least `least`."""
    if type(value) is int and value >= least:
        return value
    try:
        count = operator.index(value)
    except TypeError:
        count = least - 1
    if count < least or isinstance(value, bool):
        raise AttentionError("count", name=name, given=repr(value), least=least)
    return count


def read_number(name: str, value, needed: str, allowed=math.isfinite) -> float:
    """`value` as a float for which `allowed` holds; `needed` says so in words."""
    try:
        value_read = float(value)
    except (TypeError, ValueError, OverflowError):
        value_read = math.nan
    if math.isnan(value_read) or not allowed(value_read):
        raise AttentionError("number", name=name, given=repr(value), needed=needed)
    return value_read


def read_dropout(dropout_p) -> float:
    try:
        return read_number("dropout_p", dropout_p, "at least 0 and less than 1", lambda p: 0 <= p < 1)
    except AttentionError:
        raise AttentionError("dropout_range", given=repr(dropout_p)) from None


def check_finite(arrays: Iterable[tuple[str, np.ndarray]]) -> None:
    """Raises for the first array that holds NaN or infinity, naming the place."""
    for name, array in arrays:
        wrong = np.argwhere(~np.isfinite(array))
        if len(wrong):
            index = tuple(wrong[0].tolist())
            raise AttentionError("not_finite", name=name, value=array[index], index=index)


def check_computed(step: str, array: np.ndarray, given: dict[str, np.ndarray]) -> bool:
    """Raises when `array`, computed from `given`, is not finite: names the bad input, or says overflow.

    NaN and infinity never vanish in a matrix product, so one look at the product covers its inputs.
    True when even the sum of squares is finite: then no product of two such rows can overflow.
    """
    if math.isfinite(np.vdot(array, array)):
        return True
    check_finite(given.items())
    if not np.isfinite(array).all():
        raise AttentionError("overflow", step=step, dtype=array.dtype)
    return False
