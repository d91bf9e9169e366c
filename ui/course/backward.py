"""What lesson 10 shows of one sentence: its loss, the slopes, the way back, and softmax's part in it."""

from dataclasses import replace
from functools import cache

import numpy as np

from attention_core import Trace, gradients, softmax
from attention_core.gradients import Gradients
from attention_core.tasks import DIGITS, LETTERS, TASKS, Task
from attention_core.training import Learned, first_weights, squared_error
from ui.arithmetic import ink_of
from ui.course.blocks import curve, formula, matrix, plot, row, table
from ui.course.moments import Here, as_text
from ui.numbers import write_number
from ui.scenario import Scenario

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
TIMES = (0.25, 0.5, 1, 1.5, 2, 3, 4)


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


# How far from right


def distances(trace: Trace) -> np.ndarray:
    """(token,) The squared distance between each output and its target."""
    return ((trace.output - target()) ** 2).sum(axis=-1)


def loss_formula(here: Here) -> dict:
    """The loss as the mean of the squared distances, with the present numbers."""
    asked = distances(here.trace)[task_of("copy").asked]
    terms = " + ".join(f"{distance:.2f}" for distance in asked)
    latex = rf"\mathrm{{{here.word('block.loss')}}} = \frac{{{terms}}}{{{len(asked)}}} = {asked.mean():.3f}"
    return formula(latex)


def miss_blocks(here: Here) -> list[dict]:
    """The target, how far each token is from it, and the loss."""
    task, tokens = task_of("copy"), here.scenario.names["token"]
    unasked = {(0, column): "hidden" for column in range(len(task.channels))}
    wanted = matrix(here.word("block.target"), target(), tokens, task.channels, marks=unasked, decimals=0)
    squared = distances(here.trace)[:, None]
    far = matrix(here.word("block.distance"), squared, tokens, marks={(0, 0): "hidden"}, top=2)
    return [row(wanted, far), loss_formula(here)]


def miss_facts(here: Here) -> dict:
    asked = int(task_of("copy").asked.sum())
    return {"loss": write_number(loss_of(here.trace), 3), "asked": asked} | start_facts(here)


def start_facts(here: Here) -> dict:
    return {"before": write_number(loss_of(here.start.trace()), 3)}


def wanted_letter(here: Here) -> str:
    """The letter that the last token should answer with."""
    return LETTERS[int(target()[-1].argmax())]


def has_less_loss(here: Here) -> bool:
    """Whether the learner has made the loss smaller than it was."""
    return loss_of(here.trace) < loss_of(here.start.trace()) - 1e-6


# The slope of the loss


def steepest(here: Here) -> tuple[int, int]:
    """The cell of w_v at which the loss is steepest, when the moment begins."""
    slopes = slopes_of(here.start.trace())["w_v"]
    place = np.unravel_index(np.abs(slopes).argmax(), slopes.shape)
    return int(place[0]), int(place[1])


def tenth_of_slope(here: Here) -> float:
    """About how much the loss changes when the steepest number grows by 0.1."""
    return 0.1 * float(slopes_of(here.start.trace())["w_v"][steepest(here)])


def foretold(here: Here) -> float:
    """The change of the loss by the slopes alone: the sum of slope times change over all that was given."""
    before, slopes = here.start.trace(), slopes_of(here.start.trace())
    return float(sum((slopes[name] * (here.trace[name] - before[name])).sum() for name in GIVEN))


def slope_blocks(here: Here) -> list[dict]:
    """The slopes of w_v, and what they said about the learner's change beside what happened."""
    task = task_of("copy")
    slopes = slopes_of(here.start.trace())["w_v"]
    marks = {steepest(here): "lit"}
    title = here.word("block.slopes")
    shown = matrix(title, slopes, task.features, task.channels, ink="v", marks=marks, decimals=3)
    real = loss_of(here.trace) - loss_of(here.start.trace())
    lines = [
        [here.word("block.foretold"), write_number(foretold(here), 4)],
        [here.word("block.real"), write_number(real, 4)],
    ]
    compared = table(here.word("block.compared"), ["", here.word("block.change")], lines)
    return [row(shown, compared), loss_formula(here)]


