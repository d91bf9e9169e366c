"""The Lab: change any number, walk the steps, open any cell."""

import streamlit as st

from ui import controls, frame, lab, session
from ui.workbench import draw_workbench


@st.fragment
def workbench() -> None:
    """Everything that an edit, a choice or a step changes, so all that it runs."""
    draw_workbench("lab", lab.lab_message(session.present(), words), lab.on_acts)


words = frame.begin("lab")
controls.draw_controls(session.current(), words)
workbench()
st.caption(words("lab.how_to_edit"))
