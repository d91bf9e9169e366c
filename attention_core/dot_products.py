"""Why scores are divided by √d_k: random dot products spread with their width, and softmax gets stuck."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from .checks import (
    check_computed,
    check_finite,
    check_ndim,
    check_size,
    read_array,
    read_count,
    read_dtype,
    read_number,
)
from .errors import AttentionError, Phrase
from .normalising import entropy, read_scores, softmax_jacobian
from .pieces import softmax

BLOCK = 250  # pairs that are drawn and measured in one go
BUDGET = 1 << 21  # random numbers one call of `further` draws: some twenty milliseconds
STUCK = 0.99  # a row whose largest weight is above this hardly listens to anybody else


def random_pairs(d_k: int, n_pairs: int, seed: int = 0, block: int = 0) -> np.ndarray:
    """(pair, 2, feature) queries and keys of independent normal numbers: mean 0, variance 1.

    Each `block` has numbers of its own, which depend on nothing but the seed, the width and the block.
    More pairs begin with the same ones.
    """
    d_k, n_pairs = read_count("d_k", d_k), read_count("n_pairs", n_pairs)
    seeds = read_count("seed", seed, least=0), d_k, read_count("block", block, least=0)
    return np.random.default_rng(seeds).standard_normal((n_pairs, 2, d_k))


def random_dot_products(d_k: int, n_pairs: int, seed: int = 0, block: int = 0) -> np.ndarray:
    """(pair,) the dot product of each of the `random_pairs`."""
    pairs = random_pairs(d_k, n_pairs, seed, block)
    return np.vecdot(pairs[:, 0], pairs[:, 1])


def running_dot_products(d_k: int, n_pairs: int, seed: int = 0, block: int = 0) -> np.ndarray:
    """(pair, term) what each dot product has come to after its first 1, 2, ... d_k terms."""
    pairs = random_pairs(d_k, n_pairs, seed, block)
    return (pairs[:, 0] * pairs[:, 1]).cumsum(axis=-1)


@dataclass(frozen=True)
class Spread:
    """How far the dot products of width `d_k` lie from 0: how many, their sum, the sum of their squares."""

    d_k: int
    n_pairs: int = 0
    total: float = 0.0
    squares: float = 0.0

    @property
    def variance(self) -> float:
        """Mean squared distance from the mean; NaN before the first pair."""
        if not self.n_pairs:
            return math.nan
        return self.squares / self.n_pairs - (self.total / self.n_pairs) ** 2

    @property
    def scaled_variance(self) -> float:
        """The same of the products divided by √d_k, each square of which is d_k times smaller."""
        return self.variance / self.d_k

    def with_block(self, seed: int, most_pairs: int) -> "Spread":
        """With the next block of pairs, up to `most_pairs` in all."""
        n_new = min(BLOCK, most_pairs - self.n_pairs)
        products = random_dot_products(self.d_k, n_new, seed, self.n_pairs // BLOCK)
        return Spread(
            self.d_k,
            self.n_pairs + n_new,
            self.total + float(products.sum()),
            self.squares + float(products @ products),
        )


@dataclass(frozen=True)
class VarianceExperiment:
    """`n_pairs` random dot products for each width, measured bit by bit; the pauses change no number."""

    spreads: tuple[Spread, ...]
    n_pairs: int
    seed: int = 0

    @property
    def fraction(self) -> float:
        """How much of the work is done, from 0 to 1."""
        drawn = sum(spread.n_pairs * spread.d_k for spread in self.spreads)
        return drawn / (self.n_pairs * sum(spread.d_k for spread in self.spreads))

    @property
    def finished(self) -> bool:
        return all(spread.n_pairs == self.n_pairs for spread in self.spreads)

    def further(self, numbers: int = BUDGET) -> "VarianceExperiment":
        """With at least one more block, and as many as `numbers` random numbers pay for."""
        left, spreads = read_count("numbers", numbers), list(self.spreads)
        while left > 0:
            place = min(range(len(spreads)), key=lambda i: spreads[i].n_pairs)  # the one furthest behind
            before = spreads[place]
            if before.n_pairs == self.n_pairs:
                break
            spreads[place] = before.with_block(self.seed, self.n_pairs)
            left -= 2 * before.d_k * (spreads[place].n_pairs - before.n_pairs)
        return replace(self, spreads=tuple(spreads))


def variance_experiment(widths: Iterable[int], n_pairs: int, seed: int = 0) -> VarianceExperiment:
    """The experiment for these widths d_k, not yet begun: `further()` until it is `finished`."""
    spreads = tuple(Spread(read_count("d_k", d_k)) for d_k in widths)
    if not spreads:
        raise AttentionError("empty", name="widths", shape=(0,))
    return VarianceExperiment(spreads, read_count("n_pairs", n_pairs), read_count("seed", seed, least=0))


def random_scores(d_k: int, n_keys: int, n_rows: int, seed: int = 0) -> np.ndarray:
    """(row, key) dot products before any scale: in each row a random query meets its own random keys.

    Wider vectors begin with the same numbers, so that scores can be watched as they grow.
    """
    d_k, n_keys, n_rows = read_count("d_k", d_k), read_count("n_keys", n_keys), read_count("n_rows", n_rows)
    rng = np.random.default_rng((read_count("seed", seed, least=0), n_keys, n_rows))
    vectors = rng.standard_normal((d_k, n_rows, n_keys + 1))
    return np.einsum("dr,drk->rk", vectors[:, :, 0], vectors[:, :, 1:])


@dataclass(frozen=True)
class Saturation:
    """What softmax makes of rows of scores under one scale."""

    scale: float
    largest: float  # mean of the largest weight of a row
    entropy: float  # mean entropy of a row, in bits
    jacobian: float  # mean size of the softmax gradient of a row
    typical_jacobian: float  # its median: half of the rows have less
    stuck: float  # share of rows in which one weight has nearly everything


@np.errstate(all="ignore")
def saturation(scores, scale: float = 1.0) -> Saturation:
    """How far softmax(scores · scale) is from a choice of one, over all rows of scores (..., key).

    The size of a gradient is the root of the sum of squares of diag(p) − p pᵀ, p a row of weights.
    """
    scores = read_scores(scores)
    scale = read_number("scale", scale, Phrase("finite"))
    scaled = scores * scale
    check_computed("scaled", scaled, {"scores": scores})
    weights = softmax(scaled)
    sizes = np.linalg.norm(softmax_jacobian(weights), axis=(-2, -1))
    largest = weights.max(axis=-1)
    return Saturation(
        scale=scale,
        largest=float(largest.mean()),
        entropy=float(entropy(weights).mean()),
        jacobian=float(sizes.mean()),
        typical_jacobian=float(np.median(sizes)),
        stuck=float((largest > STUCK).mean()),
    )


def candidate_scales(d_head: int, n_heads: int = 1) -> dict[str, float]:
    """What scores are multiplied by: nothing, 1/√d_head (right), or 1/√d_model (the whole width, wrong)."""
    d_head, n_heads = read_count("d_head", d_head), read_count("n_heads", n_heads)
    return {"none": 1.0, "d_head": d_head**-0.5, "d_model": (n_heads * d_head) ** -0.5}


@np.errstate(all="ignore")
def scaled_scores(query, key, where: str = "after", dtype="float64") -> np.ndarray:
    """(query, key) scores q · k / √d, every step in `dtype`: infinite where that overflows.

    `where` is the scale put: "after" on the scores, "query" on the queries, or "both", as d^(-1/4) on
    queries and keys. One number in exact arithmetic; in a small type a late scale can come too late.
    """
    dtype = read_dtype("dtype", dtype)
    query, key = read_array("query", query), read_array("key", key)
    check_ndim("query", query, ("token", "feature"))
    check_ndim("key", key, ("token", "feature"))
    check_size("key", key, 1, "feature", query.shape[1], "query")
    check_finite([("query", query), ("key", key)])
    query, key, d_k = query.astype(dtype), key.astype(dtype), query.shape[1]
    root, fourth_root = dtype.type(d_k**-0.5), dtype.type(d_k**-0.25)
    if where == "after":
        return (query @ key.T) * root
    if where == "query":
        return (query * root) @ key.T
    if where == "both":
        return (query * fourth_root) @ (key * fourth_root).T
    raise AttentionError(
        "number",
        name="where",
        given=repr(where),
        needed=Phrase("either", first="'after', 'query'", last="'both'"),
    )
