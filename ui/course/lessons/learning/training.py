"""What lesson 10 shows of training: a run epoch by epoch, what it learned, and a table in its place."""

from functools import cache
from typing import NamedTuple

import numpy as np

from attention_core.tasks import Task
from attention_core.training import (
    GOAL,
    Learned,
    Run,
    attend,
    loss_of,
    loss_without_looking,
    matches,
    right_weights,
)
from ui.course.engine.blocks import curve, matrix, plot, progress, row, sentence, table
from ui.course.engine.experiments import Experiment
from ui.course.engine.sections import Here
from ui.course.lessons.learning.backward import sentence_scenario, task_of, token_names
from ui.scenario.scenario import Scenario

NAMES = ("copy", "find")
SHOWN = {"copy": 1, "find": 6}  # the unseen sentence on show: c a c b c, and a3 c3 b2 b1 c2 a2
N_EPOCHS = 200
PIECE = 20  # epochs at a time, of all runs together: about 40 ms of work
ENOUGH = 80  # epochs after which the equal token is found: few, for the board waits for them
RATES = (0.1, 0.3, 1, 2)
EPOCHS = (*range(0, 10), *range(10, 30, 2), *range(30, 80, 5), *range(80, 200, 20), N_EPOCHS)
FULL = 2.5  # the size of a learned number at which its shade is full, at every epoch


least_without_looking = cache(loss_without_looking)


