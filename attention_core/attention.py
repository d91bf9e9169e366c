"""The kinds of attention: each checks what it was given, computes, and returns a Trace."""

import math
from typing import NamedTuple, TypedDict, Unpack

import numpy as np

from . import plans
from .checks import (
    check_computed,
    check_finite,
    check_goes_with,
    check_heads,
    check_kv_heads,
    check_ndim,
    check_size,
    read_array,
    read_arrays,
    read_count,
    read_dropout,
    read_number,
)
from .errors import AttentionError
from .kernel import Settings, attend, check_scores
from .masks import combine_masks
from .pieces import layer_norm, repeat_heads
from .small import small_self_attention
from .threads import product
from .trace import Trace


class Options(TypedDict, total=False):
    """What every attention here takes besides its arrays; meanings as in PyTorch and ONNX."""

    attn_mask: object  # booleans (True may look) or floats (added), broadcast to the scores
    dropout_p: float
    is_causal: bool
    scale: float | None  # None: 1/√d_k
    softcap: float | None
    window: tuple[int | None, int | None] | None  # keys to the left and right of the query
    past_key: object  # a cache to go on from: (..., kv_heads, past, d_k)
    past_value: object
    kv_lengths: object  # (batch,) valid keys of a cache filled beforehand
    masked_fill: float  # what hidden scores become
    rng: object  # a NumPy Generator or seed for dropout


class Choices(NamedTuple):
    """Options with their defaults."""

    attn_mask: object = None
    dropout_p: float = 0.0
    is_causal: bool = False
    scale: float | None = None
    softcap: float | None = None
    window: tuple | None = None
    past_key: object = None
    past_value: object = None
    kv_lengths: object = None
    masked_fill: float = -math.inf
    rng: object = None


class Sources(NamedTuple):
    """The inputs that keys and values are projected from."""

    key: str
    value: str


class Heads(NamedTuple):
    """The result of `attend_heads`: the steps, which of them there are, and outputs by query."""

    values: dict
    uses: plans.Uses
    by_query: np.ndarray  # (..., query, head, value_feature), the memory behind head_outputs


def read_cache(choices: Choices, k_heads, v_heads) -> dict[str, np.ndarray]:
    """past_key and past_value, checked against the new keys and values; empty without a cache."""
    past = {"past_key": choices.past_key, "past_value": choices.past_value}
    past = {name: read_array(name, value) for name, value in past.items() if value is not None}
    if not past:
        return {}
    check_goes_with(past, past_key="past_value", past_value="past_key")
    if choices.kv_lengths is not None:
        raise AttentionError("cache_conflict")
    past = {name: cache.astype(k_heads.dtype, copy=False) for name, cache in past.items()}
    for (name, cache), new in zip(past.items(), (k_heads, v_heads), strict=True):
        if cache.ndim != new.ndim:
            axes = ("batch", "head", "past", "feature")[-new.ndim :]
            raise AttentionError("ndim", name=name, shape=cache.shape, needed=new.ndim, axes=", ".join(axes))
        for axis in range(new.ndim):
            if axis != new.ndim - 2:
                check_size(name, cache, axis, f"number {axis}", new.shape[axis], "the new keys and values")
    check_size("past_value", past["past_value"], -2, "past", past["past_key"].shape[-2], "past_key")
    check_finite(past.items())
    return past


