"""For a class: the projector view, the list of keys, sharing, a frame in another page, a file to hand out."""

import http.server
import re
import threading
from contextlib import contextmanager
from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser.axe import check, nothing_wrong
from tests.browser.conftest import WIDTHS
from tests.browser.lab_page import (
    arithmetic,
    cell,
    choose,
    figure,
    fits_the_width,
    go_to,
    grid,
    in_focus,
    open_example,
    open_lab,
    open_panel,
    reload,
    steps,
    type_into,
)
from tests.browser.lesson_page import open_lesson
from tests.browser.server import serve
from ui.files.handout import lab_book, page_of
from ui.scenario.presets import load_preset
from ui.words import Words, languages

PRESENTING = "html.qkv-presenting"


# The projector view


def test_one_key_shows_only_the_board_the_step_and_the_sentence(new_page):
    page = open_lab(new_page())
    size = "(one) => parseFloat(getComputedStyle(one).fontSize)"
    before = cell(page, "X, token p0, feature c0").evaluate(size)
    page.keyboard.press("p")
    expect(page.locator(PRESENTING)).to_have_count(1)
    assert cell(page, "X, token p0, feature c0").evaluate(size) > 1.2 * before
    in_focus(page, "Input")
    for gone in ("Steps", "Settings"):
        expect(page.get_by_role("navigation", name=gone)).to_be_hidden()
    for gone in ("Undo", "Share", "Predict this step"):
        expect(page.get_by_role("button", name=gone)).to_be_hidden()
    for title in ("Project", "Split heads", "Scores"):
        page.keyboard.press("ArrowRight")
        in_focus(page, title)
    page.keyboard.press("ArrowLeft")
    in_focus(page, "Split heads")
    page.keyboard.press("p")
    expect(page.locator(PRESENTING)).to_have_count(0)
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    in_focus(page, "Split heads")


def test_what_is_pointed_at_is_lit_with_its_row_and_column(new_page):
    page = open_lab(new_page())
    cell(page, "X, token p1, feature c2").hover()
    expect(page.locator(".spot")).to_have_count(0)  # only for a projector
    page.get_by_role("button", name="Present").click()
    cell(page, "X, token p1, feature c2").hover()
    expect(page.locator(".spot")).to_have_attribute("aria-label", re.compile("^X, token p1, feature c2"))
    expect(page.locator("th.spot-line")).to_have_text(["c2", "p1"])
    expect(page.locator("td.spot-line")).to_have_count(7)
    cell(page, "Wq, feature c0, channel 1").hover()
    expect(page.locator(".spot")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".spot")).to_have_count(0)


def test_what_the_step_is_about_comes_first_on_a_projector(new_page):
    page = open_lab(new_page())
    go_to(page, "Softmax")
    page.keyboard.press("p")
    expect(page.locator(".matrix.focused .name")).to_have_text(["weights"])
    top = "(one) => one.getBoundingClientRect().top"
    assert grid(page, "weights").evaluate(top) < grid(page, "X").evaluate(top)
    assert grid(page, "scaled").evaluate(top) < grid(page, "X").evaluate(top)
    expect(figure(page, "weights").locator(".bars").first).to_be_attached()
    fills = "(one) => Math.abs(one.querySelector('.main-svg').clientWidth - one.clientWidth) <= 1"
    page.wait_for_function(
        fills, arg=figure(page, "weights").element_handle()
    )  # drawn anew, in a wider place


