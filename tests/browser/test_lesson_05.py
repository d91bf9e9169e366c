"""Lesson 5 from first to last section, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import cell, choose, fits_the_width
from tests.browser.lesson_page import answer, done, go_on, open_lesson, pick, slide


def place_of(page, text):
    """Where a cell that moves has come to rest."""
    moving = page.locator(".moving", has_text=text)
    moving.evaluate("(cell) => Promise.all(cell.getAnimations().map((one) => one.finished))")
    box = moving.bounding_box()
    stage = page.locator(".moves-stage").bounding_box()
    return round(box["x"] - stage["x"]), round(box["y"] - stage["y"])


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(), "reshape")
    answer(page, "197")
    slide(page, "Patch", 0)  # the first stop, 16
    expect(
        page.get_by_role("table", name="The image, each patch with the number of its token 4×4")
    ).to_be_visible()
    done(page, 1)
    go_on(page, 2)
    answer(page, "2304")
    choose(page, "Bias", "without")
    expect(page.get_by_role("table", name="X · Wqkv 3×12")).to_be_visible()
    done(page, 2)
    go_on(page, 3)
    pick(page, "It only gives them other names")
    choose(page, "Show", "reshaped")
    expect(page.locator(".moves-frame", has_text="V, head 1")).to_have_count(3)
    done(page, 3)
    go_on(page, 4)
    answer(page, "3x1x2x3x2")
    choose(page, "Show", "permuted")
    expect(page.locator(".moves-frame", has_text="V, head 1")).to_have_count(1)
    done(page, 4)
    go_on(page, 5)
    answer(page, "0.2")
    choose(page, "Show", "heads, with a transpose")
    expect(page.locator(".moves-title")).to_contain_text("Right")
    rightly = place_of(page, "0.2")
    choose(page, "Show", "heads, by view alone")
    expect(page.locator(".moves-title")).to_contain_text("Wrong")
    wrongly = place_of(page, "0.2")
    assert rightly[0] > wrongly[0]  # from head 1 into head 0
    expect(page.get_by_role("img", name="the first difference")).to_be_visible()
    done(page, 5)
    go_on(page, 6)
    answer(page, "3 1 12 197 64")
    slide(page, "Steps", 4)
    expect(page.get_by_role("cell", name="1×12×197×64", exact=True)).to_be_visible()
    done(page, 6)


def test_the_lab_opens_the_slip_beside_the_right_way(new_page):
    page = open_lesson(new_page(), "reshape")
    page.get_by_role("button", name="Section 5: A view is not a transpose").click()
    expect(page.get_by_role("heading", name="5. A view is not a transpose")).to_be_visible()
    page.get_by_role("button", name="Open in the Lab").click()
    expect(page.get_by_role("heading", name="Beside it: wrong, by a view alone")).to_be_visible()
    expect(
        cell(page, re.compile("^Q by head, query 1, feature 0: 1.00 .*the first that differs"))
    ).to_be_visible()


def test_nothing_is_wider_than_a_phone_and_nothing_moves_unasked(new_page):
    page = open_lesson(new_page(width=390, reduced_motion="reduce"), "reshape")
    slide(page, "Image", 3)  # the last stop, 224
    assert fits_the_width(page)
    for number in range(2, 7):
        go_on(page, number)
        assert fits_the_width(page), number
    page.get_by_role("button", name="Section 5: A view is not a transpose").click()
    choose(page, "Show", "heads, by view alone")
    expect(page.locator(".moves-title")).to_contain_text("Wrong")
    assert page.locator(".moving").first.evaluate("(cell) => cell.getAnimations().length") == 0
