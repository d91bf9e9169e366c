"""What a browser may do with a page: said with every answer, so that no proxy in front has to know it."""

import re
from collections.abc import Sequence

SETTING = "QKV_FRAMED_BY"  # of the environment
WORDS = ("self", "none", "*")
# A scheme, a host (with "*." in front: all below it) and perhaps a port; no path, nothing that ends a header.
ORIGIN = re.compile(r"https?://(?:(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::\d{1,5})?")


def frame_ancestors(setting: str) -> str:
    """The policy for self, none, * or origins with a space between; ValueError for anything else."""
    parts = [part.strip("'").lower() for part in setting.split(" ") if part]
    alone = len(parts) == 1 and parts[0] in WORDS
    if not alone and not (parts and all(part == "self" or ORIGIN.fullmatch(part) for part in parts)):
        raise ValueError(
            "QKV_FRAMED_BY says who may show the Lab in a frame: self, none, *, "
            "or sites as https://school.example, with a space between two of them and no path."
        )
    return "frame-ancestors " + " ".join(f"'{part}'" if part in ("self", "none") else part for part in parts)


# A host and perhaps a port, as browsers write them; anything else is not repeated in a header.
HOST = re.compile(rb"(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?")
# Streamlit and Plotly set styles within the page; components come as scripts that the page itself makes (blob).
CONTENT = {
    "default-src": "'none'",
    "script-src": "'self' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
}
ALWAYS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]


def content_policy(framing: str, hashes: Sequence[str] = (), host: bytes = b"") -> str:
    """The policy for pages. `hashes` are those of scripts within the page.

    Some browsers do not count a socket to the same host among what is the page's own, so the host is named.
    """
    content = dict(CONTENT)
    content["script-src"] += "".join(f" '{one}'" for one in hashes)
    if HOST.fullmatch(host):
        content["connect-src"] += " ws://{0} wss://{0}".format(host.decode("ascii"))
    return "; ".join([*(f"{name} {value}" for name, value in content.items()), framing])


class Headers:
    """ASGI middleware: the content policy with every page of HTML, and with every answer what always holds."""

    def __init__(self, app, framing: str, hashes: Sequence[str]):
        self.app, self.framing, self.hashes = app, framing, hashes

    async def __call__(self, scope, receive, send) -> None:
        async def send_with_headers(message) -> None:
            if message["type"] == "http.response.start":
                given = message["headers"]
                names = {name.lower() for name, _ in given}
                added = [header for header in ALWAYS if header[0] not in names]
                if is_html(given):
                    host = dict(scope["headers"]).get(b"host", b"")
                    policy = content_policy(self.framing, self.hashes, host)
                    added.append((b"content-security-policy", policy.encode("ascii")))
                message = {**message, "headers": [*given, *added]}
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


def is_html(headers: list[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers)
