"""Attention: the formula with every step kept, and the function that takes queries, keys and values."""

import math
from typing import NamedTuple

import numpy as np

from . import plans
from .checks import (
    check_computed,
    check_finite,
    check_goes_with,
    check_kv_heads,
    check_ndim,
    check_size,
    read_arrays,
)
from .errors import AttentionError, Phrase
from .fast.tiles import attend_by_tiles, is_large
from .options import PAST, Choices, Settings, read_settings
from .pieces import repeat_heads, softmax_rows
from .trace import Trace


def attend(q, k, v, settings: Settings) -> dict[str, np.ndarray]:
    """softmax(q kᵀ · scale + mask) v: every step that is used, by its name.

    q (..., query, key_feature), k (..., key, key_feature), v (..., key, value_feature). The steps are
    (..., query, key), and the last one, head_outputs, is (..., query, value_feature).
    """
    masked = settings.has_mask
    held = q @ k.mT
    steps = {"scores": held}
    if settings.scale is not None:
        held = steps["scaled"] = held * settings.scale
    if settings.softcap is not None:
        held = steps["softcapped"] = settings.softcap * np.tanh(held / settings.softcap)
    if masked:
        held = steps["masked"] = mask_scores(held, settings)
    held = steps["weights"] = softmax_rows(held, masked=masked)
    if settings.keep is not None:
        held = steps["dropped"] = held * settings.keep / (1 - settings.dropout_p)
    steps["head_outputs"] = held @ v
    return steps


def mask_scores(scores, settings: Settings) -> np.ndarray:
    """Scores plus the float mask, and masked_fill where the boolean mask hides the key."""
    visible, added = settings.mask.visible, settings.mask.added
    masked = scores if added is None else scores + added
    return masked if visible is None else np.where(visible, masked, settings.masked_fill)


def attend_any_size(q, k, v, settings: Settings) -> dict[str, np.ndarray]:
    """`attend`; where there are many scores, the same numbers tile by tile."""
    return (attend_by_tiles if is_large(q, k) else attend)(q, k, v, settings)


def check_scores(steps: dict[str, np.ndarray]) -> None:
    """Raises when a score is too large for its type; only a hidden one may be -inf."""
    for name in ("scores", "scaled"):
        if name in steps and not np.isfinite(steps[name]).all():
            raise AttentionError("overflow", step=name, dtype=steps[name].dtype)
    if "masked" in steps and not steps["masked"].max() < math.inf:
        raise AttentionError("overflow", step="masked", dtype=steps["masked"].dtype)


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
    counts = [array.shape[-3] for array in (query, key, value) if lead_axes]
    shared = bool(counts) and read_shared_heads(*counts, enable_gqa=enable_gqa)
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


class Heads(NamedTuple):
    """What `attend_heads` found: the steps, and which of them there are."""

    values: dict
    uses: plans.Uses


def attend_heads(
    q_heads, k_heads, v_heads, given, choices: Choices, *, shared: bool, moderate: bool
) -> Heads:
    """From heads to head outputs. `moderate`: no product of a query and a key can overflow."""
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
    *lead, d_key = q_heads.shape
    settings = read_settings(choices, (*lead, key.shape[-2]), d_key, n_past, q_heads.dtype)
    steps = attend_any_size(q_heads, key, value, settings)
    if past or not moderate or settings.may_grow:
        check_scores(steps)
    check_computed("head_outputs", steps["head_outputs"], {})
    values |= past | steps | settings.named()
    uses = plans.Uses(
        scaled=settings.scale is not None,
        softcapped=settings.softcap is not None,
        visible=0 if settings.mask.visible is None else settings.mask.visible.ndim,
        added=0 if settings.mask.added is None else settings.mask.added.ndim,
        dropped=settings.keep is not None,
        shared=shared,
        cached=bool(past),
    )
    return Heads(values, uses)


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
