"""Lesson 8: why softmax."""

import math

from ui.course.engine.sections import Choice, Knob, Number, Section, turned
from ui.course.lessons import softmax as shares
from ui.streamlit.lesson import lesson


def scores(*starts: float) -> tuple[Knob, ...]:
    """A slider for the score of each token."""
    return tuple(Knob(name, -5, 10, start, 0.1) for name, start in zip(shares.NAMES, starts, strict=True))


SECTIONS = (
    Section(
        "plain",
        ask=Number(shares.share_of_a_minus),
        task=shares.is_broken,
        knobs=scores(3, 2, 1),
        blocks=shares.divided_by_their_sum,
        step="softmax",
        lab=shares.with_my_scores,
    ),
    Section(
        "powers",
        ask=Number(lambda here: math.e),
        task=shares.all_below_zero,
        knobs=scores(3, 2, -1),
        blocks=shares.raised_and_divided,
        step="softmax",
        lab=shares.with_my_scores,
    ),
    Section(
        "misprint",
        ask=Choice(("sum", "order", "nothing"), right="order"),
        task=turned("check", shares.CHECKS.index("value")),
        knobs=(Knob("check", options=shares.CHECKS, above=1),),
        blocks=shares.printed_row,
        facts=shares.printed_facts,
        step="softmax",
        lab=shares.with_printed_scores,
    ),
    Section(
        "highest",
        ask=Choice(("little", "jump", "never"), right="jump"),
        task=turned("b", lambda b: b > shares.RIVALS[0]),
        knobs=(Knob("b", -3, 7, 1.5, 0.1),),
        blocks=shares.smooth_and_sudden,
        facts=shares.slope_of_b,
        step="softmax",
        lab=shares.with_rivals,
    ),
    Section(
        "temperature",
        ask=Choice(("one", "even", "same"), right="even"),
        task=shares.as_cold_as_argmax,
        knobs=(
            Knob("temperature", values=(0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50), start=1),
            *scores(2, 1, 0),
        ),
        blocks=shares.hot_and_cold,
        step="scale",
        lab=shares.with_my_scores,
    ),
    Section(
        "overflow",
        ask=Choice(("same", "larger", "one"), right="same"),
        task=shares.rescued,
        knobs=(
            Knob("type", options=shares.FLOAT_TYPES, start=1),
            Knob("shift", values=(-1000, -100, 0, 2, 50, 79, 80, 100, 700, 1000), start=0),
            Knob("guard", options=("off", "on")),
        ),
        blocks=shares.with_and_without_guard,
        facts=shares.limits,
        step="softmax",
        lab=shares.with_printed_scores,
    ),
)

lesson(__file__, SECTIONS)
