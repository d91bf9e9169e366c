"""Powers of 3 in place of powers of e: softmax that can be done in the head, and its usual mistakes."""

import math
from collections.abc import Iterator

import numpy as np

from attention_core import Trace
from ui.course.exercises.exercise import Grid, as_rows, matrix_of, write_power, write_value
from ui.predict.mistakes import Slip, share

LN_3 = math.log(3)  # as the scale it makes of e^x, inside softmax, 3^x


def seen_scores(trace: Trace) -> np.ndarray:
    """The scores (query, key) as whole numbers, before LN_3; −∞ where they are hidden."""
    scores = matrix_of(trace, "scores")
    return np.where(trace["visible"], scores, -np.inf) if "visible" in trace else scores


def scores_grid(trace: Trace) -> Grid:
    return Grid("masked" if "visible" in trace else "scores", as_rows(seen_scores(trace)))


def thirds_slips(scores: np.ndarray, key: int) -> Iterator[Slip]:
    """Wrong numbers for 3^scores[key] / Σ 3^scores; hidden scores are −∞."""
    score, seen = float(scores[key]), scores[np.isfinite(scores)]
    powers = 3.0**seen
    if not math.isfinite(score):
        return
    term = {"term": write_power("3", score), "power": write_value(3.0**score)}
    facts, total = term | {"score": write_value(score)}, {"sum": write_value(float(powers.sum()))}
    yield Slip("powers_of_e", share(scores, key), term)
    yield Slip("third_undivided", 3.0**score, term | total)
    if seen.sum():
        yield Slip("third_no_powers", score / float(seen.sum()), facts)
        yield Slip("third_cubes", score**3 / float((seen**3).sum()), facts)
    others = float(powers.sum()) - 3.0**score
    if others:
        yield Slip("third_of_others", 3.0**score / others, term | total)
    yield Slip("third_plain", 1 / len(seen), term)
