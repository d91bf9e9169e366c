"""Every section of every lesson: axe-core has nothing to complain about, and the keyboard gets everywhere."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.alternatives import everything_is_said
from tests.browser.axe import check
from tests.browser.lab_page import cell
from tests.browser.lesson_page import done, open_lesson
from tests.student import LESSONS

# Every plot that the section has is there.
DRAWN = """() => {
    const places = [...document.querySelectorAll(".qkv-bench .block.plot .figure")];
    return places.every((place) => place.drawn === place.turn);
}"""


@pytest.mark.parametrize("lesson", LESSONS)
def test_axe_finds_nothing_in_any_section_and_every_figure_is_in_words(new_page, lesson):
    page = open_lesson(new_page(), lesson)
    dots = page.get_by_role("list", name="Sections of this lesson").get_by_role("button")
    for place in range(dots.count()):
        dots.nth(place).click()
        expect(page.get_by_role("heading", name=re.compile(rf"^{place + 1}\. "), level=2)).to_be_visible()
        show = page.get_by_role("button", name="Show why")
        if show.is_visible():
            show.click()
            expect(page.get_by_role("heading", name="Why", exact=True)).to_be_visible()
        page.wait_for_function(DRAWN)
        everything_is_said(page)  # with its lists open
        check(page)


def test_a_section_by_keyboard_alone(new_page):
    page = open_lesson(new_page(), "projection")
    page.get_by_role("heading", name="From X to Q, K, V").click()

    def tab_to(place):
        for _ in range(60):
            page.keyboard.press("Tab")
            if place.evaluate("(one) => one === document.activeElement"):
                return
        raise AssertionError("the Tab key never came there")

    tab_to(page.locator(".lesson .text .live").first)
    page.keyboard.press("Enter")  # a live name: its matrix is lit
    expect(page.locator("figure.pointed")).to_have_count(1)
    tab_to(page.get_by_role("textbox", name="Your answer"))
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    expect(page.locator(".reply").get_by_text("Right.")).to_be_visible()
    tab_to(cell(page, "Q, token p0, channel 0"))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    done(page, 1)
    expect(cell(page, "Q, token p1, channel 0: 2 (chosen)")).to_be_focused()
    for _ in range(60):  # back to the way on, which the board stands behind
        page.keyboard.press("Shift+Tab")
        if page.get_by_role("button", name="Next", exact=True).evaluate(
            "(one) => one === document.activeElement"
        ):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=re.compile(r"^2\. "))).to_be_focused()
