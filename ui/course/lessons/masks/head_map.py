"""Query heads that share key and value heads: who reads whom, what the wrong order gives, what is saved."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from attention_core import Amount, AttentionError, Trace, cost, merge_heads, scaled_dot_product_attention

# [h0, h0, h1, h1] as in repeat_interleave, and [h0, h1, h0, h1] as in repeat or tile.
ORDERS = ("interleave", "tile")
FROM_TRACE = {"scale": "scale", "softcap": "softcap", "attn_mask": "visible"}  # options by the step they made


def head_map(n_heads: int, n_kv_heads: int, order: str = "interleave") -> tuple[int, ...]:
    """For every query head the key/value head it reads."""
    if n_heads % n_kv_heads:
        raise AttentionError("kv_heads_divide", n_heads=n_heads, n_kv_heads=n_kv_heads)
    if order == "tile":
        return tuple(head % n_kv_heads for head in range(n_heads))
    return tuple(head // (n_heads // n_kv_heads) for head in range(n_heads))


class Shared(NamedTuple):
    """A layer whose query heads read key/value heads in one order."""

    head_to_kv: tuple[int, ...]
    trace: Trace  # of the heads: (head, query, feature)
    output: np.ndarray  # (query, feature): merged, and through w_o where there is one


def share_heads(trace: Trace, order: str) -> Shared:
    """A multi-head layer with its K and V heads repeated in that order; "interleave" changes nothing."""
    n_heads, n_kv_heads = trace["q_heads"].shape[-3], trace["k_heads"].shape[-3]
    head_to_kv = head_map(n_heads, n_kv_heads, order)
    keys, values = (trace[name][..., list(head_to_kv), :, :] for name in ("k_heads", "v_heads"))
    options: dict[str, Any] = {"scale": 1}
    options |= {name: trace[given] for name, given in FROM_TRACE.items() if given in trace}
    heads = scaled_dot_product_attention(trace["q_heads"], keys, values, **options)
    output = merge_heads(heads.output)
    if "w_o" in trace:
        output = output @ trace["w_o"]
    if "b_o" in trace:
        output = output + trace["b_o"]
    return Shared(head_to_kv, heads, output)


def divisors(n_heads: int) -> tuple[int, ...]:
    """The numbers of key/value heads that so many query heads can share, from one to one each."""
    return tuple(count for count in range(1, n_heads + 1) if n_heads % count == 0)


@lru_cache(maxsize=1024)  # a figure asks for dozens
def cache_bytes(
    *, n_layers: int, n_heads: int, n_kv_heads: int, d_head: int, n_tokens: int, bytes_each: int, batch: int
) -> Amount:
    """Bytes of all keys and values kept for generation, with the formula."""
    sizes = {"n_layers": n_layers, "n_heads": n_heads, "n_kv_heads": n_kv_heads, "d_head": d_head}
    sizes |= {"n_tokens": n_tokens, "bytes_each": bytes_each, "batch": batch, "d_model": n_heads * d_head}
    return cost(**sizes)["kv_cache_bytes"]
