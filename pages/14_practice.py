"""Lesson 14: exercises from a seed, graded with the wrong term named, and a worksheet to print."""

from ui.course.engine.sections import Choice, Knob, Section, all_of, any_of, solved, turned
from ui.course.lessons.practice import (
    ANOTHER,
    NUMBERS,
    SEED,
    Answer,
    exercise_blocks,
    facts,
    levels,
    name_of,
    sheet_blocks,
    sheet_facts,
)
from ui.streamlit.lesson import lesson

LETTERS = Answer("choice", options=("A", "B", "C", "D"))


def exercises(section: str, ask: Answer, *kinds: str, knobs: tuple[Knob, ...] = ()) -> Section:
    """A section with one exercise after another."""
    return Section(
        section,
        ask=ask,
        task=all_of(solved, any_of(turned("another"), *(turned(knob.name, bool) for knob in knobs))),
        knobs=(*knobs, levels(*kinds), ANOTHER, SEED),
        blocks=exercise_blocks,
        facts=facts,
        renews=name_of,
    )


SECTIONS = (
    exercises("numbers", Answer(), *NUMBERS, knobs=(Knob("kind", options=NUMBERS),)),
    exercises("shape", Answer("shape"), "shape"),
    exercises("wrong", Answer(), "wrong"),
    exercises("mask", LETTERS, "mask"),
    exercises("code", LETTERS, "code"),
    Section(
        "worksheet",
        ask=Choice(("same", "other"), right="same"),
        task=turned("seed"),
        knobs=(levels(), SEED),
        blocks=sheet_blocks,
        facts=sheet_facts,
    ),
)

lesson(__file__, SECTIONS)
