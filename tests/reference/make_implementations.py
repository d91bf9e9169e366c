"""Writes implementations.json beside this file: what PyTorch finds for tests/test_implementations.py.

Run by hand, on a CPU; nothing else in the project needs PyTorch:

    pip install torch==2.13.0
    python tests/reference/make_implementations.py

Each of the eight implementations is written here once more, in PyTorch, as its users meet it. X, the weights
and the masks are the lesson's own; dropout uses NumPy's random numbers, the only ones both sides have.
"""

import json
import math
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (the name everybody gives it)

sys.path.insert(0, str(Path(__file__).parents[2]))
from ui.course.lessons.implementations.catalogue import FILLS, MASKS, Setting
from ui.course.lessons.implementations.given import usual

FILE = Path(__file__).with_name("implementations.json")
W = {name: torch.tensor(array) for name, array in usual().arrays.items()}
X = W["x"]
LOWEST = torch.finfo(torch.float64).min
SETTINGS = {
    "nothing": Setting(),
    "bias": Setting(bias=True),
    "everything drawn, three heads": Setting(n_heads=3, bias=True, extras=True),
    "temperature 1": Setting(temperature=1.0),
    "causal": Setting(mask="causal", bias=True),
    "padding": Setting(mask="padding", n_heads=3),
    "row": Setting(mask="row"),
    "row, minus infinity": Setting(mask="row", fill="minus_infinity"),
    "row, minus 1e9": Setting(mask="row", fill="minus_1e9"),
    "flipped": Setting(mask="flipped"),
    "dropout": Setting(dropout_p=0.5, seed=3, mask="causal"),
    "dropout in evaluation": Setting(dropout_p=0.5, seed=3, training=False),
}


def mask_of(setting):
    mask = MASKS[setting.mask]
    return None if mask is None else torch.tensor(mask)


def linear(weight, bias, setting):
    return F.linear(X, W[weight].T, W[bias] if setting.bias else None)


def heads_of(rows, setting):
    return rows.unflatten(-1, (setting.n_heads, -1)).transpose(-2, -3)


def rows_of(heads):
    return heads.transpose(-2, -3).flatten(-2)


def dropout(weights, setting):
    """nn.Dropout in its two modes, with NumPy's draws."""
    if not (setting.training and setting.dropout_p):
        return weights
    keep = np.random.default_rng(setting.seed).random(weights.shape) >= setting.dropout_p
    return weights * torch.tensor(keep) / (1 - setting.dropout_p)


def torch_attention(q, k, v, setting, mask=None, is_causal=False):
    """F.scaled_dot_product_attention; with dropout, which it draws itself, its definition."""
    if not setting.dropout_p:
        return F.scaled_dot_product_attention(q[None], k[None], v[None], mask, is_causal=is_causal)[0]
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if is_causal or mask is not None:
        mask = torch.ones(4, 4, dtype=torch.bool).tril() if is_causal else mask
        scores = scores.masked_fill(~mask, -math.inf)
    keep = np.random.default_rng(setting.seed).random(scores.shape) >= setting.dropout_p
    return scores.softmax(-1) * torch.tensor(keep) / (1 - setting.dropout_p) @ v


def output_layer(rows, setting):
    return F.linear(rows, W["w_o"].T, W["b_o"]) if setting.extras else rows


# The eight


def bare_formula(setting):
    q, k, v = X @ W["w_q"], X @ W["w_k"], X @ W["w_v"]
    return torch.softmax(q @ k.T / math.sqrt(3), dim=-1) @ v


def temper(q, k, v, setting, temperature):
    """Divides q first; fills with −1e9 where the mask is 0."""
    scores = (q / temperature) @ k.transpose(-2, -1)
    mask, fill = mask_of(setting), FILLS[setting.fill]
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9 if fill is None else fill)
    return dropout(F.softmax(scores, dim=-1), setting) @ v


def temperature_module(setting):
    q, k, v = (heads_of(X @ W[name], setting) for name in ("w_q", "w_k", "w_v"))
    return rows_of(temper(q, k, v, setting, setting.temperature or q.size(-1) ** 0.5))


