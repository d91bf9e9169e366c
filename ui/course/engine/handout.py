"""A lesson to hand out: every moment as it begins, the present one as it stands, questions included."""

import math
from collections.abc import Sequence
from dataclasses import replace

from ui.board import matrices as board
from ui.board.matrices import shown_places
from ui.course.engine.experiments import MOST_AT_ONCE
from ui.course.engine.outline import Lesson
from ui.course.engine.sections import Cell, Choice, Here, Moment, Number, Question, Shape
from ui.course.engine.telling import on_board, tell
from ui.files.handout import Book, still
from ui.message.types import Message
from ui.predict.judge import tolerance
from ui.scenario.scenario import Scenario
from ui.state.state import SectionState
from ui.words import Words

MOST_PIECES = MOST_AT_ONCE  # of a long computation: less than a second


def lesson_book(
    lesson: Lesson, moments: Sequence[Moment], words: Words, present: Scenario, address: str
) -> Book:
    """The whole lesson, opened at the present moment."""
    book = Book(address)
    book.first = min(present.view.moment, len(moments) - 1)
    for place, moment in enumerate(moments):
        scenario = present if place == book.first else moment.start().looking(moment=place)
        scenario = scenario.looking(cell=(), language=words.language)
        add_moment(book, lesson, moments, place, scenario, words)
    return book


def add_moment(
    book: Book, lesson: Lesson, moments: Sequence[Moment], place: int, scenario: Scenario, words: Words
) -> None:
    """A moment before its question is answered and, where it has one, after."""
    moment, trace = moments[place], scenario.trace()

    def here(answered: bool) -> Here:
        knobs = moment.read_knobs(scenario.view.knobs)
        at = (moment.start(), knobs, words, lesson.id, moment.id, answered, MOST_PIECES)
        return Here(scenario, trace, *at)

    def told(answered: bool) -> Message:
        known = SectionState(answered=answered, why=answered, tried=moment.task is None)
        return tell(lesson, moments, place, here(answered), replace(known, done=answered and known.tried))

    after = told(answered=True)
    before = told(answered=moment.ask is None) if moment.ask else after
    drawn = board.drawn_matrices(trace, on_board(moment, here(answered=True)), shown_places(scenario, trace))
    book.add(scenario, trace, words, before, drawn, group=place)
    if moment.ask:
        book.places[-1] |= {"told": still(after), "judge": judge_of(moment.ask, here(answered=False))}


def judge_of(question: Question, here: Here) -> dict | None:
    """What an answer is compared with, where no server can be asked; None where only the app can tell."""
    match question:
        case Choice():
            replies = {option: question.judge(here, option) for option in question.options}
            return {"replies": {option: [reply.right, reply.hint] for option, reply in replies.items()}}
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
