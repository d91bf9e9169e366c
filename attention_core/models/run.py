"""What a model computes of a sentence: all heads at once, and one layer as a trace when it is asked for."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..errors import AttentionError
from ..fast.threads import on_one_thread
from ..multi_head import multi_head_attention
from ..pieces import causal_mask
from ..trace import Trace
from .layers import Family, Norm, frozen
from .parts import Parts
from .sizes import Sizes
from .tokens import Tokens


class Embedding(NamedTuple):
    """Where a row of the first layer's X comes from: x = norm(total), and total is the sum of the rows."""

    rows: dict[str, np.ndarray]  # by what they say: "word", "position", and BERT's "token_type"
    total: np.ndarray
    norm: Norm
    x: np.ndarray


@dataclass(frozen=True, eq=False)
class Run:
    """What a model computed of a sentence.

    `hidden` has the state (token, d_model) before the first layer and after each; `weights` are those of all
    heads (layer, head, query, key). The token at a place has the row `positions[place]` of the positions.
    """

    family: Family = field(repr=False)
    sizes: Sizes
    parts: Parts = field(repr=False)
    tokens: Tokens
    positions: tuple[int, ...]
    hide: tuple[int, ...]
    rows: dict[str, np.ndarray] = field(repr=False)  # of the tables of embeddings
    hidden: list[np.ndarray] = field(repr=False)
    weights: np.ndarray = field(repr=False)

    def x(self, layer: int) -> np.ndarray:
        """X of a layer's attention (token, d_model)."""
        self.check_place(layer)
        return frozen(self.family.attention_input(self.hidden[layer], self.parts.layers[layer]))

    @property
    def mask(self) -> dict[str, Any]:
        """The options of attention that say who may look where; none where everybody sees everything."""
        options = {"is_causal": True} if self.family.is_causal else {}
        return options | ({"attn_mask": shown(len(self.tokens.ids), self.hide)} if self.hide else {})

    def trace(self, layer: int) -> Trace:
        """A layer's attention with all heads, as a trace."""
        x, weights = self.x(layer), self.parts.layers[layer]
        given = {**weights.projections(), "w_o": weights.w_o, "b_o": weights.b_o}
        return multi_head_attention(x, **given, n_heads=self.sizes.n_heads, **self.mask)

    def head(self, layer: int, head: int) -> dict[str, Any]:
        """X, Wq, Wk, Wv and biases of one head, with the mask: multi_head_attention(**these, n_heads=1)."""
        self.check_place(layer, head)
        columns = slice(head * self.sizes.d_head, (head + 1) * self.sizes.d_head)
        own = {name: array[..., columns] for name, array in self.parts.layers[layer].projections().items()}
        return {"x": self.x(layer), **own, **self.mask}

    def embedding(self, place: int) -> Embedding:
        """Which rows of the tables make the row of the first layer's X at a place."""
        [place] = read_places("place", [place], len(self.tokens.ids))
        rows = {what: table[place] for what, table in self.rows.items()}
        return Embedding(rows, total(rows), self.parts.norm_of_embeddings, self.x(0)[place])

    def check_place(self, layer: int, head: int = 0) -> None:
        """AttentionError unless there is this head."""
        shape = self.weights.shape[:2]
        for given, size in zip((layer, head), shape, strict=True):
            if type(given) is not int or not 0 <= given < size:
                raise AttentionError("index", given=(layer, head), name="weights", shape=shape, needed=2)


def total(rows: dict[str, np.ndarray]) -> np.ndarray:
    """The sum of the rows of all tables, in their order."""
    first, *others = rows.values()
    for other in others:
        first = first + other
    return first


@np.errstate(all="ignore")
def compute(
    family: Family, sizes: Sizes, parts: Parts, rows: dict[str, np.ndarray], hide: tuple[int, ...]
) -> tuple[list[np.ndarray], np.ndarray]:
    """Every hidden state (token, d_model), and the weights (layer, head, query, key), layer by layer."""
    x = total(rows)
    visible = shown(len(x), hide) if hide else None
    if family.is_causal:
        visible = causal_mask(len(x)) & (True if visible is None else visible)
    x = parts.first_norm(x) if parts.first_norm else x
    hidden, weights = [x], []
    with on_one_thread():
        for layer in parts.layers:
            x, of_heads = family.layer_output(x, layer, sizes, visible)
            hidden.append(x)
            weights.append(of_heads)
    if parts.last_norm:
        hidden[-1] = parts.last_norm(x)
    if not np.isfinite(hidden[-1]).all():
        raise AttentionError("overflow", step="hidden", dtype=x.dtype)
    return [frozen(state) for state in hidden], frozen(np.stack(weights))


def shown(n_tokens: int, hide: tuple[int, ...]) -> np.ndarray:
    """(query, key) booleans: True but for the keys that are hidden from everybody."""
    visible = np.ones((n_tokens, n_tokens), bool)
    visible[:, list(hide)] = False
    return visible


def read_places(name: str, given: Sequence[int], n_tokens: int) -> tuple[int, ...]:
    """Places of tokens, each once, in order."""
    try:
        places = {operator.index(place) for place in given}
    except TypeError:
        places = {-1}
    if not all(0 <= place < n_tokens for place in places):
        raise AttentionError("places", name=name, given=repr(given)[:80], most=n_tokens - 1)
    return tuple(sorted(places))


def read_order(name: str, given: Sequence[int] | None, n_tokens: int) -> tuple[int, ...]:
    """Every place once, in another order or as they are."""
    usual = tuple(range(n_tokens))
    if given is None:
        return usual
    if read_places(name, given, n_tokens) != usual or len(given) != n_tokens:
        raise AttentionError("not_an_order", name=name, given=repr(given)[:80], most=n_tokens - 1)
    return tuple(map(int, given))
