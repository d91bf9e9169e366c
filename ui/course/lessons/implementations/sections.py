"""What the lesson about implementations shows: eight of them side by side, in code and in numbers."""

import math

import numpy as np

from ui.course.engine.blocks import code, matrix, row, sentence, table
from ui.course.engine.sections import Here
from ui.course.lessons.implementations.catalogue import IMPLEMENTATIONS, Setting, habits_of
from ui.course.lessons.implementations.divergence import (
    FLOW,
    Comparison,
    Divergence,
    compare,
    compare_all,
    same_cells,
    steps_of,
)
from ui.course.lessons.implementations.given import given_in
from ui.course.lessons.implementations.listings import code_steps, listing

IDS = tuple(IMPLEMENTATIONS)
PLACES = 4  # decimals: the weights of this example differ in the third
HUGE = 1e6
ASKED = {
    "nothing": Setting(),
    "bias": Setting(bias=True),
    "temperature": Setting(temperature=1.0),
    "heads": Setting(n_heads=3),
    "extras": Setting(extras=True),
    "causal": Setting(mask="causal"),
    "dropout": Setting(dropout_p=0.5),
}


def word(here: Here, key: str, **facts) -> str:
    """A word that the sections of the lesson share."""
    return here.words(f"lesson.{here.lesson}.shared.{key}", **facts)


def names(here: Here) -> list[str]:
    return [word(here, f"name.{one}") for one in IDS]


def steps(here: Here, name: str, setting: Setting) -> dict[str, np.ndarray]:
    return steps_of(name, habits_of(name, setting), given_in(here.scenario))


def tokens(array: np.ndarray) -> list[str]:
    return [str(token) for token in range(len(array))]


# One implementation beside the bare formula


def agreeing(here: Here) -> int:
    """How many of the other seven give the output of the bare formula."""
    given = given_in(here.scenario)
    return sum(compare(IDS[0], other, Setting(), given).agree for other in IDS[1:])


def one_by_one(here: Here) -> list[dict]:
    name = IDS[here.whole("which")]
    found = compare(IDS[0], name, Setting(), given_in(here.scenario))
    pair = [steps(here, one, Setting())["output"] for one in (IDS[0], name)]
    differ = np.argwhere(~same_cells(*pair)).tolist()
    marks = {tuple(cell): "first" for cell in differ[:1]}
    shown = [
        matrix(word(here, "output", name=word(here, f"name.{one}")), array, decimals=PLACES, marks=own)
        for one, array, own in zip((IDS[0], name), pair, ({}, marks), strict=True)
    ]
    return [row(*shown), sentence(verdict(here, found)), *as_code(here, name)]


def as_code(here: Here, name: str) -> list[dict]:
    """The code of an implementation: step by step, each with a sentence, or the whole file."""
    if here.knobs["shown"] == 1:
        return [code(word(here, "file", name=word(here, f"name.{name}")), listing(name))]
    found = []
    for number, step in enumerate(code_steps(name), start=1):
        own = f"lesson.{here.lesson}.shared.own.{name}.{step.name}"
        says = here.words(own) if own in here.words else word(here, f"step.{step.name}")
        found.append(code(f"{number}. {says}", step.code))
    return found


# Two of them


def chosen(here: Here) -> Comparison:
    asked = ASKED[list(ASKED)[here.whole("asked")]]
    left, right = (IDS[here.whole(side)] for side in ("left", "right"))
    return compare(left, right, asked, given_in(here.scenario))


def verdict(here: Here, found: Comparison) -> str:
    """Where two diverge and why; whether they meet again, and to how many digits."""
    digits = found.digits["output"]
    agree = word(here, "bits") if math.isinf(digits) else word(here, "digits", digits=int(digits))
    if found.first is None:
        return word(here, "never", agree=agree)
    facts = {"cell": cell_of(here, found.first)} | named(here, found.first)
    numbers = {"left": as_number(here, found.first.left), "right": as_number(here, found.first.right)}
    told = word(here, "diverge", **facts, **numbers)
    if found.lasting is None:
        return told + word(here, "meet", agree=agree)
    return told if found.first == found.lasting else told + word(here, "again", **named(here, found.lasting))


def named(here: Here, found: Divergence) -> dict[str, str]:
    """The step and the reason of a divergence in words."""
    reasons = " + ".join(word(here, f"because.{reason}") for reason in found.reasons)
    return {"step": word(here, f"at.{found.step}"), "reason": reasons}


def cell_of(here: Here, found: Divergence) -> str:
    *head, at_row, column = found.cell
    place = word(here, "cell", row=at_row, column=column)
    return word(here, "cell_of_head", head=head[0], place=place) if head and head[0] else place


def as_number(here: Here, value: float) -> str:
    """A number in a sentence; a huge one, like −1e9, by its power of ten."""
    huge = math.isfinite(value) and abs(value) >= HUGE
    return here.words.brief(value, 1) if huge else here.number(value, PLACES)


def two_by_two(here: Here) -> list[dict]:
    found = chosen(here)
    asked = ASKED[list(ASKED)[here.whole("asked")]]
    at = found.first.step if found.first else "output"
    sides = [steps(here, one, asked)[at] for one in (found.left, found.right)]
    head = found.first.cell[0] if found.first and len(found.first.cell) == 3 else 0
    flat = [side[min(head, len(side) - 1)] if side.ndim == 3 else side for side in sides]
    marks = {found.first.cell[-2:]: "first"} if found.first else {}
    titles = [
        word(here, "step_of", step=word(here, f"at.{at}"), name=word(here, f"name.{one}"))
        for one in found[:2]
    ]
    pair = [
        matrix(title, side, decimals=PLACES, marks=marks) for title, side in zip(titles, flat, strict=True)
    ]
    return [sentence(verdict(here, found)), row(*pair, flow(here, found, asked)), all_pairs(here, asked)]


def flow(here: Here, found: Comparison, asked: Setting) -> dict:
    """Every step at which one of the two does something, and how many digits they share there."""
    both = [steps(here, one, asked) for one in (found.left, found.right)]
    shown = [step for step in found.digits if any(acts_at(step, one) for one in both)]
    lines = [[word(here, f"at.{step}"), in_digits(found.digits[step])] for step in shown]
    marked = shown.index(found.first.step) if found.first else -1
    headers = [here.word("block.step"), here.word("block.digits")]
    return table(here.word("block.flow"), headers, lines, marked=marked)


def acts_at(step: str, found: dict[str, np.ndarray]) -> bool:
    """Whether the numbers change at a step; at the output there is always something to see."""
    before = FLOW[FLOW.index(step) - 1]
    return step == "output" or before not in found or not np.array_equal(found[step], found[before])


def in_digits(digits: float) -> str:
    return "✓" if math.isinf(digits) else str(int(digits))


def all_pairs(here: Here, asked: Setting) -> dict:
    """Who agrees with whom, and to how many digits; or what parts them for good."""
    known = compare_all(asked, given_in(here.scenario))
    lines = []
    for place, one in enumerate(IDS):
        cells = [
            "·" if one == other else in_brief(here, known.get((one, other)) or known[other, one])
            for other in IDS
        ]
        lines.append([f"{place + 1} {word(here, f'name.{one}')}", *cells])
    return table(
        here.word("block.pairs"), [here.word("block.who"), *(str(n + 1) for n in range(len(IDS)))], lines
    )


def in_brief(here: Here, found: Comparison) -> str:
    if found.lasting is None:
        return in_digits(found.digits["output"])
    return " + ".join(word(here, f"short.{reason}") for reason in found.lasting.reasons)
