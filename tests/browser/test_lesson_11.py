"""Lesson 11 from first to last section, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.lab_page import choose, fits_the_width, seen
from tests.browser.lesson_page import answer, done, go_on, open_lesson, pick, slide


def test_from_first_to_last_section(new_page):
    page = open_lesson(new_page(), "implementations")
    expect(page.get_by_text("They never diverge: the outputs agree to 16 digits.")).to_be_visible()
    answer(page, "6")
    choose(page, "Implementation", "Multi-head layer")
    expect(page.get_by_text("They diverge at the step “X added”")).to_be_visible()
    expect(page.get_by_text("residual = projected + x")).to_be_visible()
    done(page, 1)
    go_on(page, 2)
    pick(page, "Q")
    choose(page, "Right", "ViT (timm)")
    choose(page, "Asked of all", "Biases")
    expect(page.get_by_text("They diverge at the step “Q”, row 0, column 0")).to_be_visible()
    pairs = page.get_by_role("table", name="Every pair: digits in common, or what makes them differ")
    expect(pairs.get_by_role("row", name=re.compile("^1 Bare formula · 16 residual ✓ bias"))).to_be_visible()
    done(page, 2)
    go_on(page, 3)
    answer(page, "0.25")
    choose(page, "Hidden scores become", "−1e9")
    weights = page.get_by_role("table", name="Weights of token 1 8×4")
    expect(weights.get_by_role("row", name=re.compile("^Temperature module 0.2500 0.2500"))).to_be_visible()
    done(page, 3)
    go_on(page, 4)
    pick(page, "As much as without a mask")
    choose(page, "Read by", "PyTorch tutorial")
    expect(page.get_by_text("attended = scaled_dot_product_attention(")).to_be_visible()
    choose(page, "Mask", "Causal, upside down")
    done(page, 4)
    go_on(page, 5)
    answer(page, "0.53")
    slide(page, "Seed", 3)
    slide(page, "Probability p", 2)  # its third stop
    done(page, 5)
    go_on(page, 6)
    pick(page, "1")
    page.get_by_role("button", name="Draw 4096 seeds").click()
    expect(seen(page, "4,096 of 4,096 seeds 100 %")).to_be_visible()
    expect(page.get_by_role("figure", name=re.compile("^How far the mean is"))).to_be_visible()
    done(page, 6)
    go_on(page, 7)
    answer(page, "2")
    choose(page, "Mode", "Evaluation")
    done(page, 7)
    sums = page.get_by_role("table", name="Row sums after dropout, by token 8×4")
    expect(sums.get_by_role("row", name=re.compile("^PyTorch function 1.53"))).to_be_visible()
    expect(sums.get_by_role("row", name="Hugging Face BERT 1.00 1.00 1.00 1.00")).to_be_visible()


def test_on_a_phone_nothing_is_wider_than_the_screen(new_page):
    page = open_lesson(new_page(width=390), "implementations")
    for number in range(1, 8):
        page.get_by_role("button", name=re.compile(f"^Section {number}: ")).click()
        expect(page.get_by_role("heading", name=re.compile(rf"^{number}\. "), level=2)).to_be_visible()
        assert fits_the_width(page), number
        for press in page.get_by_role("radio").all():  # none is cut off
            box = press.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390


def choose_in_link(page, group, option):
    """Chooses an option and waits until the link has it."""
    before = page.url
    choose(page, group, option)
    expect(page).not_to_have_url(before)


def test_the_pair_and_what_is_asked_travel_in_the_link(new_page):
    page = open_lesson(new_page(), "implementations")
    page.get_by_role("button", name="Section 2: Where two diverge").click()
    expect(page.get_by_role("heading", name="2. Where two diverge")).to_be_visible()
    choose_in_link(page, "Asked of all", "Causal mask")
    choose_in_link(page, "Left", "Temperature module")
    choose_in_link(page, "Right", "PyTorch function")
    expect(page.get_by_text("They agree again: the outputs agree to 16 digits.")).to_be_visible()
    other = new_page()
    other.goto(page.url)
    expect(other.get_by_text("They agree again: the outputs agree to 16 digits.")).to_be_visible()
