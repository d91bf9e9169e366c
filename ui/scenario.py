"""Scenario: what the learner chose. Ids and numbers only; the same scenario gives the same screen."""

from dataclasses import dataclass, field

import numpy as np

import attention_core
from attention_core import Trace

FUNCTIONS = {
    name: getattr(attention_core, name)
    for name in (
        "multi_head_attention",
        "fused_qkv_attention",
        "conv_attention",
        "post_norm_attention",
    )
}


@dataclass(frozen=True)
class Scenario:
    """One computation: which function, its arrays, its options, and the learner's names for rows."""

    function: str
    arrays: dict[str, object]  # rows of numbers, or a recipe: see `build_array`
    options: dict[str, object] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)  # by axis

    def trace(self) -> Trace:
        """The computation itself."""
        arrays = {name: build_array(recipe) for name, recipe in self.arrays.items()}
        if self.function == "post_norm_attention":  # one input serves as query, key and value
            arrays = {"k": arrays["q"], "v": arrays["q"]} | arrays
        options = dict(self.options)
        if "attn_mask" in options:
            options["attn_mask"] = np.array(options["attn_mask"])
        return FUNCTIONS[self.function](**arrays, **options)

    def labels(self, axis: str, size: int) -> list[str]:
        """The names of the places along an axis: the learner's, or numbers."""
        shared = "source" if axis == "key" and "memory" in self.arrays else "token"
        names = self.names.get(axis) or (self.names.get(shared) if axis in ("query", "key") else None)
        return names if names and len(names) == size else [str(number) for number in range(size)]


def build_array(recipe) -> np.ndarray:
    """Rows of numbers as an array; {"normal": ...} and {"integers": ...} are drawn from their seed."""
    if not isinstance(recipe, dict):
        return np.array(recipe, dtype=np.float64)
    [(kind, given)] = recipe.items()
    rng = np.random.default_rng(given["seed"])
    if kind == "normal":
        numbers = rng.standard_normal(given["shape"], dtype=np.float32)
        return numbers / np.float32(np.sqrt(given.get("over_root", 1)))
    if kind == "integers":
        return rng.integers(given["low"], given["high"], given["shape"], endpoint=True).astype(np.float64)
    raise ValueError(f"no recipe is called {kind!r}")
