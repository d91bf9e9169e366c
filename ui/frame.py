"""The frame of every page: settings, style, the way around, the panel of arithmetic."""

import gc
from functools import cache
from pathlib import Path

import streamlit as st

from attention_core import Explanation
from ui import session
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


def arithmetic_panel(lines: list[Explanation], words: Words) -> None:
    """The arithmetic of the chosen cell, in symbols and in plain text."""
    with st.container(border=True, key="arithmetic"):
        st.markdown(words("home.explained") if lines else words("home.invitation"))
        for line in lines:
            st.latex(line.latex)
        if lines:
            st.code("\n".join(line.text for line in lines), language=None, wrap_lines=True)


def sentence(words: Words) -> None:
    """What could not be done; the work on screen stays."""
    waiting = session.sentence()
    if waiting:
        key, facts = waiting
        st.warning(words(key, **facts))
