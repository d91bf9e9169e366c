"""What a head shows: slices of a trained model, each claim of that lesson computed from them."""

import json
from functools import cache
from typing import NamedTuple

import numpy as np

from attention_core import Trace, softmax
from attention_core.models.measures import previous_token
from ui.course.engine.blocks import arcs, covered, curve, matrix, sentence
from ui.course.engine.sections import Here
from ui.paths import ASSETS
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Scenario
from ui.scenario.slices import source_of

HEADS = ASSETS / "heads" / "minilm.json"  # the row of "it", of every head, on four sentences
ASKED = "because"  # the word whose row is predicted
FIRST, LAST = 0, -1  # [CLS] and [SEP]
IT, CAT, MAT = "it", "cat", "mat"
ENDINGS = ("tired", "soft", "big", "small")
PRESETS = {"tired": "minilm_it", "soft": "minilm_it_soft", "big": "minilm_big", "small": "minilm_small"}
WANTED = ("cat", "because", "was", "tired", "mat")  # words that "it" may be wished to look at
PAIRS = (("tired", "soft", CAT, MAT), ("big", "small", "trophy", "suitcase"))  # right before, right after


# What all sections share


@cache
def place_of(name: str, word: str) -> int:
    """Where a word stands in the sentence of a slice, whatever a learner calls it."""
    return source_of(name)["tokens"].index(word)


def names_of(here: Here) -> list[str]:
    return here.scenario.labels("token", len(here.trace["x"]))


def weights_of(trace: Trace) -> np.ndarray:
    """(query, key) of the one head."""
    return trace["weights"][0]


def focus_of(here: Here) -> int:
    return min(here.scenario.view.focus, len(here.trace["x"]) - 1)


def source(here: Here, name: str) -> dict:
    """Whose weights these are, and under which licence."""
    told = source_of(name)
    facts = {key: told[key] for key in ("model", "layer", "head", "authors")}
    return sentence([here.words("course.source", **facts), ["code", told["licence"]]], tone="source")


def looks(here: Here, names: list[str], weights: np.ndarray, focus: int, bars=None, **more) -> dict:
    """Arcs from a word to every word, as wide as its weights, and a bar for each, or `bars`."""
    listed = ", ".join(
        f"{name} {here.number(weight, 2)}" for name, weight in zip(names, weights, strict=True)
    )
    says = here.words("home.arcs", word=names[focus], weights=listed)
    title = here.words("home.how_much", word=names[focus])
    bars = [curve(title, weights)] if bars is None else bars
    return arcs(
        title, names, weights, focus, sentence=here.words("home.sentence"), says=says, bars=bars, **more
    )


def own_looks(here: Here, name: str, asked: str) -> list[dict]:
    """The arcs of the word in focus; those of the word that is asked about are hidden before the answer."""
    focus = focus_of(here)
    hidden = not here.answered and focus == place_of(name, asked)
    weights = weights_of(here.trace)[focus]
    found = looks(here, names_of(here), weights, focus, hidden=hidden, beside=True)
    return [found, source(here, name)]


# A head that looks one word back


def previous_blocks(here: Here) -> list[dict]:
    return own_looks(here, "minilm_previous", ASKED)


def previous_facts(here: Here) -> dict:
    weights = weights_of(here.trace)
    before = weights.diagonal(-1)
    return {
        "tokens": len(weights),
        "width": here.trace["x"].shape[1],
        "asked": here.number(float(before[place_of("minilm_previous", ASKED) - 1]), 4),
        "mean": here.number(float(previous_token(weights, (), None)), 4),
    }


# A sink


def sink_shares(here: Here) -> np.ndarray:
    """(query,) what each token gives to [CLS] and [SEP] together."""
    return weights_of(here.trace)[:, [FIRST, LAST]].sum(-1)


def weights_among(here: Here) -> np.ndarray:
    """(query, key) the weights; with the words alone, softmax of the same scores without [CLS] and [SEP]."""
    weights = weights_of(here.trace)
    if here.knobs["keys"] == 0:
        return weights
    among = np.zeros_like(weights)
    among[:, 1:-1] = softmax(here.trace["scaled"][0][:, 1:-1])
    return among


def sink_blocks(here: Here) -> list[dict]:
    names, focus = names_of(here), focus_of(here)
    weights = weights_among(here)
    total = here.number(round(float(weights[focus].sum()), 6), 2)
    return [
        looks(here, names, weights[focus], focus, hidden=not here.answered and here.knobs["keys"] == 0),
        sentence(here.word("block.sum", word=names[focus], total=total)),
        source(here, "minilm_sink"),
    ]


