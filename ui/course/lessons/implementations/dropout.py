"""Dropout on the weights: what is left after one seed, and the mean over many."""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

MOST_AT_ONCE = 1000  # seeds in one piece of work, some hundredths of a second


class Dropped(NamedTuple):
    """Weights before and after dropout, each (query, key)."""

    keep: np.ndarray
    after: np.ndarray
    row_sums: np.ndarray  # (query,), of the weights after


def draw_keep(shape: tuple[int, ...], p: float, seed: int) -> np.ndarray:
    """True where a weight stays. The draws of a seed are those of attention_core."""
    return np.random.default_rng(seed).random(shape) >= p


def drop(weights: np.ndarray, p: float, seed: int) -> Dropped:
    """Each weight is 0 with probability p; those that stay are divided by 1 − p."""
    keep = draw_keep(weights.shape, p, seed)
    after = np.where(keep, weights / (1 - p), 0)
    return Dropped(keep, after, after.sum(axis=-1))


class Point(NamedTuple):
    """How far the mean over the first `n` seeds is from the weights, and how far to expect."""

    n: int
    largest: float  # over all cells
    typical: float  # root of the mean square over all cells
    expected: float  # the same, by the variance of a weight that is kept with probability 1 − p


@dataclass(frozen=True)
class DropoutMean:
    """The mean over the seeds first_seed, first_seed + 1, ...: `more` goes on, in pieces of any size.

    Only counts are kept, so the same seeds give the same numbers however they were cut into pieces.
    """

    weights: np.ndarray  # (query, key)
    p: float
    first_seed: int = 0
    n: int = 0
    kept: np.ndarray | None = None  # how often each weight stayed
    points: tuple[Point, ...] = ()  # at n = 1, 2, 4, 8, ...

    def more(self, n_seeds: int) -> "DropoutMean":
        """After more seeds, at most MOST_AT_ONCE of them."""
        mean, last = self, self.n + min(n_seeds, MOST_AT_ONCE)
        while mean.n < last:
            mean = mean.until(min(last, next_power_of_two(mean.n)))
        return mean

    def until(self, n: int) -> "DropoutMean":
        """After n seeds in all, with a point where n is a power of two."""
        kept = np.zeros(self.weights.shape, np.int64) if self.kept is None else self.kept.copy()
        for seed in range(self.first_seed + self.n, self.first_seed + n):
            kept += draw_keep(self.weights.shape, self.p, seed)
        after = replace(self, n=n, kept=kept)
        reached = n == next_power_of_two(self.n)
        return replace(after, points=(*self.points, after.point())) if reached else after

    @property
    def mean(self) -> np.ndarray:
        """(query, key): the mean of the weights after dropout; before the first seed, all 0."""
        return (
            np.zeros_like(self.weights)
            if self.kept is None
            else self.weights * self.kept / self.n / (1 - self.p)
        )

    @property
    def row_sums(self) -> np.ndarray:
        """(query,): the mean of the row sums after dropout."""
        return self.mean.sum(axis=-1)

    def point(self) -> Point:
        apart = self.mean - self.weights
        spread = math.sqrt(self.p / (1 - self.p) / self.n)  # of kept / n / (1 − p), which is 1 on average
        size = math.sqrt((self.weights**2).mean())
        return Point(self.n, float(np.abs(apart).max()), math.sqrt((apart**2).mean()), size * spread)


def next_power_of_two(n: int) -> int:
    """The smallest power of two larger than n."""
    return 1 << n.bit_length()
