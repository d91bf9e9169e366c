"""Lesson 7: why scores are divided by √d_k."""

from ui.course.engine.sections import Choice, Knob, Number, Section, all_of, chose, turned
from ui.course.lessons.scaling import roots
from ui.course.lessons.scaling import variance as scaling
from ui.streamlit.lesson import lesson

WIDTH = Knob("d_k", values=scaling.WIDTHS, start=4)
AGAIN = Knob("again", press=True, most=1000)

SECTIONS = (
    Section(
        "spread",
        ask=Choice(("zero", "root", "all"), right="root"),
        task=turned("d_k", lambda d_k: d_k >= 64),
        knobs=(Knob("d_k", values=scaling.WIDTHS, start=16), AGAIN),
        blocks=scaling.growing_sums,
        facts=scaling.reach_of_sums,
    ),
    Section(
        "variance",
        ask=Choice(("eight", "one", "eighth"), right="one"),
        task=all_of(turned("run", lambda run: run > 0), turned("pairs", lambda pairs: pairs >= 10_000)),
        knobs=(
            Knob("run", press=True, most=1000),
            Knob("pairs", values=(100, 1000, 10_000, 100_000), start=100),
            Knob("d_k", values=scaling.WIDTHS, start=64),
        ),
        blocks=scaling.variance_by_width,
        experiment=scaling.variance_run,
    ),
    Section(
        "winner",
        ask=Choice(("even", "half", "all"), right="all"),
        task=turned("d_k", 1024),
        knobs=(WIDTH, AGAIN),
        blocks=scaling.largest_weights,
        step="softmax",
        lab=scaling.divided_in_the_lab,
    ),
    Section(
        "gradient",
        ask=Number(scaling.slope_of_a_choice),
        task=turned("d_k", lambda d_k: d_k >= 256),
        knobs=(WIDTH,),
        blocks=scaling.slopes,
        facts=scaling.sizes_of_slopes,
        step="softmax",
        lab=scaling.divided_in_the_lab,
    ),
    Section(
        "which",
        preset="textbook",
        controls=("heads",),
        ask=Number(roots.head_width, decimals=0),
        task=chose("n_heads", 1),
        blocks=roots.by_root,
        facts=roots.root_facts,
        step="scale",
        confusion="which_root",
    ),
    Section(
        "sides",
        ask=Choice(("fourth", "root", "whole"), right="root"),
        task=roots.comes_too_late,
        knobs=(
            Knob("type", options=roots.FLOAT_TYPES),
            Knob("size", least=1, most=50, start=2),
            Knob("d_k", values=(16, 64, 256), start=64),
        ),
        blocks=roots.places_of_scale,
        facts=roots.scale_facts,
    ),
)

lesson(__file__, SECTIONS)
