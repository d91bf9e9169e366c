"""Lesson 13 from first to last section, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import cell, choose, fits_the_width
from tests.browser.lesson_page import done, go_on, open_lesson, pick


def look_from(page, word):
    """Presses a word of the sentence."""
    page.get_by_role("radiogroup", name="Words of the sentence").get_by_role(
        "radio", name=word, exact=True
    ).click()


def share(page, word):
    """The line of bars of a word: its number, or two."""
    bars = page.get_by_role("list", name=re.compile("^how much"))
    return bars.get_by_role("listitem").filter(has_text=re.compile(rf"^{re.escape(word)}"))


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(), "real_heads")
    expect(share(page, "cat")).to_have_text("cat1.00")
    look_from(page, "tired")
    expect(share(page, "was")).to_have_text("was1.00")
    look_from(page, "because")
    expect(share(page, "mat")).to_have_text("mat?")
    pick(page, "At “mat”")
    expect(share(page, "mat")).to_have_text("mat1.00")
    cell(page, "weights, query because, key mat: 1.00").click()
    done(page, 1)
    go_on(page, 2)
    expect(page.locator(".drawn-arcs .arc")).to_have_count(0)
    pick(page, "Almost everything")
    expect(share(page, "[CLS]")).to_have_text("[CLS]0.94")
    choose(page, "Keys in the softmax", "words only")
    done(page, 2)
    expect(share(page, "[CLS]")).to_have_text("[CLS]0.00")
    go_on(page, 3)
    pick(page, "At “cat”")
    expect(page.locator(".drawn-arcs")).to_have_attribute(
        "aria-label", re.compile("Arcs from “it” .* cat 0.68, ")
    )
    cell(page, "weights, query it, key cat: 0.68").click()
    done(page, 3)
    go_on(page, 4)
    pick(page, "Look at “cat” as before")
    expect(share(page, "cat")).to_have_text("cat0.64")
    look_from(page, "on")
    choose(page, "The sentence ends", "“too small”")
    done(page, 4)
    expect(share(page, "trophy")).to_have_text("trophy0.36")
    expect(page.get_by_role("radio", name="suitcase")).to_be_disabled()
    go_on(page, 5)
    pick(page, "Almost everything")
    choose(page, "“it” should look at", "“because”")
    done(page, 5)
    expect(page.get_by_text("The best for “because”: layer 0, head 2, with 1.00.")).to_be_visible()
    go_on(page, 6)
    pick(page, "[SEP]")
    expect(share(page, "[CLS]")).to_have_text(re.compile(r"weight 0\.76.*without it 0\.06"))
    look_from(page, "tired")
    done(page, 6)
    page.get_by_role("link", name="lesson 2, “The output is a weighted average”").click()
    expect(page.get_by_role("heading", name="4. The output is a weighted average")).to_be_visible()


def test_every_section_fits_a_phone_and_its_words_stand_in_a_list(new_page):
    page = open_lesson(new_page(width=390), "real_heads")
    for number in range(1, 7):
        if number > 1:
            go_on(page, number)
        page.get_by_role("button", name="Show why").click()
        expect(page.get_by_role("heading", name="Why", exact=True)).to_be_visible()
        assert fits_the_width(page), number
        if number != 5:
            tops = page.locator(".arc-words .radio").evaluate_all("all => all.map(one => one.offsetTop)")
            assert tops == sorted(set(tops)), number
            lines = page.locator(".arc-bars li").evaluate_all("all => all.map(one => one.offsetTop)")
            assert lines == tops, number
