"""What is read of a model: its layers once, and of the tables of embeddings only the rows of a sentence."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .checkpoint import Weights
from .layers import Family, Layer, Norm, Shapes
from .sizes import Sizes


class Parts(NamedTuple):
    """The weights of a model, but for the tables of embeddings."""

    first_norm: Norm | None  # of the sum of the embeddings
    layers: tuple[Layer, ...]
    last_norm: Norm | None  # of the last hidden state

    @property
    def norm_of_embeddings(self) -> Norm:
        """What makes the first layer's X of the sum of the embeddings."""
        return self.first_norm or self.layers[0].norm_1


def needed_shapes(family: Family, sizes: Sizes) -> Shapes:
    """Every tensor that is read, with its shape."""
    shapes = {family.tables[what]: shape for what, shape in table_shapes(family, sizes).items()}
    for norm in filter(None, (family.first_norm, family.last_norm)):
        shapes |= {f"{norm}.{part}": (sizes.d_model,) for part in ("weight", "bias")}
    in_a_layer = family.layer_shapes(sizes)
    for number in range(sizes.n_layers):
        shapes |= {f"{family.layers}.{number}.{name}": shape for name, shape in in_a_layer.items()}
    return shapes


def table_shapes(family: Family, sizes: Sizes) -> Shapes:
    """The shapes of the tables of embeddings, by what a row of it says."""
    rows = {"word": sizes.n_vocabulary, "position": sizes.n_positions, "token_type": sizes.n_token_types}
    return {what: (rows[what], sizes.d_model) for what in family.tables}


def read_parts(weights: Weights, family: Family, sizes: Sizes) -> Parts:
    shapes = needed_shapes(family, sizes)

    def norm(name: str) -> Norm | None:
        parts = [weights.read(f"{name}.{part}", (sizes.d_model,)) for part in ("weight", "bias") if name]
        return Norm(parts[0], parts[1], sizes.eps) if name else None

    def layer(number: int) -> Layer:
        before = f"{family.layers}.{number}."
        return family.read_layer(lambda name: weights.read(before + name, shapes[before + name]), sizes)

    return Parts(norm(family.first_norm), tuple(map(layer, range(sizes.n_layers))), norm(family.last_norm))


def read_rows(
    weights: Weights, family: Family, sizes: Sizes, ids: Sequence[int], positions: Sequence[int]
) -> dict[str, np.ndarray]:
    """The rows (token, d_model) of each table, by what they say; every token is of the first type."""
    wanted = {"word": ids, "position": positions, "token_type": [0] * len(ids)}
    shapes = table_shapes(family, sizes)
    return {what: weights.rows(family.tables[what], shape, wanted[what]) for what, shape in shapes.items()}
