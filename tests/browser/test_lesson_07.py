"""Lesson 7 from first to last section, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import choose, fits_the_width, seen
from tests.browser.lesson_page import answer, done, go_on, open_lesson, pick, slide


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(), "scaling")
    pick(page, "About 8")
    slide(page, "Width dₖ", 6)  # the seventh stop: 64
    done(page, 1)
    reach = re.compile("12 random dot products.*√n: 1 at 1, 8 at 64")
    expect(page.get_by_role("figure", name=reach)).to_be_visible()
    go_on(page, 2)
    pick(page, "About 1")
    page.get_by_role("button", name="Run with new random numbers").click()
    expect(page.get_by_text("from 100 pairs: variance")).to_be_visible()
    slide(page, "Pairs for each width", 2)
    done(page, 2)
    expect(page.get_by_text("from 10,000 pairs: variance")).to_be_visible(timeout=60_000)
    expect(seen(page, "Drawing pairs: 100 %")).to_be_visible()
    go_on(page, 3)
    pick(page, "Nearly everything")
    slide(page, "Width dₖ", 10)
    done(page, 3)
    expect(page.get_by_role("table", name="Over 200 random queries")).to_contain_text("0.98")
    go_on(page, 4)
    answer(page, "0")
    slide(page, "Width dₖ", 8)
    done(page, 4)
    expect(page.get_by_role("figure", name=re.compile("^Size of the gradient"))).to_be_visible()
    go_on(page, 5)
    answer(page, "64")
    choose(page, "Heads", "1")
    done(page, 5)
    expect(page.get_by_role("row", name=re.compile("√d_head = √512"))).to_be_visible()
    go_on(page, 6)
    pick(page, "By the square root of d")
    choose(page, "Numbers stored as", "float16")
    slide(page, "Size of the numbers", 40)
    done(page, 6)
    expect(page.get_by_role("table", name="scores ÷ √d 3×3")).to_contain_text("∞")


def test_a_long_experiment_shows_its_progress_and_can_be_stopped(new_page):
    page = open_lesson(new_page(width=390), "scaling")
    page.get_by_role("button", name="Section 2: The experiment").click()
    page.get_by_role("button", name="Run with new random numbers").click()
    slide(page, "Pairs for each width", 3)
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    assert fits_the_width(page)


def test_every_section_fits_a_phone(new_page):
    page = open_lesson(new_page(width=390), "scaling")
    for number in range(2, 7):
        go_on(page, number)
        page.get_by_role("button", name="Show why").click()
        expect(page.get_by_role("heading", name="Why", exact=True)).to_be_visible()
        assert fits_the_width(page), number
