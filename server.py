"""The app as it is served: `streamlit run server.py`.

`streamlit run app.py` shows the same pages, without what is added here: who may frame them,
no dialogs of Streamlit's, files kept compressed, a share of messages, uploads and processor time for each
student, lines to read, a page that comes back whole after a restart.
"""

import asyncio
import os
import sys
from contextlib import asynccontextmanager

from starlette.middleware import Middleware
from streamlit import App, cli_util, config
from streamlit.runtime.app_session import AppSession
from streamlit.web.server import server_util

from ui.page.lab import LAB
from ui.serving import log
from ui.serving.files import Files
from ui.serving.framing import SETTING, Framing, frame_ancestors
from ui.serving.host import Host
from ui.serving.sockets import Sockets, send_at_once
from ui.serving.uploads import Uploads

SECONDS_IN_A_ROW = 0.0002  # of one thread while others wait: 25 times less than Python's own

try:
    POLICY = frame_ancestors(os.environ.get(SETTING, "self"))
    LEVEL, SUMMARY_SECONDS = log.from_environment()
except ValueError as error:
    sys.exit(str(error))  # a setting that says nothing clear ends the start


def watch_no_files() -> None:
    """Where files shall not be watched, Streamlit still begins to, when a cut connection comes back.

    It then looks for the files of all modules, while nobody is served: a fifth of a second each time.
    """
    if config.get_option("server.fileWatcherType") == "none":
        AppSession.register_file_watchers = lambda _session: None


def open_browser() -> None:
    """On a desktop, as `streamlit run app.py` does."""
    if not config.get_option("server.headless"):
        address = config.get_option("server.address") or "localhost"
        cli_util.open_browser(server_util.get_url(server_util.get_display_address(address)))


@asynccontextmanager
async def life(_app: App):
    log.begin(LEVEL)
    sys.setswitchinterval(SECONDS_IN_A_ROW)
    watch_no_files()
    send_at_once()
    LAB.opening().trace()  # what cannot compute does not say that it is well
    summaries = asyncio.create_task(log.summarise(SUMMARY_SECONDS))
    asyncio.get_running_loop().call_soon(open_browser)
    yield
    summaries.cancel()


MIDDLEWARE = [
    Middleware(Files),
    Middleware(Framing, policy=POLICY),
    Middleware(Host),
    Middleware(Uploads),
    Middleware(Sockets),
]
app = App("app.py", middleware=MIDDLEWARE, lifespan=life)
