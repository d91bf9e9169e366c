"""The sizes of a model, as its config.json says them: each within bounds before anything is read."""

import math
from typing import Any, NamedTuple

from ..checks import check_heads
from ..errors import AttentionError, Phrase
from .activations import ACTIVATIONS


class Sizes(NamedTuple):
    """What config.json says of a model."""

    family: str  # "bert" or "gpt2"
    n_layers: int
    n_heads: int
    d_model: int
    d_inner: int  # width of the MLP
    n_positions: int
    n_vocabulary: int
    n_token_types: int
    eps: float  # of every LayerNorm
    activation: str

    @property
    def d_head(self) -> int:
        return self.d_model // self.n_heads


# The largest sizes that are read: those of the largest GPT-2 are below.
MOST = {
    "n_layers": 96,
    "n_heads": 128,
    "d_model": 4_096,
    "d_inner": 16_384,
    "n_positions": 8_192,
    "n_vocabulary": 300_000,
    "n_token_types": 16,
}
# What a family calls them.
KEYS = {
    "bert": {
        "n_layers": "num_hidden_layers",
        "n_heads": "num_attention_heads",
        "d_model": "hidden_size",
        "d_inner": "intermediate_size",
        "n_positions": "max_position_embeddings",
        "n_vocabulary": "vocab_size",
        "n_token_types": "type_vocab_size",
        "eps": "layer_norm_eps",
        "activation": "hidden_act",
    },
    "gpt2": {
        "n_layers": "n_layer",
        "n_heads": "n_head",
        "d_model": "n_embd",
        "n_positions": "n_positions",
        "n_vocabulary": "vocab_size",
        "eps": "layer_norm_epsilon",
        "activation": "activation_function",
    },
}
# Settings that would make another computation of it, with the one that is computed here.
ONLY = {
    "bert": {"position_embedding_type": "absolute", "is_decoder": False, "add_cross_attention": False},
    "gpt2": {
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "add_cross_attention": False,
    },
}


def read_sizes(config: Any) -> Sizes:
    """The sizes in the object of a config.json, or AttentionError."""
    family = config.get("model_type") if isinstance(config, dict) else None
    if not isinstance(family, str) or family not in KEYS:
        raise wrong("model_type", family, Phrase("one_of", names=", ".join(KEYS)))
    keys = KEYS[family]
    sizes = {name: read_size(config, keys[name], most) for name, most in MOST.items() if name in keys}
    sizes.setdefault("n_token_types", 0)
    if family == "gpt2":
        inner = config.get("n_inner")
        sizes["d_inner"] = (
            4 * sizes["d_model"] if inner is None else read_size(config, "n_inner", MOST["d_inner"])
        )
    check_heads(keys["d_model"], sizes["d_model"], sizes["n_heads"])
    for key, only in ONLY[family].items():
        if config.get(key, only) != only:
            raise wrong(key, config[key], repr(only))
    eps, activation = config.get(keys["eps"]), config.get(keys["activation"])
    if not isinstance(eps, float) or not 0 < eps < 1:
        raise wrong(keys["eps"], eps, Phrase("between_0_and_1"))
    if not isinstance(activation, str) or activation not in ACTIVATIONS:
        raise wrong(keys["activation"], activation, Phrase("one_of", names=", ".join(ACTIVATIONS)))
    return Sizes(family, eps=eps, activation=activation, **sizes)


def read_size(config: dict, key: str, most: int) -> int:
    """A whole number of at least 1 and at most `most`."""
    given = config.get(key)
    if type(given) is not int or not 1 <= given <= most:
        raise wrong(key, given, Phrase("whole_up_to", most=most))
    return given


def wrong(key: str, given: object, needed: str | Phrase) -> AttentionError:
    return AttentionError("model_config", setting=key, given=shortened(given), needed=needed)


def shortened(given: object) -> str:
    """A value as Python writes it, however long or deep it is."""
    if isinstance(given, float) and not math.isfinite(given):
        return str(given)
    text = repr(given) if isinstance(given, str | int | float | bool | None) else type(given).__name__
    return text if len(text) <= 40 else f"{text[:40]}…"
