"""Every number answers in the frame of the key press, whatever the network does; the server's answer is what stays."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import cell, choose, open_lab, seen, type_into
from tests.browser.lesson_page import answer, open_lesson
from tests.browser.losses import settled
from tests.browser.wire import Wire
from tests.engine import engine_of
from tests.test_engine import TRACES, assert_each_step, assert_explained, assert_whole
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset

X = "X, token p0, feature c0:"  # the label of a cell begins so, its number follows
OWN_MASK = [[True, False, True, True], [True] * 4, [False] * 4, [True] * 4]
# What is seen: the number of every cell by its place, the arithmetic of the open one, the first paragraph of "Why".
SEEN = """() => ({
    cells: Object.fromEntries([...document.querySelectorAll("[role=gridcell][data-row]")]
        .map((cell) => [cell.ariaLabel.split(": ")[0], cell.textContent])),
    arithmetic: document.querySelector(".qkv-bench .arithmetic").textContent,
    prose: document.querySelector(".qkv-bench .why.shown p")?.textContent,
})"""
# The same in the frame of the next event of a kind: before anything else is painted.
IN_THE_FRAME = f"""(kind) => {{
    const seen = {SEEN};
    window.inTheFrame = null;
    const note = () => (window.inTheFrame = seen());
    addEventListener(kind, () => requestAnimationFrame(note), {{ capture: true, once: true }});
}}"""


def at(step, preset="pixels_2x2", **options):
    """A link to a step of an example: X, what is multiplied with it, and what comes of them are there."""
    return f"?s={write_link(load_preset(preset).with_options(**options).looking(step=step))}"


@pytest.fixture
def wired(new_page):
    """The Lab where X is projected, behind a wire."""
    page = new_page(expect_faults=True)
    return open_lab(page, at("project")), Wire(page)


def shown_at_once(page, wire, kind, act):
    """What is seen in the frame of an event before any answer, beside what was; the answer then changes nothing."""
    wire.hold()
    before = page.evaluate(SEEN)
    page.evaluate(IN_THE_FRAME, kind)
    act()
    page.wait_for_function("window.inTheFrame")
    shown = page.evaluate("window.inTheFrame")
    assert wire.held, "nothing was asked"
    wire.mend_and_let_through()
    settled(page)
    assert shown == page.evaluate(SEEN)
    assert not differences(page)
    return before, shown


def differences(page):
    return page.locator(".qkv-bench").get_attribute("data-differences")


def others(before, shown, name="X, "):
    """The cells that changed, but for those of a matrix."""
    cells = before["cells"].items()
    return [place for place, text in cells if shown["cells"][place] != text and not place.startswith(name)]


def has(page, number, name=X):
    expect(cell(page, f"{name} {number}")).to_be_visible()


# In the frame of the event


def test_the_engine_in_a_browser(new_page):
    """What test_engine.py holds in Node, once in the browser itself."""
    browser = engine_of(new_page(fresh=True))
    for trace in TRACES.values():
        assert_each_step(browser, trace)
        assert_whole(browser, trace)
        names = [line.name for line in trace.plan.lines]
        assert_explained(browser, trace, [(name, (0,) * trace[name].ndim, 2) for name in names])


def test_an_edit_is_on_the_whole_board_in_the_frame_of_the_key(wired):
    page, wire = wired
    cell(page, f"{X} 1").click()
    settled(page)
    page.keyboard.type("7")
    before, shown = shown_at_once(page, wire, "keydown", lambda: page.keyboard.press("Enter"))
    assert others(before, shown)


def test_the_arithmetic_of_the_open_cell_follows_in_the_same_frame(wired):
    page, wire = wired
    cell(page, "Q, token p0, channel 0:").click()
    settled(page)
    cell(page, X).focus()
    page.keyboard.type("7")
    before, shown = shown_at_once(page, wire, "keydown", lambda: page.keyboard.press("Enter"))
    assert before["arithmetic"] != shown["arithmetic"]
    assert "7·" in shown["arithmetic"]


def test_undo_and_redo_are_shown_in_the_same_frame(wired):
    page, wire = wired
    type_into(page, f"{X} 1", "7")
    settled(page)
    cell(page, X).focus()
    page.keyboard.down("Control")
    for key, number in (("z", "1"), ("y", "7")):
        before, shown = shown_at_once(page, wire, "keydown", lambda key=key: page.keyboard.press(key))
        assert others(before, shown)
        has(page, number)


def test_a_cell_of_a_mask_of_ones_own_is_switched_in_the_same_frame(new_page):
    page = open_lab(new_page(expect_faults=True), at("mask", attn_mask=OWN_MASK))
    wire = Wire(page)
    switch = cell(page, re.compile(r"^may look, query p0, key p1: no"))
    before, shown = shown_at_once(page, wire, "click", switch.click)
    assert others(before, shown, "may look")


def test_a_scale_is_shown_in_the_same_frame(new_page):
    page = open_lab(new_page(expect_faults=True), at("scale", scale=0.5))
    wire = Wire(page)
    page.get_by_role("spinbutton", name="Scale").or_(
        page.locator("[data-choice=own_scale] input")
    ).first.fill("2")
    before, shown = shown_at_once(page, wire, "keydown", lambda: page.keyboard.press("Enter"))
    assert others(before, shown)


def test_numbers_in_the_prose_of_a_lesson_follow_in_the_same_frame(new_page):
    page = open_lesson(new_page(expect_faults=True), "masks")
    answer(page, "1")
    choose(page, "Mask", "Free")
    switch = cell(page, re.compile("^may look, ")).first
    switch.click()
    expect(page.locator(".qkv-bench .why.shown")).to_be_visible()
    settled(page)
    wire = Wire(page)
    before, shown = shown_at_once(page, wire, "click", switch.click)
    assert others(before, shown, "may look")
    assert before["prose"] != shown["prose"]


# What the server says is what stays


def test_what_the_server_refuses_returns_to_what_was_before_with_a_sentence(wired):
    page, wire = wired
    before = page.evaluate(SEEN)
    wire.change("x", 0, 0, "seven")
    type_into(page, f"{X} 1", "7")
    expect(page.locator(".qkv-bench .bar > .sentence")).to_be_visible()
    has(page, 1)
    settled(page)
    assert page.evaluate(SEEN)["cells"] == before["cells"]
    assert not differences(page)
    wire.mend()
    type_into(page, f"{X} 1", "8")
    has(page, 8, "Q, token p0, channel 0:")


def test_another_number_than_the_servers_is_counted_and_logged_with_the_link_and_the_servers_stays(wired):
    page, wire = wired
    logged = []
    page.on("console", lambda message: logged.append(message.text))
    wire.change("x", 0, 0, "8")
    type_into(page, f"{X} 1", "7")
    has(page, 8)
    has(page, 8, "Q, token p0, channel 0:")
    settled(page)
    assert differences(page) == "1"
    assert [page.url in text for text in logged] == [True]


def test_a_difference_is_counted_too_where_the_learner_has_gone_on(wired):
    page, wire = wired
    wire.hold()
    wire.change("x", 0, 0, "8")
    for row, number in enumerate((7, 5)):
        cell(page, f"X, token p{row}, feature c0").focus()
        page.keyboard.type(str(number))
        page.keyboard.press("Enter")
        wire.wait_for(row + 1)
    wire.let_through(0)
    has(page, 8)
    has(page, 5, "Q, token p1, channel 0:")
    assert differences(page) == "1"


def test_what_is_typed_on_a_slow_network_never_goes_back(wired):
    page, wire = wired
    wire.hold()
    for row, number in enumerate((7, 8)):
        type_into(page, f"X, token p{row}, feature c0", str(number))
        has(page, number, f"Q, token p{row}, channel 0:")
    page.evaluate("""() => {
        window.shown = new Set();
        const cells = [...document.querySelectorAll("[role=gridcell]")]
            .filter(({ ariaLabel }) => /^Q, token p[01], channel 0/.test(ariaLabel));
        const look = () => shown.add(cells.map((cell) => cell.textContent).join());
        const whole = { subtree: true, childList: true, characterData: true };
        new MutationObserver(look).observe(document.querySelector(".qkv-bench"), whole);
        look();
    }""")
    wire.wait_for(2)
    while wire.held:  # each answer says less than what was done since, until the last
        wire.let_through(0)
        page.wait_for_timeout(50)
    wire.mend()
    settled(page)
    assert page.evaluate("[...shown]") == ["7,8"]
    assert not differences(page)


def test_without_a_network_what_is_typed_is_shown_waits_and_arrives(wired):
    page, wire = wired
    wire.cut()
    type_into(page, f"{X} 1", "7")
    has(page, 7, "Q, token p0, channel 0:")
    expect(seen(page, "No connection to the server.")).to_be_visible()
    type_into(page, "X, token p1, feature c0", "8")
    has(page, 8, "Q, token p1, channel 0:")
    assert page.locator(".qkv-bench").get_attribute("data-waiting") != "0"
    wire.mend()
    settled(page)
    assert not differences(page)
    page.reload()
    has(page, 7, "Q, token p0, channel 0:")
    has(page, 8, "Q, token p1, channel 0:")