def test_moments_of_a_lesson_are_walked_on_a_projector(new_page):
    page = open_lesson(new_page(), "projection")
    page.keyboard.press("ArrowRight")  # not before: a moment is not left by accident
    expect(page.get_by_role("heading", name=re.compile(r"^1\. "), level=2)).to_be_visible()
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name=re.compile(r"^2\. "), level=2)).to_be_visible()
    expect(page.get_by_text("2 of 5")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", name=re.compile(r"^1\. "), level=2)).to_be_visible()
    page.get_by_role("textbox", name="Your answer").fill("p")  # typed, not obeyed
    expect(page.locator(PRESENTING)).to_have_count(1)
    page.get_by_role("heading", name="From X to Q, K, V").click()
    page.keyboard.press("Escape")
    expect(page.locator(PRESENTING)).to_have_count(0)


def test_axe_finds_nothing_on_a_projector_nor_in_the_list_of_keys(new_page):
    page = open_lab(new_page())
    page.keyboard.press("p")
    expect(page.locator(PRESENTING)).to_have_count(1)
    check(page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    check(page)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_projector_view_fits_any_width(new_page, width):
    page = open_lab(new_page(width=width))
    page.keyboard.press("p")
    expect(page.locator(PRESENTING)).to_have_count(1)
    assert page.locator(".qkv-bench").evaluate("(bench) => bench.scrollWidth <= bench.clientWidth")


# The list of keys


def test_every_key_is_listed_and_the_list_closes(new_page):
    page = open_lab(new_page())
    page.get_by_role("button", name="Keyboard shortcuts").click()
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys.get_by_role("row")).to_have_count(13)
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    expect(page.get_by_role("button", name="Keyboard shortcuts")).to_be_focused()
    cell(page, "X, token p0, feature c0").click()
    page.keyboard.press("?")  # also from within a matrix, where other signs are typed
    expect(keys).to_be_visible()


# Sharing


def test_students_begin_where_the_teacher_is_and_find_back(new_page):
    teacher = open_lab(new_page())
    type_into(teacher, "X, token p0, feature c0: 1", "9")
    expect(cell(teacher, "Q, token p0, channel 0: 9")).to_be_visible()
    panel = open_panel(teacher, "Share")
    expect(panel.get_by_role("img", name=re.compile("^QR code of http.*s=2"))).to_be_visible()
    expect(panel.get_by_text("This address works on this machine only.")).to_be_visible()
    panel.get_by_role("button", name="Start from here").click()
    expect(panel.get_by_role("button", name="Back to that start")).to_be_visible()
    address = panel.get_by_test_id("stCode").first.inner_text().strip()
    teacher.keyboard.press("Escape")
    student = open_lab(new_page(), "?" + address.partition("?")[2])
    expect(cell(student, "Q, token p0, channel 0: 9")).to_be_visible()
    type_into(student, "X, token p0, feature c0: 9", "5")
    expect(cell(student, "Q, token p0, channel 0: 5")).to_be_visible()
    reload(student)
    expect(cell(student, "Q, token p0, channel 0: 5")).to_be_visible()
    student.get_by_role("button", name="Back to the teacher's start").click()
    expect(cell(student, "Q, token p0, channel 0: 9")).to_be_visible()


def test_the_code_is_shown_large(new_page):
    page = open_lab(new_page())
    open_panel(page, "Share").get_by_role("button", name="Show the code large").click()
    dialog = page.get_by_role("dialog", name="Scan to open")
    picture = dialog.get_by_role("img", name=re.compile("^QR code"))
    expect(picture).to_be_visible()
    assert picture.evaluate("(one) => one.getBoundingClientRect().width") > 400


def test_a_moment_of_a_lesson_is_shared(new_page):
    page = open_lesson(new_page(), "projection")
    page.get_by_role("button", name="Moment 2").click()
    expect(page.get_by_role("heading", name=re.compile(r"^2\. "))).to_be_visible()
    panel = open_panel(page, "Share")
    address = panel.get_by_test_id("stCode").first.inner_text().strip()
    other = new_page()
    other.goto(address)
    expect(other.get_by_role("heading", name=re.compile(r"^2\. "))).to_be_visible()
    expect(other.get_by_role("button", name="Back to the teacher's start")).to_be_visible()


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
    expect(frame.locator("[aria-label^='Q, token p0, channel 0: 7']")).to_be_visible()
    frame.get_by_role("link", name="Open in QKV Lab").hover()
    page.mouse.down()
    page.mouse.up()
    out = page.context.wait_for_event("page") if len(page.context.pages) == 1 else page.context.pages[-1]
    expect(out.locator("[aria-label^='Q, token p0, channel 0: 7']")).to_be_visible()
    assert "embed" not in out.url
    page.context.close()


def test_a_site_that_may_not_shows_nothing(browser, app_server, course_page):
    address, file = course_page
    file.write_text(f'<iframe src="{app_server.url}/lab?embed=true"></iframe>', encoding="utf-8")
    page = browser.new_page()
    with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
        page.goto(address)
    expect(page.frame_locator("iframe").locator(".qkv-bench")).to_have_count(0)
    page.context.close()


# The file to hand out


def handed_out(page, folder):
    """Downloads the handout and returns where it lies."""
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile("^One file to hand out")).click()
    path = folder / "handout.html"
    download.value.save_as(path)
    return path


def opened(browser, path, **options):
    """The file in a browser without a network; what it complains about is collected."""
    context = browser.new_context(offline=True, **options)
    page = context.new_page()
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda message: message.type == "error" and page.complaints.append(message.text))
    page.on("request", lambda asked: asked.url.startswith("http") and page.complaints.append(asked.url))
    page.goto(path.as_uri())
    expect(page.get_by_role("grid").first).to_be_visible()
    return page


