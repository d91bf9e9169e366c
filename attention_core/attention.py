"""The kinds of attention: each checks what it was given, computes, and returns a Trace."""

import math
from typing import NamedTuple

import numpy as np

from . import plans
from .checks import (
    check_computed,
    check_finite,
    check_goes_with,
    check_heads,
    check_kv_heads,
    check_linear,
    check_ndim,
    check_size,
    read_arrays,
    read_count,
    read_flag,
    read_number,
)
from .errors import AttentionError, Phrase
from .heads import Choices, Heads, attend_heads, read_choices
from .masks import copy_mask
from .pieces import layer_norm, split_heads
from .small import small_self_attention
from .threads import product
from .trace import Trace


class Sources(NamedTuple):
    """The inputs that keys and values are projected from."""

    key: str
    value: str


@np.errstate(all="ignore")
def scaled_dot_product_attention(
    query,
    key,
    value,
    attn_mask=None,
    dropout_p=0.0,
    is_causal=False,
    scale=None,
    enable_gqa=False,
    *,
    softcap=None,
    window=None,
    past_key=None,
    past_value=None,
    kv_lengths=None,
    masked_fill=-math.inf,
    rng=None,
) -> Trace:
    """softmax(query keyᵀ · scale + mask) value, for heads that are split already.

    Shapes (..., heads, tokens, features); the output is (..., heads, queries, value features).
    attn_mask: booleans (True may look) or floats (added), broadcast to the scores. scale: None is 1/√d_k.
    window: keys to the left and right of the query, None for no limit. past_key, past_value: a cache to go
    on from. kv_lengths: (batch,) valid keys of a cache filled beforehand; the last query is the last of
    them. masked_fill: what hidden scores become. rng: a NumPy Generator or a seed, for dropout.
    """
    needed = {"query": query, "key": key, "value": value}
    given = read_arrays(needed, {"past_key": past_key, "past_value": past_value})
    query, key, value = (given[name] for name in needed)
    lead_axes = plans.lead_axes(query.ndim - 2)
    for name in needed:
        check_ndim(name, given[name], (*lead_axes, "token", "feature"))
        for axis, axis_name in enumerate(lead_axes[:-1]):
            check_size(name, given[name], axis, axis_name, query.shape[axis], "query")
    check_size("key", key, -1, "feature", query.shape[-1], "query")
    check_size("value", value, -2, "token", key.shape[-2], "key")
    shared = bool(lead_axes) and read_shared_heads(*(given[name].shape[-3] for name in needed), enable_gqa)
    checked = [check_computed(name, given[name], {name: given[name]}) for name in needed]
    choices = Choices(attn_mask, dropout_p, is_causal, scale, softcap, window, kv_lengths, masked_fill, rng)
    heads = attend_heads(query, key, value, given, choices, shared=shared, moderate=all(checked))
    values = heads.values | {"q_heads": query, "k_heads": key, "v_heads": value}
    values["output"] = values["head_outputs"]
    return Trace(plans.dot_product_plan(lead_axes, heads.uses), values)


def read_shared_heads(n_heads: int, n_key_heads: int, n_value_heads: int, enable_gqa: bool) -> bool:
    """True when query heads share key/value heads; raises unless they may and the numbers fit."""
    if n_key_heads != n_value_heads:
        raise AttentionError("kv_heads_differ", n_key_heads=n_key_heads, n_value_heads=n_value_heads)
    if n_key_heads == n_heads:
        return False
    if not enable_gqa:
        raise AttentionError("heads_differ", n_heads=n_heads, name="key", given=n_key_heads)
    check_kv_heads(n_heads, n_key_heads)
    return True


def project(step: str, source: str, weight: str, bias: str, given: dict[str, np.ndarray]) -> tuple:
    """given[source] @ given[weight] (+ bias) as `step`, all tokens of a batch in one product.

    With it, whether its numbers are moderate: see `check_computed`.
    """
    x = given[source]
    check_linear(given, weight, bias, 0, x.shape[-1], source)
    rows = product(x.reshape(-1, x.shape[-1]) if x.ndim == 3 else x, given[weight])
    used = {name: given[name] for name in (source, weight, bias) if name in given}
    if bias in given:
        rows += given[bias]
    moderate = check_computed(step, rows, used)
    rows.setflags(write=False)
    return rows.reshape(*x.shape[:-1], rows.shape[-1]) if x.ndim == 3 else rows, moderate


