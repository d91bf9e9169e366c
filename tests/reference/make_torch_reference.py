"""Writes torch_reference.npz beside this file: what PyTorch computes, for tests/test_torch_reference.py.

Run by hand, on a CPU; nothing else in the project needs PyTorch:

    pip install torch==2.13.0
    python tests/reference/make_torch_reference.py            # write the file
    python tests/reference/make_torch_reference.py --check    # compare with the file instead

A case calls one public function of attention_core. Its numbers come from one of the implementations below,
each our own reading, in PyTorch, of a kind of attention layer met in the wild. An implementation returns its
named steps; gradients are autograd's, of (output * d_output).sum(), for every float input and every step on
the way to the output. Weights are (d_in, d_out), as attention_core has them, hence the `.T` in `linear`.

The file holds one flat vector of numbers per case and `cases`, the bytes of a JSON text that tells how to
cut it: [group, name, kind, shape] in order, group one of input, step, gradient, kind NumPy's letter.
"""

import argparse
import json
import math
import zlib
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (the name everybody gives it)

FILE = Path(__file__).with_name("torch_reference.npz")
TORCH = "2.13.0"
INF = math.inf
HEADS = ("q_heads", "k_heads", "v_heads")


# ---- pieces -----------------------------------------------------------------------------------------------


def linear(rows, weight, bias=None):
    return F.linear(rows, weight.T, bias)


def heads_of(channels, n_heads):
    return channels.unflatten(-1, (n_heads, -1)).transpose(-2, -3)


