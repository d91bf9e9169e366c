"""Lesson 3: several heads, at the textbook's sizes and small enough to read."""

from ui.course.engine.sections import Choice, Knob, Section, Shape, chose, edited, opened, turned
from ui.course.lessons import several_heads as heads
from ui.streamlit.lesson import lesson

SMALL = {"preset": "cat_on_the_mat", "change": heads.two_readings}

SECTIONS = (
    Section(
        "shapes",
        preset="textbook",
        board=("q_heads", "weights"),
        ask=Shape(heads.split_shape),
        covers=("q_heads",),
        task=opened("weights"),
        blocks=heads.six_steps,
        facts=heads.numbers_of_textbook,
        step="split",
    ),
    Section(
        "apart",
        **SMALL,
        board=("w_q", "w_k", "q_heads", "k_heads", "weights"),
        ask=Choice(heads.ANSWERS, right=lambda here: heads.most_looked_at(here, 0)),
        covers=("weights",),
        task=opened("weights", row=1, head=1),
        facts=heads.what_sat_sees,
        step="softmax",
    ),
    Section(
        "blur",
        **SMALL,
        board=("weights", "output"),
        controls=("heads",),
        ask=Choice(("cat", "both", "all"), right="both"),
        task=chose("n_heads", 1),
        facts=heads.what_sat_sees,
        step="softmax",
    ),
    Section(
        "one_wq",
        preset="one_wq_or_many",
        ask=Choice(("same", "different"), right="same"),
        task=turned("head", 1),
        knobs=(Knob("head", options=("first", "second")),),
        blocks=heads.own_wq,
        facts=heads.difference_of_heads,
        step="split",
        confusion="one_wq_or_many",
    ),
    Section(
        "merge",
        **SMALL,
        board=("head_outputs", "merged", "w_o", "output"),
        ask=Shape(lambda here: here.trace["merged"].shape),
        covers=("merged", "output"),
        task=edited("w_o", rows=slice(0, 2), columns=slice(2, 4)),
        step="output",
    ),
    Section(
        "widths",
        **SMALL,
        ask=Choice(("query_key", "key_value", "every"), right="query_key"),
        task=turned("d_value"),
        knobs=(Knob("d_key", 1, 4, start=2), Knob("d_value", 1, 4, start=2)),
        blocks=heads.with_other_widths,
        step="split",
    ),
)

lesson(__file__, SECTIONS)
