"""Lesson 4 from first to last section, in a real browser."""

from playwright.sync_api import expect

from tests.browser.lab_page import cell, choose, fits_the_width, type_into
from tests.browser.lesson_page import answer, done, go_on, open_lesson, pick, slide


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(), "channels")
    expect(cell(page, "QKV, channel v1, token 4: to be predicted")).to_be_visible()
    answer(page, "6")
    cell(page, "QKV, channel v1, token 4: 6").click()
    done(page, 1)
    go_on(page, 2)
    expect(
        page.get_by_role("list", name="The 8 channels, head by head").get_by_role("listitem")
    ).to_have_text(["q0", "k0", "v0", "v0'", "q1", "k1", "v1", "v1'"])
    answer(page, "32")
    slide(page, "Ratio", 2)  # the third stop
    expect(page.get_by_role("list", name="The 12 channels, head by head")).to_be_visible()
    done(page, 2)
    go_on(page, 3)
    expect(page.get_by_text("This block cannot be built.", exact=True)).to_be_visible()  # why is asked first
    pick(page, "No channel is left for the key")
    expect(page.get_by_text("8 channels over 8 heads leave 1 per head")).to_be_visible()
    slide(page, "Heads", 4)
    expect(page.get_by_role("list", name="The 16 channels, head by head")).to_be_visible()
    done(page, 3)
    go_on(page, 4)
    pick(page, "the query of head 1")
    choose(page, "Read", "part by part")
    taken = page.get_by_role("list", name="What they are taken for, read part by part")
    expect(taken.get_by_role("img", name="wrong")).to_have_count(5)
    expect(page.get_by_role("table", name="Head 0, read part by part 4×9")).to_be_visible()
    done(page, 4)
    go_on(page, 5)
    answer(page, "3")
    choose(page, "Channel", "c2")
    done(page, 5)
    go_on(page, 6)
    answer(page, "4.45")
    type_into(page, "Wproj, channel 1, channel c1: 1", "2")
    expect(cell(page, "output, channel 1, token 0: 4.00")).to_be_visible()
    done(page, 6)


def test_the_lab_compares_with_the_block_that_cannot_be_built(new_page):
    page = open_lesson(new_page(), "channels")
    page.get_by_role("button", name="Section 3: When it does not divide").click()
    expect(page.get_by_role("heading", name="3. When it does not divide")).to_be_visible()
    page.get_by_role("button", name="Open in the Lab").click()
    expect(page.get_by_role("heading", name="Beside it: 8 heads")).to_be_visible()
    expect(page.get_by_text("8 channels over 8 heads leave 1 per head")).to_be_visible()


def test_nothing_is_wider_than_a_phone(new_page):
    page = open_lesson(new_page(width=390), "channels")
    assert fits_the_width(page)
    for number in range(2, 7):
        go_on(page, number)
        assert fits_the_width(page), number