class Training(NamedTuple):
    """Runs side by side, so many epochs of each."""

    runs: tuple[Run, ...]

    @property
    def fraction(self) -> float:
        left = [0 if run.is_finished else run.n_epochs - run.epoch for run in self.runs]
        return 1 - sum(left) / sum(run.n_epochs for run in self.runs)

    def further(self) -> "Training":
        runs = tuple(run.after(run.epoch) for run in self.runs)
        for run in runs:
            run.train(PIECE // len(runs))
        return Training(runs)


def weights_at(task: Task, learned: Learned, x: np.ndarray) -> np.ndarray:
    """(query, key) The attention weights of one sentence."""
    return attend(task, learned, x)["weights"][0]


def pointing(title: str, task: Task, learned: Learned, place: int, *, tell: bool = True) -> dict:
    """The weights on an unseen sentence, with the cell marked, if told, at which each token should look."""
    x, holders = task.unseen.x[place], task.unseen.holders[place]
    names = token_names(task, x)
    marks = {(token, int(holders[token])): "right" for token in np.flatnonzero(task.asked & tell).tolist()}
    if task.visible is not None:
        marks |= {(int(token), int(token)): "hidden" for token in range(task.n_tokens)}
    shown = weights_at(task, learned, x)
    return matrix(title, shown, names, names, name="weights", scale="share", marks=marks)


# A run, epoch by epoch


def training_run(here: Here) -> Experiment:
    """The run of the chosen task and rate."""
    name, rate = NAMES[here.whole("task")], here.knobs["rate"]
    return Experiment(f"run {name} {rate}", lambda: Training((Run(task_of(name), rate=rate),)))


def run_here(here: Here) -> tuple[Training, Run, int]:
    """The run as far as it is, and the epoch to show."""
    training = here.progress(training_run(here))
    [run] = training.runs
    return training, run, min(here.whole("epoch"), last_stop(run) if run.is_lost else run.epoch)


def last_stop(run: Run) -> int:
    """The last stop of the slider that the run got to."""
    return max(stop for stop in EPOCHS if stop <= run.epoch)


def epochs_to_see(here: Here) -> dict[str, float]:
    """A run that was lost has no later epochs."""
    [run] = here.progress(training_run(here)).runs
    return {"epoch": last_stop(run)} if run.is_lost else {}


def run_blocks(here: Here) -> list[dict]:
    """Progress, the weights on one sentence, the matrices that are learned, and the loss so far."""
    training, run, epoch = run_here(here)
    name, task, learned = NAMES[here.whole("task")], run.task, run.learned[epoch]
    place = SHOWN[name]
    output = run.trace(epoch, task.unseen.x[place]).output
    tokens = token_names(task, task.unseen.x[place])
    seen = row(
        pointing(here.word("block.weights"), task, learned, place, tell=epoch > 0),
        matrix(here.words("name.output"), output, tokens, task.channels, name="output", top=1),
        title=here.word(f"block.{name}", epoch=epoch),
    )
    given = (("w_q", "q"), ("w_k", "k"), ("w_v", "v"))
    moving = [
        matrix(here.words(f"name.{which}"), getattr(learned, which), task.features, ink=ink, top=FULL)
        for which, ink in given
    ]
    bar = progress(training.fraction, here.word("block.progress", epochs=run.epoch))
    found = [bar, seen, row(*moving), loss_plot(here, run, epoch)]
    return [sentence(here.word("block.lost"), tone="warning"), *found] if run.is_lost else found


def has_learned(here: Here) -> bool:
    """Whether the epoch on show is one at which the goal is reached."""
    _, run, epoch = run_here(here)
    return run.losses[epoch] < GOAL


def loss_plot(here: Here, run: Run, epoch: int) -> dict:
    """The loss of every epoch so far, beside the least that is possible without looking."""
    n_epochs = len(run.losses)
    alike = [least_without_looking(run.task)] * n_epochs
    series = [
        curve(here.word("block.loss"), run.losses),
        curve(here.word("block.alike"), alike, ink="plain", dash="dash"),
        curve(here.word("block.goal", goal=here.number(GOAL, 2)), [GOAL] * n_epochs, ink="v", dash="dot"),
    ]
    return by_epoch(here, n_epochs, series, at=epoch)


def by_epoch(here: Here, n_epochs: int, series: list[dict], at: int | None = None) -> dict:
    titles = here.word("block.epoch"), here.word("block.loss")
    return plot(here.word("block.curve"), range(n_epochs), series, titles, log_y=True, at=at, key="loss")


def run_facts(here: Here) -> dict:
    _, run, epoch = run_here(here)
    task, place = run.task, SHOWN[NAMES[here.whole("task")]]
    weights = weights_at(task, run.learned[epoch], task.unseen.x[place])
    right = right_weights(task, weights, task.unseen.holders[place])
    return {
        "first": here.number(run.losses[0], 2),
        "now": here.number(run.losses[epoch], 4),
        "epoch": str(epoch),
        "right": here.number(float(right.mean()), 2),
        "seen": len(task.seen),
        "alike": here.number(least_without_looking(task), 2),
    }


# What was learned, on the board


@cache
def found_equal() -> Learned:
    """What the task of finding the equal token has learned. Trained once, in well under 80 ms."""
    run = Run(task_of("find"), n_epochs=ENOUGH)
    run.train(ENOUGH)
    return run.learned[-1]


def trained(scenario: Scenario) -> Scenario:
    """An unseen sentence and what was learned from others."""
    task = task_of("find")
    return sentence_scenario(scenario, task, found_equal(), task.unseen.x[SHOWN["find"]])


def tried_on(learned: Learned, which: str) -> tuple[float, int, int]:
    """The loss on the seen or unseen sentences, the number of right answers, and of answers."""
    task = task_of("find")
    sentences = getattr(task, which)
    answers = attend(task, learned, sentences.x).output[:, task.asked].argmax(axis=-1)
    right = answers == sentences.target[:, task.asked].argmax(axis=-1)
    return loss_of(task, learned, sentences), int(right.sum()), right.size


def on_board(here: Here) -> Learned:
    """The matrices as they stand on the board."""
    return Learned(*(here.trace[name] for name in ("w_q", "w_k", "w_v")))


def learned_blocks(here: Here) -> list[dict]:
    """Which letter matches which, and how well sentences are answered that were never learned from."""
    task, learned = task_of("find"), on_board(here)
    title = here.word("block.matches")
    matched = matrix(title, matches(learned), task.features, task.features, top=FULL)
    lines = []
    for which in ("seen", "unseen"):
        loss, right, answers = tried_on(learned, which)
        lines.append([here.word(f"block.{which}"), here.number(loss, 4), f"{right} / {answers}"])
    headers = ["", here.word("block.loss"), here.word("block.answers")]
    return [row(matched, table(here.word("block.tried"), headers, lines))]


def learned_facts(here: Here) -> dict:
    task, learned = task_of("find"), found_equal()
    return {
        "numbers": sum(getattr(learned, which).size for which in learned.names),
        "weights": here.slice("weights").size,
        "sentences": here.number(task.n_possible, 0),
        "seen": len(task.seen),
        "epochs": ENOUGH,
    }


# A table learned in place of Wq and Wk


def table_run(here: Here) -> Experiment:
    """Two runs of the chosen task: one learns Wq and Wk, the other a table."""
    task = NAMES[here.whole("task")]
    return Experiment(
        f"table {task}", lambda: Training((Run(task_of(task)), Run(task_of(task), with_table=True)))
    )


def table_blocks(here: Here) -> list[dict]:
    """The losses of both, and the weights of both on a sentence of the learner's choice."""
    training = here.progress(table_run(here))
    by_w, by_table = training.runs
    place, n_epochs = here.whole("sentence"), len(by_w.losses)
    alike = [least_without_looking(by_w.task)] * n_epochs
    titles = (here.word("block.by_table"), here.word("block.by_w"))
    parts = [
        pointing(title, run.task, run.learned[-1], place)
        for title, run in zip(titles, (by_table, by_w), strict=True)
    ]
    series = [
        curve(titles[0], by_table.losses, ink="k", dash="dash"),
        curve(titles[1], by_w.losses),
        curve(here.word("block.alike"), alike, ink="plain", dash="dot"),
    ]
    curves = by_epoch(here, n_epochs, series)
    return [progress(training.fraction, here.word("block.progress")), row(*parts), curves]


def table_facts(here: Here) -> dict:
    by_w, by_table = here.progress(table_run(here)).runs
    return {
        "table": here.number(by_table.losses[-1], 3),
        "w": here.number(by_w.losses[-1], 3),
        "epoch": by_w.epoch,
        "alike": here.number(least_without_looking(by_w.task), 3),
        "cells": by_w.task.n_tokens**2,
    }
