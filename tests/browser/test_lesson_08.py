"""Lesson 8 from first to last section, in a real browser."""

from playwright.sync_api import expect

from tests.browser.lab_page import choose, fits_the_width
from tests.browser.lesson_page import answer, done, go_on, open_lesson, pick, slide


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(), "softmax")
    answer(page, "-0.25")
    slide(page, "Score of c", -4.9)
    done(page, 1)
    expect(page.get_by_role("table", name="What shares must keep to")).to_contain_text("−77 ✕")
    go_on(page, 2)
    answer(page, "2.72")
    for name, score in (("a", -1), ("b", -2), ("c", -3)):
        slide(page, f"Score of {name}", score)
    done(page, 2)
    expect(page.get_by_role("table", name="weights 1×3")).to_contain_text("0.67")
    go_on(page, 3)
    pick(page, "The order of the weights")
    choose(page, "Check", "order")
    expect(page.get_by_text("Failed ✕: the score 2.3 of a is above the 0.5 of c")).to_be_visible()
    choose(page, "Check", "softmax")
    done(page, 3)
    expect(page.get_by_role("table", name="softmax, computed 1×3")).to_contain_text("0.998704")
    go_on(page, 4)
    pick(page, "It jumps from 0 to 1")
    slide(page, "Score of b", 2.2)
    done(page, 4)
    expect(page.get_by_role("table", name="weights 2×3")).to_contain_text("0.52")
    go_on(page, 5)
    pick(page, "They become even")
    slide(page, "Temperature T", 0)
    done(page, 5)
    expect(page.get_by_text("Entropy: 6.24e−8 bits")).to_be_visible()
    go_on(page, 6)
    pick(page, "Nothing")
    slide(page, "Added to every score", 7)  # the eighth stop: 100
    expect(page.get_by_role("row", name="weights NaN NaN NaN")).to_be_visible()
    choose(page, "Take away the highest first", "yes")
    done(page, 6)
    expect(page.get_by_role("row", name="weights 0.0011 0.9987 0.0002")).to_be_visible()


def test_every_section_fits_a_phone(new_page):
    page = open_lesson(new_page(width=390), "softmax")
    for number in range(1, 7):
        if number > 1:
            go_on(page, number)
        page.get_by_role("button", name="Show why").click()
        expect(page.get_by_role("heading", name="Why", exact=True)).to_be_visible()
        assert fits_the_width(page), number
