"""What stands between the network and the pages: the app in a process of its own, as `make run` starts it."""

import asyncio
import gzip
import http.client
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest

from benchmarks.students import LabStudent, get
from ui.serving import fairness
from ui.serving.addresses import Addresses
from ui.serving.files import Files
from ui.serving.headers import content_policy, frame_ancestors
from ui.serving.host import Host
from ui.serving.log import STUCK, TALLY, Tally, from_environment, without_facts
from ui.serving.sockets import A_SECOND, AT_ONCE, Connection, Sockets, TokenBucket
from ui.serving.uploads import MOST_KEPT, Uploads
from ui.streamlit import private

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
        assert set(student.data["message"]) & {"course", "choices", "shares", "lesson"} == has
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


def own_policy(server, framing="frame-ancestors 'self'"):
    return content_policy(framing, private.inline_scripts(), f"127.0.0.1:{server.port}".encode())


def test_every_page_says_what_it_may_do_and_files_do_not(server):
    for path in ("", "lab", "projection?s=none", "nowhere"):
        assert policies(server.url, path) == [own_policy(server)]
    assert policies(server.url, "app/static/workbench.js") is None


def test_the_policy_allows_no_script_but_the_apps_own():
    policy = dict(
        part.split(" ", 1) for part in content_policy("frame-ancestors 'self'", ["sha256-x"]).split("; ")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self' blob: 'sha256-x'"
    assert not {"'unsafe-eval'", "'unsafe-inline'", "*", "https:"} & set(policy["script-src"].split())
    assert policy["connect-src"] == "'self'"


@pytest.mark.parametrize(
    ("host", "named"),
    [
        (b"lab.example:8501", "'self' ws://lab.example:8501 wss://lab.example:8501"),
        (b"[::1]:80", "'self' ws://[::1]:80 wss://[::1]:80"),
        (b"a.example; script-src *", "'self'"),
        (b"a.example evil.example", "'self'"),
        (b"", "'self'"),
    ],
)
def test_a_host_is_repeated_only_if_it_is_one(host, named):
    assert f"connect-src {named}; base-uri" in content_policy("frame-ancestors 'self'", (), host)


def test_every_answer_says_that_its_type_is_not_to_be_guessed(server):
    for path in ("", "lab", "app/static/workbench.js", "_stcore/health", "app/static/none.js"):
        [found] = get(server.url, path)
        assert found.headers.get_all("X-Content-Type-Options") == ["nosniff"], path
        assert found.headers.get_all("Referrer-Policy") == ["same-origin"], path


def test_the_environment_decides(tmp_path, monkeypatch):
    monkeypatch.setenv("QKV_FRAMED_BY", "https://school.example http://127.0.0.1:8000")
    with serve(tmp_path) as app:
        framing = "frame-ancestors https://school.example http://127.0.0.1:8000"
        assert policies(app.url, "lab") == [own_policy(app, framing)]


def test_a_setting_that_is_not_clear_ends_the_start_with_a_sentence(monkeypatch):
    monkeypatch.setenv("QKV_FRAMED_BY", "school.example; script-src *")
    command = [sys.executable, "-m", "streamlit", "run", "server.py", "--server.headless=true"]
    command += ["--server.port=0", "--server.address=127.0.0.1"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert "QKV_FRAMED_BY says who may show the Lab in a frame" in ended.stderr
    assert "Traceback" not in ended.stderr


# Addresses


@pytest.mark.parametrize("path", ["lab/_stcore/health", "lab/_stcore/host-config"])
def test_a_page_that_looks_for_its_server_is_sent_on_without_an_error(server, path):
    """A success would make it believe that the app lies below the page; from 400 on it is an error in the console."""
    status, headers, body = ask(server.url, path)
    assert 300 <= status < 400
    assert headers["Location"] is None
    assert body == b""


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("lab/99", "../lab?s=1%2F99"),
        ("lab/a/b", "../../lab?s=1%2Fa%2Fb"),
        ("lab/99?s=2abc", "../lab?s=2abc"),
        ("lab/%3Cscript%3E%0D%0A", "../lab?s=1%2F%3Cscript%3E%0D%0A"),
        ("%2F%2Fevil.example/x", None),
        ("lab/" + "a" * 500, "../lab?s=1%2F" + "a" * 100),
    ],
)
def test_below_a_page_lies_nothing_but_the_page(server, path, place):
    status, headers, _ = ask(server.url, path)
    assert headers["Location"] == place
    assert status == (307 if place else 400)