def viewed_heads_of(channels, n_heads):
    """The slip: the shape of heads by `view` alone, without the transpose."""
    *batch, n_tokens, n_channels = channels.shape
    return channels.contiguous().view(*batch, n_heads, n_tokens, n_channels // n_heads)


def merged_of(heads):
    return heads.transpose(-2, -3).flatten(-2)


def safe_softmax(masked):
    """Softmax over keys; a row of nothing but -inf gives zeros, as F.scaled_dot_product_attention does."""
    alive = (masked > -INF).any(dim=-1, keepdim=True)
    return masked.masked_fill(~alive, 0.0).softmax(dim=-1) * alive


def allowed(n_queries, n_keys, n_past, is_causal, window, kv_lengths):
    """True where a query may look, by every rule but attn_mask; None where there is no rule."""
    first = n_past  # position of the first query
    if kv_lengths is not None:
        kv_lengths = kv_lengths[:, None, None, None]
        first = kv_lengths - n_queries  # the last query stands at the last valid key
    ahead = torch.arange(n_keys) - (torch.arange(n_queries)[:, None] + first)
    left, right = window or (None, None)
    rules = [ahead <= 0] if is_causal else []
    rules += [] if left is None else [ahead >= -left]
    rules += [] if right is None else [ahead <= right]
    rules += [] if kv_lengths is None else [torch.arange(n_keys) < kv_lengths]
    return math.prod(rules[1:], start=rules[0]) if rules else None


def attend(query, key, value, attn_mask=None, enable_gqa=False, past_key=None, past_value=None, **options):
    """The steps of attention in plain tensor operations; `torch_output` is PyTorch's own, and agrees."""
    steps = {}
    if past_key is not None:
        key = steps["present_key"] = torch.cat([past_key, key], dim=-2)
        value = steps["present_value"] = torch.cat([past_value, value], dim=-2)
    group = query.size(-3) // key.size(-3) if enable_gqa else 1
    all_keys, all_values = (t.repeat_interleave(group, dim=-3) if group > 1 else t for t in (key, value))
    steps["scores"] = query @ all_keys.mT
    n_past = 0 if past_key is None else past_key.size(-2)
    rules = [options.get(name) for name in ("is_causal", "window", "kv_lengths")]
    seen = allowed(*steps["scores"].shape[-2:], n_past, *rules)
    steps |= attend_by_scores(steps["scores"], query.size(-1), all_values, attn_mask, seen, **options)
    if not {"softcap", "masked_fill", "dropout_p"} & set(options):
        mask = {"attn_mask": attn_mask}
        if seen is not None:
            mask = {"attn_mask": seen if attn_mask is None else seen & attn_mask}
        if options.get("is_causal") and past_key is attn_mask is rules[1] is rules[2] is None:
            mask = {"is_causal": True}
        how = {"scale": options.get("scale"), "enable_gqa": enable_gqa}
        steps["torch_output"] = F.scaled_dot_product_attention(query, key, value, **mask, **how)
        torch.testing.assert_close(steps["torch_output"], steps["output"])
    return steps


def attend_by_scores(
    scores, d_key, values, attn_mask, seen, scale=None, softcap=None, masked_fill=-INF, **rest
):
    """From scores to the output. `seen` is what every rule but attn_mask allows."""
    steps = {"scaled": scores * (d_key**-0.5 if scale is None else scale)}
    last = steps["scaled"]
    if softcap is not None:
        last = steps["softcapped"] = softcap * torch.tanh(last / softcap)
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        seen = attn_mask if seen is None else seen & attn_mask
    elif attn_mask is not None:
        assert seen is None, "F.scaled_dot_product_attention takes one mask"
        last = steps["masked"] = last + attn_mask
    if seen is not None:
        last = steps["masked"] = last.masked_fill(~seen, masked_fill)
    weights = steps["weights"] = safe_softmax(last)
    if "dropout_p" in rest:  # with NumPy's random numbers: the only ones both sides have
        draws = np.random.default_rng(rest["rng"]).random(weights.shape)
        steps["keep"] = torch.from_numpy(draws >= rest["dropout_p"])
        weights = steps["dropped"] = weights * steps["keep"] / (1 - rest["dropout_p"])
    steps["output"] = weights @ values
    return steps


def finish(steps, attended, head_outputs, w_o, b_o):
    """The steps of a layer: heads laid side by side and, if there is one, the output projection."""
    steps |= {name: step for name, step in attended.items() if name not in ("output", "torch_output")}
    merged = merged_of(head_outputs)
    output = merged if w_o is None else linear(merged, w_o, b_o)
    return steps | {"head_outputs": head_outputs, "merged": merged, "output": output}


# ---- implementations met in the wild ----------------------------------------------------------------------


def bare_formula(x, w_q, w_k, w_v, n_heads):
    """softmax(Q K^T / sqrt(d_k)) V and nothing else: one head, no batch."""
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.T
    weights = torch.softmax(scores / math.sqrt(k.shape[1]), dim=1)
    return {"q": q, "k": k, "v": v, "scores": scores[None], "weights": weights[None], "output": weights @ v}


def temperature_module(query, key, value, temperature, attn_mask=None, masked_fill=-1e9):
    """The query is divided by the temperature first; where the mask is 0 the score becomes -1e9."""
    steps = {"scaled": (query / temperature) @ key.transpose(-2, -1)}
    last = steps["scaled"]
    if attn_mask is not None:
        last = steps["masked"] = last.masked_fill(attn_mask == 0, masked_fill)
    steps["weights"] = F.softmax(last, dim=-1)
    steps["output"] = steps["weights"] @ value
    return steps


def post_norm_layer(q, k, v, w_q, w_k, w_v, w_o, n_heads, attn_mask=None, gamma=None, beta=None, **settings):
    """Heads around the temperature module, no biases; then residual add, then LayerNorm."""
    steps = {"q": linear(q, w_q), "k": linear(k, w_k), "v": linear(v, w_v)}
    heads = [heads_of(steps[name], n_heads) for name in "qkv"]
    steps |= dict(zip(HEADS, heads, strict=True))
    if attn_mask is not None and attn_mask.dim() == 3:
        attn_mask = attn_mask.unsqueeze(1)  # (batch, query, key) gets a head axis
    temperature, fill = heads[0].size(-1) ** 0.5, settings.get("masked_fill", -1e9)
    attended = temperature_module(*heads, temperature, attn_mask, fill)
    steps = finish(steps, attended, attended["output"], w_o, None)
    steps["projected"] = steps["output"]
    steps["residual"] = steps["projected"] + q
    steps["output"] = F.layer_norm(steps["residual"], q.shape[-1:], gamma, beta, settings.get("eps", 1e-6))
    return steps


def torch_function(query, key, value, **options):
    """F.scaled_dot_product_attention itself; its steps, which it does not show, by `attend`."""
    steps = attend(query, key, value, **options)
    steps["output"] = steps.pop("torch_output")
    return steps


def torch_module(x, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o, n_heads, memory=None, attn_mask=None):
    """The function behind nn.MultiheadAttention; there, True in a boolean mask means "is masked"."""
    query = x.transpose(0, 1)  # (token, batch, feature)
    source = query if memory is None else memory.transpose(0, 1)
    packed = torch.cat([w_q.T, w_k.T, w_v.T]), torch.cat([b_q, b_k, b_v])
    no_extras = None, None, False, 0.0  # bias_k, bias_v, add_zero_attn, dropout_p
    layer = (query, source, source, x.size(-1), n_heads, *packed, *no_extras, w_o.T, b_o)
    flipped = None if attn_mask is None else ~attn_mask
    output, weights = F.multi_head_attention_forward(*layer, attn_mask=flipped, average_attn_weights=False)
    return {"weights": weights, "output": output.transpose(0, 1)}


def building_blocks_layer(x, w_q, w_k, w_v, w_o, n_heads, memory=None, b_o=None, **more):
    """One packed projection when x is query, key and value, three otherwise; PyTorch's function inside."""
    biases = [more.pop(f"b_{name}", None) for name in "qkv"]
    if memory is None:
        bias = None if biases[0] is None else torch.cat(biases)
        projected = F.linear(x, torch.cat([w_q.T, w_k.T, w_v.T]), bias).chunk(3, dim=-1)
    else:
        projected = [linear(*each) for each in zip((x, memory, memory), (w_q, w_k, w_v), biases, strict=True)]
    heads = [heads_of(channels, n_heads) for channels in projected]
    steps = dict(zip(("q", "k", "v", *HEADS), [*projected, *heads], strict=True))
    attended = attend(*heads, **more)
    return finish(steps, attended, attended["torch_output"], w_o, b_o)


def three_linears(x, w_q, w_k, w_v, n_heads, w_o=None, b_o=None, n_kv_heads=None, memory=None, **more):
    """Hugging Face's habit: a query, a key and a value layer, biases optional, fewer K/V heads if asked."""
    source = x if memory is None else memory
    b_q, b_k, b_v = (more.pop(f"b_{name}", None) for name in "qkv")
    q, k, v = linear(x, w_q, b_q), linear(source, w_k, b_k), linear(source, w_v, b_v)
    n_kv_heads = n_kv_heads or n_heads
    cut = viewed_heads_of if more.pop("split", "transpose") == "view" else heads_of
    heads = cut(q, n_heads), cut(k, n_kv_heads), cut(v, n_kv_heads)
    steps = {"q": q, "k": k, "v": v} | dict(zip(HEADS, heads, strict=True))
    attended = attend(*heads, enable_gqa=n_kv_heads != n_heads, **more)
    return finish(steps, attended, attended["output"], w_o, b_o)


def vision_transformer(x, w_qkv, n_heads, w_o=None, b_qkv=None, b_o=None, **options):
    """timm's habit: one linear layer; reshape and permute bring "which of Q, K, V" to the front."""
    *batch, n_tokens, _ = x.shape
    qkv = linear(x, w_qkv, b_qkv)
    if options.pop("per_head", False):  # GPT-NeoX's habit: [q k v] of each head in turn
        split = qkv.reshape(*batch, n_tokens, n_heads, 3, -1)
        permuted = split.permute((3, 0, 2, 1, 4) if batch else (2, 1, 0, 3))
    else:
        split = qkv.reshape(*batch, n_tokens, 3, n_heads, -1)
        permuted = split.permute((2, 0, 3, 1, 4) if batch else (1, 2, 0, 3))
    steps = {"qkv": qkv, "qkv_split": split, "qkv_permuted": permuted}
    heads = permuted.unbind(0)  # (batch, head, token, feature) each
    steps |= dict(zip(HEADS, heads, strict=True))
    attended = attend(*heads, **options)
    return finish(steps, attended, attended["output"], w_o, b_o)


def detector_block(
    x, w_qkv, n_heads, attn_ratio=0.5, w_proj=None, w_pe=None, b_proj=None, b_pe=None, b_qkv=None
):
    """Detectors' habit: 1x1 convolutions, channels [q k v] head by head, V A^T plus depth-wise 3x3 of V."""
    batch, dim, height, width = x.shape
    head_dim = dim // n_heads
    key_dim = int(head_dim * attn_ratio)
    qkv = F.conv2d(x, w_qkv[:, :, None, None], b_qkv)
    per_head = qkv.view(batch, n_heads, 2 * key_dim + head_dim, height * width)
    q, k, v = per_head.split([key_dim, key_dim, head_dim], dim=2)
    scores = q.transpose(-2, -1) @ k
    scaled = scores * key_dim**-0.5
    weights = scaled.softmax(dim=-1)
    head_outputs = v @ weights.transpose(-2, -1)
    last = merged = head_outputs.reshape(x.shape)
    steps = {"qkv": qkv, "q_heads": q, "k_heads": k, "v_heads": v, "scores": scores, "scaled": scaled}
    steps |= {"weights": weights, "head_outputs": head_outputs, "merged": merged}
    if w_pe is not None:
        steps["positional"] = F.conv2d(v.reshape(x.shape), w_pe[:, None], b_pe, padding=1, groups=dim)
        last = steps["residual"] = merged + steps["positional"]
    steps["output"] = last if w_proj is None else F.conv2d(last, w_proj[:, :, None, None], b_proj)
    return steps


# ---- the plain functions: only an output -------------------------------------------------------------------


def softmax(scores, axis=-1):
    return safe_softmax(scores.movedim(axis, -1)).movedim(-1, axis)


def repeat_heads(heads, times, axis=-3):
    return heads.repeat_interleave(times, dim=axis)


def causal_mask(n_queries, n_keys=None, offset=0):
    return torch.ones(n_queries, n_keys or n_queries, dtype=torch.bool).tril(offset)


def window_mask(n_queries, n_keys=None, left=None, right=None, offset=0):
    seen = torch.ones(n_queries, n_keys or n_queries, dtype=torch.bool)
    seen = seen if right is None else seen.tril(offset + right)
    return seen if left is None else seen.triu(offset - left)


def padding_mask(lengths, n_keys):
    return torch.stack([torch.arange(n_keys) < length for length in lengths])[:, None, None]


def layer_norm(rows, gamma=None, beta=None, eps=1e-6):
    return F.layer_norm(rows, rows.shape[-1:], gamma, beta, eps)


def conv1x1(image, weight, bias=None):
    return F.conv2d(image, weight[:, :, None, None], bias)


def depthwise_conv3x3(image, weight, bias=None):
    return F.conv2d(image, weight[:, None], bias, padding=1, groups=image.size(1))


def softmax_at(scores, temperature=1.0):
    return torch.softmax(scores / temperature, dim=-1)


def plain_shares(scores):
    return F.normalize(scores, p=1, dim=-1)  # of scores above 0


def argmax_shares(scores):
    return F.one_hot(scores.argmax(dim=-1), scores.size(-1)).to(scores.dtype)


def softmax_jacobian(weights):
    """Autograd's Jacobian of softmax at scores that give these weights."""
    rows = weights.detach().flatten(0, -2).log()
    found = [torch.autograd.functional.jacobian(lambda row: row.softmax(dim=-1), row) for row in rows]
    return torch.stack(found).reshape(*weights.shape, weights.size(-1))


def entropy(weights):
    return torch.distributions.Categorical(probs=weights).entropy() / math.log(2)


def fixed_table(x, w_v, table):
    v = linear(x, w_v)
    return {"v": v, "output": table @ v}


# ---- running a case ---------------------------------------------------------------------------------------

CASES = {}
TRACE_NAMES = {"post_norm_attention": {"q": "x", "k": "memory", "v": "memory_values"}}


def case(name, function, implementation, inputs, dtype="float64", same=None, theirs=None, **options):
    """Runs one case and keeps its numbers.

    inputs: name -> shape of random numbers, or an array; same: {"k": "q"} passes one array under two names;
    options: numbers passed on; `theirs` says them in the implementation's words where those are different.
    """
    assert name not in CASES, name
    rng = np.random.default_rng(zlib.crc32(name.encode()))  # a new case leaves the others as they are

    def draw(shape):  # steps of 1/1024: exact in float32 too, and the file stays small
        return (np.round(rng.normal(size=shape) * 1024) / 1024).astype(dtype)

    arrays = {key: draw(given) if isinstance(given, tuple) else given for key, given in inputs.items()}
    arrays = {key: a.astype(dtype) if a.dtype.kind == "f" else a for key, a in arrays.items()}
    leaves = {key: torch.tensor(a, requires_grad=a.dtype.kind == "f") for key, a in arrays.items()}
    passed = leaves | {twin: leaves[key] for twin, key in (same or {}).items()}
    steps = implementation(**passed, **(options if theirs is None else theirs))
    parts = [("input", key, a) for key, a in arrays.items()]
    if isinstance(steps, dict):
        d_output = draw(tuple(steps["output"].shape))
        parts.append(("input", "d_output", d_output))
        names = TRACE_NAMES.get(function, {})
        leaves = {names.get(key, key): leaf for key, leaf in leaves.items() if leaf.requires_grad}
        parts += [("gradient", *pair) for pair in gradients(leaves, steps, d_output)]
    else:
        steps = {"output": steps}
    parts += [("step", key, t.detach().numpy()) for key, t in steps.items()]
    facts = {"name": name, "function": function, "implementation": implementation.__name__}
    CASES[name] = facts | {"dtype": dtype, "options": options, "same": same or {}, "parts": parts}


def gradients(leaves, steps, d_output):
    """(name, array) for every leaf and for every step that the output was computed from."""
    loss = (steps["output"] * torch.from_numpy(d_output)).sum()
    wanted = {key: t for key, t in steps.items() if key != "output" and t.requires_grad} | leaves
    found = torch.autograd.grad(loss, list(wanted.values()), allow_unused=True)
    found = {key: grad.numpy() for key, grad in zip(wanted, found, strict=True) if grad is not None}
    assert set(leaves) <= set(found), f"no gradient: {set(leaves) - set(found)}"
    return found.items()


# ---- the cases --------------------------------------------------------------------------------------------


def seen(*shape, nobody=()):
    """A boolean mask, True may look; every row sees something but those of `nobody`."""
    mask = np.random.default_rng(math.prod(shape)).random(shape) < 0.5
    mask[..., 0] |= ~mask.any(axis=-1)
    mask[..., list(nobody), :] = False
    return mask


def added(*shape, seen=True):
    """A float mask; -inf where nothing is seen."""
    mask = np.round(np.random.default_rng(math.prod(shape)).normal(size=shape) * 64) / 64
    return np.where(seen, mask, -INF)


def heads(lead=(2,), n_heads=2, n_q=3, n_k=4, d_k=2, d_v=3, n_kv=None, **more):
    """Shapes of query, key and value."""
    n_kv = n_heads if n_kv is None else n_kv
    key, value = (*lead, n_kv, n_k, d_k), (*lead, n_kv, n_k, d_v)
    return {"query": (*lead, n_heads, n_q, d_k), "key": key, "value": value, **more}


def layer(lead=(2, 3), d=4, q=4, k=4, v=4, d_kv=4, merged=4, out=None, bias="", **more):
    """Shapes of x and of the weights: widths of q, k, v, of memory, of the merged heads and of the output.

    out=None: no output projection; bias: the letters of the projections that have one.
    """
    inputs = {"x": (*lead, d), "w_q": (d, q), "w_k": (d_kv, k), "w_v": (d_kv, v)}
    inputs |= {} if out is None else {"w_o": (merged, out)}
    widths = {"q": q, "k": k, "v": v, "o": out}
    return inputs | {f"b_{letter}": (widths[letter],) for letter in bias} | more


def sdpa_cases():
    sdpa = "scaled_dot_product_attention"

    def own(name, inputs, **more):
        case(f"sdpa {name}", sdpa, torch_function, inputs, **more)

    own("plain, L != S, d_k != d_v", heads())
    own("no batch", heads(lead=()))
    own("no batch, no head axis", {"query": (3, 2), "key": (4, 2), "value": (4, 3)})
    own("two leading axes", heads(lead=(2, 1), n_k=2))
    own("large scores", heads(query=np.linspace(-90, 70, 24).reshape(2, 2, 3, 2)))
    own("own scale", heads(), scale=0.3)
    own("bool mask 2-D", heads(attn_mask=seen(3, 4)))
    own("bool mask 4-D", heads(attn_mask=seen(2, 1, 3, 4)))
    own("bool mask, a row sees nothing", heads(attn_mask=seen(3, 4, nobody=(1,))))
    own("float mask 2-D", heads(attn_mask=added(3, 4)))
    own("float mask 4-D with -inf", heads(attn_mask=added(2, 2, 3, 4, seen=seen(2, 2, 3, 4))))
    own("float mask broadcast over batch and queries", heads(attn_mask=added(1, 2, 1, 4)))
    nothing = added(2, 1, 3, 4, seen=seen(2, 1, 3, 4, nobody=(2,)))
    own("float mask, a row of -inf", heads(attn_mask=nothing))
    own("causal", heads(n_q=4), is_causal=True)
    own("causal, fewer queries than keys", heads(n_q=2), is_causal=True)
    own("causal, more queries than keys", heads(n_q=4, n_k=2), is_causal=True)
    own("GQA, 4 heads on 2", heads(n_heads=4, n_kv=2), enable_gqa=True)
    own("MQA, 3 heads on 1, causal", heads(n_heads=3, n_kv=1), enable_gqa=True, is_causal=True)
    own("window to the left, causal", heads(n_q=4), window=[2, None], is_causal=True)
    own("window to the right, bool mask", heads(n_q=4, attn_mask=seen(4, 4)), window=[None, 1])
    cache = {"past_key": (2, 2, 2, 2), "past_value": (2, 2, 2, 3)}
    own("cache, causal", heads(n_k=3, **cache), is_causal=True)
    own("cache, window, GQA", heads(n_heads=4, n_kv=2, n_k=3, **cache), enable_gqa=True, window=[1, 0])
    own("lengths, one item empty", heads(kv_lengths=np.array([0, 3])))
    own("lengths, causal", heads(kv_lengths=np.array([4, 2])), is_causal=True)
    shared = heads(n_heads=4, n_kv=2, attn_mask=added(2, 1, 3, 4, seen=seen(2, 1, 3, 4)))
    own("GQA, float mask, float32", shared, dtype="float32", enable_gqa=True)
    masked = heads(attn_mask=added(3, 4, seen=seen(3, 4)))
    case("sdpa softcap, float mask", sdpa, attend, masked, softcap=1.5, scale=1.0)
    case("sdpa softcap, causal, float32", sdpa, attend, heads(), dtype="float32", softcap=0.8, is_causal=True)
    case("sdpa dropout, causal", sdpa, attend, heads(), dropout_p=0.4, rng=7, is_causal=True)
    masked = heads(attn_mask=seen(2, 1, 3, 4, nobody=(1,)))
    ours = {"scale": 1 / 2.5, "masked_fill": -1e9}
    case("temperature", sdpa, temperature_module, masked, theirs={"temperature": 2.5}, **ours)


def mha_cases():
    def mha(name, implementation, inputs, n_heads=2, **more):
        case(name, "multi_head_attention", implementation, inputs, n_heads=n_heads, **more)

    rows = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9], [0.5, 0.2, 0.4]])
    mha("bare formula", bare_formula, layer(d=3, q=3, k=3, v=3, d_kv=3) | {"x": rows}, n_heads=1)
    narrow = layer(d=3, q=2, k=2, v=4, d_kv=3) | {"x": rows}
    mha("bare formula, d_k != d_v, float32", bare_formula, narrow, n_heads=1, dtype="float32")

    blocks = building_blocks_layer
    mha("building blocks, packed, bias", blocks, layer(out=4, bias="qkvo"))
    mha("building blocks, packed, no bias, causal", blocks, layer(out=4), is_causal=True)
    cross = {"d_kv": 3, "memory": (2, 5, 3), "out": 4}
    mha("building blocks, cross-attention, bias", blocks, layer(bias="qkvo", **cross))
    masked = layer(attn_mask=seen(2, 1, 3, 5), **cross)
    mha("building blocks, cross-attention, no bias, bool mask", blocks, masked)

    mha("nn.MultiheadAttention", torch_module, layer(out=4, bias="qkvo", attn_mask=seen(3, 3)))
    crossed = layer(out=4, bias="qkvo", memory=(2, 5, 4))
    mha("nn.MultiheadAttention, cross-attention, float32", torch_module, crossed, dtype="float32")

    def linears(name, inputs, **more):
        mha(f"three linears, {name}", three_linears, inputs, **more)

    linears("qkv_bias", layer(bias="qkv"))
    linears("no batch", layer(lead=(3,), out=4, bias="qkvo"))
    lowest = np.where(np.arange(3) < np.array([3, 2])[:, None, None, None], 0.0, np.finfo(np.float64).min)
    linears("padding by the lowest float", layer(out=4, bias="qkvo", attn_mask=lowest))
    linears("float mask 2-D with -inf", layer(out=4, attn_mask=added(3, 3, seen=seen(3, 3))))
    linears("bool mask, a row sees nothing", layer(out=4, bias="o", attn_mask=seen(3, 3, nobody=(0,))))
    linears("filled with -1e9", layer(attn_mask=seen(3, 3, nobody=(0,))), masked_fill=-1e9)
    linears("free d_k and d_v, own scale", layer(q=2, k=2, v=6, merged=6, out=3, bias="qkvo"), scale=0.4)
    shared = {"q": 8, "merged": 8, "out": 4, "bias": "qkvo"}  # 4 query heads of width 2
    linears("GQA, causal", layer(**shared), n_heads=4, n_kv_heads=2, is_causal=True)
    linears("MQA, memory", layer(k=2, v=2, memory=(2, 4, 4), **shared), n_heads=4, n_kv_heads=1)
    linears("window, softcap", layer(lead=(1, 5), out=4), window=[1, 1], softcap=2.0)
    cache = {"past_key": (2, 2, 2, 2), "past_value": (2, 2, 2, 2)}
    linears("cache, causal", layer(out=4, bias="qkvo", **cache), is_causal=True)
    linears("cache, GQA, window", layer(**shared, **cache), n_heads=4, n_kv_heads=2, window=[2, 0])
    linears("lengths", layer(out=4, bias="qkvo", kv_lengths=np.array([3, 1])))
    linears("view for transpose", layer(lead=(3,), out=4, bias="qkvo"), split="view")
    linears("view for transpose, batch, GQA", layer(**shared), n_heads=4, n_kv_heads=2, split="view")


