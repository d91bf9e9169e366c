"""The formula of a step as mathematics writes it, in the names of the board, as LaTeX."""

import math

from attention_core import Trace
from attention_core.trace import Step
from ui.figures.operands import operands_in_order
from ui.numbers import as_latex
from ui.words import Words


def formula_of(step: Step, trace: Trace, words: Words) -> str:
    """`Q = X · Wq + bq` and the like; what only moves numbers is an arrow."""

    def called(name: str, place: str = "") -> str:
        return rf"\mathrm{{{words(f'name.{name}')}}}" + (f"_{{{place}}}" if place else "")

    first = called(step.inputs[0])
    if step.moved:
        return rf"{first} \to {called(step.name)}"
    match step.op:
        case "contract":
            right = product(step, trace, called)
        case "scale":
            right = scaled(step, trace, first, words)
        case "softcap":
            cap = number(trace["softcap"].item(), words)
            right = rf"{cap} \cdot \tanh \left( \frac{{{first}}}{{{cap}}} \right)"
        case "add":
            right = " + ".join(map(called, step.inputs))
        case "layer_norm":
            right = normalised(step, first, called)
        case "depthwise":
            image, weight = (called(name) for name in step.inputs[:2])
            moved = rf"{image}_{{c,y+i,x+j}}"
            return rf"{called(step.name, 'c,y,x')} = \sum_{{i,j}} {weight}_{{c,i,j}} \cdot {moved}"
        case _:
            return by_cell(step, trace, called, words)
    return f"{called(step.name)} = {right}"


def number(value: float, words: Words) -> str:
    return as_latex(words.brief(float(value), 4))


def product(step: Step, trace: Trace, called) -> str:
    """The operands as the algebra writes them, turned where they are, and a bias."""
    operands = [
        called(name) + (r"^{\top}" if turned else "") for name, turned in operands_in_order(step, trace)
    ]
    return " + ".join([r" \cdot ".join(operands), *map(called, step.inputs[2:])])


def scaled(step: Step, trace: Trace, first: str, words: Words) -> str:
    queries = trace.step("q_heads")
    width = queries.shape[queries.axes.index("key_feature")]
    scale = trace["scale"].item()
    if math.isclose(scale, width**-0.5, rel_tol=1e-6):
        return rf"\frac{{{first}}}{{\sqrt{{{width}}}}}"
    return rf"{first} \cdot {number(scale, words)}"


def normalised(step: Step, first: str, called) -> str:
    right = rf"\frac{{{first} - \mu}}{{\sqrt{{\sigma^{{2}} + \varepsilon}}}}"
    right += rf" \cdot {called('gamma')}" if "gamma" in step.inputs else ""
    return right + (f" + {called('beta')}" if "beta" in step.inputs else "")


def by_cell(step: Step, trace: Trace, called, words: Words) -> str:
    """Softmax, masks and dropout are said for one cell, query i and key j."""
    before, here = called(step.inputs[0], "ij"), called(step.name, "ij")
    if step.op == "softmax":
        every = called(step.inputs[0], "ik")
        return rf"{here} = \frac{{e^{{{before}}}}}{{\sum_{{k}} e^{{{every}}}}}"
    if step.op == "dropout":
        below, condition = f"1 - {number(trace['dropout_p'].item(), words)}", called("keep", "ij")
        kept = rf"\frac{{{before}}}{{{below}}}"
        otherwise = "0"
    else:
        kept = f"{before} + {called('attn_mask', 'ij')}" if "attn_mask" in step.inputs else before
        if "visible" not in step.inputs:
            return f"{here} = {kept}"
        condition = called("visible", "ij")
        fill = trace["masked_fill"].item()
        otherwise = r"-\infty" if math.isinf(fill) else r"-10^{9}"
    if_, else_ = (rf"\mathrm{{ {words(f'formula.{word}')} }}" for word in ("if", "else"))
    return f"{here} = {kept} {if_} {condition} , {otherwise} {else_}"
