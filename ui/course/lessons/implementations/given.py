"""X and the weights that all implementations are given: the learner's, and what else they may need."""

import json
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attention_core import AttentionError, Phrase
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Scenario, build_array

SHAPES = {"x": (4, 3), "w_q": (3, 3), "w_k": (3, 3), "w_v": (3, 3)}
DRAWN = {"w_o": [3, 3], "b_q": [3], "b_k": [3], "b_v": [3], "b_o": [3], "w_pe": [3, 3, 3]}


@dataclass(frozen=True, eq=False)
class Given:
    """X and every weight there is, by name; the learner's where they are on the board, drawn otherwise."""

    arrays: dict[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]

    def side_by_side(self, *names: str) -> np.ndarray:
        return np.concatenate([self[name] for name in names], axis=-1)

    def head_by_head(self, *names: str, n_heads: int) -> np.ndarray:
        """Columns in the order [q k v of head 0 | q k v of head 1 | ...]."""
        parts = [np.split(self[name], n_heads, axis=-1) for name in names]
        return np.concatenate([part[head] for head in range(n_heads) for part in parts], axis=-1)


def given_in(scenario: Scenario) -> Given:
    """What a scenario gives: one object for the same numbers, so that nothing is computed twice."""
    return read_given(json.dumps({name: scenario.arrays[name] for name in SHAPES}))


@lru_cache(maxsize=8)
def read_given(recipes: str) -> Given:
    own = json.loads(recipes)
    drawn = {
        name: {"normal": {"shape": shape, "seed": seed}}
        for seed, (name, shape) in enumerate(DRAWN.items(), start=4)
    }
    arrays = {name: build_array(recipe).astype(np.float64) for name, recipe in (own | drawn).items()}
    for name, array in arrays.items():
        if array.shape != SHAPES.get(name, array.shape):
            raise AttentionError(
                "shape", name=name, shape=array.shape, needed=SHAPES[name], other=Phrase("the_others")
            )
        array.setflags(write=False)
    return Given(arrays)


def usual() -> Given:
    """The numbers that the lesson begins with."""
    return given_in(load_preset("bare_formula"))
