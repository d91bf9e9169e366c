"""Match code to picture: which of four pictures does a line of code make?"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attention_core import merge_heads, repeat_heads, split_heads
from attention_core.multi_head import part_qkv
from ui.course.exercises.dice import Dice
from ui.course.exercises.exercise import Exercise, Grid, Option, as_rows


class Lines(NamedTuple):
    """An array that counts 0, 1, 2, ..., and lines of code with what they make of it."""

    name: str
    shape: tuple[int, ...]
    makes: dict[str, Callable[[np.ndarray], np.ndarray]]

    @property
    def array(self) -> np.ndarray:
        return np.arange(float(np.prod(self.shape))).reshape(self.shape)


TURNED = {
    "k.T": lambda k: k.T,
    "k.reshape(2, 3)": lambda k: k.reshape(2, 3),
    "k[:2]": lambda k: k[:2],
    "k[:, :1]": lambda k: k[:, :1],
    "k[::-1]": lambda k: k[::-1],
    "k[:, ::-1]": lambda k: k[:, ::-1],
}
SPLIT = {
    "q.reshape(3, 2, 2).transpose(1, 0, 2)": lambda q: split_heads(q, 2),
    "q.reshape(2, 3, 2)": lambda q: q.reshape(2, 3, 2),
    "q.reshape(3, 2, 2)": lambda q: q.reshape(3, 2, 2),
    "q.reshape(3, 2, 2).transpose(2, 0, 1)": lambda q: q.reshape(3, 2, 2).transpose(2, 0, 1),
    "q.T.reshape(2, 2, 3)": lambda q: q.T.reshape(2, 2, 3),
}
MERGED = {
    "h.transpose(1, 0, 2).reshape(3, 4)": merge_heads,
    "h.reshape(3, 4)": lambda h: h.reshape(3, 4),
    "h.transpose(1, 2, 0).reshape(3, 4)": lambda h: h.transpose(1, 2, 0).reshape(3, 4),
    "h.transpose(0, 2, 1).reshape(4, 3)": lambda h: h.transpose(0, 2, 1).reshape(4, 3),
}
REPEATED = {
    "np.repeat(k, 2, axis=0)": lambda k: repeat_heads(k, 2),
    "np.tile(k, (2, 1, 1))": lambda k: np.tile(k, (2, 1, 1)),
    "np.repeat(k[:1], 4, axis=0)": lambda k: repeat_heads(k[:1], 4),
    "np.repeat(k[::-1], 2, axis=0)": lambda k: repeat_heads(k[::-1], 2),
}
FUSED = {
    "qkv.reshape(2, 3, 2, 2).transpose(1, 2, 0, 3)[0]": lambda qkv: part_qkv(qkv, 2, False)[1][0],
    "qkv.reshape(2, 3, 2, 2).transpose(1, 2, 0, 3)[1]": lambda qkv: part_qkv(qkv, 2, False)[1][1],
    "qkv.reshape(2, 2, 3, 2).transpose(2, 1, 0, 3)[0]": lambda qkv: part_qkv(qkv, 2, True)[1][0],
    "qkv.reshape(2, 2, 3, 2).transpose(2, 1, 0, 3)[1]": lambda qkv: part_qkv(qkv, 2, True)[1][1],
    "qkv.reshape(3, 2, 2, 2)[1]": lambda qkv: qkv.reshape(3, 2, 2, 2)[1],
}
LINES = {
    "easy": (Lines("k", (3, 2), TURNED),),
    "medium": (Lines("q", (3, 4), SPLIT), Lines("h", (2, 3, 2), MERGED)),
    "hard": (Lines("k", (2, 2, 2), REPEATED), Lines("qkv", (2, 12), FUSED)),
}


def code_exercise(dice: Dice, level: str) -> Exercise:
    """Four pictures, one of them made by the line of code that is given."""
    about = dice.pick(LINES[level])
    chosen, right = dice.shuffled(list(about.makes))[:4], dice.whole(0, 3)
    options = tuple(Option(matrices(about.makes[line](about.array)), line) for line in chosen)
    facts = {"array": about.name, "shape": str(about.shape)}
    return Exercise(
        level,
        "code",
        "code",
        matrices(about.array),
        (float(right),),
        facts,
        code=chosen[right],
        options=options,
    )


def matrices(array: np.ndarray) -> tuple[Grid, ...]:
    """An array as matrices, one for each place along its first axis if it has three."""
    return tuple(Grid("", as_rows(one)) for one in (array if array.ndim == 3 else [array]))
