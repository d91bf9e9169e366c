"""What a class survives: killed replicas, cut sockets, hostile students, many sessions, an hour of edits, browsers
that reload, go back or are copied in the middle of an act, and links, acts and files changed on purpose.

    make soak                                   # everything, about an hour; one part needs nginx, one Chromium
    make soak ARGS="--only hostile edits"       # some of it
    make soak-short                             # what can be lost, and changed input, for some minutes: CI does it too

Every answer is checked to show the number just typed and all those before. At the end, one table says what
was measured and whether it is what we want. The apps run on this machine only, and everything ends in time.
"""

import argparse
import asyncio
import os
import secrets
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.class_load import MOST_OF_OTHERS, Room, family, megabytes, processor_seconds
from benchmarks.hostile import ATTACKS
from benchmarks.students import CUT, LabStudent
from deploy.classroom import nginx
from tests.browser import chromium, losses
from tests.browser.server import AppServer, serve, serve_class
from ui.scenario.presets import preset_ids

SECONDS_OF_ERRORS = 5.0  # after a replica was killed
MOST_MEGABYTES = 50.0  # that sessions may leave behind
MOST_SLOPE = 5.0  # megabytes in 10,000 edits
MOST_RATIO = 2.0  # of the others' 95th percentile, with one hostile student and without


class Row(NamedTuple):
    """A line of the table; `met` is None where nothing is demanded."""

    what: str
    measured: str
    wanted: str = ""
    met: bool | None = None

    def __str__(self) -> str:
        mark = "" if self.met is None else "met" if self.met else "MISSED"
        return f"{self.what:<48}{self.measured:<52}{self.wanted:<22}{mark}"


# Faults


class Fault(NamedTuple):
    """What a class met during a fault: how many were cut off, for how long, and what was wrong at the end."""

    students: int
    cut: int
    seconds: float  # from the fault until everyone was served again
    wrong: list[str]


async def come(url: str, number: int) -> list[LabStudent]:
    """Students who opened the Lab, ten at a time; an error if one could not."""
    students = [LabStudent(url, place + 1) for place in range(number)]
    for start in range(0, number, 10):
        answers = await asyncio.gather(*(student.open() for student in students[start : start + 10]))
        wrong = {answer.wrong for answer in answers} - {""}
        if wrong:
            raise RuntimeError(f"The class could not begin: {wrong}")
    return students


async def leave(students: list[LabStudent]) -> None:
    await asyncio.gather(*(student.close() for student in students), return_exceptions=True)


class Lesson:
    """A class that edits, whatever happens; who is cut off comes back as a browser does."""

    def __init__(self, students: list[LabStudent], think: float):
        self.students, self.think = students, think
        self.back: dict[LabStudent, float] = {}  # when each who was cut off was served again
        self.wrong: list[str] = []
        self.end = float("inf")

    async def go_on(self, student: LabStudent) -> None:
        while time.monotonic() < self.end:
            answer = await student.edit()
            if answer.wrong.startswith(("cut", "no answer")):
                await self.come_back(student)
                self.back[student] = time.monotonic()
            elif answer.wrong:
                self.wrong.append(answer.wrong)
            await asyncio.sleep(self.think)

    async def come_back(self, student: LabStudent) -> None:
        """Again and again, a little later each time; the link and what was not acknowledged come along."""
        for pause in (0.1, 0.2, 0.4, *[0.5] * 120):
            try:
                answer = await student.open()
                if not answer.wrong:
                    return
            except Exception:  # of any kind: the proxy has nobody, the replica is half there
                pass
            await asyncio.sleep(pause)
        self.wrong.append("nobody answered for a minute")


async def through_a_fault(students: list[LabStudent], fault: Callable[[], None], after: float) -> Fault:
    """The class edits, the fault comes, and it goes on for some seconds; then all is looked at once more."""
    lesson = Lesson(students, think=0.5)
    editing = [asyncio.create_task(lesson.go_on(student)) for student in students]
    await asyncio.sleep(1.5)
    struck = time.monotonic()
    fault()
    lesson.end = struck + after
    await asyncio.gather(*editing)
    last = [(await student.edit()).wrong for student in students]
    wrong = lesson.wrong + [text for text in last if text]
    seconds = max(lesson.back.values(), default=struck) - struck
    return Fault(len(students), len(lesson.back), seconds, wrong)


def replicas_of(process: int) -> list[int]:
    """The processes of the replicas that `make class` started."""
    found = []
    for one in family(process):
        try:
            command = Path(f"/proc/{one}/cmdline").read_bytes()
        except OSError:
            continue  # it has ended
        if b"streamlit" in command:
            found.append(one)
    return found


