"""Lesson 6 from first to last section, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import cell, choose, fits_the_width, type_into
from tests.browser.lesson_page import answer, done, go_on, open_lesson, pick, slide


def table(page, name):
    return page.get_by_role("table", name=name)


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(), "masks")
    expect(cell(page, "weights, query The, key The: to be predicted")).to_be_visible()
    answer(page, "1")
    choose(page, "Mask", "Padding")
    expect(cell(page, "weights, query The, key down: 0.00, hidden by the mask")).to_be_visible()
    choose(page, "Mask", "Free")
    cell(page, "may look, query The, key The: no").click()
    done(page, 1)
    go_on(page, 2)
    pick(page, "Nothing at all")
    choose(page, "The function reads True as", "hidden")
    done(page, 2)
    expect(page.get_by_text("First difference: “The” gives “The” the weight 0. Right is 1.")).to_be_visible()
    expect(
        table(page, re.compile("^weights 4×4")).get_by_role("img", name="the first difference")
    ).to_be_visible()
    go_on(page, 3)
    expect(table(page, "weights 3×3")).to_contain_text("?")
    pick(page, "NaN, not a number")
    expect(table(page, "one more layer 3×2").get_by_text("NaN")).to_have_count(6)
    choose(page, "Hidden scores become", "−1e9")
    choose(page, "Each number has", "32 bits")
    done(page, 3)
    expect(table(page, "one more layer 3×2").get_by_text("NaN")).to_have_count(0)
    go_on(page, 4)
    answer(page, "3x4")
    type_into(page, "memory, token The, feature 0: 1", "3")
    slide(page, "Newest words that ask", 1)
    done(page, 4)
    expect(table(page, "into the last corner 1×4")).to_have_text(re.compile("✓✓✓✓$"))
    go_on(page, 5)
    answer(page, "28")
    slide(page, "Words so far", 7)
    choose(page, "Earlier K and V are", "computed again")
    done(page, 5)
    expect(table(page, "K, computed again 7×4").get_by_role("img", name="new")).to_have_count(28)
    go_on(page, 6)
    answer(page, "5")
    choose(page, "Copies lie", "all, then all again")
    done(page, 6)
    expect(page.get_by_text("12 of 16 query heads read the wrong head.")).to_be_visible()
    go_on(page, 7)
    answer(page, "8")
    slide(page, "Heads of K and V", 0)  # the first of its stops
    done(page, 7)
    expect(page.get_by_text("With the numbers chosen now it takes 64.00 MiB.")).to_be_visible()


def test_words_arrive_by_themselves(new_page):
    page = open_lesson(new_page(), "masks")
    page.get_by_role("button", name=re.compile("^Section 5: ")).click()
    page.get_by_role("button", name="Play").click()
    last = table(page, "cache of K 7×4").get_by_role("row").last
    expect(last).to_contain_text("hidden by the mask")
    expect(last).to_have_text(".0+0+2+2+")


def test_every_section_fits_a_phone(new_page):
    page = open_lesson(new_page(width=390), "masks")
    for number in range(1, 8):
        page.get_by_role("button", name=re.compile(f"^Section {number}: ")).click()
        expect(page.get_by_role("heading", name=re.compile(rf"^{number}\. "), level=2)).to_be_visible()
        page.get_by_role("button", name="Show me").click()
        expect(page.get_by_role("heading", name="Why", exact=True)).to_be_visible()
        assert fits_the_width(page), number
