"""Two results compared: the first number that differs, the largest change of each step, all differences."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from attention_core import AttentionError, Trace, explain_cell
from ui.board import matrices as board
from ui.board.matrices import Matrix
from ui.board.stages import board_names, steps_by_stage
from ui.message.arithmetic import line_in_names, named
from ui.scenario.link import LinkError, read_link, write_link
from ui.scenario.presets import load_beside, load_preset
from ui.scenario.scenario import Scenario, ScenarioError
from ui.words import Words

MOST_CHANGES = 8  # steps listed
CLOSE = {"f": 1e-5, "d": 1e-9}  # numbers that two ways of computing them may give, by type


class Kept(NamedTuple):
    """What the present result is compared with: its trace, or why it has none."""

    scenario: Scenario
    trace: Trace | None
    error: AttentionError | ScenarioError | None = None


@lru_cache(maxsize=64)
def read_kept(link: str) -> Kept | None:
    """The result of a link to compare with; None for one that cannot be read."""
    try:
        scenario = read_link(link)
    except LinkError:
        return None
    try:
        return Kept(scenario, scenario.trace())
    except (AttentionError, ScenarioError) as error:
        return Kept(scenario, None, error)


def changes_of(trace: Trace, before: Trace, name: str) -> np.ndarray | None:
    """How much each number of a step differs from what it was, 0 where only by rounding.

    A number that became −∞ or was −∞ differs by ∞. None where there is nothing to compare: another shape.
    """
    here = trace[name]
    if here.dtype == bool or name not in before or before[name].shape != here.shape:
        return None
    there = before[name]
    close = CLOSE[max(here.dtype.char, there.dtype.char)]
    same = np.isclose(here, there, rtol=close, atol=close)
    with np.errstate(invalid="ignore"):
        return np.where(same, 0.0, here - there)


def first_difference(trace: Trace, before: Trace) -> tuple[str, tuple[int, ...]] | None:
    """The first step in order of flow that differs, and its first cell that does."""
    for name in board_names(trace):
        changes = changes_of(trace, before, name)
        if changes is not None and changes.any():
            return name, tuple(int(i) for i in np.argwhere(changes)[0])
    return None


def with_beside(scenario: Scenario) -> Scenario:
    """A preset as the Lab opens it: with its other reading to compare with, where the two differ."""
    other = None if scenario.source else load_beside(scenario.preset)
    if other is None or "compare" in scenario.locks.hidden:
        return scenario
    found = scenario.looking(kept=write_link(other))
    try:
        trace = found.trace()
        first = first_difference(trace, other.trace())
    except AttentionError:  # that it cannot be computed is what it shows
        return found
    if first is None:
        return found
    place = board.place_of(trace, *first)
    stage = next((stage for stage, steps in steps_by_stage(trace).items() if first[0] in steps), "")
    return found.looking(step=stage, head=place.get("head", 0), batch=place.get("batch", 0))


def compared(
    scenario: Scenario, trace: Trace, kept: Kept, drawn: list[Matrix], words: Words
) -> dict[str, object]:
    """What the workbench shows of a comparison with the result that was kept."""
    differences: dict[str, list[list[float | None]]] = {}
    found: dict[str, object] = {"differences": differences, "largest": []}
    found["reading"] = reading_of(scenario.preset, kept.scenario, words)
    if kept.trace is None:
        return found | {"refused": words.error(kept.error)}
    names = dict.fromkeys(matrix.step.name for matrix in drawn)
    changes = {name: changes_of(trace, kept.trace, name) for name in names}
    changes = {name: change for name, change in changes.items() if change is not None}
    for matrix in drawn:
        if matrix.step.name in changes:
            change = np.nan_to_num(changes[matrix.step.name], posinf=0.0, neginf=0.0)
            shown = matrix._replace(step=matrix.step._replace(value=change))
            differences[matrix.key] = board.written(shown.numbers)
    largest = [largest_of(scenario, trace, kept.trace, name, changes[name], words) for name in changes]
    largest = sorted(filter(None, largest), key=lambda change: -abs(change["change"]))
    found |= {"largest": largest[:MOST_CHANGES], "other": not changes, "count": len(changes)}
    first = first_difference(trace, kept.trace)
    if first is not None:
        sides = ((scenario, trace), (kept.scenario, kept.trace))
        found["first"] = first_shown(sides, *first, drawn=drawn, words=words)
    return found


def reading_of(preset_id: str, other: Scenario, words: Words) -> str:
    """What a preset calls the reading that it is compared with; nothing where that is one's own result."""
    beside = load_beside(preset_id)
    if beside is not None and other.computes_as(beside):
        return words(f"preset.{preset_id}.beside")
    if beside is not None and other.computes_as(load_preset(preset_id)):
        return words(f"preset.{preset_id}.here")
    return ""


def largest_of(
    scenario: Scenario, trace: Trace, before: Trace, name: str, change: np.ndarray, words: Words
) -> dict | None:
    """The number of a step that changed most; None where none did, or only to and from −∞."""
    change = np.nan_to_num(change, posinf=0.0, neginf=0.0)
    if not change.any():
        return None
    index = tuple(int(i) for i in np.unravel_index(np.abs(change).argmax(), change.shape))
    return {
        "name": named(scenario, trace, name, index, words),
        "step": name,
        "index": index,
        "from": board.number(float(before[name][index])),
        "to": board.number(float(trace[name][index])),
        "change": board.number(float(change[index])),
    }


def first_shown(
    sides: tuple[tuple[Scenario, Trace], tuple[Scenario, Trace]],
    name: str,
    index: tuple[int, ...],
    drawn: list[Matrix],
    words: Words,
) -> dict:
    """The first number that differs: what it is in both, how both come about, where it is on the board."""
    scenario, trace = sides[0]
    found = {
        "name": named(scenario, trace, name, index, words),
        "step": name,
        "index": index,
        "here": board.number(float(trace[name][index])),
        "there": board.number(float(sides[1][1][name][index])),
        "lines": [
            line_in_names(own, one, explain_cell(one, name, index, scenario.view.decimals), words)
            for own, one in sides
        ],
    }
    for matrix in drawn:
        cell = matrix.cell(index) if matrix.step.name == name else None
        if cell is not None:
            found["at"] = [matrix.key, cell[0] - matrix.at[0], cell[1] - matrix.at[1]]
    return found
