"""Two heads, or one head on two sentences, side by side: what is kept, and where its weights differ."""

import numpy as np

from ui import models
from ui.board.matrices import number, written
from ui.heads.seen import of_scenario, slice_ids
from ui.message.types import HeadsCompared
from ui.scenario.link import LinkError, read_link
from ui.scenario.scenario import Scenario, ScenarioError
from ui.words import Words

MARKED = 0.1  # weights that differ by more are marked


def compared(scenario: Scenario, link: str, words: Words) -> HeadsCompared | None:
    """What was kept beside what is shown; None where it cannot be shown here."""
    try:
        kept = read_link(link)
    except LinkError:
        return None
    if kept.source is None and kept.preset not in slice_ids():
        return None
    try:
        seen, now = of_scenario(kept), of_scenario(scenario)
    except (ScenarioError, models.ModelMissingError):
        return None
    before, here = (weights_of(one, of_scenario(one)) for one in (kept, scenario))
    source = kept.source
    found = HeadsCompared(
        layer=source.layer if source else None,
        head=kept.view.head,
        tokens=seen.labels,
        text=source.text if source else " ".join(seen.labels[1:-1]),
        values=written(before),
        changed=[],
        other=[place for place, label in enumerate(seen.labels) if now.labels[place : place + 1] != [label]],
    )
    if before.shape == here.shape:
        change = here - before
        found.changed = [(row, column) for row, column in np.argwhere(np.abs(change) > MARKED).tolist()]
        row, column = divmod(int(np.abs(change).argmax()), len(change))
        found.largest = (
            row,
            column,
            number(float(before[row, column])) or 0.0,
            number(float(here[row, column])) or 0.0,
        )
        found.mean = number(float(np.abs(change).sum(-1).mean() / 2))
    return found


def weights_of(scenario: Scenario, seen) -> np.ndarray:
    """The weights of the head that a scenario shows."""
    n_heads = seen.weights.shape[1]
    return seen.weights[scenario.source.layer if scenario.source else 0, min(scenario.view.head, n_heads - 1)]
