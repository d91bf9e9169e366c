"""What lesson 7 shows first: random dot products, and what softmax makes of them."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from attention_core import (
    Saturation,
    VarianceExperiment,
    random_pairs,
    random_scores,
    running_dot_products,
    saturation,
    softmax,
    softmax_jacobian,
    variance_experiment,
)
from attention_core.explain import settle
from attention_core.expressions import Number, Sum
from ui.course.engine.blocks import curve, formula, matrix, plot, progress, row, sentence, table
from ui.course.engine.experiments import Experiment
from ui.course.engine.sections import Here
from ui.course.lessons.softmax import attention_with
from ui.message.arithmetic import equation
from ui.scenario.scenario import Scenario

WIDTHS = tuple(2**power for power in range(11))  # of d_k: 1 to 1024
WALKS, PAIRS = 12, 400  # dot products drawn as curves, and measured
KEYS, ROWS = 4, 200  # of the random scores
TOKENS = [f"k{number}" for number in range(KEYS)]
DRAW, DRAWS_IN_A_PIECE = 1 << 18, 6  # random numbers drawn in one go, and how often for a piece: about 50 ms
SHOWN_FROM = 64  # terms from which the root is drawn beside the sums: what the question asks is to be found


# Longer vectors, larger scores


@lru_cache(maxsize=8)
def walks(seed: int) -> np.ndarray:
    """(pair, term) dot products of the widest vectors, term by term; narrower ones are their beginning."""
    return running_dot_products(WIDTHS[-1], PAIRS, seed)


def growing_sums(here: Here) -> list[dict]:
    """Some dot products as they grow, and how far the root of their length reaches."""
    d_k = here.whole("d_k")
    terms = np.unique(np.linspace(1, d_k, 65).round().astype(int))
    sums = walks(here.whole("again"))[:WALKS, terms - 1]
    pair = here.word("block.pair")
    lines = [curve(f"{pair} {n + 1}", line, ink="plain", named=False) for n, line in enumerate(sums)]
    if d_k >= SHOWN_FROM or here.answered:
        reach = np.sqrt(terms)
        lines += [curve("+√n", reach, dash="dash"), curve("−√n", -reach, dash="dash")]
    titles = here.word("block.terms"), here.word("block.sum")
    return [plot(here.word("block.title", walks=WALKS), terms, lines, titles, key="walks")]


def reach_of_sums(here: Here) -> dict:
    """How far the sums lie from 0, measured, beside the root of the number of terms."""
    d_k = here.whole("d_k")
    sums = walks(here.whole("again"))[:, d_k - 1]
    return {
        "terms": str(d_k),
        "pairs": here.number(PAIRS, 0),
        "typical": here.number(math.sqrt((sums**2).mean()), 2),
        "root": here.number(math.sqrt(d_k), 2),
    }


# The variance


class Running(NamedTuple):
    """The variance for every width, some random numbers further with each piece."""

    now: VarianceExperiment

    @property
    def fraction(self) -> float:
        return self.now.fraction

    def further(self) -> "Running":
        now = self.now
        for _ in range(DRAWS_IN_A_PIECE):
            now = now.further(DRAW)
        return Running(now)


def variance_run(here: Here) -> Experiment | None:
    """The experiment that was asked for, if one was."""
    pairs, seed = here.whole("pairs"), here.whole("run")
    if not seed:
        return None
    return Experiment(f"variance {pairs} {seed}", lambda: Running(variance_experiment(WIDTHS, pairs, seed)))


def variance_by_width(here: Here) -> list[dict]:
    """One pair, worked out; and once it runs, the variance before and after dividing for every width."""
    experiment = variance_run(here)
    if experiment is None:
        return one_pair(here)
    running = here.progress(experiment)
    spreads = running.now.spreads
    curves = [
        curve(here.word("block.before"), [spread.variance for spread in spreads], ink="k"),
        curve(here.word("block.after"), [spread.scaled_variance for spread in spreads], ink="v"),
        curve("dₖ", WIDTHS, ink="plain", dash="dot"),
        curve("1", [1] * len(WIDTHS), ink="plain", dash="dot"),
    ]
    titles, logs = ("dₖ", here.word("block.variance")), {"log_x": True, "log_y": True}
    chosen = spreads[WIDTHS.index(here.whole("d_k"))]
    facts = {
        "d_k": str(chosen.d_k),
        "pairs": here.number(chosen.n_pairs, 0),
        "before": here.number(chosen.variance, 3),
        "after": here.number(chosen.scaled_variance, 3),
    }
    return [
        progress(running.fraction, here.word("block.progress")),
        plot(here.word("block.title"), WIDTHS, curves, titles, **logs, at=chosen.d_k, key="variance"),
        sentence(here.word("block.read_off", **facts)),
    ]


def one_pair(here: Here) -> list[dict]:
    """A dot product of four terms, term by term."""
    query, key = random_pairs(KEYS, 1)[0]
    products = query * key
    total = float(products.sum())
    added = settle(Sum(tuple(map(Number, products.tolist()))), total, 2)
    parts = [
        matrix("q", query, ink="q"),
        matrix("k", key, ink="k"),
        matrix(here.word("block.products"), products),
    ]
    return [
        row(*parts, title=here.word("block.one_pair")),
        formula(f"q \\cdot k = {equation(added, total, here.words)}"),
    ]


# What softmax makes of it


@lru_cache(maxsize=32)
def saturations(d_k: int, seed: int = 0) -> tuple[Saturation, Saturation]:
    """Of random scores as they are, and divided by √d_k."""
    scores = random_scores(d_k, KEYS, ROWS, seed)
    return saturation(scores), saturation(scores, d_k**-0.5)


def one_row(here: Here) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(key,) the scores of one random query, its weights without dividing, and with."""
    d_k = here.whole("d_k")
    scores = random_scores(d_k, KEYS, ROWS, int(here.knobs.get("again", 0)))[0]
    return scores, softmax(scores), softmax(scores / math.sqrt(d_k))


