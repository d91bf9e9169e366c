"""What an act makes of a state: step(state, act) -> state, pure, with nothing of Streamlit in sight.

`take_steps` is the one dispatcher of every page. An act that cannot be done leaves the state as it was and gives a
refusal, which the page says as a sentence; a fault of ours does the same and is handed to whoever keeps the log.
The history of undo and redo belongs to the browser: it sends as many links as the acts may need, and is told for
each act where it led and what that means for the history.

While a number is dragged, several acts are one step of the history: ["drag", kind, ...] begins, ["on", kind, ...]
goes on, and ["back", kind, ...] returns to where the drag began.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from attention_core import AttentionError, Trace
from ui.scenario.link import MOST_CHARACTERS, LinkError, read_link, write_link
from ui.scenario.scenario import ELSEWHERE, Scenario, ScenarioError
from ui.state.state import Guesses, State

Act = list  # [kind, *details], or with a word of DRAGGING in front
Handler = Callable[[State, list], State]


class Refused(Exception):  # noqa: N818 - it is an answer, not an error
    """An act that cannot be done: the key of a sentence, its facts, and an act that can be done instead."""

    def __init__(self, key: str, **facts):
        super().__init__(key)
        self.key, self.facts = key, facts
        self.instead: Act | None = None


class Leave(Exception):  # noqa: N818 - it is an answer, not an error
    """The learner goes to another page, with this link, or without one in this language."""

    def __init__(self, page: str, link: str = "", language: str = ""):
        super().__init__(page)
        self.page, self.link, self.language = page, link, language


class Steps(Protocol):
    """What the dispatcher needs of a page."""

    handlers: dict[str, Handler]
    begins_anew: frozenset[str]  # kinds of acts after which there is nothing to undo

    def read(self, link: str) -> Scenario: ...

    def belongs(self, scenario: Scenario) -> Scenario: ...

    def settled(self, state: State) -> State: ...

    def dragged(self, state: State) -> State: ...


DRAGGING = ("drag", "on", "back")


class Mark(NamedTuple):
    """Where an act led, and what it means for undo.

    "" nothing, "new", "undo", "redo", "back" that the last step is taken away, "fresh" a new history.
    """

    link: str
    history: str = ""


@dataclass
class Outcome:
    """What a request's acts came to."""

    state: State
    trail: list[Mark]
    refused: Refused | None = None
    leave: Leave | None = None
    faults: tuple[Exception, ...] = ()


def take_steps(
    page: Steps,
    state: State,
    acts: list[Act],
    undo: list[str],
    redo: list[str],
    may_go_on: Callable[[], bool] = lambda: True,
) -> Outcome:
    """Applies acts in order, as long as `may_go_on` says so; the browser sends again what was not done."""
    outcome, stacks = Outcome(state, []), {"undo": list(undo), "redo": list(redo)}
    for act in acts:
        if not may_go_on():
            break
        dragging, (kind, *details) = read_act(act)
        before = outcome.state
        outcome.refused = None
        history = ""
        try:
            outcome.state = step(page, before, kind, details, stacks)
            history = "fresh" if kind in page.begins_anew else meaning(before, outcome.state, kind)
            if dragging and history == "new":
                outcome.state = page.dragged(outcome.state)
                history = of_drag(dragging, page, outcome.state, stacks["undo"])
        except Refused as refused:
            outcome.refused = refused
        except Leave as leave:
            outcome.leave = leave
        except Exception as fault:
            outcome.faults += (fault,)
            outcome.refused = Refused("edit.fault")
        after_act(history, before.link, stacks)
        outcome.trail.append(Mark(outcome.state.link, history))
    return outcome


def read_act(act: Act) -> tuple[str, Act]:
    """Which part of a drag an act is, if it is one, and the act itself."""
    if act[0] in DRAGGING and len(act) > 1 and isinstance(act[1], str):
        return act[0], act[1:]
    return "", act


def of_drag(dragging: str, page: Steps, after: State, undo: list[str]) -> str:
    """What an act of a drag means for undo: all of them are one step, and none if it ends where it began."""
    if dragging == "drag":
        return "new"
    if dragging == "on" or not undo:
        return ""
    return "back" if followed(page, undo[-1]).computes_as(after.scenario) else ""


