"""The Lab in a real browser: typing, pasting, undo, steps, links, faults."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.server import serve

MASKED, SCALED, WEIGHTS = (re.compile(f"^{name} ") for name in ("masked", "scaled", "weights"))


@pytest.fixture
def lab(new_page):
    page = new_page()
    page.goto("/lab")
    expect(page.get_by_role("grid", name="output 4×2")).to_be_visible()
    return page


def cell(page, name):
    return page.get_by_role("gridcell", name=name)


def paste(page, text):
    """A block from the clipboard, into the cell that has the focus."""
    page.evaluate(
        """(text) => {
            let target = document.activeElement;
            while (target.shadowRoot) target = target.shadowRoot.activeElement;
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const given = { clipboardData, bubbles: true, composed: true };
            target.dispatchEvent(new ClipboardEvent("paste", given));
        }""",
        text,
    )


def test_typing_repaints_everything_and_keeps_the_place(lab):
    cell(lab, "X, token p0, feature c0: 1").click()
    lab.keyboard.type("3")
    lab.keyboard.press("Enter")
    expect(cell(lab, "Q, token p0, channel 0: 3")).to_be_visible()
    expect(cell(lab, "scores, query p0, key p3: 7")).to_be_visible()  # 3·1 + 1·4
    expect(cell(lab, "X, token p1, feature c0: 2")).to_be_focused()
    lab.keyboard.type("1/2")
    lab.keyboard.press("Tab")
    expect(cell(lab, "X, token p1, feature c0: 0.50")).to_be_visible()
    expect(cell(lab, "Q, token p1, channel 0: 0.50")).to_be_visible()
    expect(cell(lab, "X, token p1, feature c1: 1.00")).to_be_focused()


def test_escape_leaves_the_number_and_nonsense_is_refused_with_a_sentence(lab):
    first = cell(lab, "X, token p0, feature c0: 1")
    first.click()
    lab.keyboard.type("9")
    lab.keyboard.press("Escape")
    expect(first).to_have_text("1")
    expect(first).to_be_focused()
    lab.keyboard.press("Enter")
    lab.keyboard.type("1e99")
    lab.keyboard.press("Enter")
    expect(lab.get_by_text("“1e99” is not a number that can be used here.")).to_be_visible()
    expect(first).to_have_text("1")
    expect(cell(lab, "X, token p1, feature c0: 2")).to_be_focused()  # Enter went down, and it stays
    lab.keyboard.type("6")
    lab.keyboard.press("Enter")
    expect(cell(lab, "Q, token p1, channel 0: 6")).to_be_visible()


def test_typing_and_then_clicking_elsewhere_keeps_the_number_and_nothing_jumps(lab):
    first, other = cell(lab, "X, token p0, feature c0: 1"), cell(lab, "weights, query p0, key p1")
    first.click()
    before = other.bounding_box()
    lab.keyboard.type("9")
    assert other.bounding_box() == before
    other.click()
    expect(cell(lab, "Q, token p0, channel 0: 9")).to_be_visible()
    expect(lab.get_by_text("Where this number comes from")).to_be_visible()


def test_only_numbers_that_changed_are_marked(lab):
    cell(lab, "X, token p0, feature c0: 1").click()
    lab.keyboard.type("0,25")
    lab.keyboard.press("Enter")
    expect(cell(lab, "X, token p0, feature c0: 0.25")).to_have_class(re.compile("changed"))
    expect(cell(lab, "X, token p3, feature c0: 4.00")).not_to_have_class(re.compile("changed"))


def test_home_and_back_keeps_the_work(lab):
    cell(lab, "X, token p0, feature c0: 1").click()
    lab.keyboard.type("9")
    lab.keyboard.press("Enter")
    expect(cell(lab, "Q, token p0, channel 0: 9")).to_be_visible()
    lab.get_by_role("link", name="Home").click()
    expect(lab.get_by_role("heading", name="QKV Lab")).to_be_visible()
    lab.get_by_role("link", name="Open the Lab").click()
    expect(cell(lab, "Q, token p0, channel 0: 9")).to_be_visible()


def test_a_cell_of_the_figure_opens_too(lab):
    lab.get_by_role("radio", name="Scores").click()
    figure = lab.locator(".st-key-focus .js-plotly-plot")
    number = figure.locator("text", has_text=re.compile("^7$"))
    number.scroll_into_view_if_needed()
    box = number.bounding_box()
    lab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(figure.locator(".hoverlayer .hovertext")).to_be_visible()
    lab.mouse.down()
    lab.mouse.up()
    expect(cell(lab, "scores, query p2, key p3: 7 (chosen)")).to_be_visible()


def test_many_quick_edits_all_arrive(lab):
    cell(lab, "X, token p0, feature c0: 1").click()
    for number in (5, 6, 7, 8):
        lab.keyboard.type(str(number))
        lab.keyboard.press("Enter")
    for row, number in enumerate((5, 6, 7, 8)):
        expect(cell(lab, f"Q, token p{row}, channel 0: {number}")).to_be_visible()


def test_paste_undo_and_redo(lab):
    cell(lab, "X, token p0, feature c0: 1").click()
    paste(lab, "0,5\t−1\n2\t1/4\n")
    expect(cell(lab, "X, token p0, feature c1: −1.00")).to_be_visible()
    expect(cell(lab, "X, token p1, feature c1: 0.25")).to_be_visible()
    cell(lab, "X, token p0, feature c0").focus()
    lab.keyboard.press("Control+z")
    expect(cell(lab, "X, token p0, feature c1: 0")).to_be_visible()
    lab.get_by_role("button", name="Redo").click()
    expect(cell(lab, "X, token p1, feature c1: 0.25")).to_be_visible()
    cell(lab, "X, token p3, feature c3").click()
    paste(lab, "1\t2")
    expect(lab.get_by_text("The block has 1 rows and 2 columns")).to_be_visible()


def test_the_rail_walks_by_click_and_by_arrow(lab):
    expect(lab.get_by_role("heading", name="Input")).to_be_visible()
    lab.get_by_role("radio", name="Scores").click()
    expect(lab.get_by_role("heading", name="Scores")).to_be_visible()
    expect(lab.get_by_text("scores = q_heads @ k_heads.mT")).to_be_visible()
    lab.get_by_role("heading", name="Lab").click()
    lab.keyboard.press("ArrowRight")
    expect(lab.get_by_role("heading", name="Scale")).to_be_visible()
    lab.keyboard.press("ArrowLeft")
    expect(lab.get_by_role("heading", name="Scores")).to_be_visible()
    expect(lab.get_by_text("(1×4×2) · (1×2×4) → (1×4×4)")).to_be_visible()


def test_the_address_holds_everything(lab, new_page, fresh_app_server):
    cell(lab, "X, token p0, feature c0: 1").click()
    lab.keyboard.type("7")
    lab.keyboard.press("Enter")
    expect(cell(lab, "Q, token p0, channel 0: 7")).to_be_visible()
    lab.get_by_role("radio", name="Causal").click()
    expect(lab.get_by_role("grid", name=MASKED)).to_be_visible()
    cell(lab, "weights, query p3, key p3").click()
    expect(lab.get_by_text("Where this number comes from")).to_be_visible()
    expect(lab).to_have_url(re.compile(r"\?s=1\w+"))
    lab.reload()
    expect(cell(lab, "Q, token p0, channel 0: 7")).to_be_visible()
    expect(lab.get_by_text("Where this number comes from")).to_be_visible()
    cold = new_page(server=fresh_app_server)  # a server that nobody has visited
    cold.goto("/lab?" + lab.url.partition("?")[2])
    expect(cell(cold, "Q, token p0, channel 0: 7")).to_be_visible()
    expect(cold.get_by_role("grid", name=MASKED)).to_be_visible()


def test_back_and_forward(lab):
    lab.get_by_role("radio", name="Causal").click()
    expect(lab.get_by_role("grid", name=MASKED)).to_be_visible()
    lab.get_by_role("radio", name="Off").click()
    expect(lab.get_by_role("grid", name=SCALED)).to_have_count(0)
    lab.go_back()
    expect(lab.get_by_role("grid", name=SCALED)).to_be_visible()
    expect(lab.get_by_role("grid", name=MASKED)).to_be_visible()
    lab.go_back()
    expect(lab.get_by_role("grid", name=MASKED)).to_have_count(0)
    lab.go_forward()
    expect(lab.get_by_role("grid", name=MASKED)).to_be_visible()


def test_a_broken_link_says_so_and_keeps_the_work(lab):
    lab.goto("/lab?s=1broken")
    expect(lab.get_by_text("This link is incomplete or was changed on its way.")).to_be_visible()
    expect(lab.get_by_role("grid", name="output 4×2")).to_be_visible()


@pytest.mark.parametrize(
    ("preset", "grid"),
    [
        ("4 channels become 8", "V on the grid 1×4×3×3"),
        ("Grouped queries", "K shared out 4×3×2"),
        ("ViT-B: 197 × 768, 12 heads", "QKV permuted 3×1×12×197×64"),
    ],
)
def test_presets_of_every_kind(lab, preset, grid):
    lab.get_by_role("combobox", name="Example").click()
    lab.get_by_role("option", name=preset).click()
    expect(lab.get_by_role("grid", name=grid)).to_be_visible()
    cell(lab, "weights, query").first.click()
    expect(lab.get_by_text("Where this number comes from")).to_be_visible()


def test_on_a_phone_the_step_in_focus_comes_first(new_page):
    page = new_page(width=390)
    page.goto("/lab")
    heading, grid = page.get_by_role("heading", name="Input"), page.get_by_role("grid", name="X 4×4")
    expect(grid).to_be_visible()
    assert heading.bounding_box()["y"] < grid.bounding_box()["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_free_mask_is_switched_cell_by_cell(lab):
    lab.get_by_role("radio", name="Free").click()
    expect(lab.get_by_role("grid", name=MASKED)).to_be_visible()
    seen = cell(lab, "may look, query p0, key p3: ✓ (press to switch)")
    seen.click()
    expect(cell(lab, "may look, query p0, key p3: ✕")).to_be_focused()
    expect(cell(lab, "weights, query p0, key p3: 0.00, hidden by the mask")).to_be_visible()
    lab.keyboard.press("Enter")  # and back, by keyboard
    expect(cell(lab, "may look, query p0, key p3: ✓")).to_be_visible()
    cell(lab, "may look, query p1, key p1: ✕").click()
    expect(cell(lab, "may look, query p1, key p1: ✓")).to_be_visible()


def test_sizes_change_with_the_numbers_kept(lab):
    lab.get_by_role("button", name="More").click()
    lab.get_by_role("spinbutton", name="Tokens").fill("5")
    lab.keyboard.press("Enter")
    expect(lab.get_by_role("grid", name=re.compile("^X 5×4"))).to_be_visible()
    expect(cell(lab, "X, token 3, feature c0: 4")).to_be_visible()
    expect(cell(lab, "X, token 4, feature c0: 0")).to_be_visible()
    expect(lab.get_by_role("grid", name=re.compile("^weights 1×5×5"))).to_be_visible()


def test_files_can_be_taken_along(lab):
    lab.get_by_role("button", name="Take it with you").click()
    with lab.expect_download() as script:
        lab.get_by_role("button", name="NumPy script").click()
    assert "np.testing.assert_allclose(output, expected" in script.value.path().read_text()
    with lab.expect_download() as bundle:
        lab.get_by_role("button", name="(.npz)").click()
    with np.load(bundle.value.path(), allow_pickle=False) as arrays:
        np.testing.assert_allclose(arrays["output"][0], [0.195570, 0.804430], atol=5e-7)


def test_a_restarted_server_and_a_cut_socket_lose_nothing(new_page, own_servers, tmp_path):
    server = own_servers.enter_context(serve(tmp_path))
    page = new_page(server=server, expect_faults=True)
    page.goto("/lab")
    cell(page, "X, token p0, feature c0: 1").click()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect(cell(page, "Q, token p0, channel 0: 7")).to_be_visible()
    server.restart()
    expect(cell(page, "Q, token p0, channel 0: 7")).to_be_visible()
    cell(page, "X, token p1, feature c0: 2").click(timeout=20_000)
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    expect(cell(page, "Q, token p1, channel 0: 9")).to_be_visible(timeout=20_000)
    expect(cell(page, "Q, token p0, channel 0: 7")).to_be_visible()
    page.context.set_offline(True)
    page.context.set_offline(False)
    cell(page, "X, token p2, feature c0: 3").click()
    page.keyboard.type("8")
    page.keyboard.press("Enter")
    expect(cell(page, "Q, token p2, channel 0: 8")).to_be_visible(timeout=20_000)
    expect(cell(page, "Q, token p1, channel 0: 9")).to_be_visible()
