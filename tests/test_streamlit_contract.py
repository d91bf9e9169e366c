"""What we need of Streamlit that it does not promise: a test for each, which says where to look when it changes."""

import hashlib
import json
import re
import socket
from pathlib import Path

import pytest
import streamlit as st
from streamlit import config
from streamlit.runtime.app_session import AppSession

from benchmarks.students import get
from ui.paths import STATIC
from ui.streamlit import private

from .browser.server import serve

PAGE = Path(st.__file__).parent / "static"
FRAME = (STATIC / "page" / "frame.css").read_text(encoding="utf-8")
NO_LONGER = f"Streamlit {st.__version__} no longer {{}}: see ui/streamlit/private.py, {{}}"


def needs(found, what, where):
    """Fails with a sentence for whoever moves to a new Streamlit."""
    assert found, NO_LONGER.format(what, where)


def browser_code():
    return "".join(path.read_text(encoding="utf-8") for path in sorted((PAGE / "static" / "js").glob("*.js")))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """With every line that can be said."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QKV_LOG", "debug")
        with serve(tmp_path_factory.mktemp("contract")) as running:
            yield running


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    with serve(tmp_path_factory.mktemp("plain"), "app.py") as running:
        yield running


def test_a_missing_surface_is_told_in_a_sentence():
    with pytest.raises(
        AssertionError, match=r"Streamlit \S+ no longer dances: see ui/streamlit/private.py, dance"
    ):
        needs(False, "dances", "dance")


# Paths


@pytest.mark.parametrize("path", [private.HEALTH, private.HOST_CONFIG])
def test_the_paths_that_a_browser_asks_first(plain, path):
    needs(get(plain.url, path.strip("/"))[0].status == 200, f"answers {path}", path)
    needs(path.strip("/") in browser_code(), f"asks for {path}", path)


def test_the_path_of_the_socket():
    needs(private.SOCKET.strip("/") in browser_code(), f"connects to {private.SOCKET}", "SOCKET")


def test_the_path_of_an_upload():
    from streamlit.web.server.starlette import starlette_routes

    path = f"/{starlette_routes.BASE_ROUTE_UPLOAD_FILE}/session/file"
    found = private.upload_of({"type": "http", "method": "PUT", "path": path})
    needs(found == ("session", "file"), "takes uploads below upload_file/<session>/<file>", "UPLOAD")


def test_the_paths_of_files(plain):
    [page] = get(plain.url, "")
    scripts = re.findall(r'src="\./(static/js/[^"]+)"', page.text)
    needs(scripts and private.FILE.fullmatch(f"/{scripts[0]}"), "has its scripts in static/", "FILE")
    needs(
        get(plain.url, "app/static/message/numbers.js")[0].status == 200,
        "serves our files at app/static/",
        "FILE",
    )


def test_a_page_looks_for_its_server_below_its_own_address(plain):
    """Which is why server.py answers there; where it is no longer done, `Addresses` has less to do."""
    scope = {"type": "http", "path": "/lab" + private.HEALTH}
    assert private.is_search(scope, "")
    assert not private.is_search(scope, "/lab")
    assert not private.is_search({"type": "http", "path": private.HEALTH}, "")
    needs(get(plain.url, "lab/_stcore/health")[0].status == 404, "refuses health below a page", "is_search")


# What a page is told


def test_dialogs_can_be_left_out(plain):
    told = json.loads(get(plain.url, private.HOST_CONFIG.strip("/"))[0].text)
    needs(
        isinstance(told, dict) and "allowedOrigins" in told,
        "describes its host as an object",
        "without_dialogs",
    )
    needs("blockErrorDialogs" in browser_code(), "knows blockErrorDialogs", "without_dialogs")
    assert private.without_dialogs({"a": 1}) == {"a": 1, "blockErrorDialogs": True}


def test_the_scripts_within_the_page_are_known(plain):
    served = get(plain.url, "lab")[0].text.encode()
    inline = private.INLINE_SCRIPT.findall(served)
    needs(
        len(inline) == served.count(b"<script>") > 0,
        "writes scripts within the page as <script>",
        "inline_scripts",
    )
    assert len(private.inline_scripts()) == len(inline)
    first = hashlib.sha256(inline[0]).digest()
    assert private.inline_scripts()[0] == f"sha256-{private.base64.b64encode(first).decode()}"


# Speed


def test_files_that_are_not_watched_can_be_left_alone(monkeypatch):
    needs(
        callable(getattr(AppSession, "register_file_watchers", None)),
        "has register_file_watchers",
        "watch_no_files",
    )
    before = AppSession.register_file_watchers
    monkeypatch.setattr(AppSession, "register_file_watchers", before)
    monkeypatch.setattr(st, "get_option", lambda name: {"server.fileWatcherType": "none"}[name])
    private.watch_no_files()
    assert AppSession.register_file_watchers is not before


def test_the_listening_socket_is_found(server):
    needs(
        "small messages are sent at once over 1 sockets" in server.log,
        "listens before the app begins, on one socket",
        "send_at_once",
    )


def test_small_messages_are_sent_at_once():
    with socket.socket(socket.AF_INET) as listening:
        assert listening.proto != socket.IPPROTO_TCP  # as Streamlit makes it
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        assert private.send_at_once() >= 1
        with socket.create_connection(listening.getsockname()):
            accepted, _ = listening.accept()
            with accepted:
                assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_there_is_no_collection_of_garbage_after_every_run():
    needs("runner.postScriptGC" in config.get_config_options(), "has runner.postScriptGC", "its first lines")


# In the browser


@pytest.mark.parametrize("name", sorted(set(re.findall(r'data-testid="(\w+)"', FRAME))))
def test_the_parts_of_the_page_that_the_style_names(name):
    needs(name in browser_code(), f"calls a part of its page {name}", "and static/page/frame.css")


def test_the_page_asks_for_a_whole_run_on_reconnecting():
    needs(
        "autoRerunIntervals.size>0?" in browser_code() and private.whole_page_on_reconnecting()["run_every"],
        "runs a page with a fragment that runs every so often whenever it finds a server",
        "whole_page_on_reconnecting",
    )


def test_the_page_hears_of_back_and_forward():
    needs(
        "popstate" in browser_code(),
        "turns pages when popstate is told",
        "and leave and pop in static/state/state.js",
    )
