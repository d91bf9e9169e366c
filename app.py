"""Home: the 2x2-pixel example, computed live, every number open to its arithmetic; and the course."""

from dataclasses import replace

import streamlit as st

from ui.board.matrices import Shown
from ui.course.engine.outline import cards, lessons
from ui.message.workbench import draw_workbench, message
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Locks, Scenario
from ui.state import lab, session
from ui.streamlit import frame

STEPS = ["x", "q", "k", "v", "scores", "scaled", "weights", "output"]
FIRST = ("weights", 1, 3)  # the cell that is open at first


def opening() -> Scenario:
    return load_preset("pixels_2x2").looking(cell=FIRST, language=session.chosen_language())


def belongs(scenario: Scenario) -> Scenario:
    """Of a link, home takes the cell and the language."""
    return opening().looking(cell=scenario.view.cell, language=scenario.view.language)


@st.fragment
def example() -> None:
    frame.leave_if_asked()
    frame.run_whole_page_if_asked()
    scenario = replace(session.present(), locks=Locks(locked=("edit",)))
    data = message(scenario, session.trace(), STEPS, Shown(), words, with_stages=False, with_choices=False)
    draw_workbench("home", data | {"course": cards(words)}, on_acts)


def on_acts(acts: object) -> None:
    allowed = {kind: lab.ACTS[kind] for kind in ("cell", "open", "language")}
    session.apply_acts(acts, allowed | {"go": go, "forget": forget})


def go(details: list) -> None:
    """A lesson was chosen; it is found as it was left."""
    for lesson in lessons():
        if details == [lesson.id]:
            session.leave_for(lesson.page, session.link_of(lesson.id))


def forget(details: list) -> None:
    """The learner begins the course anew."""
    session.forget_notes()


words = frame.begin("home")
session.current("home", opening, belongs)
session.whole_page_runs()
st.title(words("home.title"), anchor=False)
st.header(words("home.tagline"), anchor=False)
st.markdown(words("home.lead"))
st.page_link(
    frame.PAGES["lab"], label=words("home.to_lab"), icon=":material/science:", query_params=session.query()
)
example()
