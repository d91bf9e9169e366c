"""Self-attention of a few tokens without options: the formula and nothing else.

For a 4x4 input the time goes into calls, not into arithmetic, so this path makes as few as it can.
Whatever is unusual (other types, wrong shapes, NaN, huge numbers) is left to the general path, which
says what is wrong. The numbers are the same.
"""

import math

import numpy as np

from . import plans
from .trace import Trace

LARGEST = 1 << 12  # entries of x or a weight
ORDINARY = 1e8  # sum of squares below which no product or power here can overflow

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)

PROJECTED = plans.Projected(batched=False, w_o=True)
UNPROJECTED = PROJECTED._replace(w_o=False)
USES = plans.Uses(scaled=True)


@np.errstate(all="ignore")
def small_self_attention(x, w_q, w_k, w_v, w_o, n_heads) -> Trace | None:
    """The trace of multi_head_attention for x (tokens, d), or None where the general path is needed."""
    if type(n_heads) is not int or n_heads < 1 or type(x) is not np.ndarray or x.ndim != 2:
        return None
    dtype = x.dtype
    if dtype is not DOUBLE and dtype is not SINGLE:
        return None
    given = []
    for array in (x, w_q, w_k, w_v) if w_o is None else (x, w_q, w_k, w_v, w_o):
        if type(array) is not np.ndarray or array.dtype is not dtype or array.ndim != 2:
            return None
        if not 0 < array.size <= LARGEST or not np.vdot(array, array) < ORDINARY:
            return None
        array = array.copy()
        array.setflags(write=False)
        given.append(array)
    x, w_q, w_k, w_v = given[:4]
    n_tokens, d_model = x.shape
    d_key, d_value = w_q.shape[1], w_v.shape[1]
    if w_q.shape != w_k.shape or w_q.shape[0] != d_model or w_v.shape[0] != d_model:
        return None
    if d_key % n_heads or d_value % n_heads or (w_o is not None and w_o.shape[0] != d_value):
        return None

    q, k, v = x @ w_q, x @ w_k, x @ w_v  # (token, channel)
    q_heads = q.reshape(n_tokens, n_heads, -1).swapaxes(0, 1)  # (head, query, key_feature)
    k_heads = k.reshape(n_tokens, n_heads, -1).swapaxes(0, 1)  # (head, key, key_feature)
    v_heads = v.reshape(n_tokens, n_heads, -1).swapaxes(0, 1)  # (head, key, value_feature)
    scale = 1 / math.sqrt(d_key // n_heads)
    scores = q_heads @ k_heads.mT  # (head, query, key)
    scaled = scores * scale
    weights = scaled - np.maximum.reduce(scaled, axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= np.add.reduce(weights, axis=-1, keepdims=True)
    head_outputs = weights @ v_heads  # (head, query, value_feature)
    merged = head_outputs.swapaxes(0, 1).reshape(n_tokens, d_value)  # (query, channel)
    values = {
        "x": x,
        "w_q": w_q,
        "q": q,
        "w_k": w_k,
        "k": k,
        "w_v": w_v,
        "v": v,
        "n_heads": n_heads,
        "q_heads": q_heads,
        "k_heads": k_heads,
        "v_heads": v_heads,
        "scores": scores,
        "scale": scale,
        "scaled": scaled,
        "weights": weights,
        "head_outputs": head_outputs,
    }
    if w_o is None:
        values["output"] = merged
        return Trace(plans.multi_head_plan(UNPROJECTED, USES), values)
    values["merged"] = merged
    values["w_o"] = given[4]
    values["output"] = merged @ given[4]  # (query, output_feature)
    return Trace(plans.multi_head_plan(PROJECTED, USES), values)
