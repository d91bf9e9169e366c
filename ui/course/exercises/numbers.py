"""Exercises with small numbers to work out: a cell, a row of weights, a row of the output.

Where powers of e cannot be avoided, e ≈ 2.7 and e² ≈ 7.4 are near enough; the tests make sure of it.
"""

from collections.abc import Callable

import numpy as np

from attention_core import causal_mask
from ui.course.exercises.dice import Dice
from ui.course.exercises.exercise import Exercise, fill
from ui.course.exercises.thirds import LN_3, scores_grid
from ui.scenario.scenario import Scenario

PRESET = "pixels_2x2"  # the example that an exercise is a variation of: one head, a few tokens


def projecting(x: np.ndarray, *matrices: np.ndarray) -> Scenario:
    """X (token, feature) and the matrices for Q, K and V (feature, channel)."""
    arrays = dict(zip(("x", "w_q", "w_k", "w_v"), (x, *matrices), strict=True))
    return Scenario(
        PRESET,
        "multi_head_attention",
        {name: array.tolist() for name, array in arrays.items()},
        {"n_heads": 1},
    )


def attending(q: np.ndarray, k: np.ndarray, v: np.ndarray, visible=None, **options) -> Scenario:
    """Attention with these Q, K and V (token, channel): X holds all three, and each matrix picks one."""
    ends = np.cumsum([part.shape[1] for part in (q, k, v)])
    pickers = np.split(np.eye(ends[-1]), ends[:-1], axis=1)
    mask = {} if visible is None else {"attn_mask": np.asarray(visible).tolist()}
    return projecting(np.hstack((q, k, v)), *pickers).with_options(**mask, **options)


def scoring(scores: np.ndarray, v: np.ndarray | None = None, visible=None, scale: float = 1.0) -> Scenario:
    """Attention with these scores (query, key): K is the identity."""
    n_tokens = len(scores)
    v = np.zeros((n_tokens, 1)) if v is None else v
    return attending(scores, np.eye(n_tokens), v, visible, scale=scale)


def row_of(step_width: int, row: int) -> list[tuple[int, int]]:
    return [(row, column) for column in range(step_width)]


# A cell


def cell_exercise(dice: Dice, level: str) -> Exercise:
    """One number of Q, K or V, of the scores, or of the weights."""
    if level == "thirds":
        return weight_cell(dice)
    if level == "hard":
        return scaled_cell(dice)
    step = dice.pick(("q", "k", "v") if level == "easy" else ("q", "k", "v", "scores"))
    return score_cell(dice) if step == "scores" else projected_cell(dice, level, step)


def draw_projection(dice: Dice, level: str, step: str, cell: tuple[int, int]) -> Scenario:
    """X and three matrices; every product behind the cell counts, so that none is forgotten unnoticed."""
    width, low, high = (2, 0, 3) if level == "easy" else (3, -2, 3)

    def draw() -> tuple[np.ndarray, ...]:
        return dice.matrix(3, width, low, high), *(dice.matrix(width, 2, min(low, 0), 2) for _ in "qkv")

    def fits(drawn: tuple[np.ndarray, ...]) -> bool:
        x, chosen = drawn[0], drawn[1 + "qkv".index(step)]
        return (x[cell[0]] * chosen[:, cell[1]]).all() and all_differ(x) and all_differ(chosen.T)

    return projecting(*dice.until(draw, fits))


def all_differ(rows: np.ndarray) -> bool:
    return len({tuple(row) for row in rows}) == len(rows)


def projected_cell(dice: Dice, level: str, step: str) -> Exercise:
    cell = dice.whole(0, 2), dice.whole(0, 1)
    scenario = draw_projection(dice, level, step, cell)
    facts = {"name": step, "matrix": f"w_{step}", "cell": f"{step}[{cell[0]}, {cell[1]}]"}
    return fill(level, "cell", "projection", scenario, ("x", f"w_{step}"), step, [cell], **facts)


