"""The frame of lessons: question and way on are in view, nothing is cut, the answer is typed where it is asked."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import check
from tests.browser.lab_page import arithmetic, cell, fits_the_width
from tests.browser.lesson_page import answer, done, go_on, open_lesson, open_menu
from tests.student import LESSONS

LAPTOP = {"width": 1280, "height": 800}
# What is wrong with the present section: parts that are not in view, lie over each other or are cut; and what scrolls.
LOOK = """() => {
    const faults = [];
    const shown = (one) => one && !one.hidden && one.getClientRects().length > 0;
    const box = (one) => one.getBoundingClientRect();
    const floor = document.querySelector(".floor");
    const within = (name, one, place) => {
        const { left, top, right, bottom } = box(one);
        const sides = [place.left - left, place.top - top, right - place.right, bottom - place.bottom];
        if (Math.max(...sides) > 1) faults.push(`${name} is not in view: ${sides.map(Math.round)}`);
    };
    const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const inView = (name, one) => {
        if (!shown(one)) return faults.push(`there is no ${name}`);
        within(name, one, screen);
        const part = one.closest(".floor, .telling-body");
        if (part) within(name, one, box(part));
    };
    inView("question", document.querySelector(".ask"));
    inView("way on", document.querySelector(".way.next"));
    const asked = document.querySelectorAll(".option, .answering > *, td[data-asked]");
    for (const one of asked) inView(one.className || "asked cell", one);
    const apart = (names) => {
        const parts = [...document.querySelectorAll(names)].filter(shown);
        parts.forEach((one, place) => parts.slice(place + 1).forEach((other) => {
            if (one.contains(other) || other.contains(one)) return;
            const [a, b] = [box(one), box(other)];
            const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const over = Math.min(wide, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
            if (over > 1.5) faults.push(`${one.className} over ${other.className} by ${over}`);
        }));
    };
    apart(".lesson-top, .telling, .lesson-stage");
    apart(".stage-top > *, .floor, .lesson .beside");
    apart(".floor > .choices .group, .board .matrix, .board .ask, .knobs > *, .block, .block .matrix");
    for (const one of document.querySelectorAll(".floor .matrix, .floor .knobs, h1")) {
        const isCut = shown(one) && one.scrollWidth > one.clientWidth + 2;
        if (isCut) faults.push(`cut: ${one.className} ${one.textContent.slice(0, 20)}`);
    }
    const parts = [floor, document.querySelector(".telling-body")];
    const scrolls = parts.filter((part) => part.scrollHeight > part.clientHeight + 1);
    for (const part of scrolls) {
        const isSaid = part.tabIndex === 0 && part.dataset.below !== undefined;
        if (!isSaid) faults.push(`no sign that ${part.className} scrolls`);
    }
    return { faults, scrolls: scrolls.includes(floor) };
}"""
# Sections that show more than fits beside their words at 1280 × 800: their stage scrolls, the question stands above it.
SCROLLING = {
    "masks": {
        1,
        5,
        7,
    },  # five matrices and a curve; a cache with what it saves; six sliders with table and curve
    "learning": {4, 5, 6},  # a Jacobian with its curve; a training run; five matrices and two blocks
    "implementations": {1, 2, 7},  # whole programs
    "practice": {6},  # a sheet of paper
}


def sections(page):
    return page.get_by_role("list", name="Sections of this lesson").get_by_role("button")


def at_section(page, number):
    sections(page).nth(number - 1).click()
    expect(page.get_by_role("heading", name=re.compile(rf"^{number}\. "), level=2)).to_be_visible()


def settled(page):
    """Waits until figures are drawn and what follows them has its place."""
    page.wait_for_function(
        "[...document.querySelectorAll('.block.plot .figure')].every((one) => one.drawn === one.turn)"
    )
    page.evaluate(
        "async () => { for (let frame = 0; frame < 5; frame += 1) await new Promise(requestAnimationFrame); }"
    )


@pytest.mark.parametrize("lesson", LESSONS)
def test_question_and_way_on_are_in_view_and_nothing_is_cut(new_page, lesson):
    page = open_lesson(new_page(), lesson)
    page.set_viewport_size(LAPTOP)
    scrolling = set()
    for number in range(1, sections(page).count() + 1):
        at_section(page, number)
        settled(page)
        found = page.evaluate(LOOK)
        assert found["faults"] == [], number
        if found["scrolls"]:
            scrolling.add(number)
    assert scrolling == SCROLLING.get(lesson, set())


@pytest.mark.parametrize("lesson", ["projection", "attention", "several_heads", "softmax", "cost"])
def test_so_it_is_on_a_projector(new_page, lesson):
    page = open_lesson(new_page(), lesson)
    page.keyboard.press("p")
    expect(page.locator("html.qkv-presenting")).to_have_count(1)
    for number in range(1, sections(page).count() + 1):
        at_section(page, number)
        settled(page)
        assert page.evaluate(LOOK)["faults"] == [], number


def test_the_answer_is_typed_into_its_cell_by_keyboard_and_enter_goes_on(new_page):
    page = open_lesson(new_page(), "attention")
    asked = page.locator("td[data-asked]")
    expect(asked).to_have_attribute("data-asked", "open")
    cell(page, "scores, query mat, key cat").focus()
    page.keyboard.press("ArrowRight")  # the arrows come to the cell, and lead away from it
    field = page.get_by_role("textbox", name="Your answer: scores, query mat, key sat")
    expect(field).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(cell(page, "scores, query mat, key cat")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    expect(page.locator(".ask .reply")).to_contain_text("4 is the sum without the product")
    expect(field).to_be_focused()
    expect(asked).to_have_attribute("data-asked", "wrong")
    framed = page.locator("td[data-term=wrong]")  # the row and the column that it comes from
    expect(framed).to_have_text(["1", "2", "3", "2"])
    expect(framed.first).to_have_css("border-style", "dashed")
    page.keyboard.press("Control+a")
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect(page.locator(".ask .reply")).to_contain_text("Right.")
    expect(cell(page, "scores, query mat, key sat: 7")).to_have_text("7")
    expect(cell(page, "scores, query cat, key sat: 6")).to_have_text("6")
    expect(page.locator("td[data-term]")).to_have_count(0)
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=re.compile(r"^2\. "))).to_be_focused()


def test_an_answer_moves_no_number_of_the_board(new_page):
    page = open_lesson(new_page(), "attention")
    page.set_viewport_size(LAPTOP)
    settled(page)
    places = """() => [...document.querySelectorAll(".board td[data-row]")]
        .map((one) => Math.round(one.getBoundingClientRect().top))"""
    before = page.evaluate(places)
    page.get_by_role("button", name="Hint").click()
    assert page.evaluate(places) == before
    page.get_by_role("textbox", name="Your answer").fill("4")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict.wrong")).to_be_visible()
    assert page.evaluate(places) == before
    answer(page, "7")
    assert page.evaluate(places) == before
    cell(page, "scores, query The, key cat").click()
    expect(arithmetic(page)).to_contain_text("= 3")
    assert page.evaluate(places) == before


def test_a_hint_lights_the_terms(new_page):
    page = open_lesson(new_page(), "projection")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".ask .reply")).to_contain_text("Row p2 of X times the first column of Wq")
    expect(page.locator("td[data-term=lit]")).to_have_count(8)
    expect(page.get_by_role("button", name="Hint")).to_have_count(0)
    expect(page.locator("td[data-asked]")).to_have_attribute("data-asked", "open")  # and tells no number


def test_with_motion_terms_light_up_in_turn_and_rows_fill_in_turn(new_page):
    page = open_lesson(new_page(reduced_motion="no-preference"), "projection")
    page.get_by_role("button", name="Hint").click()
    delays = """() => document.getAnimations().filter((one) => one.effect.target?.matches("td"))
        .map((one) => one.effect.getTiming())"""
    page.wait_for_function(f"({delays})().length === 8")
    assert sorted({one["delay"] for one in page.evaluate(delays)}) == [0, 220, 440, 660]
    page.wait_for_function(f"({delays})().length === 0")
    answer(page, "3")
    found = page.evaluate(delays)
    assert all(one["delay"] + one["duration"] <= 400 for one in found)


def test_the_reason_takes_the_place_of_the_text_and_leads_back_to_it(new_page):
    page = open_lesson(new_page(), "projection")
    text = page.locator(".telling .text")
    answer(page, "3")
    cell(page, "Q, token p0, channel 0: 1").click()
    done(page, 1)
    expect(text).to_be_hidden()
    page.get_by_role("button", name="Back to the text").click()
    expect(text).to_be_visible()
    expect(page.get_by_role("heading", name="Why", exact=True)).to_have_count(0)
    expect(page.get_by_role("button", name="Show why")).to_be_focused()
    page.keyboard.press("Enter")
    done(page, 1)


def test_seldom_things_are_in_the_menu(new_page):
    page = open_lesson(new_page(), "projection")
    expect(page.get_by_role("button", name="Present")).to_be_hidden()
    menu = open_menu(page)
    for name in ("Start this section again", "Present", "Keyboard shortcuts"):
        expect(menu.get_by_role("button", name=name)).to_be_visible()
    expect(menu.get_by_role("combobox", name="Language")).to_be_visible()
    check(page)
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(page.get_by_role("button", name="More", exact=True)).to_be_focused()
    open_menu(page).get_by_role("combobox").select_option("vi")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Q, K, V")
    expect(page.get_by_role("button", name="Thêm", exact=True)).to_be_visible()


def test_cells_are_as_large_as_fit(new_page):
    page = open_lesson(new_page(), "several_heads")
    page.set_viewport_size(LAPTOP)
    at_section(page, 5)  # with no picture, which would take its share
    side = "(one) => [one.getBoundingClientRect().width, one.getBoundingClientRect().height]"
    first = cell(page, "Wo, channel 0, feature 0")
    assert first.evaluate(side) == pytest.approx([72, 58], abs=12)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.wait_for_function(
        "parseFloat(document.querySelector('.floor').style.getPropertyValue('--cell')) > 90"
    )
    page.set_viewport_size({"width": 1280, "height": 520})
    page.wait_for_function(
        "parseFloat(document.querySelector('.floor').style.getPropertyValue('--cell')) < 70"
    )
    assert page.evaluate(LOOK)["faults"] == []


@pytest.mark.parametrize(("lesson", "number"), [("scaling", 1), ("cost", 3), ("softmax", 5)])
def test_figures_take_the_room_there_is(new_page, lesson, number):
    page = open_lesson(new_page(width=1920), lesson)
    page.set_viewport_size({"width": 1920, "height": 1080})
    at_section(page, number)
    settled(page)
    height = page.locator(".block.plot .figure .main-svg").first.evaluate("(one) => one.clientHeight")
    assert height > 300
    letters = page.locator(".block.plot .xtick text").first.evaluate(
        "(one) => one.getBoundingClientRect().height"
    )
    assert letters > 8


def test_controls_stand_directly_above_what_they_change(new_page):
    page = open_lesson(new_page(), "channels")
    at_section(page, 4)
    order = """() => [...document.querySelectorAll(".knobs, .blocks > .block")]
        .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
        .map((one) => one.classList[0])"""
    assert page.evaluate(order)[:3] == ["block", "knobs", "block"]


@pytest.mark.parametrize("lesson", ["projection", "attention", "masks", "cost"])
def test_on_a_phone_the_board_comes_first_and_the_answer_stands_at_the_foot(new_page, lesson):
    page = open_lesson(new_page(width=390, has_touch=True), lesson)
    for number in range(1, sections(page).count() + 1):
        at_section(page, number)
        boxes = page.evaluate(
            """() => Object.fromEntries([".lesson-stage", ".telling-body", ".way.next", ".answering"].map((name) => {
                const { top, bottom, height } = document.querySelector(name).getBoundingClientRect();
                return [name, { top, bottom, height }];
            }))"""
        )
        stage, words, way, form = boxes.values()
        assert stage["top"] < 60, number
        assert stage["height"] < 0.45 * 844, number
        assert stage["bottom"] <= words["top"] + 1 < words["bottom"], number
        assert words["bottom"] - words["top"] > 150, number
        assert words["bottom"] <= form["top"] + 1 < way["top"] < way["bottom"] <= 844, number
        assert fits_the_width(page), number


def test_a_section_on_a_phone_from_question_to_reason(new_page):
    page = open_lesson(new_page(width=390, has_touch=True), "projection")
    expect(page.locator("td[data-asked=open]")).to_be_in_viewport()
    expect(page.locator("td input")).to_have_count(0)
    answer(page, "3")
    expect(page.locator(".verdict.right")).to_be_in_viewport()
    cell(page, "Q, token p0, channel 0: 1").tap()
    done(page, 1)
    expect(arithmetic(page)).to_be_in_viewport()
    go_on(page, 2)


def test_the_same_frame_within_a_page_of_somebody_elses(new_page):
    page = new_page()
    page.goto("/projection?embed=true")
    page.set_viewport_size({"width": 900, "height": 700})
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_in_viewport()
    assert fits_the_width(page)
