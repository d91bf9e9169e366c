"""What Streamlit's own page is told about where it is shown: dialogs of errors are not wanted.

They are in English, and one about the connection takes the keyboard from a learner who could go on: the
browser keeps what they do. `static/acts.js` says it instead, in their language, and is in nobody's way.
"""

import json

PATH = "/_stcore/host-config"


class Host:
    """ASGI middleware that changes one word of what Streamlit answers."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] != "http" or not scope["path"].endswith(PATH):
            await self.app(scope, receive, send)
            return
        plain = [header for header in scope["headers"] if header[0] != b"accept-encoding"]
        start = {}

        async def send_changed(message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            if start and start["status"] == 200 and not message.get("more_body"):
                body = json.dumps(json.loads(message["body"]) | {"blockErrorDialogs": True}).encode()
                kept = [header for header in start["headers"] if header[0] != b"content-length"]
                start["headers"] = [*kept, (b"content-length", str(len(body)).encode())]
                message = {**message, "body": body}
            if start:
                await send(start.copy())
                start.clear()
            await send(message)

        await self.app({**scope, "headers": plain}, receive, send_changed)
