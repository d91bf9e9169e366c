"""Takes the pictures of the README: `make pictures` after a change to what they show."""

import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.browser import chromium
from tests.browser.server import serve

FOLDER = Path(__file__).parents[2] / "assets" / "pictures"


def main():
    with tempfile.TemporaryDirectory() as home, serve(Path(home)) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**chromium.launch_options(chromium.find()))
        page = browser.new_page(base_url=server.url, viewport={"width": 1280, "height": 860})
        page.goto("/")
        page.get_by_role("button", name="q·k").click()
        expect(page.locator(".work .column").nth(2)).to_contain_text("= 6")
        page.evaluate("document.fonts.ready")
        page.screenshot(path=FOLDER / "home.png")
        page.goto("/lab")
        page.locator(".frame[data-stage=softmax]").click()
        page.get_by_role("gridcell", name="weights, query cat, key sat").click()
        expect(page.locator(".arithmetic")).to_contain_text("= 0.66")
        page.locator(".meaning .js-plotly-plot .bars").first.wait_for()
        page.mouse.move(0, 0)
        page.screenshot(path=FOLDER / "lab.png")
        page.goto("/heads")  # with MiniLM: `make model`
        page.locator(".map .heatmaplayer").wait_for()
        page.mouse.move(0, 0)
        page.screenshot(path=FOLDER / "heads.png")
        page.goto("/attention")
        page.get_by_role("button", name="Section 4").click()
        page.get_by_role("button", name="No, they will be the same").click()
        for pixel in ("p0", "p1"):
            page.get_by_role("gridcell", name=f"output, query {pixel}, channel 1: 0.80").click()
            expect(page.locator(".arithmetic")).to_contain_text(f"output[{pixel}, 1]")
        page.get_by_role("heading", name="Why", exact=True).wait_for()
        page.mouse.move(0, 0)
        page.screenshot(path=FOLDER / "lesson.png")
        browser.close()


if __name__ == "__main__":
    main()
