"""Slices: one head of a trained model on one sentence, shipped as float16 numbers in assets/slices.

A recipe names a slice and a part of it: {"slice": {"name": "minilm_it", "part": "w_q", "shape": [384, 32]}}.
Only names of files that are there are taken.
"""

import json
from functools import cache

import numpy as np

from ui.paths import ASSETS

FOLDER = ASSETS / "slices"
PARTS = ("x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v")


@cache
def slice_names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in FOLDER.glob("*.npz")))


@cache
def read_slice(name: str, part: str) -> np.ndarray:
    """A part of a slice, in float64, that nobody can change."""
    check_name(name)
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as parts:
        array = parts[part].astype(np.float64)
    array.setflags(write=False)
    return array


@cache
def source_of(name: str) -> dict:
    """Which head of which model a slice is, on which sentence, by whom, under which licence."""
    check_name(name)
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def check_name(name: str) -> None:
    if name not in slice_names():
        raise ValueError(f"no slice is called {name!r}")
