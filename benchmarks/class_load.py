"""How many students an app holds, each editing a cell every two seconds: the Lab, and a usual page.

    make bench-class                                     # everything, about ten minutes; two need nginx
    make bench-class ARGS="--replicas 1 --seconds 6"     # one process, shorter

Every answer is checked to show the number just typed and all those before (benchmarks/students.py). A class
holds while its 95th percentile stays below half a second without an error. A run during which something else
used the machine is not called clean. The app runs on this machine only, and everything ends in time.
"""

import argparse
import asyncio
import os
import random
import re
import statistics
import sys
import tempfile
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from benchmarks.students import CUT, Answer, LabStudent, Student, UsualStudent, get
from deploy.classroom import nginx
from tests.browser.server import serve, serve_class
from ui.paths import STATIC

LIMIT = 0.5  # seconds, at the 95th percentile
MOST_OF_OTHERS = 0.08  # share of the machine that others may use in a clean run
TICKS = os.sysconf("SC_CLK_TCK")


# What the machine does


def family(process: int) -> list[int]:
    """A process and all that it started."""
    children = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            children.setdefault(int(fields_of(stat)[1]), []).append(int(stat.parent.name))
        except OSError:
            continue  # it has ended
    found = [process]
    for one in found:
        found += children.get(one, [])
    return found


def fields_of(stat: Path) -> list[str]:
    return stat.read_text().rpartition(")")[2].split()


def processor_seconds(processes: list[int]) -> float:
    stats = [Path(f"/proc/{one}/stat") for one in processes]
    fields = [fields_of(stat) for stat in stats if stat.exists()]  # a helper of nginx ends after a minute
    return sum(int(each[11]) + int(each[12]) for each in fields) / TICKS


def megabytes(processes: list[int]) -> float:
    sizes = [Path(f"/proc/{one}/statm") for one in processes]
    pages = sum(int(size.read_text().split()[1]) for size in sizes if size.exists())
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Watch:
    """Processor time of the app, of this process and of the whole machine since it was made."""

    def __init__(self, app: list[int]):
        self.app, self.started = app, time.monotonic()
        self.before = self._now()

    def _now(self) -> tuple[float, float, float]:
        ticks = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        whole = sum(ticks) - ticks[3] - ticks[4]  # all but idle and waiting for a disk
        return processor_seconds(self.app), sum(os.times()[:2]), whole / TICKS

    def spent(self) -> tuple[float, float]:
        """Processor seconds of the app; the share of the machine that neither it nor this process used."""
        app, own, whole = (now - before for now, before in zip(self._now(), self.before, strict=True))
        available = (time.monotonic() - self.started) * os.cpu_count()
        return app, max(0.0, (whole - app - own) / available)


# What a class does


class Level(NamedTuple):
    """A class of some size, held for some seconds."""

    students: int
    took: list[float]
    wrong: list[str]
    processor_ms: float  # per edit
    bytes: float  # per edit
    others: float

    def percentile(self, percent: int) -> float:
        if len(self.took) < 2:
            return float("inf")
        return statistics.quantiles(self.took, n=100, method="inclusive")[percent - 1]

    @property
    def holds(self) -> bool:
        return not self.wrong and self.percentile(95) < LIMIT

    @property
    def is_clean(self) -> bool:
        return self.others <= MOST_OF_OTHERS

    def __str__(self) -> str:
        times = "".join(f"{self.percentile(percent) * 1000:>7.0f}" for percent in (50, 95, 99))
        row = (
            f"{self.students:>6}{times}{len(self.took):>7}{self.processor_ms:>8.1f}{self.bytes / 1000:>8.1f}"
        )
        row += f"{self.others:>8.0%}  {'holds' if self.holds else 'too slow' if not self.wrong else 'WRONG'}"
        row += "" if self.is_clean else ", not clean"
        return row + "".join(f"\n        {count} x {text}" for text, count in summed(self.wrong))


def summed(wrong: list[str]) -> list[tuple[str, int]]:
    """The first few things that went wrong, and how often."""
    short = [text[:100] for text in wrong]
    return [(text, short.count(text)) for text in dict.fromkeys(short)][:3]


HEADER = f"{'class':>6}{'p50':>7}{'p95':>7}{'p99':>7}{'edits':>7}{'cpu ms':>8}{'KB':>8}{'others':>8}"


