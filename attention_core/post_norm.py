"""Attention with a residual connection and layer norm after it, as in the first Transformer."""

import math

import numpy as np

from . import plans
from .checks import check_computed, check_finite, check_ndim, check_size, read_arrays, read_number
from .errors import AttentionError, Phrase
from .masks import copy_mask
from .multi_head import Sources, project_and_attend
from .options import Choices
from .pieces import layer_norm
from .trace import Trace


def post_norm_attention(
    q,
    k,
    v,
    w_q,
    w_k,
    w_v,
    w_o,
    *,
    n_heads,
    attn_mask=None,
    dropout_p=0.0,
    gamma=None,
    beta=None,
    eps=1e-6,
    masked_fill=-1e9,
    rng=None,
) -> Trace:
    """layer_norm(q + multi-head attention of (q, k, v)), as in the first Transformer.

    q, k, v are inputs to be projected, (tokens, d) or (batch, tokens, d): steps `x`, `memory` and
    `memory_values`, the last two only where they are other arrays. No biases; dropout acts on the
    weights. A mask (batch, query, key) gets its head axis here.
    """
    sources = Sources("x" if k is q else "memory", "x" if v is q else "memory" if v is k else "memory_values")
    needed = {"x": q, sources.key: k, sources.value: v} | {"w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o}
    try:
        given = read_arrays(needed, {"gamma": gamma, "beta": beta})
        if attn_mask is not None:
            attn_mask = copy_mask(attn_mask)
            if given["x"].ndim == attn_mask.ndim == 3:
                attn_mask = attn_mask[:, None]  # (batch, 1, query, key)
        choices = Choices(attn_mask, dropout_p, masked_fill=masked_fill, rng=rng)
        values, has, uses = project_and_attend(given, sources, n_heads, None, choices, "projected")
        values |= add_and_norm(values, given, eps)
    except AttentionError as error:
        raise in_words_of_caller(error, {"x": "q", "memory": "k", "memory_values": "v"}) from None
    return Trace(plans.post_norm_plan(has, uses, gamma is not None, beta is not None), values)


def in_words_of_caller(error: AttentionError, argument: dict[str, str]) -> AttentionError:
    """The same error with steps named as the arguments they were given as."""
    facts = {
        key: argument.get(fact, fact) if key in ("name", "other") else fact
        for key, fact in error.facts.items()
    }
    return AttentionError(error.code, **facts)


@np.errstate(all="ignore")
def add_and_norm(values, given, eps) -> dict[str, object]:
    """residual = projected + x, and output = layer_norm(residual)."""
    x = values["x"]
    eps = read_number("eps", eps, Phrase("number_at_least", least=0), lambda e: 0 <= e < math.inf, x.dtype)
    check_size("w_o", values["w_o"], 1, "out", x.shape[-1], Phrase("added_to", name="q"))
    weights = {name: given[name] for name in ("gamma", "beta") if name in given}
    for name, array in weights.items():
        check_ndim(name, array, ("feature",))
        check_size(name, array, 0, "feature", x.shape[-1], "q")
    check_finite(weights.items())
    residual = values["projected"] + x
    if not check_computed("residual", residual, {}):  # then the variance cannot be computed
        raise AttentionError("overflow", step="output", dtype=residual.dtype)
    output = layer_norm(residual, **weights, eps=eps)
    if not np.isfinite(output).all():
        raise AttentionError("number", name="eps", given=eps, needed=Phrase("above_0_for_constant"))
    return {"residual": residual, "output": output, "eps": eps}
