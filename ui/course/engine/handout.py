"""A lesson to hand out: every section as it begins, the present one as it stands, questions included."""

import math
from collections.abc import Sequence
from dataclasses import replace

from ui.board import matrices as board
from ui.board.matrices import shown_places
from ui.course.engine.experiments import MOST_AT_ONCE
from ui.course.engine.sections import Cell, Choice, Here, Number, Question, Section, Shape
from ui.course.engine.syllabus import Lesson
from ui.course.engine.telling import on_board, tell
from ui.files.handout import Handout, still
from ui.message.types import Message
from ui.predict.judge import tolerance
from ui.scenario.scenario import Scenario
from ui.state.state import SectionState
from ui.words import Words

MOST_PIECES = MOST_AT_ONCE  # of a long computation: less than a second


def lesson_handout(
    lesson: Lesson, sections: Sequence[Section], words: Words, present: Scenario, address: str
) -> Handout:
    """The whole lesson, opened at the present section."""
    handout = Handout(address)
    handout.first = min(present.view.section, len(sections) - 1)
    for place, section in enumerate(sections):
        scenario = present if place == handout.first else section.start().looking(section=place)
        scenario = scenario.looking(cell=(), language=words.language)
        add_section(handout, lesson, sections, place, scenario, words)
    return handout


def add_section(
    handout: Handout,
    lesson: Lesson,
    sections: Sequence[Section],
    place: int,
    scenario: Scenario,
    words: Words,
) -> None:
    """A section before its question is answered and, where it has one, after."""
    section, trace = sections[place], scenario.trace()

    def here(answered: bool) -> Here:
        knobs = section.read_knobs(scenario.view.knobs)
        at = (section.start(), knobs, words, lesson.id, section.id, answered, MOST_PIECES)
        return Here(scenario, trace, *at)

    def told(answered: bool) -> Message:
        known = SectionState(answered=answered, why=answered, tried=section.task is None)
        return tell(lesson, sections, place, here(answered), replace(known, done=answered and known.tried))

    after = told(answered=True)
    before = told(answered=False) if section.ask else after
    drawn = board.drawn_matrices(trace, on_board(section, here(answered=True)), shown_places(scenario, trace))
    handout.add(scenario, trace, words, before, drawn, group=place)
    if section.ask:
        handout.places[-1] |= {"told": still(after), "judge": judge_of(section.ask, here(answered=False))}


def judge_of(question: Question, here: Here) -> dict | None:
    """What an answer is compared with, where no server can be asked; None where only the app can tell."""
    match question:
        case Choice():
            replies = [(option, question.judge(here, option)) for option in question.options]
            return {"replies": {option: [reply.right, reply.hint] for option, reply in replies if reply}}
        case Shape():
            return {"sizes": list(question.value(here)), "hint": here.hint()}
        case Number():
            value, decimals = question.value(here), question.decimals
        case Cell():
            value, decimals = float(question.trace(here)[question.step][question.index(here)]), 2
        case _:  # an exercise, drawn anew each time
            return None
    hints = {"hint": here.hint(), "no_number": here.words("course.no_number")}
    also = isinstance(question, Number)  # may be written in thousands
    if not math.isfinite(value):  # −∞, which JSON does not have
        return {"value": None, "off": 0, "thousands": False} | hints
    return {"value": value, "off": tolerance(value, decimals), "thousands": also} | hints
