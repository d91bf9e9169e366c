"""Lesson 2 from first to last section, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import arithmetic, cell, choose, fits_the_width, type_into
from tests.browser.lesson_page import answer, done, go_on, open_lesson, pick


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(width=390), "attention")
    answer(page, "7")
    cell(page, "scores, query mat, key sat: 7").click()
    expect(arithmetic(page)).to_contain_text("= 1·3 + 2·2 = 7")
    done(page, 1)
    go_on(page, 2)
    answer(page, "3.54")
    choose(page, "Scale", "Off")
    done(page, 2)
    go_on(page, 3)
    answer(page, "0.40")
    cell(page, "weights, query p1, key p3: 0.40").click()
    done(page, 3)
    go_on(page, 4)
    pick(page, "No, they will be the same")
    cell(page, re.compile("^output, query p0, channel 1: 0.80")).click()
    cell(page, re.compile("^output, query p1, channel 1: 0.80")).click()
    done(page, 4)
    go_on(page, 5)
    pick(page, "It would double")
    type_into(page, "Wv, feature c0, channel 0: 0", "1")
    done(page, 5)
    go_on(page, 6)
    answer(page, "2 × 4")
    choose(page, "Stored with", "Channels first")
    done(page, 6)
    assert fits_the_width(page)
