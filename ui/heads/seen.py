"""Which heads the page shows: all of a run, or without a model one of each slice that is shipped."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attention_core.models import measure_all
from ui import models
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import Scenario
from ui.scenario.slices import source_of
from ui.scenario.source import Wanted
from ui.scenario.sourced import labels_of

# Measures of which the largest says what a head does, from LEAST on.
GROUPS = ("previous", "next", "same", "repeated", "sink")
LEAST, BROAD = 0.4, 0.6


@dataclass(frozen=True, eq=False)
class Seen:
    """Heads on one sentence: weights (layer, head, query, key), and what they measurably do (layer, head)."""

    labels: list[str]  # of the tokens
    texts: list[str]  # as the tokeniser writes them
    words: list[int]  # which word of the sentence a token belongs to; -1 for a special token
    spans: list[
        tuple[int, int, int]
    ]  # the characters of each token that is no special one: from, to, its place
    weights: np.ndarray
    measures: dict[str, np.ndarray]

    @property
    def groups(self) -> list[str]:
        """What each head does, layer by layer: its largest measure, else whether it is broad."""
        tops = np.stack([self.measures[name].ravel() for name in GROUPS])
        broad = self.measures["broad"].ravel()
        return [
            GROUPS[best] if tops[best, place] >= LEAST else "broad" if broad[place] >= BROAD else "elsewhere"
            for place, best in enumerate(tops.argmax(0).tolist())
        ]


@lru_cache(maxsize=64)
def _of_run(model, wanted: Wanted) -> Seen:
    run = models.run_of(model, wanted)
    tokens = run.tokens
    words = [-1 if word is None else word for word in tokens.words]
    measures = measure_all(run.weights, tokens.special, tokens.ids)
    spans = [
        (*span, place)
        for place, (span, word) in enumerate(zip(tokens.spans, words, strict=True))
        if word >= 0
    ]
    return Seen(labels_of(tokens), list(tokens.texts), words, sorted(spans), run.weights, measures)


@lru_cache(maxsize=32)
def of_slice(preset: str) -> Seen:
    """The one head of a slice."""
    scenario = load_preset(preset)
    labels = scenario.names["token"]
    weights = scenario.trace()["weights"].reshape(1, 1, len(labels), len(labels))
    special = [place for place, label in enumerate(labels) if label.startswith("[")]
    ids = [labels.index(label) for label in labels]
    words = [-1 if place in special else place - 1 for place in range(len(labels))]
    spans, end = [], 0
    for place, label in enumerate(labels):
        if place not in special:
            start = told_of(preset)["sentence"].index(label, end)
            end = start + len(label)
            spans.append((start, end, place))
    return Seen(labels, labels, words, spans, weights, measure_all(weights, special, ids))


def of_scenario(scenario: Scenario) -> Seen:
    """All heads that are seen with a scenario, which has a source or is a slice."""
    source = scenario.source
    if source is None:
        return of_slice(scenario.preset)
    return _of_run(models.model_with(source.hash), source.wanted)


def without_trial(scenario: Scenario) -> Seen | None:
    """The same sentence as it was before something was tried; None where nothing is."""
    source = scenario.source
    if source is None or source.wanted == Wanted(source.text):
        return None
    return _of_run(models.model_with(source.hash), Wanted(source.text))


def noticed(scenario: Scenario) -> np.ndarray | None:
    """By how much the weights of each head changed: half the sum of the absolute differences, over all queries."""
    before, source = without_trial(scenario), scenario.source
    if before is None or source is None:
        return None
    weights = before.weights
    if source.swap:
        order = list(models.swapped(models.model_with(source.hash), source.wanted))
        weights = weights[:, :, order][..., order]
    return np.abs(of_scenario(scenario).weights - weights).sum(-1).mean(-1) / 2


def slice_ids() -> list[str]:
    """The presets that are slices of a trained model."""
    return [one for one in preset_ids() if slice_of(one)]


def slice_of(preset: str) -> str:
    """The slice that a preset is made of, or nothing."""
    x = load_preset(preset).arrays.get("x")
    return x["slice"]["name"] if isinstance(x, dict) and "slice" in x else ""


def told_of(preset: str) -> dict:
    """Which head of which model a slice is, on which sentence, by whom, under which licence."""
    return source_of(slice_of(preset))
