"""Exercises from a seed: the same seed, level, kind and number give the same exercise everywhere."""

from functools import lru_cache

from ui.course.exercises.code import code_exercise
from ui.course.exercises.dice import Dice
from ui.course.exercises.exercise import LEVELS, Exercise, kinds_of
from ui.course.exercises.masks import mask_exercise
from ui.course.exercises.numbers import cell_exercise, output_exercise, weights_exercise
from ui.course.exercises.shapes import shape_exercise
from ui.course.exercises.wrong import wrong_exercise

MAKERS = {
    "cell": cell_exercise,
    "weights": weights_exercise,
    "output": output_exercise,
    "shape": shape_exercise,
    "wrong": wrong_exercise,
    "mask": mask_exercise,
    "code": code_exercise,
}


@lru_cache(maxsize=256)
def make_exercise(seed: int, level: str, kind: str, number: int = 0) -> Exercise:
    """The exercise `number` of a kind at a level."""
    if level not in LEVELS or kind not in kinds_of(level):
        raise ValueError(f"no exercise is {level!r} and {kind!r}")
    return MAKERS[kind](Dice(seed, level, kind, number), level)
