"""Which tensor of a file is which array: exact names, and the usual spellings of PyTorch and papers."""

from collections.abc import Iterable
from typing import NamedTuple

from ui.scenario.layouts import PARTS, layout_of
from ui.scenario.scenario import Scenario

# How a projection is called, in small letters, without ".weight" or ".bias": the longest that fits counts.
SPELLINGS = {
    "q": ("w_q", "wq", "q_proj", "query_proj", "to_q", "query", "attention.self.query"),
    "k": ("w_k", "wk", "k_proj", "key_proj", "to_k", "key", "attention.self.key"),
    "v": ("w_v", "wv", "v_proj", "value_proj", "to_v", "value", "attention.self.value"),
    "o": ("w_o", "wo", "o_proj", "out_proj", "to_out.0", "attention.output.dense"),
    "qkv": ("w_qkv", "wqkv", "in_proj", "qkv_proj", "to_qkv", "qkv"),
}
BIASES = {letter: (f"b_{letter}", f"b{letter}") for letter in SPELLINGS}
ENDINGS = {".weight": "w_", "_weight": "w_", ".bias": "b_", "_bias": "b_"}


def shown_name(scenario: Scenario, target: str) -> str:
    """What the board and our exports call an array: the one input of post_norm_attention, q, is x there."""
    return "x" if scenario.function == "post_norm_attention" and target == "q" else target


class Match(NamedTuple):
    """A tensor of a file and the array it becomes."""

    name: str  # in the file
    target: str
    is_turned: bool = False  # stored as (out, in), as PyTorch stores the weight of a Linear
    third: int | None = None  # of a fused matrix: 0 for Q, 1 for K, 2 for V; None: all of it


class Meaning(NamedTuple):
    """What a name says: the array, and what stands before it, such as the layer."""

    array: str
    before: str
    is_turned: bool


def matches(names: Iterable[str], scenario: Scenario) -> list[Match]:
    """The tensors that are arrays of the scenario, in its own order, each array at most once.

    A file with several layers gives the layer that has most of them, the first of equals.
    """
    names = list(names)
    found = {}
    for match in of_the_fullest_layer(names, scenario):
        found.setdefault(match.target, match)
    exact = {shown_name(scenario, target): target for target in scenario.arrays}
    for name in sorted(names, key=lambda name: name in exact):  # exact ones last: they count most
        if name.lower() in exact:
            found[exact[name.lower()]] = Match(name, exact[name.lower()])
    return [found[target] for target in scenario.arrays if target in found]


def of_the_fullest_layer(names: list[str], scenario: Scenario) -> list[Match]:
    layers: dict[str, list[Match]] = {}
    for name in names:
        meaning = meaning_of(name)
        if meaning:
            layers.setdefault(meaning.before, []).extend(matched(name, meaning, scenario))
    return max(layers.values(), key=lambda layer: len({match.target for match in layer}), default=[])


def meaning_of(name: str) -> Meaning | None:
    """What a name says, or None where it is none of the usual ones."""
    stem, kind, is_turned = name.lower(), "w_", False
    for ending, array in ENDINGS.items():
        if stem.endswith(ending):
            stem, kind, is_turned = stem.removesuffix(ending), array, array == "w_"
    named = [(kind, letter, one) for letter, spellings in SPELLINGS.items() for one in spellings]
    named += [("b_", letter, one) for letter, spellings in BIASES.items() for one in spellings]
    fitting = [entry for entry in named if stem == entry[2] or stem.endswith(f".{entry[2]}")]
    if not fitting:
        return None
    kind, letter, spelling = max(fitting, key=lambda entry: len(entry[2]))
    return Meaning(f"{kind}{letter}", stem.removesuffix(spelling), is_turned)


def matched(name: str, meaning: Meaning, scenario: Scenario) -> list[Match]:
    """The array of that meaning, or for a fused matrix its three parts where Q, K and V stand apart.

    Others write a fused matrix as [Q | K | V], which a layout by head is not.
    """
    array, is_turned = meaning.array, meaning.is_turned
    if array in PARTS and layout_of(scenario) == "three":
        parts = enumerate(PARTS[array])
        return [Match(name, part, is_turned, third) for third, part in parts if part in scenario.arrays]
    fits = array in scenario.arrays and not (array in PARTS and layout_of(scenario) != "fused")
    return [Match(name, array, is_turned)] if fits else []
