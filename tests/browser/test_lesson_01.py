"""Lesson 1 from first to last section, in a real browser."""

from playwright.sync_api import expect

from tests.browser.lab_page import arithmetic, cell, choose, fits_the_width, show, type_into
from tests.browser.lesson_page import ALL_DONE, answer, done, go_on, open_lesson, open_menu, pick


def test_a_section_that_is_begun_again_asks_again(new_page):
    page = open_lesson(new_page(), "projection")
    answer(page, "3")
    open_menu(page).get_by_role("button", name="Start this section again").click()
    expect(cell(page, "Q, token p2, channel 0: to be predicted")).to_be_visible()
    expect(page.get_by_role("textbox", name="Your answer")).to_have_value("")


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(), "projection")
    expect(
        cell(page, "Q, token p2, channel 0: to be predicted")
    ).to_be_visible()  # not shown before it is asked
    answer(page, "3")
    cell(page, "Q, token p0, channel 0: 1").click()
    done(page, 1)
    expect(arithmetic(page).get_by_text("x[p0, c0]·w_q[c0, 0]")).to_be_visible()
    go_on(page, 2)
    pick(page, "c1")
    cell(page, "K, token p1, channel 1: 2").click()
    cell(page, "V, token p1, channel 1: 1").click()
    done(page, 2)
    go_on(page, 3)
    pick(page, "None of them")
    type_into(page, "X, token p0, feature c3: 2", "100")
    done(page, 3)
    expect(page.get_by_role("button", name="[1, 1]")).to_be_visible()  # the first row of Q has not changed
    go_on(page, 4)
    answer(page, "2")
    type_into(page, "Wq, feature c3, channel 0: 0", "0.5")
    expect(cell(page, "Q, token p0, channel 0: 2")).to_be_visible()
    done(page, 4)
    go_on(page, 5)
    answer(page, "2x4")
    choose(page, "Stored with", "Channels first")
    done(page, 5)
    expect(page.get_by_role("table", name="Qᵀ 2×4", exact=True)).to_be_visible()
    page.get_by_role("button", name="Course", exact=True).click()
    card = page.get_by_role("link", name="From X to Q, K, V")
    expect(card).to_have_text(ALL_DONE)
    card.click()
    expect(page.get_by_role("heading", name="From X to Q, K, V")).to_be_visible()


def test_a_wrong_answer_gets_a_hint_and_nothing_is_locked(new_page):
    page = open_lesson(new_page(width=390), "projection")
    field = page.get_by_role("textbox", name="Your answer")
    field.fill("1")
    field.press("Enter")
    expect(page.locator(".reply").get_by_text("Not yet.")).to_be_visible()
    page.get_by_role("button", name="Show me").click()
    expect(page.locator(".reply").filter(has_text="The answer: 3")).to_be_visible()
    page.get_by_role("button", name="Section 4: Real weights blend").click()
    expect(page.get_by_role("heading", name="4. Real weights blend")).to_be_focused()
    assert fits_the_width(page)
    page.reload()
    expect(page.get_by_role("heading", name="4. Real weights blend")).to_be_visible()


def test_a_name_in_the_prose_lights_its_matrix(new_page):
    page = open_lesson(new_page(), "projection")
    page.locator(".lesson .text").get_by_role("button", name="Wq").first.hover()
    expect(page.locator("figure.pointed")).to_have_count(1)
    expect(page.locator("figure.pointed .name")).to_have_text("Wq")


def test_the_lab_opens_with_exactly_these_numbers(new_page):
    page = open_lesson(new_page(), "projection")
    type_into(page, "X, token p2, feature c0: 3", "8")
    page.get_by_role("button", name="Show me").click()
    expect(cell(page, "Q, token p2, channel 0: 8")).to_be_visible()
    page.get_by_role("button", name="Open in the Lab").click()
    expect(page.get_by_role("heading", name="Lab", exact=True)).to_be_visible()
    expect(cell(page, "Q, token p2, channel 0: 8")).to_be_visible()
    link = page.url
    other = new_page()
    other.goto(link)
    expect(cell(other, "Q, token p2, channel 0: 8")).to_be_visible()
    expect(show(other, "weights")).to_be_visible()
