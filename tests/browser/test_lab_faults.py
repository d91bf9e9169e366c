"""A server that is killed, a socket that is cut, a tab that sleeps: no work is lost."""

import re

import pytest
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.lab_page import cell, chosen, go_to, in_focus, open_lab, seen, type_into

STREAM = re.compile("/_stcore/stream")
AWAY = "No connection to the server."


@pytest.fixture
def own_lab(new_page, fresh_app_server):
    """The Lab on a server of its own, which may be killed."""
    return open_lab(new_page(server=fresh_app_server, expect_faults=True))


class Wire:
    """The socket between page and server: `cut` it, or `hold` what the server says; `mend` ends either."""

    def __init__(self, page):
        self.whole, self.holding, self.held, self.sockets = True, False, [], []
        self.without = ""  # the kind of message that is lost on the way to the page
        page.route_web_socket(STREAM, self.connect)

    def connect(self, socket):
        if not self.whole:
            socket.close(code=1011)
            return
        self.sockets.append(socket)
        server = socket.connect_to_server()
        server.on_message(lambda message: self.pass_on(socket, message))

    def pass_on(self, socket, message):
        if self.without and ForwardMsg.FromString(message).WhichOneof("type") == self.without:
            return
        if self.holding:
            self.held.append((socket, message))
        else:
            socket.send(message)

    def cut(self):
        self.whole = False
        for socket in self.sockets:
            socket.close(code=1011)
        self.sockets.clear()

    def hold(self):
        self.holding = True

    def mend(self):
        self.whole, self.holding = True, False
        while self.held:
            socket, message = self.held.pop(0)
            socket.send(message)


@pytest.fixture
def wired(new_page):
    """The Lab behind a wire."""
    page = new_page(expect_faults=True)
    wire = Wire(page)
    return open_lab(page), wire


def test_a_restarted_server_loses_nothing(own_lab, fresh_app_server):
    type_into(own_lab, "X, token p0, feature c0: 1", "7")
    go_to(own_lab, "Scores")
    expect(cell(own_lab, "Q, token p0, channel 0: 7")).to_be_visible()
    bench = own_lab.locator(".qkv-bench")
    before = bench.get_attribute("data-session")
    fresh_app_server.restart()
    expect(bench).not_to_have_attribute(
        "data-session", before, timeout=60_000
    )  # it is back, as another session
    expect(cell(own_lab, "Q, token p0, channel 0: 7")).to_be_visible()
    type_into(own_lab, "X, token p1, feature c0: 2", "9")
    expect(cell(own_lab, "Q, token p1, channel 0: 9")).to_be_visible()
    expect(cell(own_lab, "Q, token p0, channel 0: 7")).to_be_visible()
    in_focus(own_lab, "Scores")


def test_what_is_done_while_the_server_is_away_arrives_afterwards(own_lab, fresh_app_server):
    type_into(own_lab, "X, token p0, feature c0: 1", "7")
    expect(cell(own_lab, "Q, token p0, channel 0: 7")).to_be_visible()
    fresh_app_server.process.kill()
    fresh_app_server.process.wait()
    own_lab.keyboard.type("8")
    own_lab.keyboard.press("Enter")
    expect(seen(own_lab, AWAY)).to_be_visible()
    own_lab.wait_for_timeout(4000)  # Streamlit's own dialog would have come, and taken the keyboard
    expect(own_lab.get_by_role("dialog")).to_have_count(0)
    own_lab.keyboard.type("9")
    own_lab.keyboard.press("Enter")
    fresh_app_server.start()
    for row, number in enumerate((7, 8, 9)):
        expect(cell(own_lab, f"Q, token p{row}, channel 0: {number}")).to_be_visible(timeout=40_000)
    expect(seen(own_lab, AWAY)).to_be_hidden()
    own_lab.reload()
    expect(cell(own_lab, "Q, token p2, channel 0: 9")).to_be_visible()


def test_a_server_restarted_before_the_first_edit(own_lab, fresh_app_server):
    fresh_app_server.process.kill()
    fresh_app_server.process.wait()
    expect(seen(own_lab, AWAY)).to_be_visible()
    fresh_app_server.start()
    expect(seen(own_lab, AWAY)).to_be_hidden(timeout=40_000)
    type_into(own_lab, "X, token p0, feature c0: 1", "7")
    expect(cell(own_lab, "Q, token p0, channel 0: 7")).to_be_visible()


