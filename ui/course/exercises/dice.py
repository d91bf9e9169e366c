"""Draws that are the same on every machine, with every version of Python and NumPy."""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

Thing = TypeVar("Thing")
MOST_TRIES = 20_000


class Dice:
    """Draws from a seed: Dice(7, "easy", "cell"). Only `random()` is used, which Python promises to keep."""

    def __init__(self, *seed: object):
        self._random = random.Random("/".join(map(str, seed)))

    def whole(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def pick(self, things: Sequence[Thing]) -> Thing:
        return things[self.whole(0, len(things) - 1)]

    def shuffled(self, things: Sequence[Thing]) -> list[Thing]:
        """All of them, in an order that was drawn."""
        left = list(things)
        return [left.pop(self.whole(0, len(left) - 1)) for _ in things]

    def matrix(self, n_rows: int, n_columns: int, low: int, high: int) -> np.ndarray:
        """Whole numbers, as floats, (row, column)."""
        return np.array([[float(self.whole(low, high)) for _ in range(n_columns)] for _ in range(n_rows)])

    def until(self, draw: Callable[[], Thing], fits: Callable[[Thing], bool]) -> Thing:
        """The first draw that fits."""
        for _ in range(MOST_TRIES):
            drawn = draw()
            if fits(drawn):
                return drawn
        raise RuntimeError("nothing that was drawn fits")
