"""The backward pass: each operation hands the gradient of its result to its inputs."""

import numpy as np

from .checks import check_finite, read_array
from .contraction import contract, sum_to
from .errors import AttentionError, Phrase
from .origins import moved_names, one_step_back
from .pieces import depthwise_conv3x3
from .trace import Step, Trace


class Gradients(dict):
    """Gradients by name; a name that stands for another step in the trace does so here too."""

    def __init__(self, trace: Trace):
        super().__init__()
        self.trace = trace

    def __missing__(self, name: str) -> np.ndarray:
        found = self.trace.step(name).name
        if found not in self.keys():
            raise AttentionError("no_gradient", given=found, names=", ".join(self))
        return self[found]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.trace and self.trace.step(name).name in self.keys()

    def get(self, name: str, default=None):
        if name not in self:
            return default
        return self[name]


@np.errstate(all="ignore")
def gradients(trace: Trace, d_output=None) -> Gradients:
    """d(sum of output · d_output)/d(every float step, input, weight and bias), by name.

    Without d_output: the gradient of the sum of the output.
    """
    output = trace.output
    if d_output is None:
        d_output = np.ones_like(output)
    else:
        d_output = read_array("d_output", d_output).astype(output.dtype, copy=False)
        if d_output.shape != output.shape:
            facts = {"shape": d_output.shape, "needed": output.shape, "other": Phrase("the_output")}
            raise AttentionError("shape", name="d_output", **facts)
        check_finite([("d_output", d_output)])
    found = Gradients(trace)
    floats = [
        line.name for line in trace.plan.lines if line.op != "number" and trace[line.name].dtype.kind == "f"
    ]
    for name in floats:
        found[name] = np.zeros_like(trace[name])
    found[floats[-1]] = d_output
    for line in reversed(trace.plan.lines):
        if line.inputs:
            step = trace.step(line.name)
            backward = scatter if step.moved else BACKWARD[step.op]
            for name, part in backward(trace, step, found[step.name]):
                found[name] = found[name] + part
    for name, array in found.items():
        if not np.isfinite(array).all():
            raise AttentionError("overflow", step=Phrase("gradient_of", name=name), dtype=array.dtype)
        array.setflags(write=False)
    return found


def through_contraction(trace: Trace, step: Step, d_step):
    a, b, *bias = (trace.step(name) for name in step.inputs)
    yield a.name, contract(d_step, step.axes, b.value, b.axes, a.axes)
    yield b.name, contract(d_step, step.axes, a.value, a.axes, b.axes)
    for given in bias:
        yield given.name, sum_to(d_step, step.axes, given.axes)


def through_scale(trace: Trace, step: Step, d_step):
    yield step.inputs[0], d_step * trace["scale"].astype(d_step.dtype)


def through_softcap(trace: Trace, step: Step, d_step):
    capped = step.value / trace["softcap"].astype(d_step.dtype)  # tanh(scaled / softcap)
    yield step.inputs[0], d_step * (1 - capped * capped)


def through_mask(trace: Trace, step: Step, d_step):
    if "visible" in step.inputs:
        d_step = np.where(trace["visible"], d_step, 0)
    yield step.inputs[0], d_step
    if "attn_mask" in step.inputs:
        mask = trace["attn_mask"]
        lead = d_step.ndim - mask.ndim
        wide = tuple(i for i in range(d_step.ndim) if i < lead or mask.shape[i - lead] == 1)
        yield "attn_mask", d_step.sum(axis=wide, keepdims=True).reshape(mask.shape)


def through_softmax(trace: Trace, step: Step, d_step):
    weights = step.value  # the Jacobian of a row is diag(w) - w wᵀ
    yield step.inputs[0], weights * (d_step - (d_step * weights).sum(axis=-1, keepdims=True))


def through_dropout(trace: Trace, step: Step, d_step):
    kept = d_step / (1 - trace["dropout_p"].astype(d_step.dtype))
    yield step.inputs[0], np.where(trace["keep"], kept, 0)


def through_add(trace: Trace, step: Step, d_step):
    for name in step.inputs:
        yield name, d_step


def through_layer_norm(trace: Trace, step: Step, d_step):
    rows = trace[step.inputs[0]]
    centred = rows - rows.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + trace["eps"].astype(rows.dtype))
    normal = centred / spread
    every_row = tuple(range(rows.ndim - 1))
    if "gamma" in step.inputs:
        yield "gamma", (d_step * normal).sum(axis=every_row)
    if "beta" in step.inputs:
        yield "beta", d_step.sum(axis=every_row)
    d_normal = d_step * trace["gamma"] if "gamma" in step.inputs else d_step
    mean = d_normal.mean(axis=-1, keepdims=True)
    along = (d_normal * normal).mean(axis=-1, keepdims=True)
    yield step.inputs[0], (d_normal - mean - normal * along) / spread


def through_depthwise(trace: Trace, step: Step, d_step):
    image, weight = (trace[name] for name in step.inputs[:2])
    yield step.inputs[0], depthwise_conv3x3(d_step, weight[:, ::-1, ::-1])
    *_, height, width = image.shape
    padded = np.pad(image, [(0, 0), (0, 0), (1, 1), (1, 1)])
    d_weight = np.empty_like(weight)
    for row in range(3):
        for column in range(3):
            seen = padded[..., row : row + height, column : column + width]
            d_weight[:, row, column] = (d_step * seen).sum(axis=(0, 2, 3))
    yield step.inputs[1], d_weight
    if len(step.inputs) > 2:
        yield step.inputs[2], d_step.sum(axis=(0, 2, 3))


def scatter(trace: Trace, step: Step, d_step):
    """A step that only moves numbers sends each gradient back to where its number came from."""
    found = one_step_back(trace, step)
    for number, name in enumerate(moved_names(trace, step)):
        here = found.which == number
        source = trace[name]
        sums = np.bincount(found.flat[here], weights=d_step[here], minlength=source.size)
        yield name, sums.astype(source.dtype).reshape(source.shape)


BACKWARD = {
    "contract": through_contraction,
    "scale": through_scale,
    "softcap": through_softcap,
    "mask": through_mask,
    "softmax": through_softmax,
    "dropout": through_dropout,
    "add": through_add,
    "layer_norm": through_layer_norm,
    "depthwise": through_depthwise,
}
