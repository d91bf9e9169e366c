"""Scenario: what the learner chose. Ids and numbers only; the same scenario gives the same screen."""

import json
import math
import re
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

import attention_core
from attention_core import Trace
from attention_core.fast.threads import on_one_thread
from ui.limits import MOST_SIDE_BY_SIDE
from ui.models import ModelMissingError, part_of
from ui.scenario.slices import read_slice
from ui.scenario.source import Source

FUNCTIONS = {
    name: getattr(attention_core, name)
    for name in (
        "multi_head_attention",
        "fused_qkv_attention",
        "conv_attention",
        "post_norm_attention",
    )
}

COUNTED = re.compile(r"(.{0,20}?)(0|[1-9][0-9]{0,2})")  # a name that ends in a number

HERE = "1"  # a scenario that is itself the start its teacher shared
ELSEWHERE = "0"  # one whose start is too long to travel with it
LARGE = 1 << 14  # numbers in an array from which a trace is worth keeping
# Multiplications of the largest computation: well under 100 ms on one core of today. ViT-B needs 0.59e9.
MOST_PRODUCTS = 1_000_000_000


class ScenarioError(ValueError):
    """A scenario that is not computed: `.code` says which rule, `.facts` the numbers."""

    def __init__(self, code: str, **facts):
        super().__init__(code)
        self.code = code
        self.facts = facts


PICTURES = ("heatmap", "shapes")  # of a step, beside what it means


@dataclass(frozen=True)
class View:
    """Where the learner looks, and how."""

    step: str = ""  # the stage in focus; empty: the first
    cell: tuple = ()  # (matrix, row, column) of the chosen cell, in the head and batch item shown
    focus: int = 0  # the word in focus: its row, from X to the output
    picture: str = ""  # beside the step: what it means, or a name of PICTURES
    head: int = 0
    batch: int = 0
    decimals: int = 2
    all_heads: bool = False  # every head side by side
    predict: bool = False  # the results of the stage in focus are for the learner to fill in
    lens: dict[str, int] = field(default_factory=dict)  # by axis: where the numbers of large matrices begin
    kept: str = ""  # the link of a result to compare with
    section: int = 0  # of a lesson
    knobs: dict[str, float] = field(default_factory=dict)  # of that section, as far as they were turned
    language: str = ""  # empty: the browser's own
    sort: str = ""  # how the page of heads is sorted; empty: by layer


