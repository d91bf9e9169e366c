"""Faults and hostile students in short, with real processes: counts, numbers and memory, but no times.

`make soak` is the long form, and measures.
"""

import asyncio
import contextlib
import re
import time

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from benchmarks.class_load import family, megabytes
from benchmarks.hostile import A_FILE, ATTACKS, HUGE, asking, upload, upload_token
from benchmarks.soak import come, cut_all, edit_for_long, leave, open_and_close
from benchmarks.students import CUT, LabStudent, get

from .browser.server import serve

SECRET = "355081"  # typed by students; no line of the log may hold it


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """With a summary every second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QKV_METRICS_SECONDS", "1")
        with serve(tmp_path_factory.mktemp("faults")) as running:
            yield running


def used(server):
    return megabytes(family(server.process.pid))


async def beside(server, attack, seconds=1.5):
    """What was wrong for five students who worked beside a hostile one."""
    students = await come(server.url, 5)
    attacking = asyncio.create_task(ATTACKS[attack](server.url, time.monotonic() + seconds))
    wrong = []
    while not attacking.done():
        wrong += [answer.wrong for answer in await asyncio.gather(*(one.edit() for one in students))]
        await asyncio.sleep(0.1)
    await attacking
    wrong += [answer.wrong for answer in await asyncio.gather(*(one.edit() for one in students))]
    await leave(students)
    return set(wrong)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_student_costs_nobody_a_number(server, attack):
    before = used(server)
    assert asyncio.run(beside(server, attack)) == {""}
    assert used(server) - before < 150  # megabytes; a hundred uploads without a limit have 800
    assert server.process.poll() is None
    assert get(server.url, "_stcore/health")[0].text == "ok"


def test_sockets_cut_at_once_cost_nobody_a_number(server):
    async def lesson():
        students = await come(server.url, 100)
        await asyncio.gather(*(student.edit() for student in students))
        kept, _, wrong = await cut_all(students)
        assert wrong == []
        assert kept == 100  # Streamlit keeps 128 sessions that were cut
        await leave(students)

    asyncio.run(lesson())


def test_sessions_leave_no_memory_behind(server):
    assert asyncio.run(open_and_close(server.url, 40)) == []
    before = used(server)
    assert asyncio.run(open_and_close(server.url, 100)) == []
    assert used(server) - before < 50


def test_edits_leave_no_memory_behind(server):
    async def lesson():
        students = await come(server.url, 5)
        memory = await edit_for_long(students, 120, family(server.process.pid))
        await leave(students)
        return memory

    memory = asyncio.run(lesson())
    assert memory.wrong == []
    assert memory.megabytes[-1] - memory.megabytes[0] < 40
    assert len(memory.edits) > 20


# What is refused


def test_a_frame_that_is_too_large_is_not_read(server):
    async def lesson():
        [student] = await come(server.url, 1)
        before = used(server)
        with contextlib.suppress(*CUT):  # it is closed before all is sent
            await student.socket.send(b"\0" * HUGE)
        await asyncio.wait_for(student.socket.wait_closed(), 20)
        assert used(server) - before < HUGE / 1e6
        return student.socket.close_code

    assert asyncio.run(lesson()) == 1009


@pytest.mark.parametrize(
    ("frame", "closed", "told"),
    [
        ("text", 1003, "refused socket.text\n"),
        (b"\xff" * 1000, 1002, "Error deserializing back message"),  # by Streamlit itself
    ],
)
def test_what_is_no_message_ends_the_connection(server, frame, closed, told):
    async def lesson():
        [student] = await come(server.url, 1)
        await student.socket.send(frame)
        await asyncio.wait_for(student.socket.wait_closed(), 20)
        return student.socket.close_code

    before = server.log.count(told)
    assert asyncio.run(lesson()) == closed
    assert server.log.count(told) == before + 1


def test_only_the_last_files_of_a_session_are_kept(server):
    async def lesson():
        [student] = await come(server.url, 1)
        token = await asyncio.to_thread(upload_token, server.url)
        before = used(server)
        statuses = [
            await asyncio.to_thread(upload, student, f"{number}.npy", b"\1" * A_FILE, token)
            for number in range(7)
        ]
        assert statuses == [204] * 7
        assert used(server) - before < 6 * A_FILE / 1e6
        await leave([student])

    asyncio.run(lesson())


# What is said


def test_the_log_says_what_happened_and_nothing_that_anybody_typed(tmp_path, monkeypatch):
    monkeypatch.setenv("QKV_METRICS_SECONDS", "1")

    async def lesson(url):
        student = LabStudent(url, 1)
        await student.open()
        assert (await student.type(0, 0, float(SECRET))).wrong == ""
        await student.act("edit", "x", 0, 0, f"no number {SECRET}")
        await student.act("edit", "x", 0, 0, f"nan{SECRET}")
        await student.close()
        hostile = LabStudent(url, 2, query=f"s={SECRET}")
        await hostile.open()
        await hostile.ask(asking(hostile, f"[{SECRET}"))  # Streamlit cannot read it
        await hostile.socket.send(SECRET)
        await hostile.socket.wait_closed()
        with pytest.raises(InvalidStatus):  # Streamlit would name the site
            await connect(f"{url.replace('http', 'ws')}/_stcore/stream", origin=f"http://{SECRET}.example")
        await asyncio.sleep(1.2)  # until there is a summary

    with serve(tmp_path, options=["--logger.hideWelcomeMessage=true"]) as app:
        asyncio.run(lesson(app.url))
        log = app.log
    assert SECRET not in log
    assert "127.0.0.1" not in log
    lines = [line.partition(" ")[2] for line in log.splitlines()]
    assert "session 1 opened (1 open)" in lines
    assert {"refused edit.no_number", "refused socket.text"} <= set(lines)
    assert any(line.startswith("refused link.") for line in lines)
    assert any(re.fullmatch(r"session 1 closed after \d+ s: \d+ messages", line) for line in lines)
    summary = r"\d+ sessions, \d+ edits in 1 s, 95 of 100 answers within \d+ ms.*"
    assert any(re.fullmatch(summary, line) for line in lines)
    assert "Rejecting WebSocket connection" in log
    assert "JSONDecodeError" in log  # what a library met is still told, without its words


@pytest.mark.parametrize(("level", "is_told"), [("warning", False), ("info", True)])
def test_how_much_is_said_is_a_setting(tmp_path, monkeypatch, level, is_told):
    monkeypatch.setenv("QKV_LOG", level)

    async def lesson(url):
        await leave(await come(url, 1))

    with serve(tmp_path) as app:
        asyncio.run(lesson(app.url))
        assert ("session 1 opened" in app.log) == is_told