def slope_facts(here: Here) -> dict:
    feature, channel = steepest(here)
    task = task_of("copy")
    slope = float(slopes_of(here.start.trace())["w_v"][feature, channel])
    place = {"row": task.features[feature], "column": task.channels[channel]}
    numbers = {"slope": write_number(slope, 3), "tenth": write_number(0.1 * slope, 3)}
    return place | numbers | {"down": write_number(-slope, 3)}


# The way back


def operand(here: Here, wanted: str) -> dict:
    """A matrix of the backward pass: a step of the trace, its slope, or the target."""
    name = wanted.removeprefix("d ").removesuffix(" T")
    is_slope, is_turned = wanted.startswith("d "), wanted.endswith(" T")
    step = here.trace.step("output" if name == "target" else name)
    array = slopes_of(here.trace)[name] if is_slope else target() if name == "target" else step.value
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
    name = STOPS[here.knobs["back"]]
    if name == "all":
        return [row(*(operand(here, f"d {step}") for step in steps)) for steps in BOARD]
    latex, operands = WAY_BACK[name]
    sizes = {"N": int(task_of("copy").asked.sum()), "D": here.trace["q"].shape[-1]}
    for letter, size in sizes.items():
        latex = latex.replace(f"{{{letter}}}", f"{{{size}}}")
    parts = [operand(here, wanted) for wanted in (*operands, f"d {name}")]
    return [formula(latex, here.word(f"block.back_{name}")), row(*parts)]


def back_facts(here: Here) -> dict:
    """To how many places the product of the last step agrees with what `gradients` says."""
    trace, slopes = here.trace, slopes_of(here.trace)
    by_hand = trace["x"].T @ (slopes["scores"][0] @ trace["k"])
    off = float(np.abs(by_hand - slopes["w_q"]).max())
    return {"places": min(15, int(-np.log10(max(off, 1e-15))))}


# Softmax's part in it


def softmax_jacobian(weights: np.ndarray) -> np.ndarray:
    """(weight, score) How fast each weight of one row rises with each score: diag(w) - w wᵀ."""
    return np.diag(weights) - np.outer(weights, weights)


def chosen_row(here: Here, times: float) -> np.ndarray:
    """The weights of the chosen row, once its scores are multiplied."""
    return softmax(times * here.slice("scaled")[here.knobs["row"]])


def jacobian_blocks(here: Here) -> list[dict]:
    """The Jacobian of the chosen row, and how it fades as the row gets sharper."""
    names, times = here.scenario.names["token"], here.knobs["times"]
    weights = chosen_row(here, times)
    parts = [
        matrix(here.word("block.row"), weights, columns=names, scale="share", decimals=3),
        matrix(here.word("block.jacobian"), softmax_jacobian(weights), names, names, top=0.25, decimals=3),
    ]
    x = np.linspace(0, TIMES[-1], 81)
    largest = [softmax_jacobian(chosen_row(here, place)).max() for place in x]
    labels = {"x_title": here.word("block.times"), "y_title": here.word("block.largest")}
    curves = [curve(here.word("block.largest"), largest)]
    fading = plot(here.word("block.fading"), x, curves, **labels, at=times)
    return [formula(r"J = \mathrm{diag}(w) - w w^{\top}"), row(*parts), fading]


def jacobian_facts(here: Here) -> dict:
    """Of the first row, whose largest weight wins, and of the second, where two are equal."""
    alone, sharp = (softmax(place * here.slice("scaled")[:2]) for place in (1, TIMES[-1]))
    top = int(alone[0].argmax())
    return {
        "weight": write_number(float(alone[0, top]), 3),
        "rise": write_number(float(softmax_jacobian(alone[0])[top, top]), 3),
        "sharp": write_number(float(softmax_jacobian(sharp[0]).max()), 3),
        "tied": write_number(float(softmax_jacobian(sharp[1]).max()), 2),
        "times": as_text(TIMES[-1], 0),
        "sum": as_text(round(float(softmax_jacobian(alone[0])[:, 0].sum()), 12), 2),
    }
