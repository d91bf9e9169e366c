"""A lesson as a student finds it: by role and label. Shared by the tests of the lessons."""

import re

from playwright.sync_api import expect

ALL_DONE = re.compile(r"✓\s*done$")  # how home lists a lesson that was finished


def open_lesson(page, lesson):
    """Goes to a lesson and waits until it is there."""
    page.goto(f"/{lesson}")
    expect(page.get_by_role("list", name="Sections of this lesson")).to_be_visible()
    return page


def open_menu(page):
    """Opens what is needed seldom, at the right of the header, and returns it."""
    page.get_by_role("button", name="More", exact=True).click()
    menu = page.locator(".menu")
    expect(menu).to_be_visible()
    return menu


def open_panel_of(page, name):
    """Opens a panel of a lesson, from its menu, and returns it."""
    open_menu(page).get_by_role("button", name=re.compile(f"^{name}.$")).click()
    panel = page.locator(".st-key-lab_panel")
    expect(panel).to_be_visible()
    return panel


def answer(page, text):
    """Types an answer that is right."""
    field = page.get_by_role("textbox", name="Your answer")
    field.fill(text)
    field.press("Enter")
    expect(page.locator(".reply").get_by_text("Right.")).to_be_visible()


def pick(page, option):
    """Presses the option that is right."""
    page.get_by_role("group", name="Possible answers").get_by_role("button", name=option, exact=True).click()
    expect(page.locator(".reply").get_by_text("Right.")).to_be_visible()


def slide(page, name, value):
    """Moves a slider with evenly spaced stops to a value."""
    page.get_by_role("slider", name=name).fill(str(value))


def done(page, number):
    """Waits until a section is done: its dot says so, and the reason is told."""
    dots = page.get_by_role("list", name="Sections of this lesson")
    expect(dots.get_by_role("button", name=re.compile(f"^Section {number}, done: "))).to_be_visible()
    expect(page.get_by_role("heading", name="Why", exact=True)).to_be_visible()


def go_on(page, number):
    """Goes on to a section from the one before it."""
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile(rf"^{number}\. "), level=2)).to_be_visible()
