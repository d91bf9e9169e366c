"""Home: the 2x2-pixel example, computed live, every number open to its arithmetic; and the course."""

from dataclasses import replace

import streamlit as st

from ui import frame, session
from ui.board import Shown
from ui.course.outline import cards, lessons
from ui.presets import load_preset
from ui.scenario import Locks
from ui.workbench import draw_workbench, message

STEPS = ["x", "q", "k", "v", "scores", "scaled", "weights", "output"]
FIRST = ("weights", 1, 3)  # the cell that is open at first


@st.fragment
def example() -> None:
    frame.leave_if_asked()
    scenario = replace(load_preset("pixels_2x2"), locks=Locks(locked=("edit",)))
    scenario = scenario.looking(cell=st.session_state.get("home_cell", FIRST))
    data = message(scenario, scenario.trace(), STEPS, Shown(), words, with_stages=False, with_choices=False)
    draw_workbench("home", data | {"course": cards(words)}, on_acts)


def on_acts(acts: object) -> None:
    session.apply_acts(acts, {"cell": choose, "open": choose, "go": go, "forget": forget})


def choose(details: list) -> None:
    """The cell that the learner chose, checked when it is shown."""
    match details:
        case [str(name), int(row), int(column)] | [str(name), [int(row), int(column)]]:
            st.session_state["home_cell"] = (name, row, column)
        case [str(name), [0, int(row), int(column)]]:  # there is one head
            st.session_state["home_cell"] = (name, row, column)
        case []:
            st.session_state["home_cell"] = ()


def go(details: list) -> None:
    """A lesson was chosen; it is found as it was left."""
    for lesson in lessons():
        if details == [lesson.id]:
            session.leave_for(lesson.page, session.link_of(lesson.id))


def forget(details: list) -> None:
    """The learner begins the course anew."""
    session.forget_notes()


words = frame.begin("home")
st.title(words("home.title"), anchor=False)
st.header(words("home.tagline"), anchor=False)
st.markdown(words("home.lead"))
st.page_link(
    frame.PAGES["lab"], label=words("home.to_lab"), icon=":material/science:", query_params=session.query()
)
example()
