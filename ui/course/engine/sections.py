"""What a lesson is made of: sections, each with a question to predict, a control to try, numbers, and why.

A page script is a table of sections; its words are in assets/words/<language>/lessons.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from attention_core import Trace
from ui.board import matrices as board
from ui.board.matrices import Shown
from ui.course.engine.experiments import Experiment, Progress, after
from ui.message.arithmetic import in_names
from ui.numbers import answers, read_sizes
from ui.predict.judge import Verdict, agrees, is_rounded, judge, judge_among, number_slips
from ui.scenario import choices
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Scenario, array_shape, build_array, is_boolean
from ui.words import Words

PLACES = 2  # of an answer, where the question asks for none
P = TypeVar("P", bound=Progress)


@dataclass(frozen=True)
class Knob:
    """A control of a section: a slider, a row of options, or a button that counts how often it was pressed.

    Its value is a number and part of the link. `values` are the stops of a slider that are not evenly spaced.
    """

    name: str
    least: float = 0
    most: float = 1
    start: float = 0
    step: float = 1
    options: tuple[str, ...] = ()  # ids of words; the value is the place of the chosen one
    values: tuple[float, ...] = ()
    press: bool = False
    play: int = 0  # milliseconds between two stops while playing; 0: it cannot be played
    above: int = 0  # the place of the first block that it changes: it stands directly above that

    def read(self, given: dict[str, float]) -> float:
        """The value in a link, brought within the bounds."""
        value = given.get(self.name, self.start)
        if self.values:
            return min(self.values, key=lambda stop: abs(stop - value))
        most = len(self.options) - 1 if self.options else self.most
        steps = round((min(max(value, self.least), most) - self.least) / self.step)
        found = round(self.least + steps * self.step, 9)
        return int(found) if float(found).is_integer() else found


@dataclass(frozen=True)
class Here:
    """Where the learner stands: what a section's functions are given."""

    scenario: Scenario
    trace: Trace
    start: Scenario  # of the section
    knobs: dict[str, float]
    words: Words
    lesson: str
    section: str
    answered: bool = True  # whether the question of the section is; before, a block need not tell
    pieces: int = 1  # of a long computation that are done
    firsts: dict[str, bool] = field(default_factory=dict)  # by exercise: whether the first answer was right
    right: bool = False  # whether the last answer to the present question was
    dragged: bool = False  # whether a number was dragged

    def whole(self, knob: str) -> int:
        """The value of a knob that stands at whole numbers only, such as the place of an option."""
        return int(self.knobs[knob])

    def word(self, key: str, **facts) -> str:
        """A word of this section."""
        return self.words(f"lesson.{self.lesson}.{self.section}.{key}", **facts)

    def number(self, value: float, decimals: int) -> str:
        """A number as it stands in a text."""
        return self.words.number(value, decimals)

    def hint(self) -> str:
        """What helps with any wrong answer to the question of this section, if there is something."""
        key = f"lesson.{self.lesson}.{self.section}.hint"
        return self.words(key) if key in self.words else ""

    def slice(self, name: str) -> np.ndarray:
        """A step as the board shows it: one matrix, of the first head and batch item or those chosen."""
        view, n_heads = self.scenario.view, (1, 1, *self.trace["weights"].shape)[-3]
        shown = Shown(n_heads, min(view.head, n_heads - 1), view.batch)
        return board.matrices_of(self.trace.step(name), shown)[0].whole

    def progress(self, experiment: Experiment[P]) -> P:
        """A long computation as far as it is here."""
        return after(experiment, self.pieces)[0]


class Reply(NamedTuple):
    """What is said to an answer."""

    right: bool
    hint: str = ""


class Question(Protocol):
    """What a section asks. Those of `kind` "choice" are `HasOptions`."""

    @property
    def kind(self) -> str: ...

    def shown_answer(self, here: Here) -> str: ...

    def judge(self, here: Here, given: object) -> Reply | None:
        """What is said to an answer; None where it is none."""


@runtime_checkable
class HasOptions(Protocol):
    @property
    def options(self) -> tuple[str, ...]: ...


@runtime_checkable
class CountsFirsts(Protocol):
    """A question of which there are many, such as exercises: how many first answers were right is counted."""

    def counts_as(self, here: Here) -> str: ...


