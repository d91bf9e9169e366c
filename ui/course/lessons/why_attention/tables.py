"""Why Q, K and V, and why attention: what each section of that lesson shows, computed."""

from dataclasses import replace

import numpy as np

from attention_core import (
    AttentionError,
    Trace,
    fixed_table,
    multi_head_attention,
    scaled_dot_product_attention,
)
from ui.course.engine.blocks import matrix, row, sentence, table
from ui.course.engine.sections import Here
from ui.course.engine.units import in_short
from ui.scenario.scenario import Scenario

# The columns of X say how much of an article, a noun, a verb, a place a word is. Articles and verbs look for
# nouns, nouns for verbs; a key says what a word is, in the order noun, verb, article, place.
W_Q = [[2, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]]
W_K = [[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
ARTICLE, NOUN, VERB = 0, 1, 2  # "The", "cat", "sat"
TOKENS = (ARTICLE, NOUN, VERB)


def who_looks_for_whom(scenario: Scenario) -> Scenario:
    """The sentence with one head, and weights that can be read."""
    arrays = {**scenario.arrays, "w_q": W_Q, "w_k": W_K}
    del arrays["w_o"]
    return replace(scenario, arrays=arrays, options={"n_heads": 1})


def word_labels(here: Here, n_tokens: int) -> list[str]:
    """The tokens by their words; a longer text says the same sentence again."""
    names = here.scenario.labels("token", len(here.trace["x"]))
    return [names[place % len(names)] for place in range(n_tokens)]


def weights_block(here: Here, title: str, weights: np.ndarray, marks=None, name: str = "") -> dict:
    labels = word_labels(here, len(weights))
    return matrix(title, weights, labels, labels, scale="share", marks=marks, name=name)


# Weights from the content, or from a table.


def learned_table(here: Here) -> np.ndarray:
    """The table: the weights of the sentence as it was, learned once and kept."""
    return here.start.trace()["weights"][0]


def moved(before: np.ndarray, after: np.ndarray, mark: str = "lit") -> dict[tuple[int, ...], str]:
    """The cells in which two matrices differ, marked."""
    return dict.fromkeys(map(tuple, np.argwhere(~np.isclose(before, after)).tolist()), mark)


def content_blocks(here: Here) -> list[dict]:
    """The computed weights, those that moved marked, beside the table."""
    stored, now = learned_table(here), here.trace["weights"][0]
    fixed = fixed_table(here.trace["x"], here.trace["w_v"], stored)["table"]
    return [
        row(
            weights_block(here, here.word("block.computed"), now, moved(stored, now), name="weights"),
            weights_block(here, here.word("block.stored"), fixed, moved(stored, fixed)),
        )
    ]


def content_facts(here: Here) -> dict:
    stored, now = learned_table(here), here.trace["weights"][0]
    fixed = fixed_table(here.trace["x"], here.trace["w_v"], stored)
    return {
        "computed_moved": len(moved(stored, now)),
        "stored_moved": len(moved(stored, fixed["table"])),
        "all": now.size,
    }


def longer(here: Here, n_tokens: int) -> np.ndarray:
    """X with so many tokens: the sentence cut short, or said again."""
    x = here.trace["x"]
    return x[np.arange(n_tokens) % len(x)]


def at_length(here: Here, n_tokens: int) -> Trace:
    return multi_head_attention(
        longer(here, n_tokens), *(here.trace[name] for name in ("w_q", "w_k", "w_v")), n_heads=1
    )


def length_blocks(here: Here) -> list[dict]:
    """What the table says to this length, the weights computed for it, and how many numbers are learned."""
    n_tokens, stored = here.whole("tokens"), learned_table(here)
    try:
        fixed_table(longer(here, n_tokens), here.trace["w_v"], stored)
        verdict = sentence(here.word("block.fits"))
    except AttentionError as error:
        verdict = sentence(here.words.error(error), tone="warning")
    computed = at_length(here, n_tokens)["weights"][0]
    matrices = row(
        weights_block(here, here.word("block.computed"), computed, name="weights"),
        weights_block(here, here.word("block.stored"), stored),
    )
    return [verdict, matrices, size_table(here, sorted({len(stored), n_tokens, 100, 10_000}), n_tokens)]


def size_table(here: Here, lengths: list[int], present: int) -> dict:
    """How many numbers are learned, at some lengths."""
    learned = sum(here.trace[name].size for name in ("w_q", "w_k", "w_v"))
    return table(
        here.word("block.learned"),
        [here.word(f"block.{column}") for column in ("tokens", "stored", "matrices")],
        [[in_short(count, here.words) for count in (n, n * n, learned)] for n in lengths],
        marked=lengths.index(present),
    )


def length_facts(here: Here) -> dict:
    learned = sum(here.trace[name].size for name in ("w_q", "w_k", "w_v"))
    return {"learned": learned, "width": here.trace["x"].shape[1], "stored": learned_table(here).size}


# One token, three readings.


def nudged(here: Here) -> tuple[str, int, Trace, Trace]:
    """Which reading of which token is raised by 1; attention before and after."""
    reading, token = "qkv"[here.whole("reading")], TOKENS[here.whole("token")]

    def attention(raised: float) -> Trace:
        q, k, v = (here.trace[name].copy() for name in "qkv")
        {"q": q, "k": k, "v": v}[reading][token] += raised
        return scaled_dot_product_attention(q, k, v)

    return reading, token, attention(raised=0), attention(raised=1)


def readings_blocks(here: Here) -> list[dict]:
    """Q, K and V with one row raised, and every score and output that moved because of it."""
    reading, token, before, after = nudged(here)
    labels = word_labels(here, len(here.trace["x"]))
    rows = {name: after[f"{name}_heads"] for name in "qkv"}
    parts = [
        matrix(name.upper(), rows[name], labels, name=name, ink=name, marks=row_marks(rows[name], token))
        if name == reading
        else matrix(name.upper(), rows[name], labels, name=name, ink=name)
        for name in "qkv"
    ]
    scores = matrix(
        here.words("name.scores"),
        after["scores"],
        labels,
        labels,
        name="scores",
        marks=moved(before["scores"], after["scores"]),
    )
    output = matrix(
        here.words("name.output"),
        after.output,
        labels,
        name="output",
        marks=moved(before.output, after.output),
    )
    return [row(*parts), row(scores, output)]


def row_marks(array: np.ndarray, place: int) -> dict[tuple[int, int], str]:
    return {(place, column): "new" for column in range(array.shape[1])}


def readings_facts(here: Here) -> dict:
    _, token, before, after = nudged(here)
    return {
        "token": word_labels(here, len(here.trace["x"]))[token],
        "scores_moved": len(moved(before["scores"], after["scores"])),
        "outputs_moved": len({row for row, _ in moved(before.output, after.output)}),
    }


# Two matrices, or one for both.


def scores_with(here: Here, same: bool) -> np.ndarray:
    """The scores, with Wk as it is or replaced by Wq."""
    q, k = here.trace["q"], here.trace["k"]
    return scaled_dot_product_attention(q, q if same else k, here.trace["v"])["scores"]


def pair_blocks(here: Here) -> list[dict]:
    """The scores, with the two ways between an article and its noun marked."""
    same = here.knobs["keys"] == 1
    scores = scores_with(here, same)
    labels = word_labels(here, len(scores))
    marks = {(ARTICLE, NOUN): "lit", (NOUN, ARTICLE): "lit"}
    title = here.word("block.same" if same else "block.own")
    return [matrix(title, scores, labels, labels, name="scores", marks=marks)]


def pair_facts(here: Here) -> dict:
    own, same = scores_with(here, False), scores_with(here, True)
    return {
        "there": float(own[ARTICLE, NOUN]),
        "back": float(own[NOUN, ARTICLE]),
        "same_there": float(same[ARTICLE, NOUN]),
        "same_back": float(same[NOUN, ARTICLE]),
        "same_difference": float(np.abs(same - same.T).max()),
        "own_difference": float(np.abs(own - own.T).max()),
    }
