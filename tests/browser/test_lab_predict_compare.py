"""Predicting a step, and comparing with a result that was kept."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import (
    arithmetic,
    at,
    cell,
    figure,
    frame,
    go_to,
    in_focus,
    open_example,
    open_lab,
    open_menu,
    paste,
    picture,
    press,
    seen,
    type_into,
    view,
)
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset

BLANK = "scaled, query p0, key p0: to be predicted"


@pytest.fixture
def predicting(lab):
    """The Lab with the step Scale to be predicted."""
    go_to(lab, "Scale")
    press(lab, "Predict this step")
    expect(cell(lab, BLANK)).to_have_text("?")
    return lab


def guess(page, place, text):
    cell(page, f"scaled, {place}").click()
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def test_the_step_is_blank_and_what_comes_later_is_hidden(predicting):
    expect(cell(predicting, "scores, query p0, key p0: 1")).to_have_text("1")
    expect(
        predicting.get_by_role("gridcell", name=re.compile("^scaled, .*: to be predicted$"))
    ).to_have_count(16)
    cell(predicting, BLANK).click()
    expect(predicting.get_by_role("textbox", name=BLANK)).to_be_focused()
    predicting.keyboard.press("Escape")
    expect(arithmetic(predicting)).not_to_contain_text("=")
    expect(picture(predicting)).to_have_count(0)  # it would tell
    shown = "(frame) => frame.querySelector('canvas').dataset.of"
    assert frame(predicting, "scores").evaluate(shown) != "?"
    for name in ("scaled", "weights", "output"):
        assert frame(predicting, name).evaluate(shown) == "?"
    view(predicting, "Heatmap")
    heatmap = figure(predicting, "scaled")
    expect(heatmap.locator(".textpoint text", has_text="?")).to_have_count(16)
    expect(heatmap).to_have_accessible_name("Heatmap of scaled. ")


def test_right_and_wrong_are_marked_and_the_mistake_is_named(predicting):
    guess(predicting, "query p0, key p0", "0.71")
    expect(cell(predicting, "scaled, query p0, key p0: 0.71, right")).to_have_text("0.71 ✓")
    expect(predicting.get_by_text("1 of 1 right")).to_be_visible()
    expect(cell(predicting, "scaled, query p1, key p0: to be predicted")).to_be_focused()
    guess(predicting, "query p0, key p1", "3")
    expect(cell(predicting, "scaled, query p0, key p1: 3, not right")).to_have_text("3 ✕")
    expect(seen(predicting, "3 is the score before scaling. Multiply it by 0.7071.")).to_be_visible()
    expect(predicting.get_by_text("1 of 2 right")).to_be_visible()
    guess(predicting, "query p0, key p1", "2,12")  # a second try is marked, but does not count
    expect(cell(predicting, "scaled, query p0, key p1: 2.12, right")).to_be_visible()
    expect(predicting.get_by_text("1 of 2 right")).to_be_visible()
    expect(seen(predicting, "3 is the score before scaling")).to_have_count(0)


def test_a_forgotten_scale_is_named(predicting):
    guess(predicting, "query p0, key p0", "1")
    expect(seen(predicting, "1 is the score before scaling. Multiply it by 0.7071.")).to_be_visible()


def test_a_whole_block_is_judged_and_nonsense_is_refused(predicting):
    cell(predicting, BLANK).focus()
    paste(predicting, "0.71\t2.12\t2.12\t3.54")
    for key, number in (("p1", "2.12"), ("p2", "2.12"), ("p3", "3.54")):
        expect(cell(predicting, f"scaled, query p0, key {key}: {number}, right")).to_be_visible()
    expect(predicting.get_by_text("4 of 4 right")).to_be_visible()
    guess(predicting, "query p1, key p0", "1+1")
    expect(predicting.get_by_role("status")).to_contain_text("“1+1” is not a number")


def test_answers_are_shown_and_predicting_ends(predicting):
    guess(predicting, "query p0, key p0", "1")
    expect(cell(predicting, "scaled, query p0, key p0: 1, not right")).to_be_visible()
    cell(predicting, "scaled, query p0, key p2: to be predicted").focus()
    press(predicting, "Show this cell")
    expect(cell(predicting, "scaled, query p0, key p2: 2.12")).to_be_visible()
    expect(cell(predicting, "scaled, query p0, key p3: to be predicted")).to_be_visible()
    press(predicting, "Show all")
    expect(cell(predicting, "scaled, query p0, key p3: 3.54")).to_be_visible()
    expect(cell(predicting, "scaled, query p0, key p0: 0.71")).to_have_class(re.compile("wrong"))
    press(predicting, "End predicting")
    expect(at(predicting, "weights, query p0, key p3: 0.65")).to_be_visible()
    expect(open_menu(predicting).get_by_role("button", name="Show all", exact=True)).to_be_hidden()


def test_the_next_step_is_blank_too_and_the_given_ones_say_so(predicting):
    go_to(predicting, "Softmax")
    expect(cell(predicting, "weights, query p0, key p0: to be predicted")).to_have_text("?")
    expect(cell(predicting, "scaled, query p0, key p3: 3.54")).to_be_visible()
    expect(predicting.get_by_text("entropy")).to_have_count(0)
    go_to(predicting, "Input")
    expect(predicting.get_by_text("Here is nothing to predict: these numbers are given.")).to_be_visible()


def test_predicting_is_part_of_the_link(predicting, new_page):
    expect(predicting).to_have_url(re.compile(r"\?s="))
    other = open_lab(new_page(), "?" + predicting.url.partition("?")[2])
    in_focus(other, "Scale")
    expect(cell(other, BLANK)).to_be_visible()


def test_changes_since_a_result_was_kept(lab):
    go_to(lab, "Softmax")
    press(lab, "Keep and compare")
    expect(lab.get_by_text("Nothing has changed yet. Edit a number.")).to_be_visible()
    lab.keyboard.press("e")
    type_into(lab, "X, token p0, feature c0: 1", "3")
    expect(lab.get_by_role("heading", name="Changed since you kept it")).to_be_visible()
    largest = lab.get_by_role("listitem").filter(has_text="scores[")
    expect(largest).to_contain_text("scores[p0, p0] 1 → 3 (+2)")
    difference = lab.get_by_role("figure", name="change of weights")
    expect(difference.locator(".textpoint text")).to_have_count(16)
    expect(difference.locator(".textpoint text").last).to_have_text("0.00")
    largest.get_by_role("button", name="scores[p0, p0]").click()
    expect(
        cell(lab, "scores, query p0, key p0: 3 (chosen, 2 more than what it is compared with)")
    ).to_be_visible()
    grown = cell(lab, "scores, query p0, key p0: 3")
    expect(grown).to_have_class(re.compile("grown"))
    press(lab, "End comparing")
    expect(lab.get_by_role("heading", name="Changed since you kept it")).to_be_hidden()
    expect(grown).not_to_have_class(re.compile("grown"))


def test_other_shapes_cannot_be_compared(new_page):
    kept = write_link(load_preset("pixels_2x2"))
    link = write_link(load_preset("cat_on_the_mat").looking(kept=kept))
    page = open_lab(new_page(), f"?s={link}")
    expect(page.get_by_text("The shapes are no longer those you kept")).to_be_visible()


def test_a_confusion_opens_beside_the_right_way(lab, new_page):
    open_example(lab, "view where a transpose was needed")
    in_focus(lab, "Split heads")
    expect(lab.get_by_role("heading", name="Beside it: wrong, by a view alone")).to_be_visible()
    parting = lab.locator(".qkv-bench .parting")
    expect(parting).to_contain_text(
        "The first number that differs: Q by head[0, 1, 0] is 1 here and 0.20 there."
    )
    expect(parting.locator("dd")).to_have_text(
        ["q_heads[0, 1, 0] = q[1, 0] = 1", "q_heads[0, 1, 0] = q[0, 2] = 0.2"]
    )
    marked = cell(lab, re.compile("^Q by head, query 1, feature 0: 1.00 .*the first that differs"))
    expect(marked).to_have_class(re.compile("first"))
    assert marked.evaluate("(cell) => getComputedStyle(cell, '::before').content") == '"≠"'
    parting.get_by_role("button", name="Q by head[0, 1, 0]").click()
    expect(cell(lab, re.compile(r"1.00 \(chosen, .*the first that differs"))).to_be_visible()
    press(lab, "Swap the two")
    expect(lab.get_by_role("heading", name="Beside it: right, with a transpose")).to_be_visible()
    expect(cell(lab, "Q by head, query 1, feature 0: 0.20")).to_have_class(re.compile("first"))
    expect(lab.locator(".meaning .why")).to_contain_text("on purpose")
    other = open_lab(new_page(), "?" + lab.url.partition("?")[2])
    expect(other.get_by_role("heading", name="Beside it: right, with a transpose")).to_be_visible()


def test_what_is_the_same_and_what_cannot_be_computed(lab):
    open_example(lab, "One Wq, or one for each head?")
    expect(lab.get_by_text("No number differs: all 9 matrices that both have are the same.")).to_be_visible()
    open_example(lab, "Dimensions that do not divide")
    expect(lab.get_by_text("8 channels over 8 heads leave 1 per head")).to_be_visible()
    open_menu(lab)
    expect(lab.get_by_role("button", name="Swap the two")).to_be_hidden()
    expect(lab.get_by_role("button", name="End comparing")).to_be_visible()
