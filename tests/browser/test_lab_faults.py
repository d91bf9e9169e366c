"""Answers that come late, in another order or not at all, a tab that sleeps: no work is lost, and it is said.

What a server that dies and starts again costs is in test_nothing_is_lost.py.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import at, open_lab, open_menu, opener_of, seen, show, type_into
from tests.browser.wire import Wire

AWAY = "No connection to the server."
DIALOGS = """window.dialogs = 0;
new MutationObserver(() => (window.dialogs += document.querySelectorAll("[role=dialog]").length))
    .observe(document, { childList: true, subtree: true });"""


@pytest.fixture
def wired(new_page):
    """The Lab behind a wire."""
    page = new_page(expect_faults=True)
    return open_lab(page), Wire(page)


def test_a_later_answer_may_be_the_first(wired):
    page, wire = wired
    wire.hold()
    type_into(page, "X, token p0, feature c0: 1", "7")
    wire.wait_for(1)
    type_into(page, "X, token p1, feature c0: 2", "8")
    wire.wait_for(2)
    wire.let_through(-1)
    for row, number in enumerate((7, 8)):
        expect(at(page, f"Q, token p{row}, channel 0: {number}")).to_be_visible()
    wire.mend()
    while wire.held:
        wire.let_through(0)
    type_into(page, "X, token p2, feature c0: 3", "9")
    for row, number in enumerate((7, 8, 9)):
        expect(at(page, f"Q, token p{row}, channel 0: {number}")).to_be_visible()
    for row in (2, 1, 0):  # each was done once
        page.get_by_role("button", name="Undo").click()
        expect(at(page, f"Q, token p{row}, channel 0: {row + 1}")).to_be_visible()


def test_what_is_done_without_a_server_is_told_later_and_that_is_said(wired):
    page, wire = wired
    wire.cut()
    type_into(page, "X, token p0, feature c0: 1", "7")
    page.keyboard.type("8")
    page.keyboard.press("Enter")
    expect(seen(page, AWAY)).to_be_visible()
    wire.mend()
    for row, number in enumerate((7, 8)):
        expect(at(page, f"Q, token p{row}, channel 0: {number}")).to_be_visible()
    expect(seen(page, AWAY)).to_be_hidden()
    page.reload()
    expect(at(page, "Q, token p1, channel 0: 8")).to_be_visible()


def test_a_panel_opened_before_an_edit_is_answered_does_not_undo_it(wired):
    page, wire = wired
    wire.hold()
    type_into(page, "X, token p0, feature c0: 1", "7")
    wire.wait_for(1)
    open_menu(page)
    more = opener_of(page, "More")
    more.click()
    wire.mend()
    while wire.held:
        wire.let_through(0)
    expect(more).to_have_attribute("aria-expanded", "true")
    expect(at(page, "Q, token p0, channel 0: 7")).to_be_visible()
    page.reload()
    expect(at(page, "Q, token p0, channel 0: 7")).to_be_visible()


def test_a_network_that_goes_away_for_a_moment(new_page):
    page = open_lab(new_page(expect_faults=True))
    page.context.set_offline(True)
    type_into(page, "X, token p2, feature c0: 3", "8")
    page.context.set_offline(False)
    expect(at(page, "Q, token p2, channel 0: 8")).to_be_visible()


def test_a_tab_that_slept_for_an_hour(new_page):
    page = new_page(expect_faults=True)
    wire = Wire(page)
    page.clock.install()
    open_lab(page)
    wire.cut()
    type_into(page, "X, token p0, feature c0: 1", "7")
    page.clock.fast_forward("01:00:00")
    wire.mend()
    type_into(page, "X, token p1, feature c0: 2", "9")
    expect(at(page, "Q, token p1, channel 0: 9")).to_be_visible()
    expect(at(page, "Q, token p0, channel 0: 7")).to_be_visible()


def test_a_figure_that_cannot_be_loaded_says_so_and_is_asked_for_again(new_page):
    page = new_page(expect_faults=True)
    page.route("**/plotly.min.js*", lambda route: route.abort())
    show(open_lab(page), "weights")
    instead = page.get_by_text("The figure could not be loaded. All numbers are on the board.")
    expect(instead).to_be_visible()
    type_into(page, "X, token p0, feature c0: 1", "7")
    expect(at(page, "Q, token p0, channel 0: 7")).to_be_visible()
    page.unroute("**/plotly.min.js*")
    type_into(page, "X, token p1, feature c0: 2", "5")
    show(page, "weights")
    expect(page.locator(".meaning .js-plotly-plot text").first).to_be_visible()
    expect(instead).to_have_count(0)


def test_no_dialog_of_streamlits_takes_the_keyboard(new_page, fresh_app_server):
    page = new_page(server=fresh_app_server, expect_faults=True)
    page.add_init_script(DIALOGS)
    open_lab(page)
    fresh_app_server.restart()  # before the first edit
    type_into(page, "X, token p0, feature c0: 1", "7")
    expect(at(page, "Q, token p0, channel 0: 7")).to_be_visible(timeout=60_000)
    fresh_app_server.process.kill()
    fresh_app_server.process.wait()
    type_into(page, "X, token p1, feature c0: 2", "8")
    expect(seen(page, AWAY)).to_be_visible()
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    fresh_app_server.start()
    for row, number in enumerate((7, 8, 9)):
        expect(at(page, f"Q, token p{row}, channel 0: {number}")).to_be_visible(timeout=60_000)
    expect(seen(page, AWAY)).to_be_hidden()
    assert page.evaluate("window.dialogs") == 0
