"""A student without a browser: the sections of a page script, acts in, messages out."""

import runpy
from functools import cache
from pathlib import Path

from tests.learner import Reader
from ui.course.engine.lesson import LessonPage
from ui.course.engine.syllabus import lesson_of, lessons
from ui.streamlit import lesson as streamlit_lesson

ROOT = Path(__file__).parents[1]
LESSONS = {lesson.id: lesson for lesson in lessons()}


@cache
def sections_of_page(lesson_id):
    """The sections of a page script, which is run without drawing."""
    script = ROOT / LESSONS[lesson_id].page
    drawn = streamlit_lesson.lesson
    streamlit_lesson.lesson = lambda file, sections: None
    try:
        return runpy.run_path(str(script))["SECTIONS"]
    finally:
        streamlit_lesson.lesson = drawn


def lesson_page(lesson_id):
    return LessonPage(lesson_of(LESSONS[lesson_id].page), sections_of_page(lesson_id))


class Student(Reader):
    """One lesson as one browser has it: Student("projection").do("answer", "3").message."""

    def __init__(self, lesson_id, place=0, link="", language="en"):
        super().__init__(lesson_page(lesson_id), link, language)
        self.sections = self.page.sections
        if place:
            self.do("section", place)

    def at(self, section_id):
        """Goes to a section by its id."""
        return self.do("section", [section.id for section in self.sections].index(section_id))

    def turn(self, **knobs):
        for name, value in knobs.items():
            self.do("knob", name, value)
        return self

    @property
    def here(self):
        return self.page.here(self.state, self.answer.words)

    @property
    def section(self):
        return self.page.section(self.state)

    @property
    def known(self):
        """What the state says of the present section."""
        return self.page.known(self.state)

    @property
    def panel(self):
        return self.message["lesson"]

    @property
    def blocks(self):
        return self.panel["blocks"]

    def text(self, part="why"):
        """The words of a part as they are read, numbers filled in."""
        return " ".join(as_read(paragraph) for paragraph in self.panel[part] or [])

    @property
    def is_done(self):
        return self.panel["done"]


TEXT_AT = {"name": 2, "value": 4, "row": 3, "sum": 3, "line": 4, "math": 1, "code": 1, "lesson": 3}


def as_read(pieces):
    """Pieces of prose as plain text."""
    found = []
    for piece in pieces:
        if isinstance(piece, str):
            found.append(piece)
        else:
            found.append(as_read(piece[1:]) if piece[0] == "bold" else piece[TEXT_AT[piece[0]]])
    return "".join(found)
