"""The Lab: change any number, walk the steps, open any cell."""

import streamlit as st

from ui import controls, frame, lab, session
from ui.workbench import draw_workbench


@st.fragment
def workbench() -> None:
    """The rail, the board and the step in focus: what an edit or a step changes, so all that it runs."""
    if session.controls_changed():
        st.rerun()  # the whole page
    draw_workbench("lab", lab.lab_message(session.present(), words), lab.on_acts)


words = frame.begin("lab")
scenario = session.current()
controls.draw_controls(scenario, session.trace(), words)
session.controls_changed()  # they are drawn by now
workbench()
st.caption(words("lab.how_to_edit"))
