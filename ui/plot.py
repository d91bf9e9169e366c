"""The figure component: Plotly in the page, updated in place; a click on a cell comes back."""

import contextlib
import os
import shutil
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import streamlit as st

from ui.browser_code import STATIC, component


@cache
def has_script() -> bool:
    """Whether the browser can load Plotly's script: it is copied once from the package that brings it."""
    source = Path(find_spec("plotly").submodule_search_locations[0]) / "package_data" / "plotly.min.js"
    target = STATIC / "plotly.min.js"
    with contextlib.suppress(OSError):
        if not target.exists() or target.stat().st_size != source.stat().st_size:
            half = target.with_suffix(f".{os.getpid()}")
            shutil.copyfile(source, half)
            half.replace(target)
    return target.exists()


@cache
def figure_component():
    return component("qkv_figure", "figure.js", "draw", isolate_styles=False)


def draw_figure(key: str, figure: dict, label: str, on_cell: Callable[[object], None]) -> None:
    """Draws a figure; `label` says in words what it shows, `on_cell` is told the cell that was clicked."""
    if not has_script():  # a file system that cannot be written to
        st.plotly_chart(figure, key=f"{key}_chart")
        return

    def told() -> None:
        cell = st.session_state[key].get("cell")
        if cell is not None:
            on_cell(cell)

    figure_component()(key=key, data={"figure": figure, "label": label}, on_cell_change=told)
