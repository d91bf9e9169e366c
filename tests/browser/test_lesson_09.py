"""Lesson 9 from first to last section, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import choose, fits_the_width, type_into
from tests.browser.lesson_page import answer, done, go_on, open_lesson, pick, slide


def matrix(page, name):
    """A matrix of the blocks by its title, whatever its shape."""
    return page.get_by_role("table", name=re.compile(rf"^{re.escape(name)} \d"))


def outlined(page, name):
    return matrix(page, name).locator("td.mark-lit")


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(), "why_attention")
    pick(page, "The computed ones")
    type_into(page, "X, token cat, feature 1: 2", "7")
    done(page, 1)
    expect(outlined(page, "computed from X").first).to_be_visible()
    expect(outlined(page, "stored table")).to_have_count(0)
    go_on(page, 2)
    answer(page, "64")
    slide(page, "Tokens", 9)
    done(page, 2)
    expect(page.get_by_text("9 tokens need (9, 9)")).to_be_visible()
    expect(matrix(page, "computed from X").get_by_role("rowheader")).to_have_count(9)
    go_on(page, 3)
    pick(page, "Its column: how the others look at cat")
    expect(outlined(page, "scores")).to_have_count(7)
    choose(page, "Raise its", "value")
    done(page, 3)
    expect(outlined(page, "scores")).to_have_count(0)
    go_on(page, 4)
    answer(page, "2")
    choose(page, "Keys are made by", "Wq, as queries are")
    done(page, 4)
    expect(outlined(page, "scores, one matrix")).to_have_text([re.compile("^2"), re.compile("^2")])
    go_on(page, 5)
    answer(page, "6")
    slide(page, "Steps", 6)
    done(page, 5)
    for name in ("self-attention", "RNN", "CNN"):
        expect(outlined(page, name)).to_have_text(re.compile("^✓"))
    go_on(page, 6)
    answer(page, "4")
    expect(page.get_by_role("figure", name=re.compile("^Operations of a layer"))).to_be_visible()
    choose(page, "Plotted", "Path")
    expect(page.get_by_role("figure", name=re.compile("^Path from first to last"))).to_be_visible()
    slide(page, "Tokens n", 11)  # the stops are counted: the 12th is 4096
    done(page, 6)
    expect(page.get_by_role("cell", name="n − 1 = 4,095")).to_be_visible()


def test_nothing_is_wider_than_a_phone(new_page):
    page = open_lesson(new_page(width=390), "why_attention")
    for number in range(1, 7):
        page.get_by_role("button", name=re.compile(f"^Section {number}: ")).click()
        expect(page.get_by_role("heading", name=re.compile(rf"^{number}\. "), level=2)).to_be_visible()
        assert fits_the_width(page), number
