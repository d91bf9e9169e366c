"""Other sizes and parts with the numbers kept: tokens, widths, biases, a memory; and filled matrices."""

from dataclasses import replace
from difflib import SequenceMatcher
from typing import NamedTuple

import numpy as np

from ui.limits import MOST_ALONG_AN_AXIS
from ui.scenario.layouts import laid_out, layout_of, possible_layouts
from ui.scenario.scenario import Scenario, array_shape, build_array, is_boolean

NEW_ROW_SEED = 7  # of the numbers that a new word gets
FILLS = ("zeros", "integers")


class Sizes(NamedTuple):
    """Every size of a multi-head layer that a learner may choose."""

    n_batch: int  # 0 without a batch axis
    n_tokens: int
    n_features: int
    n_sources: int  # tokens of the memory; those of x without one
    n_kv_heads: int
    d_key: int  # per head
    d_value: int


def can_be_resized(scenario: Scenario) -> bool:
    """Whether the sizes may be chosen: a multi-head layer small enough to type.

    One matrix for Q, K and V may be as wide as its three parts together.
    """
    if "three" not in possible_layouts(scenario):
        return False
    shapes = [array_shape(recipe) for recipe in laid_out(scenario, "three").arrays.values()]
    return all(max(shape) <= MOST_ALONG_AN_AXIS for shape in shapes)


def sizes_of(scenario: Scenario) -> Sizes:
    shapes = {name: array_shape(recipe) for name, recipe in laid_out(scenario, "three").arrays.items()}
    n_heads = scenario.options["n_heads"]
    n_kv_heads = scenario.options.get("n_kv_heads", n_heads)
    n_tokens, n_features = shapes["x"][-2:]
    n_batch = shapes["x"][0] if len(shapes["x"]) == 3 else 0
    n_sources = shapes.get("memory", shapes["x"])[-2]
    d_key, d_value = shapes["w_q"][1] // n_heads, shapes["w_v"][1] // n_kv_heads
    return Sizes(n_batch, n_tokens, n_features, n_sources, n_kv_heads, d_key, d_value)


def resized(scenario: Scenario, **change: int) -> Scenario:
    """The scenario with other sizes: numbers that still have a place keep it, new ones are 0.

    One matrix for Q, K and V is split, resized and joined again. It stays three where they can no longer
    be joined: when d_key and d_value differ, or heads are shared.
    """
    layout, sizes = layout_of(scenario), sizes_of(scenario)._replace(**change)
    found = with_sizes(laid_out(scenario, "three"), sizes)
    return laid_out(found, layout) if layout in possible_layouts(found) else found


def with_sizes(scenario: Scenario, sizes: Sizes) -> Scenario:
    """Three matrices, and all that goes with them, cut or filled up to their sizes."""
    n_heads = scenario.options["n_heads"]
    cross = "memory" in scenario.arrays
    sources = array_shape(scenario.arrays["memory"])[-1] if cross else sizes.n_features
    batch = (sizes.n_batch,) if sizes.n_batch else ()
    q, k, v = n_heads * sizes.d_key, sizes.n_kv_heads * sizes.d_key, sizes.n_kv_heads * sizes.d_value
    wanted = {
        "x": (*batch, sizes.n_tokens, sizes.n_features),
        "memory": (*batch, sizes.n_sources, sources),
        "w_q": (sizes.n_features, q),
        "w_k": (sources, k),
        "w_v": (sources, v),
        "w_o": (n_heads * sizes.d_value, None),
        "b_q": (q,),
        "b_k": (k,),
        "b_v": (v,),
    }
    arrays = {name: fitted(recipe, wanted.get(name)) for name, recipe in scenario.arrays.items()}
    shared = sizes.n_kv_heads if sizes.n_kv_heads != n_heads else None
    n_keys = sizes.n_sources if cross else sizes.n_tokens
    mask = fitted_mask(scenario.options.get("attn_mask"), sizes.n_tokens, n_keys)
    found = replace(scenario, arrays=arrays).with_options(n_kv_heads=shared, attn_mask=mask)
    return found.looking(cell=())


# The sizes behind the rows and the columns of an array.
BEHIND = {
    "x": ("n_tokens", "n_features"),
    "memory": ("n_sources", ""),
    "w_q": ("n_features", "d_key"),
    "w_k": ("n_features", "d_key"),
    "w_v": ("n_features", "d_value"),
}


def can_grow(scenario: Scenario, name: str) -> bool:
    """Whether an array has sizes that may be chosen."""
    return name in BEHIND and name in scenario.arrays and can_be_resized(scenario)


