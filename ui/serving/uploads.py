"""Files that students send: one at a time, not more often than by hand, and only the last few are kept."""

import asyncio
import time

from ui.serving.log import LOG, TALLY
from ui.serving.sockets import TokenBucket
from ui.streamlit.private import upload_of

MOST_KEPT = 3  # of a session; the Lab reads the last one
AT_ONCE, A_SECOND = 5.0, 0.5  # files of one session
MOST_SESSIONS = 1000  # that are remembered


class Uploads:
    """ASGI middleware in front of Streamlit's uploads, which keep every file until the session ends."""

    def __init__(self, app):
        self.app, self.one_at_a_time = app, asyncio.Lock()
        self.sessions: dict[
            str, tuple[TokenBucket, list[str]]
        ] = {}  # what each may send, and the paths of its files

    async def __call__(self, scope, receive, send) -> None:
        upload = upload_of(scope)
        if upload is None:
            await self.app(scope, receive, send)
            return
        bucket, paths = self.session(upload[0])
        wait = bucket.wait(1.0, time.monotonic())
        if wait:
            TALLY.refused("upload.too_often")
            await asyncio.sleep(wait)  # nothing is read meanwhile: the sender holds the file
        async with self.one_at_a_time:
            await self.pass_on(scope, receive, send)
        paths.append(scope["path"])
        while len(paths) > MOST_KEPT:
            await self.remove({**scope, "path": paths.pop(0)})

    async def pass_on(self, scope, receive, send) -> None:
        """A file that the learner takes away again while it is sent is no fault."""
        gone = False

        async def receive_or_leave():
            nonlocal gone
            event = await receive()
            gone = gone or event["type"] == "http.disconnect"
            return event

        try:
            await self.app(scope, receive_or_leave, send)
        except Exception:
            if not gone:
                raise
            LOG.info("an upload was broken off")

    def session(self, name: str) -> tuple[TokenBucket, list[str]]:
        found = self.sessions.pop(name, None) or (TokenBucket(AT_ONCE, A_SECOND), [])
        self.sessions[name] = found  # the last one now
        if len(self.sessions) > MOST_SESSIONS:
            del self.sessions[next(iter(self.sessions))]
        return found

    async def remove(self, scope) -> None:
        """Asks Streamlit to forget a file, as a browser does, with the rights of the one who sent the newest."""

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_message):
            pass

        path = {"path": scope["path"], "raw_path": scope["path"].encode()}
        await self.app({**scope, **path, "method": "DELETE"}, receive, send)
