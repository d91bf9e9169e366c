"""Other sizes with the numbers kept: tokens, widths, shared heads; and filling a matrix at once."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ui.layouts import laid_out, layout_of, possible_layouts
from ui.link import MOST_ALONG_AN_AXIS
from ui.scenario import Scenario, array_shape, build_array

FILLS = ("zeros", "ones", "identity", "integers", "random")


class Sizes(NamedTuple):
    """Every size of a multi-head layer that a learner may choose."""

    n_tokens: int
    n_features: int
    n_sources: int  # tokens of the memory; those of x without one
    n_kv_heads: int
    d_key: int  # per head
    d_value: int


def can_be_resized(scenario: Scenario) -> bool:
    """Whether the sizes may be chosen: a multi-head layer without a batch, small enough to type.

    One matrix for Q, K and V may be as wide as its three parts together.
    """
    if "three" not in possible_layouts(scenario) or len(array_shape(scenario.arrays["x"])) != 2:
        return False
    shapes = [array_shape(recipe) for recipe in laid_out(scenario, "three").arrays.values()]
    return all(max(shape) <= MOST_ALONG_AN_AXIS for shape in shapes)


def sizes_of(scenario: Scenario) -> Sizes:
    shapes = {name: array_shape(recipe) for name, recipe in laid_out(scenario, "three").arrays.items()}
    n_heads = scenario.options["n_heads"]
    n_kv_heads = scenario.options.get("n_kv_heads", n_heads)
    n_tokens, n_features = shapes["x"]
    n_sources = shapes.get("memory", shapes["x"])[0]
    d_key, d_value = shapes["w_q"][1] // n_heads, shapes["w_v"][1] // n_kv_heads
    return Sizes(n_tokens, n_features, n_sources, n_kv_heads, d_key, d_value)


def resized(scenario: Scenario, **change: int) -> Scenario:
    """The scenario with other sizes: numbers that still have a place keep it, new ones are 0.

    One matrix for Q, K and V is parted, resized and joined again. It stays three where they can no longer
    be joined: when d_key and d_value differ, or heads are shared.
    """
    layout, sizes = layout_of(scenario), sizes_of(scenario)._replace(**change)
    found = with_sizes(laid_out(scenario, "three"), sizes)
    return laid_out(found, layout) if layout in possible_layouts(found) else found


def with_sizes(scenario: Scenario, sizes: Sizes) -> Scenario:
    """Three matrices, and all that goes with them, cut or filled up to their sizes."""
    n_heads = scenario.options["n_heads"]
    cross = "memory" in scenario.arrays
    sources = array_shape(scenario.arrays["memory"])[1] if cross else sizes.n_features
    q, k, v = n_heads * sizes.d_key, sizes.n_kv_heads * sizes.d_key, sizes.n_kv_heads * sizes.d_value
    wanted = {
        "x": (sizes.n_tokens, sizes.n_features),
        "memory": (sizes.n_sources, sources),
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
    found = replace(scenario, arrays=arrays).with_options(n_kv_heads=shared, attn_mask=None)
    return found.looking(cell=(), head=0)


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
    """The scenario with one array filled: zeros, ones, identity, small integers, or normal numbers."""
    shape = array_shape(scenario.arrays[name])
    rng = np.random.default_rng(seed)
    match fill:
        case "ones":
            array = np.ones(shape)
        case "identity":
            array = np.broadcast_to(np.eye(*shape[-2:]) if len(shape) > 1 else np.ones(shape), shape)
        case "integers":
            array = rng.integers(-2, 2, shape, endpoint=True).astype(float)
        case "random":
            array = np.round(rng.standard_normal(shape), 2)
        case _:
            array = np.zeros(shape)
    return replace(scenario, arrays={**scenario.arrays, name: array.tolist()})
