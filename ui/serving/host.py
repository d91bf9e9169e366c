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
        start = {}

        async def send_changed(message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            if start["status"] == 200:
                body = json.dumps(json.loads(message["body"]) | {"blockErrorDialogs": True}).encode()
                kept = [header for header in start["headers"] if header[0] != b"content-length"]
                start["headers"] = [*kept, (b"content-length", str(len(body)).encode())]
                message = {**message, "body": body}
            await send(start)
            await send(message)

        await self.app(scope, receive, send_changed)