def kill(processes: list[int]) -> None:
    for process in processes:
        os.kill(process, signal.SIGKILL)


async def cut_all(students: list[LabStudent]) -> tuple[int, float, list[str]]:
    """All sockets at once: how many found their session again, after how long, and what was wrong then."""
    for student in students:
        student.socket.transport.abort()
    started = time.monotonic()
    answers = await asyncio.gather(*(student.open() for student in students), return_exceptions=True)
    took = time.monotonic() - started
    kept = sum(not student.resumed for student in students)
    wrong = [str(answer) for answer in answers if isinstance(answer, BaseException) or answer.wrong]
    wrong += [student.fault() for student in students if student.fault()]
    return kept, took, wrong


# Time


async def open_and_close(url: str, number: int) -> list[str]:
    """Sessions, twenty at a time, each with an edit; what was wrong."""
    wrong = []

    async def one(place: int) -> None:
        student = LabStudent(url, place % 1000)
        for answer in (await student.open(), await student.edit()):
            if answer.wrong:
                wrong.append(answer.wrong)
        await student.close()

    for start in range(0, number, 20):
        found = await asyncio.gather(*map(one, range(start, min(start + 20, number))), return_exceptions=True)
        wrong += [str(error) for error in found if error]
    return wrong


class Memory(NamedTuple):
    edits: list[int]
    megabytes: list[float]
    wrong: list[str]

    @property
    def slope(self) -> float:
        """Megabytes in 10,000 edits, after the first third, in which histories fill."""
        start = len(self.edits) // 3
        return statistics.linear_regression(self.edits[start:], self.megabytes[start:]).slope * 10_000


