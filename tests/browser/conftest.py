"""Fixtures for tests that use the app in a real Chromium.

    def test_home_opens(new_page):
        page = new_page(width=390, scheme="dark")
        page.goto("/")

Addresses are relative to the app, which is put on a stage without Streamlit (stage.py); what is Streamlit's own is
tested with `real_lab` or `new_real_page`.
A test fails at its end if the browser reported an error, if it asked anyone but the app for something, or if the app
raised an exception.
"""

import re
from contextlib import ExitStack, contextmanager
from functools import partial
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser import chromium
from tests.browser.lab_page import open_lab
from tests.browser.server import serve
from tests.browser.stage import put_up

expect.set_options(timeout=20_000)  # a busy machine is slow, not wrong

WIDTHS = {390: 844, 1280: 900}  # a phone and a laptop, with their heights
# What Streamlit says of a server away.
FAULTS = (
    "WebSocket",
    "Failed to load",
    "disconnected from server",
    "timed out",
    "server endpoint",
    "not responding",
)
# How the log begins an exception that a page did not handle, or that cost the learner a change.
UNCAUGHT = ("Uncaught app execution", "could not be drawn", "could not be done")
# Opened at a page's own address, Streamlit looks for its server below that page first; server.py says where it is.
STREAMLITS_SEARCH = re.compile(r"/[^/]+/_stcore/(health|host-config)$")


@pytest.fixture(scope="session")
def stage():
    """The app without Streamlit: what most tests need."""
    with put_up() as stage:
        yield stage


@pytest.fixture(scope="session")
def real_server(tmp_path_factory):
    """The app as it is run, shared by all tests of this worker that need it."""
    with serve(tmp_path_factory.mktemp("app")) as server:
        yield server


@pytest.fixture
def own_servers():
    """Servers of one test. `new_page` depends on it, so that its pages close before their servers end."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def fresh_app_server(own_servers, tmp_path):
    """The app, just started and visited by nobody: new_page(server=fresh_app_server)."""
    return own_servers.enter_context(serve(tmp_path))


# Not for the session: while Playwright runs, its event loop is in the way of other tests that need their own.
@pytest.fixture(scope="package")
def browser():
    path = chromium.find()
    if path is None:
        pytest.fail("The browser tests need a Chromium: `python -m tests.browser.chromium` gets one.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**chromium.launch_options(path))
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def desk(browser, stage):
    """A window that many tests share, each with a tab of its own: it need not load everything again."""
    with window(browser, stage) as context:
        yield context


@pytest.fixture(scope="package")
def real_desk(browser, real_server):
    with window(browser, real_server) as context:
        yield context


@contextmanager
def window(browser, server):
    size = {"width": 1280, "height": WIDTHS[1280]}
    context = browser.new_context(base_url=server.url, color_scheme="light", viewport=size)
    yield context
    context.close()


@pytest.fixture
def new_page(browser, own_servers, request):
    """Makes pages: new_page(width=1280, scheme="light", server=None, **context options of Playwright).

    With expect_faults=True, requests that fail while the server is away are no complaint.
    With a `context`, the page is a tab of it. `own` are more addresses of this app.
    """
    complaints, opened, log_starts = [], [], {}

    def open_page(
        width=1280, scheme="light", server=None, expect_faults=False, context=None, own=(), **options
    ):
        server = server or request.getfixturevalue("stage")
        log_starts.setdefault(server, len(server.log))
        options.setdefault("viewport", {"width": width, "height": WIDTHS.get(width, 900)})
        alone = context is None
        options = {"base_url": server.url} | options
        context = context or browser.new_context(color_scheme=scheme, **options)
        page = context.new_page()
        opened.append(context if alone else page)
        _listen(page, server, own, complaints, expect_faults)
        return page

    open_page.complaints = complaints
    yield open_page
    for window_or_tab in opened:
        window_or_tab.close()
    for server, start in log_starts.items():
        written = server.log[start:]
        if any(sign in written for sign in UNCAUGHT):
            complaints.append(f"the app raised:\n{written}")
    assert not complaints, "\n".join(complaints)


@pytest.fixture
def new_real_page(new_page, real_server):
    """Makes pages as Streamlit shows them, with panels."""
    return partial(new_page, server=real_server)


@pytest.fixture
def lab(new_page, desk):
    """The Lab with its first example, on a laptop."""
    return open_lab(new_page(context=desk))


@pytest.fixture
def real_lab(new_real_page, real_desk):
    return open_lab(new_real_page(context=real_desk))


def _listen(page, server, own, complaints, expect_faults):
    own = tuple(
        f"{url.replace('http', scheme, 1)}/" for url in (server.url, *own) for scheme in ("http", "ws")
    )
    own += ("data:", "blob:")

    def on_console(message):
        where = message.location.get("url", "")
        if expect_faults and any(fault in message.text for fault in FAULTS):
            return
        if getattr(server, "script", "") == "app.py" and STREAMLITS_SEARCH.search(urlsplit(where).path):
            return
        if message.type == "error":
            complaints.append(f"console error: {message.text} {where}")

    def on_request(request):
        if not request.url.startswith(own):
            complaints.append(f"asked somebody else: {request.url}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: complaints.append(f"page error: {error}"))
    page.on("request", on_request)