def test_what_is_no_page_stays_where_it_is(server):
    for path, expected in (
        ("app/static/workbench.js", 200),
        ("app/static/none.js", 404),
        ("_stcore/health", 200),
    ):
        assert ask(server.url, path)[0] == expected


def test_an_app_below_a_path_keeps_that_path():
    async def place(path, base):
        sent = []

        async def app(scope, receive, send):
            await send(
                {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]}
            )
            await send({"type": "http.response.body", "body": b"page"})

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b""}
        await Addresses(app, base)(scope, None, send)
        return dict(sent[0]["headers"]).get(b"location"), sent[-1]["body"]

    assert asyncio.run(place("/qkv/lab", "qkv")) == (None, b"page")
    assert asyncio.run(place("/qkv/lab/99", "/qkv/")) == (b"../lab?s=1%2F99", b"")
    assert asyncio.run(place("/lab", "")) == (None, b"page")


# Files


def ask(url, path, **headers):
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    try:
        connection.request(
            "GET", f"/{path}", headers={name.replace("_", "-"): text for name, text in headers.items()}
        )
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def test_files_are_sent_compressed_and_whole(server):
    [page] = get(server.url, "lab")
    script = re.search(r'src="\./(static/js/[^"]+)"', page.text)[1]
    for path in (
        script,
        "app/static/workbench.js",
        "app/static/message/numbers.js",
        "app/static/page/class.css",
    ):
        _, plain_headers, plain = ask(server.url, path)
        for _ in range(2):
            [file] = get(server.url, path)
            assert file.headers["Content-Encoding"] == "gzip"
            assert file.text == plain.decode()
            assert file.headers["Content-Type"] == plain_headers["Content-Type"]
            assert file.headers["ETag"] == plain_headers["ETag"]
            assert file.headers["Cache-Control"] == plain_headers["Cache-Control"]


def test_a_browser_that_has_the_file_is_not_sent_it(server):
    status, headers, body = ask(server.url, "app/static/workbench.js", Accept_Encoding="gzip")
    assert (status, bool(body)) == (200, True)
    status, _, body = ask(
        server.url, "app/static/workbench.js", Accept_Encoding="gzip", If_None_Match=headers["ETag"]
    )
    assert (status, body) == (304, b"")


@pytest.mark.parametrize(
    ("path", "status"),
    [("app/static/none.js", 404), ("app/static/../app.py", 400), ("app/static/%2e%2e/app.py", 400)],
)
def test_what_is_not_there_is_not_kept(server, path, status):
    for _ in range(2):
        assert ask(server.url, path, Accept_Encoding="gzip")[0] == status


class Asked:
    """An app that counts how often it is asked for a file, and answers late."""

    def __init__(self, kind=b"application/javascript", status=200):
        self.times, self.kind, self.status = 0, kind, status

    async def __call__(self, scope, receive, send):
        self.times += 1
        await asyncio.sleep(0.01)
        headers = [(b"content-type", self.kind), (b"etag", b'"1"')]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"a" * 5000, "more_body": True})
        await send({"type": "http.response.body", "body": b"b" * 5000})


async def asked_for(app, path, times=20):
    """The bodies that so many get who ask at once."""

    async def one():
        parts = []

        async def send(message):
            parts.append(message.get("body", b""))

        headers = [(b"accept-encoding", b"gzip")]
        await app({"type": "http", "method": "GET", "path": path, "headers": headers}, None, send)
        return b"".join(parts)

    return await asyncio.gather(*(one() for _ in range(times)))


