"""Lesson 13: what the heads of a trained model show, and what that does not prove."""

from ui.course.engine.sections import Choice, Knob, Section, opened, turned
from ui.course.lessons import real_heads as heads
from ui.streamlit.lesson import lesson

SECTIONS = (
    Section(
        "previous",
        preset="minilm_previous",
        board=("weights",),
        ask=Choice(("mat", "it", "tired", "sat"), right="mat"),
        covers=("weights",),
        task=opened("weights"),
        blocks=heads.previous_blocks,
        facts=heads.previous_facts,
        step="softmax",
    ),
    Section(
        "sink",
        preset="minilm_sink",
        ask=Choice(("even", "half", "most"), right="most"),
        task=turned("keys", 1),
        knobs=(Knob("keys", options=("all", "words")),),
        blocks=heads.sink_blocks,
        facts=heads.sink_facts,
        step="softmax",
    ),
    Section(
        "it",
        preset="minilm_it",
        board=("weights",),
        ask=Choice(("cat", "mat", "because", "tired"), right="cat"),
        covers=("weights",),
        task=heads.it_to_cat,
        blocks=heads.it_blocks,
        facts=heads.it_facts,
        step="softmax",
    ),
    Section(
        "control",
        preset="minilm_it",
        ask=Choice(("moves", "half", "stays"), right="stays"),
        task=turned("ending", lambda place: place >= heads.ENDINGS.index("big")),
        knobs=(Knob("ending", options=heads.ENDINGS, start=heads.ENDINGS.index("soft")),),
        blocks=heads.control_blocks,
        facts=heads.control_facts,
        step="softmax",
        lab=heads.in_present_sentence,
    ),
    Section(
        "best",
        preset="minilm_it",
        ask=Choice(("little", "same", "all"), right="all"),
        task=turned("word", lambda place: place > 0),
        knobs=(Knob("word", options=heads.WANTED),),
        blocks=heads.best_blocks,
        facts=heads.best_facts,
    ),
    Section(
        "explain",
        preset="minilm_sink",
        change=heads.seen_from_it,
        ask=Choice(("first", "last"), right="last"),
        task=heads.first_matters,
        blocks=heads.explain_blocks,
        facts=heads.explain_facts,
        step="weighted_sum",
    ),
)

lesson(__file__, SECTIONS)