def step(page: Steps, state: State, kind: str, details: list, stacks: dict[str, list[str]]) -> State:
    """The state after one act; an act that the page does not know changes nothing."""
    if kind in stacks:
        return page.settled(restored(page, state, stacks[kind])) if stacks[kind] else state
    return page.settled(page.handlers[kind](state, details)) if kind in page.handlers else state


def meaning(before: State, after: State, kind: str) -> str:
    """What an act means for undo: other numbers or names can be undone; another section begins a new history."""
    if before is after:
        return ""
    if kind in ("undo", "redo"):
        return kind
    if before.scenario.view.section != after.scenario.view.section:
        return "fresh"
    one, other = before.scenario, after.scenario
    return "" if one.computes_as(other) and one.names == other.names else "new"


def after_act(history: str, before: str, stacks: dict[str, list[str]]) -> None:
    """Undo within one request: as `afterTrail` of static/state/state.js. `before` is the link that was left."""
    match history:
        case "new":
            stacks["undo"].append(before)
            stacks["redo"].clear()
        case "back":
            stacks["undo"].pop()
        case "undo":
            stacks["undo"].pop()
            stacks["redo"].append(before)
        case "redo":
            stacks["redo"].pop()
            stacks["undo"].append(before)
        case "fresh":
            stacks["undo"].clear()
            stacks["redo"].clear()


def restored(page: Steps, state: State, links: list[str]) -> State:
    """An earlier or later computation; where the learner looks and what a teacher locked stay."""
    now, before = state.scenario, followed(page, links[-1])
    compared_with = before.view.kept or (now.view.kept if before.preset == now.preset else "")
    view = replace(now.view, kept=compared_with)
    return changed(state, page.belongs(replace(before, view=view, locks=now.locks, start=now.start)))


def followed(page: Steps, link: str) -> Scenario:
    """The scenario of a link, or a refusal."""
    try:
        return page.read(link)
    except LinkError as error:
        raise Refused(f"link.{error.code}", **error.facts) from None


def changed(state: State, scenario: Scenario) -> State:
    """The state with another scenario, computed first; refused where it cannot be, or does not fit into a link.

    A link writes numbers with fewer digits than a computer has. What it says is what holds, so that an act gives the
    same whether the state travelled in between or not.
    """
    if state.scenario.locks.locked and not state.scenario.keeps_fixed(scenario):
        raise Refused("edit.fixed")
    computed(scenario)
    start, kept = state.start, state.kept
    link = write_link(scenario)
    if len(link) > MOST_CHARACTERS and scenario.start not in ("", ELSEWHERE):
        start, scenario = scenario.start, replace(scenario, start=ELSEWHERE)
        link = write_link(scenario)
    if len(link) > MOST_CHARACTERS and scenario.view.kept:
        kept, scenario = scenario.view.kept, scenario.looking(kept="")
        link = write_link(scenario)
    if len(link) > MOST_CHARACTERS:
        raise Refused("link.too_much")
    scenario = as_written(scenario, link)
    guesses = state.guesses
    if not scenario.computes_as(state.scenario):
        guesses = Guesses(right=guesses.right, tried=guesses.tried)  # of other numbers; the score stays
    return replace(state, scenario=scenario, link=link, start=start, kept=kept, guesses=guesses)


def as_written(scenario: Scenario, link: str) -> Scenario:
    """The scenario as its link says it; one whose link cannot be read would be lost with the next act."""
    try:
        found = read_link(link)
    except LinkError:
        raise Refused("link.too_much") from None
    return scenario if found == scenario else found


def computed(scenario: Scenario) -> Trace:
    """The computation of a scenario, or a refusal that says why there is none."""
    try:
        return scenario.trace()
    except (AttentionError, ScenarioError) as error:
        key, facts = reason_of(error)
        raise Refused(key, **facts) from None


def looking(state: State, **view) -> State:
    """The same numbers, seen from elsewhere."""
    return changed(state, state.scenario.looking(**view))


def reason_of(error: AttentionError | ScenarioError) -> tuple[str, dict]:
    """Why something cannot be computed, as the key of a sentence and its facts."""
    kind = "error" if isinstance(error, AttentionError) else "scenario"
    return f"{kind}.{error.code}", error.facts