def test_a_class_that_comes_at_once_costs_one_compression():
    inner = Asked()
    bodies = asyncio.run(asked_for(Files(inner), "/static/js/a.js"))
    assert inner.times == 1
    assert {gzip.decompress(body) for body in bodies} == {b"a" * 5000 + b"b" * 5000}


@pytest.mark.parametrize("inner", [Asked(b"text/html; charset=utf-8"), Asked(status=404)])
def test_a_page_in_place_of_a_file_is_not_kept(inner):
    files = Files(inner)
    asyncio.run(asked_for(files, "/static/js/a.js", times=2))
    assert files.files == {}


def test_a_file_of_ours_that_was_changed_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr("ui.serving.files.STATIC", tmp_path)
    (tmp_path / "a.js").write_text("1")
    inner = Asked()
    files = Files(inner)
    asyncio.run(asked_for(files, "/app/static/a.js", times=2))
    os.utime(tmp_path / "a.js", (1, 1))
    asyncio.run(asked_for(files, "/app/static/a.js", times=2))
    assert inner.times == 2


# Token buckets


def test_a_student_by_hand_never_waits_and_a_flood_does():
    by_hand, flood = TokenBucket(), TokenBucket()
    assert not any(by_hand.wait(1.0, second / 4) for second in range(4000))
    waited = [flood.wait(1.0, 0.0) for _ in range(1000)]
    assert waited[: int(AT_ONCE)] == [0.0] * int(AT_ONCE)
    assert waited[-1] == pytest.approx((1000 - AT_ONCE) / A_SECOND)


def test_nobody_waits_longer_for_a_page_than_is_said():
    pages = TokenBucket(120.0, 20.0, longest=5.0)
    assert max(pages.wait(1.0, 0.0) for _ in range(5000)) == 5.0
    assert pages.wait(1.0, 11.0) == 0.0


def test_a_bucket_fills_up_again_but_not_beyond():
    bucket = TokenBucket()
    for _ in range(1000):
        bucket.wait(1.0, 0.0)
    assert bucket.wait(0.0, 1e6) == 0.0
    assert bucket.left == AT_ONCE


def test_whoever_used_the_processor_waits_and_others_do_not():
    fairness.BUCKETS.clear()
    assert fairness.take("other", 0.005, 0.0) == 0.0
    waits = [fairness.take("busy", 0.5, 0.0) for _ in range(20)]
    assert waits[0] == 0.0
    assert waits[-1] == fairness.LONGEST_WAIT
    assert fairness.take("other", 0.005, 0.0) == 0.0
    assert fairness.take("busy", 0.0, 1000.0) == 0.0


def test_beside_others_one_may_use_less_at_once_than_alone():
    fairness.BUCKETS.clear()
    alone = [fairness.take("busy", 0.2, second) for second in range(5)]
    fairness.BUCKETS.clear()
    beside = []
    for second in range(5):
        fairness.take("other", 0.005, second)
        beside.append(fairness.take("busy", 0.4, second))
    assert set(alone) == {0.0}
    assert beside[0] == 0.0  # one long run is nobody's fault
    assert all(0 < wait <= fairness.LONGEST_WAIT for wait in beside[2:])
    assert fairness.take("other", 0.005, 5) == 0.0


def test_somebody_elses_edit_fills_no_stock():
    fairness.BUCKETS.clear()
    for _ in range(20):
        fairness.take("busy", 0.5, 0.0)  # alone, until nothing is left
    fairness.take("other", 0.005, 0.5)
    assert fairness.take("busy", 0.01, 0.5) > 0
    assert fairness.take("busy", 0.01, 2.0) == 0.0  # alone again, with what came in since
    assert fairness.take("busy", 0.5, 2.0) > 0


def test_many_acts_at_once_leave_the_others_their_turns(monkeypatch):
    clock, rests = iter([7.0, 7.001, 7.002, 7.012, 7.032, 7.2]), []
    monkeypatch.setattr(fairness.time, "thread_time", lambda: next(clock))
    monkeypatch.setattr(fairness.time, "sleep", rests.append)
    pace = fairness.Pace()
    assert [pace.goes_on() for _ in range(6)] == [True, True, True, True, True, False]
    assert rests == pytest.approx([0.03, 0.06])  # three times what each took, after the first few


