"""Traces of every function with every option, small enough to look at each cell. Made from a seed."""

import numpy as np

from attention_core import (
    Trace,
    conv_attention,
    fused_qkv_attention,
    multi_head_attention,
    post_norm_attention,
    scaled_dot_product_attention,
)


def varied_calls() -> dict[str, tuple]:
    """function, positional arguments and keyword arguments by a name that says what is special."""
    rng = np.random.default_rng(11)

    def some(*shape):
        return rng.standard_normal(shape)

    def seen(*shape):
        return rng.random(shape) < 0.6

    def square(number, width=8):
        return [some(width, width) for _ in range(number)]

    mha, sdpa = multi_head_attention, scaled_dot_product_attention
    same = some(2, 3, 8)
    return {
        "one head": (mha, (some(3, 4), *square(3, 4)), {"n_heads": 1}),
        "two heads, w_o": (mha, (some(3, 8), *square(4)), {"n_heads": 2}),
        "lists of integers": (mha, ([[1, 2]], [[1], [0]], [[0], [1]], [[1], [1]]), {"n_heads": 1}),
        "no scale": (mha, (some(3, 8), *square(3)), {"n_heads": 4, "scale": 1.0}),
        "gqa and everything": (
            mha,
            (some(2, 3, 8), some(8, 8), some(8, 4), some(8, 6), some(12, 5)),
            {"n_heads": 4, "n_kv_heads": 2, "b_q": some(8), "b_k": some(4), "b_v": some(6), "b_o": some(5)}
            | {"is_causal": True, "attn_mask": some(3, 3), "softcap": 2.0, "dropout_p": 0.3, "rng": 0},
        ),
        "mqa with a cache": (
            mha,
            (some(2, 3, 8), some(8, 8), some(8, 2), some(8, 3)),
            {"n_heads": 4, "n_kv_heads": 1, "is_causal": True}
            | {"past_key": some(2, 1, 2, 2), "past_value": some(2, 1, 2, 3)},
        ),
        "cross, -1e9": (
            mha,
            (some(2, 3, 8), some(8, 8), some(5, 8), some(5, 12)),
            {"n_heads": 2, "memory": some(2, 4, 5), "attn_mask": seen(2, 1, 3, 4), "masked_fill": -1e9},
        ),
        "kv_lengths and window": (
            mha,
            (some(2, 3, 8), *square(4)),
            {"n_heads": 2, "kv_lengths": [2, 0], "window": (1, None)},
        ),
        "sdpa without heads": (sdpa, (some(3, 4), some(5, 4), some(5, 2)), {"is_causal": True}),
        "sdpa, mask of one axis": (
            sdpa,
            (some(2, 3, 4), some(2, 5, 4), some(2, 5, 2)),
            {"attn_mask": some(5), "scale": -0.3},
        ),
        "sdpa, five axes, gqa": (
            sdpa,
            (some(2, 2, 4, 3, 4), some(2, 2, 2, 5, 4), some(2, 2, 2, 5, 2)),
            {"enable_gqa": True, "window": (0, 1)},
        ),
        "sdpa, a row with nothing to look at": (
            sdpa,
            (some(1, 3, 4), some(1, 3, 4), some(1, 3, 2)),
            {"attn_mask": np.array([[True, False, True], [False] * 3, [True] * 3])},
        ),
        "sdpa, additive -inf": (
            sdpa,
            (some(1, 2, 4), some(1, 2, 4), some(1, 2, 2)),
            {"attn_mask": np.array([[0.5, -np.inf], [-np.inf, -np.inf]])},
        ),
        "sdpa, large scores": (
            sdpa,
            (some(1, 2, 4) * 1e3, some(1, 3, 4) * 1e3, some(1, 3, 2)),
            {"dropout_p": 0.5, "rng": 3},
        ),
        "fused": (fused_qkv_attention, (some(3, 8), some(8, 24)), {"n_heads": 4, "b_qkv": some(24)}),
        "fused, batch": (
            fused_qkv_attention,
            (some(2, 3, 8), some(8, 24), some(8, 3)),
            {"n_heads": 4, "b_o": some(3), "is_causal": True},
        ),
        "fused with a cache": (
            fused_qkv_attention,
            (some(1, 8), some(8, 24)),
            {"n_heads": 2, "past_key": some(2, 3, 4), "past_value": some(2, 3, 4), "is_causal": True},
        ),
        "fused, head by head": (
            fused_qkv_attention,
            (some(3, 4), some(4, 12), some(4, 3)),
            {"n_heads": 2, "per_head": True, "b_qkv": some(12), "b_o": some(3)},
        ),
        "fused, head by head, batch": (
            fused_qkv_attention,
            (some(2, 3, 4), some(4, 24)),
            {"n_heads": 4, "per_head": True, "is_causal": True},
        ),
        "fused, head by head, with a cache": (
            fused_qkv_attention,
            (some(1, 4), some(4, 12)),
            {"n_heads": 2, "per_head": True, "past_key": some(2, 3, 2), "past_value": some(2, 3, 2)},
        ),
        "post-norm": (post_norm_attention, (same, same, same, *square(4)), {"n_heads": 2}),
        "post-norm, three inputs": (
            post_norm_attention,
            (some(2, 3, 8), some(2, 4, 5), some(2, 4, 6), some(8, 8), some(5, 8), some(6, 4), some(4, 8)),
            {"n_heads": 2, "gamma": some(8), "beta": some(8), "attn_mask": seen(2, 3, 4)},
        ),
        "conv": (conv_attention, (some(2, 4, 3, 2), some(8, 4)), {"n_heads": 2}),
        "conv, all": (
            conv_attention,
            (some(2, 4, 3, 2), some(8, 4), some(5, 4), some(4, 3, 3)),
            {"n_heads": 2, "b_qkv": some(8), "b_pe": some(4), "b_proj": some(5)},
        ),
        "view for transpose": (
            mha,
            (some(3, 4), some(4, 4), some(4, 4), some(4, 6)),
            {"n_heads": 2, "split": "view"},
        ),
        "view for transpose, batch, gqa": (
            mha,
            (some(2, 3, 4), some(4, 8), some(4, 4), some(4, 4), some(8, 3)),
            {"n_heads": 4, "n_kv_heads": 2, "split": "view", "b_q": some(8), "is_causal": True},
        ),
    }


def varied_traces() -> dict[str, Trace]:
    return {name: function(*given, **options) for name, (function, given, options) in varied_calls().items()}
