"""Attention over an image, channels first, as YOLO-style detectors use it."""

import math

import numpy as np

from . import plans
from .attention import attend_any_size, check_scores
from .checks import (
    check_computed,
    check_goes_with,
    check_heads,
    check_linear,
    check_ndim,
    check_size,
    read_arrays,
    read_count,
    read_number,
)
from .errors import AttentionError, Phrase
from .options import Settings
from .pieces import conv1x1, depthwise_conv3x3
from .trace import Trace


def head_sizes(dim: int, n_heads: int, attn_ratio: float) -> tuple[int, int, int]:
    """(head_dim, key_dim, channels of qkv): V keeps the full width, Q and K may be narrower."""
    check_heads("x", dim, n_heads)
    head_dim = dim // n_heads
    key_dim = int(head_dim * attn_ratio)
    if key_dim == 0:
        raise AttentionError(
            "key_dim_zero", dim=dim, n_heads=n_heads, head_dim=head_dim, attn_ratio=attn_ratio
        )
    return head_dim, key_dim, dim + 2 * key_dim * n_heads


def convolve(step: str, image, weight: str, bias: str, given) -> tuple[np.ndarray, bool]:
    """A 1x1 convolution with given[weight] (out, in), checked; True when its numbers are moderate."""
    check_linear(given, weight, bias, 1, image.shape[1], Phrase("input_channels"))
    used = {name: given[name] for name in (weight, bias) if name in given}
    out = conv1x1(image, *used.values())
    return out, check_computed(step, out, {"x": given["x"]} | used)


@np.errstate(all="ignore")
def conv_attention(
    x, w_qkv, w_proj=None, w_pe=None, *, n_heads, attn_ratio=0.5, b_qkv=None, b_proj=None, b_pe=None
) -> Trace:
    """proj(V Aᵀ + pe(V)) over the pixels of x (batch, channels, height, width).

    w_qkv (out, in) and w_proj (out, in) are 1x1 convolutions, w_pe (channels, 3, 3) is depth-wise.
    The channels of qkv lie head by head: [q k v | q k v | ...].
    """
    given = read_arrays(
        {"x": x, "w_qkv": w_qkv},
        {"b_qkv": b_qkv, "w_pe": w_pe, "b_pe": b_pe, "w_proj": w_proj, "b_proj": b_proj},
    )
    check_goes_with(given, b_pe="w_pe", b_proj="w_proj")
    n_heads = read_count("n_heads", n_heads)
    ratio = read_number(
        "attn_ratio", attn_ratio, Phrase("positive_up_to", most=1000), lambda r: 0 < r <= 1000
    )
    x = given["x"]
    check_ndim("x", x, ("batch", "channel", "height", "width"))
    batch, dim, height, width = x.shape
    head_dim, key_dim, n_channels = head_sizes(dim, n_heads, ratio)
    check_ndim("w_qkv", given["w_qkv"], ("out", "in"))
    check_size(
        "w_qkv",
        given["w_qkv"],
        0,
        "out",
        n_channels,
        Phrase("channels", sum=f"{dim} + 2·{n_heads}·{key_dim}"),
    )

    qkv, moderate = convolve("qkv", x, "w_qkv", "b_qkv", given)
    qkv_split = qkv.reshape(batch, n_heads, 2 * key_dim + head_dim, height * width)
    q_heads = qkv_split[:, :, :key_dim]  # (batch, head, key_feature, query)
    k_heads = qkv_split[:, :, key_dim : 2 * key_dim]  # (batch, head, key_feature, key)
    v_heads = qkv_split[:, :, 2 * key_dim :]  # (batch, head, value_feature, key)
    settings = Settings(scale=1 / math.sqrt(key_dim))
    steps = attend_any_size(q_heads.mT, k_heads.mT, v_heads.mT, settings)
    if not moderate:
        check_scores(steps)
    head_outputs = steps["head_outputs"].mT  # (batch, head, value_feature, query)
    last = merged = head_outputs.reshape(x.shape)
    values = given | steps | {"qkv": qkv, "qkv_split": qkv_split, "head_outputs": head_outputs}
    values |= {"q_heads": q_heads, "k_heads": k_heads, "v_heads": v_heads, "merged": merged}
    values |= {"n_heads": n_heads, "key_dim": key_dim, "height": height, "scale": settings.scale}
    if "w_pe" in given:
        v_grid = v_heads.reshape(x.shape)
        positional = position(v_grid, given)
        last = merged + positional
        values |= {"v_grid": v_grid, "positional": positional, "residual": last}
    if "w_proj" in given:
        last, _ = convolve("output", last, "w_proj", "b_proj", given)
    check_computed("output", last, {})
    values["output"] = last
    has = (name in given for name in ("w_pe", "w_proj", "b_qkv", "b_pe", "b_proj"))
    return Trace(plans.conv_plan(*has), values)


def position(v_grid, given) -> np.ndarray:
    """The positional branch: a depth-wise 3x3 convolution over V, checked."""
    n_channels = v_grid.shape[1]
    check_ndim("w_pe", given["w_pe"], ("channel", "row", "column"))
    for axis, (name, size) in enumerate((("channel", n_channels), ("row", 3), ("column", 3))):
        check_size("w_pe", given["w_pe"], axis, name, size, Phrase("kernel_each"))
    used = {name: given[name] for name in ("w_pe", "b_pe") if name in given}
    if "b_pe" in given:
        check_ndim("b_pe", given["b_pe"], ("channel",))
        check_size("b_pe", given["b_pe"], 0, "channel", n_channels, "w_pe")
    out = depthwise_conv3x3(v_grid, *used.values())
    check_computed("positional", out, used)
    return out