@dataclass(frozen=True)
class Locks:
    """Controls that a teacher's link takes away: still seen but fixed, or not seen at all."""

    locked: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scenario:
    """One computation and the view of it. Never changed in place: `edited` and the like give a new one."""

    preset: str
    function: str
    arrays: dict[str, Any]  # rows of numbers, or a recipe: see `build_array`
    options: dict[str, Any] = field(default_factory=dict)  # of the function: see OPTIONS of `link.py`
    names: dict[str, list[str]] = field(default_factory=dict)  # by axis
    view: View = View()
    locks: Locks = Locks()
    start: str = ""  # the link of the state that a teacher shared, or HERE, or ELSEWHERE; empty: none
    source: Source | None = None  # the layer of a trained model that it began as: see `sourced`

    def trace(self) -> Trace:
        """The computation itself, computed once and shared: nobody can change it."""
        products = self.products
        if products > MOST_PRODUCTS:
            raise ScenarioError("too_much_work", products=products, most=MOST_PRODUCTS)
        shared = large_trace if self.is_large else small_trace
        return shared(*self.computation)

    @cached_property
    def computation(self) -> tuple[str, str, str]:
        """What is computed, as the key under which it is shared; written once, because it is asked for often."""
        return self.function, json.dumps(self.arrays), json.dumps(self.options)

    def computes_as(self, other: "Scenario") -> bool:
        """Whether both give the same numbers."""
        same = (self.function, self.arrays, self.options)
        return same == (other.function, other.arrays, other.options)

    @property
    def is_fixed(self) -> bool:
        """Whether a teacher's link keeps the numbers as they are."""
        return "edit" in (*self.locks.locked, *self.locks.hidden)

    def fixes(self, name: str) -> bool:
        """Whether a teacher's link keeps an array as it is; a bias goes with its weights."""
        return self.is_fixed or f"edit_{name.replace('b_', 'w_', 1)}" in self.locks.locked

    def keeps_fixed(self, after: "Scenario") -> bool:
        """Whether every array that a teacher fixed is the same in another scenario."""
        fixed = [name for name in self.arrays if self.fixes(name)]
        mask = self.fixes("attn_mask") and self.options.get("attn_mask") != after.options.get("attn_mask")
        return not mask and all(self.arrays[name] == after.arrays.get(name) for name in fixed)

    @cached_property
    def products(self) -> int:
        """Multiplications that the computation takes."""
        return count_products(self)

    @cached_property
    def is_large(self) -> bool:
        """Whether its matrices are of real size: too large to be laid out anew or tried out."""
        shapes = [array_shape(recipe) for recipe in self.arrays.values()]
        return any(math.prod(shape) > LARGE or max(shape, default=0) > MOST_SIDE_BY_SIDE for shape in shapes)

    def name_axis(self, axis: str) -> str:
        """The axis whose names this one shares: queries and keys are tokens."""
        if axis == "key":
            return "source" if "memory" in self.arrays else "token"
        return "token" if axis == "query" else axis

    def labels(self, axis: str, size: int) -> list[str]:
        """The names of the places along an axis: the learner's, new ones as those go on, or numbers."""
        names = self.names.get(axis) or self.names.get(self.name_axis(axis)) or []
        return [*names[:size], *further_names(names, size)]

    def renamed(self, axis: str, size: int, place: int, name: str) -> "Scenario":
        """With another name for one place along an axis."""
        axis = axis if axis in self.names else self.name_axis(axis)
        names = list(self.labels(axis, size))
        names[place] = name
        return replace(self, names={**self.names, axis: names})

    def given_as(self, step: str) -> str | None:
        """The array behind a step, where the learner gave it; a mask counts as one."""
        if step in ("visible", "attn_mask"):
            mask = self.options.get("attn_mask")
            return "attn_mask" if mask and (step == "visible") == is_boolean(mask) else None
        name = step
        if self.function == "post_norm_attention":  # its inputs are called as what is made of them elsewhere
            name = {"x": "q", "q": "", "k": "", "v": ""}.get(step, step)
        return name if name in self.arrays else None

    def edited(self, step: str, cells: dict[tuple[int, ...], float]) -> "Scenario":
        """With other numbers at some places of an array."""
        name = self.given_as(step)
        if name is None:
            raise KeyError(step)
        if name == "attn_mask":
            rows = [list(row) for row in self.options[name]]
            for (row, column), value in cells.items():
                rows[row][column] = bool(value) if step == "visible" else finite_or_none(value)
            return self.with_options(attn_mask=rows)
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


def further_names(names: list[str], size: int) -> list[str]:
    """The names of new places behind `names`: p4 after p2 and p3; numbers where those do not count."""
    match [COUNTED.fullmatch(name) for name in names[-2:]]:
        case [re.Match() as before, re.Match() as last]:
            stem, number = last[1], int(last[2])
            if before[1] == stem and int(before[2]) + 1 == number:
                return [f"{stem}{number + by}" for by in range(1, size - len(names) + 1)]
    return [str(place) for place in range(len(names), size)]


def is_boolean(mask: list) -> bool:
    """Whether a mask says who may look; otherwise its numbers are added, None standing for −∞."""
    return isinstance(mask[0][0], bool)


