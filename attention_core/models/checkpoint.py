"""Reading the files of a model: bounds first, then names and shapes, then numbers. Nothing is unpickled.

The files of a folder are config.json, model.safetensors and tokenizer.json. Sizes are those that config.json
says, within the bounds of sizes.py, so no header of a file decides how much memory is taken.
"""

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import FLOAT32, check_finite
from ..errors import AttentionError

CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
MOST_READ = {CONFIG: 100_000, WEIGHTS: 8_000_000_000, TOKENIZER: 20_000_000}  # bytes of each file
MOST_HEADER = 1_000_000  # bytes of the header of model.safetensors
TYPES = {"F32": np.float32, "F16": np.float16}


def path_of(folder: Path, name: str) -> Path:
    """A file of a model, when it is there and no longer than it may be."""
    path = folder / name
    if not path.is_file():
        raise AttentionError("model_file", name=name)
    size = path.stat().st_size
    if size > MOST_READ[name]:
        raise AttentionError("model_size", name=name, given=size, most=MOST_READ[name])
    return path


def read_json(folder: Path, name: str) -> Any:
    try:
        return json.loads(path_of(folder, name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, AttentionError):
            raise
        raise AttentionError("model_broken", name=name) from None


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, read piece by piece."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def library(load: Callable[[], Any]) -> Any:
    """What `load` imports; AttentionError where it is not installed."""
    try:
        return load()
    except ImportError as error:
        raise AttentionError("model_extra", package=error.name) from None


def load_safetensors():
    import safetensors

    return safetensors


def load_tokenizers():
    import tokenizers

    return tokenizers


def read_tokenizer(folder: Path):
    """The tokenizer of a model, which neither cuts off nor fills up a sentence."""
    path = path_of(folder, TOKENIZER)
    tokenizers = library(load_tokenizers)
    try:
        found = tokenizers.Tokenizer.from_file(str(path))
    except Exception:  # the library raises plain exceptions
        raise AttentionError("model_broken", name=TOKENIZER) from None
    found.no_truncation()
    found.no_padding()
    return found


class Weights:
    """model.safetensors while it is open: a memory map, from which tensors are copied one by one.

    Tensors go by the names that the family gives them, whether or not the file has the prefix before each.
    """

    def __init__(self, file, prefix: str):
        self.file = file
        self.names = set(file.keys())
        self.prefix = prefix if any(name.startswith(prefix) for name in self.names) else ""

    def check(self, name: str, shape: tuple[int, ...]) -> Any:
        """The tensor of that name, not read yet; AttentionError unless it is there with this shape."""
        if self.prefix + name not in self.names:
            raise AttentionError("tensor_missing", name=name)
        held = self.file.get_slice(self.prefix + name)
        if held.get_dtype() not in TYPES:
            raise AttentionError("tensor_type", name=name, given=held.get_dtype(), needed=", ".join(TYPES))
        if tuple(held.get_shape()) != shape:
            raise AttentionError("tensor_shape", name=name, shape=tuple(held.get_shape()), needed=shape)
        return held

    def read(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """A whole tensor, as float32 numbers that nobody can change."""
        return self.finite(name, self.check(name, shape)[:])

    def rows(self, name: str, shape: tuple[int, ...], places: Iterable[int]) -> np.ndarray:
        """Some rows of a table; the rest of it is not read."""
        table = self.check(name, shape)
        return self.finite(name, np.concatenate([table[place : place + 1] for place in places]))

    def finite(self, name: str, numbers: np.ndarray) -> np.ndarray:
        numbers = np.array(numbers, dtype=FLOAT32)
        check_finite([(name, numbers)])
        numbers.setflags(write=False)
        return numbers


@contextlib.contextmanager
def opened(folder: Path, prefix: str = "") -> Iterator[Weights]:
    """model.safetensors of a folder, its header checked."""
    path = path_of(folder, WEIGHTS)
    safetensors = library(load_safetensors)
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
        if length > MOST_HEADER:
            raise AttentionError("model_size", name=WEIGHTS, given=length, most=MOST_HEADER)
        file = safetensors.safe_open(path, framework="np")
    except (OSError, safetensors.SafetensorError):
        raise AttentionError("model_broken", name=WEIGHTS) from None
    with file as held:
        yield Weights(held, prefix)
