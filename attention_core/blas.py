"""How many threads NumPy's matrix products use, where that can be set.

Two Python threads that each multiply small tiles beat one that multiplies with two threads, but only
while the products themselves stay on one thread. NumPy's wheels bring OpenBLAS, which can be told so.
"""

import contextlib
import ctypes
import threading
from functools import cache
from pathlib import Path

import numpy as np


@cache
def thread_setting():
    """The functions that read and set OpenBLAS's number of threads, or None where it is not found."""
    package = Path(np.__file__).parent
    for folder in (package.parent / "numpy.libs", package / ".dylibs"):
        for path in sorted(folder.glob("*openblas*")):
            with contextlib.suppress(OSError, AttributeError):
                library = ctypes.CDLL(str(path))
                for suffix in ("64_", ""):
                    for prefix in ("scipy_openblas", "openblas"):
                        if hasattr(library, f"{prefix}_set_num_threads{suffix}"):
                            return (
                                getattr(library, f"{prefix}_get_num_threads{suffix}"),
                                getattr(library, f"{prefix}_set_num_threads{suffix}"),
                            )
    return None


_lock = threading.Lock()
_inside = 0
_threads_before = 0


@contextlib.contextmanager
def one_thread_each():
    """Products on one thread inside; the setting is the process's, so the last to leave restores it."""
    global _inside, _threads_before
    read, write = thread_setting()
    with _lock:
        if not _inside:
            _threads_before = read()
            write(1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                write(_threads_before)
