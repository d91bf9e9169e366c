"""What the section about generation shows: the cache as it fills word by word, and the work without it."""

import json
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from attention_core import TokenStep, token_by_token
from ui.course.engine.blocks import curve, matrix, plot, row, table
from ui.course.engine.sections import Facts, Here
from ui.scenario.scenario import Scenario, build_array


def one_head(scenario: Scenario) -> Scenario:
    """One head in which no word looks ahead, as in generation."""
    return scenario.with_options(n_heads=1, is_causal=True)


class Walk(NamedTuple):
    """A sentence word by word: each step, its rows of K (and as many of V), its multiplications."""

    steps: tuple[TokenStep, ...]
    rows: list[int]
    work: list[int]


def walks_of(here: Here) -> dict[str, Walk]:
    """The sentence of the section with earlier K and V kept, and computed again."""
    arrays, n_heads = json.dumps(here.scenario.arrays), here.scenario.options["n_heads"]
    return {way: walk(arrays, n_heads, way == "kept") for way in ("kept", "again")}


@lru_cache(maxsize=8)  # the slider asks for the same sentence at every stop
def walk(arrays: str, n_heads: int, use_cache: bool) -> Walk:
    given = {name: build_array(recipe) for name, recipe in json.loads(arrays).items()}
    steps = token_by_token(**given, n_heads=n_heads, use_cache=use_cache)
    rows = [step.trace["k"].shape[-2] for step in steps]
    return Walk(steps, rows, [sum(step.products.values()) for step in steps])


def filling(title: str, found: np.ndarray, labels: list[str], made: int, **look) -> dict:
    """A matrix with room for every word; the last `made` of the rows there are were computed just now."""
    n_rows, width = found.shape
    marks = {(place, column): "new" for place in range(n_rows - made, n_rows) for column in range(width)}
    marks |= {(place, column): "hidden" for place in range(n_rows, len(labels)) for column in range(width)}
    shown = matrix(title, found, labels, marks=marks, **look)
    shown["values"] += [[""] * width for _ in range(len(labels) - n_rows)]
    return shown


def shares_so_far(title: str, shares: np.ndarray, query: str, labels: list[str]) -> dict:
    """The weights of one word, with room for those that are still to come."""
    rest = range(shares.shape[-1], len(labels))
    shown = matrix(title, shares, [query], labels, scale="share", marks={(0, key): "hidden" for key in rest})
    shown["values"][0] += [""] * len(rest)
    return shown


def word_by_word(here: Here) -> list[dict]:
    """What is computed when the chosen word arrives, and what both ways have cost so far."""
    both = walks_of(here)
    way = list(both)[here.whole("cache")]
    place = here.whole("word") - 1
    step, made = both[way].steps[place], both[way].rows[place]
    labels = here.scenario.labels("query", len(both[way].steps))
    top = max(float(np.abs(here.trace[name]).max()) for name in "qkv")
    look = {"top": top, "decimals": 0}
    query = matrix(here.word("block.q"), step.q, [labels[place]], ink="q", name="q", **look)
    keys = filling(here.word(f"block.k_{way}"), step.keys[0], labels, made, ink="k", name="k", **look)
    values = filling(here.word(f"block.v_{way}"), step.values[0], labels, made, ink="v", name="v", **look)
    shares = shares_so_far(here.word("block.weights"), step.weights, labels[place], labels)
    output = matrix(here.word("block.output"), step.output, [labels[place]])
    counts = count_table(here, both, way, place)
    return [row(query, keys, values), row(shares, output), counts, work_plot(here, both, place)]


def count_table(here: Here, both: dict[str, Walk], way: str, place: int) -> dict:
    lines = []
    for each, (_, rows, work) in both.items():
        counts = (rows[place], sum(rows[: place + 1]), work[place], sum(work[: place + 1]))
        lines.append([here.word(f"knob.cache_{each}"), *(here.number(count, 0) for count in counts)])
    names = ("way", "rows_now", "rows_so_far", "work_now", "work_so_far")
    headers = [here.word(f"block.{name}") for name in names]
    return table(here.word("block.counts"), headers, lines, marked=list(both).index(way))


def work_plot(here: Here, both: dict[str, Walk], place: int) -> dict:
    dashes = {"kept": "solid", "again": "dash"}
    curves = [
        curve(here.word(f"knob.cache_{way}"), np.cumsum(found.work), dash=dashes[way])
        for way, found in both.items()
    ]
    titles = here.word("block.words"), here.word("block.work_so_far")
    places = range(1, len(here.trace["x"]) + 1)
    return plot(here.word("block.growth"), places, curves, titles, at=place + 1)


def rows_without(here: Here) -> float:
    """Rows of K computed for the whole sentence when nothing is kept."""
    return sum(walks_of(here)["again"].rows)


def generation_facts(here: Here) -> Facts:
    kept, again = walks_of(here).values()
    outputs = [np.stack([step.output for step in found.steps]) for found in (kept, again)]
    return {
        "words": len(kept.steps),
        "with": sum(kept.rows),
        "without": sum(again.rows),
        "thousand": sum(range(1, 1001)),
        "times": sum(again.work) / sum(kept.work),
        "apart": here.words.brief(np.abs(outputs[0] - outputs[1]).max(), 1),
        "apart_whole": here.words.brief(max(np.abs(found - here.trace.output).max() for found in outputs), 1),
    }
