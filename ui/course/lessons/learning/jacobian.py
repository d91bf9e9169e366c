"""What lesson 10 shows of softmax: the Jacobian of a row, and how it fades as the row gets decided."""

import numpy as np

from attention_core import softmax, softmax_jacobian
from ui.course.engine.blocks import curve, formula, matrix, plot, row
from ui.course.engine.sections import Here

TIMES = (0.25, 0.5, 1, 1.5, 2, 3, 4)


def chosen_row(here: Here, times: float) -> np.ndarray:
    """The weights of the chosen row, once its scores are multiplied."""
    return softmax(times * here.slice("scaled")[here.whole("row")])


def column_sum(here: Here) -> float:
    """What the first column of the chosen row's Jacobian adds up to, to twelve places."""
    return round(float(softmax_jacobian(chosen_row(here, here.knobs["times"]))[:, 0].sum()), 12)


def jacobian_blocks(here: Here) -> list[dict]:
    """The Jacobian of the chosen row, and how it fades as the row gets sharper."""
    names, times = here.scenario.names["token"], here.knobs["times"]
    weights = chosen_row(here, times)
    parts = [
        matrix(here.word("block.row"), weights, columns=names, scale="share", decimals=3),
        matrix(here.word("block.jacobian"), softmax_jacobian(weights), names, names, top=0.25, decimals=3),
    ]
    x = np.linspace(0, TIMES[-1], 81)
    weights = softmax(x[:, None] * here.slice("scaled")[here.whole("row")])
    largest = (weights * (1 - weights)).max(axis=1)  # beside the diagonal nothing is above 0
    curves = [curve(here.word("block.largest"), largest)]
    titles = here.word("block.times"), here.word("block.largest")
    fading = plot(here.word("block.fading"), x, curves, titles, at=times)
    return [formula(r"J = \mathrm{diag}(w) - w w^{\top}"), row(*parts), fading]


def jacobian_facts(here: Here) -> dict:
    """Of the first row, whose largest weight wins, and of the second, where two are equal."""
    alone, sharp = (softmax(place * here.slice("scaled")[:2]) for place in (1, TIMES[-1]))
    top = int(alone[0].argmax())
    return {
        "weight": here.number(float(alone[0, top]), 3),
        "rise": here.number(float(softmax_jacobian(alone[0])[top, top]), 3),
        "sharp": here.number(float(softmax_jacobian(sharp[0]).max()), 3),
        "tied": here.number(float(softmax_jacobian(sharp[1]).max()), 2),
        "times": here.number(TIMES[-1], 0),
        "sum": here.number(column_sum(here), 2),
    }
