"""Who may show the Lab in a frame: said with every page, where no proxy in front has to know it."""

import re

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


class Framing:
    """ASGI middleware that adds the policy to every page of HTML."""

    def __init__(self, app, policy: str):
        self.app, self.header = app, (b"content-security-policy", policy.encode("ascii"))

    async def __call__(self, scope, receive, send) -> None:
        async def send_with_policy(message) -> None:
            if message["type"] == "http.response.start" and is_html(message["headers"]):
                message["headers"] = [*message["headers"], self.header]
            await send(message)

        await self.app(scope, receive, send_with_policy if scope["type"] == "http" else send)


def is_html(headers: list[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers)
