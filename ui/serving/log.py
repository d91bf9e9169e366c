"""What is said in the terminal: a line for each session and each refusal, now and then how the class fares.

No line holds what a student typed, a link or an address. QKV_LOG says how much is told: debug (with the facts
of libraries, for development), info, warning or error. QKV_METRICS_SECONDS is the time between two summaries.
"""

import asyncio
import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

LEVELS = ("debug", "info", "warning", "error")
LOG = logging.getLogger("qkv_lab")
MOST_A_SECOND = 20  # refusals told one by one; the others are counted
MOST_TIMES = 10_000  # of runs, kept for one summary
STUCK = 90.0  # seconds without any answer while somebody waits


def level(setting: str) -> str:
    """The level that is asked for; ValueError with a sentence for another word."""
    if setting.lower() not in LEVELS:
        raise ValueError(f"QKV_LOG says how much is told in the terminal: {', '.join(LEVELS)}.")
    return setting.lower()


def begin(setting: str) -> None:
    """Sets up our own lines, and takes what users said out of those of libraries."""
    handler = logging.StreamHandler(sys.stderr)
    number = os.environ.get("QKV_REPLICA", "")
    replica = f"replica {number}, " if number.isdecimal() else ""
    handler.setFormatter(logging.Formatter(f"%(asctime)s {replica}%(message)s", "%H:%M:%S"))
    LOG.handlers, LOG.propagate = [handler], False
    LOG.setLevel(level(setting).upper())
    if level(setting) != "debug":
        logging.setLogRecordFactory(without_facts)
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)  # its news are addresses


def without_facts(name, number, path, line, text, facts, error, *more, **others) -> logging.LogRecord:
    """A record that says what happened and where, without the values that were met there."""
    if not name.startswith("qkv_lab"):
        facts = ()
    record = logging.LogRecord(name, number, path, line, text, facts, error, *more, **others)
    kind, _, place = record.exc_info or (None, None, None)
    if kind is not None:
        record.exc_text = "".join(traceback.format_tb(place)) + kind.__name__
    return record


class Tally:
    """What happened since the last summary; asked by the server, filled by the threads of the pages too."""

    def __init__(self):
        self.lock = threading.Lock()
        self.open = 0  # sessions, now
        self.edits, self.refusals, self.times = 0, 0, []
        self.second, self.told = 0, 0  # refusals in the present second
        self.untold = 0
        self.running: dict[int, float] = {}  # by thread: when its run began
        self.last_answer = time.monotonic()

    def edited(self, count: int = 1) -> None:
        with self.lock:
            self.edits += count

    @contextmanager
    def run(self) -> Iterator[None]:
        """A run of a page, which answers somebody."""
        thread, began = threading.get_ident(), time.monotonic()
        self.running[thread] = began
        try:
            yield
        finally:
            self.running.pop(thread, None)
            self.answered(time.monotonic() - began)

    def answered(self, seconds: float) -> None:
        self.last_answer = time.monotonic()
        with self.lock:
            if len(self.times) < MOST_TIMES:
                self.times.append(seconds)

    def is_stuck(self) -> bool:
        """Whether somebody has waited for long, and nobody else was answered since."""
        long_ago = time.monotonic() - STUCK
        waiting = list(self.running.values())
        return bool(waiting) and min(waiting) < long_ago and self.last_answer < long_ago

    def refused(self, code: str) -> None:
        """One refusal, by its code alone."""
        with self.lock:
            second = int(time.monotonic())
            if second != self.second:
                self.second, self.told = second, 0
            self.told += 1
            self.refusals += 1
            tell = self.told <= MOST_A_SECOND
            self.untold += not tell
        if tell:
            LOG.info("refused %s", code)

    def summary(self, seconds: float) -> str:
        """A line for the teacher, and a new beginning; nothing when nothing happened."""
        with self.lock:
            times, edits, refusals, untold = sorted(self.times), self.edits, self.refusals, self.untold
            self.times, self.edits, self.refusals, self.untold = [], 0, 0, 0
        if not times and not refusals:
            return ""
        line = f"{self.open} sessions, {edits} edits in {seconds:.0f} s"
        if times:
            line += f", 95 of 100 answers within {times[int(0.95 * (len(times) - 1))] * 1000:.0f} ms"
        line += f", {refusals} refused" if refusals else ""
        return line + (f" ({untold} not told one by one)" if untold else "")


TALLY = Tally()


def interval(setting: str) -> float:
    """Seconds between two summaries; ValueError with a sentence for anything else."""
    try:
        seconds = float(setting)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 86_400:
        raise ValueError("QKV_METRICS_SECONDS is the time between two summaries: seconds, from 1 to 86400.")
    return seconds


async def summarise(seconds: float) -> None:
    """Says now and then how the class fares, while there is something to say."""
    while True:
        await asyncio.sleep(seconds)
        line = TALLY.summary(seconds)
        if line:
            LOG.info(line)


def from_environment() -> tuple[str, float]:
    """The level and the time between two summaries."""
    return level(os.environ.get("QKV_LOG", "info")), interval(os.environ.get("QKV_METRICS_SECONDS", "60"))
