"""Home in a real browser: the sentence, its arcs and bars, the arithmetic, numbers that are dragged, the course."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import check
from tests.browser.keyboard import press_on, reach
from tests.browser.lab_page import box_of, cell, fits_the_width
from tests.browser.lesson_page import answer, done, open_lesson
from tests.learner import Reader
from tests.student import LESSONS, sections_of_page
from ui.page.home import HOME
from ui.scenario.link import write_link

ALL = sum(len(sections_of_page(lesson)) for lesson in LESSONS)  # sections of the course

NAMES = ["The", "cat", "sat", "on", "the", "mat", "."]
SIZES = pytest.mark.parametrize("width", [1280, 390])
MOVES = {"reduced_motion": "no-preference"}
# A drag by so many pixels, and what is seen in the frame after: no server was asked yet.
DRAG = """async ([place, by]) => {
    const field = document.querySelectorAll(".number")[place];
    const { x, y } = field.getBoundingClientRect();
    const at = (kind, across) => field.dispatchEvent(new PointerEvent(kind, {
        bubbles: true, pointerId: 7, isPrimary: true, button: 0, pointerType: "mouse", clientX: x + across, clientY: y,
    }));
    at("pointerdown", 0);
    at("pointermove", by);
    await new Promise(requestAnimationFrame);
    const seen = { number: field.value, ...window.seen() };
    at("pointerup", by);
    return seen;
}"""
SEEN = """window.seen = () => ({
    shares: [...document.querySelectorAll(".shares .share")].map((one) => one.textContent),
    bars: [...document.querySelectorAll(".shares li")].map((one) => Number(one.style.getPropertyValue("--share"))),
    arcs: [...document.querySelectorAll(".arc")].map((one) => Number(one.style.strokeWidth)),
    sum: document.querySelector(".total strong").textContent,
    rounded: document.querySelector(".rounded").textContent,
})"""


def open_home(page, link=""):
    page.goto(f"/{link}")
    expect(page.locator(".arc")).to_have_count(len(NAMES))
    page.evaluate(SEEN)
    return page


def word(page, name):
    return page.get_by_role("radiogroup", name="Words of the sentence").get_by_role(
        "radio", name=name, exact=True
    )


def head(page, number):
    return page.get_by_role("radiogroup", name="head").get_by_role("radio", name=str(number), exact=True)


def number(page, place):
    return page.get_by_role("spinbutton").nth(place)


def step(page, sign):
    return page.get_by_role("button", name=re.compile(f"^{re.escape(sign)} "))


def seen(page):
    return page.evaluate("window.seen()")


def weights_of(me):
    view = me.scenario.view
    return me.trace["weights"][view.head, view.focus].tolist()


def shows(page, me):
    """Whether arcs, bars and the numbers below them are those of a learner without a browser."""
    weights = weights_of(me)
    expect(page.locator(".shares .share")).to_have_text([f"{weight:.2f}" for weight in weights])
    agree(seen(page), weights)


def agree(shown, weights):
    assert shown["shares"] == [f"{weight:.2f}" for weight in weights]
    assert shown["bars"] == pytest.approx(weights, abs=1e-6)
    assert shown["arcs"] == pytest.approx([max(1.2, 22 * weight) for weight in weights], abs=0.006)
    added = sum(round(float(share) * 100) for share in shown["shares"])
    assert shown["sum"] == f"{added / 100:.2f}"
    assert (shown["rounded"] == "") == (added == 100)


def test_a_word_is_put_in_focus_by_mouse(new_page):
    page, me = open_home(new_page()), Reader(HOME)
    expect(word(page, "cat")).to_be_checked()
    shows(page, me)
    for row, name in enumerate(NAMES):
        word(page, name).click()
        expect(word(page, name)).to_be_checked()
        shows(page, me.do("focus", row))
    expect(page).to_have_url(re.compile(r"\?s="))
    page.go_back()
    expect(word(page, "mat")).to_be_checked()


def test_all_of_it_by_keyboard_alone(new_page):
    page, me = open_home(new_page()), Reader(HOME)
    reach(page, word(page, "cat"))
    page.keyboard.press("ArrowRight")
    expect(word(page, "sat")).to_be_checked()
    expect(word(page, "sat")).to_be_focused()
    shows(page, me.do("focus", 2))
    expect(page.get_by_role("status")).to_contain_text("In head 0, “sat” looks")
    reach(page, head(page, 0))
    page.keyboard.press("ArrowRight")
    shows(page, me.do("head", 1))
    reach(page, number(page, 1))
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    shows(page, me.do("edit", "x", 2, 1, "3"))
    page.keyboard.press("Shift+ArrowDown")
    shows(page, me.do("edit", "x", 2, 1, "-7"))
    page.keyboard.press("Control+z")
    shows(page, me.do("edit", "x", 2, 1, "3"))
    page.keyboard.type("-1.5")
    page.keyboard.press("Enter")
    shows(page, me.do("edit", "x", 2, 1, "-1.5"))
    page.keyboard.type("9")
    page.keyboard.press("Escape")
    expect(number(page, 1)).to_have_value("−1.5")
    press_on(page, step(page, "softmax"))
    expect(page.locator(".work .column")).to_have_count(len(NAMES))
    press_on(page, page.get_by_role("link", name="Open the Lab"))
    expect(cell(page, "X, token sat, feature 1: −1.50")).to_be_visible()


@pytest.mark.parametrize("by", [36, -60])
def test_arcs_and_bars_follow_a_drag_in_the_same_frame(new_page, by):
    page, me = open_home(new_page()), Reader(HOME)
    shown = page.evaluate(DRAG, [1, by])
    me.do("edit", "x", 1, 1, str(2 + by // 12))
    assert shown["number"] == str(2 + by // 12).replace("-", "−")
    agree(shown, weights_of(me))
    expect(page.locator(".qkv-bench")).to_have_attribute("data-waiting", "0")
    assert page.locator(".qkv-bench").get_attribute("data-differences") is None
    shows(page, me)
    page.get_by_role("button", name="Undo").click()  # a drag is one step
    shows(page, Reader(HOME))
    page.get_by_role("button", name="Redo").click()
    shows(page, me)


def test_a_real_mouse_drags_and_escape_gives_the_number_back(new_page):
    page, me = open_home(new_page()), Reader(HOME)
    box = box_of(number(page, 0))
    x, y = box["x"] + 8, box["y"] + 8
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 48, y, steps=6)
    expect(number(page, 0)).to_have_value("4")
    shows(page, me.do("edit", "x", 1, 0, "4"))
    page.keyboard.press("Escape")
    page.mouse.up()
    shows(page, Reader(HOME))
    number(page, 0).click()
    page.keyboard.type("2")
    word(page, "mat").click()  # what was typed is taken, for the word it was typed for
    shows(page, Reader(HOME).do("edit", "x", 1, 0, "2").do("focus", 5))


def test_the_list_of_keys_has_those_of_home(new_page):
    page = open_home(new_page())
    page.keyboard.press("?")
    expect(page.get_by_role("dialog").get_by_role("row")).to_have_count(7)
    expect(page.get_by_role("dialog")).to_contain_text("Choose another word or head")


def test_what_is_no_number_is_refused_with_a_sentence(new_page):
    page = open_home(new_page())
    number(page, 2).fill("two")
    number(page, 2).press("Enter")
    expect(page.get_by_role("status")).to_contain_text("is not a number")
    expect(number(page, 2)).to_have_value("1")
    shows(page, Reader(HOME))


def test_steps_open_to_the_arithmetic_of_every_word_one_at_a_time(new_page):
    page, me = open_home(new_page()), Reader(HOME)
    columns, beside = page.locator(".work .column"), page.locator(".beside-work .line")
    expect(step(page, "q·k")).to_have_text(re.compile("q·k 6$"))
    expect(step(page, "÷√d")).to_have_text(re.compile("4.24$"))
    expect(step(page, "softmax")).to_have_text(re.compile("0.66$"))
    expect(step(page, "Σ·v")).to_have_text(re.compile(r"\[0.24, 0.84\]$"))
    expect(columns.nth(2)).to_have_text("sat0·3 + 3·2= 6")  # open from the beginning where nothing may move
    expect(page.locator(".column.most")).to_have_text(re.compile("^sat"))
    step(page, "÷√d").click()
    expect(columns.nth(2)).to_have_text("sat6 / √2= 4.24")
    step(page, "softmax").click()
    expect(columns.nth(2)).to_have_text("sate4.2426 = 69.5969.59 / 105= 0.66")
    expect(beside).to_have_text(["sum 105"])
    expect(page.locator(".chip[aria-expanded=true]")).to_have_count(1)
    step(page, "Σ·v").click()
    expect(columns.nth(2)).to_have_text("sat+ 0.66·0+ 0.66·1")
    expect(beside).to_have_text(["= 0.24", "= 0.84"])
    number(page, 1).fill("-2")
    number(page, 1).press("Enter")
    shows(page, me.do("edit", "x", 1, 1, "-2"))
    output = me.trace["head_outputs"][0, 1].tolist()
    expect(beside).to_have_text([re.compile(f"= {value:.2f}".replace("-", "−")) for value in output])
    step(page, "Σ·v").click()
    expect(columns).to_have_count(0)
    expect(page.get_by_text("Press a step to see its arithmetic")).to_be_visible()


def test_where_the_word_looks_is_said_for_each_head(new_page):
    page = open_home(new_page())
    said = page.locator(".where")
    expect(said).to_contain_text("In head 0, “cat” looks most at “sat” (0.66).")
    expect(said).to_contain_text("In head 1, “cat” looks most at “.” (0.46).")
    expect(said.locator(".here")).to_contain_text("In head 0")
    head(page, 1).click()
    expect(said.locator(".here")).to_contain_text("In head 1")
    shows(page, Reader(HOME).do("head", 1))
    expect(page.get_by_role("img", name=re.compile("^Arcs from “cat” .*: The 0.0"))).to_be_visible()


def test_the_lab_gets_the_numbers_and_a_reload_keeps_them(new_page):
    page = open_home(new_page())
    word(page, "mat").click()
    number(page, 0).fill("5")
    number(page, 0).press("Enter")
    me = Reader(HOME).do("focus", 5).do("edit", "x", 5, 0, "5")
    shows(page, me)
    expect(page.locator(".qkv-bench")).to_have_attribute("data-waiting", "0")
    page.reload()
    expect(word(page, "mat")).to_be_checked()
    page.evaluate(SEEN)
    shows(page, me)
    other = new_page()
    other.goto(page.get_by_role("link", name="Open the Lab").get_attribute("href"))  # as in a new tab
    expect(cell(other, "X, token mat, feature 0: 5")).to_be_visible()
    page.get_by_role("link", name="Open the Lab").click()
    expect(cell(page, "X, token mat, feature 0: 5")).to_be_visible()
    page.go_back()
    expect(word(page, "mat")).to_be_checked()
    page.evaluate(SEEN)
    shows(page, me)


def test_names_are_plain_text(new_page):
    scenario = HOME.opening().renamed("token", 7, 1, "**a** <b>").renamed("token", 7, 2, "$x$ {word}")
    page = open_home(new_page(), f"?s={write_link(scenario)}")
    expect(word(page, "**a** <b>")).to_be_checked()
    expect(page.locator(".gutter.pair")).to_have_text("**a** <b> → $x$ {word}")
    expect(page.locator(".where")).to_contain_text("“**a** <b>” looks most at “$x$ {word}”")
    assert page.locator(".in-home b b, .in-home .where strong").count() == 0


# The first visit


def test_on_a_first_visit_a_step_opens_by_itself_within_five_seconds(new_page):
    page = new_page(fresh=True, **MOVES)
    page.clock.install()
    open_home(page)
    expect(page.locator(".work .column")).to_have_count(0)
    page.clock.fast_forward(5000)
    expect(step(page, "q·k")).to_have_attribute("aria-expanded", "true")
    expect(page.locator(".work .column").nth(2)).to_have_text("sat0·3 + 3·2= 6")
    step(page, "q·k").click()
    page.clock.fast_forward(60_000)
    expect(page.locator(".work .column")).to_have_count(0)  # once
    page.reload()
    expect(page.locator(".arc")).to_have_count(len(NAMES))
    page.clock.fast_forward(60_000)
    expect(page.locator(".work .column")).to_have_count(0)


def test_it_waits_while_somebody_does_something(new_page):
    page = new_page(fresh=True, **MOVES)
    page.clock.install()
    open_home(page)
    for name in ("sat", "on", "the"):
        page.clock.fast_forward(3000)
        word(page, name).click()
    expect(page.locator(".work .column")).to_have_count(0)
    page.clock.fast_forward(4500)
    expect(page.locator(".work .column")).to_have_count(len(NAMES))


def test_arcs_grow_from_the_word_only_where_motion_is_welcome(new_page):
    named = "document.getAnimations().filter((one) => one.animationName)"
    running = f"{named}.map((one) => one.effect.getTiming().duration)"
    page = open_home(new_page(**MOVES))
    word(page, "on").click()
    page.wait_for_function(f"{running}.length > 0", polling=5)
    assert all(duration <= 400 for duration in page.evaluate(running))
    page = open_home(new_page())
    word(page, "on").click()
    assert page.evaluate(running) == []


# The course


def test_every_lesson_and_page_is_listed(new_page):
    page = open_home(new_page())
    expect(page.locator(".lesson-link")).to_have_count(len(LESSONS))
    expect(page.locator(".chapter")).to_have_count(5)
    expect(page.locator(".chapter .mark > *:first-child")).to_have_count(5)
    assert page.locator(".chapter").nth(4).locator("a .title").all_text_contents() == ["Lab", "Practice"]
    page.get_by_role("link", name="Start the course").click()
    expect(page.get_by_role("img", name="Lesson 1", exact=True)).to_be_visible()


def test_what_was_done_is_shown_and_one_goes_on_there(new_page):
    page = open_lesson(new_page(), "projection")
    answer(page, "3")
    cell(page, "Q, token p0, channel 0: 1").click()
    done(page, 1)
    open_home(page)
    title = "From X to Q, K, V"
    expect(page.get_by_role("link", name=f"1 {title} 1 of 5 sections done")).to_be_visible()
    expect(page.get_by_text(f"1 of {ALL} sections done")).to_be_visible()
    page.get_by_role("link", name=f"Go on: {title}").click()
    expect(page.get_by_role("img", name="Lesson 1", exact=True)).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Forget my progress").click()
    expect(page.get_by_role("link", name="Start the course")).to_be_visible()
    expect(page.get_by_role("heading", name="The course", exact=True)).to_be_focused()
    expect(page.get_by_text(f"0 of {ALL} sections done")).to_be_visible()


def test_a_finished_lesson_leads_on_to_the_next(new_page):
    page = open_home(new_page())
    [lesson, following] = Reader(HOME).message["course"][0]["lessons"]
    progress = json.dumps({lesson["id"]: lesson["sections"]})
    page.evaluate("(progress) => localStorage.setItem('qkv-lab-progress', progress)", progress)
    page.reload()
    expect(page.get_by_role("link", name=f"Go on: {following['title']}")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile(f"{lesson['title']}.*done$"))).to_be_visible()


def test_the_course_is_a_press_away_and_the_address_stays(new_page):
    page = open_home(new_page())
    word(page, "on").click()
    expect(page).to_have_url(re.compile(r"\?s="))
    before = page.url
    press_on(page, page.get_by_role("navigation").get_by_role("link", name="Course"))
    expect(page.get_by_role("heading", name="The course", exact=True)).to_be_focused()
    expect(page.get_by_role("heading", name="The course", exact=True)).to_be_in_viewport()
    assert page.url == before


# On every screen


@SIZES
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_its_two_ways_on_are_in_sight(new_page, width, scheme):
    page = open_home(new_page(width=width, scheme=scheme))
    assert fits_the_width(page)
    for name in ("Start the course", "Open the Lab"):
        expect(page.get_by_role("link", name=name)).to_be_in_viewport(ratio=1)
    for name in NAMES:
        expect(word(page, name)).to_be_in_viewport(ratio=1)
    expect(page.locator(".shares")).to_be_in_viewport(ratio=1)


def test_at_1280_by_800_all_of_the_figure_is_in_sight(new_page):
    page = open_home(new_page())
    page.set_viewport_size({"width": 1280, "height": 800})
    for sign in ("softmax", "Σ·v", "q·k"):
        step(page, sign).click()
        expect(page.locator(".work")).to_be_in_viewport(ratio=1)
    tops = {box_of(place)["y"] for place in page.locator(".words [role=radio]").all()}
    assert len(tops) == 1
    columns = [box_of(place) for place in page.locator(".work .column").all()]
    for place, name in enumerate(NAMES):  # words, bars and arithmetic stand in the same columns
        middles = [one["x"] + one["width"] / 2 for one in (box_of(word(page, name)), columns[place])]
        assert middles[0] == pytest.approx(middles[1], abs=1)
    expect(page.locator(".chapter").first.get_by_role("heading")).to_be_in_viewport()


def test_on_a_phone_the_bars_lie_beside_a_list_of_the_words(new_page):
    page = open_home(new_page(width=390, has_touch=True))
    rows = [box_of(place) for place in page.locator(".shares li").all()]
    assert len({row["x"] for row in rows}) == 1
    assert [row["y"] for row in rows] == sorted(row["y"] for row in rows)
    arcs = box_of(page.locator(".arcs"))
    assert arcs["y"] == pytest.approx(rows[0]["y"], abs=1)
    assert arcs["height"] == pytest.approx(7 * 40, abs=1)
    word(page, "on").tap()
    shown = seen(page)
    weights = weights_of(Reader(HOME).do("focus", 3))
    assert shown["arcs"] == pytest.approx([max(1.2, 12 * weight) for weight in weights], abs=0.006)
    step(page, "softmax").tap()
    expect(page.locator(".work .column .name").first).to_be_visible()
    assert fits_the_width(page)


@SIZES
def test_axe_finds_nothing(new_page, width):
    page = open_home(new_page(width=width))
    check(page)
    step(page, "softmax").click()
    number(page, 1).fill("7")
    number(page, 1).press("Enter")
    expect(page.locator(".rounded")).not_to_be_empty()
    check(page)