def fused_cases():
    def fused(name, given=(), bias=True, project=True, lead=(2, 3), **more):
        inputs = {"x": (*lead, 4), "w_qkv": (4, 12)} | ({"w_o": (4, 4)} if project else {}) | dict(given)
        inputs |= {"b_qkv": (12,)} | ({"b_o": (4,)} if project else {}) if bias else {}
        name = f"vision transformer, {name}"
        case(name, "fused_qkv_attention", vision_transformer, inputs, n_heads=2, **more)

    fused("bias")
    fused("no bias", bias=False)
    fused("no batch", lead=(4,))
    fused("float32", dtype="float32")
    fused("bool mask, own scale", {"attn_mask": seen(2, 1, 3, 3)}, scale=0.9)
    fused("float mask", {"attn_mask": added(2, 3, 3)}, bias=False)
    fused("filled with -1e9", {"attn_mask": seen(3, 3, nobody=(2,))}, bias=False, masked_fill=-1e9)
    fused("causal, softcap", bias=False, project=False, is_causal=True, softcap=1.2)
    fused("window, lengths", {"kv_lengths": np.array([3, 2])}, project=False, window=[1, None])
    fused("cache, causal", {"past_key": (2, 2, 1, 2), "past_value": (2, 2, 1, 2)}, is_causal=True)
    fused("head by head", per_head=True)
    fused("head by head, causal, float32", lead=(3,), dtype="float32", per_head=True, is_causal=True)


