"""Scenario: what the learner chose. Ids and numbers only; the same scenario gives the same screen."""

import json
import math
from dataclasses import dataclass, field, replace
from functools import lru_cache

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


LARGE = 1 << 14  # numbers in an array from which a trace is worth keeping


@dataclass(frozen=True)
class View:
    """Where the learner looks."""

    step: str = ""  # the step in focus; empty: the first
    cell: tuple = ()  # (matrix, row, column) of the chosen cell
    head: int = 0
    batch: int = 0
    decimals: int = 2


@dataclass(frozen=True)
class Scenario:
    """One computation and the view of it. Never changed in place: `edited` and the like give a new one."""

    preset: str
    function: str
    arrays: dict[str, object]  # rows of numbers, or a recipe: see `build_array`
    options: dict[str, object] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)  # by axis
    view: View = View()

    def trace(self) -> Trace:
        """The computation itself. One of real size is computed once and shared: nobody can change it."""
        if self.is_large:
            return shared_trace(self.function, json.dumps(self.arrays), json.dumps(self.options))
        return compute(self.function, self.arrays, self.options)

    @property
    def is_large(self) -> bool:
        return any(math.prod(array_shape(recipe)) > LARGE for recipe in self.arrays.values())

    def labels(self, axis: str, size: int) -> list[str]:
        """The names of the places along an axis: the learner's, or numbers."""
        shared = "source" if axis == "key" and "memory" in self.arrays else "token"
        names = self.names.get(axis) or (self.names.get(shared) if axis in ("query", "key") else None)
        return names if names and len(names) == size else [str(number) for number in range(size)]

    def given_as(self, step: str) -> str | None:
        """The array behind a step, where the learner gave it; the mask of booleans counts as one."""
        if step == "visible":
            return "attn_mask" if "attn_mask" in self.options else None
        name = "q" if self.function == "post_norm_attention" and step == "x" else step
        return name if name in self.arrays else None

    def edited(self, step: str, cells: dict[tuple[int, ...], float]) -> "Scenario":
        """With other numbers at some places of an array."""
        name = self.given_as(step)
        if name == "attn_mask":
            mask = np.array(self.options[name])
            for index, value in cells.items():
                mask[index] = bool(value)
            return self.with_options(attn_mask=mask.tolist())
        array = build_array(self.arrays[name])
        for index, value in cells.items():
            array[index] = value
        return replace(self, arrays={**self.arrays, name: array.tolist()})

    def with_options(self, **options) -> "Scenario":
        """With other options; None takes one away."""
        changed = {name: value for name, value in {**self.options, **options}.items() if value is not None}
        return replace(self, options=changed)

    def looking(self, **view) -> "Scenario":
        """Seen from elsewhere."""
        return replace(self, view=replace(self.view, **view))


def compute(function: str, recipes: dict, options: dict) -> Trace:
    arrays = {name: build_array(recipe) for name, recipe in recipes.items()}
    if function == "post_norm_attention":  # one input serves as query, key and value
        arrays = {"k": arrays["q"], "v": arrays["q"]} | arrays
    options = dict(options)
    if "attn_mask" in options:
        options["attn_mask"] = np.array(options["attn_mask"])
    if "window" in options:
        options["window"] = tuple(options["window"])
    return FUNCTIONS[function](**arrays, **options)


@lru_cache(maxsize=4)
def shared_trace(function: str, arrays: str, options: str) -> Trace:
    return compute(function, json.loads(arrays), json.loads(options))


def array_shape(recipe) -> tuple[int, ...]:
    """The shape of what `build_array` makes, without making it."""
    if isinstance(recipe, dict):
        [given] = recipe.values()
        return tuple(given["shape"])
    return np.shape(recipe)


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
