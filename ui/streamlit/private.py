"""Every surface of Streamlit that is in use and not documented: what it is for, in one place.

What is documented (`st.…`, `st.App`, options, components) needs no entry. tests/test_streamlit_contract.py has a
test for each of these, so that a new version that changes one is told by a sentence. In the browser there are
three more: `static/state/state.js` keeps `popstate` from Streamlit while the page stays the same;
`static/page/frame.css` names parts of the page by `data-testid`; and `.streamlit/config.toml` sets the hidden
`runner.postScriptGC`.
"""

import base64
import contextlib
import gc
import hashlib
import re
import socket
from datetime import timedelta
from pathlib import Path

import streamlit as st

SOCKET = "/_stcore/stream"
HEALTH = "/_stcore/health"
HOST_CONFIG = "/_stcore/host-config"
UPLOAD = re.compile(r".*/_stcore/upload_file/(?P<session>[^/]+)/(?P<file>[^/]+)")
# Streamlit's own files have a hash in their names; ours are looked at again, because somebody may edit them.
FILE = re.compile(r"/(?P<ours>app/)?static/(?P<name>[\w-]+(?:[./][\w-]+)*)")
INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def is_socket(scope: dict) -> bool:
    """The connection over which a page asks for runs."""
    return scope["type"] == "websocket" and scope["path"].endswith(SOCKET)


def is_health(scope: dict) -> bool:
    """Asked by probes, and by a browser before it connects."""
    return scope["type"] == "http" and scope["path"].endswith(HEALTH)


def is_host_config(scope: dict) -> bool:
    """What a page is told about where it is shown."""
    return scope["type"] == "http" and scope["path"].endswith(HOST_CONFIG)


def is_search(scope: dict, base: str) -> bool:
    """A page opened by its own address looks for its server below that address first."""
    asked = is_health(scope) or is_host_config(scope)
    return asked and scope["path"] not in (base + HEALTH, base + HOST_CONFIG)


def upload_of(scope: dict) -> tuple[str, str] | None:
    """The session and the id of a file that is being uploaded."""
    if scope["type"] != "http" or scope["method"] != "PUT":
        return None
    found = UPLOAD.fullmatch(scope["path"])
    return (found["session"], found["file"]) if found else None


def without_dialogs(host_config: dict) -> dict:
    """Streamlit's dialogs about errors are in English and take the keyboard from a learner who could go on."""
    return host_config | {"blockErrorDialogs": True}


def inline_scripts() -> list[str]:
    """Hashes of the scripts within Streamlit's page, for the content policy, which allows no others."""
    page = (Path(st.__file__).parent / "static" / "index.html").read_bytes()
    hashes = (hashlib.sha256(script).digest() for script in INLINE_SCRIPT.findall(page))
    return [f"sha256-{base64.b64encode(found).decode()}" for found in hashes]


def whole_page_on_reconnecting() -> dict:
    """Options of a fragment with which Streamlit's page asks for a whole run whenever it finds a server again.

    It does so of its own accord only where the last run was cut off or was a fragment's: a page that was opened and
    not used yet when the server began anew would ask for an unknown fragment for ever. A fragment that runs every so
    often is reason enough; once a day is as good as never.
    """
    return {"run_every": timedelta(days=1)}


def watch_no_files() -> None:
    """Where files shall not be watched, Streamlit still begins to, when a cut connection comes back.

    It then looks for the files of all modules, while nobody is served: a fifth of a second each time.
    """
    from streamlit.runtime.app_session import AppSession

    if st.get_option("server.fileWatcherType") == "none":
        AppSession.register_file_watchers = lambda self: None


def send_at_once() -> int:
    """Small messages are not held back until the browser has acknowledged the one before: up to 40 ms each.

    Python's event loop sees to that, but not for the socket that Streamlit makes, which does not say that it is
    one of TCP, and which nobody hands out. What is set where connections are awaited holds for all of them.
    Returns how many such sockets were found.
    """
    found = [one for one in gc.get_objects() if type(one) is socket.socket and one.fileno() >= 0]
    awaiting = 0
    for one in found:
        with contextlib.suppress(OSError):  # no socket of TCP
            if one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                awaiting += 1
    return awaiting
