"""Trace: what the mathematics did, as ordered, named, read-only steps."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .errors import AttentionError
from .tables import MOST_ROWS, long_table

# Asked for by name when an option left them out, these give the array that holds at that point.
HOLDS_INSTEAD = {
    "scaled": "scores",
    "softcapped": "scaled",
    "masked": "softcapped",
    "dropped": "weights",
    "present_key": "k_heads",
    "present_value": "v_heads",
    "k_repeated": "present_key",
    "v_repeated": "present_value",
}


# Operations that compute nothing: every number of their result stood somewhere before.
MOVING = {"split", "merge", "repeat", "concat", "reshape", "permute"}
MOVING |= {f"{verb}_{part}" for verb in ("pick", "cut") for part in range(3)}  # Q, K or V out of one array


class Line(NamedTuple):
    """One step before it has numbers: its name, axes, operation, inputs and formula."""

    name: str
    axes: tuple[str, ...]
    op: str  # "input", "parameter" and "number" are given; every other op computes
    inputs: tuple[str, ...] = ()
    formula: str = ""  # a NumPy expression in the names of the inputs


class Step(NamedTuple):
    """One step with its numbers. `np.asarray(step)` is the array."""

    name: str
    value: np.ndarray
    axes: tuple[str, ...]
    formula: str
    inputs: tuple[str, ...]
    op: str

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def moved(self) -> bool:
        """Whether the step only moves numbers, so that each has an origin."""
        return self.op in MOVING

    def __array__(self, dtype=None, copy=None):
        return np.array(self.value, dtype=dtype, copy=copy)


class Plan:
    """The lines of a computation in order, and other names its steps answer to."""

    def __init__(self, lines: tuple[Line, ...], also_called: dict[str, str] | None = None):
        self.lines = lines
        self.by_name = {line.name: line for line in lines}
        self.also_called = also_called or {}
        self.arrays = tuple(line.name for line in lines if line.op != "number")
        seen = set()
        for line in lines:
            missing = set(line.inputs) - seen
            if missing or line.name in seen:
                raise AttentionError("trace_order", name=line.name, missing=", ".join(sorted(missing)))
            seen.add(line.name)


class Trace:
    """Every intermediate of one computation.

    `trace["weights"]` is an array, `trace.step("weights")` all that is known about it, `trace.steps`
    the steps in order, `trace.parameters` what was given besides them, `trace.output` the last array.
    """

    __slots__ = ("_values", "plan")

    def __init__(self, plan: Plan, values: dict[str, Any]):
        for name in plan.arrays:
            values[name].setflags(write=False)
        check_shapes(plan, tuple([values[name].shape for name in plan.arrays]))
        self.plan = plan
        self._values = values

    def _resolve(self, name: str) -> str:
        while name not in self.plan.by_name:
            instead = self.plan.also_called.get(name) or HOLDS_INSTEAD.get(name)
            if instead is None:
                raise AttentionError("unknown_step", given=repr(name), names=", ".join(self.plan.by_name))
            name = instead
        return name

    def __getitem__(self, name: str) -> np.ndarray:
        return np.asarray(self._values[self._resolve(name)])

    def __iter__(self):
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __reduce__(self):
        return Trace, (self.plan, {name: self._values[name] for name in self.plan.by_name})

    def __contains__(self, name: str) -> bool:
        try:
            self._resolve(name)
        except AttentionError:
            return False
        return True

    def step(self, name: str) -> Step:
        """The step of that name, or the one that holds in its place."""
        line = self.plan.by_name[self._resolve(name)]
        return Step(line.name, self[line.name], line.axes, line.formula, line.inputs, line.op)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps in order; weights, biases, masks and settings are in `parameters`."""
        return tuple(
            self.step(line.name) for line in self.plan.lines if line.op not in ("parameter", "number")
        )

    @property
    def parameters(self) -> dict[str, Step]:
        """Weights, biases, masks and settings by name."""
        return {
            line.name: self.step(line.name) for line in self.plan.lines if line.op in ("parameter", "number")
        }

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(step.name for step in self.steps)

    @property
    def output(self) -> np.ndarray:
        return self._values[self.plan.lines[-1].name]

    def to_frame(self, *names: str, most_rows: int = MOST_ROWS):
        """A pandas.DataFrame with one row for each number: step, a column for each axis name, value.

        `trace.to_frame("weights", "scores")` has these steps; without names every step and parameter, in the
        order of the computation. An axis that a step does not have is empty (<NA>). Values are float64, which
        holds every number here exactly; booleans are 1 and 0. More than `most_rows` rows are refused before
        anything is made. pandas has to be installed. `frame.to_csv(index=False)` keeps every digit.
        """
        chosen = dict.fromkeys(map(self._resolve, names or self.plan.by_name))
        return long_table([self.step(name) for name in chosen], most_rows)

    def __repr__(self) -> str:
        rows = [f"  {step.name:<14}{step.shape!s:<20}{step.formula}".rstrip() for step in self.steps]
        return "\n".join(["Trace", *rows])


@lru_cache(maxsize=4096)
def check_shapes(plan: Plan, shapes: tuple[tuple[int, ...], ...]) -> None:
    """Raises unless every array has one size per axis and an axis name one size throughout.

    A mask may hold 1 along an axis: it broadcasts. Shapes decide, so each set is checked once.
    """
    sizes: dict[str, int] = {}
    for name, shape in zip(plan.arrays, shapes, strict=True):
        line = plan.by_name[name]
        fits = len(shape) == len(line.axes) == len(set(line.axes))
        for axis, size in zip(line.axes, shape, strict=False):
            broadcasts = size == 1 and name in ("attn_mask", "visible")
            fits = fits and (broadcasts or sizes.setdefault(axis, size) == size)
        if not fits:
            raise AttentionError("trace_axes", name=name, shape=shape, axes=line.axes)
