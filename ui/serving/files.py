"""Files that are the same for everyone: compressed once and kept, however many students come at once."""

import asyncio
import gzip
from typing import NamedTuple

from ui.paths import STATIC
from ui.streamlit.private import FILE

PACKED = (b"javascript", b"text/css", b"json", b"svg", b"text/plain")
MOST_BYTES = 64_000_000  # kept
KEPT_HEADERS = (b"content-type", b"cache-control", b"etag", b"last-modified", b"x-content-type-options")
KEPT_HEADERS += (b"access-control-allow-origin",)


class File(NamedTuple):
    """An answer as it is sent."""

    made: int  # when the file was changed last; 0 for one that never changes
    headers: list[tuple[bytes, bytes]]
    body: bytes
    etag: bytes


class Files:
    """ASGI middleware that answers from memory; what it does not know, it asks the app for, once."""

    def __init__(self, app):
        self.app, self.size = app, 0
        self.files: dict[str, File] = {}
        self.coming: dict[str, asyncio.Lock] = {}

    async def __call__(self, scope, receive, send) -> None:
        match = (
            FILE.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        )
        asked = dict(scope["headers"]) if match else {}
        if not match or b"gzip" not in asked.get(b"accept-encoding", b"") or b"range" in asked:
            await self.app(scope, receive, send)
            return
        file = await self.file(scope, changed(match["name"]) if match["ours"] else 0)
        if file is None:
            await self.app(scope, receive, send)
        elif file.etag and asked.get(b"if-none-match") == file.etag:
            await answer(
                send, 304, [header for header in file.headers if not header[0].startswith(b"content-")]
            )
        else:
            await answer(send, 200, file.headers, file.body)

    async def file(self, scope, made: int) -> File | None:
        """What is kept for this path, after the app was asked for it where nothing is."""
        path = scope["path"]
        known = self.files.get(path)
        if known and known.made == made:
            return known
        if made < 0 or self.size > MOST_BYTES:
            return None
        async with self.coming.setdefault(path, asyncio.Lock()):
            known = self.files.get(path)
            if not known or known.made != made:
                known = await self.fetched(scope, made)
                if known:
                    self.files[path] = known
                    self.size = sum(len(file.body) for file in self.files.values())
        self.coming.pop(path, None)
        return known

    async def fetched(self, scope, made: int) -> File | None:
        """The app's own answer, packed; None for what is no file."""
        plain = [(name, value) for name, value in scope["headers"] if name in (b"host", b"user-agent")]
        status, headers, parts = 0, [], []

        async def receive():
            await asyncio.Event().wait()  # nothing more comes, and nobody leaves

        async def send(message):
            nonlocal status, headers
            if message["type"] == "http.response.start":
                status, headers = message["status"], message["headers"]
            else:
                parts.append(message.get("body", b""))

        await self.app({**scope, "headers": plain}, receive, send)
        kind = dict(headers).get(b"content-type", b"")
        if status != 200 or kind.startswith(b"text/html"):  # a page stands in for what is missing
            return None
        return await asyncio.to_thread(packed, made, headers, b"".join(parts))


def changed(name: str) -> int:
    """When a file of ours was changed last; -1 if it is not there."""
    try:
        return (STATIC / name).stat().st_mtime_ns
    except OSError:
        return -1


def packed(made: int, headers: list[tuple[bytes, bytes]], body: bytes) -> File:
    kept = [(name, value) for name, value in headers if name in KEPT_HEADERS]
    known = dict(kept)
    if any(kind in known.get(b"content-type", b"") for kind in PACKED) and len(body) > 500:
        body = gzip.compress(body, 6, mtime=0)
        kept += [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
    kept.append((b"content-length", str(len(body)).encode()))
    return File(made, kept, body, known.get(b"etag", b""))


async def answer(send, status: int, headers: list[tuple[bytes, bytes]], body: bytes = b"") -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
