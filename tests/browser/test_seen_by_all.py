"""The focus is seen, nothing moves for those who asked for less, and no meaning is in colour alone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import turn
from tests.browser.lab_page import (
    at,
    choose,
    figure,
    frame,
    go_to,
    open_example,
    open_lab,
    picture,
    type_into,
    view,
)
from tests.browser.lesson_page import open_lesson

# Of what has the focus: its outline, for a field in a cell that of the cell, and whether something else lies over its
# middle.
FOCUS = """() => {
    const one = document.activeElement;
    const style = getComputedStyle(one.closest("td") ?? one);
    const { left, top, width, height } = one.getBoundingClientRect();
    let opacity = 1;
    for (let around = one; around; around = around.parentElement) opacity *= getComputedStyle(around).opacity;
    const over = document.elementFromPoint(left + width / 2, top + height / 2);
    return {
        name: one.ariaLabel || `${one.tagName}.${one.className}`,
        ours: Boolean(one.closest(".qkv-bench")),
        line: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
        colour: style.outlineColor,
        covered: !(one.contains(over) || over?.contains(one)),
        opacity, top, bottom: top + height, height: innerHeight,
    };
}"""


def focused_ones(page, most=120):
    """All that the Tab key comes to, once around."""
    seen = []
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        seen.append(page.evaluate(FOCUS))
    assert len([one for one in seen if one["ours"]]) > 12
    return [one for one in seen if one["ours"]]


@pytest.mark.parametrize("address", ["lab", "projection", "masks", ""])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_focus_is_seen_and_nothing_covers_it(new_page, address, width):
    page = new_page(width=width)
    page.goto(f"/{address}")
    expect(page.locator(".qkv-bench :is([role=gridcell], .arc)").first).to_be_visible()
    for one in focused_ones(page):
        assert one["line"] >= 2, one
        assert one["opacity"] > 0.5, one
        assert one["bottom"] > 0, one
        assert one["top"] < one["height"], one
        assert not one["covered"], one


def test_the_focus_is_seen_above_the_formula_bar_of_a_phone(new_page):
    page = open_lab(new_page(width=390))
    at(page, "weights, query p0, key p3").click()
    expect(page.locator(".arithmetic.open")).to_be_visible()
    assert [one for one in focused_ones(page) if one["covered"]] == []


def test_in_colours_of_the_system_the_focus_and_what_is_chosen_are_seen(new_page):
    page = open_lab(new_page(forced_colors="active"))
    assert page.evaluate("matchMedia('(forced-colors: active)').matches")
    for one in focused_ones(page):
        assert one["line"] >= 2, one
    chosen = at(page, "weights, query p0, key p3")
    chosen.click()
    expect(chosen).to_have_css("border-top-width", "3px")
    for marked in (page.locator(".frame[aria-current]"), page.locator("[aria-checked=true]").first):
        assert float(marked.evaluate("(one) => parseFloat(getComputedStyle(one).outlineWidth)")) >= 2
    choose(page, "Mask", "Causal")
    hidden = at(page, "weights, query p0, key p3: 0.00, hidden by the mask")
    expect(hidden).to_have_css("background-image", re.compile("repeating-linear-gradient"))


def test_the_order_of_the_tab_key_is_that_of_the_page(new_page):
    page = open_lab(new_page())
    assert page.evaluate(
        """() => {
            const stops = [...document.querySelectorAll(".qkv-bench :is(button, select, input, [tabindex])")];
            const able = stops.filter((one) => one.getClientRects().length && one.tabIndex >= 0);
            return able.length > 15 && able.every((one) => one.tabIndex === 0); // nobody jumps the queue
        }"""
    )


# Motion


MOVING = """() => {
    const own = [...document.querySelectorAll(".qkv-bench, .qkv-bench *")];
    return own.filter((one) => {
        const style = getComputedStyle(one);
        const lasts = (times) => times.split(", ").some((time) => parseFloat(time) > 0.01);
        const isAnimated = style.animationName !== "none" && lasts(style.animationDuration);
        return isAnimated || lasts(style.transitionDuration);
    }).map((one) => one.outerHTML.slice(0, 100));
}"""


def test_with_reduced_motion_nothing_moves(new_page):
    page = open_lesson(new_page(reduced_motion="reduce"), "reshape")
    page.get_by_role("button", name=re.compile("^Section 3: ")).click()
    expect(page.locator(".moving").first).to_be_visible()
    assert page.evaluate(MOVING) == []
    choose(page, "Show", "reshaped")
    expect(page.locator(".moves-frame", has_text="V, head 1")).to_have_count(3)
    running = "document.getAnimations().filter((one) => one.effect.target.closest('.qkv-bench')).length"
    assert page.evaluate(running) == 0
    page = open_lab(new_page(reduced_motion="reduce"))
    go_to(page, "Softmax")
    expect(picture(page).locator(".bars").first).to_be_attached()
    assert page.evaluate(MOVING) == []
    page.goto("/")
    expect(page.locator(".arc").first).to_be_visible()
    assert page.evaluate(MOVING) == []


def test_otherwise_numbers_fly_to_their_places(new_page):
    page = open_lesson(new_page(reduced_motion="no-preference"), "reshape")
    page.get_by_role("button", name=re.compile("^Section 3: ")).click()
    expect(page.locator(".moving").first).to_be_visible()
    assert page.evaluate(MOVING) != []


# Without colour


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_sign_and_mask_are_shown_without_colour(lab, scheme):
    turn(lab, scheme)
    choose(lab, "Mask", "Causal")
    type_into(lab, "Wq, feature c0, channel 0: 1", "-1")
    negative = at(lab, "Q, token p1, channel 0: −2")
    expect(negative).to_have_text("−2")
    expect(negative).to_have_class(re.compile("negative"))
    hidden = at(lab, "weights, query p0, key p3: 0.00, hidden by the mask")
    expect(hidden).to_have_css("background-image", re.compile("repeating-linear-gradient"))
    view(lab, "Heatmap")
    expect(figure(lab, "weights").locator(".shapelayer path").first).to_be_attached()
    lines = figure(lab, "weights").locator(".shapelayer path").count()
    assert lines >= 6  # across each of the six masked cells
    turn(lab, "light")


def test_each_head_has_a_line_of_its_own_kind(lab):
    open_example(lab, "The cat sat on the mat.")
    frame(lab, "Q by head").click()
    heads = (
        lab.locator("th[data-head='0'][scope=col]").first,
        lab.locator("th[data-head='1'][scope=col]").first,
    )
    expect(heads[0]).to_have_css("border-bottom-style", "solid")
    expect(heads[1]).to_have_css("border-bottom-style", "dashed")
