"""The state of a page: one small value that the browser owns and sends with every request.

`scenario` is what the address holds; the rest is what an address should not carry. Whatever comes from a browser is
hostile until `read_state` has checked it: the link by the reader of links, everything else against bounds here. A
part that does not fit is left out, so that a browser with an older state only loses that part.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace

from ui.scenario.link import (
    MOST_CHARACTERS,
    MOST_KEPT,
    LinkError,
    is_id,
    is_number,
    read_link,
    whole,
    write_link,
)
from ui.scenario.scenario import ELSEWHERE, HERE, Locks, Scenario
from ui.words import languages

MOST_GUESSES = 1000  # cells predicted for one computation
MOST_SECTIONS = 20  # of a lesson
MOST_FIRSTS = 500  # exercises whose first answer is counted
MOST_PIECES = 10_000  # of a long computation; each one ends long before
MOST_IN_A_KEY = 200  # characters that name an experiment or an exercise

Cell = tuple[str, tuple[int, ...]]  # a step and the full index of a number in it; () is the whole step


@dataclass(frozen=True)
class Guesses:
    """What was predicted for the present numbers, and the score of all predictions so far."""

    typed: dict[Cell, float] = field(default_factory=dict)  # the newest last
    shown: frozenset[Cell] = frozenset()  # answers that the learner asked to see
    right: int = 0
    tried: int = 0


@dataclass(frozen=True)
class SectionState:
    """What was done in a section of a lesson."""

    given: str = ""  # the last answer
    right: bool = False  # whether it was, when it was given
    answer: str = ""  # what was right then
    answered: bool = False  # right, or shown
    why: bool = False  # the explanation was asked for
    tried: bool = False  # the task was done
    done: bool = False  # and stays so
    about: str = ""  # what the question was about, where it is asked anew when that changes
    experiment: str = ""  # the key of the long computation that `pieces` counts
    pieces: int = 0
    stopped: bool = False
    dragged: bool = False  # a number, which a task may ask for
    firsts: dict[str, bool] = field(default_factory=dict)  # by exercise: whether the first answer was right


@dataclass(frozen=True)
class State:
    """One page as one learner has it. Never changed in place."""

    scenario: Scenario
    link: str  # of the scenario; empty for how the page opens
    panel: str = ""  # that is open
    kept: str = (
        ""  # the link of a result that the learner kept: for another example too, or too long for the address
    )
    start: str = ""  # the link of the state that a teacher shared, where it is too long for the address
    guesses: Guesses = Guesses()
    sections: dict[str, SectionState] = field(default_factory=dict)

    def with_section(self, section: str, **changes) -> "State":
        """With other facts about a section."""
        known = self.sections.get(section, SectionState())
        return replace(self, sections={**self.sections, section: replace(known, **changes)})


def with_start(scenario: Scenario) -> tuple[Scenario, str]:
    """A scenario from a link, carrying the start that its teacher shared; and that start where it is too long."""
    if scenario.start != HERE and (scenario.locks == Locks() or scenario.start):
        return scenario, ""
    link = write_link(replace(scenario, start="", locks=Locks()).looking(kept=""))
    if len(link) <= MOST_KEPT:
        return replace(scenario, start=link), ""
    return replace(scenario, start=ELSEWHERE), link


def start_of(state: State) -> Scenario | None:
    """The state that a teacher shared, if the learner began with one."""
    link = state.start if state.scenario.start == ELSEWHERE else state.scenario.start
    try:
        return read_link(link) if link else None
    except LinkError:
        return None


def kept_link(state: State) -> str:
    """The link of the result to compare with, or nothing."""
    return state.scenario.view.kept or state.kept


# As it travels: plain JSON.


def write_state(state: State) -> dict:
    """The state as the browser keeps it: only what differs from a page just opened."""
    found: dict[str, object] = {"link": state.link}
    if not state.link and state.scenario.view.language:
        found["language"] = state.scenario.view.language
    found |= {name: getattr(state, name) for name in ("panel", "kept", "start") if getattr(state, name)}
    guesses = state.guesses
    if guesses != Guesses():
        typed = [
            [step, list(index), None if math.isinf(number) else number]
            for (step, index), number in guesses.typed.items()
        ]
        shown = [[step, list(index)] for step, index in sorted(guesses.shown)]
        found["guesses"] = {"typed": typed, "shown": shown, "right": guesses.right, "tried": guesses.tried}
    sections = {name: changed_facts(section) for name, section in state.sections.items()}
    sections = {name: facts for name, facts in sections.items() if facts}
    return found | ({"sections": sections} if sections else {})


def changed_facts(section: SectionState) -> dict[str, object]:
    usual = asdict(SectionState())
    return {name: value for name, value in asdict(section).items() if value != usual[name]}


def read_state(given: object, read: Callable[[str], Scenario]) -> State:
    """The state that a browser sent, or LinkError; `read` makes a scenario of its link, as the page can show it."""
    if not isinstance(given, dict) or not isinstance(link := given.get("link"), str):
        raise LinkError("broken")
    if len(link) > MOST_CHARACTERS:
        raise LinkError("long")
    scenario, start = with_start(read(link))
    if not link and given.get("language") in languages():
        scenario = scenario.looking(language=given["language"])
    return State(
        scenario,
        link,
        panel=text_of(given, "panel", 20),
        kept=text_of(given, "kept", MOST_CHARACTERS),
        start=start or text_of(given, "start", MOST_CHARACTERS),
        guesses=read_guesses(given.get("guesses")),
        sections=read_sections(given.get("sections")),
    )


def text_of(given: dict, name: str, most: int) -> str:
    value = given.get(name, "")
    return value if isinstance(value, str) and len(value) <= most else ""


def is_cell(value: object) -> bool:
    match value:
        case [step, [*index]] if is_id(step) and len(index) <= 6:
            return all(map(whole(0, 100_000), index))
    return False


def is_typed(number: object) -> bool:
    return number is None or (is_number(number) and abs(number) < 1e300)  # nan and inf are not


def read_guesses(given: object) -> Guesses:
    match given:
        case {"typed": list(typed), "shown": list(shown), "right": right, "tried": tried}:
            counts = whole(0, 10**6)
            fits = (
                len(typed) <= MOST_GUESSES and len(shown) <= MOST_GUESSES and counts(right) and counts(tried)
            )
            fits = fits and all(isinstance(one, list) and len(one) == 3 for one in typed)
            if (
                fits
                and all(is_cell(one[:2]) and is_typed(one[2]) for one in typed)
                and all(map(is_cell, shown))
            ):
                numbers = {
                    (step, tuple(index)): -math.inf if number is None else float(number)
                    for step, index, number in typed
                }
                return Guesses(
                    numbers, frozenset((step, tuple(index)) for step, index in shown), right, tried
                )
    return Guesses()


# What each fact about a section may be, by its type.
FITS: dict[type, Callable[[object], bool]] = {
    bool: lambda value: type(value) is bool,
    int: whole(0, MOST_PIECES),
    str: lambda value: isinstance(value, str) and len(value) <= MOST_IN_A_KEY,
    dict: lambda value: (
        isinstance(value, dict)
        and len(value) <= MOST_FIRSTS
        and all(FITS[str](key) and FITS[bool](right) for key, right in value.items())
    ),
}


def read_sections(given: object) -> dict[str, SectionState]:
    if not isinstance(given, dict) or len(given) > MOST_SECTIONS:
        return {}
    usual = {one.name: FITS[type(getattr(SectionState(), one.name))] for one in fields(SectionState)}
    found = {}
    for name, facts in given.items():
        if is_id(name) and isinstance(facts, dict):
            found[name] = SectionState(
                **{fact: value for fact, value in facts.items() if fact in usual and usual[fact](value)}
            )
    return found