class Room:
    """Students in front of one app. It grows and shrinks; those who stay keep their sessions."""

    def __init__(self, kind: type[Student], url: str, process: int, think: float):
        self.kind, self.url, self.think = kind, url, think
        self.app = family(process)
        self.students: list[Student] = []
        self.met = 0
        self.end = 0.0  # when the students begin no edit any more
        self.per_session: list[float] = []  # megabytes
        self.dice = random.Random(1)

    async def fill(self, size: int) -> list[str]:
        """Until there are `size` students, ten at a time; what went wrong when they came."""
        wrong, warm = [], len(self.students) > 0  # the first one costs what all of them share
        before, arrived = megabytes(self.app), 0
        while len(self.students) > size:
            await self.students.pop().close()
        while len(self.students) < size:
            some = [self._student() for _ in range(min(10, size - len(self.students)))]
            opened = await asyncio.gather(*(student.open() for student in some), return_exceptions=True)
            wrong += [f"not opened: {one}" for one in opened if isinstance(one, BaseException) or one.wrong]
            self.students += some
            arrived += len(some)
        if warm and arrived >= 10:
            self.per_session.append((megabytes(self.app) - before) / arrived)
        return wrong

    def _student(self) -> Student:
        self.met += 1
        return self.kind(self.url, self.met % 1000)

    async def hold(self, size: int, seconds: float) -> Level:
        """`size` students edit for some seconds, after a pause of thinking each."""
        wrong = await self.fill(size)
        await self._all_edit(self.think)  # nobody is measured who just came
        watch, received = Watch(self.app), sum(student.bytes for student in self.students)
        answers = await self._all_edit(seconds)
        app, others = watch.spent()
        edits = len(answers) or 1
        received = sum(student.bytes for student in self.students) - received
        wrong += [answer.wrong for answer in answers if answer.wrong]
        took = [answer.seconds for answer in answers]
        return Level(size, took, wrong, app * 1000 / edits, received / edits, others)

    async def _all_edit(self, seconds: float) -> list[Answer]:
        self.end = time.monotonic() + seconds
        each = await asyncio.gather(*(self._edits(student, self.end) for student in self.students))
        return [answer for answers in each for answer in answers]

    async def _edits(self, student: Student, end: float) -> list[Answer]:
        answers = []
        pause = self.think * self.dice.random()  # they do not begin together
        while time.monotonic() + pause < end:
            await asyncio.sleep(pause)
            answers.append(await student.edit())
            pause = self.think * self.dice.uniform(0.75, 1.25)
        return answers