def attend_heads(q_heads, k_heads, v_heads, choices: Choices, *, shared: bool, moderate: bool) -> Heads:
    """Attention from heads to head outputs: cache, shared heads, scores, softmax, weighted sum.

    `moderate`: no score can overflow, so none needs a look.
    """
    values = read_cache(choices, k_heads, v_heads)
    cached = bool(values)
    key, value = k_heads, v_heads
    n_past = 0
    if cached:
        n_past = values["past_key"].shape[-2]
        key = values["present_key"] = np.concatenate((values["past_key"], key), axis=-2)
        value = values["present_value"] = np.concatenate((values["past_value"], value), axis=-2)
    if shared:
        n_shared = values["n_shared"] = q_heads.shape[-3] // key.shape[-3]
        key = values["k_repeated"] = repeat_heads(key, n_shared)
        value = values["v_repeated"] = repeat_heads(value, n_shared)
    *lead, n_queries, d_key = q_heads.shape
    d_value = value.shape[-1]
    shape = (*lead, n_queries, key.shape[-2])
    settings = read_settings(choices, shape, d_key, n_past, q_heads.dtype)
    if lead:
        by_query = np.empty((*lead[:-1], n_queries, lead[-1], d_value), q_heads.dtype)
        outputs = by_query.swapaxes(-2, -3)
    else:
        by_query = outputs = np.empty((n_queries, d_value), q_heads.dtype)
    steps = attend(q_heads, key, value, outputs, settings)
    if not moderate or cached:
        check_scores(steps)
    mask = settings.mask
    values |= steps
    values |= {"head_outputs": outputs, "scale": settings.scale, "softcap": settings.softcap}
    values |= {"attn_mask": mask.added, "visible": mask.visible, "masked_fill": settings.masked_fill}
    values |= {"keep": settings.keep, "dropout_p": settings.dropout_p}
    uses = plans.Uses(
        scaled=settings.scale is not None,
        softcapped=settings.softcap is not None,
        visible=0 if mask.visible is None else mask.visible.ndim,
        added=0 if mask.added is None else mask.added.ndim,
        dropped=settings.keep is not None,
        shared=shared,
        cached=cached,
    )
    return Heads(values, uses, by_query)


def read_settings(choices: Choices, shape, d_key: int, n_past: int, dtype) -> Settings:
    """The options as the kernel takes them. A scale of 1 given outright is no scaling."""
    attn_mask, dropout_p, is_causal, scale, softcap, window, _, _, kv_lengths, masked_fill, rng = choices
    mask = combine_masks(
        shape,
        dtype,
        attn_mask=attn_mask,
        is_causal=is_causal,
        window=window,
        kv_lengths=kv_lengths,
        n_past=n_past,
    )
    if scale is None:
        scale = 1 / math.sqrt(d_key)
    else:
        scale = read_number("scale", scale, "a finite number or None for 1/√d_k")
        scale = None if scale == 1 else scale
    if softcap is not None:
        softcap = read_number("softcap", softcap, "0 or a positive number", lambda cap: 0 <= cap < math.inf)
        softcap = softcap or None
    if masked_fill != -math.inf:
        masked_fill = read_number("masked_fill", masked_fill, "-inf or a finite number")
    keep = None
    if dropout_p != 0:
        dropout_p = read_dropout(dropout_p)
        keep = read_rng(rng).random(shape) >= dropout_p
        keep.setflags(write=False)
    return Settings(mask, scale, softcap, masked_fill, keep, dropout_p)


def read_rng(rng) -> np.random.Generator:
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        needed = "a NumPy Generator, a whole number of at least 0, or None"
        raise AttentionError("number", name="rng", given=repr(rng), needed=needed) from None