def conv_cases():
    def conv(name, shape, n_heads=2, key_dim=1, parts=("pe", "proj"), bias=True, **more):
        dim = shape[1]
        out = {"qkv": dim + 2 * n_heads * key_dim, "pe": dim, "proj": dim}
        inner = {"qkv": (dim,), "pe": (3, 3), "proj": (dim,)}
        inputs = {"x": shape} | {f"w_{part}": (out[part], *inner[part]) for part in ("qkv", *parts)}
        inputs |= {f"b_{part}": (out[part],) for part in ("qkv", *parts)} if bias else {}
        case(f"detector, {name}", "conv_attention", detector_block, inputs, n_heads=n_heads, **more)

    conv("4 channels become 8", (1, 4, 3, 3))
    conv("batch, not square, no biases", (2, 4, 2, 3), bias=False)
    conv("attention only", (1, 4, 2, 3), parts=())
    conv("positional only, float32", (1, 4, 3, 2), n_heads=1, key_dim=2, parts=("pe",), dtype="float32")
    conv("projection only, full ratio", (1, 4, 2, 2), key_dim=2, parts=("proj",), attn_ratio=1.0)
    conv("key_dim rounded down", (1, 6, 1, 4))
    conv("one pixel", (2, 4, 1, 1))


def post_norm_cases():
    def post(name, given=(), lead=(2, 3), n_heads=2, d_k=2, d_v=2, norm=True, same=None, **more):
        inputs = {"q": (*lead, 4), "w_q": (4, n_heads * d_k), "w_k": (4, n_heads * d_k)} | dict(given)
        inputs |= {"w_v": (4, n_heads * d_v), "w_o": (n_heads * d_v, 4)}
        inputs |= {"gamma": (4,), "beta": (4,)} if norm else {}
        same = {"k": "q", "v": "q"} if same is None else same
        more |= {"n_heads": n_heads, "same": same}
        case(f"post norm, {name}", "post_norm_attention", post_norm_layer, inputs, **more)

    post("self-attention")
    post("no gamma, no beta", norm=False)
    post("no batch, own eps", lead=(3,), eps=1e-2)
    post("free d_k and d_v", n_heads=3, d_k=1, d_v=2)
    post("mask 3-D", {"attn_mask": seen(2, 3, 3)})
    post("mask 3-D, a row sees nothing", {"attn_mask": seen(2, 3, 3, nobody=(1,))})
    post("mask filled with -100, float32", {"attn_mask": seen(2, 3, 3)}, masked_fill=-100.0, dtype="float32")
    post("memory, mask 2-D", {"k": (2, 4, 4), "attn_mask": seen(3, 4)}, same={"v": "k"})
    post("memory, values apart", {"k": (2, 4, 4), "v": (2, 4, 4)}, same={})
    post("keys are the queries, values apart", {"v": (2, 3, 4)}, same={"k": "q"})


