"""The frame of every page: title, way around, and the one place that knows the session."""

import gc
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import streamlit as st

from attention_core import AttentionError, Trace
from ui import board
from ui.arithmetic import explain_through_moves
from ui.scenario import Scenario
from ui.words import Words

STYLE = Path(__file__).parent.parent / "assets" / "frame.css"
PAGES = {"home": "app.py", "lab": "pages/lab.py"}


@cache
def settle() -> None:
    """Once a process: what was imported stays, so later collections need not look at it."""
    gc.collect()
    gc.freeze()


def begin(page: str) -> Words:
    """Starts a page: settings, links to the other pages, and the learner's words."""
    settle()
    words = Words()
    st.set_page_config(page_title=words(f"{page}.title"), page_icon="🔎", layout="wide")
    st.html(STYLE)
    return words


def explorable_board(
    key: str,
    trace: Trace,
    scenario: Scenario,
    names: Sequence[str],
    words: Words,
    shown: dict[str, int] | None = None,
    first_cell: tuple[str, int, int] | None = None,
) -> None:
    """The board, and under it the arithmetic of the chosen cell: at first, of `first_cell`.

    `shown` says which batch item and head the board shows.
    """
    shown = shown or {}
    state = (st.session_state.get(key) or {}).get("cell") or first_cell
    place = board.chosen_place(state, trace, names, shown)
    lines = explain_through_moves(trace, *place) if place else []
    drawn = board.matrices(trace, scenario, names, shown, words)
    board.draw_board(key, drawn, board.lit_cells(trace, lines, names, shown), words)
    with st.container(border=True, key="arithmetic"):
        st.markdown(words("home.explained") if lines else words("home.invitation"))
        for line in lines:
            st.latex(line.latex)
        if lines:
            st.code("\n".join(line.text for line in lines), language=None, wrap_lines=True)


def say_error(error: AttentionError, words: Words) -> None:
    """The sentence for what cannot be computed."""
    st.error(words.error(error))


def explorable_trace(key: str, trace: Trace, scenario: Scenario, words: Words) -> None:
    """Every matrix of a trace, for one batch item and one head at a time."""
    sizes = {axis: size for step in trace.steps for axis, size in zip(step.axes, step.shape, strict=True)}
    shown = {"n_heads": sizes.get("head", 1)}
    choosers = [axis for axis in ("batch", "head") if sizes.get(axis, 1) > 1]
    for axis, column in zip(choosers, st.columns(max(len(choosers), 1)), strict=False):
        places = range(sizes[axis])
        shown[axis] = column.select_slider(words(f"lab.{axis}"), places, key=f"{key}_{axis}")
    names = [line.name for line in trace.plan.lines if line.op != "number"]
    if any(size > board.LARGEST for step in trace.steps for size in step.shape):
        st.caption(words("lab.too_large", most=board.LARGEST))
    explorable_board(f"{key}_board", trace, scenario, names, words, shown)
