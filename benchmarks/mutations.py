"""Changed links, files and requests, as many as there is time for: none may do anything but be refused or drawn.

    make mutations                            # 100,000, about half an hour on two cores
    make mutations ARGS="--count 5000"        # fewer
    make mutations ARGS="--seed 17 --from 4711 --count 1"    # one of them again

Each run draws from a new seed, which it prints. A link and a request (a state with guesses, sections, a kept result, a
start, undo and redo, and acts) are drawn on every page. It ends at the first that raises, prints it, and says what the
dearest refusal of each kind took: processor time, and memory in another run that counts it.
"""

import argparse
import os
import secrets
import sys
import time
import traceback
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from random import Random

from tests.hostile.files import mutated_file
from tests.hostile.mutate import mutated_link
from tests.hostile.states import mutated_request
from tests.hostile.tried import pages, try_file, try_link, try_request
from ui.files.upload import UploadError, read_tensor, tensors_in
from ui.page.page import Page
from ui.page.request import read_request
from ui.scenario.link import LinkError, read_link
from ui.state.state import read_state
from ui.state.step import take_steps

MOST_SECONDS = 0.050  # of processor time, for what is refused
MOST_MEGABYTES = 10.0
WEIGHED, SLOW = 20, 0.005  # every so many refusals, and each that took so long: counting memory is slow
AT_ONCE = 500  # inputs that a process takes at a time
KINDS = ("link", "link", "link", "link", "link", "link", "file", "file", "request", "request")


@dataclass
class Found:
    """What became of some inputs, and the dearest and heaviest refusal of each kind with the input's number."""

    met: Counter = field(default_factory=Counter)
    seconds: dict[str, tuple[float, int]] = field(default_factory=dict)
    megabytes: dict[str, tuple[float, int]] = field(default_factory=dict)
    refusals: int = 0
    raised: str = ""

    def add(self, other: "Found") -> None:
        self.met += other.met
        self.refusals += other.refusals
        self.raised = self.raised or other.raised
        for mine, theirs in ((self.seconds, other.seconds), (self.megabytes, other.megabytes)):
            for kind, found in theirs.items():
                mine[kind] = max(mine.get(kind, found), found)

    @property
    def is_cheap(self) -> bool:
        return all(took <= MOST_SECONDS for took, _ in self.seconds.values()) and all(
            weight <= MOST_MEGABYTES for weight, _ in self.megabytes.values()
        )


def try_one(kind: str, rng: Random) -> tuple[Counter, Iterator[Callable]]:
    """What became of an input, page by page, and each part of it that is refused, as something to be measured."""
    if kind == "file":
        name, content = mutated_file(rng)
        return Counter([f"file: {try_file(name, content)}"]), refused_of_file(name, content)
    if kind == "link":
        link = mutated_link(rng)
        met = Counter(f"link: {try_link(link, page)}" for page in pages())
        return met, refused((partial(read_link, link),))
    given = mutated_request(rng)
    met = Counter(f"request: {try_request(given, page)}" for page in pages())
    return met, refused_of_request(rng.choice(pages()), given)


def refused(readings) -> Iterator[Callable]:
    for reading in readings:
        try:
            reading()
        except (LinkError, UploadError):
            yield reading


def refused_of_file(name: str, content: bytes) -> Iterator[Callable]:
    tensors = ()
    with suppress(UploadError):
        tensors = tensors_in(name, content)
    yield from refused((partial(tensors_in, name, content),))
    yield from refused(partial(read_tensor, name, content, tensor.name) for tensor in tensors)


def refused_of_request(page: Page, given: object) -> Iterator[Callable]:
    """Its form, its state, or single acts."""
    request = read_request(given)
    if request is None:
        yield partial(read_request, given)
        return
    yield from refused((partial(read_state, request.state, page.read),))
    state, is_refused = page.state_of(request)
    for act in () if is_refused else request.acts:
        one = partial(take_steps, page, state, [act], request.undo, request.redo)
        if one().refused:
            yield one


def seconds_of(refusal: Callable) -> float:
    """Processor time: the better of two, since others run here too."""
    times = []
    for _ in range(2):
        begun = time.process_time()
        with suppress(LinkError, UploadError):
            refusal()
        times.append(time.process_time() - begun)
    return min(times)


def megabytes_of(refusal: Callable) -> float:
    tracemalloc.start()
    try:
        with suppress(LinkError, UploadError):
            refusal()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def try_some(seed: int, numbers: range) -> Found:
    """Tries inputs until one raises."""
    found = Found()
    for number in numbers:
        rng = Random(f"{seed}.{number}")
        kind = KINDS[number % len(KINDS)]
        try:
            met, refusals = try_one(kind, rng)
            for refusal in refusals:
                took = seconds_of(refusal)
                one = Found(seconds={kind: (took, number)}, refusals=1)
                if kind not in found.megabytes or took > SLOW or found.refusals % WEIGHED == 0:
                    one.megabytes[kind] = (megabytes_of(refusal), number)
                found.add(one)
        except Exception:
            found.raised = f"Number {number} of seed {seed}, a {kind}, raised:\n{traceback.format_exc()}"
            break
        found.met += met
    return found


def run(seed: int, first: int, count: int, processes: int) -> bool:
    """Whether nothing raised and every refusal was cheap."""
    parts = [
        range(start, min(start + AT_ONCE, first + count)) for start in range(first, first + count, AT_ONCE)
    ]
    found, done = Found(), 0
    with ProcessPoolExecutor(processes) as pool:
        work = {pool.submit(try_some, seed, part): part for part in parts}
        for part in as_completed(work):
            found.add(part.result())
            done += len(work[part])
            if found.raised:
                pool.shutdown(wait=False, cancel_futures=True)
                print(found.raised)
                return False
            print(f"{done:>8}", flush=True) if done % 5000 == 0 else None
    for became, times in sorted(found.met.items()):
        print(f"{became:<32}{times:>9}")
    for kind in sorted(found.seconds):
        (took, slow), (weight, heavy) = found.seconds[kind], found.megabytes.get(kind, (0.0, 0))
        print(
            f"dearest refused {kind}: {1000 * took:.1f} ms (number {slow}), {weight:.2f} MB (number {heavy})"
        )
    print(f"{count} of seed {seed}: none raised, {found.refusals} refusals measured")
    return found.is_cheap


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    seed = secrets.randbelow(10**9) if asked.seed is None else asked.seed
    print(f"seed {seed}", flush=True)
    return 0 if run(seed, asked.first, asked.count, asked.processes) else 1


if __name__ == "__main__":
    sys.exit(main())
