"""Three matrices for Q, K and V or a single one, in either order of its columns: the same computation."""

from dataclasses import replace

import numpy as np

from ui.scenario.scenario import Scenario, array_shape, build_array

# w_q, w_k and w_v; one matrix [Q | K | V]; one matrix [q k v of head 0 | q k v of head 1 | ...].
LAYOUTS = ("three", "fused", "per_head")
# The fused matrix and bias, and the parts each is made of.
PARTS = {"w_qkv": ("w_q", "w_k", "w_v"), "b_qkv": ("b_q", "b_k", "b_v")}


def layout_of(scenario: Scenario) -> str | None:
    """The layout of the matrices; None where the function leaves no choice."""
    if scenario.function == "fused_qkv_attention":
        return "per_head" if scenario.options.get("per_head") else "fused"
    return "three" if scenario.function == "multi_head_attention" else None


def why_not_fused(scenario: Scenario) -> str:
    """What keeps three matrices apart: "memory", "view", "shared" or "widths"; "" where nothing does."""
    if layout_of(scenario) != "three":
        return ""
    n_heads = scenario.options["n_heads"]
    if "memory" in scenario.arrays:
        return "memory"
    if scenario.options.get("split") == "view":
        return "view"
    if scenario.options.get("n_kv_heads", n_heads) != n_heads:
        return "shared"
    widths = {array_shape(scenario.arrays[name])[-1] for name in PARTS["w_qkv"]}
    return "widths" if len(widths) > 1 else ""


def possible_layouts(scenario: Scenario) -> tuple[str, ...]:
    """The layouts that can hold the scenario; a large one keeps its own."""
    present = layout_of(scenario)
    if present is None:
        return ()
    if scenario.is_large or why_not_fused(scenario):
        return (present,)
    return LAYOUTS


def laid_out(scenario: Scenario, layout: str) -> Scenario:
    """The same computation in another layout: the heads of Q, K and V hold the same numbers.

    One bias is enough for all three to be there afterwards, filled up with zeros. No cell is chosen any
    more, since the matrices are others. ValueError for a layout that is not possible.
    """
    if layout == layout_of(scenario):
        return scenario
    if layout not in possible_layouts(scenario):
        raise ValueError(f"this {scenario.function} cannot be laid out as {layout!r}")
    matrices, function = split_in_three(scenario), "multi_head_attention"
    if layout != "three":
        function = "fused_qkv_attention"
        matrices = joined(matrices, scenario.options["n_heads"], layout == "per_head")
    others = {name: recipe for name, recipe in scenario.arrays.items() if not is_projection(name)}
    arrays = {"x": others["x"]} | {name: array.tolist() for name, array in matrices.items()} | others
    found = replace(scenario, function=function, arrays=arrays)
    found = found.with_options(n_kv_heads=None, per_head=True if layout == "per_head" else None)
    return found.looking(cell=())


def is_projection(name: str) -> bool:
    """Whether an array is a matrix or bias that makes Q, K or V."""
    return any(name == fused or name in parts for fused, parts in PARTS.items())


def split_in_three(scenario: Scenario) -> dict[str, np.ndarray]:
    """w_q, w_k, w_v and those of b_q, b_k, b_v that there are, from any layout."""
    arrays = {name: build_array(recipe) for name, recipe in scenario.arrays.items() if is_projection(name)}
    for name, parts in PARTS.items():
        if name in arrays:
            array = arrays.pop(name)
            if layout_of(scenario) == "per_head":
                array = reordered(array, scenario.options["n_heads"], 3)
            arrays |= dict(zip(parts, np.split(array, 3, axis=-1), strict=True))
    return arrays


def joined(matrices: dict[str, np.ndarray], n_heads: int, per_head: bool) -> dict[str, np.ndarray]:
    """w_qkv of three matrices of one width; b_qkv too where there is a bias."""
    no_bias = np.zeros(matrices["w_q"].shape[-1])
    found = {}
    for name, parts in PARTS.items():
        if any(part in matrices for part in parts):
            array = np.concatenate([matrices.get(part, no_bias) for part in parts], axis=-1)
            found[name] = reordered(array, 3, n_heads) if per_head else array
    return found


def reordered(array: np.ndarray, outer: int, inner: int) -> np.ndarray:
    """Columns that lie by (outer, inner, feature), laid by (inner, outer, feature)."""
    labelled = array.reshape(*array.shape[:-1], outer, inner, -1)
    return labelled.swapaxes(-3, -2).reshape(array.shape)
