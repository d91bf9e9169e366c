"""The app as it is served: `streamlit run server.py`.

`streamlit run app.py` shows the same pages and computes the same numbers. What is added here: limits on messages
and uploads of each student, headers that say what a browser may do with a page, files kept compressed, lines to
read, no dialogs of Streamlit's, and an answer for addresses that lead nowhere.
"""

import asyncio
import os
import sys
import webbrowser
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware

from ui.page.lab import LAB
from ui.serving import log
from ui.serving.addresses import Addresses
from ui.serving.files import Files
from ui.serving.headers import SETTING, Headers, frame_ancestors
from ui.serving.host import Host
from ui.serving.sockets import Sockets
from ui.serving.uploads import Uploads
from ui.streamlit import private

SECONDS_IN_A_ROW = 0.0002  # of one thread while others wait: 25 times less than Python's own

try:
    FRAMING = frame_ancestors(os.environ.get(SETTING, "self"))
    LEVEL, SUMMARY_SECONDS = log.from_environment()
except ValueError as error:
    sys.exit(str(error))  # a setting that says nothing clear ends the start


def open_browser() -> None:
    """On a desktop, as `streamlit run app.py` does."""
    if not st.get_option("server.headless"):
        host, port = st.get_option("server.address") or "localhost", st.get_option("server.port")
        host = "localhost" if host in ("0.0.0.0", "::") else host
        scheme = "https" if st.get_option("server.sslCertFile") else "http"
        webbrowser.open(f"{scheme}://{host}:{port}/{st.get_option('server.baseUrlPath')}".rstrip("/"))


@asynccontextmanager
async def life(_app: st.App):
    log.begin(LEVEL)
    sys.setswitchinterval(SECONDS_IN_A_ROW)
    private.watch_no_files()
    sockets = private.send_at_once()
    log.LOG.debug("small messages are sent at once over %d sockets", sockets)
    LAB.opening().trace()  # what cannot compute does not say that it is well
    summaries = asyncio.create_task(log.summarise(SUMMARY_SECONDS))
    asyncio.get_running_loop().run_in_executor(None, open_browser)  # some wait until it is closed
    yield
    summaries.cancel()


MIDDLEWARE = [
    Middleware(Headers, framing=FRAMING, hashes=private.inline_scripts()),
    Middleware(Files),
    Middleware(Addresses, base=st.get_option("server.baseUrlPath")),
    Middleware(Host),
    Middleware(Uploads),
    Middleware(Sockets),
]
app = st.App("app.py", middleware=MIDDLEWARE, lifespan=life)