def test_a_cut_socket_loses_nothing(wired):
    page, wire = wired
    type_into(page, "X, token p0, feature c0: 1", "7")
    expect(cell(page, "Q, token p0, channel 0: 7")).to_be_visible()
    wire.cut()
    page.keyboard.type("8")
    page.keyboard.press("Enter")
    wire.mend()
    expect(cell(page, "Q, token p1, channel 0: 8")).to_be_visible(timeout=40_000)
    expect(cell(page, "Q, token p0, channel 0: 7")).to_be_visible()
    cell(page, "Q, token p1, channel 0: 8").focus()
    page.keyboard.press("Control+z")  # the same session: its history is there
    page.keyboard.press("Control+z")
    expect(cell(page, "Q, token p0, channel 0: 1")).to_be_visible()


def test_a_server_killed_between_the_numbers_and_the_address(new_page, fresh_app_server):
    page = new_page(server=fresh_app_server, expect_faults=True)
    wire = Wire(page)
    open_lab(page)
    type_into(page, "X, token p0, feature c0: 1", "7")
    expect(cell(page, "Q, token p0, channel 0: 7")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?s="))
    wire.without = "page_info_changed"
    address = page.url
    page.keyboard.type("8")
    page.keyboard.press("Enter")
    expect(cell(page, "Q, token p1, channel 0: 8")).to_be_visible()
    wire.cut()
    assert page.url == address
    fresh_app_server.restart()
    wire.without = ""
    wire.mend()
    expect(page).not_to_have_url(address, timeout=40_000)
    expect(cell(page, "Q, token p0, channel 0: 7")).to_be_visible()
    expect(cell(page, "Q, token p1, channel 0: 8")).to_be_visible()
    page.reload()
    expect(cell(page, "Q, token p1, channel 0: 8")).to_be_visible()


def test_a_panel_opened_before_an_edit_is_answered_does_not_undo_it(wired):
    page, wire = wired
    cell(page, "X, token p0, feature c0: 1").click()
    expect(chosen(page)).to_have_count(1)
    wire.hold()  # so the address is still the one before the edit when the panel is asked for
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect(cell(page, "X, token p0, feature c0")).to_have_text("7")
    page.wait_for_timeout(400)  # the server has answered, which the page does not know yet
    page.get_by_role("button", name="More").click()
    page.wait_for_timeout(400)
    wire.mend()
    expect(page.get_by_role("spinbutton", name="Tokens")).to_be_visible()
    expect(cell(page, "Q, token p0, channel 0: 7")).to_be_visible()
    page.reload()
    expect(cell(page, "Q, token p0, channel 0: 7")).to_be_visible()


def test_a_network_that_goes_away_for_a_moment(own_lab):
    own_lab.context.set_offline(True)
    own_lab.context.set_offline(False)
    type_into(own_lab, "X, token p2, feature c0: 3", "8")
    expect(cell(own_lab, "Q, token p2, channel 0: 8")).to_be_visible()


def test_a_tab_that_slept_for_an_hour(new_page, fresh_app_server):
    page = new_page(server=fresh_app_server, expect_faults=True)
    wire = Wire(page)
    page.clock.install()
    open_lab(page)
    type_into(page, "X, token p0, feature c0: 1", "7")
    expect(cell(page, "Q, token p0, channel 0: 7")).to_be_visible()
    wire.cut()
    fresh_app_server.restart()  # long before the hour is over the server has forgotten the session
    page.clock.fast_forward("01:00:00")
    wire.mend()
    type_into(page, "X, token p1, feature c0: 2", "9")
    expect(cell(page, "Q, token p1, channel 0: 9")).to_be_visible(timeout=40_000)
    expect(cell(page, "Q, token p0, channel 0: 7")).to_be_visible()


def test_f5_right_after_an_edit(own_lab):
    type_into(own_lab, "X, token p0, feature c0: 1", "7")
    expect(cell(own_lab, "Q, token p0, channel 0: 7")).to_be_visible()
    own_lab.reload()
    expect(cell(own_lab, "Q, token p0, channel 0: 7")).to_be_visible()
    own_lab.keyboard.press("Control+r")
    expect(cell(own_lab, "Q, token p0, channel 0: 7")).to_be_visible()


def test_a_figure_that_cannot_be_loaded_says_so_and_is_asked_for_again(new_page):
    page = new_page(expect_faults=True)
    page.route("**/plotly.min.js*", lambda route: route.abort())
    open_lab(page)
    instead = page.get_by_text("The figure could not be loaded. All numbers are on the board.")
    expect(instead).to_be_visible()
    type_into(page, "X, token p0, feature c0: 1", "7")
    expect(cell(page, "Q, token p0, channel 0: 7")).to_be_visible()
    page.unroute("**/plotly.min.js*")
    type_into(page, "X, token p1, feature c0: 2", "5")
    expect(page.locator(".focus .js-plotly-plot text").first).to_be_visible()
    expect(instead).to_have_count(0)
