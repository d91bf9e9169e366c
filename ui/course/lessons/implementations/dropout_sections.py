"""What the lesson about implementations shows of dropout: one seed, many seeds, and who forgets to stop."""

import hashlib
from typing import NamedTuple

import numpy as np

from ui.course.engine.blocks import code, curve, matrix, plot, progress, row
from ui.course.engine.experiments import Experiment
from ui.course.engine.sections import Here
from ui.course.lessons.implementations.catalogue import Setting
from ui.course.lessons.implementations.dropout import DropoutMean, drop
from ui.course.lessons.implementations.listings import code_steps
from ui.course.lessons.implementations.sections import IDS, PLACES, names, steps, tokens, word

CHANCES = (0.1, 0.25, 0.5, 0.75, 0.9)  # of being dropped
SEEDS, PIECE = 4096, 512


def weights_of(here: Here) -> np.ndarray:
    return here.trace["weights"][0]


def before_and_after(here: Here) -> list[dict]:
    p, weights = here.knobs["p"], weights_of(here)
    found = drop(weights, p, here.whole("seed"))
    marks = dict.fromkeys(map(tuple, np.argwhere(~found.keep).tolist()), "hidden")
    sums = np.column_stack((weights.sum(axis=-1), found.row_sums))
    columns = [here.word("block.before"), here.word("block.after")]
    return [
        row(
            matrix(columns[0], weights, scale="share", decimals=PLACES),
            matrix(columns[1], found.after, scale="share", decimals=PLACES, marks=marks),
            matrix(here.word("block.sums"), sums, columns=columns, scale="plain", decimals=PLACES),
        )
    ]


def kept_at_one_half(here: Here) -> float:
    """What the first weight becomes if it stays and p is 0.5."""
    return float(weights_of(here)[0, 0]) / (1 - 0.5)


def dropout_facts(here: Here) -> dict:
    first = float(weights_of(here)[0, 0])
    return {"first": here.number(first, PLACES), "doubled": here.number(kept_at_one_half(here), PLACES)}


class Seeds(NamedTuple):
    """The mean over SEEDS seeds, PIECE of them at a time."""

    mean: DropoutMean

    @property
    def fraction(self) -> float:
        return self.mean.n / SEEDS

    def further(self) -> "Seeds":
        return Seeds(self.mean.more(min(PIECE, SEEDS - self.mean.n)))


def seeds_run(here: Here) -> Experiment | None:
    """The mean that was asked for, if one was."""
    p, times, weights = here.knobs["p"], here.whole("go"), weights_of(here)
    if not times:
        return None
    key = f"seeds {p} {times} {hashlib.sha256(weights.tobytes()).hexdigest()[:16]}"
    return Experiment(key, lambda: Seeds(DropoutMean(weights, p, (times - 1) * SEEDS)))


def many_seeds(here: Here) -> list[dict]:
    """The weights, their mean after dropout, and how the distance shrinks; nothing before it is asked for."""
    experiment, weights = seeds_run(here), weights_of(here)
    if experiment is None:
        return [matrix(here.word("block.weights"), weights, scale="share", decimals=PLACES)]
    mean = here.progress(experiment).mean
    points = mean.points
    distances = [
        curve(here.word("block.largest"), [point.largest for point in points]),
        curve(here.word("block.typical"), [point.typical for point in points], dash="dash"),
        curve(here.word("block.expected"), [point.expected for point in points], dash="dot"),
    ]
    return [
        progress(mean.n / SEEDS, here.word("block.progress", n=mean.n, all=SEEDS)),
        row(
            matrix(here.word("block.weights"), weights, scale="share", decimals=PLACES),
            matrix(here.word("block.mean"), mean.mean, scale="share", decimals=PLACES),
            matrix(here.word("block.sums"), mean.row_sums[:, None], scale="plain", decimals=PLACES),
        ),
        plot(
            here.word("block.plot"),
            [point.n for point in points],
            distances,
            (here.word("block.seeds"), here.word("block.distance")),
            log_x=True,
            log_y=True,
        ),
    ]


def in_training(here: Here) -> bool:
    return here.knobs["mode"] == 0


def still_dropping(here: Here) -> int:
    """How many of the eight drop weights in evaluation."""
    asked = Setting(dropout_p=0.5, training=False)
    return sum(not np.allclose(steps(here, one, asked)["dropped"].sum(axis=-1), 1) for one in IDS)


def row_sums(here: Here) -> list[dict]:
    """The sum of every row of weights after dropout, and the lines from which it can be told beforehand."""
    asked = Setting(dropout_p=0.5, seed=1, training=in_training(here))
    sums = np.array([steps(here, one, asked)["dropped"][0].sum(axis=-1) for one in IDS])
    off = [] if in_training(here) else map(tuple, np.argwhere(~np.isclose(sums, 1)).tolist())
    marks = dict.fromkeys(off, "wrong")
    shown = matrix(here.word("block.sums"), sums, names(here), tokens(sums.T), scale="plain", marks=marks)
    return [shown, row(*(listing for name in IDS for listing in dropping(here, name)))]


def dropping(here: Here, name: str) -> list[dict]:
    """The lines of an implementation that do the dropout or leave it to a function; none without dropout."""
    lines = [step.code for step in code_steps(name) if "dropout_p" in step.code]
    return [code(word(here, f"name.{name}"), text) for text in lines]
