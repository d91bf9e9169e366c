"""Lesson 1: from X to Q, K, V, on the 2x2-pixel example."""

import numpy as np

from ui.course.blocks import matrix, row
from ui.course.lesson import lesson
from ui.course.moments import Cell, Choice, Here, Knob, Moment, Number, Shape, edited, opened, turned

EVERYTHING = ("x", "w_q", "w_k", "w_v", "q", "k", "v")


def blended(here: Here) -> float:
    """Q of p0, first column, once half of c3 is let in."""
    scenario = here.start.edited("w_q", {(3, 0): 0.5})
    return float(scenario.trace()["q"][0, 0])


def both_ways(here: Here) -> list[dict]:
    """The projection with rows as tokens, or turned on its side."""
    names = ("x", "w_q", "q")
    x, w_q, q = (here.trace[name] for name in names)
    channels_first = here.knobs["stored"] == 1
    shown = (w_q.T, x.T, w_q.T @ x.T) if channels_first else (x, w_q, q)
    titles = ("Wqᵀ", "Xᵀ", "Qᵀ") if channels_first else ("X", "Wq", "Q")
    lit = ("w_q", "x", "q") if channels_first else names
    inks = {"x": "", "w_q": "q", "q": "q"}
    parts = [
        matrix(title, array, name=name, ink=inks[name])
        for title, array, name in zip(titles, shown, lit, strict=True)
    ]
    return [row(*parts, title=here.word("block.channels" if channels_first else "block.tokens"))]


def orientation_facts(here: Here) -> dict:
    x, w_q, q = (here.trace[name] for name in ("x", "w_q", "q"))
    first = "×".join(map(str, (1, 1, q.shape[1], q.shape[0])))
    return {"difference": float(np.abs((w_q.T @ x.T).T - q).max()), "first": first}


MOMENTS = (
    Moment(
        "select",
        board=("x", "w_q", "q"),
        ask=Cell("q", 2, 0),
        covers=("q",),
        task=opened("q"),
        step="project",
    ),
    Moment(
        "swap",
        board=("x", "w_k", "w_v", "k", "v"),
        ask=Choice(("c0", "c1", "c2", "c3"), right="c1"),
        covers=("k",),
        task=opened("k", "v"),
        step="project",
    ),
    Moment(
        "lost",
        board=EVERYTHING,
        ask=Choice(("none", "q", "all"), right="none"),
        task=edited("x"),
        step="project",
    ),
    Moment("blend", board=("x", "w_q", "q"), ask=Number(blended), task=edited("w_q"), step="project"),
    Moment(
        "orientation",
        ask=Shape(lambda here: here.trace["q"].shape[::-1]),
        task=turned("stored"),
        knobs=(Knob("stored", options=("tokens", "channels")),),
        blocks=both_ways,
        facts=orientation_facts,
        step="project",
    ),
)

lesson(__file__, MOMENTS)
