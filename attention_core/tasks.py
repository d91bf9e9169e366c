"""Two tasks small enough to draw and real enough to learn: copy the previous token, find the equal token."""

from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

from .checks import read_count
from .errors import AttentionError, Phrase

LETTERS = ("a", "b", "c")
DIGITS = ("1", "2", "3")
PLACES = ("p0", "p1", "p2", "p3", "p4")  # of the five tokens of a sentence to copy


@dataclass(frozen=True, eq=False)
class Sentences:
    """x (sentence, token, feature), the outputs that are right, and where each answer stands.

    target (sentence, token, channel); holders (sentence, token): the token that holds the answer.
    """

    x: np.ndarray
    target: np.ndarray
    holders: np.ndarray

    def __len__(self) -> int:
        return len(self.x)


@dataclass(frozen=True, eq=False)
class Task:
    """Sentences to learn from and others, never learned from, to try the result on."""

    features: tuple[str, ...]  # the columns of x
    channels: tuple[str, ...]  # the columns of the output
    asked: np.ndarray  # (token,) True where an answer is asked for
    visible: np.ndarray | None  # (query, key) True where a token may look; None: everywhere
    seen: Sentences
    unseen: Sentences
    n_possible: int  # how many different sentences there are

    @property
    def n_tokens(self) -> int:
        return len(self.asked)


def copy_previous(seed: int = 0, n_sentences: int = 48) -> Task:
    """Every token answers with the letter before it; the first has none and is not asked.

    A token is its letter and its place, one-hot each. As many sentences again are kept unseen.
    """
    every = np.array(list(product(range(len(LETTERS)), repeat=len(PLACES))))  # (sentence, token)
    letters = every[draw(seed, n_sentences, len(every))]
    n_drawn, n_tokens = letters.shape
    places = np.broadcast_to(np.eye(n_tokens), (n_drawn, n_tokens, n_tokens))
    x = np.concatenate([one_hot(letters, LETTERS), places], axis=-1)
    holders = np.broadcast_to(np.arange(n_tokens) - 1, letters.shape).copy()
    target = one_hot(np.take_along_axis(letters, holders, axis=1), LETTERS)
    asked = np.arange(n_tokens) > 0
    holders[:, ~asked], target[:, ~asked] = 0, 0
    return parted(LETTERS + PLACES, LETTERS, asked, None, Sentences(x, target, holders), len(every))


def find_equal(seed: int = 0, n_sentences: int = 48) -> Task:
    """Every token answers with the digit of its twin, the only other token with the same letter.

    A token is a letter and a digit, one-hot each, and may look at every token but itself. Each letter
    stands twice in a sentence. As many sentences again are kept unseen.
    """
    orders = np.array(sorted(set(permutations(np.repeat(np.arange(len(LETTERS)), 2).tolist()))))
    n_tokens = orders.shape[1]
    values = np.array(list(product(range(len(DIGITS)), repeat=n_tokens)))
    n_possible = len(orders) * len(values)
    order, value = np.divmod(draw(seed, n_sentences, n_possible), len(values))
    letters, digits = orders[order], values[value]  # (sentence, token)
    x = np.concatenate([one_hot(letters, LETTERS), one_hot(digits, DIGITS)], axis=-1)
    elsewhere = ~np.eye(n_tokens, dtype=bool)
    twins = ((letters[:, :, None] == letters[:, None, :]) & elsewhere).argmax(axis=-1)
    target = one_hot(np.take_along_axis(digits, twins, axis=1), DIGITS)
    asked = np.ones(n_tokens, dtype=bool)
    return parted(LETTERS + DIGITS, DIGITS, asked, elsewhere, Sentences(x, target, twins), n_possible)


TASKS = {"copy": copy_previous, "find": find_equal}


def draw(seed, n_sentences, n_possible: int) -> np.ndarray:
    """(sentence,) numbers of different sentences: n_sentences to learn from and as many to keep unseen."""
    seed, n_sentences = read_count("seed", seed, least=0), read_count("n_sentences", n_sentences)
    if 2 * n_sentences > n_possible:
        needed = Phrase("half_of_sentences", most=n_possible // 2)
        raise AttentionError("number", name="n_sentences", given=n_sentences, needed=needed)
    return np.random.default_rng(seed).choice(n_possible, 2 * n_sentences, replace=False)


def one_hot(places: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """1 in the column of each number, 0 elsewhere; the columns are a new last axis."""
    return np.eye(len(names))[places]


def parted(features, channels, asked, visible, drawn: Sentences, n_possible: int) -> Task:
    """The task whose first half of the sentences is learned from. Nobody can change its arrays."""
    half = len(drawn) // 2
    parts = []
    for part in (slice(None, half), slice(half, None)):
        parts.append(Sentences(*(array[part].copy() for array in (drawn.x, drawn.target, drawn.holders))))
        for array in vars(parts[-1]).values():
            array.setflags(write=False)
    asked.setflags(write=False)
    if visible is not None:
        visible.setflags(write=False)
    return Task(features, channels, asked, visible, *parts, n_possible=n_possible)
