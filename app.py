"""Home: the 2x2-pixel example, computed live, every number open to its arithmetic."""

import streamlit as st

from ui import frame
from ui.presets import load_preset

STEPS = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "scaled", "weights", "output")

words = frame.begin("home")
st.title(words("home.title"), anchor=False)
st.header(words("home.tagline"), anchor=False)
st.markdown(words("home.lead"))
scenario = load_preset("pixels_2x2")
first_cell = ("weights", 1, 3)
frame.explorable_board("home_board", scenario.trace(), scenario, STEPS, words, first_cell=first_cell)
st.page_link(frame.PAGES["lab"], label=words("home.to_lab"), icon=":material/science:")
