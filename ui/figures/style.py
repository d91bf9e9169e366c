"""How figures look: colour scales, hues of heads, and what every figure of a kind has (a Plotly template).

Sent to the browser once (`style`), which fills in the colours of its theme.
"""

import re
import tomllib
from functools import cache

from ui.paths import ROOT

# Transparent where a number is 0, so that both themes show through.
SIGNED = [
    [0, "rgba(176,90,31,0.66)"],
    [0.5, "rgba(176,90,31,0)"],
    [0.5, "rgba(74,109,166,0)"],
    [1, "rgba(74,109,166,0.66)"],
]
SHARE = [[0, "rgba(107,63,184,0)"], [1, "rgba(107,63,184,0.66)"]]
FLAG = [[0, "rgba(128,128,128,0)"], [1, "rgba(128,128,128,0.35)"]]
BARS = "rgba(107,63,184,0.75)"
# One hue for each head, safe for the common colour-vision deficiencies; heads are named as well.
HEADS = ("#56B4E9", "#E69F00", "#CC79A7", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#999999")
HEAD_SHARE = 0.4  # of a head's hue over the page, so that numbers on it are read
BY_HEAD = [[place / (len(HEADS) - 1), hue] for place, hue in enumerate(HEADS)]
SCALES = {"signed": SIGNED, "share": SHARE, "flag": FLAG, "head": BY_HEAD}
INKS = {"q": "blue", "k": "orange", "v": "green", "": "violet", "plain": "gray"}

MARGIN = {"l": 40, "r": 8, "t": 54, "b": 8}
LETTERS = 12  # pixels
CLEAR = "rgba(0,0,0,0)"
GRID = "rgba(128,128,128,0.2)"
NO_GRID = {"showgrid": False, "zeroline": False, "ticks": "", "tickfont": {"size": LETTERS}}
TITLE = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
TITLE |= {"align": "left", "yshift": 20, "showarrow": False}
NUMBERS = {"mode": "text", "hoverinfo": "skip"}  # written over a matrix
PAPER = {
    "modebar": {"bgcolor": CLEAR, "color": "rgba(128,128,128,0.7)", "activecolor": "#8a5fd0"},
    "paper_bgcolor": CLEAR,
    "plot_bgcolor": CLEAR,
    "font": {"color": "var(--st-text-color)", "size": LETTERS},
}


def ink_colour(ink: str, text: bool = False) -> str:
    """The theme's colour of Q, K, V or anything else, by name."""
    return f"var(--st-{INKS.get(ink, INKS[''])}-{'text-' if text else ''}color)"


def style() -> dict:
    """What every figure has, by kind: of matrices, and of curves."""
    heatmap = {"showscale": False, "xgap": 2, "ygap": 2, "hoverongaps": False}
    heatmap["hovertemplate"] = "%{z}<extra>%{fullData.name}</extra>"
    line = {"hovertemplate": "%{x}: %{y}<extra>%{fullData.name}</extra>"}
    axis = {"showgrid": True, "gridcolor": GRID, "zeroline": False, "automargin": True, "fixedrange": True}
    cells = PAPER | {
        "showlegend": False,
        "margin": MARGIN,
        "dragmode": "zoom",
        "xaxis": NO_GRID | {"side": "top"},
        "yaxis": NO_GRID,
        "annotationdefaults": TITLE,
    }
    curves = PAPER | {
        "margin": {"l": 56, "r": 12, "t": 8, "b": 44},
        "dragmode": False,
        "legend": {"orientation": "h", "y": -0.28},
        "xaxis": axis,
        "yaxis": axis,
    }
    plain = {"visible": False, "fixedrange": True}
    shapes = PAPER | {
        "showlegend": False,
        "margin": {"l": 0, "r": 0, "t": 44, "b": 0},
        "dragmode": False,
        "title": {
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "top",
            "pad": {"t": 10},
            "font": {"size": 20},
        },
        "xaxis": plain,
        "yaxis": plain,
    }
    return {
        "scales": SCALES,
        "shapes": {"data": {}, "layout": shapes},
        "cells": {"data": {"heatmap": [heatmap], "scatter": [NUMBERS]}, "layout": cells},
        "curves": {"data": {"scatter": [line], "bar": [line]}, "layout": curves},
    }


@cache
def theme_colours(scheme: str) -> dict[str, str]:
    """The colours of .streamlit/config.toml, under the names that Streamlit gives them in a page."""
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"][scheme]
    named = {re.sub("[A-Z]", r"-\g<0>", key).lower(): colour for key, colour in theme.items()}
    return {f"--st-{name}": colour for name, colour in named.items() if "color" in name}
