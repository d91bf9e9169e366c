"""What a mask says and what comes of it: how it is read, and rows with nothing to look at."""

from typing import NamedTuple

import numpy as np

from attention_core import Trace, causal_mask, scaled_dot_product_attention

# One table of booleans, three habits: True may look; True is hidden; its 1 and 0 added to the scores.
READINGS = ("may_look", "is_hidden", "added")
LARGE_NEGATIVE = -1e9  # what much code writes for −∞
# What hidden scores become: −∞; −1e9 in their place; −1e9 added to them; −∞, and empty rows set to 0.
WAYS = ("infinite", "filled", "added", "zero")


def causal_corners(n_queries: int, n_keys: int) -> dict[str, np.ndarray]:
    """The two causal masks of a table that is not square: its diagonal starts or ends in a corner.

    "first": query 0 sees key 0, as where is_causal meets no cache. "last": the last query sees the last
    key, as in generation, where the queries are the newest of the tokens.
    """
    return {
        "first": causal_mask(n_queries, n_keys),
        "last": causal_mask(n_queries, n_keys, offset=n_keys - n_queries),
    }


def read_as(mask: np.ndarray, reading: str) -> np.ndarray:
    """A table of booleans as the attn_mask that a function with that habit makes of it."""
    if reading == "may_look":
        return mask
    if reading == "is_hidden":
        return ~mask
    return mask.astype(np.float64)


def as_added(visible: np.ndarray) -> np.ndarray:
    """The additive form of booleans: 0 where a query may look, −∞ where it may not."""
    return np.where(visible, 0.0, -np.inf)


def attend_with(trace: Trace, attn_mask: np.ndarray | None) -> Trace:
    """The heads of a trace attended to again with its scale, under another mask: (head, query, feature)."""
    heads = (trace[name] for name in ("q_heads", "k_heads", "v_heads"))
    scale = {"scale": trace["scale"]} if "scale" in trace else {"scale": 1}
    return scaled_dot_product_attention(*heads, attn_mask=attn_mask, enable_gqa=True, **scale)


class Outcome(NamedTuple):
    """A row of attention once its hidden scores have been dealt with in one of WAYS."""

    filled: np.ndarray  # (..., key): the scores that softmax is given
    weights: np.ndarray  # (..., key)
    output: np.ndarray  # (..., value_feature)


@np.errstate(over="ignore", invalid="ignore")
def outcomes(scores, visible, values, dtype=np.float64) -> dict[str, Outcome]:
    """What each of WAYS makes of scores (..., key), computed in `dtype` as written, NaN and all."""
    scores, values = (np.asarray(array).astype(dtype) for array in (scores, values))
    large = np.asarray(LARGE_NEGATIVE).astype(dtype)  # −∞ where 16 bits cannot hold it
    infinite = np.where(visible, scores, dtype(-np.inf))
    rows = {
        "infinite": infinite,
        "filled": np.where(visible, scores, large),
        "added": scores + np.where(visible, dtype(0), large),
        "zero": infinite,
    }
    found = {}
    for way, filled in rows.items():
        weights = plain_softmax(filled)
        if way == "zero":
            weights = np.where(np.any(visible, axis=-1, keepdims=True), weights, dtype(0))
        found[way] = Outcome(filled, weights, weights @ values)
    return found


def plain_softmax(scores: np.ndarray) -> np.ndarray:
    """Softmax with the largest score taken away and nothing more: −∞ − (−∞) is NaN."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@np.errstate(invalid="ignore")
def next_layer(x: np.ndarray, visible: np.ndarray) -> np.ndarray:
    """(token, feature): another layer of attention over x, each row being its own query, key and value.

    NaN passes on even from a hidden row, because 0 · NaN is NaN.
    """
    scores = np.where(visible, x @ x.T / np.sqrt(x.shape[-1]), -np.inf)
    return plain_softmax(scores) @ x
