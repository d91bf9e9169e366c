"""What heads measurably do: one number for each head, from its weights (..., query, key).

A measure describes the weights and nothing else: a head that looks at the previous token does not thereby
explain what the model does.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np


def previous_token(weights, special, again) -> np.ndarray:
    """The mean weight on the token before, over all tokens but the first."""
    return weights.diagonal(-1, -2, -1).mean(-1)


def next_token(weights, special, again) -> np.ndarray:
    """The mean weight on the token after, over all tokens but the last."""
    return weights.diagonal(1, -2, -1).mean(-1)


def same_token(weights, special, again) -> np.ndarray:
    """The mean weight of a token on itself."""
    return weights.diagonal(0, -2, -1).mean(-1)


def repeated_token(weights, special, again) -> np.ndarray:
    """The mean weight on other places where the same token stands, over the tokens that are repeated."""
    return (weights * again).sum((-2, -1)) / np.maximum(again.any(-1).sum(), 1)


def first_token(weights, special, again) -> np.ndarray:
    """The mean weight on the first token."""
    return weights[..., 0].mean(-1)


def sink(weights, special, again) -> np.ndarray:
    """The mean weight on the special tokens together."""
    return weights[..., special].sum(-1).mean(-1)


def broad(weights, special, again) -> np.ndarray:
    """The mean entropy, as a share of the most that the visible keys allow: 1 for even weights, 0 for one key."""
    surprise = -np.log(np.where(weights > 0, weights, 1))
    return ((weights * surprise).sum(-1) / np.log(np.maximum((weights > 0).sum(-1), 2))).mean(-1)


def sharp(weights, special, again) -> np.ndarray:
    """The mean of the largest weight of each token."""
    return weights.max(-1).mean(-1)


class Measure(NamedTuple):
    """A function of the weights, and the NumPy expression that it computes."""

    function: Callable[..., np.ndarray]
    formula: str  # of weights, special and again: see `measure_all`


MEASURES = {
    "previous": Measure(previous_token, "weights.diagonal(-1, -2, -1).mean(-1)"),
    "next": Measure(next_token, "weights.diagonal(1, -2, -1).mean(-1)"),
    "same": Measure(same_token, "weights.diagonal(0, -2, -1).mean(-1)"),
    "repeated": Measure(repeated_token, "(weights * again).sum((-2, -1)) / maximum(again.any(-1).sum(), 1)"),
    "first": Measure(first_token, "weights[..., 0].mean(-1)"),
    "sink": Measure(sink, "weights[..., special].sum(-1).mean(-1)"),
    "broad": Measure(
        broad,
        "(-(weights * log(where(weights > 0, weights, 1))).sum(-1)"
        " / log(maximum((weights > 0).sum(-1), 2))).mean(-1)",
    ),
    "sharp": Measure(sharp, "weights.max(-1).mean(-1)"),
}
OF_TWO = ("previous", "next")  # measures of pairs of neighbours


def measure_all(weights, special: Sequence[int] = (), ids: Sequence[int] = ()) -> dict[str, np.ndarray]:
    """Every measure of every head, from weights (..., query, key): arrays (...) between 0 and 1.

    special: the places of tokens like [CLS] and [SEP]; without any the first token is the sink. ids: of the
    tokens, which say where a token is repeated. A sentence of one token has no neighbours: 0.
    """
    weights = np.asarray(weights)
    n_tokens = weights.shape[-1]
    again = repeats(ids or range(n_tokens))
    measured = [name for name in MEASURES if n_tokens > 1 or name not in OF_TWO]
    found = {name: MEASURES[name].function(weights, list(special) or [0], again) for name in measured}
    return {name: found.get(name, np.zeros(weights.shape[:-2])) for name in MEASURES}


def repeats(ids: Sequence[int]) -> np.ndarray:
    """(query, key) booleans: True where the same token stands at another place."""
    row = np.asarray(ids)
    return (row[:, None] == row) & ~np.eye(len(row), dtype=bool)
