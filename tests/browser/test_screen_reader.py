"""What a screen reader is told: labels of cells, what a grid is, and what is announced after an edit."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import (
    arithmetic,
    at,
    cell,
    choose,
    frame,
    go_to,
    grid,
    open_example,
    open_lab,
    press,
    show,
    type_into,
)
from tests.browser.lesson_page import answer, open_lesson
from ui.board.stages import board_names
from ui.numbers import CELL, write
from ui.scenario.presets import load_preset
from ui.words import Words

LANGUAGES = {"en": "en-GB", "vi": "vi-VN", "ko": "ko-KR", "zh": "zh-CN"}
# Keeps every announcement: what stood in the one live region, in order.
LISTEN = """() => {
    const region = document.querySelector(".qkv-bench .heard");
    window.heard = [];
    new MutationObserver(() => window.heard.push(region.textContent)).observe(region, { childList: true });
}"""


def listen(page):
    page.evaluate(LISTEN)
    return page


def heard(page):
    return page.evaluate("window.heard")


def hears(page, text):
    expect(page.get_by_role("status")).to_have_text(text)


# Announcements


def test_an_edit_is_announced_once_and_briefly(lab):
    listen(lab)
    type_into(lab, "X, token p0, feature c0", "7")
    hears(lab, re.compile(r"^X p0 c0 is 7\. Numbers changed: \d+; output p0 0 is \d\.\d\d\.$"))
    said = [one for one in heard(lab) if "changed" in one]
    assert len(said) == 1
    number = at(lab, "output, query p0, channel 0").inner_text()
    assert said[0].endswith(f"output p0 0 is {number}.")
    scenario = load_preset("pixels_2x2")
    one, other = (each.trace() for each in (scenario, scenario.edited("x", {(0, 0): 7.0})))
    names = [name for name in board_names(one) if name != "x"]  # what follows from it
    assert int(re.search(r"changed: (\d+)", said[0])[1]) == sum(
        (one[name] != other[name]).sum() for name in names
    )


def test_nothing_is_announced_on_hover_focus_or_a_repaint(lab):
    listen(lab)
    for name in ("Wq, feature c0, channel 0", "X, token p1, feature c0"):
        cell(lab, name).hover()
    cell(lab, "X, token p0, feature c0").focus()
    lab.keyboard.press("ArrowRight")
    expect(cell(lab, "X, token p0, feature c1")).to_be_focused()
    assert heard(lab) == []


def test_what_follows_from_undo_and_a_choice_is_announced(lab):
    type_into(lab, "X, token p0, feature c0", "7")
    hears(lab, re.compile("^X p0 c0 is 7"))
    listen(lab)
    lab.get_by_role("button", name="Undo", exact=True).click()
    hears(lab, re.compile(r"^Numbers changed: \d+; output p0 0 is 0\.20\.$"))
    choose(lab, "Mask", "Causal")
    lab.wait_for_function("window.heard.length === 2")
    hears(lab, re.compile(r"^Numbers changed: \d+; output "))


def test_a_cell_that_opens_and_a_step_are_announced(lab):
    show(lab, "scores")
    listen(lab)
    cell(lab, "scores, query p0, key p3").click()
    expect(arithmetic(lab)).to_contain_text("= 1·1 + 1·4 = 5")
    hears(lab, re.compile(r"scores\[p0, p3\] = .*= 1·1 \+ 1·4 = 5\.$"))
    lab.get_by_role("button", name="Next step").click()
    hears(lab, "Scale: scaled")
    assert len(heard(lab)) == 2


def test_an_edit_that_changes_nothing_else_and_one_refused(lab):
    choose(lab, "Mask", "Free")
    hears(lab, re.compile("^Numbers changed"))
    listen(lab)
    type_into(lab, "X, token p0, feature c0", "one")
    hears(lab, re.compile("^“one” is not a number"))
    assert not any("changed" in one for one in heard(lab))
    at(lab, "may look, query p0, key p3: yes").click()
    hears(lab, re.compile(r"^may look p0 p3 is no\. Numbers changed: \d+; "))


def test_a_guess_is_announced_with_its_verdict(lab):
    go_to(lab, "Scores")
    press(lab, "Predict this step")
    type_into(lab, "scores, query p0, key p0: to be predicted", "1")
    hears(lab, re.compile(r"^scores, query p0, key p0: 1, (not )?right"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_announcements_are_in_the_learners_language(new_page, language):
    page = new_page(locale=LANGUAGES[language])
    open_lab(page)
    first = page.locator("[role=gridcell][data-row='0'][data-column='0']").first
    expect(first).to_be_visible()
    first.focus()
    page.keyboard.press("7")
    page.keyboard.press("Enter")
    words = Words(language)
    name = words("name.x")
    start = words("bench.told_number", matrix=name, row="p0", column="c0", value="7")
    hears(page, re.compile("^" + re.escape(start)))
    pattern = words(
        "bench.told_changes", matrix=words("name.output"), row="p0", column="0", count="#", value="@"
    )
    expect(page.get_by_role("status")).to_have_text(
        re.compile(re.escape(pattern).replace(re.escape("#"), r"\d+").replace("@", r"[\d.,]+"))
    )


def test_a_lesson_says_its_verdict_and_that_a_task_is_done(new_page):
    page = listen(open_lesson(new_page(), "projection"))
    field = page.get_by_role("textbox", name="Your answer")
    field.fill("99")
    field.press("Enter")
    hears(page, re.compile("^✕ Not yet"))
    answer(page, "3")
    hears(page, re.compile(r"^✓ Right\."))
    cell(page, "Q, token p1, channel 0").click()
    hears(page, re.compile("Try it: done"))
    assert len(heard(page)) == 3
    assert "q[p1, 0] = " in heard(page)[2]  # what happens at once is said together


# Grids


def test_every_grid_names_its_rows_and_columns_and_says_what_can_be_changed(lab):
    for name, step in (("X", "X"), ("Q", "scores"), ("scaled", "weights"), ("head outputs", "output")):
        frame(lab, step).click()
        found = show(lab, name)
        rows, columns = found.get_by_role("rowheader"), found.get_by_role("columnheader")
        assert rows.count() == found.get_by_role("row").count() - 1
        assert columns.count() * rows.count() == found.locator("[role=gridcell][data-row]").count()
        assert all(rows.all_inner_texts() + columns.all_inner_texts())
    expect(show(lab, "X")).to_have_attribute("aria-readonly", "false")
    expect(show(lab, "scores")).to_have_attribute("aria-readonly", "true")
    choose(lab, "Mask", "Free")
    expect(show(lab, "may look")).to_have_attribute("aria-readonly", "false")


def test_a_large_matrix_says_which_part_is_shown(new_page):
    page = open_lab(new_page())
    open_example(page, "Textbook: 32 × 20 × 512, 8 heads")
    x = show(page, "X")
    expect(x).to_have_attribute("aria-rowcount", "21")
    expect(x).to_have_attribute("aria-colcount", "513")
    last = x.locator("[role=gridcell]").last
    last.click()
    place = last.get_attribute("aria-label")
    row, column = (int(number) for number in re.search(r"token t?(\d+), feature c?(\d+)", place).groups())
    expect(last).to_have_attribute("aria-colindex", str(column + 2))
    assert last.evaluate("(one) => one.parentElement.ariaRowIndex") == str(row + 2)


def test_channels_say_which_head_they_belong_to(lab):
    open_example(lab, "The cat sat on the mat.")
    frame(lab, "Q by head").click()
    heads = grid(lab, "Q").get_by_role("columnheader")
    expect(heads.first).to_have_attribute("aria-description", "head 0")
    expect(heads.last).to_have_attribute("aria-description", "head 1")


# Labels of every kind of cell


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_cell_is_spoken_in_full(new_page, language):
    page = open_lab(new_page(locale=LANGUAGES[language]))
    words = Words(language)

    def label(matrix, row_axis, row, column_axis, column, value):
        names = {"matrix": words(f"name.{matrix}"), "row": row, "column": column, "value": value}
        axes = {"row_axis": words(f"axis.{row_axis}"), "column_axis": words(f"axis.{column_axis}")}
        return words("bench.cell", **names, **axes)

    def spoken(matrix, row, column, value):
        named = json.dumps(label(matrix, "query", row, "key", column, value), ensure_ascii=False)
        return page.locator(f"[role=gridcell][aria-label^={named}]")

    def walk(name):
        """To the frame of a matrix, and back to what is asked there."""
        page.locator(".frame", has_text=re.compile(f"^{re.escape(words('name.' + name))} \\d")).click()

    def do(kind):
        press(page, words(f"bench.do_{kind}"))

    walk("scores")
    expect(spoken("scores", "p0", "p2", "")).to_be_visible()
    choose(page, words("choice.mask"), words("mask.free"))
    walk("masked")
    spoken("visible", "p0", "p2", words("bench.yes")).click()
    no = words("bench.no") + f" ({words('bench.switch')})"
    expect(spoken("visible", "p0", "p2", no)).to_be_visible()
    hidden = words("bench.hidden", value=words("bench.infinity"))
    expect(spoken("masked", "p0", "p2", hidden)).to_be_visible()
    do("keep")
    spoken("visible", "p0", "p3", words("bench.yes")).click()
    expect(page.locator(f"td[aria-label*={words('bench.first')!r}]")).to_have_count(1)
    walk("weights")
    nothing = words("bench.hidden", value=write(0, 2, words.marks, CELL))
    expect(spoken("weights", "p0", "p3", nothing)).to_be_visible()
    less = re.escape(words("bench.less", by="@")).replace("@", r"[\d.,]+")
    more = re.escape(words("bench.more", by="@")).replace("@", r"[\d.,]+")
    expect(spoken("weights", "p0", "p3", "")).to_have_accessible_name(re.compile(less))
    expect(spoken("weights", "p0", "p1", "")).to_have_accessible_name(re.compile(more))
    spoken("weights", "p0", "p1", "").click()
    expect(spoken("weights", "p0", "p1", "")).to_have_accessible_name(re.compile(words("bench.chosen")))
    expect(spoken("masked", "p0", "p1", "")).to_have_accessible_name(re.compile(words("bench.source")))
    do("predict")
    expect(spoken("weights", "p0", "p1", words("bench.blank"))).to_be_visible()
