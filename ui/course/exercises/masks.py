"""Pick the mask: which of four gives these weights?"""

from collections.abc import Callable

import numpy as np

from attention_core import causal_mask, padding_mask, window_mask
from ui.course.exercises.dice import Dice
from ui.course.exercises.exercise import Exercise, Grid, Option, as_rows, grid
from ui.course.exercises.numbers import scoring
from ui.course.exercises.thirds import LN_3, scores_grid
from ui.scenario.scenario import Scenario

MASKS: dict[str, Callable[[int], np.ndarray]] = {
    "causal": causal_mask,
    "full": lambda n: np.ones((n, n), bool),
    "padding": lambda n: np.broadcast_to(padding_mask([n - 1], n)[0, 0], (n, n)),
    "window": lambda n: window_mask(n, left=1, right=1),
    "causal_window": lambda n: window_mask(n, left=1, right=0),
    "future": lambda n: causal_mask(n).T,
    "next": lambda n: window_mask(n, right=1),
}
# By level: how many tokens, and the masks that are told apart.
MASKS_OF = {
    "easy": (3, ("causal", "full", "padding", "future")),
    "medium": (4, ("causal", "padding", "window", "causal_window", "future", "next")),
    "hard": (4, ("causal", "window", "causal_window", "future", "next")),
    "thirds": (3, ("causal", "padding", "future", "next", "causal_window")),
}


def mask_exercise(dice: Dice, level: str) -> Exercise:
    """Which of four masks gives these weights? On the hard level 1 means hidden, as in some libraries."""
    n_tokens, names = MASKS_OF[level]
    hides = level == "hard"
    right = dice.pick(names)
    masks = {name: MASKS[name](n_tokens) for name in dice.shuffled([one for one in names if one != right])}
    if hides:  # the same mask read the other way round is the trap
        masks = {"inverted": ~MASKS[right](n_tokens)} | masks
    chosen = dice.shuffled([right, *list(masks)[:3]])
    masks[right] = MASKS[right](n_tokens)
    scenario = mask_scenario(dice, level, masks[right])
    trace = scenario.trace()
    given = (grid(trace, "weights"),)
    if scores_differ(level):
        given = (scores_grid(scenario.with_options(attn_mask=None).trace()), *given)
    options = tuple(Option((mask_grid(masks[name], hides),), name) for name in chosen)
    answers = (float(chosen.index(right)),)
    ask = {"hard": "mask_hidden", "thirds": "mask_third"}.get(level, "mask_equal")
    return Exercise(level, "mask", ask, given, answers, scenario=scenario, step="weights", options=options)


def scores_differ(level: str) -> bool:
    """Whether the scores are any, and given; otherwise they are all equal."""
    return level in ("hard", "thirds")


def mask_scenario(dice: Dice, level: str, visible: np.ndarray) -> Scenario:
    n_tokens = len(visible)
    if level == "thirds":
        return scoring(dice.matrix(n_tokens, n_tokens, 0, 2), visible=visible, scale=LN_3)
    return scoring(dice.matrix(n_tokens, n_tokens, 0, int(scores_differ(level))), visible=visible)


def mask_grid(visible: np.ndarray, hides: bool) -> Grid:
    """A mask as ones and zeros; what is `visible` is 1, or 0 where 1 means hidden."""
    return Grid("visible", as_rows(visible != hides))