def plain_cases():
    def plain(name, implementation, inputs=(), function=None, **more):
        case(name, function or implementation.__name__, implementation, dict(inputs), **more)

    plain("softmax, a row of -inf", softmax, {"scores": added(3, 4, seen=seen(3, 4, nobody=(1,)))})
    plain("softmax, another axis, large", softmax, {"scores": added(2, 3, 2) * 500}, axis=1, dtype="float32")
    plain("split heads", heads_of, {"channels": (2, 3, 4)}, function="split_heads", n_heads=2)
    plain("merge heads", merged_of, {"heads": (2, 2, 3, 2)}, function="merge_heads")
    plain("repeat heads", repeat_heads, {"heads": (2, 2, 3, 2)}, times=3)
    plain("repeat heads, another axis", repeat_heads, {"heads": (2, 3, 2)}, times=2, axis=0)
    plain("causal mask", causal_mask, n_queries=4)
    plain("causal mask after a cache", causal_mask, n_queries=2, n_keys=5, offset=3)
    plain("window mask", window_mask, n_queries=5, left=2, right=1)
    plain("window mask after a cache", window_mask, n_queries=2, n_keys=5, left=1, offset=3)
    plain("padding mask", padding_mask, {"lengths": np.array([3, 0, 2])}, n_keys=3)
    plain("layer norm", layer_norm, {"rows": (2, 3, 4), "gamma": (4,), "beta": (4,)})
    plain("layer norm, large eps, float32", layer_norm, {"rows": (2, 3, 4)}, eps=0.5, dtype="float32")
    plain("conv 1x1", conv1x1, {"image": (2, 3, 2, 4), "weight": (5, 3), "bias": (5,)})
    shares = np.array([[[0.5, 0.25, 0.25]], [[0.125, 0.75, 0.125]]])
    plain("softmax at a temperature", softmax_at, {"scores": (2, 3, 4)}, temperature=2.5)
    plain(
        "softmax at a temperature, cold, float32",
        softmax_at,
        {"scores": (3, 4)},
        temperature=0.25,
        dtype="float32",
    )
    plain("plain shares", plain_shares, {"scores": np.array([[3.0, 2.0, 1.0], [0.5, 4.0, 0.25]])})
    plain("argmax shares", argmax_shares, {"scores": (2, 3, 4)})
    plain("softmax jacobian", softmax_jacobian, {"weights": shares})
    plain("entropy", entropy, {"weights": shares})
    case("fixed table", "fixed_table", fixed_table, {"x": (4, 3), "w_v": (3, 2), "table": (4, 4)})
    depthwise = {"image": (2, 3, 2, 4), "weight": (3, 3, 3), "bias": (3,)}
    plain("depth-wise conv 3x3", depthwise_conv3x3, depthwise)


