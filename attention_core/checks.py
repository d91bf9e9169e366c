"""Reading what was given: real, finite, rightly shaped numbers, or an AttentionError that says why."""

import contextlib
import math
import operator
from collections.abc import Callable, Iterable

import numpy as np

from .errors import AttentionError, Phrase

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def as_array(name: str, value) -> np.ndarray:
    """`value` as an array of real numbers of any type."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError, RuntimeError):
        raise AttentionError("not_numbers", name=name, given=type(value).__name__) from None
    if array.dtype.kind not in "fiub":
        raise AttentionError("not_numbers", name=name, given=Phrase("array_of", dtype=array.dtype))
    return array


def is_frozen(array: np.ndarray) -> bool:
    """Whether nobody can change `array`, neither directly nor through the array it is a view of."""
    while not array.flags.writeable:
        if array.base is None:
            return True
        if not isinstance(array.base, np.ndarray):
            return False
        array = array.base
    return False


def read_array(name: str, value) -> np.ndarray:
    """`value` as a float32 or float64 array that nobody else can change.

    float32 stays, other numbers become float64 (16-bit floats float32). An array that is frozen already
    is taken as it is, so the steps of one trace can feed another without a copy.
    """
    array = value if type(value) is np.ndarray else as_array(name, value)
    dtype = array.dtype
    if dtype is not FLOAT32 and dtype is not FLOAT64:
        single = as_array(name, array).dtype.kind == "f" and dtype.itemsize <= 4
        array = array.astype(FLOAT32 if single else FLOAT64)
    elif array.flags.writeable or not is_frozen(array):
        array = array.copy()
    array.setflags(write=False)
    return array


def read_arrays(
    needed: dict[str, object], optional: dict[str, object] | None = None
) -> dict[str, np.ndarray]:
    """What is needed, and what is optional and not None, as arrays of one float type."""
    arrays = {name: read_array(name, value) for name, value in needed.items()}
    for name, value in optional.items() if optional else ():
        if value is not None:
            arrays[name] = read_array(name, value)
    if len({array.dtype for array in arrays.values()}) > 1:
        arrays = {name: read_array(name, array.astype(FLOAT64)) for name, array in arrays.items()}
    return arrays


def check_ndim(name: str, array: np.ndarray, axes: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    """Raises unless `array` has these axes, with or without the optional ones in front, none empty."""
    if len(axes) <= array.ndim <= len(optional) + len(axes):
        if array.size:
            return
        raise AttentionError("empty", name=name, shape=array.shape)
    needed = Phrase("either", first=len(axes), last=len(optional) + len(axes)) if optional else len(axes)
    raise AttentionError(
        "ndim", name=name, shape=array.shape, needed=needed, axes=", ".join((*optional, *axes))
    )


def check_size(
    name: str, array: np.ndarray, axis: int, axis_name: str, needed: int, other: str | Phrase
) -> None:
    """Raises unless `array` has size `needed` along `axis`, as `other` has."""
    given = array.shape[axis]
    if given != needed:
        facts = {"axis": axis_name, "given": given, "shape": array.shape, "needed": needed, "other": other}
        raise AttentionError("size", name=name, **facts)


def check_linear(
    given: dict[str, np.ndarray], weight: str, bias: str, in_axis: int, width: int, source: str | Phrase
):
    """Raises unless given[weight] takes `width` numbers and given[bias], if any, fits what it makes.

    `in_axis` is 0 for a weight (in, out), 1 for one (out, in).
    """
    axes = ("in", "out") if in_axis == 0 else ("out", "in")
    check_ndim(weight, given[weight], axes)
    check_size(weight, given[weight], in_axis, "in", width, source)
    if bias in given:
        check_ndim(bias, given[bias], ("out",))
        check_size(bias, given[bias], 0, "out", given[weight].shape[1 - in_axis], weight)


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


def read_number(
    name: str,
    value,
    needed: str | Phrase,
    allowed: Callable[[float], bool] = math.isfinite,
    dtype: np.dtype = FLOAT64,
) -> float:
    """`value` as a float for which `allowed` holds, also once it is of `dtype`; `needed` says so in words."""
    try:
        found = float(value)
        rounded = float(dtype.type(found))
    except (TypeError, ValueError, OverflowError):
        found = rounded = math.nan
    lost = math.isinf(rounded) != math.isinf(found) or (rounded == 0) != (found == 0)
    if math.isnan(found) or lost or not allowed(found):
        raise AttentionError("number", name=name, given=repr(value), needed=needed)
    return found


def read_dtype(name: str, value) -> np.dtype:
    """`value` as one of the float types float16, float32 and float64."""
    with contextlib.suppress(TypeError):
        if value is not None and np.dtype(value).name in ("float16", "float32", "float64"):
            return np.dtype(value).newbyteorder("=")
    raise AttentionError(
        "number",
        name=name,
        given=repr(value),
        needed=Phrase("either", first="float16, float32", last="float64"),
    )


def read_flag(name: str, value) -> bool:
    """`value` as a bool."""
    if value is True or value is False:
        return value
    if np.ndim(value) or type(value).__name__ not in ("bool", "bool_", "int"):
        raise AttentionError(
            "number", name=name, given=repr(value), needed=Phrase("either", first="True", last="False")
        )
    return bool(value)


def read_dropout(dropout_p) -> float:
    try:
        return read_number("dropout_p", dropout_p, "", lambda p: 0 <= p < 1)
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
    flat = array.ravel("K")  # in the order of memory, without a copy
    if math.isfinite(np.vdot(flat, flat)):
        return True
    check_finite(given.items())
    if not np.isfinite(array).all():
        raise AttentionError("overflow", step=step, dtype=array.dtype)
    return False
