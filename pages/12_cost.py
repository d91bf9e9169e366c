"""Lesson 12: what attention costs, in parameters, operations and memory, for models of real size."""

from ui.course.engine.sections import Choice, Knob, Number, Section, any_of, turned
from ui.course.lessons.cost import caches
from ui.course.lessons.cost import sizes as shows
from ui.course.lessons.cost.models import model_ids
from ui.streamlit.lesson import lesson

MODEL = Knob("model", options=model_ids(), start=model_ids().index("gpt2"))
SHARED = Knob("model", options=model_ids(), start=model_ids().index("llama3_8b"))
TOKENS = Knob("tokens", values=shows.LENGTHS, start=1024)
LONG = Knob("tokens", values=shows.LENGTHS, start=8192)
BATCH = Knob("batch", values=(1, 2, 4, 8, 16, 32, 64), start=1)

SECTIONS = (
    Section(
        "parameters",
        ask=Choice(("two", "four", "eight"), right="four"),
        task=turned("model"),
        knobs=(MODEL,),
        blocks=shows.parameters_blocks,
        facts=shows.parameters_facts,
    ),
    Section(
        "operations",
        ask=Choice(("one", "two", "width"), right="two"),
        task=turned("tokens", lambda tokens: tokens > TOKENS.start),
        knobs=(MODEL, TOKENS),
        blocks=shows.operations_blocks,
        facts=shows.operations_facts,
    ),
    Section(
        "crossing",
        ask=Number(shows.crossing_in_widths, 0),
        task=turned("part", 1),
        knobs=(MODEL, Knob("part", options=tuple(shows.CROSSINGS))),
        blocks=shows.crossing_blocks,
        facts=shows.crossing_facts,
    ),
    Section(
        "activations",
        ask=Choice(("half", "same", "double"), right="double"),
        task=shows.is_past_crossing,
        knobs=(MODEL, Knob("tokens", values=shows.LENGTHS, start=128), BATCH),
        blocks=shows.activations_blocks,
        facts=shows.activations_facts,
    ),
    Section(
        "filling",
        preset="cat_on_the_mat",
        change=caches.one_causal_head,
        ask=Number(lambda here: caches.rows_made(caches.written_anew(here, 7))[-1], 0),
        task=turned("step", 7),
        knobs=(Knob("step", 1, 7, 1, play=700),),
        blocks=caches.filling_blocks,
        facts=caches.filling_facts,
        step="scores",
    ),
    Section(
        "cache",
        ask=Number(caches.times_smaller, 0),
        task=any_of(turned("tokens"), turned("batch")),
        knobs=(SHARED, LONG, BATCH),
        blocks=caches.cache_blocks,
        facts=caches.cache_facts,
    ),
)

lesson(__file__, SECTIONS)