def draw_scores(
    dice: Dice, sizes: tuple[int, int], fits: Callable, low: int = -2, high: int = 3, **options
) -> Scenario:
    """Q and K (token, channel) of these sizes that fit; no two rows are the same."""

    def fit(drawn: tuple[np.ndarray, ...]) -> bool:
        return fits(*drawn) and all(map(all_differ, drawn))

    q, k = dice.until(lambda: tuple(dice.matrix(*sizes, low, high) for _ in "qk"), fit)
    return attending(q, k, np.zeros((sizes[0], 1)), **options)


def score_cell(dice: Dice) -> Exercise:
    row, column = dice.whole(0, 2), dice.whole(0, 2)
    scenario = draw_scores(dice, (3, 2), lambda q, k: (q[row] * k[column]).all(), scale=1.0)
    facts = {"cell": f"scores[{row}, {column}]"}
    return fill("medium", "cell", "scores", scenario, ("q", "k"), "scores", [(row, column)], **facts)


def scaled_cell(dice: Dice) -> Exercise:
    """A score divided by √4; it comes out even."""
    row, column = dice.whole(0, 2), dice.whole(0, 2)

    def fits(q: np.ndarray, k: np.ndarray) -> bool:
        products = q[row] * k[column]
        return products.all() and products.sum() % 2 == 0 and products.sum() != 0

    scenario = draw_scores(dice, (3, 4), fits)
    facts = {"cell": f"scaled[{row}, {column}]"}
    return fill("hard", "cell", "scaled", scenario, ("q", "k"), "scaled", [(row, column)], **facts)


def weight_cell(dice: Dice) -> Exercise:
    """From Q and K to one weight, with powers of 3."""
    row, column = dice.whole(0, 2), dice.whole(0, 2)

    def fits(q: np.ndarray, k: np.ndarray) -> bool:
        scores = k @ q[row]
        return len(set(scores)) > 1 and max(scores) <= 3 and scores[column] > 0

    scenario = draw_scores(dice, (3, 2), fits, 0, 2, scale=LN_3)
    facts = {"cell": f"weights[{row}, {column}]", "row": row}
    return fill("thirds", "cell", "third_cell", scenario, ("q", "k"), "weights", [(row, column)], **facts)


# A row of weights


def weights_exercise(dice: Dice, level: str) -> Exercise:
    """The softmax of one row."""
    make = {"easy": tied_row, "medium": two_scores_row, "hard": row_from_queries, "thirds": thirds_row}
    return make[level](dice)


def tied_row(dice: Dice) -> Exercise:
    """Equal scores share equally, and what is hidden gets nothing: no powers needed."""
    n_tokens, row, tie = dice.pick((3, 4)), dice.whole(0, 2), dice.whole(0, 4)
    scores, visible = dice.matrix(n_tokens, n_tokens, 0, 4), np.ones((n_tokens, n_tokens), bool)
    visible[row, dice.whole(0, n_tokens - 1)] = False
    scores[row] = tie
    cells = row_of(n_tokens, row)
    scenario = scoring(scores, visible=visible)
    return fill("easy", "weights", "weights_tied", scenario, ("masked",), "weights", cells, row=row)


def two_scores_row(dice: Dice) -> Exercise:
    """Scores that differ by 1."""
    row, low = dice.whole(0, 2), dice.whole(0, 2)
    scores = dice.until(lambda: dice.matrix(3, 3, low, low + 1), lambda drawn: len(set(drawn[row])) == 2)
    cells = row_of(3, row)
    return fill("medium", "weights", "weights_e", scoring(scores), ("scores",), "weights", cells, row=row)


def row_from_queries(dice: Dice) -> Exercise:
    """From Q and K, with √4 and a causal mask; the scaled scores are 0, 1 or 2."""
    row = dice.whole(1, 2)

    def fits(q: np.ndarray, k: np.ndarray) -> bool:
        seen = set((k @ q[row])[: row + 1])
        return seen <= {0, 2, 4} and len(seen) > 1

    scenario = draw_scores(dice, (3, 4), fits, -1, 2, is_causal=True)
    return fill("hard", "weights", "weights_qk", scenario, ("q", "k"), "weights", row_of(3, row), row=row)


