"""The language: from the browser at first, changed anywhere without losing anything, part of the link."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import open_lab, type_into
from tests.browser.lesson_page import open_lesson
from ui.words import Words, languages

OTHERS = [language for language in languages() if language != "en"]
LOCALES = {"vi": "vi-VN", "ko": "ko-KR", "zh": "zh-CN"}


@pytest.mark.parametrize("language", OTHERS)
def test_the_browsers_language_comes_first(new_page, language):
    page = new_page(locale=LOCALES[language])
    page.goto("/")
    expect(page.get_by_role("heading", name=Words(language)("home.tagline"))).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", language)


def test_another_language_loses_nothing(new_page):
    page = open_lab(new_page())
    type_into(page, "X, token p0, feature c0: 1", "7")
    words = Words("ko")
    page.get_by_role("combobox", name="Language").select_option("ko")
    expect(page.get_by_role("heading", name=words("bench.title"), exact=True)).to_be_visible()
    first = page.locator("[role=gridcell][data-row='0'][data-column='0']").first
    expect(first).to_have_text("7")
    page.reload()  # it is in the link
    expect(page.get_by_role("heading", name=words("bench.title"), exact=True)).to_be_visible()
    expect(first).to_have_text("7")
    other = new_page()
    other.goto(page.url)
    expect(other.get_by_role("heading", name=words("bench.title"), exact=True)).to_be_visible()


def test_a_lesson_changes_its_language_where_it_stands(new_page):
    page = open_lesson(new_page(), "projection")
    page.get_by_role("button", name="Moment 2").click()
    expect(page.get_by_role("heading", name=re.compile(r"^2\. "))).to_be_visible()
    page.get_by_role("combobox", name="Language").select_option("ko")
    title = Words("ko")("lesson.projection.swap.title")
    expect(page.get_by_role("heading", name=f"2. {title}")).to_be_visible()
    page.get_by_role("button", name=Words("ko")("bench.to_course")).first.click()
    expect(page.get_by_role("heading", name=Words("ko")("home.tagline"))).to_be_visible()


def test_a_language_chosen_on_one_page_holds_on_those_left_before(new_page):
    page = open_lab(new_page())
    page.get_by_role("combobox", name="Language").select_option("vi")
    expect(page.get_by_role("heading", name=Words("vi")("bench.title"), exact=True)).to_be_visible()
    page.get_by_role("link", name=Words("vi")("lab.to_home")).click()
    page.get_by_role("combobox", name=Words("vi")("bench.language")).select_option("ko")
    expect(page.get_by_role("heading", name=Words("ko")("home.tagline"))).to_be_visible()
    page.get_by_role("link", name=Words("ko")("home.to_lab")).click()
    expect(page.get_by_role("heading", name=Words("ko")("bench.title"), exact=True)).to_be_visible()
