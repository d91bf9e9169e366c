"""Fixtures for tests that use the app in a real Chromium.

    def test_home_opens(new_page):
        page = new_page(width=390, scheme="dark")
        page.goto("/")

Addresses are relative to the app, which is put on a stage without Streamlit (stage.py); what is Streamlit's own is
tested with `real_lab` or `new_real_page`.
A test fails at its end if the browser reported an error, if it asked anyone but the app for something, or if the app
raised an exception.
"""

from contextlib import ExitStack
from functools import partial

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser import chromium
from tests.browser.lab_page import open_lab
from tests.browser.server import serve
from tests.browser.stage import put_up
from tests.browser.tabs import Tab, Tabs

expect.set_options(timeout=20_000)  # a busy machine is slow, not wrong

WIDTHS = {390: 844, 1280: 900}  # a phone and a laptop, with their heights
# How the log begins an exception that a page did not handle, or that cost the learner a change.
UNCAUGHT = ("Uncaught app execution", "could not be drawn", "could not be done")


@pytest.fixture(scope="session")
def stage():
    """The app without Streamlit: what most tests need."""
    with put_up() as stage:
        yield stage


@pytest.fixture(scope="session")
def real_server(tmp_path_factory):
    """The app as it is run, shared by all tests of this worker that need it."""
    with serve(tmp_path_factory.mktemp("app")) as server:
        server.is_shared = True
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
def tabs(browser):
    """Tabs that tests use one after the other."""
    with Tabs(browser) as tabs:
        yield tabs


@pytest.fixture
def new_page(browser, tabs, own_servers, request):
    """Makes pages: new_page(width=1280, scheme="light", server=None, **context options of Playwright).

    Each is a browser of its own, which knows nothing of the others. On the stage nothing moves, which takes a quarter
    of the time, unless a test says reduced_motion="no-preference": motion is tested where it matters.
    `fresh`: nobody used it before or will afterwards, so that the test may change what a page has for good (its clock,
    its requests).
    With expect_faults=True, requests that fail while the server is away are no complaint. `own` are more addresses of
    this app.
    """
    complaints, opened, log_starts = [], [], {}

    def open_page(
        width=1280, scheme="light", server=None, expect_faults=False, fresh=False, own=(), **options
    ):
        server = server or request.getfixturevalue("stage")
        log_starts.setdefault(server, len(server.log))
        still = {} if server.is_real else {"reduced_motion": "reduce"}
        options = {"base_url": server.url} | still | options
        alone = fresh or expect_faults or not server.is_shared
        tab = Tab(browser, options, alone) if alone else tabs.take(options)
        opened.append(tab)
        tab.begin({"width": width, "height": WIDTHS.get(width, 900)}, scheme)
        tab.tell(complaints, (server.url, *own), expect_faults)
        return tab.page

    open_page.complaints = complaints
    yield open_page
    for tab in opened:
        tabs.give_back(tab)
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
def lab(new_page):
    """The Lab with its first example, on a laptop."""
    return open_lab(new_page())


@pytest.fixture
def real_lab(new_real_page):
    return open_lab(new_real_page())