def finite_or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def compute(function: str, recipes: dict, options: dict) -> Trace:
    arrays = {name: build_array(recipe) for name, recipe in recipes.items()}
    if function == "post_norm_attention":  # one input serves as query, key and value
        arrays = {"k": arrays["q"], "v": arrays["q"]} | arrays
    options = dict(options)
    mask = options.get("attn_mask")
    if mask is not None and is_boolean(mask):
        options["attn_mask"] = np.array(mask)
    elif mask is not None:
        options["attn_mask"] = np.array([[-np.inf if n is None else n for n in row] for row in mask], float)
    if "window" in options:
        options["window"] = tuple(options["window"])
    with on_one_thread():  # beside others, OpenBLAS's threads would mostly wait for each other
        return FUNCTIONS[function](**arrays, **options)


@lru_cache(maxsize=256)
def small_trace(function: str, arrays: str, options: str) -> Trace:
    return compute(function, json.loads(arrays), json.loads(options))


@lru_cache(maxsize=4)
def large_trace(function: str, arrays: str, options: str) -> Trace:
    return compute(function, json.loads(arrays), json.loads(options))


def count_products(scenario: Scenario) -> int:
    """Multiplications of the projections, the scores and the weighted sum, from the shapes alone."""
    shapes = {name: array_shape(recipe) for name, recipe in scenario.arrays.items()}
    x = shapes.get("x") or shapes["q"]
    if scenario.function == "conv_attention":
        n_batch, n_queries = x[0], math.prod(x[2:])
        n_keys = n_queries
    else:
        n_batch, n_queries = math.prod(x[:-2]), x[-2]
        n_keys = shapes.get("memory", x)[-2]
    weights = {name: math.prod(shape) for name, shape in shapes.items() if name.startswith("w_")}
    tokens = n_batch * max(n_queries, n_keys)
    width = max(shape[-1] for name, shape in shapes.items() if name.startswith("w_"))
    return tokens * sum(weights.values()) + 2 * n_batch * n_queries * n_keys * width


def array_shape(recipe) -> tuple[int, ...]:
    """The shape of what `build_array` makes, without making it."""
    if isinstance(recipe, dict):
        [given] = recipe.values()
        return tuple(given["shape"])
    return np.shape(recipe)


def build_array(recipe) -> np.ndarray:
    """Rows of numbers as an array; {"normal": ...} and {"integers": ...} are drawn from their seed.

    {"slice": {"name": ..., "part": ..., "shape": ...}} is a part of a trained head: see `slices`.
    {"model": {"hash": ..., "layer": ..., "part": ..., "shape": ...}} is read through the model: see `sourced`.
    """
    if not isinstance(recipe, dict):
        return np.array(recipe, dtype=np.float64)
    if "model" in recipe:
        return model_part(recipe["model"])
    given = recipe.get("slice")
    drawn = read_slice(given["name"], given["part"]) if given else draw_array(json.dumps(recipe))
    return drawn if drawn.size > LARGE else drawn.copy()


def model_part(given: dict) -> np.ndarray:
    """A part of a trained model; one that is gone meanwhile says so."""
    try:
        found = part_of(given["hash"], given["layer"], given["part"], given.get("sentence"))
    except ModelMissingError:
        raise ScenarioError("no_model", hash=given["hash"]) from None
    return found if found.size > LARGE else found.copy()


@lru_cache(maxsize=16)
def draw_array(recipe: str) -> np.ndarray:
    """The array of a recipe, drawn once and never changed."""
    [(kind, given)] = json.loads(recipe).items()
    rng = np.random.default_rng(given["seed"])
    if kind == "normal":
        array = rng.standard_normal(given["shape"], dtype=np.float32)
        array = array / np.float32(np.sqrt(given.get("over_root", 1)))
    elif kind == "integers":
        array = rng.integers(given["low"], given["high"], given["shape"], endpoint=True).astype(np.float64)
    else:
        raise ValueError(f"no recipe is called {kind!r}")
    array.setflags(write=False)
    return array
