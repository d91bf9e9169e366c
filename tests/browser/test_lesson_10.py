"""Lesson 10 from first to last section, in a real browser: slopes by hand, a run that is played."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import choose, fits_the_width, seen, type_into
from tests.browser.lesson_page import ALL_DONE, answer, done, go_on, open_lesson, pick, slide
from ui.course.lessons.learning.training import EPOCHS

TRAINED = re.compile("^Training.* 100 %$")


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(), "learning")
    pick(page, "a")
    type_into(page, "Wv, feature a, channel a: 0.54", "0.9")
    done(page, 1)
    go_on(page, 2)
    answer(page, "-0.047")
    type_into(page, "Wv, feature a, channel a: 0.54", "0.64")
    expect(page.get_by_role("row", name=re.compile("The slopes say −0.047"))).to_be_visible()
    done(page, 2)
    go_on(page, 3)
    answer(page, "8x3")
    choose(page, "Slopes of", "Wq")
    expect(page.get_by_role("table", name="slopes of Wq 8×3")).to_be_visible()
    done(page, 3)
    go_on(page, 4)
    answer(page, "0")
    slide(page, "Scores times", 6)  # its last stop
    done(page, 4)
    go_on(page, 5)
    expect(seen(page, TRAINED)).to_be_visible(timeout=60_000)
    pick(page, "At the token before it")
    slide(page, "Epoch", page.get_by_role("slider", name="Epoch").get_attribute("max"))
    expect(page.get_by_text("after 200 epochs")).to_be_visible()
    done(page, 5)
    go_on(page, 6)
    pick(page, "The attention weights")
    type_into(page, "X, token a3, feature a: 1", "0")
    done(page, 6)
    go_on(page, 7)
    pick(page, "Copy only")
    choose(page, "Exercise", "Find")
    done(page, 7)
    expect(seen(page, TRAINED)).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Course", exact=True).click()
    expect(page.get_by_role("link", name="How it learns")).to_have_text(ALL_DONE)


def test_epochs_are_played_and_paused(new_page):
    page = open_lesson(new_page(), "learning")
    page.get_by_role("button", name="Section 5").click()
    expect(seen(page, TRAINED)).to_be_visible(timeout=60_000)
    epoch = page.get_by_role("slider", name="Epoch")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_text(re.compile(r"after ([3-9]|\d\d+) epochs"))).to_be_visible(timeout=20_000)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    paused = EPOCHS[int(epoch.input_value())]
    assert 3 <= paused < EPOCHS[-1]
    expect(page.get_by_text(f"after {paused} epochs")).to_be_visible()
    page.reload()  # the place is in the link
    expect(page.get_by_text(f"after {paused} epochs")).to_be_visible(timeout=60_000)
    choose(page, "Exercise", "Find")
    slide(page, "Step size", 3)
    expect(page.get_by_text("The steps are too large")).to_be_visible(timeout=60_000)


def test_on_a_phone_the_slopes_of_all_matrices_are_not_wider_than_the_screen(new_page):
    page = open_lesson(new_page(width=390), "learning")
    page.get_by_role("button", name=re.compile("^Section 3")).click()
    choose(page, "Slopes of", "All")
    expect(page.get_by_role("table", name="slopes of output 5×3")).to_be_visible()
    assert fits_the_width(page)
