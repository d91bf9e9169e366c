"""Lesson 12 from first to last section, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import choose, fits_the_width
from tests.browser.lesson_page import answer, done, go_on, open_lesson, pick, slide


def plotted(page, name):
    return page.get_by_role("figure", name=re.compile(f"^{name}"))


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(), "cost")
    pick(page, "About 4 times")
    expect(page.get_by_role("row", name="as published 124,439,808")).to_be_visible()
    choose(page, "Model", "Llama 3 8B")
    done(page, 1)
    expect(page.get_by_role("row", name="as published 8,030,261,248")).to_be_visible()
    expect(page.get_by_text("layers of another kind")).to_be_visible()
    go_on(page, 2)
    pick(page, "Two")
    slide(page, "Tokens s", 7)  # the stops are counted: the 8th is 8192
    done(page, 2)
    expect(page.get_by_role("cell", name="24·1·8192·768² + 4·1·8192²·768", exact=True)).to_be_visible()
    go_on(page, 3)
    answer(page, "6")
    expect(page.get_by_role("row", name="GPT-2 small 768 4,608 1,536 1,024")).to_be_visible()
    choose(page, "Weigh", "Attention alone")
    done(page, 3)
    expect(plotted(page, "Operations of a layer").locator(".js-plotly-plot, .plotly").first).to_be_visible()
    go_on(page, 4)
    pick(page, "It doubles")
    slide(page, "Tokens s", 3)  # 512
    done(page, 4)
    go_on(page, 5)
    answer(page, "28")
    slide(page, "Tokens written", 7)
    done(page, 5)
    expect(page.get_by_text("Rows of K computed: 28 without a cache, 7 with it.")).to_be_visible()
    go_on(page, 6)
    answer(page, "4")
    slide(page, "Batch b", 4)  # 16
    done(page, 6)
    expect(page.get_by_role("row", name="8 4 16.00 GiB")).to_be_visible()


def test_nothing_is_wider_than_a_phone(new_page):
    page = open_lesson(new_page(width=390), "cost")
    for number in range(1, 7):
        page.get_by_role("button", name=re.compile(f"^Section {number}: ")).click()
        expect(page.get_by_role("heading", name=re.compile(rf"^{number}\. "), level=2)).to_be_visible()
        assert fits_the_width(page), number
