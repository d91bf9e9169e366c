"""Multi-head attention: from inputs to Q, K and V, to heads, and back through the output projection."""

from typing import NamedTuple

import numpy as np

from . import plans
from .attention import Heads, attend_heads
from .checks import (
    check_computed,
    check_goes_with,
    check_heads,
    check_kv_heads,
    check_linear,
    check_ndim,
    check_size,
    read_arrays,
    read_count,
    read_flag,
)
from .errors import AttentionError, Phrase
from .fast.few_tokens import attend_few_tokens
from .fast.threads import product
from .options import Choices, read_choices
from .pieces import merge_heads, split_heads
from .trace import Trace


class Sources(NamedTuple):
    """The inputs that keys and values are projected from."""

    key: str
    value: str


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
        trace = attend_few_tokens(x, w_q, w_k, w_v, w_o, n_heads)
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
    merged = merge_heads(heads.values["head_outputs"])
    if "w_o" not in given:
        return {"output": merged}
    projected, _ = project(step, "merged", "w_o", "b_o", given | {"merged": merged})
    return {"merged": merged, step: projected}


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
