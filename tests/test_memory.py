"""Large arrays take over memory that nobody looks at any more, and only that."""

import numpy as np
import pytest

from attention_core import memory
from attention_core.memory import Reserve

FLOAT = np.dtype(np.float32)


@pytest.fixture(autouse=True)
def small_blocks_count(monkeypatch):
    monkeypatch.setattr(memory, "SMALLEST", 16)


def address(array):
    return array.__array_interface__["data"][0]


def test_memory_in_use_is_never_handed_out():
    reserve = Reserve(limit=1000)
    first, second = reserve.empty((2, 4), FLOAT), reserve.empty((2, 4), FLOAT)
    first[...], second[...] = 1, 2
    assert not np.shares_memory(first, second)
    view = first[1:, ::2]
    where = address(first)
    del first
    third = reserve.empty((2, 4), FLOAT)  # a view of the first still looks
    assert address(third) != where
    third[...] = 3
    np.testing.assert_array_equal(view, [[1, 1]])


def test_memory_of_the_gone_is_used_again():
    reserve = Reserve(limit=1000)
    array = reserve.empty((2, 4), FLOAT)
    where = address(array)
    del array
    again = reserve.empty((4, 2), FLOAT)
    assert address(again) == where
    assert again.shape == (4, 2)
    assert reserve.held == 32


def test_the_limit_holds_and_other_sizes_make_room():
    reserve = Reserve(limit=100)
    kept = reserve.empty((8,), FLOAT)
    for size in (10, 11, 12, 13):
        reserve.empty((size,), FLOAT)
        assert reserve.held <= 100
    assert reserve.empty((100,), FLOAT).shape == (100,)  # too large to keep, still handed out
    assert reserve.held <= 100
    reserve.release()
    assert reserve.held == kept.nbytes
    del kept
    reserve.release()
    assert reserve.held == 0


def test_small_arrays_are_not_kept():
    reserve = Reserve(limit=1000)
    reserve.empty((3,), FLOAT)
    assert reserve.held == 0