def test_no_more_sessions_are_remembered_than_there_is_room_for():
    fairness.BUCKETS.clear()
    for number in range(fairness.MOST_SESSIONS + 10):
        fairness.take(str(number), 0.0, 0.0)
    assert len(fairness.BUCKETS) == fairness.MOST_SESSIONS
    uploads = Uploads(None)
    for number in range(2000):
        uploads.session(str(number))
    assert len(uploads.sessions) == 1000


def test_pages_are_opened_one_after_the_other_and_nobody_waits_for_long(monkeypatch):
    monkeypatch.setattr(fairness, "SECONDS_TO_OPEN", 0.01)
    with fairness.turn("first", opens=True):
        assert fairness.OPENING.locked()
        with fairness.turn("second", opens=True):  # after its wait
            pass
        assert fairness.OPENING.locked()
    assert not fairness.OPENING.locked()


def test_a_run_that_is_broken_off_is_paid_for():
    fairness.BUCKETS.clear()
    with pytest.raises(KeyError), fairness.turn("broken", opens=False):
        raise KeyError
    assert "broken" in fairness.BUCKETS


# Uploads


def upload_scope(number):
    return {"type": "http", "method": "PUT", "path": f"/_stcore/upload_file/session/{number}", "headers": []}


def test_only_the_last_files_are_kept():
    kept = []

    async def app(scope, receive, send):
        (kept.append if scope["method"] == "PUT" else kept.remove)(scope["path"].rpartition("/")[2])

    async def lesson():
        uploads = Uploads(app)
        for number in range(5):
            await uploads(upload_scope(number), None, None)

    asyncio.run(lesson())
    assert kept == ["4", "3", "2"][:MOST_KEPT][::-1]


@pytest.mark.parametrize(("event", "raises"), [("http.disconnect", False), ("http.request", True)])
def test_a_file_that_is_taken_away_while_it_is_sent_is_no_fault(event, raises):
    async def app(scope, receive, send):
        await receive()
        raise RuntimeError("the rest did not come")

    async def receive():
        return {"type": event}

    call = Uploads(app)(upload_scope(1), receive, None)
    if raises:
        with pytest.raises(RuntimeError):
            asyncio.run(call)
    else:
        asyncio.run(call)


# What a browser is told


def test_streamlits_page_is_told_to_show_no_dialogs(server):
    [answer] = get(server.url, "_stcore/host-config")
    told = json.loads(answer.text)
    assert told["blockErrorDialogs"] is True
    assert told["useExternalAuthToken"] is False  # the rest is as Streamlit says it
    assert answer.headers["Cache-Control"] == "no-cache"


def test_what_streamlit_says_in_parts_or_refuses_is_passed_on():
    async def passed_on(status, *bodies):
        sent = []

        async def app(scope, receive, send):
            assert all(name != b"accept-encoding" for name, _ in scope["headers"])
            await send({"type": "http.response.start", "status": status, "headers": []})
            for place, body in enumerate(bodies, 1):
                await send({"type": "http.response.body", "body": body, "more_body": place < len(bodies)})

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "path": "/_stcore/host-config", "headers": [(b"accept-encoding", b"gzip")]}
        await Host(app)(scope, None, send)
        assert [message["type"] for message in sent].count("http.response.start") == 1
        return [message["body"] for message in sent[1:]]

    assert asyncio.run(passed_on(404, b"no")) == [b"no"]
    assert asyncio.run(passed_on(200, b"{", b"}")) == [b"{", b"}"]
    assert json.loads(asyncio.run(passed_on(200, b"{}"))[0]) == {"blockErrorDialogs": True}


# Health


async def well(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})


async def health(sockets):
    statuses = []

    async def send(message):
        statuses.append(message.get("status"))

    await sockets({"type": "http", "path": "/_stcore/health", "method": "GET"}, None, send)
    return statuses[0]