def sink_facts(here: Here) -> dict:
    names, focus, shares = names_of(here), focus_of(here), sink_shares(here)
    scores = here.trace["scaled"][0][focus]
    alone = softmax(scores[1:-1])
    best = 1 + int(alone.argmax())
    return {
        "mean": float(shares.mean()),
        "least": float(shares.min()),
        "least_token": names[int(shares.argmin())],
        "word": names[focus],
        "best_token": names[best],
        "best": float(scores[best]),
        "first": float(scores[FIRST]),
        "with_sink": float(weights_of(here.trace)[focus, best]),
        "forced": float(alone.max()),
    }


# It and the cat, and the control


def it_blocks(here: Here) -> list[dict]:
    return own_looks(here, "minilm_it", IT)


def it_facts(here: Here) -> dict:
    own = {key: str(source_of("minilm_it")[key]) for key in ("layer", "head")}
    return own | shares_of_it("tired", CAT, MAT)


def it_to_cat(here: Here) -> bool:
    """Whether the weight of "it" on "cat" was opened."""
    return here.scenario.view.cell[:3] == ("weights", place_of("minilm_it", IT), place_of("minilm_it", CAT))


@cache
def trace_at(ending: str) -> Trace:
    """The head of the cat on the sentence that ends like this."""
    return load_preset(PRESETS[ending]).trace()


def tokens_at(ending: str) -> list[str]:
    return source_of(PRESETS[ending])["tokens"]


def shares_of_it(ending: str, *words: str) -> dict[str, float]:
    """How much "it" looks at words of the sentence that ends like this."""
    names = tokens_at(ending)
    row = weights_of(trace_at(ending))[names.index(IT)]
    return {word: float(row[names.index(word)]) for word in words}


def ending_of(here: Here) -> str:
    return ENDINGS[here.whole("ending")]


def control_focus(here: Here) -> int:
    """The word in focus; in a sentence of its own length that is "it"."""
    names = tokens_at(ending_of(here))
    return focus_of(here) if len(names) == len(names_of(here)) else names.index(IT)


def control_blocks(here: Here) -> list[dict]:
    """The sentence that is chosen, with the same head; the control is hidden before it is predicted."""
    ending, focus = ending_of(here), control_focus(here)
    names = tokens_at(ending)
    hidden = not here.answered and ending != "tired"
    press = len(names) == len(names_of(here))
    return [
        looks(here, names, weights_of(trace_at(ending))[focus], focus, hidden=hidden, press=press),
        control_matrix(here, hidden),
        source(here, PRESETS[ending]),
    ]


