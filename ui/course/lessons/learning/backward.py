"""What lesson 10 shows of one sentence: its loss, the slopes, and the way back."""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from attention_core import Trace, gradients
from attention_core.explain import settle
from attention_core.expressions import Number, Quotient, Sum
from attention_core.gradients import Gradients
from attention_core.tasks import DIGITS, LETTERS, TASKS, Task
from attention_core.training import Learned, first_weights, squared_error
from ui.course.engine.blocks import covered, formula, matrix, row, table
from ui.course.engine.sections import Here
from ui.message.arithmetic import equation, ink_of
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Scenario

SENTENCE = 16  # of those seen by the copy task: b a c a c
GIVEN = ("x", "w_q", "w_k", "w_v")
# The backward pass, one product at a time: its formula and its operands; "d q" is the slope of q, T turns it.
WAY_BACK = {
    "output": (r"d_{O} = \frac{2}{N} (O - T)", ("output", "target")),
    "weights": (r"d_{A} = d_{O} V^{\top}", ("d output", "v T")),
    "v": (r"d_{V} = A^{\top} d_{O}", ("weights T", "d output")),
    "scaled": (r"d_{S} = A \cdot (d_{A} - \sum A \cdot d_{A})", ("weights", "d weights")),
    "q": (r"d_{Q} = \frac{1}{\sqrt{D}} d_{S} K", ("d scaled", "k")),
    "w_q": (r"d_{W} = X^{\top} d_{Q}", ("x T", "d q")),
}
STOPS = (*WAY_BACK, "all")
BOARD = (
    ("w_q", "w_k", "w_v"),
    ("q", "k", "v"),
    ("scaled", "weights"),
    ("output",),
)  # all slopes, as on the board


@cache
def task_of(name: str) -> Task:
    return TASKS[name]()


def token_names(task: Task, x: np.ndarray) -> list[str]:
    """Each token by its letter, and its digit where it has one."""
    marks = {*LETTERS, *DIGITS}
    named = [[name for name, is_on in zip(task.features, line, strict=True) if is_on > 0.5] for line in x]
    return ["".join(name for name in names if name in marks) for names in named]


def sentence_scenario(scenario: Scenario, task: Task, learned: Learned, x: np.ndarray) -> Scenario:
    """One sentence of a task on the board. Weights have two places, so that all of each can be read."""
    arrays = {name: np.round(getattr(learned, name), 2).tolist() for name in GIVEN[1:]}
    names = {"token": token_names(task, x), "feature": list(task.features)}
    names |= {"v_channel": list(task.channels), "channel": list(task.channels)}
    options = {"n_heads": 1}
    if task.visible is not None:
        options["attn_mask"] = task.visible.tolist()
    return replace(scenario, arrays={"x": x.tolist()} | arrays, options=options, names=names)


def untrained(scenario: Scenario) -> Scenario:
    """A sentence to copy, before anything is learned."""
    task = task_of("copy")
    return sentence_scenario(scenario, task, first_weights(task), task.seen.x[SENTENCE])


def target() -> np.ndarray:
    """What the sentence on the board should give, (token, channel)."""
    return task_of("copy").seen.target[SENTENCE]


def loss_of(trace: Trace) -> float:
    return squared_error(task_of("copy"), trace.output, target())[0]


def slopes_of(trace: Trace) -> Gradients:
    """The gradient of the loss with respect to every step and weight."""
    return gradients(trace, squared_error(task_of("copy"), trace.output, target())[1])


class AtFirst(NamedTuple):
    """The sentence on the board before the learner changes anything."""

    trace: Trace
    slopes: Gradients
    loss: float


@cache
def at_first() -> AtFirst:
    trace = untrained(load_preset("pixels_2x2")).trace()
    return AtFirst(trace, slopes_of(trace), loss_of(trace))


# How far from right


def distances(trace: Trace) -> np.ndarray:
    """(token,) The squared distance between each output and its target."""
    return ((trace.output - target()) ** 2).sum(axis=-1)


def loss_formula(here: Here) -> dict:
    """The loss as the mean of the squared distances, with the present numbers."""
    asked = distances(here.trace)[task_of("copy").asked]
    mean = Quotient(Sum(tuple(map(Number, asked.tolist()))), Number(len(asked)))
    line = equation(settle(mean, float(asked.mean()), 3), float(asked.mean()), here.words)
    return formula(rf"\mathrm{{{here.word('block.loss')}}} = {line}")


def miss_blocks(here: Here) -> list[dict]:
    """The target, how far each token is from it, and the loss."""
    task, tokens = task_of("copy"), here.scenario.names["token"]
    unasked = {(0, column): "hidden" for column in range(len(task.channels))}
    wanted = matrix(here.word("block.target"), target(), tokens, task.channels, marks=unasked, decimals=0)
    if not here.answered:
        wanted = covered(wanted, [len(tokens) - 1])  # that row is the answer
    squared = distances(here.trace)[:, None]
    far = matrix(here.word("block.distance"), squared, tokens, marks={(0, 0): "hidden"}, top=2)
    return [row(wanted, far), loss_formula(here)]


