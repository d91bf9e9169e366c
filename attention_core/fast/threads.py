"""Large work on two threads.

Two Python threads that each multiply small tiles beat one that multiplies with two threads, but only
while the products themselves stay on one thread: OpenBLAS's own threads keep the processor busy for a
while after each product. NumPy's wheels bring OpenBLAS, which can be told so.
"""

import contextlib
import ctypes
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np


@cache
def thread_setting() -> tuple[Callable[[], int], Callable[[int], object]] | None:
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
def one_thread_each(read: Callable[[], int], write: Callable[[int], object]):
    """Products on one thread inside; the setting is the process's, so the last to leave restores it."""
    global _inside, _threads_before
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


@contextlib.contextmanager
def on_one_thread():
    """Small products, where they can be told so, on one thread: more would mostly wait for each other."""
    setting = thread_setting()
    with one_thread_each(*setting) if setting else contextlib.nullcontext():
        yield


N_THREADS = 2


def spread(run: Callable, jobs: Iterable) -> None:
    """run(job) for every job, on two threads where products can be kept to one each."""

    def run_all(share):
        with np.errstate(all="ignore"):  # the caller's setting does not reach other threads
            for job in share:
                run(job)

    jobs = list(jobs)
    setting = thread_setting()
    if setting is None or (os.cpu_count() or 1) < N_THREADS:
        run_all(jobs)
        return
    with one_thread_each(*setting), ThreadPoolExecutor(N_THREADS) as pool:
        list(pool.map(run_all, (jobs[first::N_THREADS] for first in range(N_THREADS))))


LARGE_PRODUCT = 1 << 28  # multiplications from which a product is spread


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a @ b for matrices; a large one by halves of its rows."""
    if a.shape[0] * a.shape[1] * b.shape[1] < LARGE_PRODUCT or a.shape[0] < N_THREADS:
        return a @ b
    out = np.empty((a.shape[0], b.shape[1]), a.dtype)
    middle = a.shape[0] // 2
    halves = slice(0, middle), slice(middle, None)
    spread(lambda rows: np.matmul(a[rows], b, out=out[rows]), halves)
    return out
