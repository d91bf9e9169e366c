"""What is said on the way moves nothing and goes again; signs and edges are drawn as they are meant."""

from playwright.sync_api import expect

from tests.browser.lab_page import (
    MENU,
    box_of,
    cell,
    chosen,
    grid,
    link_of,
    open_lab,
    open_panel,
    type_into,
)
from ui.files.handout import lab_handout, page_of
from ui.scenario.presets import load_preset
from ui.words import Words


def test_a_notice_moves_nothing_and_goes_with_the_next_act(lab):
    before = grid(lab, "X").bounding_box()
    type_into(lab, "X, token p0, feature c0: 1", "abc")
    notice = lab.locator(".bar > .sentence")
    expect(notice).to_contain_text("“abc” is not a number")
    expect(notice).to_be_in_viewport(ratio=1)
    assert grid(lab, "X").bounding_box() == before
    cell(lab, "Wq, feature c0, channel 0: 1").click()
    expect(chosen(lab)).to_have_count(1)
    expect(notice).to_be_hidden()
    assert grid(lab, "X").bounding_box() == before


def test_a_notice_is_in_nobodys_way(lab):
    type_into(lab, "X, token p0, feature c0: 1", "abc")
    notice = lab.locator(".bar > .sentence")
    expect(notice).to_be_visible()
    box = notice.bounding_box()
    place = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    assert not lab.evaluate("([x, y]) => document.elementFromPoint(x, y).closest('.sentence')", place)
    for place in (lab.locator(".arithmetic"), lab.get_by_role("button", name="Next step")):
        below = box_of(place)
        assert below["y"] >= box["y"] + box["height"] - 1 or below["y"] + below["height"] <= box["y"]


def test_the_pause_sign_needs_no_font(lab):
    lab.get_by_role("button", name="Play the steps").click()
    pause = lab.get_by_role("button", name="Pause")
    expect(pause).to_have_text("")
    bars = pause.evaluate(
        """(button) => {
            const { width, height, borderLeftWidth, borderRightWidth } = getComputedStyle(button, "::before");
            return [width, height, borderLeftWidth, borderRightWidth].map(parseFloat);
        }"""
    )
    assert min(bars) >= 2
    pause.click()
    expect(lab.get_by_role("button", name="Play the steps")).to_have_text("▶")


def test_escape_closes_more_from_a_field(new_page, fresh_app_server):
    page = open_lab(new_page(server=fresh_app_server), link_of("fused_vit"))
    for role, field in (("textbox", "Softcap (0: none)"), ("spinbutton", "Batch items")):
        panel = open_panel(page, "More")
        box = panel.get_by_role(role, name=field)
        box.click()
        box.press("Escape")
        expect(panel).to_be_hidden()
        expect(page.get_by_role("button", name=MENU)).to_be_focused()  # the menu was closed meanwhile


def test_a_handout_fades_no_edge_of_what_is_all_there(browser, tmp_path):
    scenario, words = load_preset("pixels_2x2"), Words("en")
    path = tmp_path / "handout.html"
    path.write_bytes(page_of(lab_handout(scenario, scenario.trace(), words, ""), words))
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    expect(page.get_by_role("grid").first).to_be_visible()
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    assert page.locator(".matrix[data-more] .name").all_inner_texts() == []
    page.close()
