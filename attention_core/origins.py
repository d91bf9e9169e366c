"""Where each number of a step that only moves numbers came from."""

from dataclasses import dataclass

import numpy as np

from .errors import AttentionError
from .pieces import merge_heads, repeat_heads, split_heads
from .trace import Step, Trace


@dataclass(frozen=True, eq=False)
class Origins:
    """For each element of `step`: which of `sources` it came from, and where it stood there.

    `flat` counts through the flattened source; `np.asarray(origins)` is `flat`.
    """

    step: str
    sources: tuple[str, ...]
    which: np.ndarray
    flat: np.ndarray
    shapes: tuple[tuple[int, ...], ...]

    def __array__(self, dtype=None, copy=None):
        return np.array(self.flat, dtype=dtype, copy=copy)

    @property
    def index(self) -> np.ndarray:
        """(*shape of the step, axes of the source): the index of each element's source."""
        found = np.empty((*self.flat.shape, len(self.shapes[0])), int)
        for number, shape in enumerate(self.shapes):
            here = self.which == number
            found[here] = np.stack(np.unravel_index(self.flat[here], shape), axis=-1)
        return found

    def rebuild(self, trace: Trace) -> np.ndarray:
        """The step's array, made again from its sources."""
        sizes = [trace[name].size for name in self.sources]
        starts = np.cumsum([0, *sizes[:-1]])
        return np.concatenate([trace[name].ravel() for name in self.sources])[self.flat + starts[self.which]]


def cut(array: np.ndarray, part: int, key_dim: int) -> np.ndarray:
    """Q, K or V out of the channels of a head, which lie [q k v]."""
    limits = ((0, key_dim), (key_dim, 2 * key_dim), (2 * key_dim, None))
    return array[:, :, slice(*limits[part])]


MOVES = {
    "split": lambda arrays, step, trace: split_heads(arrays[0], step.shape[-3]),
    "merge": lambda arrays, step, trace: merge_heads(arrays[0]),
    "repeat": lambda arrays, step, trace: repeat_heads(arrays[0], int(trace["n_shared"])),
    "concat": lambda arrays, step, trace: np.concatenate(arrays, axis=-2),
    "reshape": lambda arrays, step, trace: arrays[0].reshape(step.shape),
    "permute": lambda arrays, step, trace: arrays[0].transpose(
        [trace.step(step.inputs[0]).axes.index(axis) for axis in step.axes]
    ),
} | {
    f"{verb}_{part}": move
    for part in range(3)
    for verb, move in (
        ("pick", lambda arrays, step, trace, part=part: arrays[0][part]),
        ("cut", lambda arrays, step, trace, part=part: cut(arrays[0], part, int(trace["key_dim"]))),
    )
}


def moved_names(trace: Trace, step: Step) -> tuple[str, ...]:
    """The inputs of `step` whose numbers it moves: all but its settings."""
    return tuple(name for name in step.inputs if trace.step(name).op != "number")


def origins(trace: Trace, step: str, source: str | None = None) -> Origins:
    """Origins of every element of `step` in the step before it, or in `source`, further back."""
    found = one_step_back(trace, trace.step(step))
    wanted = trace.step(source).name if source is not None else found.sources[0]
    while len(found.sources) == 1 and found.sources[0] != wanted:
        before = one_step_back(trace, trace.step(found.sources[0]))
        which, flat = (part.ravel()[found.flat] for part in (before.which, before.flat))
        found = Origins(found.step, before.sources, which, flat, before.shapes)
    return found


def one_step_back(trace: Trace, step: Step) -> Origins:
    if not step.moved:
        movers = ", ".join(other.name for other in trace.steps if other.moved)
        raise AttentionError("not_moved", name=step.name, names=movers)
    sources = moved_names(trace, step)
    shapes = tuple(trace[name].shape for name in sources)
    numbered, starts, start = [], [], 0
    for name in sources:
        size = trace[name].size
        numbered.append(np.arange(start, start + size).reshape(trace[name].shape))
        starts.append(start)
        start += size
    ids = MOVES[step.op](numbered, step, trace)
    which = np.searchsorted(starts, ids, side="right") - 1 if len(sources) > 1 else np.zeros(ids.shape, int)
    flat = ids - np.asarray(starts)[which]
    return Origins(step.name, sources, which, flat, shapes)
