"""Lesson 3: several heads. Four tokens, small enough to read, beside the textbook's real sizes."""

from dataclasses import replace
from functools import cache

import numpy as np

from attention_core import Trace
from ui.course.engine.blocks import covered, matrix, row, table
from ui.course.engine.sections import Here
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Scenario
from ui.scenario.shaping import resized

TOKENS = ["cat", "sat", "mat", "."]
ANSWERS = ("cat", "sat", "mat", "stop")
SIX_STEPS = ("x", "w_q", "q", "q_heads", "weights", "head_outputs", "merged", "w_o", "output")


def two_readings(scenario: Scenario) -> Scenario:
    """Each token is a channel of its own, so that the weights can be read: "sat" asks who, and where."""
    arrays = {
        "x": np.eye(4).tolist(),
        "w_q": [[0, 0, 0, 0], [4, 0, 4, 0], [0, 0, 0, 0], [0, 0, 0, 0]],  # both heads of "sat" ask
        "w_k": [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]],  # "cat" answers one, "mat" the other
        "w_v": [[1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0]],  # either head can tell the two apart
        "w_o": np.eye(4).tolist(),
    }
    made = replace(scenario, arrays=arrays, names={"token": TOKENS})
    return made.looking(all_heads=True)


@cache
def small_trace() -> Trace:
    return two_readings(load_preset("cat_on_the_mat")).trace()


def six_steps(here: Here) -> list[dict]:
    """The shape of every step, of the textbook's layer and of the small one, once one was asked for."""
    if not here.answered:
        return []

    def shape(trace: Trace, name: str) -> str:
        return "×".join(map(str, trace[name].shape))

    rows = [
        (here.word(f"block.{name}"), shape(here.trace, name), shape(small_trace(), name))
        for name in SIX_STEPS
    ]
    headers = [here.word("block.step"), here.word("block.textbook"), here.word("block.small")]
    return [table(here.word("block.shapes"), headers, rows)]


def split_shape(here: Here) -> tuple[int, ...]:
    return here.trace["q_heads"].shape


def numbers_of_textbook(here: Here) -> dict:
    weights = here.trace["weights"]
    return {
        "pictures": str(weights.shape[0] * weights.shape[1]),
        "numbers": here.number(weights.size, 0),
    }


def most_looked_at(here: Here, head: int) -> str:
    """The token that "sat" looks at most, in a head."""
    return ANSWERS[int(here.trace["weights"][head, 1].argmax())]


def what_sat_sees(here: Here) -> dict:
    """The weights and the output of "sat", with both heads and with one."""
    two = here.scenario.with_options(n_heads=2).trace()
    one = here.scenario.with_options(n_heads=1).trace()

    def written(numbers: np.ndarray) -> str:
        return f"[{here.words.numbers(numbers, 2)}]"

    return {
        "cat_of_two": float(two["weights"][0, 1, 0]),
        "mat_of_two": float(two["weights"][1, 1, 2]),
        "cat_of_one": float(one["weights"][0, 1, 0]),
        "mat_of_one": float(one["weights"][0, 1, 2]),
        "output_of_two": written(two["output"][1]),
        "output_of_one": written(one["output"][1]),
    }


def own_wq(here: Here) -> list[dict]:
    """One big Wq with the columns of a head marked, and that head's Q computed from these columns alone."""
    head = here.whole("head")
    x, w_q, q, q_heads = (here.trace[name] for name in ("x", "w_q", "q", "q_heads"))
    d_head = q_heads.shape[-1]
    columns = range(w_q.shape[1])[head * d_head : (head + 1) * d_head]
    alone = matrix(here.word("block.alone", head=head), x @ w_q[:, columns], ink="q")
    if not here.answered:
        alone = covered(alone, range(len(x)))
    return [
        row(
            matrix("X", x, name="x"),
            matrix(here.word("block.own", head=head), w_q[:, columns], ink="q"),
            alone,
        ),
        row(
            matrix("Wq", w_q, name="w_q", ink="q", marks=lit(w_q, columns)),
            matrix(here.word("block.big"), q, name="q", ink="q", marks=lit(q, columns)),
        ),
    ]


def lit(array: np.ndarray, columns: range) -> dict[tuple[int, int], str]:
    """Marks for some columns of a matrix."""
    return {(line, column): "lit" for line in range(len(array)) for column in columns}


def difference_of_heads(here: Here) -> dict:
    """How far Q of a head computed alone differs from its part of the big Q, over all heads."""
    x, w_q, q_heads = (here.trace[name] for name in ("x", "w_q", "q_heads"))
    alone = np.stack([x @ part for part in np.split(w_q, len(q_heads), axis=1)])
    return {"difference": float(np.abs(alone - q_heads).max())}


def with_other_widths(here: Here) -> list[dict]:
    """The shapes when keys and values have widths of their own."""
    d_key, d_value = here.whole("d_key"), here.whole("d_value")
    trace = resized(here.scenario, d_key=d_key, d_value=d_value).trace()
    names = ("q_heads", "k_heads", "v_heads", "weights", "head_outputs", "merged", "output")
    rows = [
        (here.words(f"name.{name}"), "×".join(map(str, trace[name].shape))) for name in names if name in trace
    ]
    return [table(here.word("block.shapes"), [here.word("block.step"), here.word("block.shape")], rows)]
