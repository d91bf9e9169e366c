"""What Streamlit's own page is told about where it is shown: dialogs of errors are not wanted.

One about the connection would take the keyboard from a learner who could go on: the browser keeps what they do.
`static/workbench.js` says it instead, in their language, and is in nobody's way.
"""

import json

from ui.streamlit.private import is_host_config, without_dialogs


class Host:
    """ASGI middleware that changes one word of what Streamlit answers."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send) -> None:
        if not is_host_config(scope):
            await self.app(scope, receive, send)
            return
        plain = [header for header in scope["headers"] if header[0] != b"accept-encoding"]
        start = {}

        async def send_changed(message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            if start and start["status"] == 200 and not message.get("more_body"):
                body = json.dumps(without_dialogs(json.loads(message["body"]))).encode()
                kept = [header for header in start["headers"] if header[0] != b"content-length"]
                start["headers"] = [*kept, (b"content-length", str(len(body)).encode())]
                message = {**message, "body": body}
            if start:
                await send(start.copy())
                start.clear()
            await send(message)

        await self.app({**scope, "headers": plain}, receive, send_changed)