def control_matrix(here: Here, hidden: bool) -> dict:
    """What "it" gives to both things that it may stand for, in each sentence; the right one is marked."""
    rows, marks = [], {}
    for place, ending in enumerate(ENDINGS):
        _, _, one, other = PAIRS[place // 2]
        rows.append([*shares_of_it(ending, one, other).values()])
        marks[place, place % 2] = "right"
    block = matrix(
        here.word("block.both"),
        np.array(rows),
        [here.word(f"knob.ending_{ending}") for ending in ENDINGS],
        [f"{CAT} / {PAIRS[1][2]}", f"{MAT} / {PAIRS[1][3]}"],
        scale="share",
        marks=marks,
    )
    return block if here.answered else covered(block, range(1, len(ENDINGS)))


def control_facts(here: Here) -> dict:
    ending = ending_of(here)
    names, weights = tokens_at(ending), weights_of(trace_at(ending))
    target = int(weights[names.index(IT)].argmax())
    facts = {
        f"{ending}_{word}": share
        for first, second, *words in PAIRS
        for ending in (first, second)
        for word, share in shares_of_it(ending, *words).items()
    }
    return facts | {
        "ending": ending,
        "target": names[target],
        "lookers": int((weights.argmax(-1) == target).sum()),
        "tokens": len(names),
    }


# The best of all heads


class AllHeads(NamedTuple):
    """How much "it" looks at each token of a sentence."""

    tokens: list[str]
    weights: np.ndarray  # (layer, head, key)

    def on(self, word: str) -> np.ndarray:
        """(layer, head) the weight on a word."""
        return self.weights[:, :, self.tokens.index(word)]


@cache
def all_heads(ending: str) -> AllHeads:
    found = json.loads(HEADS.read_text(encoding="utf-8"))["sentences"][ending]
    return AllHeads(found["tokens"], np.array(found["weights"]))


def in_present_sentence(here: Here) -> Scenario:
    """What the Lab opens: the same head on the sentence that is chosen."""
    return load_preset(PRESETS[ending_of(here)])


def best_head(word: str) -> tuple[int, int]:
    """Layer and head that look most at a word."""
    found = all_heads("tired").on(word)
    layer, head = np.unravel_index(found.argmax(), found.shape)
    return int(layer), int(head)


def best_blocks(here: Here) -> list[dict]:
    """Every head by how much "it" looks at the word that is wished for, the best one marked."""
    word = WANTED[here.whole("word")]
    shares, (layer, head) = all_heads("tired").on(word), best_head(word)
    block = matrix(
        here.word("block.heads", word=word),
        shares,
        [here.word("block.layer", layer=row) for row in range(shares.shape[0])],
        [str(column) for column in range(shares.shape[1])],
        scale="share",
        marks={(layer, head): "lit"},
    )
    if not here.answered and word == ASKED:
        return [covered(block | {"marks": []}, range(len(shares))), source(here, "minilm_it")]
    facts = {"word": word, "layer": layer, "head": head, "best": here.number(shares.max(), 2)}
    return [block, sentence(here.word("block.best", **facts)), source(here, "minilm_it")]


def switching(first: str, second: str, one: str, other: str) -> int:
    """In how many heads "it" prefers one thing first, and the other in the second sentence."""
    before, after = all_heads(first), all_heads(second)
    return int(((before.on(one) > before.on(other)) & (after.on(other) > after.on(one))).sum())


def best_facts(here: Here) -> dict:
    shares = all_heads("tired").on(CAT)
    layers, heads = shares.shape
    facts = {f"best_{word}": float(all_heads("tired").on(word).max()) for word in WANTED}
    layer, head = best_head(ASKED)
    return facts | {
        "layers": layers,
        "each": heads,
        "heads": layers * heads,
        "mean": float(shares.mean()),
        "back_layer": layer,
        "back_head": head,
        "switch": switching(*PAIRS[0]),
        "switch_again": switching(*PAIRS[1]),
    }


# Weights are not explanations


def seen_from_it(scenario: Scenario) -> Scenario:
    return scenario.looking(focus=place_of("minilm_sink", IT))


def moves_of(trace: Trace) -> np.ndarray:
    """(query, key) how far the output moves where the part of one token is left out, as a share of its length."""
    weights, values, output = weights_of(trace), trace["v"], trace["output"]
    parts = weights[:, :, None] * values[None]
    return np.linalg.norm(parts, axis=-1) / np.linalg.norm(output, axis=-1, keepdims=True)


def explain_blocks(here: Here) -> list[dict]:
    """The weights of the word in focus, and how much each of them matters for its output."""
    names, focus = names_of(here), focus_of(here)
    weights, moved = weights_of(here.trace)[focus], moves_of(here.trace)[focus]
    bars = [curve(here.word("block.weight"), weights)]
    if here.answered:
        bars.append(curve(here.word("block.moved"), moved, ink="v"))
    return [looks(here, names, weights, focus, bars=bars), source(here, "minilm_sink")]


def first_matters(here: Here) -> bool:
    """Whether a word is in focus whose output moves most where [CLS] is left out."""
    focus = focus_of(here)
    return focus != here.start.view.focus and int(moves_of(here.trace)[focus].argmax()) == FIRST


def explain_facts(here: Here) -> dict:
    focus = here.start.view.focus
    weights, moved = weights_of(here.trace)[focus], moves_of(here.trace)[focus]
    lengths = np.linalg.norm(here.trace["v"], axis=-1)
    pixels = load_preset("pixels_2x2").trace()
    first, second = (f"[{here.words.numbers(row, 2)}]" for row in pixels["weights"][0][:2])
    return {
        "cls": float(weights[FIRST]),
        "sep": float(weights[LAST]),
        "cls_moves": float(moved[FIRST]),
        "sep_moves": float(moved[LAST]),
        "cls_length": float(lengths[FIRST]),
        "low": float(lengths[1:].min()),
        "high": float(lengths[1:].max()),
        "p0": first,
        "p1": second,
        "p_output": f"[{here.words.numbers(pixels['output'][0], 2)}]",
    }
