"""Generation: the tokens of a sentence come one after another, with a cache of keys and values or without."""

import math
from typing import NamedTuple

import numpy as np

from .checks import check_ndim, read_array, read_flag
from .multi_head import multi_head_attention
from .trace import Trace

# What acts on one token like on all of them, so that the steps together are the whole sentence.
STEPWISE = ("b_q", "b_k", "b_v", "b_o", "scale", "softcap", "window")


class TokenStep(NamedTuple):
    """What is computed when one token arrives: `trace` has the new token alone, or all tokens so far."""

    token: int
    trace: Trace

    @property
    def q(self) -> np.ndarray:
        """(..., head, feature): what the new token asks."""
        return self.trace["q_heads"][..., -1, :]

    @property
    def k(self) -> np.ndarray:
        """(..., kv_head, feature): what the new token is found by."""
        return self.trace["k_heads"][..., -1, :]

    @property
    def v(self) -> np.ndarray:
        """(..., kv_head, feature): what the new token hands over."""
        return self.trace["v_heads"][..., -1, :]

    @property
    def keys(self) -> np.ndarray:
        """(..., kv_head, token, feature): the keys of all tokens so far; with a cache, what it now holds."""
        return self.trace["present_key"]

    @property
    def values(self) -> np.ndarray:
        """(..., kv_head, token, feature): the values of all tokens so far."""
        return self.trace["present_value"]

    @property
    def weights(self) -> np.ndarray:
        """(..., head, token): how the new token looks at all tokens so far."""
        return self.trace["weights"][..., -1, :]

    @property
    def output(self) -> np.ndarray:
        """(..., feature): the row of the new token."""
        return self.trace.output[..., -1, :]

    @property
    def products(self) -> dict[str, int]:
        """Multiplications of this step by matrix product."""
        return multiplications(self.trace)


def token_by_token(
    x, w_q, w_k, w_v, w_o=None, *, n_heads, n_kv_heads=None, use_cache=True, **options
) -> tuple[TokenStep, ...]:
    """multi_head_attention as tokens arrive one by one, each looking at itself and those before it.

    x (tokens, d) or (batch, tokens, d). With the cache a step projects its new token and looks the
    others up; without, it does every token so far again and only the last row is news.
    options: biases, scale, softcap and window of multi_head_attention.
    """
    for name in options:
        if name not in STEPWISE:
            raise TypeError(f"token_by_token() got an unexpected keyword argument {name!r}")
    x, use_cache = read_array("x", x), read_flag("use_cache", use_cache)
    check_ndim("x", x, ("token", "feature"), ("batch",))
    options |= {"n_heads": n_heads, "n_kv_heads": n_kv_heads, "is_causal": True}
    steps = []
    for token in range(x.shape[-2]):
        first = token if use_cache else 0
        given = x[..., first : token + 1, :]
        step = TokenStep(token, multi_head_attention(given, w_q, w_k, w_v, w_o, **options))
        if use_cache:
            options |= {"past_key": step.keys, "past_value": step.values}
        steps.append(step)
    return tuple(steps)


def multiplications(trace: Trace) -> dict[str, int]:
    """How many numbers each matrix product of a trace multiplies: one for every place of its joint axes."""
    counts, lines = {}, trace.plan.by_name
    for name, line in lines.items():
        if line.op == "contract":
            sizes = {}
            for factor in line.inputs[:2]:
                sizes |= zip(lines[factor].axes, trace[factor].shape, strict=True)
            counts[name] = math.prod(sizes.values())
    return counts
