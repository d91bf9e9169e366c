"""Lesson 3 from first to last section, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import cell, choose, type_into
from tests.browser.lesson_page import answer, done, go_on, open_lesson, pick, slide


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(), "several_heads")
    answer(page, "32, 8, 20, 64")
    cell(page, re.compile("^weights, query 0, key 0:")).click()
    done(page, 1)
    go_on(page, 2)
    pick(page, "cat")
    cell(page, "weights, head 1, query sat, key mat: 0.85").click()
    done(page, 2)
    go_on(page, 3)
    pick(page, "At cat and mat, equally")
    choose(page, "Heads", "1")
    expect(cell(page, "weights, query sat, key mat: 0.44")).to_be_visible()
    done(page, 3)
    go_on(page, 4)
    pick(page, "The same numbers")
    choose(page, "Head", "1")
    done(page, 4)
    go_on(page, 5)
    answer(page, "4x4")
    type_into(page, "Wo, channel 0, feature 2: 0", "1")
    done(page, 5)
    go_on(page, 6)
    pick(page, "Query and key")
    slide(page, "Width of values", 4)
    expect(page.get_by_role("row", name="V by head 2×4×4")).to_be_visible()
    done(page, 6)
