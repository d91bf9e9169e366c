"""Changed files: each is refused with a sentence, or its tensors are listed and read."""

import random

import pytest

from tests.hostile.files import mutated_file
from ui.files.upload import UploadError, read_tensor, tensors_in

SEED = 2026
KINDS = ("json", "csv", "tsv", "txt", "safetensors", "npy", "npz")


def read_all(name: str, content: bytes) -> str:
    """What becomes of a file."""
    try:
        tensors = tensors_in(name, content)
    except UploadError:
        return "refused"
    met = "listed"
    for tensor in tensors:
        try:
            read_tensor(name, content, tensor.name)
            met = "read"
        except UploadError:
            continue
    return met


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_file_is_refused_or_read(kind):
    met = {"refused": 0, "listed": 0, "read": 0}
    for number in range(400):
        name, content = mutated_file(random.Random(f"{SEED}.{kind}.{number}"), kind)
        try:
            met[read_all(name, content)] += 1
        except Exception as error:
            pytest.fail(f"file {number}, {name!r}: {error!r}\n{content[:500]!r}")
    fewest = 20 if kind in ("npy", "npz") else 40  # a changed byte of these is seldom read
    assert min(met["refused"], met["read"]) > fewest
