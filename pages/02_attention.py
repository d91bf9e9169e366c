"""Lesson 2: a score of the sentence; then scale, softmax and output of the 2x2-pixel example."""

from ui.course.engine.sections import (
    Cell,
    Choice,
    Knob,
    Section,
    Shape,
    all_of,
    chose,
    edited,
    opened,
    turned,
)
from ui.course.lessons.projection import (
    difference_by_side,
    first_head,
    mixed_both_ways,
    outputs_part,
    powers_of_p1,
    scaled_at_first,
    shares_of_odd_pixels,
)
from ui.streamlit.lesson import lesson

SECTIONS = (
    Section(
        "match",
        preset="cat_on_the_mat",
        change=first_head,
        board=("q", "k", "scores"),
        ask=Cell("scores", 5, 2),
        covers=("scores",),
        task=opened("scores"),
        step="scores",
    ),
    Section(
        "scale",
        board=("scores", "scaled", "weights"),
        controls=("scale",),
        ask=Cell("scaled", 0, 3, at_first=True),
        covers=("scaled",),
        task=chose("scale", "off"),
        facts=scaled_at_first,
        step="scale",
    ),
    Section(
        "softmax",
        board=("scaled", "weights"),
        ask=Cell("weights", 1, 3),
        covers=("weights",),
        task=opened("weights"),
        facts=powers_of_p1,
        step="softmax",
    ),
    Section(
        "output",
        board=("weights", "v", "output"),
        ask=Choice(("same", "different"), right="same"),
        covers=("output",),
        task=opened("output", row=1),
        facts=shares_of_odd_pixels,
        step="weighted_sum",
    ),
    Section(
        "part",
        board=("x", "w_v", "v", "weights", "output"),
        ask=Choice(("doubled", "same", "square"), right="doubled"),
        task=all_of(edited("x", "w_v"), outputs_part),
        step="weighted_sum",
    ),
    Section(
        "sides",
        ask=Shape(lambda here: here.trace["output"].shape[::-1]),
        task=turned("stored"),
        knobs=(Knob("stored", options=("tokens", "channels")),),
        blocks=mixed_both_ways,
        facts=difference_by_side,
        step="weighted_sum",
    ),
)

lesson(__file__, SECTIONS)
