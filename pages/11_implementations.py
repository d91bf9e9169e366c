"""Lesson 11: implementations in the wild, eight of them on the same X."""

from ui.course.engine.sections import Choice, Knob, Number, Section, all_of, turned
from ui.course.lessons.implementations import dropout_sections as wild_dropout
from ui.course.lessons.implementations import mask_sections as wild_masks
from ui.course.lessons.implementations import sections as wild
from ui.course.lessons.implementations.catalogue import FILLS, MASKS
from ui.streamlit.lesson import lesson

GIVEN = ("x", "w_q", "w_k", "w_v")


def hide_all_from_one(scenario):
    """Token 1 may look at nothing."""
    return scenario.with_options(attn_mask=MASKS["row"].tolist())


SECTIONS = (
    Section(
        "same",
        preset="bare_formula",
        board=GIVEN,
        ask=Number(wild.agreeing, 0),
        task=turned("which"),
        knobs=(Knob("which", options=wild.IDS, start=1), Knob("shown", options=("steps", "file"), above=2)),
        blocks=wild.one_by_one,
    ),
    Section(
        "part",
        preset="bare_formula",
        board=GIVEN,
        ask=Choice(("q", "scores", "weights", "output"), right="q"),
        task=turned("asked"),
        knobs=(
            Knob("left", options=wild.IDS),
            Knob("right", options=wild.IDS, start=2),
            Knob("asked", options=tuple(wild.ASKED)),
        ),
        blocks=wild.two_by_two,
    ),
    Section(
        "empty",
        preset="bare_formula",
        change=hide_all_from_one,
        ask=Number(wild_masks.equal_share),
        task=turned("fill", to=2),
        knobs=(Knob("fill", options=tuple(FILLS), start=1),),
        blocks=wild_masks.nothing_to_look_at,
        facts=wild_masks.empty_facts,
        step="mask",
    ),
    Section(
        "reader",
        preset="bare_formula",
        ask=Choice(("zero", "some", "nan"), right="some"),
        task=all_of(turned("reader", to=1), turned("mask", to=2)),
        knobs=(Knob("mask", options=wild_masks.READ), Knob("reader", options=wild_masks.READERS)),
        blocks=wild_masks.reader,
        facts=wild_masks.reader_facts,
    ),
    Section(
        "dropout",
        preset="bare_formula",
        ask=Number(wild_dropout.kept_at_one_half),
        task=all_of(turned("seed"), turned("p")),
        knobs=(Knob("p", values=wild_dropout.CHANCES, start=0.25), Knob("seed", most=40, play=500)),
        blocks=wild_dropout.before_and_after,
        facts=wild_dropout.dropout_facts,
        step="softmax",
        confusion="dropout_rows",
    ),
    Section(
        "mean",
        preset="bare_formula",
        ask=Choice(("zero", "half", "one"), right="one"),
        task=turned("go", to=lambda times: times >= 1),
        knobs=(Knob("p", values=wild_dropout.CHANCES, start=0.5), Knob("go", press=True, most=99)),
        blocks=wild_dropout.many_seeds,
        experiment=wild_dropout.seeds_run,
        step="softmax",
    ),
    Section(
        "evaluation",
        preset="bare_formula",
        ask=Number(wild_dropout.still_dropping, 0),
        task=turned("mode", to=1),
        knobs=(Knob("mode", options=("training", "evaluation")),),
        blocks=wild_dropout.row_sums,
    ),
)

lesson(__file__, SECTIONS)
