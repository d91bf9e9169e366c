"""Attention from heads to head outputs, shared by every kind: options, cache, shared heads, kernel."""

import math
from typing import NamedTuple

import numpy as np

from . import plans
from .checks import (
    check_computed,
    check_finite,
    check_goes_with,
    check_size,
    read_dropout,
    read_number,
)
from .errors import AttentionError, Phrase
from .kernel import Settings, attend, check_scores
from .masks import combine_masks
from .pieces import repeat_heads


class Choices(NamedTuple):
    """The options of scaled_dot_product_attention with their defaults, but for the arrays of a cache."""

    attn_mask: object = None
    dropout_p: float = 0.0
    is_causal: bool = False
    scale: float | None = None
    softcap: float | None = None
    window: tuple | None = None
    kv_lengths: object = None
    masked_fill: float = -math.inf
    rng: object = None


PAST = ("past_key", "past_value")


def read_choices(function: str, options: dict) -> tuple[Choices, dict[str, object]]:
    """Options given by name, and the arrays of a cache among them."""
    options = dict(options)
    options.pop("enable_gqa", None)  # there, the number of key/value heads says it
    past = {name: options.pop(name, None) for name in PAST}
    for name in options:
        if name not in Choices._fields:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
    return Choices(**options), past


class Heads(NamedTuple):
    """What `attend_heads` found: the steps, which of them there are, and the outputs by query."""

    values: dict
    uses: plans.Uses
    by_query: np.ndarray  # (..., query, head, value_feature), the memory behind head_outputs


def attend_heads(
    q_heads, k_heads, v_heads, given, choices: Choices, *, shared: bool, moderate: bool
) -> Heads:
    """Attention from heads to head outputs. `moderate`: no product of a query and a key can overflow."""
    values = {}
    key, value, n_past = k_heads, v_heads, 0
    past = {name: given[name] for name in PAST if name in given}
    if past:
        check_cache(past, choices, key, value)
        n_past = past["past_key"].shape[-2]
        key = values["present_key"] = np.concatenate((past["past_key"], key), axis=-2)
        value = values["present_value"] = np.concatenate((past["past_value"], value), axis=-2)
    if shared:
        n_shared = q_heads.shape[-3] // key.shape[-3]
        key, value = repeat_heads(key, n_shared), repeat_heads(value, n_shared)
        values |= {"n_shared": n_shared, "k_repeated": key, "v_repeated": value}
    *lead, n_queries, d_key = q_heads.shape
    settings = read_settings(choices, (*lead, n_queries, key.shape[-2]), d_key, n_past, q_heads.dtype)
    by_query, outputs = empty_outputs(lead, n_queries, value.shape[-1], q_heads.dtype)
    steps = attend(q_heads, key, value, outputs, settings)
    if past or not moderate or settings.may_grow:
        check_scores(steps)
    check_computed("head_outputs", by_query, {})
    by_query.setflags(write=False)
    values |= past | steps | {"head_outputs": outputs} | settings.named()
    uses = plans.Uses(
        scaled=settings.scale is not None,
        softcapped=settings.softcap is not None,
        visible=0 if settings.mask.visible is None else settings.mask.visible.ndim,
        added=0 if settings.mask.added is None else settings.mask.added.ndim,
        dropped=settings.keep is not None,
        shared=shared,
        cached=bool(past),
    )
    return Heads(values, uses, by_query)


def empty_outputs(lead: list[int], n_queries: int, width: int, dtype) -> tuple[np.ndarray, np.ndarray]:
    """Room for the outputs, seen by query and by head: merging the heads is then no work."""
    if not lead:
        outputs = np.empty((n_queries, width), dtype)
        return outputs, outputs
    by_query = np.empty((*lead[:-1], n_queries, lead[-1], width), dtype)
    return by_query, by_query.swapaxes(-2, -3)


def check_cache(past: dict[str, np.ndarray], choices: Choices, k_heads, v_heads) -> None:
    """Raises unless past_key and past_value go before the new keys and values."""
    check_goes_with(past, past_key="past_value", past_value="past_key")
    if choices.kv_lengths is not None:
        raise AttentionError("cache_conflict")
    for name, new in zip(PAST, (k_heads, v_heads), strict=True):
        axes = (*plans.lead_axes(new.ndim - 2), "past", "feature")
        if past[name].ndim != new.ndim:
            facts = {"shape": past[name].shape, "needed": new.ndim, "axes": ", ".join(axes)}
            raise AttentionError("ndim", name=name, **facts)
        for axis, axis_name in enumerate(axes):
            if axis_name != "past":
                check_size(name, past[name], axis, axis_name, new.shape[axis], Phrase("new_keys"))
    check_size("past_value", past["past_value"], -2, "past", past["past_key"].shape[-2], "past_key")
    check_finite(past.items())


def read_settings(choices: Choices, shape, d_key: int, n_past: int, dtype) -> Settings:
    """The options as the kernel takes them. A scale of 1 given outright is no scaling."""
    mask = combine_masks(
        shape,
        dtype,
        attn_mask=choices.attn_mask,
        is_causal=choices.is_causal,
        window=choices.window,
        kv_lengths=choices.kv_lengths,
        n_past=n_past,
    )
    scale, softcap = choices.scale, choices.softcap
    if scale is None:
        scale = 1 / math.sqrt(d_key)
    else:
        scale = read_number("scale", scale, Phrase("finite_or_none"), dtype=dtype)
        scale = None if scale == 1 else scale
    if softcap is not None:
        needed = Phrase("zero_or_positive")
        softcap = read_number("softcap", softcap, needed, lambda cap: 0 <= cap < math.inf, dtype) or None
    needed = Phrase("finite_or_infinite")
    masked_fill = read_number("masked_fill", choices.masked_fill, needed, lambda fill: fill < math.inf, dtype)
    dropout_p = read_dropout(choices.dropout_p)
    keep = None
    if dropout_p:
        keep = read_rng(choices.rng).random(shape) >= dropout_p
    return Settings(mask, scale, softcap, masked_fill, keep, dropout_p)


def read_rng(rng) -> np.random.Generator:
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        needed = Phrase("generator")
        raise AttentionError("number", name="rng", given=repr(rng), needed=needed) from None
