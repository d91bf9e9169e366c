"""Large arrays take over memory that nobody looks at any more, and only that."""

import gc

import numpy as np
import pytest

from attention_core.fast import memory
from attention_core.fast.memory import Reserve

FLOAT = np.dtype(np.float32)


@pytest.fixture(autouse=True)
def small_blocks_count(monkeypatch):
    monkeypatch.setattr(memory, "SMALLEST", 16)


def address(array):
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize(
    "look",
    [
        lambda array: array[1:, ::2],
        lambda array: array.T[0],
        lambda array: memoryview(array),
        lambda array: np.frombuffer(memoryview(array), FLOAT),
        lambda array: np.broadcast_to(array, (3, 2, 4)),
        lambda array: array.flat,
        lambda array: [array],
    ],
)
def test_memory_that_somebody_looks_at_is_never_handed_out(look):
    reserve = Reserve(limit=1000)
    array = reserve.empty((2, 4), FLOAT)
    array[...] = 1
    where = address(array)
    held = look(array)
    del array
    gc.collect()
    other = reserve.empty((2, 4), FLOAT)
    assert address(other) != where
    del held, other
    gc.collect()
    both = [reserve.empty((2, 4), FLOAT) for _ in range(2)]
    assert where in map(address, both)


def test_memory_of_the_gone_is_used_again():
    reserve = Reserve(limit=1000)
    array = reserve.empty((2, 4), FLOAT)
    where = address(array)
    del array
    assert reserve.waiting == 32
    again = reserve.empty((4, 2), FLOAT)
    assert address(again) == where
    assert again.shape == (4, 2)
    assert again.flags.writeable
    assert reserve.waiting == 0


def test_no_more_waits_than_the_limit_and_another_size_clears_it():
    reserve = Reserve(limit=100)
    arrays = [reserve.empty((8,), FLOAT) for _ in range(5)]
    del arrays
    assert reserve.waiting == 96
    reserve.empty((9,), FLOAT)
    assert reserve.waiting == 36
    reserve.release()
    assert reserve.waiting == 0


def test_small_arrays_are_not_kept():
    reserve = Reserve(limit=1000)
    reserve.empty((3,), FLOAT)
    assert reserve.waiting == 0


def test_the_limit_is_a_part_of_the_machine():
    assert 0 < memory.machine_memory() <= 1 << 34
    assert memory.reserve.limit == memory.machine_memory() // 8
