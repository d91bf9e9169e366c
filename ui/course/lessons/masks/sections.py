"""What the sections about masks show: cells left, one table read three ways, empty rows, two corners."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from attention_core import causal_mask, window_mask
from ui.course.engine.blocks import code, covered, curve, first_difference, matrix, plot, row, sentence, table
from ui.course.engine.sections import Facts, Here
from ui.course.lessons.masks.masking import (
    READINGS,
    WAYS,
    Outcome,
    as_added,
    attend_with,
    causal_corners,
    next_layer,
    outcomes,
    read_as,
)
from ui.scenario import choices
from ui.scenario.scenario import Scenario, is_boolean

WORDS = ["The", "cat", "sat", "down"]
BITS = {"64": np.float64, "32": np.float32, "16": np.float16}
LENGTHS = range(1, 65)


def in_words(scenario: Scenario) -> Scenario:
    """The example with words for tokens."""
    return replace(scenario, names={"token": WORDS[: len(scenario.arrays["x"])]})


def unmasked(scenario: Scenario) -> Scenario:
    return in_words(scenario).with_options(is_causal=None)


# Who may look at whom


@lru_cache(maxsize=64)
def cells_left(left: int | None, right: int | None) -> dict[str, list[int]]:
    """How many cells of the table are left at every length: all, no looking ahead, a window."""
    return {
        "all": [length * length for length in LENGTHS],
        "causal": [int(causal_mask(length).sum()) for length in LENGTHS],
        "window": [int(window_mask(length, length, left, right).sum()) for length in LENGTHS],
    }


def pairs_left(here: Here) -> list[dict]:
    """The cells that are left as a text grows; the window is the one on the board."""
    left, right = here.scenario.options.get("window", (1, 1))
    dashes = {"all": "solid", "causal": "dash", "window": "dot"}
    curves = [
        curve(here.word(f"block.{name}", left=left, right=right), counts, dash=dashes[name])
        for name, counts in cells_left(left, right).items()
    ]
    titles = here.word("block.length"), here.word("block.cells")
    return [plot(here.word("block.pairs"), LENGTHS, curves, titles)]


def weight_of_the_first(here: Here) -> float:
    """What the first word gives itself under the mask that the section begins with."""
    return float(here.start.trace()["weights"][0, 0, 0])


def pair_facts(here: Here) -> Facts:
    shape = here.trace["weights"].shape[-2:]
    visible = np.isfinite(np.broadcast_to(here.trace["masked"], here.trace["weights"].shape))[0]
    return {
        "left": int(visible.sum()),
        "all": shape[0] * shape[1],
        "query": here.scenario.labels("query", 1)[0],
    }


def made_own_mask(here: Here) -> bool:
    """Whether the learner has changed a cell of a free mask."""
    mask = here.scenario.options.get("attn_mask")
    if mask is None or choices.mask_of(here.scenario) != "free":
        return False
    kind = "look" if is_boolean(mask) else "added"
    fresh = here.scenario.with_options(attn_mask=choices.mask_rows("free", len(mask), len(mask[0])))
    return mask != choices.as_kind(fresh, kind)


# One table, three habits


def read_table(here: Here, reading: str) -> tuple[np.ndarray, np.ndarray]:
    """What a causal table adds to the scores when read this way, and the weights that come of it."""
    read = read_as(causal_mask(*here.trace["weights"].shape[-2:]), reading)
    added = as_added(read) if read.dtype == bool else read
    return added, attend_with(here.trace, read)["weights"][0]


def readings(here: Here) -> list[dict]:
    """The table, what this reading adds to the scores, and its weights beside the right ones."""
    labels = here.scenario.labels("query", len(WORDS))
    reading = READINGS[here.whole("reading")]
    added, weights = read_table(here, reading)
    right_added, right = read_table(here, "may_look")
    parts = first_difference(right, weights)
    marks = hatched(np.isneginf(added)) | ({parts: "first"} if parts else {})
    share = {"rows": labels, "columns": labels, "scale": "share"}
    given = matrix(here.word("block.table"), causal_mask(len(WORDS)), labels, labels, scale="flag")
    numbers = matrix(here.word("block.added"), added, labels, labels, scale="plain", decimals=0)
    call = code(here.word("block.call"), here.word(f"block.code_{reading}"))
    found = matrix(here.word("block.weights"), weights, marks=marks, **share)
    expected = matrix(here.word("block.right"), right, marks=hatched(np.isneginf(right_added)), **share)
    shown = [row(given, numbers), call, row(found, expected)]
    if not parts:
        return shown
    query, key = (labels[place] for place in parts)
    facts = {"wrong": here.number(weights[parts], 2), "right": here.number(right[parts], 2)}
    says = here.word("block.parts", query=query, looked_at=key, **facts)
    return [*shown, sentence(says, tone="warning")]


def hatched(hidden: np.ndarray) -> dict[tuple[int, int], str]:
    """The marks of cells that are hidden."""
    return {(int(query), int(key)): "hidden" for query, key in np.argwhere(hidden)}


def reading_facts(here: Here) -> Facts:
    _, hidden = read_table(here, "is_hidden")
    _, added = read_table(here, "added")
    return {
        "last": float(hidden[-1].sum()),
        "ahead": float(added[0, -1]),
        "query": WORDS[0],
        "looked_at": WORDS[-1],
    }


# A row with nothing to look at


def outcomes_with(here: Here, bits: str) -> dict[str, Outcome]:
    return outcomes(here.trace["scaled"][0], here.trace["visible"], here.trace["v"], BITS[bits])


def empty_row(here: Here) -> int:
    return int(np.argmin(here.trace["visible"].any(axis=-1)))


def empty_rows(here: Here) -> list[dict]:
    """The whole layer in the chosen way, a layer after it, and what every way makes of the empty row."""
    way, bits = WAYS[here.whole("way")], list(BITS)[here.whole("bits")]
    found = outcomes_with(here, bits)[way]
    n_tokens, empty = len(found.weights), empty_row(here)
    tokens = here.scenario.labels("query", n_tokens)
    after = next_layer(found.output.astype(np.float64), causal_mask(n_tokens))
    marks = hatched(~here.trace["visible"])
    scores = matrix(here.word("block.scores"), found.filled, tokens, tokens, scale="plain", marks=marks)
    weights = matrix(here.word("block.weights"), found.weights, tokens, tokens, scale="share")
    output = matrix(here.word("block.output"), found.output, tokens)
    further = matrix(here.word("block.after"), after, tokens)
    if not here.answered:
        return [
            row(
                scores, covered(weights, [empty]), covered(output, [empty]), covered(further, range(n_tokens))
            )
        ]
    return [row(scores, weights, output, further), every_way(here, way, empty)]


def every_way(here: Here, way: str, empty: int) -> dict:
    """The weights of the empty row in every way and every number of bits."""
    by_bits = [outcomes_with(here, bits) for bits in BITS]
    lines = [
        [here.word(f"knob.way_{each}"), *(written_row(here, found[each].weights[empty]) for found in by_bits)]
        for each in WAYS
    ]
    headers = [here.word("block.way"), *(here.word(f"knob.bits_{bits}") for bits in BITS)]
    return table(here.word("block.every"), headers, lines, marked=WAYS.index(way))


def written_row(here: Here, weights: np.ndarray) -> str:
    return "NaN" if np.isnan(weights).any() else f"[{here.words.numbers(weights, 2)}]"


def empty_facts(here: Here) -> Facts:
    found, empty = outcomes_with(here, "64"), empty_row(here)
    infinite = found["infinite"].output
    after = next_layer(infinite, causal_mask(len(infinite)))
    return {
        "row": here.scenario.labels("query", len(infinite))[empty],
        "average": written_row(here, found["filled"].output[empty]),
        "nan_rows": int(np.isnan(after).all(axis=-1).sum()),
        "rows": len(after),
    }


# Fewer queries than keys


def translating(scenario: Scenario) -> Scenario:
    """Two words ask, four words of another sentence answer; nothing but Q, K and V."""
    arrays = {name: scenario.arrays[name] for name in ("x", "memory", "w_q", "w_k", "w_v")}
    return replace(scenario, arrays=arrays, names={"token": ["le", "chat"], "source": WORDS})


def corners(here: Here) -> list[dict]:
    """Where the diagonal of a causal table lies when only the newest words ask."""
    newest = here.whole("newest")
    asking = WORDS[-newest:]
    found = [
        matrix(here.word(f"block.{corner}"), visible, asking, WORDS, scale="flag")
        for corner, visible in causal_corners(newest, len(WORDS)).items()
    ]
    return [row(*found, title=here.word("block.corners"))]


def cross_facts(here: Here) -> Facts:
    n_queries, n_keys = here.trace["weights"].shape[-2:]
    seen = int(causal_corners(1, len(WORDS))["first"].sum())
    return {
        "queries": n_queries,
        "keys": n_keys,
        "more": n_queries + 1,
        "newest": WORDS[-1],
        "first": WORDS[0],
        "seen": seen,
    }


def one_more_word(here: Here) -> tuple[int, ...]:
    """The shape of the weights, with its head axis, once one more word asks."""
    *heads, n_queries, n_keys = here.trace["weights"].shape
    return *heads, n_queries + 1, n_keys