def with_room(scenario: Scenario, name: str, rows: int, columns: int) -> Scenario | None:
    """The scenario with at least so many rows and columns in an array; None where it cannot have them."""
    if max(rows, columns) > MOST_ALONG_AN_AXIS or not can_grow(scenario, name):
        return None
    sizes, n_heads = sizes_of(scenario), scenario.options["n_heads"]
    heads = {"w_q": n_heads, "w_k": sizes.n_kv_heads, "w_v": sizes.n_kv_heads}.get(name, 1)
    needed = zip(BEHIND[name], (rows, -(-columns // heads)), strict=True)
    found = resized(scenario, **{size: max(least, getattr(sizes, size)) for size, least in needed if size})
    n_rows, n_columns = array_shape(found.arrays[name])[-2:]
    return found if n_rows >= rows and n_columns >= columns and can_be_resized(found) else None


def fitted_mask(mask: list | None, n_queries: int, n_keys: int) -> list | None:
    """A mask cut or filled up: what is new may be looked at."""
    if mask is None:
        return None
    free = True if is_boolean(mask) else 0.0
    rows = [[*row, *[free] * n_keys][:n_keys] for row in mask]
    return [*rows, *([free] * n_keys for _ in range(n_queries))][:n_queries]


def fitted(recipe, shape: tuple | None):
    """An array cut or filled up with zeros to `shape`; None in it leaves that axis as it is."""
    if shape is None:
        return recipe
    array = build_array(recipe)
    shape = tuple(size or old for size, old in zip(shape, array.shape, strict=True))
    if shape == array.shape:
        return recipe
    room = np.zeros(shape)
    kept = tuple(slice(0, min(size, old)) for size, old in zip(shape, array.shape, strict=True))
    room[kept] = array[kept]
    return room.tolist()


def filled(scenario: Scenario, name: str, fill: str, seed: int) -> Scenario:
    """The scenario with one array filled with zeros, or with small whole numbers drawn from a seed."""
    shape = array_shape(scenario.arrays[name])
    rng = np.random.default_rng(seed)
    array = rng.integers(-2, 2, shape, endpoint=True).astype(float) if fill == "integers" else np.zeros(shape)
    return replace(scenario, arrays={**scenario.arrays, name: array.tolist()})


PARTS = ("biases", "output", "memory")


def has_part(scenario: Scenario, part: str) -> bool:
    """Whether a layer has biases, an output projection, or a memory to look at."""
    wanted = {"biases": "b_", "output": "w_o", "memory": "memory"}[part]
    return any(name.startswith(wanted) for name in scenario.arrays)


def with_part(scenario: Scenario, part: str, wanted: bool) -> Scenario:
    """The layer with or without one of PARTS. A new part leaves the output as it was."""
    if has_part(scenario, part) == wanted:
        return scenario
    changed = {"biases": with_biases, "output": with_output, "memory": with_memory}[part](scenario, wanted)
    return changed.looking(cell=())


def with_biases(scenario: Scenario, wanted: bool) -> Scenario:
    """Zeros for every projection, or no bias at all."""
    arrays = {name: recipe for name, recipe in scenario.arrays.items() if not name.startswith("b_")}
    if wanted:
        weights = [name for name in arrays if name.startswith("w_")]
        arrays |= {f"b_{name[2:]}": [0.0] * array_shape(arrays[name])[-1] for name in weights}
    return replace(scenario, arrays=arrays)


def with_output(scenario: Scenario, wanted: bool) -> Scenario:
    """An output projection that changes nothing, or none."""
    arrays = {name: recipe for name, recipe in scenario.arrays.items() if name not in ("w_o", "b_o")}
    if wanted:
        sizes = sizes_of(scenario)
        arrays["w_o"] = np.eye(scenario.options["n_heads"] * sizes.d_value).tolist()
    return replace(scenario, arrays=arrays)


def with_memory(scenario: Scenario, wanted: bool) -> Scenario:
    """Keys and values from a memory, at first a copy of X; or from X again, as wide as X."""
    scenario = laid_out(scenario, "three")
    if wanted:
        arrays = {**scenario.arrays, "memory": build_array(scenario.arrays["x"]).tolist()}
        shared = {"source": "token", "source_feature": "feature"}
        names = {**scenario.names} | {
            own: list(scenario.names[of]) for own, of in shared.items() if of in scenario.names
        }
        return replace(scenario, arrays=arrays, names=names)
    arrays = {name: recipe for name, recipe in scenario.arrays.items() if name != "memory"}
    n_features = array_shape(arrays["x"])[-1]
    arrays |= {name: fitted(arrays[name], (n_features, None)) for name in ("w_k", "w_v")}
    return resized(replace(scenario, arrays=arrays))


def with_words(scenario: Scenario, names: list[str]) -> Scenario:
    """The scenario with these tokens: a word that stays keeps its row of X, a new one gets small whole numbers.

    Words are followed in order, so that one that is put in between moves the rows of those behind it along.
    """
    before = scenario.labels("token", sizes_of(scenario).n_tokens)
    rows = build_array(scenario.arrays["x"])
    stays = kept_places(before, names)
    drawn = np.random.default_rng(NEW_ROW_SEED).integers(0, 3, (len(names), rows.shape[-1])).astype(float)
    found = resized(scenario, n_tokens=len(names))
    new = build_array(found.arrays["x"]).copy()
    for place, old in enumerate(stays):
        new[..., place, :] = drawn[place] if old is None else rows[..., old, :]
    focus = next((place for place, old in enumerate(stays) if old == scenario.view.focus), 0)
    found = replace(found, arrays={**found.arrays, "x": new.tolist()}, names={**found.names, "token": names})
    return found.looking(focus=focus, cell=())


def kept_places(before: list[str], after: list[str]) -> list[int | None]:
    """For each word where it stood before: the longest run of words in order that both have, else its own place."""
    pairs = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    found: list[int | None] = [None] * len(after)
    for old, new, size in pairs:
        found[new : new + size] = range(old, old + size)
    used = {place for place in found if place is not None}
    for place, known in enumerate(found):  # a word that was only replaced keeps the numbers of its place
        if known is None and len(before) == len(after) and place not in used:
            found[place] = place
    return found
