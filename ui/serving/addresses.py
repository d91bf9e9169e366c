"""Addresses that Streamlit answers so that a browser cannot go on: what lies below a page."""

from urllib.parse import quote

from ui.serving.files import answer
from ui.serving.headers import is_html
from ui.streamlit.private import is_search

LONGEST = 100  # characters of an address that are repeated
UNREADABLE = "1/"  # how a link begins that the page calls incomplete
NOT_HERE = 300  # neither a success nor, in the console, an error: the browser looks further up


class Addresses:
    """ASGI middleware. There are no pages below pages: what is asked there is shown by the page above.

    The rest of the address goes where a link would be, so the page says that it is incomplete.
    """

    def __init__(self, app, base: str = ""):
        self.app, self.base = app, f"/{base.strip('/')}".rstrip("/")

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if is_search(scope, self.base):
            await answer(send, NOT_HERE, [(b"content-length", b"0"), (b"cache-control", b"no-cache")])
            return
        parts = scope["path"].removeprefix(self.base).strip("/").split("/")
        if len(parts) > 1 and parts[0] != "static":
            send = self.to_page_above(parts, scope["query_string"], send)
        await self.app(scope, receive, send)

    def to_page_above(self, parts: list[str], query: bytes, send):
        """Sends on what the app says, but not Streamlit's page, which could load nothing from there."""
        moved = False

        async def send_or_move(message) -> None:
            nonlocal moved
            if message["type"] == "http.response.start" and is_page(message):
                moved = True
                rest = UNREADABLE + "/".join(parts[1:])[:LONGEST]
                asked = query.decode("latin-1") or f"s={quote(rest, safe='')}"
                place = "../" * (len(parts) - 1) + quote(parts[0], safe="") + "?" + asked
                headers = [(b"location", place.encode("latin-1")), (b"content-length", b"0")]
                await answer(send, 307, [*headers, (b"cache-control", b"no-cache")])
            elif not moved:
                await send(message)

        return send_or_move


def is_page(start: dict) -> bool:
    """Whether this is a page to be shown, and no file of HTML to be kept."""
    kept = any(name.lower() == b"content-disposition" for name, _ in start["headers"])
    return start["status"] == 200 and is_html(start["headers"]) and not kept
