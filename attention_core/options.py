"""The options of attention: as a caller gives them (`Choices`), and read and checked (`Settings`)."""

import math
from typing import Any, NamedTuple

import numpy as np

from .checks import read_dropout, read_number
from .errors import AttentionError, Phrase
from .masks import NO_MASK, Mask, combine_masks


class Choices(NamedTuple):
    """The options of scaled_dot_product_attention with their defaults, but for the arrays of a cache."""

    attn_mask: Any = None
    dropout_p: float = 0.0
    is_causal: bool = False
    scale: float | None = None
    softcap: float | None = None
    window: tuple | None = None
    kv_lengths: Any = None
    masked_fill: float = -math.inf
    rng: Any = None


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


class Settings(NamedTuple):
    """What happens between scores and weighted sum; None where an option is not used."""

    mask: Mask = NO_MASK
    scale: float | None = None
    softcap: float | None = None
    masked_fill: float = -math.inf
    keep: np.ndarray | None = None
    dropout_p: float = 0.0

    @property
    def has_mask(self) -> bool:
        return self.mask.visible is not None or self.mask.added is not None

    @property
    def may_grow(self) -> bool:
        """Whether scores can become larger on their way to the weights."""
        return self.mask.added is not None or (self.scale is not None and abs(self.scale) > 1)

    def named(self) -> dict[str, object]:
        """What a trace keeps of these, by the names of the plan."""
        return {
            "scale": self.scale,
            "softcap": self.softcap,
            "attn_mask": self.mask.added,
            "visible": self.mask.visible,
            "masked_fill": self.masked_fill,
            "keep": self.keep,
            "dropout_p": self.dropout_p,
        }


def read_settings(choices: Choices, shape, d_key: int, n_past: int, dtype) -> Settings:
    """The options, read. A scale of 1 given outright is no scaling."""
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
