"""Speed of the Lab in a real Chromium, as ratios to a bare Streamlit page measured in the same run.

    make bench-lab

Measured are the time from a key or click to the new numbers in the page, the bytes over the socket and the
processor time of the server; also the time from an address to the first numbers and figure, nothing cached.
The bare page has one button and one text. The usual page shows the same matrices with a data_editor and one
chart each, on Streamlit's own settings.
"""

import statistics
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import chromium
from tests.browser.server import AppServer, serve
from ui.scenario import shaping
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset

EDITS = 24
CLOCK = 100  # ticks of processor time in a second, on Linux

# Waits, inside the page, from the key or click until `watched` is another text, and keeps the milliseconds.
WATCH = """([event, watched]) => {
  const find = (label) => document.querySelector(`td[aria-label^="${label}"]`);
  const read = new Function("find", `return (${watched})`);
  const before = read(find);
  let start = null;
  window.took = null;
  addEventListener(event, () => (start = performance.now()), { capture: true, once: true });
  const look = () => {
    const now = start === null ? before : read(find);
    if (now && now !== before) window.took = performance.now() - start;
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


class Found(NamedTuple):
    ms: float
    bytes: float
    processor_ms: float


class Limits(NamedTuple):
    ratio: float
    bytes: int
    processor_ms: int


class Meter:
    """Bytes over the socket and processor time of the server while something is done."""

    def __init__(self, page: Page, server: AppServer):
        self.page, self.server, self.bytes = page, server, 0
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.webSocketFrameReceived", self._received)

    def _received(self, event) -> None:
        self.bytes += len(event["response"]["payloadData"]) * 3 // 4  # binary frames arrive as base64

    def processor_ms(self) -> float:
        fields = Path(f"/proc/{self.server.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / CLOCK

    def measure(self, act: Callable[[int], None], times: int = EDITS) -> "Found":
        """Medians of `act`, which begins something and sets the page to watch for its end."""
        took = []
        self.bytes, before = 0, self.processor_ms()
        for number in range(times):
            act(number)
            self.page.wait_for_function("window.took !== null", timeout=60_000)
            took.append(self.page.evaluate("window.took"))
            self.page.wait_for_timeout(150)
        spent = (self.processor_ms() - before) / times
        return Found(statistics.median(took), self.bytes / times, spent)


def press_button(page: Page) -> Callable[[int], None]:
    def act(number: int) -> None:
        page.evaluate(
            WATCH, ["click", "document.querySelector('[data-testid=stText]:last-of-type').textContent"]
        )
        page.get_by_role("button", name="count").click()

    page.get_by_role("button", name="count").click()
    page.get_by_text("count 1").wait_for()
    return act


# What is compared before and after an edit: a matrix computed from X, and the figure in focus.
BOARD = "find('Q, token')?.closest('table').textContent"
FOCUS = "document.querySelector('.focus .js-plotly-plot')?.textContent"


def edit_cell(page: Page, label: str, watched: str) -> Callable[[int], None]:
    """Types a number into a cell of X and waits until what is `watched` has changed."""

    def act(number: int) -> None:
        page.get_by_role("gridcell", name=label).focus()
        page.keyboard.type(str(number % 9 + 10))
        page.evaluate(WATCH, ["keydown", watched])
        page.keyboard.press("Enter")

    return act


def walk(page: Page) -> Callable[[int], None]:
    """Goes one step ahead or back on the rail."""

    def act(number: int) -> None:
        page.evaluate(WATCH, ["click", FOCUS])
        page.get_by_role("button", name="Step back" if number % 2 else "Next step").click()

    return act


def wide_link() -> str:
    """Eight tokens, eight wide, four heads."""
    scenario = load_preset("cat_on_the_mat")
    scenario = shaping.resized(scenario, n_tokens=8, n_features=8, d_key=4, d_value=4)
    for name in ("x", "w_q", "w_k", "w_v", "w_o"):
        scenario = shaping.filled(scenario, name, "integers", 3)
    return write_link(scenario.with_options(n_heads=4).looking(step="scores"))


def verdict(value: float, most: float) -> str:
    return "holds" if value <= most else "MISSES"


def print_row(label: str, found: Found, bare: float, limits: Limits | None = None) -> None:
    line = f"{label:<46}{found.ms:>6.0f}{found.ms / bare:>8.1f}x"
    if limits:
        line += f"{limits.ratio:>7.1f}x {verdict(found.ms / bare, limits.ratio):<8}"
        line += f"{found.bytes / 1000:>6.1f} KB {verdict(found.bytes, limits.bytes):<8}"
        line += f"{found.processor_ms:>5.0f} ms {verdict(found.processor_ms, limits.processor_ms)}"
    print(line, flush=True)


LESSON = 1.3  # times what the same edit takes in the Lab


def measure_lesson(page: Page, server: AppServer, name: str, in_the_lab: Found, bare: float) -> None:
    """Prints the row of a lesson: an edit to the whole board, beside the same edit in the Lab."""
    cell = "X, token p0, feature c0"
    page.get_by_role("gridcell", name=cell).wait_for()
    found = Meter(page, server).measure(edit_cell(page, cell, BOARD))
    ratio, n_bytes, processor_ms = in_the_lab.ms / bare, 8_000, 20
    print_row(name, found, bare, Limits(LESSON * ratio, int(LESSON * n_bytes), int(LESSON * processor_ms)))


def measure_lab(page: Page, server: AppServer, name: str, cell: str, bare: float, limits: tuple) -> Found:
    """Prints the rows of one scenario; gives what an edit takes until the whole board is painted."""
    page.get_by_role("gridcell", name=cell).wait_for()
    page.locator(".focus .js-plotly-plot text").first.wait_for()
    meter, (board_limits, focus_limits) = Meter(page, server), limits
    board = meter.measure(edit_cell(page, cell, BOARD))
    print_row(f"{name}: edit to the whole board", board, bare, board_limits)
    print_row(
        f"{name}: edit to the figure in focus",
        meter.measure(edit_cell(page, cell, FOCUS)),
        bare,
        focus_limits,
    )
    print_row(f"{name}: to the next step", meter.measure(walk(page)), bare, focus_limits)
    return board


# When a page counts as painted: the last matrix of the board is there, or the numbers of a chart.
PAINTED = {
    "board": "document.querySelector('td[aria-label^=\"output, \"]')?.textContent",
    "chart": "document.querySelector('.js-plotly-plot .heatmaplayer image, .js-plotly-plot text')",
}


def first_paint(browser: Browser, url: str, wanted: str, times: int = 7) -> float:
    """Median milliseconds from an address to what is wanted, each time with a browser that knows nothing."""
    took = []
    for _ in range(times):
        context = browser.new_context(bypass_csp=True, viewport={"width": 1280, "height": 900})
        context.add_init_script(
            f"const look = () => {PAINTED[wanted]} ? (window.took = performance.now()) : "
            "requestAnimationFrame(look); requestAnimationFrame(look);"
        )
        page = context.new_page()
        page.goto(url)
        page.wait_for_function("window.took", timeout=60_000)
        took.append(page.evaluate("window.took"))
        context.close()
    return statistics.median(took)


def print_first_paints(browser: Browser, chart_url: str, lab_url: str) -> None:
    chart = first_paint(browser, chart_url, "chart")
    print(f"\n{'first paint, nothing cached':<46}{'ms':>6}{'ratio':>9}{'target':>8}")
    print(f"{'a bare page with one chart':<46}{chart:>6.0f}{1:>8.1f}x")
    for label, wanted in (
        ("the Lab: every number on the board", "board"),
        ("the Lab: the figure too", "chart"),
    ):
        found = first_paint(browser, lab_url, wanted)
        print(
            f"{label:<46}{found:>6.0f}{found / chart:>8.1f}x{1.3:>7.1f}x {verdict(found / chart, 1.3)}",
            flush=True,
        )


def main() -> None:
    pixels = write_link(load_preset("pixels_2x2").looking(step="scores"))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, ExitStack() as servers:

        def start(name: str, *arguments) -> AppServer:
            (Path(folder) / name).mkdir()
            return servers.enter_context(serve(Path(folder) / name, *arguments))

        bare_server = start("bare", "benchmarks/apps/bare.py")
        usual_server = start("usual", "benchmarks/apps/usual.py", ["--runner.postScriptGC=true"])
        chart_server = start("chart", "benchmarks/apps/one_chart.py")
        lab_server = start("lab")
        browser = playwright.chromium.launch(**chromium.launch_options(chromium.find()))

        def page_of(server: AppServer, path: str = "/") -> Page:
            page = browser.new_page(
                bypass_csp=True, base_url=server.url, viewport={"width": 1280, "height": 900}
            )
            page.goto(path)
            return page

        print(f"medians of {EDITS}, as ratios to the bare page\n")
        print(f"{'':<46}{'ms':>6}{'ratio':>9}{'target':>8}")
        page = page_of(bare_server)
        bare = Meter(page, bare_server).measure(press_button(page))
        print_row("bare page: a click to its text", bare, bare.ms)
        small = Limits(1.8, 8_000, 20), Limits(5, 8_000, 20)
        board = measure_lab(
            page_of(lab_server, f"/lab?s={pixels}"),
            lab_server,
            "2x2 pixels",
            "X, token p0, feature c0",
            bare.ms,
            small,
        )
        lesson = write_link(load_preset("pixels_2x2").looking(section=2))
        measure_lesson(
            page_of(lab_server, f"/projection?s={lesson}"),
            lab_server,
            "lesson 1: edit to the whole board",
            board,
            bare.ms,
        )
        wide = Limits(4.5, 24_000, 30), Limits(8, 24_000, 30)
        measure_lab(
            page_of(lab_server, f"/lab?s={wide_link()}"),
            lab_server,
            "8 x 8, 4 heads",
            "X, token cat, feature 0",
            bare.ms,
            wide,
        )
        page = page_of(usual_server)
        usual = Meter(page, usual_server).measure(press_button(page), 10)
        print_row("the usual page: a change to its output", usual, bare.ms)
        print(f"\nthe board is {usual.ms / board.ms:.1f}x faster than the usual page (target: at least 8x)")
        print_first_paints(browser, chart_server.url, f"{lab_server.url}/lab?s={pixels}")
        browser.close()


if __name__ == "__main__":
    main()
