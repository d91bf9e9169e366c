"""Lesson 1: from X to Q, K, V, on the 2x2-pixel example."""

from ui.course.engine.sections import Cell, Choice, Knob, Number, Section, Shape, edited, opened, turned
from ui.course.lessons.projection import blended, difference_of_projections, projected_both_ways
from ui.streamlit.lesson import lesson

SECTIONS = (
    Section(
        "select",
        board=("x", "w_q", "q"),
        ask=Cell("q", 2, 0),
        covers=("q",),
        task=opened("q"),
        step="project",
    ),
    Section(
        "swap",
        board=("x", "w_k", "w_v", "k", "v"),
        ask=Choice(("c0", "c1", "c2", "c3"), right="c1"),
        covers=("k",),
        task=opened("v"),
        step="project",
    ),
    Section(
        "lost",
        board=("x", "w_q", "w_k", "w_v", "q", "k", "v"),
        ask=Choice(("none", "q", "all"), right="none"),
        task=edited("x", columns=slice(3, 4)),
        step="project",
    ),
    Section(
        "blend",
        board=("x", "w_q", "q"),
        ask=Number(blended),
        task=edited("w_q", rows=slice(3, 4), columns=slice(0, 1)),
        step="project",
    ),
    Section(
        "orientation",
        ask=Shape(lambda here: here.trace["q"].shape[::-1]),
        task=turned("stored"),
        knobs=(Knob("stored", options=("tokens", "channels")),),
        blocks=projected_both_ways,
        facts=difference_of_projections,
        step="project",
    ),
)

lesson(__file__, SECTIONS)
