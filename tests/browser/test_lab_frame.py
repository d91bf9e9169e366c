"""The frame of the Lab: at every step of every small example all that matters is in sight, and one word stays lit."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import (
    at,
    box_of,
    cell,
    choices,
    figure,
    frame,
    frames,
    go_to,
    grid,
    link_of,
    open_example,
    open_lab,
    show,
    type_into,
    view,
)
from ui.scenario.presets import load_preset, preset_ids

MOST_TOKENS = 8


def tokens(preset):
    trace = load_preset(preset).trace()
    return max(trace["weights"].shape[-2:])


# 16 rows of channels above or beside 8 more are too many for cells that a finger can hit.
TALL = ["dims_that_divide"]
SMALL = [preset for preset in preset_ids() if tokens(preset) <= MOST_TOKENS and preset not in TALL]

# Waits until figures and letters are there; then says what is out of sight, overlaps or is cut.
MEASURE = """async () => {
    const one = (selector) => document.querySelector(selector);
    const all = (selector) => [...document.querySelectorAll(selector)].filter(inSight);
    const box = (node) => node.getBoundingClientRect();
    function inSight(node) {
        return node && node.getClientRects().length && getComputedStyle(node).visibility !== "hidden";
    }
    const figure = one(".meaning > .figure");
    while (!figure.hidden && !(figure.querySelector(".main-svg") && figure.drawn === figure.turn)) {
        await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
    const found = [];
    const [bar, strip] = [box(one(".bar")), box(one(".film"))];
    // Of a matrix its name, and its cells with their names.
    const around = (parts) => {
        const [least, most] = ["min", "max"].map((which) => (side) => Math[which](...parts.map((part) => part[side])));
        return { left: least("left"), right: most("right"), top: least("top"), bottom: most("bottom") };
    };
    const boxes = all(".board .matrix").flatMap((matrix) => {
        const name = matrix.querySelector(".name");
        const cells = [...matrix.querySelectorAll("th, td[data-row]")].filter(inSight).map(box);
        return [[name.textContent, around(cells), name], [`name ${name.textContent}`, box(name), name]];
    });
    for (const part of all(".corner-of-stage :is(h2, .set, .choice, .open-given, .group, input)")) {
        boxes.push([`corner: ${part.tagName} ${part.textContent.slice(0, 20)}`, box(part), "corner"]);
    }
    for (const part of all(".meaning > :is(.drawn, .figure, .says, .views)")) {
        boxes.push([part.className, box(part), "meaning"]);
    }
    for (const [name, { left, right, top, bottom }] of boxes) {
        if (left < -0.5 || right > innerWidth + 0.5) found.push(`${name} leaves the window: ${left} to ${right}`);
        if (top < strip.bottom - 0.5) found.push(`${name} is under the strip: ${top}`);
        if (bottom > bar.top + 0.5) found.push(`${name} is under the bar: ${bottom} of ${bar.top}`);
    }
    boxes.forEach(([name, first, group], place) => {
        for (const [other, second, another] of boxes.slice(place + 1)) {
            if (group && group === another) continue;
            const wide = Math.min(first.right, second.right) - Math.max(first.left, second.left);
            const high = Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top);
            if (wide > 1 && high > 1) found.push(`${name} and ${other} overlap: ${wide.toFixed(0)}×${high.toFixed(0)}`);
        }
    });
    const isUnseen = (text) => text.closest(".text")?.clientWidth === 1; // its picture says enough
    for (const text of all(".board :is(td[data-row], th), .corner-of-stage h2, .bar .cell, .film .title")) {
        if (text.scrollWidth > text.clientWidth + 1 && !isUnseen(text)) found.push(`cut: ${text.textContent}`);
    }
    const stage = one(".lab-stage");
    if (stage.scrollHeight > stage.clientHeight + 1) found.push(`the stage scrolls: ${stage.scrollHeight}`);
    if (stage.scrollWidth > stage.clientWidth + 1) found.push(`the stage scrolls sideways: ${stage.scrollWidth}`);
    const chosen = document.querySelectorAll(".board td.chosen").length;
    if (chosen !== 1) found.push(`${chosen} chosen cells`);
    const line = box(one(".arithmetic .line"));
    if (line.bottom > innerHeight + 0.5 || line.top < bar.top) found.push("the arithmetic is cut");
    if (bar.bottom > innerHeight + 0.5) found.push("the bar leaves the window");
    return found;
}"""


@pytest.mark.parametrize("preset", SMALL)
def test_at_every_step_all_is_in_sight_and_nothing_overlaps(new_page, preset):
    page = new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    open_lab(page, link_of(preset))
    faults = {}
    for place in range(frames(page).count()):
        frames(page).nth(place).click()
        expect(frames(page).nth(place)).to_have_attribute("aria-current", "step")
        label = frames(page).nth(place).get_attribute("aria-label")
        result = page.locator(".board .matrix:is([data-role=result], [data-role=left])").last
        result.locator("td[data-row]").nth(1).click()
        expect(page.locator(".arithmetic .line").first).to_be_visible()
        found = page.evaluate(MEASURE)
        if found:
            faults[label] = found
    assert faults == {}, json.dumps(faults, indent=1, ensure_ascii=False)


def test_what_overlaps_or_is_cut_is_found(new_page):
    """The measure itself."""
    page = open_lab(new_page(), link_of("cat_on_the_mat"))
    at(page, "weights, query cat, key sat").click()
    expect(page.locator(".arithmetic .line").first).to_be_visible()
    assert page.evaluate(MEASURE) == []
    for style, told in (
        (".qkv-bench .meaning { right: 400px !important }", "overlap"),
        (".qkv-bench.in-lab .board { transform: translateY(300px) }", "under the bar"),
        (".qkv-bench.in-lab td[data-row] { font-size: 40px !important }", "cut: "),
    ):
        made = page.add_style_tag(content=style)
        assert any(told in one for one in page.evaluate(MEASURE)), told
        made.evaluate("(style) => style.remove()")


# The word in focus

LIT = """() => {
    const found = {};
    for (const matrix of document.querySelectorAll(".board .matrix")) {
        const rows = [...matrix.querySelectorAll("tbody tr")];
        const lit = rows.flatMap((row, place) => row.classList.contains("in-focus") ? [place] : []);
        found[matrix.querySelector(".name").textContent] = lit;
    }
    return found;
}"""
OF_WORDS = {
    "X",
    "Q",
    "K",
    "V",
    "Q by head",
    "scores",
    "scaled",
    "weights",
    "head outputs",
    "merged",
    "output",
}


def test_the_row_of_the_word_in_focus_is_marked_in_every_matrix_that_has_it(new_page):
    page = open_lab(new_page(), "")
    focus = load_preset("cat_on_the_mat").view.focus
    for wanted in (focus, 4):
        if wanted != focus:
            show(page, "X").get_by_role("rowheader", name="the", exact=True).click()
        for place in range(frames(page).count()):
            frames(page).nth(place).click()
            expect(frames(page).nth(place)).to_have_attribute("aria-current", "step")
            expect(page.locator("tr.in-focus").first).to_be_attached()
            lit = page.evaluate(LIT)
            for name, rows in lit.items():
                if name in OF_WORDS:
                    assert rows == [wanted], (name, rows)
                else:
                    assert rows == [], (name, rows)
            assert page.locator(".film .focus-row:visible").count() == frames(page).count()


def test_the_word_in_focus_is_moved_by_a_press_on_its_name_and_is_in_the_link(new_page):
    page = open_lab(new_page(), "")
    show(page, "scaled")
    grid(page, "scores").get_by_role("rowheader", name="mat", exact=True).click()
    expect(grid(page, "scores").locator("th.in-focus")).to_have_text("mat")
    expect(page.locator(".qkv-bench[data-waiting='0']")).to_be_visible()
    other = open_lab(new_page(), "?" + page.url.partition("?")[2])
    expect(grid(other, "scores").locator("th.in-focus")).to_have_text("mat")
    open_example(page, "Causal")  # of fewer words
    expect(page.locator("tr.in-focus").first).to_be_attached()


# The sentence

FIELD = "Your own words become the tokens"


def write_words(page, words):
    box = page.get_by_role("textbox", name=FIELD)
    box.fill(words)
    box.press("Enter")


def test_words_become_the_tokens_and_numbers_stay(new_page):
    page = open_lab(new_page(), "")
    write_words(page, "A dog ran to my house !")
    expect(grid(page, "X").get_by_role("rowheader")).to_have_text(
        ["A", "dog", "ran", "to", "my", "house", "!"]
    )
    expect(cell(page, "X, token dog, feature 1: 2")).to_be_visible()
    expect(at(page, "weights, query dog, key ran: 0.66")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(at(page, "weights, query cat, key sat: 0.66")).to_be_visible()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_more_words_grow_x_and_fewer_shrink_it_each_in_one_undo(new_page):
    page = open_lab(new_page(), "")
    before = grid(page, "X").locator("tbody tr").all_inner_texts()
    write_words(page, "The cat sat on the mat . And slept")
    rows = grid(page, "X").locator("tbody tr")
    expect(rows).to_have_count(9)
    assert rows.all_inner_texts()[:7] == before
    for place in (7, 8):  # new rows get numbers
        assert set(re.findall(r"[−\d.]+", rows.nth(place).inner_text())) - {"0", "0.00"}
    expect(frame(page, "weights")).to_have_text("weights 2×9×9")
    page.get_by_role("button", name="Undo").click()
    expect(rows).to_have_count(7)
    expect(page.get_by_role("textbox", name=FIELD)).to_have_value("The cat sat on the mat .")
    write_words(page, "The cat")
    expect(rows).to_have_count(2)
    assert rows.all_inner_texts() == before[:2]
    page.get_by_role("button", name="Undo").click()
    expect(rows).to_have_count(7)
    assert rows.all_inner_texts() == before


def test_too_many_words_are_refused_with_a_sentence_and_nothing_changes(new_page):
    page = open_lab(new_page(), "")
    write_words(page, " ".join("abcdefghijklmnopq"))
    expect(page.locator(".bar > .sentence")).to_contain_text("16")
    expect(page.locator(".bar > .sentence")).to_contain_text("17")
    expect(grid(page, "X").locator("tbody tr")).to_have_count(7)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_escape_leaves_the_sentence_as_it_was_and_an_empty_one_is_no_sentence(new_page):
    page = open_lab(new_page(), "")
    box = page.get_by_role("textbox", name=FIELD)
    box.fill("something else")
    box.press("Escape")
    expect(box).to_have_value("The cat sat on the mat .")
    write_words(page, "  ")
    expect(box).to_have_value("The cat sat on the mat .")
    expect(grid(page, "X").locator("tbody tr")).to_have_count(7)


# Header


def test_what_differs_from_the_usual_is_said_in_the_header_and_taken_back_there(lab):
    go_to(lab, "Softmax")
    lab.get_by_role("radiogroup", name="Mask").get_by_role("radio", name="Causal").click()
    expect(frame(lab, "masked")).to_be_visible()
    lab.get_by_role("button", name="Remove Mask: Causal").click()
    expect(frame(lab, "masked")).to_have_count(0)
    expect(lab.locator(".differing button")).to_have_count(0)


def test_choices_are_marked_after_another_example_too(lab):
    type_into(lab, "X, token p0, feature c0: 1", "3")
    open_example(lab, "Grouped queries")
    expect(lab.get_by_role("combobox", name="Example").locator("option:checked")).to_have_text(
        "Grouped queries"
    )
    expect(choices(lab, "Heads").locator("[aria-checked=true]")).to_have_text("4")


def test_the_heatmap_has_the_numbers_of_each_head(new_page):
    page = open_lab(new_page(), "")
    go_to(page, "Softmax")
    view(page, "Heatmap")
    expect(figure(page, "weights").locator(".main-svg").first).to_be_attached()
    place = figure(page, "weights")
    page.wait_for_function("(one) => one.drawn === one.turn", arg=place.element_handle())
    maps = place.evaluate(
        "({ data }) => data.filter(({ type }) => type === 'heatmap').map(({ z }) => z.map((row) => [...row]))"
    )
    weights = load_preset("cat_on_the_mat").trace()["weights"]
    assert len(maps) == 2
    for head, shown in enumerate(maps):
        for row, line in enumerate(shown):
            assert line == pytest.approx(weights[head][row].tolist(), abs=1e-5)


# The formula bar


def test_a_term_lights_its_cell_and_leads_there(lab):
    at(lab, "scores, query p2, key p3").click()
    term = lab.locator(".bar .term").first
    term.hover()
    lit = lab.locator("td.lit-term")
    expect(lit).to_have_count(1)
    expect(lit).to_have_accessible_name(re.compile("^Q, token p2, channel 0: 3"))
    term.click()
    expect(cell(lab, "Q, token p2, channel 0: 3 (chosen")).to_be_visible()
    lab.locator(".bar .back", has_text="X[p2, c0]").click()  # which does not stand on this stage
    expect(cell(lab, "X, token p2, feature c0: 3 (chosen")).to_be_visible()


def test_the_bar_is_in_sight_however_long_the_arithmetic(new_page):
    page = open_lab(new_page(), link_of("vit_base"))
    show(page, "scores").get_by_role("gridcell").first.click()
    expect(page.locator(".arithmetic .line").first).to_be_visible()
    box = box_of(page.locator(".bar"))
    assert box["height"] <= 140
    assert box["y"] + box["height"] <= page.viewport_size["height"] + 1
