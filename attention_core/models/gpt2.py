"""GPT-2: no token sees a later one, and each sublayer begins with LayerNorm (Radford et al. 2019, section 2.3)."""

import numpy as np

from .activations import ACTIVATIONS
from .layers import Family, Layer, Norm, Read, Shapes, self_attention
from .sizes import Sizes


def layer_output(x: np.ndarray, layer: Layer, sizes: Sizes, visible=None) -> tuple[np.ndarray, np.ndarray]:
    """x + sublayer(LayerNorm(x)) of the attention, then of the MLP; with it the weights of the attention."""
    attended, weights = self_attention(attention_input(x, layer), layer, sizes.n_heads, visible)
    x = x + attended  # (token, d_model)
    inner = ACTIVATIONS[sizes.activation](layer.norm_2(x) @ layer.w_in + layer.b_in)  # (token, d_inner)
    return x + (inner @ layer.w_out + layer.b_out), weights


def attention_input(x: np.ndarray, layer: Layer) -> np.ndarray:
    """X of the attention: the hidden state after LayerNorm."""
    return layer.norm_1(x)


def layer_shapes(sizes: Sizes) -> Shapes:
    """The tensors of a layer; matrices are (in, out) here."""
    d, inner = sizes.d_model, sizes.d_inner
    matrices = {
        "attn.c_attn": (d, 3 * d),
        "attn.c_proj": (d, d),
        "mlp.c_fc": (d, inner),
        "mlp.c_proj": (inner, d),
    }
    shapes = {f"{name}.weight": shape for name, shape in matrices.items()}
    shapes |= {f"{name}.bias": shape[1:] for name, shape in matrices.items()}
    return shapes | {f"{norm}.{part}": (d,) for norm in ("ln_1", "ln_2") for part in ("weight", "bias")}


def read_layer(read: Read, sizes: Sizes) -> Layer:
    def both(name: str) -> tuple[np.ndarray, np.ndarray]:
        return read(f"{name}.weight"), read(f"{name}.bias")

    return Layer(
        *both("attn.c_attn"),
        *both("attn.c_proj"),
        Norm(*both("ln_1"), sizes.eps),
        *both("mlp.c_fc"),
        *both("mlp.c_proj"),
        Norm(*both("ln_2"), sizes.eps),
    )


GPT2 = Family(
    prefix="transformer.",
    is_causal=True,
    tables={"word": "wte.weight", "position": "wpe.weight"},
    first_norm="",
    last_norm="ln_f",
    layers="h",
    layer_shapes=layer_shapes,
    read_layer=read_layer,
    attention_input=attention_input,
    layer_output=layer_output,
)
