"""The Lab: change any number, walk the steps, open any cell."""

import streamlit as st

from ui import board, controls, focus, frame, lab, session
from ui.arithmetic import explain_through_moves


@st.fragment
def workbench() -> None:
    """The rail, the board and the step in focus: what an edit or a step changes, so all that it runs."""
    if session.controls_changed():
        st.rerun()  # the whole page
    scenario = session.present()
    trace = scenario.trace()
    shown = lab.shown_places(scenario, trace)
    names = lab.board_names(trace)
    place = board.chosen_place(scenario.view.cell, trace, names, shown)
    lines = explain_through_moves(trace, *place) if place else []
    events = lab.events(scenario, trace, names, shown)
    stage = lab.rail(scenario, trace, words)
    lab.place_choosers(scenario, trace, words)
    numbers, picture = st.columns([3, 2], gap="large")
    with numbers:
        board.draw_board(
            "lab_board",
            board.matrices(trace, scenario, names, shown, words, editable=True),
            board.lit_cells(trace, lines, names, shown),
            words,
            events,
            session.acknowledged(),
        )
        lab.notes(trace, words)
    with picture:
        with st.container():  # always there, so that a sentence moves nothing
            frame.sentence(words)
        with st.container(key="lab_arithmetic" if lines else "lab_invitation"):
            frame.arithmetic_panel(lines, words)
        with st.container(border=True, key="focus"):
            steps = lab.stage_steps(trace, stage)
            focus.focus_panel(stage, steps, trace, scenario, shown, words, events.cell)


words = frame.begin("lab")
scenario = session.current()
trace = scenario.trace()
st.page_link(frame.PAGES["home"], label=words("lab.to_home"), icon=":material/home:")
st.title(words("lab.title"), anchor=False)
controls.draw_controls(scenario, trace, words)
st.markdown(words(f"preset.{scenario.preset}.about"))
session.controls_changed()  # they are drawn by now
workbench()
