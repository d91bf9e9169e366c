"""Memory of large arrays, used again once nobody looks at them.

Fresh memory has to be handed out page by page, which for arrays of many megabytes takes as long as
filling them. So the blocks of a trace that is gone wait here for the next one of the same size, and are
given up as soon as one of another size comes. `release_memory()` gives them up at once.
"""

import contextlib
import math
import os
import weakref
from collections import deque
from pathlib import Path

import numpy as np

SMALLEST = 1 << 24  # bytes from which it pays


def machine_memory() -> int:
    """Bytes of memory this process may count on: the machine's, or less where a container says so."""
    sizes = [1 << 34]
    with contextlib.suppress(AttributeError, OSError, ValueError):
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with contextlib.suppress(OSError, ValueError):
        sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(sizes)


class Lease:
    """A block in use. Every array and view of it refers to this; when the last is gone, so is it."""

    def __init__(self, block: np.ndarray, shape: tuple[int, ...], dtype: np.dtype):
        self.block = block
        address = block.__array_interface__["data"]
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": dtype.str, "data": address}


class Reserve:
    """Blocks of memory that wait to be used again, up to `limit` bytes."""

    def __init__(self, limit: int):
        self.limit = limit
        self._waiting: deque[np.ndarray] = deque()  # its append and pop need no lock

    @property
    def waiting(self) -> int:
        """Bytes kept for later."""
        return sum(block.nbytes for block in tuple(self._waiting))

    def empty(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Like np.empty, from a waiting block where one fits."""
        size = math.prod(shape) * dtype.itemsize
        if size < SMALLEST:
            return np.empty(shape, dtype)
        block = self._take(size)
        if block is None:
            block = np.empty(size, np.uint8)
        lease = Lease(block, shape, dtype)
        weakref.finalize(lease, self._put_back, block).atexit = False
        return np.asarray(lease)

    def release(self) -> None:
        """Gives up every waiting block."""
        self._waiting.clear()

    def _take(self, size: int) -> np.ndarray | None:
        with contextlib.suppress(IndexError):
            block = self._waiting.pop()
            if block.nbytes == size:
                return block
            self.release()  # another size of work has begun
        return None

    def _put_back(self, block: np.ndarray) -> None:
        if self.waiting + block.nbytes <= self.limit:
            self._waiting.append(block)


reserve = Reserve(machine_memory() // 8)
release_memory = reserve.release
