"""Students who wish the class no good, one kind of hostility each.

    python benchmarks/hostile.py flood http://127.0.0.1:8501 10

A process of its own, so that what it costs to be hostile is not taken for what it costs the others.
"""

import asyncio
import contextlib
import http.client
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from itertools import count, cycle
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg

from benchmarks.students import CUT, PATIENCE, LabStudent, cookies_of

A_SECOND = 1000  # messages
HUGE = 30_000_000  # bytes of a frame
A_FILE = 7_900_000  # bytes, just what is allowed

# Texts in place of a number, whole acts, and states of the component, none of which may change anything.
NO_NUMBERS = ("nan", "inf", "-1e999", "\0", "x" * 900, "9" * 100_000)
NO_ACTS = (
    ["edit", "x", -1, 10**9, "1"],
    ["edit", "none", 0, 0, "1"],
    ["edit", "x", None, [], {}],
    ["none"],
    [],
)
NO_STATES = ("7", "[]", '{"request": NaN}', '{"request": {"id": 1, "acts": 2}}', '{"request": []}')


# What a browser never says


def message(**fields) -> bytes:
    return BackMsg(**fields).SerializeToString()


def asking(student: LabStudent, state: str) -> BackMsg:
    """A run asked for with any state of the component at all."""
    asked = student.message()
    del asked.rerun_script.widget_states.widgets[:]
    asked.rerun_script.widget_states.widgets.add(id=student.widget, json_value=state)
    return asked


def reported(student: LabStudent, state: str) -> bytes:
    return asking(student, state).SerializeToString()


def acts_of(student: LabStudent, *acts) -> str:
    """A request of nobody's, so that its answer is not taken for one that is waited for."""
    return json.dumps({"request": student.asks([]) | {"id": 10**9, "acts": acts}})


def bad_states(student: LabStudent) -> Iterator[str]:
    """Of the workbench."""
    acts = [["edit", "x", 0, 0, text] for text in NO_NUMBERS] + list(NO_ACTS)
    yield from (acts_of(student, act) for act in acts)
    yield acts_of(student, None, "1", [], [1, "edit", "x", 0, 0, "5"])
    yield acts_of(student, *[["edit", "x", 0, 0, "5"]] * 1001)
    yield from NO_STATES


def bad_messages(student: LabStudent) -> Iterator[bytes]:
    """Which end no connection: Streamlit can read them."""
    yield from (reported(student, state) for state in bad_states(student))
    yield from (reported(student, state) for state in ("", "[" * 5000))  # Streamlit itself cannot read these
    yield from (message(clear_cache=True), message(stop_script=True), message(load_git_info=True))
    yield from (message(debug_shutdown_runtime=True), message(debug_disconnect_websocket=True), b"")
    foreign = student.message()
    foreign.rerun_script.widget_states.widgets.add(id="$$ID-0-none", json_value="{}")
    foreign.rerun_script.fragment_id = "0" * 32
    other_page = student.message()
    other_page.rerun_script.page_script_hash = "f" * 32
    yield from (foreign.SerializeToString(), other_page.SerializeToString())


# What one does for some seconds


async def send_often(student: LabStudent, frames: Iterator[bytes], until: float) -> int:
    """A thousand messages a second, or as many as are taken."""
    started, sent = time.monotonic(), 0
    with contextlib.suppress(CUT):
        while time.monotonic() < until:
            if sent < (time.monotonic() - started) * A_SECOND:
                await asyncio.wait_for(student.socket.send(next(frames)), max(0.0, until - time.monotonic()))
                sent += 1
            else:
                await asyncio.sleep(0.005)
    return sent


async def drained(student: LabStudent) -> None:
    """Reads on, as a browser does, until the connection ends."""
    with contextlib.suppress(CUT):
        async for _ in student.socket:
            pass


def flooding(frames: Callable[[LabStudent], Iterator[bytes]], reads: bool = True):
    """An attack with endless messages of one student."""

    async def attack(url: str, until: float) -> str:
        sent = 0
        while time.monotonic() < until:
            student = LabStudent(url, 900)
            await student.open()
            reading = asyncio.create_task(drained(student)) if reads else None
            with contextlib.suppress(TimeoutError):
                sent += await send_often(student, frames(student), until)
            student.socket.transport.abort()  # no farewell
            if reading:
                await reading
        return f"{sent} messages"

    return attack