@dataclass(frozen=True)
class Choice:
    """One of several answers; `right` may depend on the numbers. A wrong one has a hint of its own."""

    options: tuple[str, ...]
    right: str | Callable[[Here], str]

    kind = "choice"

    def answer(self, here: Here) -> str:
        return self.right if isinstance(self.right, str) else self.right(here)

    def shown_answer(self, here: Here) -> str:
        return here.word(f"option.{self.answer(here)}")

    def judge(self, here: Here, given: object) -> Reply | None:
        if given not in self.options:
            return None
        right = given == self.answer(here)
        return Reply(right, "" if right else here.word(f"hint.{given}"))


@dataclass(frozen=True)
class Number:
    """A number that the learner works out."""

    value: Callable[[Here], float]
    decimals: int = PLACES

    kind = "number"

    def shown_answer(self, here: Here) -> str:
        return here.number(self.value(here), self.decimals)

    def judge(self, here: Here, given: object) -> Reply | None:
        read = read_answer(given)
        if not read:
            return Reply(False, here.words("course.no_number")) if isinstance(given, str) else None
        value = self.value(here)
        typed = read[0]
        if agrees(typed, value, self.decimals) or value in read[1:]:  # written in thousands
            return Reply(True)
        if self.decimals <= PLACES and is_rounded(typed, value):
            return Reply(True)
        verdict = judge_among(number_slips(value, typed, self.decimals), value, typed, self.decimals)
        if verdict.mistake:
            return Reply(False, here.words(f"mistake.{verdict.mistake}", **verdict.facts))
        return Reply(False, here.hint())


@dataclass(frozen=True)
class Cell:
    """The number of one cell; a usual mistake is named.

    With `at_first` it is asked of the section as it begins, whatever was chosen or typed since.
    """

    step: str
    row: int
    column: int
    at_first: bool = False

    kind = "number"

    def trace(self, here: Here) -> Trace:
        return here.start.trace() if self.at_first else here.trace

    def index(self, here: Here) -> tuple[int, ...]:
        step = self.trace(here).step(self.step)
        matrix = board.matrices_of(step, Shown())[0]
        return matrix.index(self.row, self.column)

    def shown_answer(self, here: Here) -> str:
        return here.number(float(self.trace(here)[self.step][self.index(here)]), PLACES)

    def judge(self, here: Here, given: object) -> Reply | None:
        read = read_answer(given)
        if not read:
            return Reply(False, here.words("course.no_number")) if isinstance(given, str) else None
        trace = self.trace(here)
        index = self.index(here)
        verdict = judge(trace, self.step, index, read[0], PLACES)
        if is_rounded(read[0], float(trace[self.step][index])):
            verdict = Verdict(True)
        if not verdict.mistake:
            return Reply(verdict.right, "" if verdict.right else here.hint())
        text = here.words(f"mistake.{verdict.mistake}", **verdict.facts)
        return Reply(False, in_names(here.scenario, trace, text))


@dataclass(frozen=True)
class Shape:
    """A shape: 4×2, 4x2, (4, 2) or 4 2. A leading axis of 1 may be left out."""

    value: Callable[[Here], Sequence[int]]

    kind = "shape"

    def shown_answer(self, here: Here) -> str:
        return "×".join(map(str, without_ones(self.value(here))))

    def judge(self, here: Here, given: object) -> Reply | None:
        if not isinstance(given, str):
            return None
        wanted = list(self.value(here))
        right = read_sizes(given) in (wanted, without_ones(wanted))
        return Reply(right, "" if right else here.hint())


def without_ones(shape: Sequence[int]) -> list[int]:
    """A shape from its first axis that is longer than 1; at least a matrix is left."""
    found = list(shape)
    while len(found) > 2 and found[0] == 1:
        found = found[1:]
    return found


Task = Callable[[Here], bool]
Facts = dict[str, str | float]
# The options that each control of a section chooses.
CHOSEN_BY = {"heads": ("n_heads",), "mask": ("is_causal", "window", "attn_mask"), "scale": ("scale",)}


