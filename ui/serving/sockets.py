"""The sockets of the students: each has its share, and what is no message is refused before it costs much.

A student who sends more than a browser does is not cut off but waits: nothing more is read from that socket,
so the sender has to hold on to it. Pages are opened one after the other: those who are there come first.
"""

import asyncio
import contextlib
import gc
import math
import socket
import time
from itertools import count

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from ui.serving.files import answer
from ui.serving.log import LOG, TALLY

PATH = "/_stcore/stream"
MOST_BYTES = 2_000_000  # of a message; a thousand acts have a few hundred thousand
A_SECOND = 8.0  # messages in the long run
AT_ONCE = (
    250.0  # and after a pause: an experiment asks for twenty a second, a key that is held down for thirty
)
OPENING = 4.0  # messages that the opening of a page counts for
PAGES_AT_ONCE, PAGES_A_SECOND = 120.0, 20.0  # of all students together
LONGEST_WAIT = 5.0  # seconds, for a page
SECONDS_TO_OPEN = 0.5  # after which the next one's turn has come anyway
STUCK = 90.0  # seconds without any answer while somebody waits
TOO_LARGE = (
    1009  # why a socket was closed: a frame above server.maxMessageSize, of which only the head was read
)
LONGEST_END = 200  # bytes of the message that says that a run is over


class Share:
    """How much one student may send: a stock that fills up again."""

    def __init__(self, at_once: float = AT_ONCE, a_second: float = A_SECOND, longest: float = math.inf):
        self.at_once, self.a_second, self.longest = at_once, a_second, longest
        self.left, self.at = at_once, -math.inf

    def wait(self, cost: float, now: float) -> float:
        """Takes from the stock; how many seconds the student has to wait for that."""
        self.left = min(self.at_once, self.left + (now - self.at) * self.a_second) - cost
        self.left = max(self.left, -self.longest * self.a_second)
        self.at = now
        return max(0.0, -self.left / self.a_second)


class Connection:
    """One socket of one student."""

    numbers = count(1)

    def __init__(self, receive, send, pages: Share, gate: asyncio.Lock):
        self.receive, self.send, self.pages, self.gate = receive, send, pages, gate
        self.number, self.opened = next(self.numbers), time.monotonic()
        self.share = Share()
        self.asked = 0.0  # when the run began that is not over, if there is one
        self.sending, self.closed = False, False
        self.opening: asyncio.TimerHandle | None = None  # the page is being opened
        self.messages, self.answers, self.slowed = 0, 0, False
        self.page: str | None = None  # that was asked for last over this socket

    async def next_message(self) -> dict:
        """The next message that may be passed on; what is none ends the connection."""
        event = await self.receive()
        if event["type"] != "websocket.receive":
            if event.get("code") == TOO_LARGE:
                TALLY.refused("socket.too_large")
            return event
        reason, message = read(event)
        if reason:
            TALLY.refused(f"socket.{reason}")
            await self.pass_on({"type": "websocket.close", "code": 1003})
            self.closed = True
            return {"type": "websocket.disconnect", "code": 1003}
        self.messages += 1
        await self.wait_for_turn(message)
        return event

    async def wait_for_turn(self, message: BackMsg) -> None:
        runs = message.HasField("rerun_script")
        opens = runs and self.page != message.rerun_script.page_script_hash
        if opens:
            self.page = message.rerun_script.page_script_hash
        wait = self.share.wait(OPENING if opens else 1.0, time.monotonic())
        if wait:
            if not self.slowed:
                TALLY.refused("socket.too_often")
            self.slowed = True
            await asyncio.sleep(wait)
        if opens and not self.opening:
            await asyncio.sleep(self.pages.wait(1.0, time.monotonic()))
            await self.gate.acquire()
            self.opening = asyncio.get_running_loop().call_later(SECONDS_TO_OPEN, self.is_open)
        if runs and not self.asked:
            self.asked = time.monotonic()

    def is_open(self) -> None:
        """The next page may be opened."""
        if self.opening:
            self.opening.cancel()
            self.opening = None
            self.gate.release()

    async def pass_on(self, event: dict) -> None:
        """Sends to the browser; a run that is over has its time taken."""
        if self.closed:
            return
        if self.asked and ends_a_run(event.get("bytes")):
            TALLY.answered(time.monotonic() - self.asked)
            self.asked, self.answers = 0.0, self.answers + 1
            self.is_open()
        self.sending = True
        await self.send(event)
        self.sending = False


def read(event: dict) -> tuple[str, BackMsg | None]:
    """Why a frame is refused, and otherwise the message in it."""
    frame = event.get("bytes")
    if frame is None:
        return "text", None
    if len(frame) > MOST_BYTES:
        return "too_large", None
    try:
        return "", BackMsg.FromString(frame)
    except Exception:  # protobuf has one of its own for each way that it is built
        return "no_message", None


def ends_a_run(frame: bytes | None) -> bool:
    if not frame or len(frame) > LONGEST_END:
        return False
    message = ForwardMsg.FromString(frame)
    finished = message.WhichOneof("type") == "script_finished"
    return finished and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN


class Sockets:
    """ASGI middleware around Streamlit's socket; it also knows whether anybody is answered."""

    def __init__(self, app):
        self.app, self.gate = app, asyncio.Lock()
        self.pages = Share(PAGES_AT_ONCE, PAGES_A_SECOND, LONGEST_WAIT)
        self.connections: set[Connection] = set()

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] == "websocket" and scope["path"].endswith(PATH):
            await self.serve(scope, receive, send)
        elif scope["type"] == "http" and scope["path"].endswith("/_stcore/health") and self.is_stuck():
            LOG.error("nobody is answered any more")
            await answer(send, 503, [(b"content-length", b"0"), (b"cache-control", b"no-cache")])
        else:
            await self.app(scope, receive, send)

    async def serve(self, scope, receive, send) -> None:
        connection = Connection(receive, send, self.pages, self.gate)
        self.connections.add(connection)
        TALLY.open = len(self.connections)
        back = "came back" if len(scope["subprotocols"]) > 2 else "opened"
        LOG.info("session %d %s (%d open)", connection.number, back, TALLY.open)
        try:
            await self.app(scope, connection.next_message, connection.pass_on)
        finally:
            connection.is_open()
            self.connections.discard(connection)
            TALLY.open = len(self.connections)
            seconds = time.monotonic() - connection.opened
            counts = (connection.number, seconds, connection.messages, connection.answers)
            LOG.info("session %d closed after %.0f s: %d messages, %d answers", *counts)

    def is_stuck(self) -> bool:
        """Whether somebody who listens has waited for long, and nobody else was answered since."""
        long_ago = time.monotonic() - STUCK
        waiting = [one.asked for one in self.connections if one.asked and not one.sending]
        return bool(waiting) and min(waiting) < long_ago and TALLY.last_answer < long_ago


def send_at_once() -> None:
    """Small messages are not held back until the browser has acknowledged the one before: up to 40 ms each.

    Python's event loop sees to that, but not for the socket that Streamlit makes, which does not say that it
    is one of TCP. What is set where connections are awaited holds for all of them.
    """
    for found in gc.get_objects():
        if (
            type(found) is socket.socket
            and found.fileno() >= 0
            and found.family != getattr(socket, "AF_UNIX", 0)
        ):
            with contextlib.suppress(OSError):
                if found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
