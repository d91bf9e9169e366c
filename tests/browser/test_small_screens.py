"""Phones and wide letters: nothing is wider than the screen, what scrolls says so, targets can be hit."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import cell, choose_language, fits_the_width, link_of, open_lab, open_menu
from tests.browser.lesson_page import open_lesson
from tests.student import LESSONS
from ui.words import languages

LOCALES = pytest.mark.parametrize("locale", ["en-GB", "vi-VN", "ko-KR", "zh-CN"])
# What WCAG 2.2 calls text spacing: a reader may set it, and nothing is lost.
SPACED = (
    "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }"
)
# Of our own: what is wider than the screen, smaller than 24 pixels, or scrolls sideways without a sign; in a lesson an
# asked cell that is out of sight or faded, and a matrix of up to nine columns that is cut.
FAULTS = """const faults = async (where) => {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 30)));
    const main = document.querySelector(".stMain");
    const inLessons = document.querySelectorAll(".qkv-bench, .lesson, .lesson-stage, .floor, .telling-body");
    const parts = [document.documentElement, main, ...inLessons];
    const isWide = parts.some((part) => part.scrollWidth > part.clientWidth);
    const found = isWide ? ["wider than the screen"] : [];
    const inSight = (one) => one.getClientRects().length > 0;
    for (const one of document.querySelectorAll(".qkv-bench :is(button, a, select, input, summary)")) {
        const { width, height } = one.getBoundingClientRect();
        const isSmall = Math.min(width, height) < 23.9;
        if (isSmall && inSight(one)) found.push(`small: ${one.outerHTML.slice(0, 80)}`);
    }
    for (const one of document.querySelectorAll(".qkv-bench *")) {
        const scrolls = /auto|scroll/.test(getComputedStyle(one).overflowX) && one.clientWidth;
        const isWide = scrolls && one.scrollWidth > one.clientWidth + 2;
        if (isWide && !one.dataset.more) found.push(`no sign: ${one.className}`);
    }
    const floor = document.querySelector(".lesson .floor");
    const { left, right, top, bottom } = floor?.getBoundingClientRect() ?? {};
    for (const one of floor?.querySelectorAll("[data-asked]") ?? []) {
        const cell = one.getBoundingClientRect();
        const isIn = left <= cell.left && cell.right <= right && top <= cell.top && cell.bottom <= bottom;
        const isFaded = floor.dataset.below !== undefined && cell.bottom > bottom - 30;
        if (!isIn || isFaded) found.push(`out of sight: ${one.ariaLabel}`);
    }
    const isPhone = innerWidth >= 390; // what is narrower pans
    for (const one of isPhone ? document.querySelectorAll(".lesson .board .matrix") : []) {
        const isFew = one.querySelectorAll("tbody tr:first-child td").length <= 9;
        if (isFew && one.scrollWidth > one.clientWidth + 1) found.push(`cut: ${one.textContent.slice(0, 20)}`);
    }
    return found.map((fault) => `${where}: ${fault}`);
};"""
# Presses one thing after another, waits until each is shown, and looks.
WALK = f"""async ([all, shown]) => {{
    {FAULTS}
    const found = [];
    for (let place = 0; place < document.querySelectorAll(all).length; place += 1) {{
        document.querySelectorAll(all)[place].click();
        const isShown = new Function("place", `return ${{shown}}`);
        while (!isShown(place)) await new Promise(requestAnimationFrame);
        found.push(...(await faults(`${{all}} ${{place + 1}}`)));
    }}
    return found;
}}"""
STEPS = [".frame", "document.querySelectorAll('.frame')[place].ariaCurrent === 'step'"]
SECTIONS = [".section", "document.querySelector('.lesson h2').textContent.startsWith(`${place + 1}. `)"]


def all_is_well(page, where):
    assert page.evaluate(f"async (where) => {{ {FAULTS} return faults(where); }}", where) == []


def walk_everywhere(page, lessons):
    """Home, the Lab with every step, and every section of some lessons."""
    page.goto("/")
    expect(page.locator(".arc").first).to_be_visible()
    all_is_well(page, "home")
    page.goto("/lab")
    expect(page.locator(".board [role=gridcell]").first).to_be_visible()
    assert page.evaluate(WALK, STEPS) == []
    open_menu(page)
    all_is_well(page, "menu")
    for lesson in lessons:
        page.goto(f"/{lesson}")
        expect(page.locator(".section").first).to_be_visible()
        assert page.evaluate(WALK, SECTIONS) == [], lesson


@LOCALES
def test_no_page_is_wider_than_a_phone(new_page, locale):
    walk_everywhere(new_page(width=390, locale=locale, has_touch=True), LESSONS)


def test_nor_than_the_narrowest_screen(new_page):
    walk_everywhere(new_page(width=320), ["projection", "reshape", "masks", "softmax", "implementations"])


def test_nor_is_any_panel(new_real_page):
    page = open_lab(new_real_page(width=320, has_touch=True))
    for language in languages():
        choose_language(page, language)
        for place in range(page.locator(".panel").count()):
            open_menu(page)
            page.locator(".panel").nth(place).click()
            expect(page.locator(".panel").nth(place)).to_have_attribute("aria-expanded", "true")
            expect(page.locator(".st-key-lab_panel")).to_be_visible()
            all_is_well(page, f"{language}: panel {place}")


def test_letters_may_be_set_wider(new_page):
    page = open_lab(new_page(width=390))
    page.add_style_tag(content=SPACED)
    assert fits_the_width(page)
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".qkv-bench button")]
            .filter((one) => one.getClientRects().length && one.scrollWidth > one.clientWidth + 1)
            .map((one) => one.outerHTML)"""
    )
    assert cut == []
    page = open_lesson(new_page(width=390), "projection")
    page.add_style_tag(content=SPACED)
    assert fits_the_width(page)