async def edit_for_long(students: list[LabStudent], each: int, app: list[int]) -> Memory:
    """Everyone edits without a pause; memory is looked at now and then."""
    done, wrong, edits, used = 0, [], [0], [megabytes(app)]

    async def one(student: LabStudent) -> None:
        nonlocal done
        for _ in range(each):
            answer = await student.edit()
            wrong.extend(filter(None, [answer.wrong]))
            done += 1
            if done % (each * len(students) // 30) == 0:
                edits.append(done)
                used.append(megabytes(app))

    await asyncio.gather(*map(one, students))
    return Memory(edits, used, wrong)


# One hostile student


class Beside(NamedTuple):
    """The others' times, calm and with a hostile student beside them."""

    calm: list[float]
    hostile: list[float]
    wrong: list[str]
    processor: float  # share of a core that the hostile student cost the app
    megabytes: float  # more than before
    did: str
    others: float

    @staticmethod
    def p95(took: list[float]) -> float:
        return statistics.quantiles(took, n=100, method="inclusive")[94]

    @property
    def ratio(self) -> float:
        return self.p95(self.hostile) / self.p95(self.calm)


async def beside(room: Room, kind: str, size: int, seconds: float, rounds: int) -> Beside:
    """Calm and hostile in turn, so that what else the machine does falls on both."""
    calm, hostile, wrong, shares, did, others = [], [], [], [], "", []
    before = megabytes(room.app)
    for _ in range(rounds):
        for took, is_hostile in ((calm, False), (hostile, True)):
            attack = await attacker(room.url, kind, 1 + room.think + seconds) if is_hostile else None
            await asyncio.sleep(1)
            watch, started = processor_seconds(room.app), time.monotonic()
            level = await room.hold(size, seconds)
            share = (processor_seconds(room.app) - watch) / (time.monotonic() - started)
            shares.append(share if is_hostile else -share)
            took += level.took
            wrong += level.wrong
            others.append(level.others)
            if attack:
                did = (await attack.communicate())[0].decode().strip()
    after = megabytes(room.app) - before
    return Beside(calm, hostile, wrong, sum(shares) / rounds, after, did, max(others))


async def attacker(url: str, kind: str, seconds: float) -> asyncio.subprocess.Process:
    command = [sys.executable, "-m", "benchmarks.hostile", kind, url, str(seconds)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    await process.stdout.readline()  # it begins
    return process


# The whole run


async def killed_replica(folder: Path, size: float) -> AsyncIterator[Row]:
    with serve_class(folder, 2) as room:
        students = await come(room.url, 30)
        fault = await through_a_fault(students, lambda: kill(replicas_of(room.process.pid)[:1]), after=12)
        text = f"{fault.cut} of 30 cut, all back after {fault.seconds:.1f} s, {len(fault.wrong)} wrong"
        met = fault.seconds <= SECONDS_OF_ERRORS and not fault.wrong and fault.cut > 0
        yield Row("one of two replicas killed", text, f"{SECONDS_OF_ERRORS:.0f} s, nothing lost", met)
        fault = await through_a_fault(students, lambda: kill(replicas_of(room.process.pid)), after=25)
        text = f"{fault.cut} of 30 cut, all back after {fault.seconds:.1f} s, {len(fault.wrong)} wrong"
        yield Row("all replicas killed", text, "nothing lost", not fault.wrong and fault.cut == 30)
        await leave(students)


async def cut_sockets(folder: Path, size: float) -> AsyncIterator[Row]:
    with serve(folder) as app:
        students = await come(app.url, 200)
        wrong = [(await student.edit()).wrong for student in students]
        kept, took, lost = await cut_all(students)
        wrong = [text for text in wrong + lost if text]
        text = f"back after {took:.1f} s, {kept} in the same session, {len(wrong)} wrong"
        yield Row("200 sockets cut at once", text, "nothing lost", not wrong)
        await leave(students)


async def many_sessions(folder: Path, size: float) -> AsyncIterator[Row]:
    number, first = round(1000 * size), 200
    with serve(folder) as app:
        processes = family(app.process.pid)
        wrong = await open_and_close(app.url, first)  # Streamlit keeps the last 128 for a while
        before = megabytes(processes)
        wrong += await open_and_close(app.url, number)
        more = megabytes(processes) - before
        text = f"{before:.0f} MB, {more:+.0f} MB afterwards, {len(wrong)} wrong"
        met = more <= MOST_MEGABYTES and not wrong
        yield Row(f"{number} sessions opened and closed", text, f"{MOST_MEGABYTES:.0f} MB", met)


async def hour_of_edits(folder: Path, size: float) -> AsyncIterator[Row]:
    n_students, each = 30, round(600 * size)
    with serve(folder) as app:
        students = await come(app.url, n_students)
        memory = await edit_for_long(students, each, family(app.process.pid))
        text = f"{memory.slope:+.1f} MB in 10,000 edits ({memory.megabytes[0]:.0f} to "
        text += f"{memory.megabytes[-1]:.0f} MB), {len(memory.wrong)} wrong"
        met = memory.slope <= MOST_SLOPE and not memory.wrong
        yield Row(f"{n_students * each} edits, collection off", text, f"{MOST_SLOPE:.0f} MB", met)
        await leave(students)


# Browsers

Tried = tuple[str, int, int]  # what was tried, how often, how often it was lost


def reloads(server: AppServer, browser: Browser, folder: Path, rng: Random, size: float) -> Tried:
    times = round(100 * size)
    return "reloads right after a key", times, losses.reload_right_after(tab(browser, server.url), times, rng)


def kills(server: AppServer, browser: Browser, folder: Path, rng: Random, size: float) -> Tried:
    times = round(20 * size)
    lost = losses.type_while_killed(tab(browser, server.url), server, times, rng)
    return f"numbers typed over {times} kills", times * 8, lost


def kills_before(server: AppServer, browser: Browser, folder: Path, rng: Random, size: float) -> Tried:
    times = round(10 * size)
    lost = losses.begun_anew_before_the_first(tab(browser, server.url), server, times)
    return "kills before the first number", times, lost


def backs(server: AppServer, browser: Browser, folder: Path, rng: Random, size: float) -> Tried:
    times = round(50 * size)
    return "Backs right after a key", times, losses.back_right_after(tab(browser, server.url), times, rng)


def replicas(server: AppServer, browser: Browser, folder: Path, rng: Random, size: float) -> Tried:
    times = round(50 * size)
    with serve(folder, server.script) as other, losses.switch_between(server, other) as switch:
        lost = losses.another_server_between(tab(browser, switch.url), switch, times, rng)
    return "switches of replica between two keys", times, lost


def tabs(server: AppServer, browser: Browser, folder: Path, rng: Random, size: float) -> Tried:
    context, times = browser.new_context(base_url=server.url), round(10 * size)
    return "two tabs with one link", times, losses.one_link_in_two_tabs(context.new_page, times)


def copies(server: AppServer, browser: Browser, folder: Path, rng: Random, size: float) -> Tried:
    times = round(20 * size)
    lost = losses.copied_right_after(tab(browser, server.url), times, rng)
    return "tabs copied right after a key", times, lost


def tab(browser: Browser, url: str) -> Page:
    return browser.new_context(base_url=url, viewport={"width": 1280, "height": 900}).new_page()


FORMS = (reloads, kills, kills_before, backs, replicas, tabs, copies)
SCRIPTS = ("server.py", "app.py")


def tried(form: Callable, script: str, folder: Path, seed: int, size: float) -> Row:
    """One way in which something could be lost, with a server and a browser of its own."""
    expect.set_options(timeout=30_000)
    with serve(folder, script) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**chromium.launch_options(chromium.find()))
        what, times, lost = form(server, browser, folder, Random(seed), size)
        browser.close()
    return Row(f"{script}: {what}", f"lost {lost} of {times} (seed {seed})", "0", lost == 0)


async def lost_or_twice(folder: Path, size: float) -> AsyncIterator[Row]:
    for script in SCRIPTS:
        for form in FORMS:
            yield await asyncio.to_thread(tried, form, script, folder, secrets.randbelow(10**6), size)


# Hostile input


async def mutated(folder: Path, size: float) -> AsyncIterator[Row]:
    """In a process of its own, which says its seed."""
    count = round(100_000 * size)
    command = [sys.executable, "-W", "error", "-m", "benchmarks.mutations", "--count", str(count)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        said = (await process.communicate())[0].decode()
    finally:
        if process.returncode is None:
            process.kill()
    print(said, end="", flush=True)
    seed = said.partition("\n")[0]
    text = "none raised, all refused soon" if process.returncode == 0 else "SEE ABOVE"
    yield Row(f"{count} links, acts and files", f"{text} ({seed})", "50 ms, 10 MB", process.returncode == 0)


async def open_every_example(url: str) -> None:
    """What a process computes once, for whoever comes first, is no hostile student's doing."""
    [student] = await come(url, 1)
    for preset in preset_ids():
        await student.act("choose", "preset", preset)
    await student.close()


async def hostile(folder: Path, size: float) -> AsyncIterator[Row]:
    seconds, rounds = 5.0, max(1, round(2 * size))
    with serve(folder) as app:
        await open_every_example(app.url)
        room = Room(LabStudent, app.url, app.process.pid, 1.0)
        await room.hold(30, 2)
        for kind in ATTACKS:
            found = await beside(room, kind, 30, seconds, rounds)
            calm, bad = found.p95(found.calm) * 1000, found.p95(found.hostile) * 1000
            text = f"p95 {calm:.0f} -> {bad:.0f} ms, x{found.ratio:.1f}, {found.processor:+.0%} of a core, "
            text += f"{found.megabytes:+.0f} MB" + (f", {len(found.wrong)} WRONG" if found.wrong else "")
            is_clean = found.others <= MOST_OF_OTHERS
            noise = "" if is_clean else f", not clean: {found.others:.0%}"
            # Where something else used the machine, a ratio says nothing; a wrong number always does.
            met = not found.wrong and (found.ratio < MOST_RATIO if is_clean else None)
            yield Row(f"hostile: {kind}, {found.did}", text, f"x{MOST_RATIO:.0f}{noise}", met)
        await room.fill(0)


PARTS = {
    "kill": killed_replica,
    "cut": cut_sockets,
    "sessions": many_sessions,
    "edits": hour_of_edits,
    "hostile": hostile,
    "losses": lost_or_twice,
    "mutations": mutated,
}
NEEDS_NGINX = {"kill"}
NEEDS_CHROMIUM = {"losses"}


async def run(parts: list[str], folder: str, size: float) -> list[Row]:
    rows = []
    for part in parts:
        if part in NEEDS_NGINX and nginx() is None:
            rows.append(Row(part, "not run: nginx is not installed", "", False))
            continue
        if part in NEEDS_CHROMIUM and chromium.find() is None:
            rows.append(Row(part, "not run: there is no Chromium", "", False))
            continue
        place = Path(folder) / part
        place.mkdir()
        started = time.monotonic()
        async for row in PARTS[part](place, size):
            print(row, flush=True)
            rows.append(row)
        print(f"  ({part}: {time.monotonic() - started:.0f} s)", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--size", type=float, default=1.0, help="how much of it, from 0.1")
    parser.add_argument("--minutes", type=float, default=120.0, help="when it ends in any case")
    settings = parser.parse_args()

    async def bounded() -> list[Row]:
        async with asyncio.timeout(settings.minutes * 60):
            return await run(settings.only, folder, settings.size)

    with tempfile.TemporaryDirectory() as folder:
        try:
            rows = asyncio.run(bounded())
        except TimeoutError:
            sys.exit(f"\nNot finished after {settings.minutes:g} minutes.")
        except CUT as error:
            sys.exit(f"\nThe app is gone: {error}")
    print("\n" + "\n".join(map(str, rows)))
    missed = sum(row.met is False for row in rows)
    print(f"\n{missed} of {len(rows)} missed" if missed else "\nall met")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
