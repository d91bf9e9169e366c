"""What attention costs: parameters, operations, memory, each with its formula."""

import math
from fractions import Fraction

from .checks import check_heads, check_kv_heads, read_count
from .errors import AttentionError
from .size_formulas import Amount

# b batch, s tokens, d model width, a heads, k key/value heads, h width of a head, L layers,
# V vocabulary, w bytes of a number. An operation is one multiplication or one addition.
ATTENTION_PARAMETERS = "2·d·a·h + 2·d·k·h + a·h + 2·k·h + d"
LAYER_PARAMETERS = f"{ATTENTION_PARAMETERS} + 8·d² + 9·d"
PROJECTION_OPERATIONS = "4·b·s·d·h·(a + k)"
ATTENTION_OPERATIONS = "4·b·s²·a·h"
LAYER_OPERATIONS = f"{PROJECTION_OPERATIONS} + 16·b·s·d² + {ATTENTION_OPERATIONS}"
FORWARD_OPERATIONS = f"L·({LAYER_OPERATIONS}) + 2·b·s·d·V"

FORMULAS = {
    "attention_parameters": ATTENTION_PARAMETERS,
    "mlp_parameters": "8·d² + 5·d",
    "norm_parameters": "4·d",
    "layer_parameters": LAYER_PARAMETERS,
    "embedding_parameters": "V·d",
    "parameters": f"L·({LAYER_PARAMETERS}) + V·d",
    "projection_operations": PROJECTION_OPERATIONS,
    "attention_operations": ATTENTION_OPERATIONS,
    "mlp_operations": "16·b·s·d²",
    "layer_operations": LAYER_OPERATIONS,
    "logit_operations": "2·b·s·d·V",
    "forward_operations": FORWARD_OPERATIONS,
    "backward_operations": f"2·({FORWARD_OPERATIONS})",
    "activation_bytes": "L·(34·b·s·d + 5·b·s²·a)",  # kept for training, at 16 bits
    "kv_cache_bytes": "2·L·k·h·s·w·b",
}

# The usual short forms: every head has its own keys and values, and the heads fill the model width.
SHORT_FORMS = {
    LAYER_PARAMETERS: "12·d² + 13·d",
    ATTENTION_PARAMETERS: "4·d² + 4·d",
    LAYER_OPERATIONS: "24·b·s·d² + 4·b·s²·d",
    PROJECTION_OPERATIONS: "8·b·s·d²",
    ATTENTION_OPERATIONS: "4·b·s²·d",
}


def cost(
    *,
    d_model: int,
    n_tokens: int,
    n_heads: int,
    n_kv_heads: int | None = None,
    d_head: int | None = None,
    n_layers: int = 1,
    batch: int = 1,
    vocabulary: int = 0,
    bytes_each: int = 2,
) -> dict[str, Amount]:
    """Parameters, operations and bytes by part, each an `Amount` with `.formula` and `.filled`."""
    d, a = read_count("d_model", d_model), read_count("n_heads", n_heads)
    k = a if n_kv_heads is None else read_count("n_kv_heads", n_kv_heads)
    check_kv_heads(a, k)
    if d_head is None:
        check_heads("d_model", d, a)
    sizes = {
        "b": read_count("batch", batch),
        "s": read_count("n_tokens", n_tokens),
        "d": d,
        "a": a,
        "k": k,
        "h": d // a if d_head is None else read_count("d_head", d_head),
        "L": read_count("n_layers", n_layers),
        "V": read_count("vocabulary", vocabulary, least=0),
        "w": read_count("bytes_each", bytes_each),
    }
    plain = k == a and a * sizes["h"] == d
    amounts = {}
    for name, formula in FORMULAS.items():
        for long, short in SHORT_FORMS.items() if plain else ():
            formula = formula.replace(long, short)
        amounts[name] = Amount.of(formula, sizes)
    return amounts


def growth(*names: str, **sizes) -> tuple[Fraction, Fraction]:
    """(p, q) with which the sum of these amounts of `cost` is p·s + q·s² at length s.

    `sizes` are the other arguments of `cost`. Two lengths tell p and q.
    """
    grows = {name for name, formula in FORMULAS.items() if "s" in formula}
    squares = [name for name in FORMULAS if "s²" in FORMULAS[name]]
    if not set(names) <= grows or set(names).isdisjoint(squares):
        raise AttentionError("no_crossing", given=", ".join(map(str, names)), names=", ".join(squares))
    amounts = [cost(n_tokens=n, **sizes) for n in (1, 2)]
    at_one, at_two = (sum(found[name] for name in names) for found in amounts)
    q = Fraction(at_two - 2 * at_one, 2)
    return at_one - q, q


def crossing_length(*names: str, **sizes) -> int:
    """The first length from which on the s² in the sum of these amounts outweighs all that grows with s."""
    p, q = growth(*names, **sizes)
    return max(1, math.ceil(p / q))  # both are equal at s = p / q
