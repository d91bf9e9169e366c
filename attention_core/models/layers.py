"""What one layer of a Transformer is made of, and what both families compute alike."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..pieces import norm_rows, softmax_rows
from .sizes import Sizes


class Norm(NamedTuple):
    """A LayerNorm."""

    gamma: np.ndarray
    beta: np.ndarray
    eps: float

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        return norm_rows(rows, self.gamma, self.beta, self.eps)


class Layer(NamedTuple):
    """The weights of one layer; every matrix is (in, out), as the formula x @ w + b has it."""

    w_qkv: np.ndarray  # (d_model, 3·d_model): Wq, Wk and Wv side by side, one product for the three
    b_qkv: np.ndarray
    w_o: np.ndarray  # (d_model, d_model)
    b_o: np.ndarray
    norm_1: Norm  # at the attention
    w_in: np.ndarray  # (d_model, d_inner)
    b_in: np.ndarray
    w_out: np.ndarray  # (d_inner, d_model)
    b_out: np.ndarray
    norm_2: Norm  # at the MLP

    def projections(self) -> dict[str, np.ndarray]:
        """Wq, Wk, Wv and their biases, as views."""
        names = zip("qkv", np.split(self.w_qkv, 3, axis=1), np.split(self.b_qkv, 3), strict=True)
        return {
            name: part for letter, w, b in names for name, part in ((f"w_{letter}", w), (f"b_{letter}", b))
        }


def self_attention(x: np.ndarray, layer: Layer, n_heads: int, visible) -> tuple[np.ndarray, np.ndarray]:
    """What every token reads from the others (token, d_model), and the weights (head, token, token).

    The formula of `multi_head_attention` without a trace; `visible` says who may look at whom, or is None.
    """
    n_tokens, d_model = x.shape
    qkv = x @ layer.w_qkv + layer.b_qkv  # (token, 3·d_model)
    q, k, v = qkv.reshape(n_tokens, 3, n_heads, -1).transpose(1, 2, 0, 3)  # (head, token, d_head) each
    scores = q @ k.mT * (1 / math.sqrt(d_model // n_heads))  # (head, query, key)
    if visible is not None:
        scores = np.where(visible, scores, -math.inf)
    weights = softmax_rows(scores, masked=visible is not None)
    merged = (weights @ v).swapaxes(0, 1).reshape(n_tokens, d_model)
    return merged @ layer.w_o + layer.b_o, weights


Shapes = dict[str, tuple[int, ...]]
Read = Callable[[str], np.ndarray]  # a tensor of a layer, by its name there


class Family(NamedTuple):
    """How models of one kind are stored and computed."""

    prefix: str  # that a checkpoint may have before every name
    is_causal: bool
    tables: dict[str, str]  # of embeddings, by what a row of it says
    first_norm: str  # of the sum of the embeddings; empty: none
    last_norm: str  # of the last hidden state
    layers: str  # what stands before the number of a layer
    layer_shapes: Callable[[Sizes], Shapes]  # of the tensors of a layer, as they are stored
    read_layer: Callable[[Read, Sizes], Layer]
    attention_input: Callable[[np.ndarray, Layer], np.ndarray]  # X of the attention, from the hidden state
    layer_output: Callable[..., tuple[np.ndarray, np.ndarray]]


def side_by_side(matrices: list[np.ndarray]) -> np.ndarray:
    """Matrices stored as (out, in) next to each other as (in, out), or biases one after the other."""
    return frozen(np.concatenate(matrices)).T


def frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
