"""Eight implementations of attention met in the wild, on the same X and the same weights.

An implementation is a row of habits, `IMPLEMENTATIONS`. A setting says what is asked of all eight: heads,
biases, a mask, dropout. Both give `Habits`, what is really done besides softmax(Q Kᵀ / √d_k) V, and
`compute` does it. What an implementation needs besides X, W_q, W_k and W_v is made of them, or does nothing
unless it is asked for.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from attention_core import (
    Trace,
    causal_mask,
    conv_attention,
    fused_qkv_attention,
    multi_head_attention,
    post_norm_attention,
    scaled_dot_product_attention,
    split_heads,
)
from ui.course.lessons.implementations.given import Given

N_TOKENS = 4
LOWEST = float(np.finfo(np.float64).min)  # what Hugging Face adds to a hidden score

MASKS = {
    "none": None,
    "causal": causal_mask(N_TOKENS),
    "padding": np.array([[True, True, True, False]] * N_TOKENS),  # the last key is filling
    "row": np.array([[True] * 4, [False] * 4, [True] * 4, [True] * 4]),  # token 1 has nothing to look at
    "flipped": ~causal_mask(N_TOKENS),  # written for a reader to whom True means "hidden"
}
FILLS = {"own": None, "minus_infinity": -math.inf, "minus_1e9": -1e9}


@dataclass(frozen=True)
class Setting:
    """What is asked of all eight."""

    n_heads: int = 1  # 1 or 3
    bias: bool = False  # of Q, K and V
    extras: bool = False  # output projections and positional kernels are drawn; otherwise they do nothing
    temperature: float | None = None  # None is √d_k
    mask: str = "none"  # one of MASKS
    fill: str = "own"  # one of FILLS
    dropout_p: float = 0.0
    seed: int = 0
    training: bool = True


class Implementation(NamedTuple):
    """The habits of one implementation, whatever is asked of it."""

    id: str
    route: str  # how the numbers travel: one of ROUTES
    splits: bool = True  # into as many heads as are asked for
    divides_q: bool = False  # Q is divided by the temperature √d_k before it meets K
    free_temperature: bool = False  # which may be another number
    bias: bool = False
    mask: str = "none"  # no argument; "lost" unless it is causal; or "fill", "boolean", "added"
    hides_with: float = -math.inf
    safe: bool = False  # a row with nothing to look at becomes 0 instead of 0/0
    dropout: str = "none"  # or "training", or "always"
    projects: bool = False
    positions: bool = False
    residual_and_norm: bool = False


IMPLEMENTATIONS = {
    row.id: row
    for row in (
        Implementation("bare_formula", "separate", splits=False),
        Implementation(
            "temperature_module",
            "heads_given",
            divides_q=True,
            free_temperature=True,
            mask="fill",
            hides_with=-1e9,
            dropout="training",
        ),
        Implementation(
            "multi_head_port",
            "separate",
            divides_q=True,
            mask="fill",
            hides_with=-1e9,
            dropout="training",
            projects=True,
            residual_and_norm=True,
        ),
        Implementation("torch_function", "heads_given", mask="boolean", safe=True, dropout="always"),
        Implementation(
            "building_blocks", "fused", bias=True, mask="lost", safe=True, dropout="always", projects=True
        ),
        Implementation(
            "three_linears", "separate", bias=True, mask="added", hides_with=LOWEST, dropout="training"
        ),
        Implementation("vision_transformer", "fused", bias=True, dropout="training", projects=True),
        Implementation("detector_block", "channels_first", bias=True, projects=True, positions=True),
    )
}


class Hidden(NamedTuple):
    """How a score is hidden: replaced by `value`, or `value` is added to it."""

    value: float = -1e9
    added: bool = False


class Draw(NamedTuple):
    """Dropout with probability p, drawn from a seed."""

    p: float = 0.0
    seed: int = 0


class Habits(NamedTuple):
    """What is really done besides softmax(Q Kᵀ / √d_k) V. Each name is a reason for two to diverge."""

    heads: int = 1
    bias: bool = False
    scale: float | None = None  # None is 1/√d_k
    mask: str = "none"  # the mask that reaches the scores
    mask_value: Hidden = Hidden()
    empty_row: str = "zero"  # or "nan": what a row of −∞ becomes
    dropout: Draw = Draw()
    position: bool = False
    output_projection: bool = False
    residual_and_norm: bool = False


PLAIN = Habits()


def habits_of(name: str, setting: Setting) -> Habits:
    """What an implementation really does when this is asked of it."""
    row = IMPLEMENTATIONS[name]
    passed_on = row.mask not in ("none", "lost") or (row.mask == "lost" and setting.mask == "causal")
    drops = row.dropout == "always" or (row.dropout == "training" and setting.training)
    temperature = setting.temperature if row.free_temperature else None
    return Habits(
        heads=setting.n_heads if row.splits else 1,
        bias=row.bias and setting.bias,
        scale=None if temperature is None else 1 / temperature,
        mask=setting.mask if passed_on else "none",
        mask_value=hidden_by(row, setting.fill),
        empty_row="zero" if row.safe else "nan",
        dropout=Draw(setting.dropout_p, setting.seed) if drops and setting.dropout_p else Draw(),
        position=row.positions and setting.extras,
        output_projection=row.projects and setting.extras,
        residual_and_norm=row.residual_and_norm,
    )


def hidden_by(row: Implementation, fill: str) -> Hidden:
    """A boolean mask means −∞: whoever wants another number there has to add it.

    To add −∞ is to fill in −∞.
    """
    value = row.hides_with if FILLS[fill] is None or row.mask == "lost" else FILLS[fill]
    return Hidden(value, added=row.mask in ("added", "boolean") and value != -math.inf)


def options(habits: Habits) -> dict:
    """Mask and dropout as attention_core takes them."""
    chosen = {"dropout_p": habits.dropout.p, "rng": habits.dropout.seed}
    visible, hidden = MASKS[habits.mask], habits.mask_value
    if visible is None:
        return chosen
    if hidden.added:
        return chosen | {"attn_mask": np.where(visible, 0.0, hidden.value)}
    return chosen | {"attn_mask": visible, "masked_fill": hidden.value}


def output_weights(row: Implementation, habits: Habits, given: Given) -> dict[str, np.ndarray]:
    """w_o and b_o; a projection that is to do nothing is the identity, without a bias."""
    if not row.projects:
        return {}
    if not habits.output_projection:
        return {"w_o": np.eye(3)}
    return {"w_o": given["w_o"], "b_o": given["b_o"]}


def separate(row: Implementation, habits: Habits, given: Given) -> Trace:
    """Three matrices for Q, K and V; with residual and norm the layer of the first Transformer."""
    names = ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v") if habits.bias else ("w_q", "w_k", "w_v")
    weights = {name: given[name] for name in names} | output_weights(row, habits, given)
    chosen: dict[str, Any] = {"n_heads": habits.heads} | options(habits)
    x = given["x"]
    if habits.residual_and_norm:
        weights.pop("b_o", None)  # it has no biases
        return post_norm_attention(x, x, x, **weights, **chosen)
    return multi_head_attention(x, **weights, **chosen)


def heads_given(row: Implementation, habits: Habits, given: Given) -> Trace:
    """A function of heads that somebody else made; the temperature, if any, goes into Q first."""
    q, k, v = (split_heads(given["x"] @ given[name], habits.heads) for name in ("w_q", "w_k", "w_v"))
    scale = habits.scale
    if row.divides_q:
        q, scale = q / temperature(habits), 1.0
    return scaled_dot_product_attention(q, k, v, scale=scale, **options(habits))


def temperature(habits: Habits) -> float:
    return math.sqrt(3 // habits.heads) if habits.scale is None else 1 / habits.scale


def fused(row: Implementation, habits: Habits, given: Given) -> Trace:
    """One matrix [W_q | W_k | W_v]."""
    weights = {"w_qkv": given.side_by_side("w_q", "w_k", "w_v")} | output_weights(row, habits, given)
    if habits.bias:
        weights["b_qkv"] = given.side_by_side("b_q", "b_k", "b_v")
    return fused_qkv_attention(given["x"], **weights, n_heads=habits.heads, **options(habits))


def channels_first(row: Implementation, habits: Habits, given: Given) -> Trace:
    """The four tokens as the pixels of a 2x2 image; the channels of Q, K and V lie head by head."""
    image = given["x"].T.reshape(1, 3, 2, 2)
    weights = {"w_qkv": given.head_by_head("w_q", "w_k", "w_v", n_heads=habits.heads).T}
    if habits.bias:
        weights["b_qkv"] = given.head_by_head("b_q", "b_k", "b_v", n_heads=habits.heads)
    for name, array in output_weights(row, habits, given).items():
        weights[{"w_o": "w_proj", "b_o": "b_proj"}[name]] = array.T
    if habits.position:
        weights["w_pe"] = given["w_pe"]
    return conv_attention(image, **weights, n_heads=habits.heads, attn_ratio=1.0)


ROUTES = {
    "separate": separate,
    "heads_given": heads_given,
    "fused": fused,
    "channels_first": channels_first,
}


@lru_cache(maxsize=512)
def compute(name: str, habits: Habits, given: Given) -> Trace:
    """The trace of an implementation with these habits."""
    row = IMPLEMENTATIONS[name]
    return ROUTES[row.route](row, habits, given)