def divided_in_the_lab(here: Here) -> Scenario:
    """The scores of that query in the Lab, divided by √d_k."""
    return attention_with(one_row(here)[0], here.whole("d_k") ** -0.5, tuple(TOKENS))


def largest_weights(here: Here) -> list[dict]:
    """One query's weights with and without dividing, and the mean of many."""
    scores, plain, scaled = one_row(here)
    labels = here.word("block.plain"), here.word("block.scaled")
    curves = [curve(labels[0], plain, ink="k"), curve(labels[1], scaled, ink="v")]
    titles = here.word("block.key"), here.word("block.weight")
    found = saturations(here.whole("d_k"), here.whole("again"))
    lines = [
        [label, here.number(one.largest, 2), f"{here.number(100 * one.stuck, 0)} %"]
        for label, one in zip(labels, found, strict=True)
    ]
    headers = (here.word("block.scores"), here.word("block.largest"), here.word("block.stuck"))
    return [
        matrix(here.word("block.scores"), scores, columns=TOKENS),
        plot(here.word("block.title"), TOKENS, curves, titles, bars=True, top=1, key="row"),
        table(here.word("block.mean", rows=ROWS), headers, lines),
    ]


def slopes(here: Here) -> list[dict]:
    """How weights answer to scores: the Jacobian of one row, and its size for every width."""
    _, plain, scaled = one_row(here)
    labels = [here.word("block.plain"), here.word("block.scaled")]
    parts = [matrix(here.word("block.weights"), np.stack((plain, scaled)), labels, TOKENS, scale="share")]
    for name, weights in (("plain", plain), ("scaled", scaled)):
        jacobian = softmax_jacobian(weights)
        parts.append(matrix(here.word(f"block.slopes_{name}"), jacobian, TOKENS, TOKENS, top=0.25))
    both = [saturations(width) for width in WIDTHS]
    return [row(*parts), row(*(by_width(here, both, name) for name in ("typical_jacobian", "entropy")))]


def slope_of_a_choice(here: Here) -> float:
    """How a weight of 1 answers to its own score."""
    return float(softmax_jacobian([1, 0, 0, 0])[0, 0])


def by_width(here: Here, both: list[tuple[Saturation, Saturation]], name: str) -> dict:
    """One quantity of softmax for every width, without dividing and with."""
    curves = [
        curve(here.word("block.plain"), [getattr(plain, name) for plain, _ in both], ink="k"),
        curve(here.word("block.scaled"), [getattr(scaled, name) for _, scaled in both], ink="v", dash="dash"),
    ]
    title, titles = here.word(f"block.{name}_title"), ("dₖ", here.word(f"block.{name}"))
    return plot(title, WIDTHS, curves, titles, log_x=True, at=here.whole("d_k"), key=name)


def sizes_of_slopes(here: Here) -> dict:
    plain, scaled = saturations(here.whole("d_k"))
    sizes = {"size_plain": plain.typical_jacobian, "size_scaled": scaled.typical_jacobian}
    bits = {"bits_plain": plain.entropy, "bits_scaled": scaled.entropy}
    facts = {name: here.number(value, 3) for name, value in (sizes | bits).items()}
    return facts | {"d_k": str(here.whole("d_k")), "rows": str(ROWS)}
