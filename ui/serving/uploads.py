"""Files that students send: one at a time, not more often than by hand, and only the last few are kept."""

import asyncio
import re
import time

from streamlit import runtime

from ui.serving.log import TALLY
from ui.serving.sockets import Share

PATH = re.compile(r".*/_stcore/upload_file/(?P<session>[^/]+)/[^/]+")
MOST_KEPT = 3  # of a session; the Lab reads the last one
AT_ONCE, A_SECOND = 5.0, 0.5  # files of one session
MOST_SESSIONS = 1000  # that are remembered


class Uploads:
    """ASGI middleware in front of Streamlit's uploads, which keep every file until the session ends."""

    def __init__(self, app):
        self.app, self.one_at_a_time = app, asyncio.Lock()
        self.shares: dict[str, Share] = {}

    async def __call__(self, scope, receive, send) -> None:
        is_upload = scope["type"] == "http" and scope["method"] == "PUT" and PATH.fullmatch(scope["path"])
        if not is_upload:
            await self.app(scope, receive, send)
            return
        session = is_upload["session"]
        wait = self.share_of(session).wait(1.0, time.monotonic())
        if wait:
            TALLY.refused("upload.too_often")
            await asyncio.sleep(wait)  # nothing is read meanwhile: the sender holds the file
        async with self.one_at_a_time:
            await self.app(scope, receive, send)
        forget_older(session)

    def share_of(self, session: str) -> Share:
        share = self.shares.pop(session, None) or Share(AT_ONCE, A_SECOND)
        self.shares[session] = share  # the last one now
        if len(self.shares) > MOST_SESSIONS:
            del self.shares[next(iter(self.shares))]
        return share


def forget_older(session: str) -> None:
    """Keeps the last files of a session."""
    files = runtime.get_instance().uploaded_file_mgr
    for name in list(files.file_storage.get(session, {}))[:-MOST_KEPT]:
        files.remove_file(session, name)
