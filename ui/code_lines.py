"""Each step as a line of code: NumPy, which is its formula, and PyTorch, in the same names."""

import math

import numpy as np

from attention_core import Trace
from attention_core.trace import Line, Step

# Operations that NumPy and PyTorch write alike.
ALIKE = {"scale", "add", "reshape"} | {f"{verb}_{part}" for verb in ("pick", "cut") for part in range(3)}

# Operations whose inputs are always the same in number: {0} is the first.
TEMPLATES = {
    "split": "{0}.unflatten(-1, ({1}, -1)).transpose(-2, -3)",
    "merge": "{0}.transpose(-2, -3).flatten(-2)",
    "repeat": "{0}.repeat_interleave({1}, dim=-3)",
    "concat": "torch.cat(({0}, {1}), dim=-2)",
    "softcap": "{1} * torch.tanh({0} / {1})",
    "dropout": "torch.where({1}, {0} / (1 - {2}), 0.0)",
}


def numpy_line(line: Line | Step, trace: Trace) -> str:
    """`scores = q_heads @ k_heads.mT`; empty for what was given."""
    return f"{line.name} = {line.formula}" if line.inputs else ""


def torch_line(line: Line | Step, trace: Trace) -> str:
    """The line of PyTorch that does the same; empty for what was given."""
    return f"{line.name} = {torch_expression(line, trace)}" if line.inputs else ""


def torch_expression(line: Line | Step, trace: Trace) -> str:
    if line.op in ALIKE:
        return line.formula
    if line.op in TEMPLATES:
        return TEMPLATES[line.op].format(*line.inputs)
    return RULES[line.op](line, trace)


def contract(line: Line | Step, trace: Trace) -> str:
    """A matrix product is written alike in both; a 1x1 convolution is not."""
    if not line.formula.startswith("conv1x1("):
        return line.formula
    image, weight, *bias = line.inputs
    return f"F.conv2d({', '.join([image, f'{weight}[:, :, None, None]', *bias])})"


def depthwise(line: Line | Step, trace: Trace) -> str:
    image, weight, *bias = line.inputs
    given = ", ".join([image, f"{weight}[:, None]", *bias])
    return f"F.conv2d({given}, padding=1, groups={image}.shape[1])"


def permute(line: Line | Step, trace: Trace) -> str:
    """PyTorch's `transpose` swaps two axes only."""
    return line.formula.replace(".transpose(", ".permute(")


def mask(line: Line | Step, trace: Trace) -> str:
    before = line.inputs[0]
    if "attn_mask" not in line.inputs:
        return f"{before}.masked_fill(~visible, masked_fill)"
    if "visible" not in line.inputs:
        return f"{before} + attn_mask"
    return f"({before} + attn_mask).masked_fill(~visible, masked_fill)"


def softmax(line: Line | Step, trace: Trace) -> str:
    """PyTorch makes NaN of a row with nothing to look at; here such a row is 0."""
    expression = f"torch.softmax({line.inputs[0]}, dim=-1)"
    return f"{expression}.nan_to_num(0.0)" if hides_a_row(trace) else expression


def layer_norm(line: Line | Step, trace: Trace) -> str:
    rows = line.inputs[0]
    gamma, beta = (name if name in line.inputs else "None" for name in ("gamma", "beta"))
    return f"F.layer_norm({rows}, {rows}.shape[-1:], {gamma}, {beta}, eps)"


RULES = {
    "contract": contract,
    "depthwise": depthwise,
    "permute": permute,
    "mask": mask,
    "softmax": softmax,
    "layer_norm": layer_norm,
}


def hides_a_row(trace: Trace) -> bool:
    """Whether some query has nothing to look at: all of its masked scores are -inf."""
    if "masked" not in trace.plan.by_name:
        return False
    return bool(np.isneginf(trace["masked"].max(axis=-1)).any())


def torch_function_line(trace: Trace) -> str:
    """From heads to head outputs by PyTorch's own function; empty where that does something else."""
    if not is_torch_function(trace):
        return ""
    given = [trace.step(name).name for name in ("q_heads", "present_key", "present_value")]
    seen = torch_function_mask(trace)
    if seen:
        given.append(f"attn_mask={seen}")
    given.append("scale=scale" if "scale" in trace.plan.by_name else "scale=1.0")
    if "n_shared" in trace.plan.by_name:
        given.append("enable_gqa=True")
    return f"by_torch = F.scaled_dot_product_attention({', '.join(given)})"


def torch_function_mask(trace: Trace) -> str:
    """The one mask that PyTorch's function takes, of two axes at least; empty without one."""
    masks = [name for name in ("visible", "attn_mask") if name in trace.plan.by_name]
    if not masks:
        return ""
    mask = masks[0] if len(masks) == 1 else "torch.where(visible, attn_mask, -torch.inf)"
    return f"{mask}[None]" if all(trace[name].ndim == 1 for name in masks) else mask


def is_torch_function(trace: Trace) -> bool:
    """Whether F.scaled_dot_product_attention does the same: softmax and masks of -inf, rows are tokens."""
    lines = trace.plan.by_name
    if any(name in lines for name in ("softcapped", "dropped")):
        return False
    if lines["q_heads"].axes[-1] == "query":  # channels first
        return False
    fills = trace["masked_fill"].item() if "masked_fill" in lines else -math.inf
    return fills == -math.inf and not hides_a_row(trace)
