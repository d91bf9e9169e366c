"""Other ways for positions to learn of each other: an RNN, a CNN, and a fixed table of weights."""

import numpy as np

from .checks import check_computed, check_ndim, read_arrays, read_count
from .errors import AttentionError, Phrase
from .multi_head import project
from .pieces import window_mask
from .plans import linear, parameter
from .size_formulas import Amount
from .trace import Line, Plan, Trace

# n tokens, d width, k kernel of the convolution. Matrix products only, without biases and output projections:
#   self-attention  q, k, v = x W_q, x W_k, x W_v, then softmax(q kᵀ / √d) v
#   RNN             h_t = tanh(x_t W_x + h_(t-1) W_h)
#   CNN             y_t = the k tokens around t, each times a matrix of its own, added up
# path: steps from the first position to the last; in a CNN and in attention a step is a layer.
# steps: what has to be done one after another within a layer.
# mixing_operations: those in which one token meets another.
# linked_operations: those of as many layers as link the first position and the last.
CNN_PATH = "⌈2·(n − 1) / (k − 1)⌉"  # a layer reaches (k − 1) / 2 to each side
FORMULAS = {
    "self_attention": {
        "path": "1",
        "steps": "1",
        "operations": "6·n·d² + 4·n²·d",
        "mixing_operations": "4·n²·d",
        "linked_operations": "6·n·d² + 4·n²·d",
        "parameters": "3·d²",
    },
    "rnn": {
        "path": "n − 1",
        "steps": "n",
        "operations": "4·n·d²",
        "mixing_operations": "2·n·d²",
        "linked_operations": "4·n·d²",
        "parameters": "2·d²",
    },
    "cnn": {
        "path": CNN_PATH,
        "steps": "1",
        "operations": "2·k·n·d²",
        "mixing_operations": "2·k·n·d²",
        "linked_operations": f"{CNN_PATH}·2·k·n·d²",
        "parameters": "k·d²",
    },
}

TABLE_PLAN = Plan(
    (
        Line("x", ("key", "feature"), "input"),
        *linear("v", ("key", "value_feature"), "x", parameter("w_v", "feature", "value_feature"), None),
        parameter("table", "query", "key"),
        Line("output", ("query", "value_feature"), "contract", ("table", "v"), "table @ v"),
    )
)


def read_kernel(kernel) -> int:
    """A window with a middle that reaches at least one position to each side."""
    k = read_count("kernel", kernel)
    if k < 3 or k % 2 == 0:
        raise AttentionError(
            "number", name="kernel", given=repr(kernel), needed=Phrase("odd_at_least", least=3)
        )
    return k


def compare_layers(*, n_tokens: int, d_model: int, kernel: int = 3) -> dict[str, dict[str, Amount]]:
    """One layer of self-attention, an RNN and a CNN: path, steps, operations and parameters of each.

    Every `Amount` has its `.formula` and `.filled`; what is counted is said above `FORMULAS`.
    """
    sizes = {
        "n": read_count("n_tokens", n_tokens, least=2),  # a path has two ends
        "d": read_count("d_model", d_model),
        "k": read_kernel(kernel),
    }
    return {
        kind: {name: Amount.of(formula, sizes) for name, formula in formulas.items()}
        for kind, formulas in FORMULAS.items()
    }


def reach(kind: str, n_tokens: int, steps: int, kernel: int = 3) -> np.ndarray:
    """(query, key) booleans: True where, after so many steps, what is at `query` depends on `key`.

    `kind` is one of "self_attention", "rnn" and "cnn". A step is a layer; in an RNN one step in time.
    """
    n, steps = read_count("n_tokens", n_tokens), read_count("steps", steps, least=0)
    side = read_kernel(kernel) // 2
    sides = {"self_attention": (None, None), "rnn": (1, 0), "cnn": (side, side)}
    if kind not in sides:
        raise AttentionError(
            "number", name="kind", given=repr(kind), needed=Phrase("one_of", names=", ".join(sides))
        )
    one_step = window_mask(n, n, *sides[kind])
    seen = np.eye(n, dtype=bool)  # before anything is computed a position knows itself
    for _ in range(min(steps, n)):  # after n steps nothing new can arrive
        seen = one_step @ seen
    return seen


@np.errstate(all="ignore")
def fixed_table(x, w_v, table) -> Trace:
    """table @ (x @ w_v): each token's values mixed by weights that were learned, not computed from x.

    x (token, feature), w_v (feature, value feature), table (token, token); another length is refused.
    """
    given = read_arrays({"x": x, "w_v": w_v, "table": table})
    check_ndim("x", given["x"], ("token", "feature"))
    check_ndim("table", given["table"], ("query", "key"))
    n_tokens = len(given["x"])
    if given["table"].shape != (n_tokens, n_tokens):
        raise AttentionError("table_length", shape=given["table"].shape, n_tokens=n_tokens)
    v, _ = project("v", "x", "w_v", "b_v", given)
    output = given["table"] @ v
    check_computed("output", output, {"table": given["table"]})
    return Trace(TABLE_PLAN, given | {"v": v, "output": output})
