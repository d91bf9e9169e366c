"""The sockets of the students: each has a rate limit, so that nobody takes the others' turns.

A student who sends more than a browser does is not cut off but waits: nothing more is read from that socket,
so the sender has to hold on to it. How large a message may be is an option of Streamlit's.
"""

import asyncio
import math
import time
from itertools import count

from ui.serving.files import answer
from ui.serving.log import LOG, TALLY
from ui.streamlit.private import is_health, is_socket

A_SECOND = 8.0  # messages in the long run
AT_ONCE = 250.0  # and after a pause: an experiment asks for twenty a second, a held key for thirty
OPENING = 4.0  # messages that the opening of a page counts for
PAGES_AT_ONCE, PAGES_A_SECOND = 120.0, 20.0  # of all students together
LONGEST_WAIT = 5.0  # seconds, for a page
UNREADABLE, TOO_LARGE = 1003, 1009  # why a socket is closed; of a frame too large only the head was read


class TokenBucket:
    """How much one student may send."""

    def __init__(self, at_once: float = AT_ONCE, a_second: float = A_SECOND, longest: float = math.inf):
        self.at_once, self.a_second, self.longest = at_once, a_second, longest
        self.left, self.at = at_once, -math.inf

    def wait(self, cost: float, now: float) -> float:
        """Takes from the bucket; how many seconds the student has to wait for that."""
        self.left = min(self.at_once, self.left + (now - self.at) * self.a_second) - cost
        self.left = max(self.left, -self.longest * self.a_second)
        self.at = now
        return max(0.0, -self.left / self.a_second)


class Connection:
    """One socket of one student."""

    numbers = count(1)

    def __init__(self, receive, send, pages: TokenBucket):
        self.receive, self.send, self.pages = receive, send, pages
        self.number, self.opened = next(self.numbers), time.monotonic()
        self.bucket = TokenBucket()
        self.messages, self.slowed, self.closed = 0, False, False

    async def next_message(self) -> dict:
        """The next message, when its turn has come; text is none, and ends the connection."""
        event = await self.receive()
        if event["type"] != "websocket.receive":
            if event.get("code") == TOO_LARGE:
                TALLY.refused("socket.too_large")
            return event
        if event.get("bytes") is None:
            TALLY.refused("socket.text")
            await self.pass_on({"type": "websocket.close", "code": UNREADABLE})
            self.closed = True
            return {"type": "websocket.disconnect", "code": UNREADABLE}
        self.messages += 1
        await self.wait_for_turn()
        return event

    async def wait_for_turn(self) -> None:
        opens = self.messages == 1
        wait = self.bucket.wait(OPENING if opens else 1.0, time.monotonic())
        if wait and not self.slowed:
            TALLY.refused("socket.too_often")
            self.slowed = True
        if opens:
            wait += self.pages.wait(1.0, time.monotonic())
        if wait:
            await asyncio.sleep(wait)

    async def pass_on(self, event: dict) -> None:
        if not self.closed:
            await self.send(event)


class Sockets:
    """ASGI middleware around Streamlit's socket; it also says when nobody is answered any more."""

    def __init__(self, app):
        self.app = app
        self.pages = TokenBucket(PAGES_AT_ONCE, PAGES_A_SECOND, LONGEST_WAIT)

    async def __call__(self, scope, receive, send) -> None:
        if is_socket(scope):
            await self.serve(scope, receive, send)
        elif is_health(scope) and TALLY.is_stuck():
            LOG.error("nobody is answered any more")
            await answer(send, 503, [(b"content-length", b"0"), (b"cache-control", b"no-cache")])
        else:
            await self.app(scope, receive, send)

    async def serve(self, scope, receive, send) -> None:
        connection = Connection(receive, send, self.pages)
        TALLY.open += 1
        LOG.info("session %d opened (%d open)", connection.number, TALLY.open)
        try:
            await self.app(scope, connection.next_message, connection.pass_on)
        finally:
            TALLY.open -= 1
            seconds = time.monotonic() - connection.opened
            LOG.info(
                "session %d closed after %.0f s: %d messages", connection.number, seconds, connection.messages
            )
