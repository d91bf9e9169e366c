"""Changed files: each is refused with a sentence, or its tensors are listed and read."""

import random

import pytest

from tests.hostile.files import mutated_file
from tests.hostile.tried import NOT_READ, READ, REFUSED, try_file

SEED = 2026
KINDS = ("json", "csv", "tsv", "txt", "safetensors", "npy", "npz")


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_file_is_refused_or_read(kind):
    met = {REFUSED: 0, NOT_READ: 0, READ: 0}
    for number in range(400):
        name, content = mutated_file(random.Random(f"{SEED}.{kind}.{number}"), kind)
        try:
            met[try_file(name, content)] += 1
        except Exception as error:
            pytest.fail(f"file {number}, {name!r}: {error!r}\n{content[:500]!r}")
    fewest = 20 if kind in ("npy", "npz") else 40  # a changed byte of these is seldom read
    assert min(met[REFUSED], met[READ]) > fewest
