"""A class at once, in short: real processes, Streamlit's own protocol, counts and numbers but no times.

`make bench-class` measures.
"""

import asyncio
import re

import pytest

from benchmarks.class_load import Level, summed
from benchmarks.hostile import acts_of, asking, bad_messages, bad_states, drained, reported
from benchmarks.students import LabStudent, UsualStudent, get

from .browser.server import serve


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serve(tmp_path_factory.mktemp("class")) as running:
        yield running


async def opened(url, number, first=1):
    """Students who all came at once."""
    students = [LabStudent(url, first + place) for place in range(number)]
    answers = await asyncio.gather(*(student.open() for student in students))
    assert [answer.wrong for answer in answers] == [""] * number
    return students


async def all_edit(students, times):
    """What went wrong while each edited `times` times, all at once."""

    async def edits(student):
        return [(await student.edit()).wrong for _ in range(times)]

    return {wrong for each in await asyncio.gather(*map(edits, students)) for wrong in each} - {""}


async def leave(students):
    await asyncio.gather(*(student.close() for student in students))


def test_everyone_sees_the_numbers_they_typed_and_no_others(server):
    async def lesson():
        students = await opened(server.url, 8)
        assert await all_edit(students, 4) == set()
        assert len({str(student.shown()) for student in students}) == 8
        assert len({student.link for student in students}) == 8
        await leave(students)

    asyncio.run(lesson())


def test_a_lost_or_foreign_number_is_seen(server):
    """The check itself: an answer without the number typed, or with another's, is an error."""

    async def lesson():
        students = await opened(server.url, 2)
        students[0].x[1][1] = 99.0  # as if it had been typed and lost
        assert "99.0" in (await students[0].edit()).wrong
        await students[0].edit()
        students[1].state = students[0].state  # as if another's answer had been taken
        assert (await students[1].edit()).wrong
        await leave(students)

    asyncio.run(lesson())


def test_a_cut_connection_and_a_killed_server_cost_nobody_a_number(server):
    async def lesson():
        students = await opened(server.url, 4)
        assert await all_edit(students, 2) == set()
        await leave(students)
        await asyncio.gather(*(student.open() for student in students))
        assert [student.fault() for student in students] == [""] * 4
        assert not any(student.resumed for student in students)
        server.restart()
        lost = [(await student.edit()).wrong for student in students]  # typed while nobody was there
        assert all(wrong.startswith("cut") for wrong in lost)
        await asyncio.gather(*(student.open() for student in students))
        assert all(student.resumed for student in students)
        assert [student.fault() for student in students] == [""] * 4  # what was typed then is there
        assert await all_edit(students, 1) == set()
        await leave(students)

    asyncio.run(lesson())


async def send_all(student, frames):
    for frame in frames:
        await student.socket.send(frame)


def test_students_who_send_nonsense_harm_nobody_else(server):
    async def lesson():
        students = await opened(server.url, 4)
        hostile = await opened(server.url, 5, first=50)
        reading = [asyncio.create_task(drained(student)) for student in hostile[1:]]
        flood = [reported(hostile[2], acts_of(hostile[2], ["edit", "x", 0, 0, str(n)])) for n in range(200)]
        attacks = [
            send_all(hostile[0], [flood[0]] * 50),  # and reads nothing
            send_all(hostile[1], bad_messages(hostile[1])),
            send_all(hostile[2], flood),
            send_all(hostile[3], [b"\xff" * 1000]),
            send_all(hostile[4], ["text"]),
        ]
        wrong, *_ = await asyncio.gather(all_edit(students, 5), *attacks)
        assert wrong == set()
        late = await opened(server.url, 1, first=90)
        assert await all_edit(students + late, 2) == set()
        await asyncio.wait(reading[2:], timeout=20)
        assert all(task.done() for task in reading[2:])  # what is no message ends the connection
        await leave(students + late + hostile)
        await asyncio.gather(*reading, return_exceptions=True)

    asyncio.run(lesson())
    assert server.process.poll() is None


def test_a_student_who_sends_nonsense_goes_on_with_the_same_numbers(server):
    async def lesson():
        [student] = await opened(server.url, 1)
        assert await all_edit([student], 2) == set()
        sentences = set()
        for state in bad_states(student):
            assert (await student.ask(asking(student, state))).wrong == "", state[:100]
            assert student.shown() == student.x, state[:100]
            sentences.add(student.data["message"].get("sentence", ""))
        assert sentences - {""}  # which say why
        assert await all_edit([student], 2) == set()
        await student.close()

    asyncio.run(lesson())


def active_sessions(url):
    [metrics] = get(url, "_stcore/metrics")
    return int(re.search(r"^active_sessions(?:\{.*\})? (\d+)", metrics.text, re.MULTILINE)[1])


def test_sessions_that_are_left_are_given_up(server):
    async def lesson():
        before = await asyncio.to_thread(active_sessions, server.url)
        for _ in range(3):
            students = await opened(server.url, 10)
            assert await asyncio.to_thread(active_sessions, server.url) >= 10
            await leave(students)
        for _ in range(200):
            if await asyncio.to_thread(active_sessions, server.url) <= before:
                return
            await asyncio.sleep(0.05)
        pytest.fail("sessions are still there")

    asyncio.run(lesson())


# The benchmark itself


def level(took, wrong=(), others=0.0):
    return Level(10, list(took), list(wrong), 5, 4000, others)


def test_a_class_holds_while_it_is_fast_and_right():
    assert level([0.1] * 100).holds
    assert level([0.1] * 96 + [2] * 4).holds
    assert not level([0.1] * 90 + [2] * 10).holds
    assert not level([0.1] * 100, wrong=["typed 1, shown 2"]).holds
    assert not level([]).holds


def test_a_run_is_not_clean_when_something_else_used_the_machine():
    assert level([0.1] * 9, others=0.02).is_clean
    assert "not clean" in str(level([0.1] * 9, others=0.3))


def test_what_went_wrong_is_counted():
    assert summed(["cut", "cut", "late"]) == [("cut", 2), ("late", 1)]


@pytest.mark.parametrize("kind", [LabStudent, UsualStudent])
def test_only_this_machine_is_put_under_load(kind):
    with pytest.raises(ValueError, match="on this machine"):
        kind("http://example.org:8501")
