"""Lesson 6: who may look at whom, and what is kept while a text is written."""

from ui.course.engine.sections import Choice, Knob, Number, Section, Shape, all_of, edited, turned
from ui.course.lessons.masks import generation
from ui.course.lessons.masks import sections as masks
from ui.course.lessons.masks import shared_heads as sharing
from ui.streamlit.lesson import lesson

SECTIONS = (
    Section(
        "ahead",
        preset="causal",
        change=masks.in_words,
        board=("scaled", "visible", "attn_mask", "masked", "weights"),
        controls=("mask",),
        ask=Number(masks.weight_of_the_first),
        covers=("weights",),
        task=masks.made_own_mask,
        blocks=masks.pairs_left,
        facts=masks.pair_facts,
        step="mask",
    ),
    Section(
        "polarity",
        preset="causal",
        change=masks.unmasked,
        ask=Choice(("everything", "itself", "nothing"), right="nothing"),
        task=turned("reading", to=1),
        knobs=(Knob("reading", options=masks.READINGS),),
        blocks=masks.readings,
        facts=masks.reading_facts,
        step="mask",
        confusion="mask_polarity",
    ),
    Section(
        "nothing",
        preset="nothing_to_look_at",
        change=masks.in_words,
        ask=Choice(("zero", "equal", "nan"), right="nan"),
        task=all_of(turned("way"), turned("bits")),
        knobs=(Knob("way", options=masks.WAYS), Knob("bits", options=tuple(masks.BITS))),
        blocks=masks.empty_rows,
        facts=masks.empty_facts,
        step="mask",
    ),
    Section(
        "cross",
        preset="cross",
        change=masks.translating,
        board=("x", "memory", "q", "k", "v", "weights", "output"),
        ask=Shape(masks.one_more_word),
        task=all_of(edited("memory"), turned("newest")),
        knobs=(Knob("newest", 1, 4, 2),),
        blocks=masks.corners,
        facts=masks.cross_facts,
        step="scores",
    ),
    Section(
        "generation",
        preset="cat_on_the_mat",
        change=generation.one_head,
        ask=Number(generation.rows_without, 0),
        task=all_of(turned("word", to=7), turned("cache")),
        knobs=(Knob("word", 1, 7, 1, play=900), Knob("cache", options=("kept", "again"))),
        blocks=generation.word_by_word,
        facts=generation.generation_facts,
        step="project",
    ),
    Section(
        "sharing",
        preset="grouped_query",
        change=sharing.sixteen_heads,
        ask=Number(sharing.read_by_head_10, 0),
        task=turned("order", to=1),
        knobs=(Knob("kv_heads", values=sharing.divisors(16), start=4), Knob("order", options=sharing.ORDERS)),
        blocks=sharing.sharing,
        facts=sharing.sharing_facts,
        step="share",
        confusion="interleave_or_tile",
    ),
    Section(
        "bytes",
        ask=Number(sharing.longer_and_shared),
        task=turned("kv_heads", to=1),
        knobs=sharing.CACHE_KNOBS,
        blocks=sharing.cache_size,
        facts=sharing.cache_facts,
    ),
)

lesson(__file__, SECTIONS)
