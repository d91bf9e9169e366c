"""Lesson 9: why Q, K, V, and why attention, on one sentence and beside an RNN and a CNN."""

from ui.course.engine.sections import Choice, Knob, Number, Section, all_of, edited, turned
from ui.course.lessons.why_attention import other_layers as layers
from ui.course.lessons.why_attention import tables as shows
from ui.streamlit.lesson import lesson

SENTENCE = {"preset": "cat_on_the_mat", "change": shows.who_looks_for_whom}
KERNEL = Knob("kernel", values=(3, 5, 7, 9), start=3)

SECTIONS = (
    Section(
        "content",
        **SENTENCE,
        board=("x",),
        ask=Choice(("computed", "stored", "both"), right="computed"),
        task=edited("x"),
        blocks=shows.content_blocks,
        facts=shows.content_facts,
        step="softmax",
    ),
    Section(
        "length",
        **SENTENCE,
        ask=Number(lambda here: (len(here.trace["x"]) + 1) ** 2, 0),
        task=turned("tokens", lambda tokens: tokens != 7),
        knobs=(Knob("tokens", 3, 10, 7),),
        blocks=shows.length_blocks,
        facts=shows.length_facts,
        step="softmax",
    ),
    Section(
        "readings",
        **SENTENCE,
        ask=Choice(("row", "column", "none"), right="column"),
        task=turned("reading", 2),
        knobs=(
            Knob("token", options=("article", "noun", "verb"), start=1),
            Knob("reading", options=("query", "key", "value")),
        ),
        blocks=shows.readings_blocks,
        facts=shows.readings_facts,
        step="scores",
    ),
    Section(
        "two_matrices",
        **SENTENCE,
        ask=Number(lambda here: shows.pair_facts(here)["same_back"]),
        task=turned("keys", 1),
        knobs=(Knob("keys", options=("own", "same")),),
        blocks=shows.pair_blocks,
        facts=shows.pair_facts,
        step="scores",
    ),
    Section(
        "reach",
        **SENTENCE,
        ask=Number(lambda here: layers.compare_layers(n_tokens=7, d_model=1, kernel=3)["cnn"]["path"], 0),
        task=turned("steps", lambda steps: steps >= 6),
        knobs=(Knob("steps", 0, 7, 1, play=700), KERNEL),
        blocks=layers.reach_blocks,
        facts=layers.reach_facts,
    ),
    Section(
        "side_by_side",
        ask=Number(layers.mixing_when_doubled, 0),
        task=all_of(turned("tokens"), turned("plotted")),
        knobs=(
            Knob("tokens", values=layers.LENGTHS, start=512),
            Knob("width", values=(64, 128, 256, 512, 768, 1024), start=512),
            KERNEL,
            Knob("plotted", options=layers.PLOTTED, start=1, above=1),
        ),
        blocks=layers.compare_blocks,
        facts=layers.compare_facts,
    ),
)

lesson(__file__, SECTIONS)
