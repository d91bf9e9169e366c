"""A student without a browser: the moments of a page script, acts in, messages out."""

import runpy
from pathlib import Path

from ui.course.engine import lesson as engine
from ui.course.engine.outline import lesson_of, lessons
from ui.state import session
from ui.words import Words

ROOT = Path(__file__).parents[1]
LESSONS = {lesson.id: lesson for lesson in lessons()}


def moments_of_page(lesson_id):
    """The moments of a page script, which is run without drawing."""
    script = ROOT / LESSONS[lesson_id].page
    drawn = engine.lesson
    engine.lesson = lambda file, moments: None
    try:
        return runpy.run_path(str(script))["MOMENTS"]
    finally:
        engine.lesson = drawn


class Student:
    """One lesson as one session sees it: Student("projection").do("answer", "3").message."""

    def __init__(self, lesson_id, place=0):
        self.count = 0
        session.st.session_state.clear()
        self.moments = moments_of_page(lesson_id)
        self.play = engine.Play(lesson_of(LESSONS[lesson_id].page), self.moments, Words())
        session.current(lesson_id, self.play.opening, self.play.belongs)
        if place:
            self.do("moment", place)

    def do(self, kind, *details):
        self.count += 1
        session.apply_acts([[self.count, kind, *details]], self.play.acts())
        return self

    def at(self, moment_id):
        """Goes to a moment by its id."""
        return self.do("moment", [moment.id for moment in self.moments].index(moment_id))

    def turn(self, **knobs):
        for name, value in knobs.items():
            self.do("knob", name, value)
        return self

    @property
    def here(self):
        return self.play.here()

    @property
    def message(self):
        return self.play.message()

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


TEXT_AT = {"name": 2, "value": 4, "math": 1, "code": 1}


def as_read(pieces):
    """Pieces of prose as plain text."""
    found = []
    for piece in pieces:
        if isinstance(piece, str):
            found.append(piece)
        else:
            found.append(as_read(piece[1:]) if piece[0] == "bold" else piece[TEXT_AT[piece[0]]])
    return "".join(found)
