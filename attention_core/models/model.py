"""A model that was trained, and what it computes of a sentence: every hidden state and every head."""

import os
import threading
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from ..errors import AttentionError
from .bert import BERT
from .checkpoint import CONFIG, MOST_READ, WEIGHTS, opened, path_of, read_json, read_tokenizer, sha256_of
from .gpt2 import GPT2
from .parts import Parts, needed_shapes, read_parts, read_rows
from .run import Run, compute, read_order, read_places
from .sizes import read_sizes
from .tokens import Tokens, cut

FAMILIES = {"bert": BERT, "gpt2": GPT2}


class Model:
    """A checkpoint. It is checked at first, and read when the first sentence is run: once, for all runs."""

    def __init__(self, folder: Path):
        self.folder, self.name = folder, folder.name
        self.sizes = sizes = read_sizes(read_json(folder, CONFIG))
        self.family, self.details = sizes.family, FAMILIES[sizes.family]
        self.n_layers, self.n_heads = sizes.n_layers, sizes.n_heads
        self.d_model, self.d_head = sizes.d_model, sizes.d_head
        self.is_causal = self.details.is_causal
        self.lock = threading.RLock()
        with opened(folder, self.details.prefix) as weights:
            for name, shape in needed_shapes(self.details, sizes).items():
                weights.check(name, shape)

    def __repr__(self) -> str:
        return f"Model({self.name}: {self.family}, {self.n_layers} layers of {self.n_heads} heads)"

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of model.safetensors."""
        return sha256_of(path_of(self.folder, WEIGHTS))

    @property
    def parts(self) -> Parts:
        """The weights, read when they are asked for the first time."""
        with self.lock:
            return self._parts

    @cached_property
    def _parts(self) -> Parts:
        with opened(self.folder, self.details.prefix) as weights:
            return read_parts(weights, self.details, self.sizes)

    @property
    def tokenizer(self):
        """What cuts sentences, read when the first is cut."""
        with self.lock:
            return self._tokenizer

    @cached_property
    def _tokenizer(self):
        return read_tokenizer(self.folder)

    def cut(self, text: str, most: int | None = None) -> Tokens:
        """The tokens of a sentence: at most `most`, or as many as the model has positions."""
        longest = self.sizes.n_positions
        return cut(text, self.tokenizer, longest if most is None else min(most, longest))

    def run(
        self,
        tokens: Tokens,
        hide: Sequence[int] = (),
        order: Sequence[int] | None = None,
        positions: Sequence[int] | None = None,
    ) -> Run:
        """Every hidden state and every head of a sentence.

        hide: places at which nobody may look, in any layer. order: the tokens in this order, as
        `tokens.swapping` gives it. positions: which row of the table of positions each place gets.
        Places in `hide` and `positions` count after the reordering.
        """
        n_tokens, sizes = len(tokens.ids), self.sizes
        if not 0 < n_tokens <= sizes.n_positions:
            raise AttentionError("too_many_tokens", given=n_tokens, most=sizes.n_positions)
        if not 0 <= min(tokens.ids) <= max(tokens.ids) < sizes.n_vocabulary:
            raise AttentionError("token_unknown", given=max(tokens.ids), most=sizes.n_vocabulary - 1)
        tokens = tokens.ordered(read_order("order", order, n_tokens))
        positions = read_order("positions", positions, n_tokens)
        hide = read_places("hide", hide, n_tokens)
        parts = self.parts
        with opened(self.folder, self.details.prefix) as weights:
            rows = read_rows(weights, self.details, sizes, tokens.ids, positions)
        hidden, weights = compute(self.details, sizes, parts, rows, hide)
        return Run(self.details, sizes, parts, tokens, positions, hide, rows, hidden, weights)


def load_model(folder: str | Path) -> Model:
    """The model in a folder, checked but not read yet; one for all who ask, until its files change."""
    folder = Path(os.path.abspath(folder))
    with _one_at_a_time:
        return _loaded(folder, tuple(stamp(folder / name) for name in MOST_READ))


_one_at_a_time = threading.Lock()


@lru_cache(maxsize=2)
def _loaded(folder: Path, stamps: tuple) -> Model:
    return Model(folder)


def stamp(path: Path) -> tuple[int, int] | None:
    """What changes when a file does."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
