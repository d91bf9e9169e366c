"""Checkpoints for tests: the tiny ones with stored numbers of PyTorch, broken copies of them, and MiniLM."""

import atexit
import json
import pickle
import shutil
import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from attention_core.models import Model, Tokens, load_model
from attention_core.models.checkpoint import CONFIG, TOKENIZER, WEIGHTS, library
from ui.models import DEFAULT

REFERENCE = Path(__file__).parent / "reference"
TINY = ("tiny_bert", "tiny_gpt2")
SENTENCE = "the cat sat on the mat"


@cache
def tiny(name: str) -> Model:
    return load_model(REFERENCE / name)


@cache
def copies() -> str:
    """A folder that is gone when the tests end."""
    folder = tempfile.mkdtemp(prefix="checkpoints-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def copy_of(name: str, **files) -> Path:
    """A copy of a tiny checkpoint in a folder of its own.

    config: a function of config.json's object; tensors: one of the tensors by name. Both may change what they
    get, and what they return is written. Others are the bytes of a file, or None for none: tokenizer=None.
    """
    folder = Path(tempfile.mkdtemp(dir=copies())) / name
    shutil.copytree(REFERENCE / name, folder)
    for part, given in files.items():
        path = folder / {"config": "config.json", "tokenizer": "tokenizer.json"}.get(
            part, "model.safetensors"
        )
        if given is None:
            path.unlink()
        elif isinstance(given, bytes):
            path.write_bytes(given)
        elif part == "config":
            path.write_text(json.dumps(given(json.loads(path.read_text("utf-8")))), "utf-8")
        else:
            save_file(given(load_file(path)), path)
    return folder


def with_entry(**entries):
    """A config with these entries; None takes one away."""

    def changed(config: dict) -> dict:
        changes = {name: value for name, value in entries.items() if value is not None}
        return {name: value for name, value in config.items() if name not in entries} | changes

    return changed


def with_tensor(name: str, numbers: np.ndarray | None):
    """Tensors with another one of that name; None takes it away."""

    def changed(tensors: dict) -> dict:
        assert name in tensors
        others = {other: array for other, array in tensors.items() if other != name}
        return others if numbers is None else others | {name: numbers}

    return changed


def header(text: str, length: int | None = None) -> bytes:
    """A safetensors file with this header, and no numbers."""
    plain = text.encode()
    return (len(plain) if length is None else length).to_bytes(8, "little") + plain


GAMMA = "embeddings.LayerNorm.weight"
# Changes to the tiny BERT, with the code of the refusal and a part of its sentence.
BROKEN = {
    "no config": ({"config.json": None}, "model_file", "no file config.json"),
    "no tokenizer": ({"tokenizer.json": None}, "model_file", "no file tokenizer.json"),
    "no weights": ({"model.safetensors": None}, "model_file", "no file model.safetensors"),
    "config is no JSON": ({CONFIG: b"{"}, "model_broken", "config.json cannot be read"),
    "config is no text": ({CONFIG: b"\xff\xfe\xff"}, "model_broken", "config.json cannot be read"),
    "config is deep": ({CONFIG: b"[" * 90_000}, "model_broken", "config.json cannot be read"),
    "config is long": ({CONFIG: b" " * 100_001}, "model_size", "config.json says that it needs 100001 bytes"),
    "config is a list": ({CONFIG: b"[]"}, "model_config", "model_type is None, but it must be one of bert, gpt2"),
    "another family": ({CONFIG: with_entry(model_type="t5")}, "model_config", "model_type is 't5'"),
    "no family": ({CONFIG: with_entry(model_type=["bert"])}, "model_config", "model_type is list"),
    "no layers": ({CONFIG: with_entry(num_hidden_layers=0)}, "model_config", "num_hidden_layers is 0"),
    "many layers": ({CONFIG: with_entry(num_hidden_layers=10**30)}, "model_config", "a whole number from 1 to 96"),
    "half a layer": ({CONFIG: with_entry(num_hidden_layers=1.5)}, "model_config", "num_hidden_layers is 1.5"),
    "a flag for a size": ({CONFIG: with_entry(hidden_size=True)}, "model_config", "hidden_size is True"),
    "no size": ({CONFIG: with_entry(hidden_size=None)}, "model_config", "hidden_size is None"),
    "a huge vocabulary": ({CONFIG: with_entry(vocab_size=2**40)}, "model_config", "vocab_size is 1099511627776"),
    "heads do not divide": ({CONFIG: with_entry(num_attention_heads=3)}, "heads_divide", "3 heads"),
    "another MLP": ({CONFIG: with_entry(hidden_act="swish")}, "model_config", "hidden_act is 'swish'"),
    "relative positions": (
        {CONFIG: with_entry(position_embedding_type="relative_key")},
        "model_config",
        "position_embedding_type is 'relative_key', but it must be 'absolute'",
    ),
    "eps of 0": ({CONFIG: with_entry(layer_norm_eps=0)}, "model_config", "layer_norm_eps is 0, but it must be"),
    "eps is NaN": ({CONFIG: with_entry(layer_norm_eps=float("nan"))}, "model_config", "layer_norm_eps is nan"),
    "more layers than tensors": (
        {CONFIG: with_entry(num_hidden_layers=3)},
        "tensor_missing",
        "no tensor encoder.layer.2.attention",
    ),
    "another width": ({CONFIG: with_entry(hidden_size=16)}, "tensor_shape", "config.json asks for (27, 16)"),
    "another vocabulary": ({CONFIG: with_entry(vocab_size=28)}, "tensor_shape", "config.json asks for (28, 8)"),
    "a tensor is missing": ({WEIGHTS: with_tensor(GAMMA, None)}, "tensor_missing", f"no tensor {GAMMA}"),
    "a tensor has another shape": (
        {WEIGHTS: with_tensor(GAMMA, np.ones((8, 1), np.float32))},
        "tensor_shape",
        f"Tensor {GAMMA} has shape (8, 1), but config.json asks for (8,)",
    ),
    "a tensor of whole numbers": (
        {WEIGHTS: with_tensor(GAMMA, np.ones(8, np.int64))},
        "tensor_type",
        "holds numbers of type I64, but only F32, F16 can be read",
    ),
    "NaN in a tensor": (
        {WEIGHTS: with_tensor(GAMMA, np.full(8, np.nan, np.float32))},
        "not_finite",
        f"{GAMMA} holds nan at (0,)",
    ),
    "numbers too large": (
        {WEIGHTS: with_tensor("encoder.layer.0.intermediate.dense.bias", np.full(12, 3e38, np.float32))},
        "overflow",
        "at step hidden",
    ),
    "an empty file": ({WEIGHTS: b""}, "model_broken", "model.safetensors cannot be read"),
    "a pickle": ({WEIGHTS: pickle.dumps([1, 2, 3])}, "model_size", "model.safetensors says that it needs"),
    "a header that never ends": (
        {WEIGHTS: header("{}", 2**63)},
        "model_size",
        "model.safetensors says that it needs 9223372036854775808 bytes, but at most 1000000 are read",
    ),
    "a header cut off": ({WEIGHTS: header("{}", 999_999)}, "model_broken", "model.safetensors cannot be read"),
    "a header that is no JSON": ({WEIGHTS: header("{{{{")}, "model_broken", "model.safetensors cannot be read"),
    "a header of lists": ({WEIGHTS: header("[" * 9_000)}, "model_broken", "model.safetensors cannot be read"),
    "numbers beyond the file": (
        {WEIGHTS: header('{"a": {"dtype": "F32", "shape": [1000000000], "data_offsets": [0, 4000000000]}}')},
        "model_broken",
        "model.safetensors cannot be read",
    ),
    "a tokenizer of nothing": ({TOKENIZER: b"{}"}, "model_broken", "tokenizer.json cannot be read"),
    "a tokenizer that is long": ({TOKENIZER: b" " * 20_000_001}, "model_size", "tokenizer.json says that it needs"),
}  # fmt: skip
FILES = {"config.json": "config", "tokenizer.json": "tokenizer", "model.safetensors": "tensors"}


def run_broken(change: str):
    """All that can be asked of a model in a folder with this change."""
    files = {FILES[name]: given for name, given in BROKEN[change][0].items()}
    found = load_model(copy_of("tiny_bert", **files))
    return found.run(found.cut(SENTENCE))


def run_tiny(ids=(2, 3), **options):
    return tiny("tiny_bert").run(Tokens("", ids, ("", ""), (0, 1), ((0, 0), (0, 0))), **options)


# Of models: what is broken in a folder, what is no sentence, and a package that is missing.
MODELS_REFUSED = [
    *((partial(run_broken, change), code, words) for change, (_, code, words) in BROKEN.items()),
    (lambda: tiny("tiny_bert").cut("a" * 10_001), "text_long", "has 10001 characters, but at most 10000 are read"),
    (lambda: tiny("tiny_bert").cut("\ud800"), "text_broken", "half of a character"),
    (lambda: tiny("tiny_bert").cut(" "), "text_empty", "no word in it"),
    (lambda: tiny("tiny_bert").cut("a " * 40), "too_many_tokens", "has 42 tokens, but at most 16 are computed"),
    (lambda: run_tiny(ids=(99, 1)), "token_unknown", "has the id 99, but the ids of this model go from 0 to 26"),
    (lambda: run_tiny(hide=[9]), "places", "hide is [9], but the places of the tokens go from 0 to 1"),
    (lambda: run_tiny(order=[0, 0]), "not_an_order", "order is [0, 0], but must hold every place from 0 to 1 once"),
    (lambda: library(lambda: __import__("no_such_package")), "model_extra", "needs the Python package no_such_package"),
]  # fmt: skip


def stored(name: str) -> tuple[dict, dict[str, np.ndarray]]:
    """What a file of make_model_reference.py holds: its description, and its arrays."""
    with np.load(REFERENCE / f"{name}.npz", allow_pickle=False) as file:
        arrays = dict(file)
    return json.loads(bytes(arrays.pop("cases"))), arrays


@pytest.fixture(scope="session")
def minilm() -> Model:
    """MiniLM, where `make model` has got it."""
    if not (DEFAULT / "model.safetensors").is_file():
        pytest.skip(
            "all-MiniLM-L6-v2 is not here: `make model` gets it. The shipped slices are checked anyway."
        )
    return load_model(DEFAULT)