async def largest(room: Room, first: int, most: int, seconds: float) -> Level | None:
    """The largest class that holds: doubled until one does not, then between the two, to a tenth."""
    good, bad, size = None, None, min(first, most)
    while size > 0 and (bad is None or bad - (good.students if good else 0) > max(1, bad // 10)):
        level = await room.hold(size, seconds)
        print(level, flush=True)
        if not level.holds and not level.is_clean:
            level = await room.hold(size, seconds)  # it may have been somebody else's fault
            print(f"{level} (again)", flush=True)
        if level.holds:
            good = level
        else:
            bad = size
        if size == most and level.holds:
            break
        size = min(2 * size, most) if bad is None else ((good.students if good else 0) + bad) // 2
    return good


async def overload(room: Room, size: int, seconds: float) -> None:
    """Three times the class that holds; then how soon one student is served in time again."""
    level = await room.hold(3 * size, max(seconds, 15))  # long enough for a queue to form
    print(level, flush=True)
    answer, deadline = Answer(LIMIT), room.end + 60
    while (answer.wrong or answer.seconds >= LIMIT) and time.monotonic() < deadline:
        answer = await room.students[0].edit()
    took = max(0.0, time.monotonic() - room.end)
    print(
        f"       at three times that: {len(level.wrong)} wrong, in time again after {took:.1f} s", flush=True
    )


class Arrival(NamedTuple):
    seconds: float
    bytes: int
    wrong: str


async def arrive(url: str, number: int, after: float, browsers: Executor) -> Arrival:
    """Opens the Lab with an empty browser, until files are loaded and the board has its numbers."""
    await asyncio.sleep(after)
    started, student = time.monotonic(), LabStudent(url, number)
    files = asyncio.get_running_loop().run_in_executor(browsers, load_files, url)
    try:
        n_bytes, answer = await asyncio.gather(files, student.open())
        wrong = answer.wrong or ("" if student.x else "nothing on the board")
        return Arrival(time.monotonic() - started, n_bytes + student.bytes, wrong)
    except CUT as error:
        return Arrival(time.monotonic() - started, 0, str(error))
    finally:
        await student.close()


def load_files(url: str) -> int:
    """Loads what the page names, and our own files; not Plotly, which comes after the board is painted."""
    [page] = get(url, "lab")
    named = re.findall(r'(?:src|href)="\./(static/[^"]+)"', page.text)
    files = (path.relative_to(STATIC) for path in STATIC.rglob("*") if path.suffix in (".js", ".css"))
    ours = [f"app/static/{path.as_posix()}" for path in files]
    paths = [*dict.fromkeys(named), *(path for path in ours if "plotly" not in path)]
    return len(page.body) + sum(len(file.body) for file in get(url, *paths))


async def arrivals(url: str, process: int, number: int = 60, within: float = 3.0) -> None:
    """A class that opens the Lab nearly at once."""
    watch = Watch(family(process))
    with ThreadPoolExecutor(number) as browsers:
        coming = (arrive(url, place + 1, within * place / number, browsers) for place in range(number))
        found = await asyncio.gather(*coming)
    app, others = watch.spent()
    took, wrong = sorted(one.seconds for one in found), [one.wrong for one in found if one.wrong]
    line = f"       {number} arrivals in {within:.0f} s: board after {statistics.median(took):.1f} s, "
    line += f"p95 {took[int(0.95 * (number - 1))]:.1f} s, {app / number * 1000:.0f} ms of processor and "
    line += f"{statistics.mean(one.bytes for one in found) / 1e6:.1f} MB each, {len(wrong)} wrong"
    print(line + ("" if others <= MOST_OF_OTHERS else f", not clean: others {others:.0%}"))
    print("".join(f"        {count} x {text}\n" for text, count in summed(wrong)), end="", flush=True)


# The whole run


def app(folder: str, name: str, replicas: int) -> AbstractContextManager:
    """The app to be measured: one process, or several behind a proxy."""
    place = Path(folder) / f"{name}-{replicas}"
    place.mkdir()
    if name == "usual":
        return serve(place, "benchmarks/apps/usual.py", ["--runner.postScriptGC=true"])
    return serve(place) if replicas == 1 else serve_class(place, replicas)


async def measure(settings: argparse.Namespace, folder: str) -> list[tuple[str, Level | None]]:
    found = []
    rows = [("the Lab", "lab", LabStudent, number, 32) for number in settings.replicas]
    rows += [("the usual way", "usual", UsualStudent, 1, 4)]
    for title, name, kind, replicas, first in rows:
        with app(folder, name, replicas) as server:
            title = f"{title}, {replicas} process{'es behind a proxy' if replicas > 1 else ''}"
            print(f"\n{title}\n{HEADER}", flush=True)
            room = Room(kind, server.url, server.process.pid, settings.think)
            best = await largest(room, first, settings.most, settings.seconds)
            found.append((title, best))
            if name == "lab" and best:
                await overload(room, best.students, settings.seconds)
            if room.per_session:
                print(f"       {statistics.median(room.per_session):.2f} MB per session")
            await room.fill(0)
            if name == "lab":
                await arrivals(server.url, server.process.pid)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--think", type=float, default=2.0, help="seconds between the edits of a student")
    parser.add_argument("--seconds", type=float, default=12.0, help="how long each class is measured")
    parser.add_argument("--most", type=int, default=400, help="no class is larger")
    parser.add_argument(
        "--replicas", type=int, nargs="+", default=[1, 2] if nginx() else [1], help="processes of the Lab"
    )
    parser.add_argument("--minutes", type=float, default=20.0, help="when it ends in any case")
    settings = parser.parse_args()
    print(f"{settings.think:g} s between edits; a class holds while p95 is below {LIMIT * 1000:.0f} ms")

    async def bounded() -> list[tuple[str, Level | None]]:
        async with asyncio.timeout(settings.minutes * 60):
            return await measure(settings, folder)

    with tempfile.TemporaryDirectory() as folder:
        try:
            found = asyncio.run(bounded())
        except TimeoutError:
            sys.exit(f"\nNot finished after {settings.minutes:g} minutes.")
        except CUT as error:
            sys.exit(f"\nThe app is gone: {error}")
    print()
    for title, best in found:
        clean = "" if best is None or best.is_clean else "  (not clean: something else used the machine)"
        print(f"{title:<40}{best.students if best else 0:>5} students{clean}")
    sys.exit(0 if all(best and best.is_clean for _, best in found) else 1)


if __name__ == "__main__":
    main()
