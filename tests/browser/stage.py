"""The app without Streamlit: one page of HTML, the files of static/, and Python that answers requests.

A page is a function of a request (`Page.respond`), so what a learner sees and does needs no more than this; it takes
a fraction of the time. What is Streamlit's own (panels, uploads, downloads, sockets) is tested on a `real_server`,
and test_stage.py holds the two together.
"""

import json
import re
import threading
import traceback
from contextlib import contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from tests.student import LESSONS, lesson_page
from ui.files.handout import theme
from ui.message.types import sent
from ui.page.heads import HEADS
from ui.page.home import HOME
from ui.page.lab import LAB
from ui.page.request import arrival, read_request
from ui.paths import STATIC
from ui.streamlit.frame import provide_plotly
from ui.words import best_language, languages

PAGE = Path(__file__).with_name("stage.html")
KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8"}
KINDS |= {".json": "application/json", ".woff2": "font/woff2", ".ico": "image/x-icon"}
FOREVER = "max-age=31536000, immutable"


class Stage:
    """What a test knows of a server: its address, and what went wrong in it so far."""

    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"
        self.log = ""
        self.is_shared, self.is_real = True, False


@contextmanager
def put_up():
    """The stage, until the block ends."""
    provide_plotly()
    with ThreadingHTTPServer(("127.0.0.1", 0), Visitor) as server:
        server.daemon_threads = True
        server.stage = Stage(server.server_port)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield server.stage
        finally:
            server.shutdown()


class Visitor(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # a connection is used again
    disable_nagle_algorithm = True

    def do_GET(self):
        path = urlsplit(self.path).path
        if page_at(path):
            self.give(whole_page(), ".html")
        elif path == "/favicon.ico":  # asked for a page that is no HTML
            self.give(b"", ".ico", FOREVER)
        elif path.startswith("/fonts/"):
            self.give(font(path.removeprefix("/fonts/")), ".woff2", FOREVER)
        elif ".." not in path and (file := STATIC / path.removeprefix("/app/static/")).is_file():
            self.give(file.read_bytes(), file.suffix, FOREVER)
        else:
            self.send_error(404)

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            answer = json.dumps(self.answer(asked)).encode()
        except Exception:
            self.server.stage.log += f"could not be drawn\n{traceback.format_exc()}"
            self.send_error(500)
        else:
            self.give(answer, ".json")

    def answer(self, asked):
        """As `show` of ui/streamlit/page.py."""
        page, title = page_at(asked["page"])
        given = asked["language"] or ""
        request = read_request(asked["request"]) or arrival(asked["link"] or "", given)
        language = given if given in languages() else best_language(asked["locale"])
        answer = page.respond(request, language)
        for fault in answer.faults:
            self.server.stage.log += "could not be done\n" + "".join(traceback.format_exception(fault))
        data = sent(answer.data())
        return {"title": answer.words(title), "data": data}

    def give(self, content, suffix, keep="no-store"):
        self.send_response(200)
        self.send_header("Content-Type", KINDS[suffix])
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", keep)
        with suppress(ConnectionError):  # who asked has gone to another page
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_):
        """Says nothing."""


@cache
def pages():
    """Every page and the key of its title, by address."""
    found = {"/": (HOME, "home.title"), "/lab": (LAB, "lab.title"), "/heads": (HEADS, "heads.title")}
    return found | {f"/{lesson}": (lesson_page(lesson), f"lesson.{lesson}.title") for lesson in LESSONS}


def page_at(path):
    return pages().get(path)


@cache
def whole_page():
    """The one page: the colours of the theme, and what calls the workbench."""
    parts = {"style": theme(), "version": "stage"}
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], PAGE.read_text("utf-8")).encode()


@cache
def font(name):
    """The letters that come with Streamlit."""
    folder = Path(find_spec("streamlit").submodule_search_locations[0]) / "static" / "static" / "media"
    [path] = folder.glob(f"{name}.*.woff2")
    return path.read_bytes()
