"""Home: the 2x2-pixel example, computed live, every number open to its arithmetic."""

import streamlit as st

from ui import board, frame, session
from ui.arithmetic import explain_through_moves
from ui.presets import load_preset

STEPS = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "scaled", "weights", "output")
SHOWN = {"n_heads": 1}

words = frame.begin("home")
st.title(words("home.title"), anchor=False)
st.header(words("home.tagline"), anchor=False)
st.markdown(words("home.lead"))

scenario = load_preset("pixels_2x2")
trace = scenario.trace()
cell = st.session_state.get("home_cell", ("weights", 1, 3))
place = board.chosen_place(cell, trace, STEPS, SHOWN)
lines = explain_through_moves(trace, *place) if place else []
board.draw_board(
    "home_board",
    board.matrices(trace, scenario, STEPS, SHOWN, words),
    board.lit_cells(trace, lines, STEPS, SHOWN),
    words,
    board.Events(cell=lambda chosen: st.session_state.update(home_cell=chosen)),
)
with st.container(key="home_below"):
    frame.arithmetic_panel(lines, words)
st.page_link(
    frame.PAGES["lab"], label=words("home.to_lab"), icon=":material/science:", query_params=session.query()
)