def labels(page):
    """What every cell says."""
    cells = page.locator(".qkv-bench .board [role=gridcell]")
    found = cells.evaluate_all("(cells) => cells.map((cell) => cell.getAttribute('aria-label'))")
    return [re.sub(r"( \(|, )type to change(?=\)$)", "", label).removesuffix(")") for label in found]


def test_the_file_shows_the_apps_own_numbers_offline(new_page, browser, tmp_path):
    page = open_lab(new_page())
    open_example(page, "The cat sat on the mat.")
    type_into(page, "X, token The, feature 0", "0.25")
    choose(page, "Decimals", "4")
    go_to(page, "Softmax")
    expect(cell(page, "X, token The, feature 0: 0.2500")).to_be_visible()
    expect(page.get_by_role("region", name="All matrices").get_by_text("0.2500").first).to_be_visible()
    live = labels(page)
    open_panel(page, "Download")
    path = handed_out(page, tmp_path)
    page.keyboard.press("Escape")
    offline = opened(browser, path)
    in_focus(offline, "Softmax")
    assert labels(offline) == live
    for here in (page, offline):
        cell(here, "weights, query sat, key cat").click()
        expect(arithmetic(here)).to_contain_text("weights[")
    assert arithmetic(offline).inner_text() == arithmetic(page).inner_text()
    for here in (page, offline):
        arithmetic(here).get_by_role("button", name=re.compile("^scaled")).first.click()
        expect(arithmetic(here)).to_contain_text("scaled[")
        heads = here.get_by_role("group", name="Head")
        heads.get_by_role("button", name="1").click()
        expect(heads.get_by_role("button", pressed=True)).to_have_text("1")
    assert labels(offline) == eventually(page, labels(offline))
    for title in ("Weighted sum", "Merge"):
        offline.keyboard.press("ArrowRight")
        in_focus(offline, title)
    expect(offline.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    assert steps(offline).count() == steps(page).count()
    assert offline.complaints == []
    offline.context.close()


def eventually(page, wanted):
    """What the page's cells say as soon as they say what is wanted, or in the end."""
    found = labels(page)
    for _ in range(100):
        if found == wanted:
            break
        page.evaluate("new Promise(requestAnimationFrame)")
        found = labels(page)
    return found


def test_a_lesson_is_walked_and_answered_offline(new_page, browser, tmp_path):
    page = open_lesson(new_page(), "projection")
    open_panel(page, "Download")
    offline = opened(browser, handed_out(page, tmp_path))
    field = offline.get_by_role("textbox", name="Your answer")
    field.fill("4")
    field.press("Enter")
    expect(offline.get_by_text("Not yet.")).to_be_visible()
    expect(cell(offline, "Q, token p2, channel 0: to be predicted")).to_be_visible()
    field.fill("3")
    field.press("Enter")
    expect(offline.get_by_text("Right.")).to_be_visible()
    expect(offline.get_by_role("heading", name="Why", exact=True)).to_be_visible()
    cell(offline, "Q, token p2, channel 0: 3").click()
    expect(arithmetic(offline)).to_contain_text("= 3")
    for number in range(2, 6):
        offline.get_by_role("button", name="Next", exact=True).click()
        expect(offline.get_by_role("heading", name=re.compile(rf"^{number}\. "), level=2)).to_be_visible()
    expect(offline.get_by_role("button", name="Next", exact=True)).to_have_count(0)
    assert offline.complaints == []
    offline.context.close()


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("width", WIDTHS)
def test_the_file_is_for_everyone(browser, tmp_path, language, width):
    words = Words(language)
    scenario = load_preset("grouped_query")
    path = tmp_path / "handout.html"
    path.write_bytes(page_of(lab_book(scenario, scenario.trace(), words, ""), words))
    scheme = "dark" if width == 390 else "light"
    offline = opened(browser, path, viewport={"width": width, "height": WIDTHS[width]}, color_scheme=scheme)
    expect(offline.get_by_text(words("bench.offline"))).to_be_visible()
    assert offline.evaluate("document.documentElement.scrollWidth <= innerWidth")
    nothing_wrong(offline)
    assert offline.complaints == []
    offline.context.close()


def test_panels_of_a_lesson_fit_a_phone(new_page):
    page = open_lesson(new_page(width=390), "projection")
    for name in ("Download", "Share"):
        open_panel(page, name)
        assert fits_the_width(page)
        check(page)
