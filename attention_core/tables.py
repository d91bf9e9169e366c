"""A trace as one long table: a row for every number, a column for every axis."""

from itertools import pairwise

import numpy as np

from .errors import AttentionError

MOST_ROWS = 1_000_000  # about as many as a spreadsheet opens; some 70 bytes each while the table is made


def long_table(steps: list, most_rows: int):
    """A pandas.DataFrame with the columns step, one for each axis name, and value; see `Trace.to_frame`."""
    import pandas as pd  # only here: the library itself needs NumPy alone

    n_rows = sum(step.value.size for step in steps)
    if n_rows > most_rows:
        raise AttentionError("too_many_rows", given=n_rows, most=most_rows)
    sizes = [step.value.size for step in steps]
    names = [step.name for step in steps]
    columns: dict[str, object] = {
        "step": pd.Categorical.from_codes(np.repeat(np.arange(len(steps)), sizes), names)
    }
    for axis in ordered_axes(steps):
        places = [places_along(step, axis) for step in steps]
        missing = np.repeat([axis not in step.axes for step in steps], sizes)
        columns[axis] = pd.arrays.IntegerArray(np.concatenate(places), missing)
    columns["value"] = np.concatenate([step.value.ravel().astype(np.float64) for step in steps])
    return pd.DataFrame(columns)


def ordered_axes(steps: list) -> list[str]:
    """Every axis name once, in an order in which each step has its own, so that columns tell a step's shape.

    A step that contradicts those before it is passed over: `qkv_permuted`, which is there to turn axes round.
    """
    after: dict[str, set[str]] = {axis: set() for step in steps for axis in step.axes}
    for step in steps:
        pairs = list(pairwise(step.axes))
        if not any(leads(after, last, first) for first, last in pairs):
            for first, last in pairs:
                after[first].add(last)
    order: list[str] = []
    while len(order) < len(after):
        left = [axis for axis in after if axis not in order]
        order.append(next(axis for axis in left if not any(axis in after[other] for other in left)))
    return order


def leads(after: dict[str, set[str]], first: str, last: str) -> bool:
    """Whether `last` has to come after `first`."""
    return last in after[first] or any(leads(after, axis, last) for axis in after[first])


def places_along(step, axis: str) -> np.ndarray:
    """The index along `axis` of every number of a step, in the order of its rows; zeros where it has none."""
    if axis not in step.axes:
        return np.zeros(step.value.size, np.int32)
    place = step.axes.index(axis)
    shape = [1] * step.value.ndim
    shape[place] = -1
    along = np.arange(step.shape[place], dtype=np.int32).reshape(shape)
    return np.broadcast_to(along, step.shape).ravel()
