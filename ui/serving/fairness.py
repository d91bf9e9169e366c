"""Each session has its share of the processor: a stock of seconds that fills up again.

Nobody who works by hand uses it up. Whoever does gets the numbers at once, but their next run begins later,
so what one student asks for is not taken from the others.
"""

import threading
import time

from streamlit.runtime.scriptrunner import get_script_run_ctx

STOCK = 4.0  # processor seconds that a session may use at once; the longest experiment takes five
A_SECOND = 0.25  # processor seconds in the long run
LONGEST_WAIT = 1.0  # seconds
MOST_AT_ONCE = 0.1  # processor seconds of acts in one run

MOST_SESSIONS = 4096  # that are remembered

RUN = threading.local()  # what this thread has paid for
STOCKS: dict[str, tuple[float, float]] = {}  # of each session: what was left, and when


def has_time_left(began: float) -> bool:
    """Whether a run that did something since `began` (of `time.thread_time`) may go on with more of it."""
    return time.thread_time() - began < MOST_AT_ONCE


def pay() -> None:
    """Takes what this run has used from the session's stock, and waits where nothing is left."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return
    used = time.thread_time()
    wait = take(context.session_id, used - getattr(RUN, "paid", 0.0), time.monotonic())
    RUN.paid = used
    if wait:
        time.sleep(wait)


def take(session: str, used: float, now: float) -> float:
    """Seconds that a session has to wait, after it used so many of the processor."""
    # Not in the session state: a run may be broken off at any look at that, and would have paid nothing.
    left, at = STOCKS.pop(session, (STOCK, now))
    left = max(min(STOCK, left + (now - at) * A_SECOND) - used, -A_SECOND * LONGEST_WAIT)
    STOCKS[session] = (left, now)  # the last one now
    if len(STOCKS) > MOST_SESSIONS:
        STOCKS.pop(next(iter(STOCKS)), None)
    return max(0.0, -left / A_SECOND)
