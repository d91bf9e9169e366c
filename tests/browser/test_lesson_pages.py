"""Lessons among the other pages, in a real browser: Back, leaving in the middle, a restart, forgetting."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import cell
from tests.browser.lesson_page import answer, done, go_on, open_lesson


def at_section(page, number):
    heading = page.get_by_role("heading", name=re.compile(rf"^{number}\. "), level=2)
    expect(heading).to_be_visible()


def leave_for_home(page):
    page.get_by_role("button", name="Course", exact=True).click()
    expect(page.get_by_role("heading", name="See every number of attention.")).to_be_visible()
    expect(page.locator(".lesson-link").first).to_be_visible()


def do_the_first_section(page):
    answer(page, "3")
    cell(page, "Q, token p0, channel 0: 1").click()
    done(page, 1)


def test_back_returns_to_the_section_that_was_left(new_page):
    page = open_lesson(new_page(), "projection")
    go_on(page, 2)
    go_on(page, 3)
    expect(page).to_have_url(re.compile(r"/projection\?s="))
    left = page.url
    leave_for_home(page)
    page.go_back()
    at_section(page, 3)
    expect(page).to_have_url(left)
    page.get_by_role("button", name="Open in the Lab", exact=True).click()
    expect(page.get_by_role("heading", name="Lab", exact=True)).to_be_visible()
    page.go_back()
    at_section(page, 3)
    expect(page).to_have_url(left)
    page.go_back()
    at_section(page, 2)


def test_a_page_that_was_left_says_nothing_more(new_page):
    page = new_page(fresh=True)
    sent = []
    page.on("request", lambda asked: asked.method == "POST" and sent.append(asked.post_data_json))
    page.clock.install()
    open_lesson(page, "reshape")
    play = page.get_by_role("button", name="Play", exact=True)
    for number in range(2, 7):
        if play.count():
            break
        go_on(page, number)
    play.first.click()
    leave_for_home(page)
    before = len(sent)
    page.clock.fast_forward(60_000)
    page.get_by_role("radio", name="mat", exact=True).click()
    expect(page).to_have_url(re.compile(r"\?s="))
    assert [one["page"] for one in sent[before:]] == ["/"]


def test_a_restarted_server_is_told_what_was_done(new_page, fresh_app_server):
    page = open_lesson(new_page(server=fresh_app_server, expect_faults=True), "projection")
    do_the_first_section(page)
    fresh_app_server.restart()
    page.get_by_role("button", name="Next", exact=True).click()
    second = page.get_by_role("heading", name=re.compile(r"^2\. "), level=2)
    expect(second).to_be_visible(timeout=60_000)  # the browser has to find the server again
    page.get_by_role("button", name="Back", exact=True).click()
    at_section(page, 1)
    done(page, 1)


def test_progress_that_is_forgotten_does_not_come_back(new_page):
    page = open_lesson(new_page(), "projection")
    do_the_first_section(page)
    leave_for_home(page)
    page.get_by_role("button", name="Forget my progress").click()
    page.locator(".lesson-link").first.click()
    at_section(page, 1)
    expect(page.get_by_role("button", name=re.compile("^Section 1, done"))).to_have_count(0)
