"""BERT: every token sees every other, and each sublayer ends with LayerNorm.

Devlin et al. 2019, after Vaswani et al. 2017, section 3.1.
"""

import numpy as np

from .activations import ACTIVATIONS
from .layers import Family, Layer, Norm, Read, Shapes, self_attention, side_by_side
from .sizes import Sizes


def layer_output(x: np.ndarray, layer: Layer, sizes: Sizes, visible=None) -> tuple[np.ndarray, np.ndarray]:
    """LayerNorm(x + sublayer(x)) of the attention, then of the MLP; with it the weights of the attention."""
    attended, weights = self_attention(x, layer, sizes.n_heads, visible)  # (token, d_model)
    x = layer.norm_1(x + attended)
    inner = ACTIVATIONS[sizes.activation](x @ layer.w_in + layer.b_in)  # (token, d_inner)
    return layer.norm_2(x + (inner @ layer.w_out + layer.b_out)), weights


def attention_input(x: np.ndarray, layer: Layer) -> np.ndarray:
    """X of the attention: the hidden state itself."""
    return x


QUERY, KEY, VALUE = (f"attention.self.{name}" for name in ("query", "key", "value"))
OUTPUT, INNER, OUTER = "attention.output.dense", "intermediate.dense", "output.dense"
NORM_1, NORM_2 = "attention.output.LayerNorm", "output.LayerNorm"


def layer_shapes(sizes: Sizes) -> Shapes:
    """The tensors of a layer; matrices are (out, in), as PyTorch's Linear has them."""
    d, inner = sizes.d_model, sizes.d_inner
    matrices = {**dict.fromkeys((QUERY, KEY, VALUE, OUTPUT), (d, d)), INNER: (inner, d), OUTER: (d, inner)}
    shapes = {f"{name}.weight": shape for name, shape in matrices.items()}
    shapes |= {f"{name}.bias": shape[:1] for name, shape in matrices.items()}
    return shapes | {f"{norm}.{part}": (d,) for norm in (NORM_1, NORM_2) for part in ("weight", "bias")}


def read_layer(read: Read, sizes: Sizes) -> Layer:
    def norm(name: str) -> Norm:
        return Norm(read(f"{name}.weight"), read(f"{name}.bias"), sizes.eps)

    return Layer(
        side_by_side([read(f"{name}.weight") for name in (QUERY, KEY, VALUE)]),
        side_by_side([read(f"{name}.bias") for name in (QUERY, KEY, VALUE)]),
        read(f"{OUTPUT}.weight").T,
        read(f"{OUTPUT}.bias"),
        norm(NORM_1),
        read(f"{INNER}.weight").T,
        read(f"{INNER}.bias"),
        read(f"{OUTER}.weight").T,
        read(f"{OUTER}.bias"),
        norm(NORM_2),
    )


BERT = Family(
    prefix="bert.",
    is_causal=False,
    tables={what: f"embeddings.{what}_embeddings.weight" for what in ("word", "position", "token_type")},
    first_norm="embeddings.LayerNorm",
    last_norm="",
    layers="encoder.layer",
    layer_shapes=layer_shapes,
    read_layer=read_layer,
    attention_input=attention_input,
    layer_output=layer_output,
)