def merge_and_project(
    heads: Heads, given: dict[str, np.ndarray], step: str = "output"
) -> dict[str, np.ndarray]:
    """head_outputs -> merged -> `step` through w_o; without w_o merged is the output."""
    *lead, n_heads, width = heads.by_query.shape
    merged = heads.by_query.reshape(*lead, n_heads * width)
    if "w_o" not in given:
        return {"output": merged}
    projected, _ = project(step, "merged", "w_o", "b_o", given | {"merged": merged})
    return {"merged": merged, step: projected}


def multi_head_attention(
    x,
    w_q,
    w_k,
    w_v,
    w_o=None,
    *,
    n_heads,
    n_kv_heads=None,
    memory=None,
    b_q=None,
    b_k=None,
    b_v=None,
    b_o=None,
    split="transpose",
    **options,
) -> Trace:
    """Concat(head_1..head_h) w_o with head_i = Attention(x w_q, x w_k, x w_v) cut to its columns.

    x (tokens, d) or (batch, tokens, d); weights (in, out). With `memory` keys and values come from
    there (cross-attention); with n_kv_heads < n_heads query heads share them (GQA, MQA).
    split: "transpose", or "view" for the well-known slip of a reshape alone: right shape, wrong numbers.
    options: those of scaled_dot_product_attention.
    """
    viewed = read_split(split)
    if memory is n_kv_heads is b_q is b_k is b_v is b_o is None and not viewed and not options:
        trace = small_self_attention(x, w_q, w_k, w_v, w_o, n_heads)
        if trace is not None:
            return trace
    choices, past = read_choices("multi_head_attention", options)
    given = read_arrays(
        {"x": x, "w_q": w_q, "w_k": w_k, "w_v": w_v},
        {"memory": memory, "w_o": w_o, "b_q": b_q, "b_k": b_k, "b_v": b_v, "b_o": b_o} | past,
    )
    sources = Sources("x", "x") if memory is None else Sources("memory", "memory")
    values, has, uses = project_and_attend(given, sources, n_heads, n_kv_heads, choices, viewed=viewed)
    return Trace(plans.multi_head_plan(has, uses), values)


def read_split(split) -> bool:
    """Whether the heads are cut out without the transpose."""
    if not isinstance(split, str) or split not in ("transpose", "view"):
        raise AttentionError(
            "number",
            name="split",
            given=repr(split),
            needed=Phrase("either", first='"transpose"', last='"view"'),
        )
    return split == "view"