# ---- the file ---------------------------------------------------------------------------------------------


def packed():
    """name -> array, as the file holds them."""
    file, described = {}, []
    for number, one in enumerate(CASES.values()):
        key = f"case_{number:03}"
        file[key] = np.concatenate([array.astype(one["dtype"]).ravel() for _, _, array in one["parts"]])
        parts = [[group, name, array.dtype.kind, list(array.shape)] for group, name, array in one["parts"]]
        described.append(one | {"numbers": key, "parts": parts})
    text = json.dumps({"torch": torch.__version__, "cases": described}, allow_nan=False)
    return {"cases": np.frombuffer(text.encode(), dtype=np.uint8), **file}


def check(file):
    """Raises unless the stored numbers are those of `file`, up to the last digits."""
    with np.load(FILE, allow_pickle=False) as stored:
        assert bytes(stored["cases"]) == bytes(file["cases"]), "other cases than stored"
        for name, numbers in file.items():
            close = 1e-5 if numbers.dtype == np.float32 else 1e-12
            np.testing.assert_allclose(numbers, stored[name], rtol=close, atol=close, err_msg=name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the stored file, write nothing")
    arguments = parser.parse_args()
    assert torch.__version__.split("+")[0] == TORCH, f"torch {TORCH} is needed, this is {torch.__version__}"
    torch.set_num_threads(1)
    for cases in (sdpa_cases, mha_cases, fused_cases, conv_cases, post_norm_cases, plain_cases):
        cases()
    file = packed()
    if arguments.check:
        check(file)
    else:
        np.savez_compressed(FILE, **file)
    print(f"{len(CASES)} cases, {FILE.stat().st_size} bytes in {FILE.name}")


if __name__ == "__main__":
    main()
