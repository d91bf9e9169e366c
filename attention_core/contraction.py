"""Products added up over named axes: the one rule behind every projection, score and weighted sum."""

import math

import numpy as np

Axes = tuple[str, ...]


def summed_axes(out_axes: Axes, *operands: Axes) -> Axes:
    """The axes of the operands that the result does not have, in order."""
    return tuple(dict.fromkeys(axis for axes in operands for axis in axes if axis not in out_axes))


def sum_to(array: np.ndarray, axes: Axes, out_axes: Axes) -> np.ndarray:
    """`array` added up over every axis not in `out_axes`, the rest in that order."""
    kept = tuple(axis for axis in axes if axis in out_axes)
    array = array.sum(axis=tuple(i for i, axis in enumerate(axes) if axis not in out_axes))
    return array.transpose([kept.index(axis) for axis in out_axes])


def contract(a: np.ndarray, a_axes: Axes, b: np.ndarray, b_axes: Axes, out_axes: Axes) -> np.ndarray:
    """The products of a and b over their named axes, added up over every axis not in `out_axes`."""
    sizes = dict(zip(a_axes + b_axes, a.shape + b.shape, strict=True))
    both = [axis for axis in out_axes if axis in a_axes and axis in b_axes]
    only_a = [axis for axis in out_axes if axis in a_axes and axis not in b_axes]
    only_b = [axis for axis in out_axes if axis in b_axes and axis not in a_axes]
    summed = [axis for axis in a_axes if axis in b_axes and axis not in out_axes]

    def as_matrices(array, axes, order, *groups):
        array = sum_to(array, axes, tuple(order))
        return array.reshape(
            [sizes[axis] for axis in both] + [math.prod(sizes[a] for a in g) for g in groups]
        )

    left = as_matrices(a, a_axes, both + only_a + summed, only_a, summed)
    right = as_matrices(b, b_axes, both + summed + only_b, summed, only_b)
    found = [*both, *only_a, *only_b]
    product = (left @ right).reshape([sizes[axis] for axis in found])
    return product.transpose([found.index(axis) for axis in out_axes])
