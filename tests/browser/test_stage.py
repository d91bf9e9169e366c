"""The stage, on which most tests are played, is like the real thing: the same elements in the same places and colours.

And a short walk through every page as Streamlit shows it: open, answer, go on.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import turn
from tests.browser.lab_page import at, go_to, open_lab, type_into
from tests.student import LESSONS

# Every element in sight: what it is, where it lies in the workbench, in which colours and letters. What Plotly draws
# follows from the size of its place.
SEEN = """() => {
    const bench = document.querySelector(".qkv-bench");
    const origin = bench.getBoundingClientRect();
    const place = ({ x, y, width, height }) => [x - origin.x, y - origin.y, width, height].map(Math.round);
    return [...bench.querySelectorAll("*")]
        .filter((one) => one.getClientRects().length && !one.closest(".js-plotly-plot *, .heard"))
        .map((one) => {
            const style = getComputedStyle(one);
            const own = [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("");
            return {
                what: `${one.tagName}.${one.getAttribute("class") ?? ""} ${one.ariaLabel ?? ""} ${own}`,
                place: place(one.getBoundingClientRect()),
                look: [style.color, style.backgroundColor, style.fontFamily, style.fontSize, style.fontWeight],
            };
        });
}"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("address", ["/", "/lab", "/reshape"])
def test_the_stage_shows_what_streamlit_shows(new_page, new_real_page, address, width):
    found = {"light": [], "dark": []}
    for new in (new_page, new_real_page):
        page = new(width=width, reduced_motion="reduce")  # where nothing moves, home opens a step by itself
        page.goto(address)
        expect(page.get_by_role("grid").or_(page.locator(".block, .arc")).first).to_be_visible()
        page.wait_for_function(
            "() => [...document.querySelectorAll('.figure')].every((one) => one.drawn === one.turn)"
        )
        page.evaluate("document.fonts.ready")
        for scheme, looks in found.items():
            turn(page, scheme)
            looks.append(page.evaluate(SEEN))
    for staged, real in found.values():
        assert len(real) > 50
        assert [one["what"] for one in staged] == [one["what"] for one in real]
        for one, other in zip(staged, real, strict=True):
            assert one["look"] == other["look"], one["what"]
            apart = max(abs(a - b) for a, b in zip(one["place"], other["place"], strict=True))
            assert apart <= 1, (one["what"], one["place"], other["place"])


def test_home_the_lab_and_back(new_real_page):
    page = new_real_page()
    page.goto("/")
    page.get_by_role("spinbutton").first.fill("7")
    page.get_by_role("spinbutton").first.press("Enter")
    expect(page.locator(".chip").nth(3)).to_contain_text("[7.00, 2.00]")
    page.get_by_role("link", name="Open the Lab").click()
    expect(page.get_by_role("heading", name="Lab", exact=True)).to_be_visible()
    type_into(page, "X, token cat, feature 0: 7", "5")
    expect(at(page, "X, token cat, feature 0: 5")).to_be_visible()
    go_to(page, "Scores")
    page.get_by_role("link", name="Home").click()
    expect(page.locator(".lesson-link")).to_have_count(len(LESSONS))
    expect(page.get_by_role("spinbutton").first).to_have_value("7")
    page.go_back()
    expect(at(page, "X, token cat, feature 0: 5")).to_be_visible()


def test_every_lesson_is_opened_and_gone_on_in(new_real_page):
    page = new_real_page()
    for lesson in LESSONS:
        page.goto(f"/{lesson}")
        page.get_by_role("button", name=re.compile("^Show (me|why)$")).first.click()
        expect(page.get_by_role("heading", name="Why", exact=True)).to_be_visible()
        page.get_by_role("button", name="Next", exact=True).click()
        expect(page.get_by_role("heading", name=re.compile(r"^2\. "), level=2)).to_be_visible()
        expect(page).to_have_url(re.compile(rf"/{lesson}\?s="))


def test_a_cold_deep_link_opens_the_lab(new_page, fresh_app_server):
    """On a server that nobody has visited."""
    page = open_lab(new_page(server=fresh_app_server))
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", name="See every number of attention.")).to_be_visible()
