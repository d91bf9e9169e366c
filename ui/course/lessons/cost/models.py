"""Models of real size, one file each in assets/models. A new file is a new choice in the lesson on costs."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from attention_core import Amount, cost, crossing_length, growth
from ui.paths import ASSETS

FOLDER = ASSETS / "models"


@dataclass(frozen=True)
class Model:
    """The sizes of a model, and what it has besides the layers and the vocabulary that `cost` counts.

    besides: by part the formula of its parameters, negative where the model has fewer than `cost` assumes.
    """

    id: str
    name: str
    n_layers: int
    d_model: int
    n_heads: int
    n_kv_heads: int
    vocabulary: int
    n_tokens: int  # as long as it was made for
    generates: bool  # one token after another, with a cache
    besides: tuple[tuple[str, str], ...]
    published_parameters: int

    @property
    def sizes(self) -> dict[str, int]:
        """The arguments of `cost` that do not depend on how the model is used."""
        names = ("n_layers", "d_model", "n_heads", "n_kv_heads", "vocabulary")
        return {name: getattr(self, name) for name in names}

    def cost(self, n_tokens: int | None = None, **changes) -> dict[str, Amount]:
        """What the model costs at this length (else at its own), with any other size changed."""
        return cost(**{**self.sizes, "n_tokens": n_tokens or self.n_tokens, **changes})

    def other_parameters(self) -> dict[str, Amount]:
        """By part, the parameters that the formula of `cost` leaves out; negative where it has too many."""
        letters = {
            "L": self.n_layers,
            "d": self.d_model,
            "a": self.n_heads,
            "k": self.n_kv_heads,
            "h": self.d_model // self.n_heads,
            "V": self.vocabulary,
        }
        return {part: Amount.of(formula, letters) for part, formula in self.besides}

    @property
    def is_plain(self) -> bool:
        """Whether its layers are those that `cost` counts: plain MLP, biases, two full norms."""
        return all(amount >= 0 for amount in self.other_parameters().values())

    def curves(self, lengths: Iterable[int], *names: str, **changes) -> tuple[list[float], list[float]]:
        """By length: the part of these amounts that grows with s, and the part that grows with s²."""
        p, q = growth(*names, **self.sizes | changes)
        return [float(p * s) for s in lengths], [float(q * s * s) for s in lengths]

    def crossing(self, *names: str) -> int:
        """The length from which on s² outweighs the rest of these amounts."""
        return crossing_length(*names, **self.sizes)


class Sharing(NamedTuple):
    """A cache in which so many key/value heads serve all query heads."""

    n_kv_heads: int
    times_smaller: int  # than with a key/value head for every head
    cache: Amount  # bytes


def cache_by_sharing(model: Model, n_tokens: int | None = None, **changes) -> list[Sharing]:
    """The cache for every number of key/value heads that divides the heads, most heads first."""
    heads = changes.get("n_heads", model.n_heads)
    counts = [count for count in range(heads, 0, -1) if heads % count == 0]
    return [
        Sharing(k, heads // k, model.cost(n_tokens, **changes | {"n_kv_heads": k})["kv_cache_bytes"])
        for k in counts
    ]


@cache
def model_ids() -> tuple[str, ...]:
    """The ids of all models in menu order; an id is the name of its file."""
    found = [load_model(path.stem) for path in FOLDER.glob("*.json")]
    return tuple(model.id for model in sorted(found, key=lambda model: (read(model.id)["order"], model.id)))


@cache
def read(model_id: str) -> dict:
    return json.loads((FOLDER / f"{model_id}.json").read_text(encoding="utf-8"))


@cache
def load_model(model_id: str) -> Model:
    """The model of that id."""
    facts = {name: value for name, value in read(model_id).items() if name != "order"}
    return Model(model_id, **{**facts, "besides": tuple(facts["besides"].items())})
