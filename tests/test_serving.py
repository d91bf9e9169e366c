"""What stands between the network and the pages: the app in a process of its own, as `make run` starts it."""

import asyncio
import subprocess
import sys

import pytest

from benchmarks.students import LabStudent, get
from ui.serving.framing import frame_ancestors

from .browser.server import ROOT, serve


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serve(tmp_path_factory.mktemp("serving")) as running:
        yield running


# The pages


@pytest.mark.parametrize("script", ["server.py", "app.py"])
@pytest.mark.parametrize(
    ("page", "has"), [("", {"course"}), ("lab", {"choices", "shares"}), ("projection", {"choices", "lesson"})]
)
def test_any_page_may_be_the_first_one_after_a_start(tmp_path, script, page, has):
    async def open_first(url):
        student = LabStudent(url)
        student.page = page
        answer = await student.open()
        await student.close()
        assert answer.wrong == ""
        assert set(student.data) & {"course", "choices", "shares", "lesson"} == has
        assert student.shown()

    with serve(tmp_path, script) as app:
        asyncio.run(open_first(app.url))
        [file] = get(app.url, "app/static/workbench.js")
        assert file.headers["Content-Type"] == "application/javascript"


# Frames


@pytest.mark.parametrize(
    ("setting", "policy"),
    [
        ("self", "frame-ancestors 'self'"),
        ("'self'", "frame-ancestors 'self'"),
        ("none", "frame-ancestors 'none'"),
        ("*", "frame-ancestors *"),
        ("https://school.example", "frame-ancestors https://school.example"),
        ("HTTPS://School.example:8443", "frame-ancestors https://school.example:8443"),
        (
            "https://*.school.example  http://[::1]:80",
            "frame-ancestors https://*.school.example http://[::1]:80",
        ),
        ("'self' http://127.0.0.1:8000", "frame-ancestors 'self' http://127.0.0.1:8000"),
    ],
)
def test_who_may_frame_the_pages(setting, policy):
    assert frame_ancestors(setting) == policy


@pytest.mark.parametrize(
    "setting",
    [
        "",
        " ",
        "school.example",
        "https://",
        "https://school.example/",
        "https://school.example/path",
        "https://school.example;script-src *",
        "https://school.example; https://other.example",
        "https://school.example\r\nSet-Cookie: a=b",
        "https://school.example\nhttps://other.example",
        "https://a.example,https://b.example",
        "none https://school.example",
        "* https://school.example",
        "self none",
        "javascript:alert(1)",
        "data:",
        "https://*",
        "https://a b",
        "https://schoolé.example",
        "unsafe-inline",
        "$http_host",
    ],
)
def test_anything_else_is_refused(setting):
    with pytest.raises(ValueError, match="QKV_FRAMED_BY"):
        frame_ancestors(setting)


def policies(url, path):
    return get(url, path)[0].headers.get_all("Content-Security-Policy")


def test_every_page_says_it_and_files_do_not(server):
    for path in ("", "lab", "projection?s=none", "nowhere"):
        assert policies(server.url, path) == ["frame-ancestors 'self'"]
    assert policies(server.url, "app/static/workbench.js") is None


def test_the_environment_decides(tmp_path, monkeypatch):
    monkeypatch.setenv("QKV_FRAMED_BY", "https://school.example http://127.0.0.1:8000")
    with serve(tmp_path) as app:
        assert policies(app.url, "lab") == ["frame-ancestors https://school.example http://127.0.0.1:8000"]


def test_a_setting_that_is_not_clear_ends_the_start_with_a_sentence(monkeypatch):
    monkeypatch.setenv("QKV_FRAMED_BY", "school.example; script-src *")
    command = [sys.executable, "-m", "streamlit", "run", "server.py", "--server.headless=true"]
    command += ["--server.port=0", "--server.address=127.0.0.1"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert "QKV_FRAMED_BY says who may show the Lab in a frame" in ended.stderr
    assert "Traceback" not in ended.stderr
