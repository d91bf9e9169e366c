"""What lessons 1 and 2 show besides the board: the 2x2-pixel example, upright and turned on its side."""

from dataclasses import replace

import numpy as np

from attention_core import softmax
from attention_core.explain import settle
from attention_core.expressions import Number, Quotient
from ui.course.engine.blocks import matrix, row
from ui.course.engine.sections import Here
from ui.scenario.scenario import Scenario

# What the rows and columns of a matrix are, where they are not tokens and channels.
AXES = {"x": ("token", "feature"), "w_q": ("feature", "channel"), "weights": ("token", "token")}


def first_head(scenario: Scenario) -> Scenario:
    """The sentence of the home page as its first head sees it, for a lesson that has one head."""
    columns = slice(scenario.trace()["q_heads"].shape[-1])
    arrays = {name: [row[columns] for row in scenario.arrays[name]] for name in ("w_q", "w_k", "w_v")}
    return replace(scenario, arrays={"x": scenario.arrays["x"]} | arrays, options={"n_heads": 1})


def product_both_ways(here: Here, left: tuple[str, str], right: tuple[str, str], product: str) -> list[dict]:
    """A product of two matrices of the trace, (name, title) each, or with everything turned on its side."""
    turned = here.knobs["stored"] == 1
    parts = [(*left, here.slice(left[0])), (*right, here.slice(right[0]))]
    if turned:
        parts = [(name, f"{title}ᵀ", array.T) for name, title, array in parts[::-1]]
    made = parts[0][2] @ parts[1][2]
    parts.append((product, here.words(f"name.{product}") + ("ᵀ" if turned else ""), made))
    inks = {"w_q": "q", "q": "q", "v": "v"}
    drawn = []
    for name, title, array in parts:
        upright = array.T if turned else array
        axes = AXES.get(name, ("token", "channel"))
        labels = [here.scenario.labels(axis, n) for axis, n in zip(axes, upright.shape, strict=True)]
        scale = "share" if name == "weights" else "signed"
        labels = labels[::-1] if turned else labels
        drawn.append(matrix(title, array, *labels, name=name, ink=inks.get(name, ""), scale=scale))
    return [row(*drawn, title=here.word("block.channels" if turned else "block.tokens"))]


def projected_both_ways(here: Here) -> list[dict]:
    return product_both_ways(here, ("x", "X"), ("w_q", "Wq"), "q")


def mixed_both_ways(here: Here) -> list[dict]:
    return product_both_ways(here, ("weights", "A"), ("v", "V"), "output")


def difference_of_projections(here: Here) -> dict:
    """How far Q differs from the one computed with channels first, and the shape it has there."""
    x, w_q, q = (here.trace[name] for name in ("x", "w_q", "q"))
    first = "×".join(map(str, (1, 1, q.shape[1], q.shape[0])))
    return {"difference": float(np.abs((w_q.T @ x.T).T - q).max()), "first": first}


def difference_by_side(here: Here) -> dict:
    """How far the output differs from the one computed with channels first, and the shape of V there."""
    q, k, v = (here.trace[name].T for name in ("q", "k", "v"))  # channels first from here on
    weights = softmax(q.T @ k * float(here.trace["scale"]))
    turned = v @ weights.T
    difference = float(np.abs(turned.T - here.trace["output"]).max())
    return {"difference": round(difference, 12), "channels_first": "×".join(map(str, v.shape))}


def blended(here: Here) -> float:
    """Q of p0, first column, once half of c3 is let in."""
    return float(here.scenario.edited("w_q", {(3, 0): 0.5}).trace()["q"][0, 0])


def scaled_at_first(here: Here) -> dict:
    """How the score of p0 for p3 is scaled, whatever the scale is now: the width, its root and the result."""
    trace = here.start.trace()
    width, score = trace["q"].shape[-1], float(trace["scores"][0, 0, 3])
    quotient = Quotient(Number(score), Number(width**0.5))
    ((_, digits),), end = settle(quotient, score / width**0.5, here.scenario.view.decimals)
    root, scaled = digits.text(width**0.5), end.text(score / width**0.5)
    return {"width": str(width), "root": here.words.written(root), "scaled": here.words.written(scaled)}


def powers_of_p1(here: Here) -> dict:
    """What e to the low and the high score of p1 is."""
    low, high = here.slice("scaled")[1, :2]
    with np.errstate(over="ignore"):  # beyond 709 it is ∞
        return {"low": float(np.exp(low)), "high": float(np.exp(high))}


def shares_of_odd_pixels(here: Here) -> dict:
    """How much p0 and p1 give to p1 and p3 together."""
    weights = here.slice("weights")
    return {f"share{pixel}": float(weights[pixel, 1::2].sum()) for pixel in (0, 1)}


def outputs_part(here: Here) -> bool:
    """Whether p0 and p1 have different outputs."""
    first, second = here.trace["output"][:2]
    return bool(np.abs(first - second).max() > 0.005)
