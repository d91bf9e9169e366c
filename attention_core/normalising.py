"""Ways to turn scores into shares: softmax, what else one might try, and why exp needs a guard."""

from dataclasses import dataclass

import numpy as np

from .checks import (
    as_array,
    check_finite,
    check_ndim,
    check_size,
    read_array,
    read_count,
    read_dtype,
    read_number,
)
from .errors import AttentionError, Phrase
from .pieces import softmax


@np.errstate(all="ignore")
def plain_shares(scores) -> np.ndarray:
    """Each score divided by the sum of its row (..., score): negative, infinite or NaN where that fails."""
    scores = read_scores(scores)
    return scores / scores.sum(axis=-1, keepdims=True)


def argmax_shares(scores) -> np.ndarray:
    """1 for the largest score of a row (..., score), the first of equals, and 0 for all others."""
    scores = read_scores(scores)
    return np.eye(scores.shape[-1], dtype=scores.dtype)[scores.argmax(axis=-1)]


@np.errstate(all="ignore")
def softmax_at(scores, temperature: float = 1.0) -> np.ndarray:
    """softmax(scores / temperature) of each row (..., score): cold is nearly argmax, hot nearly even."""
    scores = read_scores(scores)
    needed = Phrase("finite_above_0")
    temperature = read_number("temperature", temperature, needed, lambda t: 0 < t < np.inf, scores.dtype)
    # The highest becomes 0 first, so even the coldest temperature divides nothing but 0 and less.
    return softmax((scores - scores.max(axis=-1, keepdims=True)) / temperature)


@dataclass(frozen=True, eq=False)
class SoftmaxSteps:
    """Every number on the way of one row from scores to weights, all of one float type."""

    scores: np.ndarray
    highest: float  # what is subtracted: the largest score, or 0 without the guard
    shifted: np.ndarray  # scores - highest
    powers: np.ndarray  # e^shifted
    total: float  # the sum of the powers
    weights: np.ndarray  # powers / total


@np.errstate(all="ignore")
def softmax_steps(scores, dtype="float64", subtract_highest: bool = True) -> SoftmaxSteps:
    """Softmax of one row (score,), step by step in `dtype`; without the guard it may end in NaN."""
    dtype = read_dtype("dtype", dtype)
    given = read_scores(scores)
    check_ndim("scores", given, ("score",))
    row = given.astype(dtype)
    if not np.isfinite(row).all():
        raise AttentionError("overflow", step="scores", dtype=dtype)
    highest = row.max() if subtract_highest else dtype.type(0)
    shifted = row - highest
    powers = np.exp(shifted)
    total = powers.sum()
    steps = SoftmaxSteps(row, float(highest), shifted, powers, float(total), powers / total)
    for array in (steps.scores, steps.shifted, steps.powers, steps.weights):
        array.setflags(write=False)
    return steps


@np.errstate(all="ignore")
def largest_safe_score(dtype="float64") -> float:
    """The largest score of this float type whose power of e it can hold: about 11, 88 or 709."""
    dtype = read_dtype("dtype", dtype)
    score = np.log(np.finfo(dtype).max)
    while np.isfinite(np.exp(score)):
        score = np.nextafter(score, dtype.type(np.inf))
    while not np.isfinite(np.exp(score)):
        score = np.nextafter(score, dtype.type(-np.inf))
    return float(score)


def softmax_jacobian(weights) -> np.ndarray:
    """(..., weight, score) diag(p) − p pᵀ: how much weight i gains when score j rises by a little."""
    weights = read_array("weights", weights)
    check_ndim("weights", weights, ("weight",), ("...",) * weights.ndim)
    return weights[..., None] * (np.eye(weights.shape[-1], dtype=weights.dtype) - weights[..., None, :])


def entropy(weights) -> np.ndarray:
    """(...,) bits of each row of weights (..., weight): 0 for a choice of one, log2(n) for even shares."""
    weights = read_array("weights", weights)
    check_ndim("weights", weights, ("weight",), ("...",) * weights.ndim)
    if (weights < 0).any():
        raise AttentionError(
            "number", name="weights", given=repr(weights.min()), needed=Phrase("at_least", least=0)
        )
    return (-weights * np.log2(np.where(weights > 0, weights, 1))).sum(axis=-1)


@np.errstate(all="ignore")
def broken_rules(weights) -> tuple[str, ...]:
    """What keeps a row (weight,) from being shares: "undefined" numbers, "negative" ones, a wrong "sum"."""
    weights = as_array("weights", weights)
    check_ndim("weights", weights, ("weight",))
    if not np.isfinite(weights).all():
        return ("undefined",)
    slack = np.sqrt(np.finfo(weights.dtype).eps) if weights.dtype.kind == "f" else 0
    broken = {"negative": (weights < 0).any(), "sum": abs(weights.sum() - 1) > slack}
    return tuple(rule for rule, is_broken in broken.items() if is_broken)


@np.errstate(all="ignore")
def failed_checks(scores, printed, places: int) -> tuple[str, ...]:
    """Which checks a printed row of softmax weights fails, each with the slack that rounding leaves.

    "sum": it adds up to 1. "order": a higher score has no smaller weight. "ratio": two weights are as
    e^(difference of their scores) to 1. "value": each is softmax, rounded to `places` decimals.
    """
    scores, printed = read_scores(scores), read_array("printed", printed)
    check_ndim("scores", scores, ("score",))
    check_ndim("printed", printed, ("weight",))
    check_size("printed", printed, 0, "weight", len(scores), "scores")
    check_finite([("printed", printed)])
    half = 0.5 * 10.0 ** -read_count("places", places, least=0) + 1e-12
    least, most = np.maximum(printed - half, 0), printed + half
    above = scores[:, None] - scores  # how far score i lies above score j
    needed = np.where(least > 0, least * np.exp(above), 0)  # what weight i must reach, given weight j
    failed = {
        "sum": abs(printed.sum() - 1) > half * len(scores),
        "order": ((above > 0) & (printed[:, None] < printed)).any(),
        "ratio": (most[:, None] < needed).any(),
        "value": (np.abs(printed - softmax(scores)) > half).any(),
    }
    return tuple(check for check, has_failed in failed.items() if has_failed)


def read_scores(scores) -> np.ndarray:
    """Finite scores (..., score)."""
    scores = read_array("scores", scores)
    check_ndim("scores", scores, ("score",), ("...",) * scores.ndim)
    check_finite([("scores", scores)])
    return scores