def test_a_replica_that_answers_nobody_is_not_well(monkeypatch):
    """Somebody has waited for longer than STUCK, and nobody was answered since."""
    sockets = Sockets(well)
    with TALLY.run():
        assert asyncio.run(health(sockets)) == 200
        [thread] = TALLY.running
        TALLY.running[thread] -= STUCK + 1
        monkeypatch.setattr(TALLY, "last_answer", time.monotonic())  # somebody else was answered
        assert asyncio.run(health(sockets)) == 200
        monkeypatch.setattr(TALLY, "last_answer", time.monotonic() - STUCK - 1)
        assert asyncio.run(health(sockets)) == 503
    assert asyncio.run(health(sockets)) == 200


def test_a_flood_waits_and_text_ends_the_connection():
    async def lesson(event):
        sent, sockets = [], Sockets(None)

        async def receive():
            return event

        async def send(message):
            sent.append(message)

        connection = Connection(receive, send, sockets.pages)
        first = await connection.next_message()
        return first, sent

    frame = {"type": "websocket.receive", "bytes": b"any"}
    assert asyncio.run(lesson(frame)) == (frame, [])
    first, sent = asyncio.run(lesson({"type": "websocket.receive", "text": "any"}))
    assert first == {"type": "websocket.disconnect", "code": 1003}
    assert sent == [{"type": "websocket.close", "code": 1003}]


def test_what_cannot_compute_does_not_start(tmp_path):
    """Health is asked of a process that has computed an example."""
    lab = tmp_path / "lab"
    for name in ("app.py", "server.py", ".streamlit", "pages", "ui", "attention_core", "assets", "static"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        lab.mkdir(exist_ok=True)
        copy(ROOT / name, lab / name)
    (lab / "assets" / "presets" / "pixels_2x2.json").write_text("{}")
    command = [sys.executable, "-m", "streamlit", "run", "server.py", "--server.headless=true"]
    command += ["--server.port=0", "--server.address=127.0.0.1"]
    ended = subprocess.run(command, cwd=lab, capture_output=True, text=True, timeout=60)
    assert ended.returncode != 0


# On a desktop


@pytest.mark.skipif(sys.platform == "win32", reason="the browser of this test is a shell script")
def test_a_browser_is_opened_on_a_desktop(tmp_path, monkeypatch):
    program, told = tmp_path / "browser", tmp_path / "told"
    program.write_text(f'#!/bin/sh\necho "$1" > {told}\n')
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(program))
    with serve(tmp_path, options=["--server.headless=false"]) as app:
        for _ in range(200):
            if told.exists() and told.read_text():
                break
            time.sleep(0.05)
        assert told.read_text().strip() == app.url


@pytest.mark.parametrize(
    ("name", "setting"), [("QKV_LOG", "loud"), ("QKV_METRICS_SECONDS", "0"), ("QKV_METRICS_SECONDS", "soon")]
)
def test_a_log_setting_that_is_not_clear_is_refused_with_a_sentence(monkeypatch, name, setting):
    monkeypatch.setenv(name, setting)
    with pytest.raises(ValueError, match=name):
        from_environment()


def test_what_a_library_tells_has_neither_facts_nor_the_words_of_an_error():
    try:
        int("secret")
    except ValueError:
        error = sys.exc_info()
    record = without_facts("streamlit.a", 30, __file__, 1, "met %s", ("secret",), error)
    told = logging.Formatter().format(record)
    assert "secret" not in told.replace('int("secret")', "")  # the line of source is there
    assert "met %s" in told
    assert told.endswith("ValueError")
    assert (
        without_facts("qkv_lab", 30, __file__, 1, "refused %s", ("code",), None).getMessage()
        == "refused code"
    )


def test_a_refusal_too_many_is_counted_and_not_told():
    tally = Tally()
    for _ in range(100):
        tally.refused("edit.no_number")
    tally.answered(0.02)
    assert re.fullmatch(
        r"0 sessions, 0 edits in 60 s, .* within 20 ms, 100 refused \(\d+ not told one by one\)",
        tally.summary(60),
    )
    assert tally.summary(60) == ""
