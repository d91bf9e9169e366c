"""Each session has a token bucket of processor seconds, which fills up again.

Nobody who works by hand uses it up. Whoever does gets the numbers at once, but their next run begins later,
so what one student asks for is not taken from the others. Alone, one may use more at once than beside others.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

ALONE = 4.0  # processor seconds that a session may use at once; the longest experiment takes five
BESIDE_OTHERS = 0.5  # the same while others are at work
AT_WORK = 1.0  # seconds since the last run of somebody else
A_SECOND = 0.25  # processor seconds in the long run
LONGEST_WAIT = 1.0  # seconds
MOST_AT_ONCE = 0.1  # processor seconds of acts in one run
FREE, REST = 0.005, 3.0  # after so many seconds of them, so many times as long a rest as each took

SECONDS_TO_OPEN = 0.5  # after which the next page's turn has come anyway
MOST_SESSIONS = 4096  # that are remembered

RUN = threading.local()  # what this thread has paid for
BUCKETS: dict[str, tuple[float, float, float]] = {}  # of each session: what was left of both, and when
LOCK, OPENING = threading.Lock(), threading.Lock()  # every session has a thread


class Pace:
    """Several things done in one run: others get their turns in between, and it ends when it took long."""

    began, before = -1.0, 0.0  # of the processor's time for this thread: the first thing, and the last

    def goes_on(self) -> bool:
        """Whether the next thing may be done; asked before each. The first one always may."""
        now = time.thread_time()
        if self.began < 0:
            self.began = self.before = now
            return True
        used, last = now - self.began, now - self.before
        self.before = now
        if FREE < used < MOST_AT_ONCE:
            time.sleep(last * REST)
        return used < MOST_AT_ONCE


@contextmanager
def turn(session: str, opens: bool) -> Iterator[None]:
    """One run of a page. It is paid for also where it is broken off, because another run was asked for.

    Pages are opened one after the other: those who are there come first.
    """
    alone = opens and OPENING.acquire(timeout=SECONDS_TO_OPEN)
    try:
        yield
    finally:
        if alone:
            OPENING.release()
        pay(session)


def pay(session: str) -> None:
    """Takes what this run has used from the bucket of the session, and waits where nothing is left."""
    used = time.thread_time()
    wait = take(session, used - getattr(RUN, "paid", 0.0), time.monotonic())
    RUN.paid = used
    if wait:
        time.sleep(wait)


def take(session: str, used: float, now: float) -> float:
    """Seconds that a session has to wait, after it used so many of the processor."""
    with LOCK:
        alone, beside, at = BUCKETS.pop(session, (ALONE, BESIDE_OTHERS, now))
        others_work = bool(BUCKETS) and now - next(reversed(BUCKETS.values()))[2] < AT_WORK
        alone, beside = (
            max(min(most, left + (now - at) * A_SECOND) - used, -A_SECOND * LONGEST_WAIT)
            for left, most in ((alone, ALONE), (beside, BESIDE_OTHERS))
        )
        BUCKETS[session] = (alone, beside, now)  # the last one now
        if len(BUCKETS) > MOST_SESSIONS:
            BUCKETS.pop(next(iter(BUCKETS)))
    return max(0.0, -(beside if others_work else alone) / A_SECOND)
