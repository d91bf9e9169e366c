"""The frame of every page: settings, style, and what the browser needs besides."""

import contextlib
import gc
import os
import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from string import Template

import streamlit as st

from ui.paths import ASSETS, STATIC
from ui.state import session
from ui.words import Words

STYLE = ASSETS / "frame.css"
PAGES = {"home": "app.py", "lab": "pages/lab.py"}


@cache
def settle() -> None:
    """Once a process: Plotly's script goes where browsers find it; imports are not collected again."""
    provide_plotly()
    gc.collect()
    gc.freeze()


def provide_plotly() -> None:
    """Copies Plotly's script from the package that brings it.

    On a system that cannot be written to it is there already, or figures say that they could not be loaded.
    """
    source = Path(find_spec("plotly").submodule_search_locations[0]) / "package_data" / "plotly.min.js"
    target = STATIC / "plotly.min.js"
    with contextlib.suppress(OSError):
        if not target.exists() or target.stat().st_size != source.stat().st_size:
            half = target.with_suffix(f".{os.getpid()}")
            shutil.copyfile(source, half)
            half.replace(target)


def begin(page: str) -> Words:
    """Starts a page: settings, style, and the learner's words."""
    settle()
    words = Words(session.language(page.removeprefix("lesson.")))
    st.set_page_config(page_title=words(f"{page}.title"), page_icon="🔎", layout="wide")
    st.html(STYLE)
    st.html(language_script().substitute(language=words.language), unsafe_allow_javascript=True)
    return words


@cache
def language_script() -> Template:
    """Tells the browser the language of the page before anything is drawn: letters and lines follow it."""
    return Template((ASSETS / "language.html").read_text(encoding="utf-8"))


def way_home(words: Words) -> None:
    """The way to the home page; within a page of somebody else's there is none."""
    if not st.context.is_embedded:
        st.page_link(PAGES["home"], label=words("lab.to_home"), icon=":material/home:")


def leave_if_asked() -> None:
    """Opens another page, where the learner pressed something that leads there."""
    wanted = session.leaving()
    if wanted:
        session.write_address()  # what was done last is what Back returns to
        st.switch_page(wanted[0], query_params=wanted[1])


def run_whole_page_if_asked() -> None:
    """Where something outside the workbench has to change too, a run of the workbench alone is not enough."""
    if session.wants_whole_page():
        st.rerun()