LEADS = ((), ("head",), ("batch", "head"))


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
    """
    given = read_arrays({"query": query, "key": key, "value": value})
    query, key, value = given.values()
    *lead, _, d_key = query.shape if query.ndim > 1 else (0, 0)
    lead_axes = (
        LEADS[len(lead)]
        if len(lead) < 3
        else (*(f"batch_{i}" for i in range(len(lead) - 2, 0, -1)), *LEADS[2])
    )
    for name, array in given.items():
        check_ndim(name, array, (*lead_axes, "token", "feature"))
        for axis, axis_name in enumerate(lead_axes[:-1]):
            check_size(name, array, axis, axis_name, lead[axis], "query")
    check_size("key", key, -1, "feature", d_key, "query")
    check_size("value", value, -2, "token", key.shape[-2], "key")
    shared = bool(lead) and read_shared_heads(lead[-1], key.shape[-3], value.shape[-3], enable_gqa)
    checked = [check_computed(name, array, {name: array}) for name, array in given.items()]
    choices = Choices(
        attn_mask,
        dropout_p,
        is_causal,
        scale,
        softcap,
        window,
        past_key,
        past_value,
        kv_lengths,
        masked_fill,
        rng,
    )
    values, uses, _ = attend_heads(query, key, value, choices, shared=shared, moderate=all(checked))
    values |= {"q_heads": query, "k_heads": key, "v_heads": value, "output": values.pop("head_outputs")}
    return Trace(plans.dot_product_plan(lead_axes, uses), values)


def read_shared_heads(n_heads: int, n_key_heads: int, n_value_heads: int, enable_gqa: bool) -> bool:
    """True when query heads share key/value heads; raises unless they may and the numbers fit."""
    for name, n_given in (("key", n_key_heads), ("value", n_value_heads)):
        if n_given != n_heads:
            if not enable_gqa:
                raise AttentionError("heads_differ", n_heads=n_heads, name=name, given=n_given)
            check_kv_heads(n_heads, n_given)
    if n_key_heads != n_value_heads:
        raise AttentionError("heads_differ", n_heads=n_heads, name="value", given=n_value_heads)
    return n_key_heads != n_heads


def project(name: str, source: str, given: dict[str, np.ndarray], bias: str) -> tuple[np.ndarray, bool]:
    """given[source] @ given[name] (+ bias), all tokens of a batch in one product; True when moderate."""
    x, weight = given[source], given[name]
    check_ndim(name, weight, ("in", "out"))
    check_size(name, weight, 0, "in", x.shape[-1], source)
    rows = product(x.reshape(-1, x.shape[-1]) if x.ndim == 3 else x, weight)
    used = {source: x, name: weight}
    if bias in given:
        check_ndim(bias, given[bias], ("out",))
        check_size(bias, given[bias], 0, "out", weight.shape[1], name)
        rows += given[bias]
        used[bias] = given[bias]
    moderate = check_computed(name, rows, used)
    return rows.reshape(*x.shape[:-1], weight.shape[1]) if x.ndim == 3 else rows, moderate


def heads_of(name: str, channels: np.ndarray, n_heads: int) -> np.ndarray:
    """split_heads with the error naming the weight that has the wrong width."""
    *lead, width = channels.shape
    check_heads(name, width, n_heads)
    return channels.reshape(*lead, n_heads, width // n_heads).swapaxes(-2, -3)


def merge_and_project(
    heads: Heads, given: dict[str, np.ndarray], name: str = "output"
) -> dict[str, np.ndarray]:
    """head_outputs -> merged -> `name` through w_o; without w_o merged is the output."""
    *lead, n_heads, width = heads.by_query.shape
    merged = heads.by_query.reshape(*lead, n_heads * width)
    if "w_o" not in given:
        return {"output": merged}
    projected, _ = project("w_o", "merged", given | {"merged": merged}, "b_o")
    return {"merged": merged, name: projected}


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
    **options: Unpack[Options],
) -> Trace:
    """Concat(head_1..head_h) w_o with head_i = Attention(x w_q, x w_k, x w_v) cut to its columns.

    x (tokens, d) or (batch, tokens, d); weights (in, out). With `memory` keys and values come from
    there (cross-attention); with n_kv_heads < n_heads query heads share them (GQA, MQA).
    """
    if memory is n_kv_heads is b_q is b_k is b_v is b_o is None and not options:
        trace = small_self_attention(x, w_q, w_k, w_v, w_o, n_heads)
        if trace is not None:
            return trace
    given = read_arrays(
        {"x": x, "w_q": w_q, "w_k": w_k, "w_v": w_v},
        {"memory": memory, "w_o": w_o, "b_q": b_q, "b_k": b_k, "b_v": b_v, "b_o": b_o},
    )
    sources = Sources("x", "x") if memory is None else Sources("memory", "memory")
    return project_and_attend(given, sources, n_heads, n_kv_heads, Choices(**options), plans.multi_head_plan)


@np.errstate(all="ignore")
def project_and_attend(
    given, sources: Sources, n_heads, n_kv_heads, choices: Choices, plan, last_name="output", finish=None
) -> Trace:
    """The multi-head layer from what is given to the trace; `finish` adds steps after the projection."""
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
    q, q_moderate = project("w_q", "x", given, "b_q")
    k, k_moderate = project("w_k", sources.key, given, "b_k")
    v, _ = project("w_v", sources.value, given, "b_v")
    q_heads = heads_of("w_q", q, n_heads)
    k_heads = heads_of("w_k", k, n_kv_heads)
    v_heads = heads_of("w_v", v, n_kv_heads)
    if k_heads.shape[-1] != q_heads.shape[-1]:
        needed = n_kv_heads * q_heads.shape[-1]
        check_size("w_k", given["w_k"], 1, "out", needed, f"w_q ({q_heads.shape[-1]} per head)")
    shared, moderate = n_kv_heads != n_heads, q_moderate and k_moderate
    heads = attend_heads(q_heads, k_heads, v_heads, choices, shared=shared, moderate=moderate)
    values = given | heads.values
    values |= {"q": q, "k": k, "v": v, "q_heads": q_heads, "k_heads": k_heads, "v_heads": v_heads}
    values |= {"n_heads": n_heads, "n_kv_heads": n_kv_heads}
    values |= merge_and_project(heads, given, last_name)
    if finish is not None:
        values |= finish(values)
    has = plans.Projected(
        x.ndim == 3,
        *sources,
        "b_q" in given,
        "b_k" in given,
        "b_v" in given,
        "w_o" in given,
        "b_o" in given,
    )
    return Trace(plan(has, heads.uses), values)


@np.errstate(all="ignore")
def fused_qkv_attention(
    x, w_qkv, w_o=None, *, n_heads, b_qkv=None, b_o=None, **options: Unpack[Options]
) -> Trace:
    """The ViT route: one product makes Q, K and V side by side; reshape and permute part them.

    x (tokens, d) or (batch, tokens, d); w_qkv (d, 3·heads·width) in the order [Q | K | V].
    """
    given = read_arrays({"x": x, "w_qkv": w_qkv}, {"w_o": w_o, "b_qkv": b_qkv, "b_o": b_o})
    check_goes_with(given, b_o="w_o")
    n_heads = read_count("n_heads", n_heads)
    x = given["x"]
    check_ndim("x", x, ("token", "feature"), ("batch",))
    qkv, moderate = project("w_qkv", "x", given, "b_qkv")
    check_heads("w_qkv", qkv.shape[-1], 3 * n_heads)
    batched = x.ndim == 3
    qkv_split = qkv.reshape(*qkv.shape[:-1], 3, n_heads, -1)  # (batch, token, part, head, feature)
    qkv_permuted = qkv_split.transpose((2, 0, 3, 1, 4) if batched else (1, 2, 0, 3))
    q_heads, k_heads, v_heads = qkv_permuted  # (batch, head, token, feature) each
    heads = attend_heads(q_heads, k_heads, v_heads, Choices(**options), shared=False, moderate=moderate)
    values = given | heads.values | {"n_heads": n_heads}
    values |= {"qkv": qkv, "qkv_split": qkv_split, "qkv_permuted": qkv_permuted}
    values |= {"q_heads": q_heads, "k_heads": k_heads, "v_heads": v_heads}
    values |= merge_and_project(heads, given)
    plan = plans.fused_plan(batched, "b_qkv" in given, "w_o" in given, "b_o" in given, heads.uses)
    return Trace(plan, values)


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
    given = read_arrays(needed, {"gamma": gamma, "beta": beta})
    eps = read_number("eps", eps, "a number of at least 0", lambda number: 0 <= number < math.inf)
    if attn_mask is not None and np.ndim(q) == 3 and np.ndim(attn_mask) == 3:
        attn_mask = np.expand_dims(attn_mask, 1)  # (batch, 1, query, key)
    choices = Choices(attn_mask, dropout_p, masked_fill=masked_fill, rng=rng)

    def finish(values):
        x, projected = values["x"], values["projected"]
        check_size("w_o", values["w_o"], 1, "out", x.shape[-1], "q, to which it is added")
        scale_and_shift = {name: values[name] for name in ("gamma", "beta") if name in values}
        for name, array in scale_and_shift.items():
            check_ndim(name, array, ("feature",))
            check_size(name, array, 0, "feature", x.shape[-1], "q")
        residual = projected + x
        output = layer_norm(residual, **scale_and_shift, eps=eps)
        check_computed("output", output, scale_and_shift | {"residual": residual})
        return {"residual": residual, "output": output, "eps": eps}

    def plan(has, uses):
        return plans.post_norm_plan(has, uses, gamma is not None, beta is not None)

    return project_and_attend(given, sources, n_heads, None, choices, plan, "projected", finish)