def miss_facts(here: Here) -> dict:
    losses = {"loss": here.number(loss_of(here.trace), 3), "before": here.number(at_first().loss, 3)}
    return losses | {"asked": int(task_of("copy").asked.sum())}


def wanted_letter(here: Here) -> str:
    """The letter that the last token should answer with."""
    return LETTERS[int(target()[-1].argmax())]


def has_less_loss(here: Here) -> bool:
    """Whether the learner has made the loss smaller than it was."""
    return loss_of(here.trace) < at_first().loss - 1e-6


# The slope of the loss


def steepest() -> tuple[int, int]:
    """The cell of w_v at which the loss is steepest, when the section begins."""
    slopes = at_first().slopes["w_v"]
    place = np.unravel_index(np.abs(slopes).argmax(), slopes.shape)
    return int(place[0]), int(place[1])


def tenth_of_slope(here: Here) -> float:
    """About how much the loss changes when the steepest number grows by 0.1."""
    return 0.1 * float(at_first().slopes["w_v"][steepest()])


def foretold(here: Here) -> float:
    """The change of the loss by the slopes alone: the sum of slope times change over all that was given."""
    before, slopes, _ = at_first()
    return float(sum((slopes[name] * (here.trace[name] - before[name])).sum() for name in GIVEN))


def slope_blocks(here: Here) -> list[dict]:
    """The slopes of w_v, and what they said about the learner's change beside what happened."""
    task = task_of("copy")
    marks = {steepest(): "lit"}
    title, slopes = here.word("block.slopes"), at_first().slopes["w_v"]
    shown = matrix(title, slopes, task.features, task.channels, ink="v", marks=marks, decimals=3)
    real = loss_of(here.trace) - at_first().loss
    lines = [
        [here.word("block.foretold"), here.number(foretold(here), 4)],
        [here.word("block.real"), here.number(real, 4)],
    ]
    compared = table(here.word("block.compared"), ["", here.word("block.change")], lines)
    return [row(shown, compared), loss_formula(here)]


def slope_facts(here: Here) -> dict:
    feature, channel = steepest()
    task, slope = task_of("copy"), float(at_first().slopes["w_v"][feature, channel])
    place = {"row": task.features[feature], "column": task.channels[channel]}
    numbers = {"slope": here.number(slope, 3), "tenth": here.number(0.1 * slope, 3)}
    return place | numbers


# The way back


def operand(here: Here, slopes: Gradients, wanted: str) -> dict:
    """A matrix of the backward pass: a step of the trace, its slope, or the target."""
    name = wanted.removeprefix("d ").removesuffix(" T")
    is_slope, is_turned = wanted.startswith("d "), wanted.endswith(" T")
    step = here.trace.step("output" if name == "target" else name)
    array = slopes[name] if is_slope else target() if name == "target" else step.value
    array = array[0] if array.ndim == 3 else array  # the only head
    labels = [here.scenario.labels(*pair) for pair in zip(step.axes[-2:], array.shape, strict=True)]
    title = here.word("block.target") if name == "target" else here.words(f"name.{name}")
    if is_slope:
        title = here.word("block.slope_of", name=title)
    if is_turned:
        array, labels, title = array.T, labels[::-1], f"{title}ᵀ"
    scale = "share" if name == "weights" and not is_slope else "signed"
    return matrix(title, array, *labels, ink=ink_of(name), scale=scale, decimals=3 if is_slope else 2)


def back_blocks(here: Here) -> list[dict]:
    """The chosen product of the backward pass: formula, operands, result; or all slopes at once."""
    name, slopes = STOPS[here.whole("back")], slopes_of(here.trace)
    if name == "all":
        return [row(*(operand(here, slopes, f"d {step}") for step in steps)) for steps in BOARD]
    latex, operands = WAY_BACK[name]
    sizes = {"N": int(task_of("copy").asked.sum()), "D": here.trace["q"].shape[-1]}
    for letter, size in sizes.items():
        latex = latex.replace(f"{{{letter}}}", f"{{{size}}}")
    parts = [operand(here, slopes, wanted) for wanted in (*operands, f"d {name}")]
    return [formula(latex, here.word(f"block.back_{name}")), row(*parts)]


def back_facts(here: Here) -> dict:
    """To how many places the product of the last step agrees with what `gradients` says."""
    trace, slopes = here.trace, slopes_of(here.trace)
    by_hand = trace["x"].T @ (slopes["scores"][0] @ trace["k"])
    off = float(np.abs(by_hand - slopes["w_q"]).max())
    return {"places": min(15, int(-np.log10(max(off, 1e-15))))}
