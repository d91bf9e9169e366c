"""What the app promises a browser: its content policy, addresses that lead nowhere, plain text, a file taken away."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import at, cell, open_lab, open_panel, show, type_into
from tests.browser.server import serve
from ui.course.engine.syllabus import lessons

# That WebAssembly is refused, Streamlit finds out by trying, and does without it.
VIOLATIONS = """window.violations = [];
addEventListener("securitypolicyviolation", (event) => {
  if (event.blockedURI !== "wasm-eval") violations.push(event.blockedURI);
});
"""


@pytest.fixture
def page(new_real_page):
    """A page at its own address, which fails with every error in the console and every breach of the policy."""
    page = new_real_page(fresh=True)
    page.add_init_script(VIOLATIONS)
    yield page
    assert page.evaluate("window.violations") == []


def test_every_page_lives_with_the_policy(page):
    statuses = []
    page.on("response", lambda response: statuses.append((response.status, response.url)))
    for path in ("/", "/lab", *(f"/{lesson.id}" for lesson in lessons())):
        assert "default-src 'none'" in page.goto(path).headers["content-security-policy"]
        expect(page.locator(".qkv-bench")).to_be_visible()
        expect(page.locator(".qkv-bench .board")).to_be_attached()
        assert page.evaluate("window.violations") == [], path
    assert [found for found in statuses if found[0] >= 400] == []


def test_figures_files_and_handouts_live_with_the_policy(page):
    open_lab(page)
    type_into(page, "X, token p0, feature c0: 1", "7")
    expect(at(page, "Q, token p0, channel 0: 7")).to_be_visible()
    show(page, "weights")
    expect(page.locator(".meaning .js-plotly-plot text").first).to_be_visible()
    panel = open_panel(page, "Upload")
    given = {"name": "x.csv", "mimeType": "", "buffer": b"5,6,7,8\n1,0,0,1\n0,1,0,1\n"}
    panel.locator("input[type=file]").set_input_files(given)
    panel.get_by_role("button", name="Use it").click()
    expect(at(page, "X, token p0, feature c0: 5")).to_be_visible()
    page.keyboard.press("Escape")
    panel = open_panel(page, "Download")
    with page.expect_download() as download:
        panel.get_by_role("button", name="(.json)").click()
    assert json.loads(download.value.path().read_text(encoding="utf-8"))
    with page.expect_download() as download:
        panel.locator(".st-key-take_handout button").click()
    assert download.value.suggested_filename == "qkv-lab.html"
    assert "<html" in download.value.path().read_text(encoding="utf-8")
    page.keyboard.press("Escape")
    panel = open_panel(page, "Share")
    expect(panel.locator("img").first).to_be_visible()


def test_a_foreign_script_is_not_run(new_page, new_real_page):
    """The check itself: what is not the app's own is refused, and seen."""
    page = new_real_page(fresh=True)
    page.add_init_script(VIOLATIONS)
    page.goto("/lab")
    expect(page.locator(".qkv-bench")).to_be_visible()
    script = "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s);"
    with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        page.evaluate(script)
    assert page.evaluate("[window.ran, window.violations]") == [None, ["inline"]]
    new_page.complaints.clear()


@pytest.mark.parametrize("address", ["/lab/99", "/lab/a/b?"])
def test_an_address_below_a_page_shows_the_page_with_a_sentence(page, address):
    page.goto(address)
    expect(page.locator(".sentence")).to_contain_text("This link is incomplete")
    expect(cell(page, "X, token cat, feature 1: 2")).to_be_visible()
    assert re.search(r"/lab\?s=", page.url)


def test_a_tensor_that_is_called_like_an_address_is_no_link(page):
    open_lab(page)
    panel = open_panel(page, "Upload")
    given = {
        "name": "x.json",
        "mimeType": "",
        "buffer": b'{"www.example.com": "none", "a@b.example": "_a_ \\u2212"}',
    }
    panel.locator("input[type=file]").set_input_files(given)
    told = panel.locator("[role=alert]")
    expect(told).to_contain_text("www")
    assert "“www.example.com”" in told.inner_text().replace("\u2060", "")
    assert panel.locator("a").all_inner_texts() == []
    assert "\\" not in panel.inner_text()


def test_a_file_that_is_removed_while_it_is_sent_leaves_no_trace(new_page, own_servers, tmp_path):
    server = own_servers.enter_context(serve(tmp_path))
    page = new_page(server=server, expect_faults=True)
    session = page.context.new_cdp_session(page)
    open_lab(page)
    panel = open_panel(page, "Upload")
    session.send("Network.enable")
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 200_000}
    session.send("Network.emulateNetworkConditions", slow)
    given = {"name": "x.npy", "mimeType": "", "buffer": b"\1" * 500_000}
    panel.locator("input[type=file]").set_input_files(given)
    page.wait_for_timeout(700)
    panel.locator("[data-testid=stFileUploaderDeleteBtn] button, button[aria-label^=Remove]").first.click()
    session.send("Network.emulateNetworkConditions", slow | {"uploadThroughput": -1})
    page.wait_for_timeout(500)
    assert "Traceback" not in server.log
    type_into(page, "X, token p0, feature c0: 1", "7")
    expect(at(page, "Q, token p0, channel 0: 7")).to_be_visible()