def edits(student: LabStudent) -> Iterator[bytes]:
    for number in count(1):
        yield reported(student, acts_of(student, ["edit", "x", 0, 0, str(number % 1000)]))


def many_acts(student: LabStudent) -> Iterator[bytes]:
    """Hundreds of acts in each message, and the largest example among them."""
    presets = cycle(["vit_base", "textbook", "pixels_2x2"])
    while True:
        yield reported(student, acts_of(student, *(["choose", "preset", next(presets)] for _ in range(300))))


def whole_pages(student: LabStudent) -> Iterator[bytes]:
    pages = [student.message() for _ in range(2)]
    for place, page in enumerate(pages):
        page.rerun_script.query_string = f"s=none{place}"  # a link that cannot be read
    return cycle([page.SerializeToString() for page in pages])


def reconnecting(frame: bytes | str):
    """An attack with something that ends the connection, again and again."""

    async def attack(url: str, until: float) -> str:
        times = 0
        while time.monotonic() < until:
            student = LabStudent(url, 901)
            await student.open()
            with contextlib.suppress(*CUT, TimeoutError):
                async with asyncio.timeout(max(0.0, until - time.monotonic())):
                    await student.socket.send(frame)
                    await drained(student)
            student.socket.transport.abort()
            times += 1
        return f"{times} times"

    return attack


async def coming_and_going(url: str, until: float) -> str:
    """Opens the page ten times at once, leaves without a word, and comes again."""
    times = 0
    while time.monotonic() < until:
        students = [LabStudent(url, 902) for _ in range(10)]
        await asyncio.gather(*(student.open() for student in students), return_exceptions=True)
        for student in filter(lambda student: student.socket, students):
            student.socket.transport.abort()
        times += len(students)
    return f"{times} sessions"


def upload(student: LabStudent, name: str, content: bytes, token: str) -> int:
    """Sends a file as a browser does; the status of the answer."""
    split = urlsplit(student.url)
    connection = http.client.HTTPConnection(split.hostname, split.port, timeout=PATIENCE)
    head = f'--edge\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
    cookie = "; ".join(filter(None, [student.cookies, f"_streamlit_xsrf={token}"]))
    headers = {"Content-Type": "multipart/form-data; boundary=edge", "X-Xsrftoken": token, "Cookie": cookie}
    path = f"/_stcore/upload_file/{student.session_id}/{name}"
    try:
        connection.request("PUT", path, head + content + b"\r\n--edge--\r\n", headers)
        return connection.getresponse().status
    finally:
        connection.close()


def upload_token(url: str) -> str:
    """What Streamlit wants to see twice with an upload."""
    found = dict(part.partition("=")[::2] for part in cookies_of(url, "_stcore/health").split("; "))
    return found["_streamlit_xsrf"]


async def uploads(url: str, until: float) -> str:
    """One file after the other, each with another name."""
    student, token = LabStudent(url, 903), await asyncio.to_thread(upload_token, url)
    await student.open()
    reading, statuses = asyncio.create_task(drained(student)), []
    for number in count():
        if time.monotonic() >= until:
            break
        with contextlib.suppress(CUT):
            statuses.append(await asyncio.to_thread(upload, student, f"{number}.npy", b"\0" * A_FILE, token))
    await student.close()
    await reading
    return f"{len(statuses)} files, {statuses.count(204)} taken"


Attack = Callable[[str, float], Awaitable[str]]
ATTACKS: dict[str, Attack] = {
    "flood": flooding(edits),
    "pages": flooding(whole_pages),
    "nonsense": flooding(lambda student: cycle([*bad_messages(student)])),
    "many acts": flooding(many_acts),
    "clear cache": flooding(lambda student: cycle([message(clear_cache=True)])),
    "deaf": flooding(edits, reads=False),
    "bad frames": reconnecting(b"\xff" * 1000),
    "text frames": reconnecting("text"),
    "huge frames": reconnecting(b"\0" * HUGE),
    "sessions": coming_and_going,
    "uploads": uploads,
}


def main() -> None:
    kind, url, seconds = sys.argv[1:]
    print("begins", flush=True)  # what it took to get here is nobody's fault
    print(asyncio.run(ATTACKS[kind](url, time.monotonic() + float(seconds))), flush=True)


if __name__ == "__main__":
    main()
