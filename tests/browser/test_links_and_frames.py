"""For a class: a link with a start of its own, its code, a frame in another page."""

import http.server
import re
import threading
from contextlib import contextmanager
from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import at, open_lab, open_panel, press, type_into
from tests.browser.lesson_page import open_lesson, open_menu, open_panel_of
from tests.browser.server import serve


def test_students_begin_where_the_teacher_is_and_find_back(new_real_page):
    teacher = open_lab(new_real_page())
    type_into(teacher, "X, token p0, feature c0: 1", "9")
    expect(at(teacher, "Q, token p0, channel 0: 9")).to_be_visible()
    panel = open_panel(teacher, "Share")
    expect(panel.get_by_role("img", name=re.compile("^QR code of http.*s=2"))).to_be_visible()
    expect(panel.get_by_text("This address works on this machine only.")).to_be_visible()
    panel.get_by_role("button", name="Start from here").click()
    expect(panel.get_by_role("button", name="Back to that start")).to_be_visible()
    address = panel.get_by_test_id("stCode").first.inner_text().strip()
    teacher.keyboard.press("Escape")
    student = open_lab(new_real_page(), "?" + address.partition("?")[2])
    expect(at(student, "Q, token p0, channel 0: 9")).to_be_visible()
    type_into(student, "X, token p0, feature c0: 9", "5")
    expect(at(student, "Q, token p0, channel 0: 5")).to_be_visible()
    student.reload()
    expect(at(student, "Q, token p0, channel 0: 5")).to_be_visible()
    press(student, "Back to the teacher's start")
    expect(at(student, "Q, token p0, channel 0: 9")).to_be_visible()


def test_the_code_is_shown_large(new_real_page):
    page = open_lab(new_real_page())
    open_panel(page, "Share").get_by_role("button", name="Show the code large").click()
    dialog = page.get_by_role("dialog", name="Scan to open")
    picture = dialog.get_by_role("img", name=re.compile("^QR code"))
    expect(picture).to_be_visible()
    assert picture.evaluate("(one) => one.getBoundingClientRect().width") > 400


def test_a_section_of_a_lesson_is_shared(new_real_page):
    page = open_lesson(new_real_page(), "projection")
    page.get_by_role("button", name="Section 2").click()
    expect(page.get_by_role("heading", name=re.compile(r"^2\. "))).to_be_visible()
    panel = open_panel_of(page, "Share")
    address = panel.get_by_test_id("stCode").first.inner_text().strip()
    other = new_real_page()
    other.goto(address)
    expect(other.get_by_role("heading", name=re.compile(r"^2\. "))).to_be_visible()
    expect(open_menu(other).get_by_role("button", name="Back to the teacher's start")).to_be_visible()


# A frame in another page


@contextmanager
def site(folder):
    """Somebody else's site: another origin on this machine."""
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    handler.log_message = lambda *_: None
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def course_page(tmp_path):
    """A page of somebody else's: its address, and the file to write."""
    folder = tmp_path / "site"
    folder.mkdir()
    with site(folder) as address:
        yield address, folder / "index.html"


def test_a_site_that_may_shows_the_lab_without_its_chrome(
    browser, own_servers, course_page, tmp_path, monkeypatch
):
    address, file = course_page
    monkeypatch.setenv("QKV_FRAMED_BY", address)
    app = own_servers.enter_context(serve(tmp_path))
    page = browser.new_page(base_url=app.url)
    open_lab(page)
    panel = open_panel(page, "Share")
    panel.get_by_text("Show it in a page of your own").click()
    expect(panel.get_by_text(f"QKV_FRAMED_BY={address}")).to_be_visible()
    snippet = panel.get_by_test_id("stCode").last.inner_text()
    assert 'height="900"' in snippet
    file.write_text(f"<!doctype html><title>A course</title>{snippet}", encoding="utf-8")
    page.goto(address)
    frame = page.frame_locator("iframe")
    first = frame.locator("[aria-label^='X, token p0, feature c0']")
    expect(first).to_be_visible()
    for gone in ("Share", "Keyboard shortcuts", "Present"):
        expect(frame.get_by_role("button", name=gone)).to_be_hidden()
    expect(frame.get_by_role("link", name="Home")).to_have_count(0)
    expect(frame.get_by_test_id("stMainMenu")).to_have_count(0)
    first.click()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect(frame.locator("[aria-label^='X, token p0, feature c0: 7']")).to_be_visible()
    frame.get_by_role("link", name="Open in QKV Lab").hover()
    page.mouse.down()
    page.mouse.up()
    out = page.context.wait_for_event("page") if len(page.context.pages) == 1 else page.context.pages[-1]
    expect(out.locator("[aria-label^='X, token p0, feature c0: 7']")).to_be_visible()
    assert "embed" not in out.url
    page.context.close()


def test_a_site_that_may_not_shows_nothing(browser, real_server, course_page):
    address, file = course_page
    file.write_text(f'<iframe src="{real_server.url}/lab?embed=true"></iframe>', encoding="utf-8")
    page = browser.new_page()
    with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
        page.goto(address)
    expect(page.frame_locator("iframe").locator(".qkv-bench")).to_have_count(0)
    page.context.close()
