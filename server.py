"""The app as it is served: `streamlit run server.py`.

`streamlit run app.py` shows the same pages, without what is added here: who may frame them.
"""

import asyncio
import os
import sys
from contextlib import asynccontextmanager

from starlette.middleware import Middleware
from streamlit import App, cli_util, config
from streamlit.web.server import server_util

from ui.serving.framing import SETTING, Framing, frame_ancestors


def policy() -> str:
    """Who may frame the pages, as the environment says; a setting that says nothing clear ends the start."""
    try:
        return frame_ancestors(os.environ.get(SETTING, "self"))
    except ValueError as error:
        sys.exit(str(error))


def open_browser() -> None:
    """On a desktop, as `streamlit run app.py` does."""
    if not config.get_option("server.headless"):
        address = config.get_option("server.address") or "localhost"
        cli_util.open_browser(server_util.get_url(server_util.get_display_address(address)))


@asynccontextmanager
async def life(_app: App):
    asyncio.get_running_loop().call_soon(open_browser)
    yield


app = App("app.py", middleware=[Middleware(Framing, policy=policy())], lifespan=life)
