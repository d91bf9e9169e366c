"""The page of a lesson: what every script in pages/ with a number ends with."""

from collections.abc import Sequence

from ui.course.engine.handout import lesson_handout
from ui.course.engine.lesson import PANELS, LessonPage
from ui.course.engine.sections import Section
from ui.course.engine.syllabus import lesson_of
from ui.files.handout import page_of
from ui.state.state import State
from ui.streamlit import panels
from ui.streamlit.file_panels import hand_out
from ui.streamlit.page import Desk, show
from ui.streamlit.share_panel import live_address
from ui.words import Words


def lesson(file: str, sections: Sequence[Section]) -> None:
    """Draws the page of a lesson."""
    page = LessonPage(lesson_of(file), sections)

    def take(desk: Desk, state: State, words: Words) -> None:
        address = live_address(state.scenario)
        hand_out(
            lambda: page_of(lesson_handout(page.lesson, sections, words, state.scenario, address), words),
            words,
        )

    def draw_panel(desk: Desk, state: State, words: Words) -> None:
        panels.draw(desk, state, words, PANELS, take=take)

    show(page, f"lesson.{page.lesson.id}.title", draw_panel)
