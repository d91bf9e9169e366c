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


# What a formula calls by name, written out in NumPy alone; {name} is the step.
NUMPY = {
    "split": "{name} = {0}.reshape(*{0}.shape[:-1], {1}, -1).swapaxes(-2, -3)",
    "merge": "{name} = {0}.swapaxes(-2, -3).reshape(*{0}.shape[:-3], {0}.shape[-2], -1)",
    "repeat": "{name} = np.repeat({0}, {1}, axis=-3)",
    "concat": "{name} = np.concatenate(({0}, {1}), axis=-2)",
    "softcap": "{name} = {1} * np.tanh({0} / {1})",
    "dropout": "{name} = np.where({1}, {0} / (1 - {2}), 0)",
}


def numpy_lines(step: Step, trace: Trace) -> str:
    """The same in NumPy alone, as one would write it without a library: one line, or a few."""
    if step.op in NUMPY:
        text = NUMPY[step.op].format(*step.inputs, name=step.name)
    else:
        rule = {"softmax": numpy_softmax, "layer_norm": numpy_layer_norm, "depthwise": numpy_depthwise}
        text = rule[step.op](step, trace) if step.op in rule else numpy_expression(step)
    numbers = [name for name in step.inputs if trace.step(name).op == "number"]
    known = ", ".join(f"{name} = {trace[name].item():.4g}" for name in numbers)
    return f"{text}  # {known}" if known else text


def numpy_expression(step: Step) -> str:
    formula = step.formula.replace("where(", "np.where(")
    if formula.startswith("conv1x1("):
        image, weight, *bias = step.inputs
        formula = f'np.einsum("oc,bchw->bohw", {weight}, {image})'
        formula += "".join(f" + {name}[:, None, None]" for name in bias)
    return f"{step.name} = {formula}"


def numpy_softmax(step: Step, trace: Trace) -> str:
    """In two lines; a row with nothing to look at would be NaN, and is 0."""
    [scores] = step.inputs
    shares = "powers / powers.sum(axis=-1, keepdims=True)"
    shares = f"np.nan_to_num({shares})" if hides_a_row(trace) else shares
    return f"powers = np.exp({scores} - {scores}.max(axis=-1, keepdims=True))\n{step.name} = {shares}"


def numpy_layer_norm(step: Step, trace: Trace) -> str:
    rows = step.inputs[0]
    times = " * gamma" if "gamma" in step.inputs else ""
    plus = " + beta" if "beta" in step.inputs else ""
    centred = f"centred = {rows} - {rows}.mean(axis=-1, keepdims=True)"
    spread = "np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)"
    return f"{centred}\n{step.name} = centred / {spread}{times}{plus}"


def numpy_depthwise(step: Step, trace: Trace) -> str:
    image, weight, *bias = step.inputs
    plus = "".join(f" + {name}[:, None, None]" for name in bias)
    return (
        f"padded = np.pad({image}, [(0, 0), (0, 0), (1, 1), (1, 1)])\n"
        f"height, width = {image}.shape[-2:]\n"
        f"{step.name} = sum(\n"
        f"    {weight}[:, i, j, None, None] * padded[..., i : i + height, j : j + width]\n"
        f"    for i in range(3) for j in range(3)\n"
        f"){plus}"
    )


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


def key_width(trace: Trace) -> int:
    """d_k: the numbers that a query and a key have in common."""
    queries = trace.step("q_heads")
    return queries.shape[queries.axes.index("key_feature")]


def usual_scale(trace: Trace) -> float:
    return 1 / math.sqrt(key_width(trace))


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