@pytest.mark.parametrize("section", [3, 4])
def test_a_wide_strip_says_on_which_side_there_is_more(new_page, section):
    page = open_lesson(new_page(width=390), "reshape")
    page.get_by_role("button", name=re.compile(f"^Section {section}: ")).click()
    strip = page.locator("[data-more]:visible").last
    expect(strip).to_have_attribute("data-more", "right")
    expect(strip).to_have_css("mask-image", re.compile("linear-gradient"))
    strip.evaluate("(one) => one.scrollTo(20, 0)")
    expect(strip).to_have_attribute("data-more", "left right")
    strip.evaluate("(one) => one.scrollTo(9999, 0)")
    expect(strip).to_have_attribute("data-more", "left")


def test_a_strip_that_scrolls_is_scrolled_by_keyboard_too(new_page):
    page = open_lesson(new_page(width=390), "reshape")
    page.get_by_role("button", name=re.compile("^Section 3: ")).click()
    strip = page.locator(".block.moves")
    expect(strip).to_have_attribute("tabindex", "0")
    expect(strip).to_have_role("region")
    strip.focus()
    page.keyboard.press("ArrowRight")
    expect(strip).to_have_attribute("data-more", "left right")
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(strip).not_to_have_attribute("tabindex", "0")


@pytest.mark.parametrize("address", ["lab", "attention"])
def test_a_number_is_changed_by_touch(new_page, address):
    page = new_page(width=390, has_touch=True)
    page.goto(f"/{address}{link_of('pixels_2x2') if address == 'lab' else ''}")
    if address == "attention":
        page.get_by_role("button", name=re.compile("^Section 5: ")).tap()
    first = cell(page, "X, token p0, feature c0: 1")
    first.tap()
    expect(first).to_have_attribute("aria-selected", "true")
    first.tap()
    page.get_by_role("textbox", name="X, token p0, feature c0").fill("5")
    page.keyboard.press("Enter")
    expect(cell(page, "X, token p0, feature c0: 5")).to_be_visible()
    assert fits_the_width(page)
