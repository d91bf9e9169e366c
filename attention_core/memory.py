"""Memory of large arrays, used again once nobody looks at them.

Fresh memory has to be handed out page by page, which for arrays of many megabytes takes as long as
filling them. So blocks stay here when their trace is gone, up to `limit` bytes, and the next large
trace of that size takes them over. `release_memory()` gives all unused ones back.
"""

import math
import os
import sys
import threading

import numpy as np

SMALLEST = 1 << 24  # bytes from which it pays


def machine_memory() -> int:
    """Bytes of memory of this machine; 2 GB where it cannot be asked."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 1 << 31


class Reserve:
    """Blocks of memory, in use or waiting."""

    def __init__(self, limit: int):
        self.limit = limit
        self._blocks: list[np.ndarray] = []
        self._lock = threading.Lock()

    def empty(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Like np.empty, from a waiting block where one fits."""
        size = math.prod(shape) * dtype.itemsize
        if size < SMALLEST:
            return np.empty(shape, dtype)
        with self._lock:
            block = self._waiting(size)
            if block is None:
                block = np.empty(size, np.uint8)
                self._make_room(size)
                if self.held + size <= self.limit:
                    self._blocks.append(block)
            return block.view(dtype).reshape(shape)

    @property
    def held(self) -> int:
        return sum(block.nbytes for block in self._blocks)

    def release(self) -> None:
        """Forgets every waiting block."""
        with self._lock:
            self._blocks = [block for block in self._blocks if in_use(block)]

    def _waiting(self, size: int) -> np.ndarray | None:
        for block in self._blocks:
            if block.nbytes == size and not in_use(block):
                return block
        return None

    def _make_room(self, size: int) -> None:
        for number in reversed(range(len(self._blocks))):
            if self.held + size <= self.limit:
                return
            block = self._blocks[number]
            if not in_use(block):
                del self._blocks[number]


def in_use(block: np.ndarray) -> bool:
    """Whether an array looks at this block: each holds a reference to it, as its `base`."""
    return sys.getrefcount(block) > UNSEEN


def _count_unseen() -> int:
    """What getrefcount says, seen from `in_use`, of a block that only a list and its caller hold."""
    blocks = [np.empty(1, np.uint8)]
    block = blocks[0]
    return (lambda block: sys.getrefcount(block))(block)


UNSEEN = _count_unseen()

reserve = Reserve(machine_memory() // 8)
release_memory = reserve.release
