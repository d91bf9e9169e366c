"""Self-attention of a few tokens without options, alone or in a small batch: the formula without the checks.

For a 4x4 input the time goes into calls, not into arithmetic, so this makes as few as it can. Whatever is
unusual (other types, wrong shapes, NaN, huge numbers) is left to the general way, which says what is wrong.
Both compute by `attention.attend`, so the numbers are the same to the last bit.
"""

import math
from functools import cache
from typing import Any

import numpy as np

from .. import plans
from ..attention import attend
from ..options import Settings
from ..trace import Plan, Trace

MOST_NUMBERS = 1 << 12  # in x or a weight
MOST_SCORES = 1 << 14
ORDINARY = 1e8  # sum of squares below which no product or power here can overflow

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


@np.errstate(all="ignore")
def attend_few_tokens(x, w_q, w_k, w_v, w_o, n_heads) -> Trace | None:
    """The trace of multi_head_attention, or None where the general way is needed."""
    given = read_few((x, w_q, w_k, w_v) if w_o is None else (x, w_q, w_k, w_v, w_o))
    if given is None or not fit_together(given, n_heads):
        return None
    x, w_q, w_k, w_v = given[:4]
    *lead, d_model = x.shape
    batched = len(lead) == 2
    rows = x.reshape(-1, d_model) if batched else x  # tokens of a batch one below another
    q, k, v = rows @ w_q, rows @ w_k, rows @ w_v
    by_head = (*lead, n_heads, -1)
    q_heads = q.reshape(by_head).swapaxes(-2, -3)  # (batch, head, query, key_feature)
    k_heads = k.reshape(by_head).swapaxes(-2, -3)  # (batch, head, key, key_feature)
    v_heads = v.reshape(by_head).swapaxes(-2, -3)  # (batch, head, key, value_feature)
    scale = 1 / math.sqrt(q_heads.shape[-1])
    values: dict[str, Any] = attend(q_heads, k_heads, v_heads, Settings(scale=scale))
    merged = values["head_outputs"].swapaxes(-2, -3).reshape(v.shape)  # (query, channel)
    values |= {"x": x, "w_q": w_q, "q": q, "w_k": w_k, "k": k, "w_v": w_v, "v": v, "n_heads": n_heads}
    values |= {"q_heads": q_heads, "k_heads": k_heads, "v_heads": v_heads, "scale": scale, "output": merged}
    if w_o is not None:
        values |= {"merged": merged, "w_o": given[4], "output": merged @ given[4]}
    if batched:
        for name in ("q", "k", "v", "merged", "output"):
            if name in values:
                values[name] = values[name].reshape(*lead, -1)
    return Trace(plan_of(batched, w_o is not None), values)


@cache
def plan_of(batched: bool, projected: bool) -> Plan:
    return plans.multi_head_plan(plans.Projected(batched=batched, w_o=projected), plans.Uses(scaled=True))


def read_few(arrays: tuple) -> list[np.ndarray] | None:
    """Copies of x (tokens, d) or (batch, tokens, d) and its weights; None unless all are plain and small."""
    dtype = getattr(arrays[0], "dtype", None)
    if dtype is not DOUBLE and dtype is not SINGLE:
        return None
    given = []
    for array in arrays:
        if type(array) is not np.ndarray or array.dtype is not dtype:
            return None
        if array.ndim != 2 and (given or array.ndim != 3):
            return None
        if not 0 < array.size <= MOST_NUMBERS or not np.vdot(array, array) < ORDINARY:
            return None
        array = array.copy()
        array.setflags(write=False)
        given.append(array)
    return given


def fit_together(given: list[np.ndarray], n_heads) -> bool:
    """Whether the shapes belong together and make few scores."""
    x, w_q, w_k, w_v = given[:4]
    *_, n_tokens, d_model = x.shape
    d_value = w_v.shape[1]
    if type(n_heads) is not int or n_heads < 1 or x.size // d_model * n_tokens * n_heads > MOST_SCORES:
        return False
    if w_q.shape != w_k.shape or w_q.shape[0] != d_model or w_v.shape[0] != d_model:
        return False
    if w_q.shape[1] % n_heads or d_value % n_heads:
        return False
    return len(given) == 4 or given[4].shape[0] == d_value