def view_as_heads(channels: np.ndarray, n_heads: int) -> np.ndarray:
    """(..., tokens, heads*width) -> (..., heads, tokens, width), every number where it lies in memory."""
    *lead, n_tokens, n_channels = channels.shape
    return channels.reshape(*lead, n_heads, n_tokens, n_channels // n_heads)


@np.errstate(all="ignore")
def project_and_attend(
    given, sources: Sources, n_heads, n_kv_heads, choices: Choices, last="output", viewed=False
):
    """The multi-head layer up to its output projection, called `last`: values and what the plan asks."""
    n_heads = read_count("n_heads", n_heads)
    n_kv_heads = n_heads if n_kv_heads is None else read_count("n_kv_heads", n_kv_heads)
    check_kv_heads(n_heads, n_kv_heads)
    check_goes_with(given, b_o="w_o")
    x = given["x"]
    check_ndim("x", x, ("token", "feature"), ("batch",))
    for name in {sources.key, sources.value} - {"x"}:
        check_ndim(name, given[name], ("batch", "token", "feature")[-x.ndim :])
        if x.ndim == 3:
            check_size(name, given[name], 0, "batch", x.shape[0], "x")
    n_keys = given[sources.key].shape[-2]
    check_size(sources.value, given[sources.value], -2, "token", n_keys, sources.key)
    q, q_moderate = project("q", "x", "w_q", "b_q", given)
    k, k_moderate = project("k", sources.key, "w_k", "b_k", given)
    v, _ = project("v", sources.value, "w_v", "b_v", given)
    counts = {"w_q": n_heads, "w_k": n_kv_heads, "w_v": n_kv_heads}
    for name, count in counts.items():
        check_heads(name, given[name].shape[1], count)
    to_heads = view_as_heads if viewed else split_heads
    q_heads, k_heads, v_heads = map(to_heads, (q, k, v), counts.values())
    d_key = q_heads.shape[-1]
    check_size("w_k", given["w_k"], 1, "out", n_kv_heads * d_key, Phrase("per_head", name="w_q", width=d_key))
    shared, moderate = n_kv_heads != n_heads, q_moderate and k_moderate
    heads = attend_heads(q_heads, k_heads, v_heads, given, choices, shared=shared, moderate=moderate)
    values = given | heads.values
    values |= {"q": q, "k": k, "v": v, "q_heads": q_heads, "k_heads": k_heads, "v_heads": v_heads}
    values |= {"n_heads": n_heads, "n_kv_heads": n_kv_heads}
    values |= merge_and_project(heads, given, last)
    biases = (name in given for name in ("b_q", "b_k", "b_v"))
    has = plans.Projected(
        x.ndim == 3, *sources, *biases, w_o="w_o" in given, b_o="b_o" in given, viewed=viewed
    )
    return values, has, heads.uses


@np.errstate(all="ignore")
def fused_qkv_attention(
    x, w_qkv, w_o=None, *, n_heads, per_head=False, b_qkv=None, b_o=None, **options
) -> Trace:
    """The ViT route: one product makes Q, K and V side by side; reshape and permute part them.

    x (tokens, d) or (batch, tokens, d); w_qkv (d, 3·heads·width) in the order [Q | K | V], or with
    per_head, as in the convolution block, [q k v of head 0 | q k v of head 1 | ...].
    options: those of scaled_dot_product_attention.
    """
    choices, past = read_choices("fused_qkv_attention", options)
    given = read_arrays({"x": x, "w_qkv": w_qkv}, {"w_o": w_o, "b_qkv": b_qkv, "b_o": b_o} | past)
    check_goes_with(given, b_o="w_o")
    n_heads, per_head = read_count("n_heads", n_heads), read_flag("per_head", per_head)
    check_ndim("x", given["x"], ("token", "feature"), ("batch",))
    qkv, moderate = project("qkv", "x", "w_qkv", "b_qkv", given)
    if qkv.shape[-1] % (3 * n_heads):
        raise AttentionError("fused_width", width=qkv.shape[-1], n_heads=n_heads, step=3 * n_heads)
    qkv_split, qkv_permuted = part_qkv(qkv, n_heads, per_head)
    q_heads, k_heads, v_heads = qkv_permuted  # (batch, head, token, feature) each
    heads = attend_heads(q_heads, k_heads, v_heads, given, choices, shared=False, moderate=moderate)
    values = given | heads.values | {"n_heads": n_heads}
    values |= {"qkv": qkv, "qkv_split": qkv_split, "qkv_permuted": qkv_permuted}
    values |= {"q_heads": q_heads, "k_heads": k_heads, "v_heads": v_heads}
    values |= merge_and_project(heads, given)
    has = plans.Fused(qkv.ndim == 3, per_head, *(name in given for name in ("b_qkv", "w_o", "b_o")))
    return Trace(plans.fused_plan(has, heads.uses), values)


def part_qkv(qkv: np.ndarray, n_heads: int, per_head: bool) -> tuple[np.ndarray, np.ndarray]:
    """qkv_split, whose columns are labelled by part and head, and qkv_permuted, as views."""
    sizes = (n_heads, 3) if per_head else (3, n_heads)
    qkv_split = qkv.reshape(*qkv.shape[:-1], *sizes, -1)
    by_part = qkv_split.swapaxes(-3, -2) if per_head else qkv_split  # (batch, token, part, head, feature)
    return qkv_split, by_part.transpose((2, 0, 3, 1, 4) if qkv.ndim == 3 else (1, 2, 0, 3))


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
