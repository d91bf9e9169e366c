"""Numbers that are dragged sideways: by mouse, finger and keys; what is asked meanwhile, and what is left alone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import box_of, cell, open_lab, paste, type_into
from tests.browser.losses import press, settled
from tests.browser.test_at_once import IN_THE_FRAME, SEEN, X, at, differences, has, others
from tests.browser.wire import Wire

Q = "Q, token p0, channel 0:"  # the same number, on this board
ONE = 12  # pixels to the next number


@pytest.fixture
def opened(new_page):
    """The Lab where X is projected, behind a wire; with options of the page."""

    def open_page(**options):
        page = open_lab(new_page(fresh=True, **options), at("project"))
        return page, Wire(page)

    return open_page


def middle(page, name=X):
    cell(page, name).first.scroll_into_view_if_needed()
    box = box_of(cell(page, name).first)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def grasp(page, name=X):
    """The mouse goes down on a number; what moves it by so many steps from there."""
    x, y = middle(page, name)
    page.mouse.move(x, y)
    page.mouse.down()
    return lambda steps, down=0: page.mouse.move(x + ONE * steps, y + down)


def drag(page, steps, name=X):
    grasp(page, name)(steps)
    page.mouse.up()


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_everything_follows_the_mouse_in_its_frame(opened, motion):
    page, wire = opened(reduced_motion=motion)
    wire.hold()
    before = page.evaluate(SEEN)
    to = grasp(page)
    for steps in (1, 3, -2):
        page.evaluate(IN_THE_FRAME, "pointermove")
        to(steps)
        page.wait_for_function("window.inTheFrame")
        has(page, str(1 + steps).replace("-", "−"))
        has(page, str(1 + steps).replace("-", "−"), Q)
    page.mouse.up()
    shown = page.evaluate(SEEN)
    assert others(before, shown)
    wire.mend_and_let_through()
    settled(page)
    assert page.evaluate(SEEN) == shown
    assert not differences(page)
    press(page, "Undo")  # once, for all of it
    settled(page)
    assert page.evaluate(SEEN)["cells"] == before["cells"]


def test_a_number_moves_by_its_last_decimal_and_ten_times_as_far_with_shift(opened):
    page, _ = opened()
    type_into(page, f"{X} 1", "0.25")
    drag(page, 3)
    has(page, "0.28")
    page.keyboard.down("Shift")
    drag(page, -2)
    page.keyboard.up("Shift")
    has(page, "0.08")


def test_by_keys_alone(opened):
    page, _ = opened()
    cell(page, X).focus()
    page.keyboard.down("Alt")
    for key in ("ArrowRight", "ArrowUp", "Shift+ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    page.keyboard.up("Alt")
    has(page, 12, Q)
    expect(cell(page, X)).to_be_focused()
    settled(page)
    page.keyboard.press("Control+z")
    has(page, 1, Q)
    settled(page)
    page.keyboard.press("Control+y")
    has(page, 12, Q)
    page.keyboard.down("Alt")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    page.keyboard.up("Alt")
    has(page, 12, Q)
    settled(page)
    assert not differences(page)


@pytest.mark.parametrize("pause", [0, 400])
def test_escape_returns_to_where_the_drag_began_and_leaves_no_step_of_undo(opened, pause):
    page, wire = opened()
    type_into(page, "X, token p1, feature c0: 2", "9")
    settled(page)
    asked = len(wire.asked)
    to = grasp(page)
    to(4)
    has(page, 5, Q)
    page.wait_for_timeout(pause)  # long enough to be asked, or not
    page.keyboard.press("Escape")
    has(page, 1, Q)
    to(9)
    page.mouse.up()
    has(page, 1, Q)
    settled(page)
    assert len(wire.asked) > asked or not pause
    expect(cell(page, X)).not_to_have_class(re.compile("dragged|typing"))
    press(page, "Undo")
    has(page, 2, "Q, token p1, channel 0:")
    has(page, 1, Q)


def finger(page):
    """A finger as the browser itself sees one, with what it scrolls and taps."""
    session = page.context.new_cdp_session(page)

    def touch(kind, *places):
        points = [{"x": x, "y": y} for x, y in places]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def tap(at):
        touch("touchStart", at)
        touch("touchEnd")

    def slide(at, across, down=0):
        x, y = at
        touch("touchStart", at)
        for part in range(1, 9):
            touch("touchMove", (x + across * part / 8, y + down * part / 8))
        touch("touchEnd")

    return tap, slide


def test_a_finger_that_slides_over_cells_reads_them(opened):
    page, _ = opened(width=390, has_touch=True, is_mobile=True)
    _, slide = finger(page)
    box = cell(page, "X, token p1, feature c0:").bounding_box()
    slide((box["x"] + 5, box["y"] + box["height"] / 2), 2.5 * box["width"])
    expect(cell(page, "X, token p1, feature c2: 0 (chosen")).to_be_visible()
    settled(page)
    expect(cell(page, re.compile("^X, token p1, "))).to_have_text(["2", "1", "0", "2"])


def test_a_finger_drags_the_number_that_is_chosen_and_scrolls_elsewhere(opened):
    page, _ = opened(width=390, has_touch=True, is_mobile=True)
    tap, slide = finger(page)
    tap(middle(page))
    expect(cell(page, X)).to_be_focused()
    settled(page)
    slide(middle(page), 3 * ONE)
    has(page, 4)
    settled(page)
    press(page, "Undo")
    has(page, 1)
    settled(page)
    cell(page, X).focus()
    at = middle(page)
    slide(at, 0, down=-120)  # the page scrolls, also from the number that is chosen
    has(page, 1)
    page.wait_for_function(
        "(y) => Math.abs(document.activeElement.getBoundingClientRect().y - y) > 40", arg=at[1]
    )


# What is asked meanwhile


def stop_the_clock(page):
    """From now on time passes only when it is told to, however busy the machine is."""
    settled(page)
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))


def test_the_server_is_asked_once_a_pause_and_for_the_last_number_always(opened):
    page, wire = opened()
    stop_the_clock(page)
    wire.asked.clear()
    to = grasp(page)
    for steps in range(1, 9):
        to(steps)
        page.clock.run_for(100)
        has(page, 1 + steps, Q)
    assert wire.asked == []
    page.clock.run_for(100)
    settled(page)
    assert wire.asked == [[["drag", "edit", "x", 0, 0, "9"]]]
    page.clock.run_for(1000)
    for steps in range(9, 20):
        to(steps)
        page.clock.run_for(140)
    assert len(wire.asked) == 1
    page.mouse.up()
    settled(page)
    assert wire.asked[1:] == [[["on", "edit", "x", 0, 0, "20"]]]
    page.clock.run_for(1000)
    assert len(wire.asked) == 2


def test_those_who_listen_hear_one_announcement_a_pause(opened):
    page, _ = opened()
    page.evaluate("""() => {
        const region = document.querySelector(".qkv-bench .heard");
        window.heard = [];
        new MutationObserver(() => window.heard.push(region.textContent)).observe(region, { childList: true });
    }""")
    stop_the_clock(page)
    to = grasp(page)
    for steps in range(1, 8):
        to(steps)
        page.clock.run_for(100)
    page.clock.run_for(100)
    settled(page)
    to(9)
    page.mouse.up()
    settled(page)
    first, second = page.evaluate("heard")
    assert first.startswith("X p0 c0 is 8. Numbers changed: ")
    assert second.startswith("X p0 c0 is 10. Numbers changed: ")
    to = grasp(page)
    to(2)
    page.clock.run_for(100)
    page.keyboard.press("Escape")
    page.mouse.up()
    page.clock.run_for(100)
    cell(page, "Q, token p0, channel 1:").click()
    settled(page)
    assert not [text for text in page.evaluate("heard.slice(2)") if "X p0" in text]


# What is left alone


def test_a_press_opens_a_cell_and_a_drag_does_not(opened):
    page, _ = opened()
    drag(page, 2)
    has(page, 3)
    settled(page)
    expect(cell(page, X)).to_have_attribute("aria-selected", "false")
    cell(page, X).click()
    expect(cell(page, X)).to_have_attribute("aria-selected", "true")


def test_down_or_on_a_result_nothing_is_dragged(opened):
    page, wire = opened()
    before = page.evaluate(SEEN)
    wire.asked.clear()
    grasp(page)(1, down=60)
    page.mouse.up()
    drag(page, 4, Q)
    page.evaluate("new Promise((done) => setTimeout(done, 250))")
    assert page.evaluate(SEEN)["cells"] == before["cells"]
    assert not [act for acts in wire.asked for act in acts if act[0] in ("drag", "on", "edit")]


def test_text_is_selected_where_one_types_and_pasted_where_one_dragged(opened):
    page, _ = opened()
    cell(page, X).dblclick()
    field = page.locator("[role=gridcell] input")
    field.fill("123")
    box = box_of(field)
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    assert page.evaluate("getSelection().toString()") == "123"
    page.keyboard.press("Escape")
    has(page, 1)
    drag(page, 2)
    has(page, 3)
    cell(page, X).focus()
    paste(page, "5\t6")
    has(page, 5)
    has(page, 6, "X, token p0, feature c1:")
    settled(page)
    for number in (3, 1):
        press(page, "Undo")
        has(page, number)
        settled(page)


def test_a_scale_of_ones_own_is_dragged_too(new_page):
    page = open_lab(new_page(), at("scale", scale=0.5))
    field = page.locator("[data-choice=own_scale] input")
    before = page.evaluate(SEEN)
    field.focus()
    page.keyboard.down("Alt")
    page.keyboard.press("ArrowRight")
    page.keyboard.up("Alt")
    expect(field).to_have_value("0.6")
    settled(page)
    assert others(before, page.evaluate(SEEN))
    assert not differences(page)
