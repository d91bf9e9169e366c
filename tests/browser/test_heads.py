"""Heads in a real browser: a sentence of one's own, maps that are sorted, one weight down to its numbers, the link."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import check
from tests.browser.keyboard import reach
from tests.browser.lab_page import box_of, fits_the_width
from tests.checkpoints import REFERENCE, minilm  # noqa: F401
from tests.learner import Reader
from ui import models
from ui.page.heads import HEADS

SIZES = pytest.mark.parametrize("width", [1280, 390])
DRAWN = ".map .heatmaplayer"  # by Plotly


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setenv(models.NAMED_BY, str(REFERENCE / "tiny_bert"))


@pytest.fixture
def no_model(monkeypatch, tmp_path):
    monkeypatch.delenv(models.NAMED_BY, raising=False)
    monkeypatch.setattr(models, "DEFAULT", tmp_path / "none")


def open_heads(page, link=""):
    page.goto(f"/heads{link}")
    expect(page.locator(".arc").first).to_be_attached()
    return page


def type_sentence(page, text):
    field = page.get_by_role("textbox", name="Your sentence")
    field.fill(text)
    expect(page.get_by_role("button", name="Show", exact=True)).to_be_visible()
    field.press("Enter")
    expect(page.get_by_role("button", name="Show", exact=True)).to_be_hidden()


def tile(page, layer, head):
    return page.get_by_role("radio", name=re.compile(f"^Layer {layer}, head {head}($|:)"))


def word(page, name):
    return page.get_by_role("radiogroup", name="Which word looks").get_by_role("radio", name=name, exact=True)


def sort_by(page, name):
    page.get_by_role("radio", name=name, exact=True).click()


def order_of_tiles(page):
    """The names of the maps as they stand, from the upper left to the lower right."""
    tiles = page.locator(".tile").evaluate_all(
        "all => all.map((one) => [one.ariaLabel, ...one.getBoundingClientRect()"
        ".toJSON ? [one.getBoundingClientRect().y, one.getBoundingClientRect().x] : []])"
    )
    return [name for name, *_ in sorted(tiles, key=lambda one: (round(one[1]), one[2]))]


def is_shown(page, me):
    """Whether the page shows what a learner without a browser has."""
    found, tokens = me.message["heads"], me.message["new_outline"]["heads"]["tokens"]
    expect(page.locator(".chosen-head h2")).to_have_text(f"Layer {found['layer']}, head {found['head']}")
    weight = me.message["values"][0][found["focus"]][found["key"]]
    expect(page.locator(".said")).to_contain_text(f"“{tokens[found['key']]}”")
    expect(page.locator(".said")).to_contain_text(f"{weight:.2f}")
    expect(page.locator(".qkv-bench")).to_have_attribute("data-waiting", "0")


def test_own_sentence_sorted_head_weight_and_the_link(new_page, tiny):
    page, me = open_heads(new_page()), Reader(HEADS)
    type_sentence(page, "playing cats saw the dog")
    is_shown(page, me.do("sentence", "playing cats saw the dog"))
    expect(page.locator(".mark")).to_have_text(["play", "ing", "cat", "s", "saw", "the", "dog"])
    expect(page.locator(".word.pieces")).to_have_text(["playing", "cats"])
    sort_by(page, "token before")
    expect(page.locator(".of-maps code")).to_have_text("weights.diagonal(-1, -2, -1).mean(-1)")
    measured = me.message["new_outline"]["heads"]["measures"]["previous"]
    best = max(range(4), key=measured.__getitem__)
    names = order_of_tiles(page)
    assert names[0] == f"Layer {best // 2}, head {best % 2}: token before {measured[best]:.2f}"
    tile(page, best // 2, best % 2).click()
    is_shown(page, me.do("sort", "previous").do("head", best // 2, best % 2))
    word(page, "saw").click()
    page.get_by_role("combobox", name="Looks at").select_option("4")
    is_shown(page, me.do("focus", 5).do("cell", 5, 4))
    expect(page).to_have_url(re.compile(r"\?s="))
    other = open_heads(new_page(), page.url[page.url.index("?") :])
    is_shown(other, me)
    expect(other.get_by_role("radio", name="token before", exact=True)).to_be_checked()
    page.get_by_role("link", name="Open this head in the Lab").click()
    expect(page.get_by_role("heading", name="Softmax", exact=True)).to_be_visible()
    expect(page.locator(".bar .cell")).to_contain_text("[")


def test_a_weight_is_opened_down_to_the_embedding_row(new_page, tiny):
    page = open_heads(new_page())
    tile(page, 0, 1).click()
    expect(page.locator(".chosen-head h2")).to_have_text("Layer 0, head 1")
    page.get_by_role("link", name="Open this head in the Lab").click()
    expect(page.get_by_role("heading", name="Softmax", exact=True)).to_be_visible()
    link = Reader(HEADS).do("head", 0, 1).link
    from ui.page.lab import LAB

    page.goto(f"/lab?s={Reader(LAB, link).do('open', 'x', [2, 3]).do('step', 'input').link}")
    expect(page.locator(".bar")).to_contain_text("word[cat, 3] + position[cat, 3] + token_type[cat, 3]")


def test_what_is_no_sentence_gets_one_and_the_work_stays(new_page, tiny):
    page = open_heads(new_page())
    type_sentence(page, "the cat sat")
    field = page.get_by_role("textbox", name="Your sentence")
    for text, said in [("", "no word in it"), ("cat " * 40, "tokens"), ("x" * 10_000, "characters")]:
        field.fill(text)
        field.press("Enter")
        expect(page.get_by_role("status")).to_contain_text(said)
        expect(page.locator(".mark")).to_have_text(["the", "cat", "sat"])
    field.press("Escape")
    expect(field).to_have_value("the cat sat")


def test_by_keyboard_alone(new_page, tiny):
    page, me = open_heads(new_page()), Reader(HEADS)
    reach(page, tile(page, 0, 0))
    page.keyboard.press("ArrowRight")
    expect(tile(page, 0, 1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    is_shown(page, me.do("head", 0, 1).do("head", 1, 1))
    expect(tile(page, 1, 1)).to_be_checked()
    expect(page.get_by_role("status")).to_contain_text("Layer 1, head 1.")
    reach(page, word(page, "it"))
    page.keyboard.press("ArrowLeft")
    is_shown(page, me.do("focus", 7))


def test_a_press_on_the_heatmap_chooses_the_weight(new_page, tiny):
    page, me = open_heads(new_page()), Reader(HEADS)
    expect(page.locator(DRAWN)).to_be_attached()
    plot = box_of(page.locator(".map .nsewdrag"))
    n = 12
    page.mouse.move(plot["x"] + 3.5 * plot["width"] / n, plot["y"] + 6.5 * plot["height"] / n)
    page.mouse.down()
    page.mouse.up()
    is_shown(page, me.do("cell", 6, 3))
    page.get_by_text("The numbers of this figure").click()
    expect(page.locator(".mapped table").get_by_role("columnheader")).to_have_count(n)


def test_a_word_is_hidden_and_heads_that_notice_are_sorted(new_page, tiny):
    page = open_heads(new_page())
    word(page, "cat").click()
    page.get_by_role("button", name="Hide “cat”").click()
    expect(page.locator(".trials .told")).to_contain_text("Hidden: “cat”")
    expect(page.locator(".trials .told")).to_contain_text("noticed most")
    sort_by(page, "what you tried")
    values = [float(text) for text in page.locator(".tile .under").all_inner_texts()]
    me = Reader(HEADS).do("hide", 2)
    assert values == pytest.approx(me.message["new_outline"]["heads"]["measures"]["noticed"], abs=0.005)
    page.get_by_role("button", name="As it was").click()
    expect(page.locator(".trials .told")).to_be_empty()
    page.get_by_role("combobox", name="Swap “cat” with").select_option(label="mat")
    expect(page.locator(".trials .told")).to_contain_text("Swapped: “cat”, “mat”")
    page.get_by_role("combobox", name="Swap only its position with").select_option(label="tired")
    expect(page.locator(".trials .told")).to_contain_text("Only the position rows")


def test_a_head_is_kept_and_compared(new_page, tiny):
    page = open_heads(new_page())
    page.get_by_role("button", name="Keep to compare").click()
    type_sentence(page, "the cat sat on the mat because it was soft")
    expect(page.get_by_role("heading", name=re.compile("^Kept: layer 0, head 0"))).to_be_visible()
    expect(page.locator(".compare mark")).to_have_text(["tired", "soft"])
    expect(page.locator(".compare .told")).to_contain_text("Largest difference")
    page.get_by_role("button", name="Stop comparing").click()
    expect(page.locator(".compare")).to_be_hidden()


def test_without_a_model_the_shipped_heads_are_offered(new_page, no_model):
    page = open_heads(new_page())
    expect(page.locator(".heads > .note")).to_contain_text("make model")
    page.get_by_role("radio", name="MiniLM: a sink").click()
    is_shown(page, Reader(HEADS).do("example", "minilm_sink"))
    expect(page.locator(".trials")).to_be_hidden()
    page.get_by_role("link", name="Open this head in the Lab").click()
    expect(page.get_by_role("heading", name="Softmax", exact=True)).to_be_visible()


def test_home_leads_to_heads(new_page, no_model):
    page = new_page()
    page.goto("/")
    page.get_by_role("navigation").get_by_role("link", name="Heads").click()
    expect(page.locator(".in-heads .arc").first).to_be_attached()
    page.get_by_role("link", name="Course").click()
    expect(page.locator(".in-home")).to_be_visible()


@SIZES
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_it_fits(new_page, tiny, width, scheme):
    page = open_heads(new_page(width=width, scheme=scheme))
    expect(page.locator(DRAWN)).to_be_attached()
    assert fits_the_width(page)
    sort_by(page, "what they do")
    page.get_by_role("button", name="Keep to compare").click()
    expect(page.locator(".compare")).to_be_visible()
    check(page)
    assert fits_the_width(page)


def test_maps_glide_unless_motion_is_reduced(new_page, tiny):
    for motion, seconds in (("no-preference", 0.4), ("reduce", 0)):
        page = open_heads(new_page(reduced_motion=motion))
        sort_by(page, "sharp")
        found = page.locator(".tile").first.evaluate("one => getComputedStyle(one).transitionDuration")
        assert float(found.removesuffix("s")) == seconds


def test_the_main_parts_are_in_sight_with_the_whole_model(new_page, minilm, monkeypatch):  # noqa: F811
    monkeypatch.setenv(models.NAMED_BY, str(minilm.folder))
    page = open_heads(new_page())
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator(DRAWN)).to_be_attached()
    for part in (".line", ".maps", ".arcs", ".map", ".said", ".ways", ".strips"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    type_sentence(page, "My neighbour's parrot repeats everything")
    sort_by(page, "token before")
    assert order_of_tiles(page)[0].startswith("Layer 0, head 2: token before 1.00")
    tile(page, 0, 2).click()
    word(page, "parrot").click()
    expect(page.locator(".said")).to_contain_text("“parrot” looks mostly at “s” (1.00)")