def thirds_row(dice: Dice) -> Exercise:
    """Powers of 3 of whole scores; sometimes with a causal mask."""
    n_tokens = dice.pick((3, 4))
    row, causal = dice.whole(1, n_tokens - 1), dice.pick((False, True))
    n_seen = row + 1 if causal else n_tokens
    scores = dice.until(
        lambda: dice.matrix(n_tokens, n_tokens, 0, 3), lambda drawn: len(set(drawn[row][:n_seen])) > 1
    )
    scenario = scoring(scores, visible=causal_mask(n_tokens) if causal else None, scale=LN_3)
    given = (scores_grid(scenario.trace()),)
    return fill("thirds", "weights", "third_row", scenario, given, "weights", row_of(n_tokens, row), row=row)


# A row of the output


def output_exercise(dice: Dice, level: str) -> Exercise:
    """A weighted sum of the rows of V."""
    make = {"easy": half_row, "medium": causal_average, "hard": output_from_queries, "thirds": thirds_output}
    return make[level](dice)


def fill_output(level: str, ask: str, scenario: Scenario, given: tuple, row: int) -> Exercise:
    return fill(level, "output", ask, scenario, given, "output", row_of(2, row), row=row)


def half_row(dice: Dice) -> Exercise:
    """Each query looks at one token or two, equally."""
    row = dice.whole(0, 2)
    visible = np.eye(3, dtype=bool)
    for query in range(3):
        visible[query, dice.whole(0, 2)] = True
    visible[row] = np.arange(3) != dice.whole(0, 2)
    v = dice.until(lambda: dice.matrix(3, 2, 0, 6), lambda drawn: np.ptp(drawn[visible[row]], axis=0).all())
    scenario = scoring(np.zeros((3, 3)), v, visible)
    return fill_output("easy", "output", scenario, ("weights", "v"), row)


def is_whole(numbers: np.ndarray) -> bool:
    return bool(np.abs(numbers - np.round(numbers)).max() < 1e-9)


def causal_average(dice: Dice) -> Exercise:
    """Equal scores and a causal mask: each output is the average so far."""
    row = dice.whole(1, 3)
    v = draw_values(dice, 4, row)
    scenario = scoring(np.zeros((4, 4)), v, causal_mask(4))
    return fill_output("medium", "output", scenario, ("weights", "v"), row)


def draw_values(dice: Dice, n_tokens: int, row: int) -> np.ndarray:
    """V (token, channel) whose average up to a row is whole, and of numbers that differ."""

    def fits(v: np.ndarray) -> bool:
        seen = v[: row + 1]
        return not (seen.sum(axis=0) % (row + 1)).any() and all_differ(v) and np.ptp(seen, axis=0).all()

    return dice.until(lambda: dice.matrix(n_tokens, 2, -3, 8), fits)


def output_from_queries(dice: Dice) -> Exercise:
    """From Q, K and V with a causal mask; the scores that are seen turn out equal."""
    row = dice.whole(1, 2)

    def fits(drawn: tuple[np.ndarray, np.ndarray]) -> bool:
        q, k = drawn
        seen = set((k @ q[row])[: row + 1])
        return len(seen) == 1 and seen != {0} and all_differ(k[: row + 1])

    q, k = dice.until(lambda: (dice.matrix(3, 2, -2, 3), dice.matrix(3, 2, -2, 3)), fits)
    scenario = attending(q, k, draw_values(dice, 3, row), scale=1.0, is_causal=True)
    return fill_output("hard", "output_qkv", scenario, ("q", "k", "v"), row)


def thirds_output(dice: Dice) -> Exercise:
    """Weights that are powers of 3, and V."""
    row = dice.whole(0, 2)
    scores = dice.until(lambda: dice.matrix(3, 3, 0, 2), lambda drawn: len(set(drawn[row])) > 1)
    v = dice.until(lambda: dice.matrix(3, 2, 0, 4), all_differ)
    scenario = scoring(scores, v, scale=LN_3)
    return fill_output("thirds", "output", scenario, ("weights", "v"), row)
