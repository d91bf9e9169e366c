"""What attention costs: parameters, operations, memory, each with its formula."""

import ast
import operator

from .checks import check_heads, check_kv_heads, read_count

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

OPERATIONS = {ast.Add: operator.add, ast.Mult: operator.mul, ast.Pow: operator.pow}


class Amount(int):
    """A whole number that remembers its formula, in symbols and filled in with numbers."""

    def __new__(cls, value: int, formula: str, filled: str):
        amount = super().__new__(cls, value)
        amount.formula = formula
        amount.filled = filled
        return amount

    def __getnewargs__(self):
        return int(self), self.formula, self.filled


def evaluate(formula: str, sizes: dict[str, int]) -> int:
    """The value of a formula of sums, products and squares."""

    def value(node: ast.expr) -> int:
        if isinstance(node, ast.BinOp):
            return OPERATIONS[type(node.op)](value(node.left), value(node.right))
        return sizes[node.id] if isinstance(node, ast.Name) else node.value

    return value(ast.parse(formula.replace("·", "*").replace("²", "**2"), mode="eval").body)


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
        filled = "".join(str(sizes.get(letter, letter)) for letter in formula)
        amounts[name] = Amount(evaluate(formula, sizes), formula, filled)
    return amounts
