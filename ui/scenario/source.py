"""Source: the layer of a trained model that a scenario is, on a sentence of the learner's. What a link holds of it."""

from dataclasses import dataclass
from typing import NamedTuple

MOST_TEXT = 300  # characters of a sentence
MOST_TOKENS = 32
MOST_IN_A_MODEL = 60  # characters of its name
MOST_LAYERS = 96
HASH = 16  # hexadecimal digits


class Wanted(NamedTuple):
    """A run of a model: a sentence, and what was tried with it."""

    text: str
    hide: tuple[int, ...] = ()  # places of tokens at which nobody may look
    swap: tuple[int, ...] = ()  # two words that change places
    positions: tuple[int, ...] = ()  # two places whose rows of the table of positions change


@dataclass(frozen=True)
class Source:
    """One layer of a trained model on a sentence. Places are those after the swap."""

    model: str  # its name
    hash: str  # the first digits of the SHA-256 of its weights
    text: str
    layer: int = 0
    hide: tuple[int, ...] = ()
    swap: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()

    @property
    def wanted(self) -> Wanted:
        return Wanted(self.text, self.hide, self.swap, self.positions)

    def written(self) -> list:
        """As a link holds it."""
        return [
            self.model,
            self.hash,
            self.text,
            self.layer,
            *map(list, (self.hide, self.swap, self.positions)),
        ]


def read_source(given: object) -> Source | None:
    """The source that a link holds, within bounds; whether its model has such places is asked later."""
    match given:
        case [str(model), str(hash_), str(text), int(layer), [*hide], [*swap], [*positions]]:
            sixteen = len(hash_) == HASH and set(hash_) <= set("0123456789abcdef")
            named = 0 < len(model) <= MOST_IN_A_MODEL and model.isprintable()
            inside = not isinstance(layer, bool) and 0 <= layer < MOST_LAYERS and 0 < len(text) <= MOST_TEXT
            fits = are_places(hide, range(MOST_TOKENS + 1)) and all(
                are_places(two, (0, 2)) for two in (swap, positions)
            )
            if sixteen and named and inside and fits and plain(text) == text:
                return Source(model, hash_, text, layer, tuple(hide), tuple(swap), tuple(positions))
    return None


def are_places(given: list, counts: range | tuple[int, ...]) -> bool:
    """Whether these are different places of tokens in order, as many as there may be."""
    inside = all(type(place) is int and 0 <= place < MOST_TOKENS for place in given)
    return inside and len(given) in counts and given == sorted(set(given))


def plain(text: str) -> str:
    """A sentence as one line of signs that can be seen."""
    return " ".join("".join(sign if sign.isprintable() else " " * sign.isspace() for sign in text).split())
