"""Which models there are on this machine, and what they computed: read only when a page asks for it.

A run is computed once for all who ask for the same, one after the other, and the last ones are kept.
"""

import os
import threading
from collections import OrderedDict
from concurrent.futures import Future
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ui.paths import ROOT
from ui.scenario.source import HASH, MOST_TOKENS, Wanted

if TYPE_CHECKING:
    import numpy as np

    from attention_core.models import Model, Run, Tokens

DEFAULT = ROOT / "models" / "all-MiniLM-L6-v2"  # where `make model` puts it
NAMED_BY = "QKV_MODEL"  # `make run MODEL=folder` sets it
MOST_KEPT = 24  # runs: each has every hidden state and every head, below 1 MB of MiniLM
MOST_WAITING = 40  # sentences that are being computed or wait: about a second of work


class ModelMissingError(LookupError):
    """No model with this hash is here."""


def found_models() -> tuple[Path, ...]:
    """The folders of models, the first being the one that is used: QKV_MODEL, or MiniLM where it is.

    A folder that QKV_MODEL names is told of as it is: reading it says what is missing.
    """
    named = os.environ.get(NAMED_BY)
    if named:
        return (Path(named).expanduser(),)
    return (DEFAULT,) if DEFAULT.is_dir() else ()


def present_model() -> "Model | None":
    """The model that is used, checked; None without one, AttentionError where its folder has none that can be read."""
    folders = found_models()
    if not folders:
        return None
    from attention_core.models import load_model

    return load_model(folders[0])


def hash_of(model: "Model") -> str:
    return model.sha256[:HASH]


def model_with(hash_: str) -> "Model":
    """The model with this hash, or ModelMissingError."""
    model = present_model()
    if model is None or hash_of(model) != hash_:
        raise ModelMissingError(hash_)
    return model


@lru_cache(maxsize=512)
def _cut(model: "Model", text: str) -> "Tokens":
    return model.cut(text, MOST_TOKENS)


def swapped(model: "Model", wanted: Wanted) -> tuple[int, ...]:
    """The order in which the tokens of a sentence are read."""
    tokens = _cut(model, wanted.text)
    return tokens.swapping(*wanted.swap) if wanted.swap else tuple(range(len(tokens.ids)))


def tokens_of(model: "Model", wanted: Wanted) -> "Tokens":
    """The tokens of a sentence, in the order in which they are read."""
    return _cut(model, wanted.text).ordered(swapped(model, wanted))


class Runs:
    """The last runs, and those on their way: nobody computes what another one is computing."""

    def __init__(self):
        self.kept: OrderedDict[tuple, Run] = OrderedDict()
        self.coming: dict[tuple, Future] = {}
        self.lock, self.turn = threading.Lock(), threading.Lock()

    def get(self, model: "Model", wanted: Wanted) -> "Run":
        key = (model, wanted)
        with self.lock:
            if key in self.kept:
                self.kept.move_to_end(key)
                return self.kept[key]
            future = self.coming.get(key)
            mine = future is None
            if future is None:
                future = self.coming[key] = Future()
        if not mine:
            return future.result()
        try:
            with self.turn:  # one after the other: together they would only take each other's caches
                run = computed(model, wanted)
        except BaseException as error:
            with self.lock:
                del self.coming[key]
            future.set_exception(error)
            raise
        with self.lock:
            self.kept[key] = run
            while len(self.kept) > MOST_KEPT:
                self.kept.popitem(last=False)
            del self.coming[key]
        future.set_result(run)
        return run


def computed(model: "Model", wanted: Wanted) -> "Run":
    tokens = _cut(model, wanted.text)
    order = swapped(model, wanted)
    positions = list(range(len(tokens.ids)))
    if wanted.positions:
        one, other = wanted.positions
        positions[one], positions[other] = other, one
    return model.run(tokens, hide=wanted.hide, order=order, positions=positions)


RUNS = Runs()


def run_of(model: "Model", wanted: Wanted) -> "Run":
    """What a model computes of a sentence; nobody can change it."""
    return RUNS.get(model, wanted)


def is_busy() -> bool:
    """Whether so many sentences wait that one more is refused."""
    return len(RUNS.coming) >= MOST_WAITING


def part_of(hash_: str, layer: int, part: str, sentence: list | None = None) -> "np.ndarray":
    """An array of a layer's attention: X of a sentence, or weights of the layer."""
    model = model_with(hash_)
    if sentence is not None:
        text, *others = sentence
        return run_of(model, Wanted(text, *map(tuple, others))).x(layer)
    weights = model.parts.layers[layer]
    return weights.projections()[part] if part[-1] in "qkv" else getattr(weights, part)
