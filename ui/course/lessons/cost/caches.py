"""The cache of keys and values: how it fills, how large it is, and what sharing heads saves."""

from dataclasses import replace

import numpy as np

from attention_core import Trace, multi_head_attention
from ui.course.engine.blocks import curve, matrix, plot, row, sentence, table
from ui.course.engine.sections import Here
from ui.course.engine.units import in_bytes
from ui.course.lessons.cost.models import Sharing, cache_by_sharing, load_model
from ui.course.lessons.cost.sizes import amounts_table, chosen, chosen_cost
from ui.scenario.scenario import Scenario

# The cache, row by row.


def one_causal_head(scenario: Scenario) -> Scenario:
    """The sentence as a text that is being written: one head, and nobody looks ahead."""
    arrays = {name: array for name, array in scenario.arrays.items() if name != "w_o"}
    return replace(scenario, arrays=arrays, options={"n_heads": 1, "is_causal": True})


def written(here: Here, steps: int) -> list[Trace]:
    """One trace for each token that is added: only its own row is computed, the rest is in the cache."""
    x, weights = here.trace["x"], [here.trace[name] for name in ("w_q", "w_k", "w_v")]
    traces: list[Trace] = []
    for place in range(steps):
        cache = {f"past_{part}": traces[-1][f"present_{part}"] for part in ("key", "value")} if traces else {}
        traces.append(
            multi_head_attention(x[place : place + 1], *weights, n_heads=1, is_causal=True, **cache)
        )
    return traces


def written_anew(here: Here, steps: int) -> list[Trace]:
    """The same without a cache: for each token everything so far is computed again."""
    x, weights = here.trace["x"], [here.trace[name] for name in ("w_q", "w_k", "w_v")]
    return [
        multi_head_attention(x[: place + 1], *weights, n_heads=1, is_causal=True) for place in range(steps)
    ]


def rows_made(traces: list[Trace]) -> list[int]:
    """How many rows of K have been computed, after each token."""
    return np.cumsum([len(trace["k"]) for trace in traces]).tolist()


def cache_matrix(here: Here, name: str, cached: np.ndarray) -> dict:
    """A cache (token, feature) with its newest row marked, and empty places for what is to come."""
    labels = here.scenario.labels("token", len(here.trace["x"]))
    newest = {(len(cached) - 1, column): "new" for column in range(cached.shape[1])}
    block = matrix(here.word(f"block.cached_{name}"), cached, labels, name=name, ink=name, marks=newest)
    block["values"] += [[""] * cached.shape[1] for _ in labels[len(cached) :]]
    return block


def filling_blocks(here: Here) -> list[dict]:
    """K and V in the cache, and how many rows were computed so far with and without it."""
    steps, n_tokens = here.whole("step"), len(here.trace["x"])
    last = written(here, steps)[-1]
    caches = [
        cache_matrix(here, name, last[f"present_{part}"][0]) for name, part in (("k", "key"), ("v", "value"))
    ]
    to_come = [np.nan] * (n_tokens - steps)
    series = [
        curve(here.word("block.with"), rows_made(written(here, n_tokens)), ink="k"),
        curve(
            here.word("block.without"),
            rows_made(written_anew(here, steps)) + to_come,
            ink="plain",
            dash="dash",
        ),
    ]
    counted = plot(
        here.word("block.rows"),
        range(1, n_tokens + 1),
        series,
        (here.word("block.written"), here.word("block.count")),
        at=steps,
    )
    return [row(*caches), counted]


def filling_facts(here: Here) -> dict:
    n_tokens, steps = len(here.trace["x"]), here.whole("step")
    together = np.concatenate([trace.output for trace in written(here, n_tokens)])
    return {
        "steps": steps,
        "with": rows_made(written(here, steps))[-1],
        "without": rows_made(written_anew(here, steps))[-1],
        "difference": float(np.abs(together - here.trace.output).max()),
    }


# The size of a cache.


def sharing(here: Here) -> list[Sharing]:
    return cache_by_sharing(chosen(here), here.whole("tokens"), batch=here.whole("batch"))


def cache_blocks(here: Here) -> list[dict]:
    """The cache of the chosen model, and what it would be with other numbers of key/value heads."""
    model, found = chosen(here), sharing(here)
    own = [one.n_kv_heads for one in found].index(model.n_kv_heads)
    columns = ("kv_heads", "times_smaller", "cache")
    shared = table(
        here.word("block.sharing", heads=model.n_heads),
        [here.word(f"block.{column}") for column in columns],
        [[str(one.n_kv_heads), f"{one.times_smaller}", in_bytes(one.cache, here.words)] for one in found],
        marked=own,
    )
    bars = plot(
        here.word("block.bars"),
        [f"÷ {one.times_smaller}" for one in found],
        [curve(here.word("block.cache"), [one.cache / 2**20 for one in found])],
        (here.word("block.times_smaller"), here.word("block.mebibytes")),
        bars=True,
    )
    blocks = [
        amounts_table(here, [(here.word("block.kv_cache_bytes"), found[own].cache)], write=in_bytes),
    ]
    if here.answered:  # the answer stands in both
        blocks.append(row(shared, bars))
    if not model.generates:
        blocks.insert(0, sentence(here.word("block.no_cache", name=model.name), tone="warning"))
    return blocks


def cache_facts(here: Here) -> dict:
    model, found = chosen(here), chosen_cost(here)
    return {
        "name": model.name,
        "heads": model.n_heads,
        "kv_heads": model.n_kv_heads,
        "cache": in_bytes(found["kv_cache_bytes"], here.words),
        "unshared": in_bytes(sharing(here)[0].cache, here.words),
        "weights": in_bytes(2 * model.published_parameters, here.words),
    }


def times_smaller(here: Here) -> float:
    """By how much the model with grouped queries shrinks its cache."""
    model = load_model("llama3_8b")
    [own] = [one for one in cache_by_sharing(model) if one.n_kv_heads == model.n_kv_heads]
    return own.times_smaller
