"""The Lab: change any number, walk the steps, open any cell."""

import streamlit as st

from ui.message.workbench import draw_workbench
from ui.state import lab, session
from ui.streamlit import frame, panels


@st.fragment
def workbench() -> None:
    """Everything that an edit, a choice or a step changes, so all that it runs."""
    frame.run_whole_page_if_asked()
    draw_workbench("lab", lab.message_or_last_good(words), lab.on_acts)


words = frame.begin("lab")
frame.way_home(words)
scenario = session.current()
panels.draw(panels.shown_panels(scenario), scenario, words)
session.whole_page_runs()
workbench()
