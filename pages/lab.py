"""The Lab: change any number, walk the steps, open any cell."""

import streamlit as st

from ui import board, focus, frame, lab, session
from ui.arithmetic import explain_through_moves

words = frame.begin("lab")
scenario = session.current()
trace = scenario.trace()
shown = lab.shown_places(scenario, trace)
names = lab.board_names(trace)

st.page_link(frame.PAGES["home"], label=words("lab.to_home"), icon=":material/home:")
st.title(words("lab.title"), anchor=False)
lab.controls(scenario, trace, words)
st.markdown(words(f"preset.{scenario.preset}.about"))
frame.sentence(words)
stage = lab.rail(scenario, trace, words)

numbers, picture = st.columns([3, 2], gap="large")
place = board.chosen_place(scenario.view.cell, trace, names, shown)
lines = explain_through_moves(trace, *place) if place else []
with numbers:
    lab.place_choosers(scenario, trace, words)
    board.draw_board(
        "lab_board",
        board.matrices(trace, scenario, names, shown, words),
        board.lit_cells(trace, lines, names, shown),
        words,
        lab.events(scenario, trace, names, shown),
        session.acknowledged(),
    )
    lab.notes(trace, words)
    lab.history_buttons(words)
with picture:
    with st.container(border=True, key="focus"):
        focus.focus_panel(stage, lab.stage_steps(trace, stage), trace, scenario, shown, words)
    frame.arithmetic_panel(lines, words)