def multi_head_port(setting):
    q, k, v = (heads_of(X @ W[name], setting) for name in ("w_q", "w_k", "w_v"))
    merged = rows_of(temper(q, k, v, setting, q.size(-1) ** 0.5))
    projected = merged @ W["w_o"] if setting.extras else merged
    return F.layer_norm(projected + X, (3,), eps=1e-6)


def torch_function(setting):
    q, k, v = (heads_of(X @ W[name], setting) for name in ("w_q", "w_k", "w_v"))
    mask = mask_of(setting)
    if mask is not None and setting.fill == "minus_1e9":
        mask = torch.where(mask, 0.0, -1e9).double()
    return rows_of(torch_attention(q, k, v, setting, mask))


def building_blocks(setting):
    packed = torch.cat([W[name].T for name in ("w_q", "w_k", "w_v")])
    bias = torch.cat([W[name] for name in ("b_q", "b_k", "b_v")]) if setting.bias else None
    q, k, v = (heads_of(part, setting) for part in F.linear(X, packed, bias).chunk(3, dim=-1))
    # Its attn_mask goes nowhere; is_causal is passed on.
    return output_layer(
        rows_of(torch_attention(q, k, v, setting, is_causal=setting.mask == "causal")), setting
    )


def three_linears(setting):
    pairs = (("w_q", "b_q"), ("w_k", "b_k"), ("w_v", "b_v"))
    q, k, v = (heads_of(linear(*pair, setting), setting) for pair in pairs)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
    mask, fill = mask_of(setting), FILLS[setting.fill]
    if mask is not None:
        hidden = torch.full_like(scores, LOWEST if fill is None else fill)
        scores = scores + hidden.masked_fill(mask, 0.0)
    return rows_of(dropout(scores.softmax(dim=-1), setting) @ v)


def vision_transformer(setting):
    packed = torch.cat([W[name].T for name in ("w_q", "w_k", "w_v")])
    bias = torch.cat([W[name] for name in ("b_q", "b_k", "b_v")]) if setting.bias else None
    qkv = F.linear(X, packed, bias).reshape(4, 3, setting.n_heads, -1).permute(1, 2, 0, 3)
    q, k, v = qkv.unbind(0)
    weights = ((q @ k.transpose(-2, -1)) * q.size(-1) ** -0.5).softmax(dim=-1)
    return output_layer(rows_of(dropout(weights, setting) @ v), setting)


def detector_block(setting):
    width = 3 // setting.n_heads
    names = [(name, head) for head in range(setting.n_heads) for name in "qkv"]
    cut = [slice(head * width, (head + 1) * width) for _, head in names]
    weight = torch.cat([W[f"w_{name}"].T[at] for (name, _), at in zip(names, cut, strict=True)])
    bias = torch.cat([W[f"b_{name}"][at] for (name, _), at in zip(names, cut, strict=True)])
    image = X.T.reshape(1, 3, 2, 2)
    qkv = F.conv2d(image, weight[:, :, None, None], bias if setting.bias else None)
    q, k, v = qkv.view(1, setting.n_heads, 3 * width, 4).split(width, dim=2)
    weights = ((q.transpose(-2, -1) @ k) * width**-0.5).softmax(dim=-1)
    out = (v @ weights.transpose(-2, -1)).view(image.shape)
    if setting.extras:
        out = out + F.conv2d(v.reshape(image.shape), W["w_pe"][:, None], padding=1, groups=3)
        out = F.conv2d(out, W["w_o"].T[:, :, None, None], W["b_o"])
    return out.reshape(3, 4).T


EIGHT = (bare_formula, temperature_module, multi_head_port, torch_function)
EIGHT += (building_blocks, three_linears, vision_transformer, detector_block)

if __name__ == "__main__":
    cases = {
        name: {"setting": asdict(setting), "outputs": {one.__name__: one(setting).tolist() for one in EIGHT}}
        for name, setting in SETTINGS.items()
    }
    FILE.write_text(json.dumps({"torch": torch.__version__, "cases": cases}) + "\n", encoding="utf-8")
