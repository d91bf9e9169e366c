"""Checkpoints for tests: the tiny ones with stored numbers of PyTorch, broken copies of them, and MiniLM."""

import json
import shutil
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from attention_core.models import Model, load_model
from ui.models import DEFAULT

REFERENCE = Path(__file__).parent / "reference"
TINY = ("tiny_bert", "tiny_gpt2")
SEPARATE = "cat"  # a sentence that both cut


@cache
def tiny(name: str) -> Model:
    return load_model(REFERENCE / name)


def copy_of(name: str, **files) -> Path:
    """A copy of a tiny checkpoint in a folder of its own.

    config: a function of config.json's object; tensors: one of the tensors by name. Both may change what they
    get, and what they return is written. Others are the bytes of a file, or None for none: tokenizer=None.
    """
    folder = Path(tempfile.mkdtemp(prefix="checkpoint-")) / name
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