@dataclass(frozen=True)
class Section:
    """One idea. It completes when its question is answered and its task done; nothing is locked."""

    id: str
    preset: str = "pixels_2x2"
    change: Callable[[Scenario], Scenario] | None = None  # how the section begins, from the preset
    board: tuple[str, ...] = ()  # the matrices shown
    controls: tuple[str, ...] = ()  # of the Lab: "heads", "mask", "scale", "decimals"
    ask: Question | None = None
    covers: tuple[str, ...] = ()  # matrices whose numbers are hidden until the question is answered
    task: Task | None = None
    knobs: tuple[Knob, ...] = ()
    blocks: Callable[[Here], list[dict]] | None = None
    facts: Callable[[Here], Facts] | None = None  # for {names} in the prose
    step: str = ""  # the step in focus when this is opened in the Lab; without one or a board it is not
    lab: Callable[[Here], Scenario] | None = None  # what is opened there, where the blocks show other numbers
    confusion: str = ""  # the preset in which the Lab shows this confusion beside the right reading
    renews: Callable[[Here], object] | None = None  # the question is asked anew whenever this changes
    reaches: Callable[[Here], dict[str, float]] | None = None  # where a knob ends for now
    experiment: Callable[[Here], Experiment | None] | None = (
        None  # a computation that takes longer than a request
    )

    @property
    def is_a_computation(self) -> bool:
        """Whether its matrices can be opened in the Lab; others show only curves, tables and counts."""
        return bool(self.board or self.step)

    def start(self) -> Scenario:
        scenario = load_preset(self.preset)
        return self.change(scenario) if self.change else scenario

    def takes(self, scenario: Scenario) -> bool:
        """Whether a scenario is one that this section can become: its own example, function and sizes.

        Numbers may be others, and options that its controls choose; blocks and prose rely on the rest.
        """
        start = self.start()
        if (scenario.preset, scenario.function) != (start.preset, start.function):
            return False
        sizes, own = ({n: array_shape(a) for n, a in one.arrays.items()} for one in (scenario, start))
        free = {name for control in self.controls for name in CHOSEN_BY.get(control, ())}
        fixed = [{n: o for n, o in one.options.items() if n not in free} for one in (scenario, start)]
        return sizes == own and fixed[0].keys() == fixed[1].keys() and self.keeps(*fixed)

    def keeps(self, options: dict, own: dict) -> bool:
        """Whether options are the section's own; of a mask, which may be edited, whether its kind is."""
        mask, usual = (one.get("attn_mask") for one in (options, own))
        same_kind = mask is None or usual is None or is_boolean(mask) == is_boolean(usual)
        return same_kind and all(value == own[name] for name, value in options.items() if name != "attn_mask")

    def read_knobs(self, given: dict[str, float]) -> dict[str, float]:
        return {knob.name: knob.read(given) for knob in self.knobs}


def read_answer(given: object) -> tuple[float, ...]:
    """What the learner typed may mean; nothing where it is no number."""
    return answers(given) if isinstance(given, str) else ()


# Tasks: what the learner does.

EVERY = slice(None)


def opened(*steps: str, row: int | None = None, head: int | None = None) -> Task:
    """Opened a cell of one of these matrices: any, or one in this row and of this head."""

    def done(here: Here) -> bool:
        name, at, *_ = *here.scenario.view.cell, "", None
        return name in steps and row in (None, at) and head in (None, here.scenario.view.head)

    return done


def edited(*steps: str, rows: slice = EVERY, columns: slice = EVERY) -> Task:
    """Changed a number of one of these matrices, in these rows and columns."""

    def done(here: Here) -> bool:
        names = [here.scenario.given_as(step) or step for step in steps]
        pairs = [(here.scenario.arrays.get(name), here.start.arrays.get(name)) for name in names]
        if (rows, columns) == (EVERY, EVERY):
            return any(now != before for now, before in pairs)
        cut = (..., rows, columns)
        return any(
            not np.array_equal(build_array(now)[cut], build_array(before)[cut]) for now, before in pairs
        )

    return done


def dragged(*steps: str, rows: slice = EVERY, columns: slice = EVERY) -> Task:
    """Changed such a number by dragging it."""
    changed = edited(*steps, rows=rows, columns=columns)
    return lambda here: here.dragged and changed(here)


def chose(choice: str, value: object) -> Task:
    """Chose something above the board: chose("mask", "causal")."""
    return lambda here: choices.values(here.scenario).get(choice) == value


def turned(knob: str, to: Callable[[float], bool] | float | None = None) -> Task:
    """Moved a knob: at all, to a value, or to where `to` says yes."""

    def done(here: Here) -> bool:
        value = here.knobs[knob]
        if callable(to):
            return bool(to(value))
        return value == to if to is not None else knob in here.scenario.view.knobs

    return done


def solved(here: Here) -> bool:
    """Solved the present question: an answer that was shown is not solved."""
    return here.right


def all_of(*tasks: Task) -> Task:
    return lambda here: all(task(here) for task in tasks)


def any_of(*tasks: Task) -> Task:
    return lambda here: any(task(here) for task in tasks)
