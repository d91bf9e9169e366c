"""Speed of the Lab in a real Chromium, as ratios to a bare Streamlit page measured in the same run.

    make bench-lab                      (ARGS=--times=6 for a first look)

Measured are the time from a key or click to the new numbers in the page, the bytes over the socket and the
processor time of the server; the frames of a number that is dragged; all of it once more where every byte takes
100 ms longer each way; and the time from an address to the first numbers, nothing cached.
The bare page has one button and one text. The usual page shows the same matrices with a data_editor and one
chart each, on Streamlit's own settings.

Of the Lab this needs: cells with a label in grids that are read-only where they are computed, a title of the second
level for the step in focus, the arrow keys that walk, and the step "project", which shows X beside what comes of it.
"""

import argparse
import queue
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import chromium
from tests.browser.server import AppServer, serve
from ui.limits import MOST_PRODUCTS_AT_ONCE
from ui.scenario import shaping
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset, preset_ids

CLOCK = 100  # ticks of processor time in a second, on Linux
DELAY = 0.1  # seconds that are put on a connection each way
PAUSE = 150  # milliseconds without a move after which a drag asks the server

# Waits, inside the page, from the key or click until `watched` is another text, and keeps the milliseconds.
WATCH = """([event, watched]) => {
  const read = new Function(`return (${watched})`);
  const before = read();
  let start = null;
  window.took = null;
  addEventListener(event, () => (start = performance.now()), { capture: true, once: true });
  const look = () => {
    const now = start === null ? before : read();
    if (now && now !== before) window.took = performance.now() - start;
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""

# What is compared before and after: the numbers that are computed, and the step in focus.
COMPUTED = """
  [...document.querySelectorAll("[role=grid][aria-readonly=true]")].map((grid) => grid.textContent).join()
"""
STEP = "document.querySelector('.qkv-bench h2:not([hidden])')?.textContent"

# Drags the first number that may be changed, one step a frame there and back, and keeps when each frame began.
DRAG = """([frames, computed]) => {
  const cell = document.querySelector("[role=grid][aria-readonly=false] [role=gridcell][data-row]");
  const shown = new Function(`return (${computed})`);
  const { x, y, width, height } = cell.getBoundingClientRect();
  const point = (type, across) => cell.dispatchEvent(new PointerEvent(type, {
    bubbles: true, cancelable: true, isPrimary: true, pointerId: 1, pointerType: "mouse", button: 0,
    clientX: x + width / 2 + across, clientY: y + height / 2,
  }));
  return new Promise((resolve) => {
    const began = [];
    const seen = new Set();
    point("pointerdown", 0);
    const next = (now) => {
      began.push(now);
      if (began.length % 10 === 0) seen.add(shown());
      if (began.length > frames) {
        point("pointerup", 0);
        return resolve([began, seen.size]);
      }
      point("pointermove", 12 * (1 + Math.abs((began.length % 40) - 20)));
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
}"""


class Found(NamedTuple):
    ms: float
    bytes: float
    processor_ms: float


class Limits(NamedTuple):
    ratio: float
    bytes: int = 0
    processor_ms: int = 0


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

    def measure(self, act: Callable[[int], None], times: int) -> "Found":
        """Medians of `act`, which begins something and sets the page to watch for its end."""
        took = []
        self.bytes, before = 0, self.processor_ms()
        for number in range(times):
            act(number)
            self.page.wait_for_function("window.took !== null", timeout=60_000)
            took.append(self.page.evaluate("window.took"))
            self.page.wait_for_timeout(PAUSE)
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


def edit_cell(page: Page, label: str) -> Callable[[int], None]:
    """Types a number into a cell of X and waits until what is computed has changed."""

    def act(number: int) -> None:
        page.get_by_role("gridcell", name=label).focus()
        page.keyboard.type(str(number % 9 + 10))
        page.evaluate(WATCH, ["keydown", COMPUTED])
        page.keyboard.press("Enter")

    return act


def walk(page: Page) -> Callable[[int], None]:
    """Goes one step ahead or back."""

    def act(number: int) -> None:
        page.evaluate("document.activeElement.blur()")
        page.evaluate(WATCH, ["keydown", STEP])
        page.keyboard.press("ArrowLeft" if number % 2 else "ArrowRight")

    return act


def wide_link() -> str:
    """Eight tokens, eight wide, four heads."""
    scenario = load_preset("cat_on_the_mat")
    scenario = shaping.resized(scenario, n_tokens=8, n_features=8, d_key=4, d_value=4)
    for name in ("x", "w_q", "w_k", "w_v", "w_o"):
        scenario = shaping.filled(scenario, name, "integers", 3)
    return write_link(scenario.with_options(n_heads=4).looking(step="project"))


@contextmanager
def far_away(server: AppServer):
    """The address of a server from which every byte takes longer, each way."""

    def carry(one: socket.socket, other: socket.socket) -> None:
        waiting: queue.SimpleQueue = queue.SimpleQueue()

        def deliver() -> None:
            while (item := waiting.get()) is not None:
                due, block = item
                time.sleep(max(0.0, due - time.monotonic()))
                with suppress(OSError):
                    other.sendall(block)
            with suppress(OSError):
                other.shutdown(socket.SHUT_WR)

        threading.Thread(target=deliver, daemon=True).start()
        with suppress(OSError):
            while block := one.recv(65536):
                waiting.put((time.monotonic() + DELAY, block))
        waiting.put(None)

    def let_in() -> None:
        with suppress(OSError):
            while True:
                visitor, _ = door.accept()
                inside = socket.create_connection(("127.0.0.1", server.port))
                for one, other in ((visitor, inside), (inside, visitor)):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    threading.Thread(target=carry, args=(one, other), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=let_in, daemon=True).start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
        door.shutdown(socket.SHUT_RDWR)


def verdict(value: float, most: float) -> str:
    return "holds" if value <= most else "MISSES"


def print_row(label: str, found: Found, bare: float, limits: Limits | None = None) -> None:
    line = f"{label:<46}{found.ms:>6.0f}{found.ms / bare:>8.2f}x"
    if limits:
        line += f"{limits.ratio:>7.1f}x {verdict(found.ms / bare, limits.ratio):<8}"
    if limits and limits.bytes:
        line += f"{found.bytes / 1000:>6.1f} KB {verdict(found.bytes, limits.bytes):<8}"
        line += f"{found.processor_ms:>5.1f} ms {verdict(round(found.processor_ms), limits.processor_ms)}"
    print(line, flush=True)


X_OF = {"2x2 pixels": "X, token p0, feature c0", "8 x 8, 4 heads": "X, token cat, feature 0"}


def measure_edits(page: Page, server: AppServer, name: str, bare: float, limits: Limits, times: int) -> Found:
    """Prints and gives what an edit takes until every number that is computed is painted."""
    cell = X_OF.get(name, X_OF["2x2 pixels"])
    page.get_by_role("gridcell", name=cell).wait_for()
    page.wait_for_timeout(1000)  # what a page does once it is there
    found = Meter(page, server).measure(edit_cell(page, cell), times)
    print_row(f"{name}: edit to the whole board", found, bare, limits)
    return found


def measure_steps(page: Page, server: AppServer, name: str, bare: float, times: int) -> None:
    print_row(f"{name}: to the next step", Meter(page, server).measure(walk(page), times), bare, Limits(0.5))


# Dragging


class Frames(NamedTuple):
    rate: float  # a second
    longest: float  # milliseconds
    seen: int  # how many states of the board
    of: str = ""


def drag(page: Page, times: int, of: str = "") -> Frames:
    page.locator("[role=gridcell]").first.wait_for()
    page.evaluate(DRAG, [20, COMPUTED])
    page.wait_for_timeout(1000)
    began, seen = page.evaluate(DRAG, [10 * times, COMPUTED])
    took = [after - before for before, after in pairwise(began)]
    return Frames(1000 / statistics.mean(took), max(took), seen, of)


def is_small(preset: str) -> bool:
    return load_preset(preset).products <= MOST_PRODUCTS_AT_ONCE


def print_frames(label: str, *found: Frames) -> None:
    """The worst of several drags."""
    assert min(one.seen for one in found) > 1, "nothing followed"
    rate, longest = min(one.rate for one in found), max(found, key=lambda one: one.longest)
    line = f"{label:<46}{rate:>6.0f} a second {'holds' if rate > 59 else 'MISSES'}"
    line += f", longest frame {longest.longest:.0f} ms {verdict(longest.longest, 32)}"
    print(f"{line} ({longest.of})" if longest.of else line, flush=True)


def measure_minutes(page: Page, server: AppServer, seconds: int) -> None:
    """Prints what a server does while one types, and while one drags and pauses after every move."""
    meter = Meter(page, server)
    cell = page.get_by_role("gridcell", name=X_OF["2x2 pixels"])
    cell.wait_for()
    box = cell.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def spent(act: Callable[[int], None], every: int) -> float:
        page.wait_for_timeout(1000)
        before, began = meter.processor_ms(), time.monotonic()
        for number in range(1000 * seconds // every):
            act(number)
            page.wait_for_timeout(max(0.0, every * (number + 1) - 1000 * (time.monotonic() - began)))
        page.wait_for_timeout(1000)
        return (meter.processor_ms() - before) * 60 / (1000 * seconds)

    def type_one(number: int) -> None:
        cell.focus()
        page.keyboard.type(str(number % 9 + 10))
        page.keyboard.press("Enter")

    typing = spent(type_one, PAUSE)
    page.mouse.move(x, y)
    page.mouse.down()
    dragging = spent(lambda number: page.mouse.move(x + 12 * (1 + number % 9), y), PAUSE + 20)
    page.mouse.up()
    print(f"{'a minute of typing, one edit per 150 ms':<46}{typing:>6.1f} s of the server's processor")
    print(
        f"{'a minute of dragging, a pause after every move':<46}{dragging:>6.1f} s {verdict(dragging, 1.05 * typing)}"
    )


# The first sight of a page

# When a page counts as painted: the numbers are there, or those of a chart.
PAINTED = {
    "board": "document.querySelector('[role=gridcell]')?.textContent",
    "chart": "document.querySelector('.js-plotly-plot .heatmaplayer image, .js-plotly-plot text')",
}


def first_paint(browser: Browser, url: str, wanted: str, times: int) -> float:
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


def print_first_paints(browser: Browser, chart_url: str, lab_url: str, times: int) -> None:
    chart = first_paint(browser, chart_url, "chart", times)
    print(f"\n{'first paint, nothing cached':<46}{'ms':>6}{'ratio':>9}{'target':>8}")
    print(f"{'a bare page with one chart':<46}{chart:>6.0f}{1:>8.2f}x")
    found = first_paint(browser, lab_url, "board", times)
    label = "the Lab: every number on the board"
    print(
        f"{label:<46}{found:>6.0f}{found / chart:>8.2f}x{1.3:>7.1f}x {verdict(found / chart, 1.3)}",
        flush=True,
    )


OUR_SCRIPTS = """performance.getEntriesByType("resource")
    .filter(({ name }) => /\\/app\\/static\\/.*\\.js/.test(name) && !name.includes("plotly"))
    .map(({ encodedBodySize, decodedBodySize }) => [encodedBodySize, decodedBodySize])"""


def print_scripts(browser: Browser, lab_url: str) -> None:
    """What is loaded of our own scripts, as it travels."""
    page = browser.new_page(bypass_csp=True)
    page.goto(lab_url)
    page.locator("[role=gridcell]").first.wait_for()
    sizes = page.evaluate(OUR_SCRIPTS)
    travelled, whole = (sum(column) / 1000 for column in zip(*sizes, strict=True))
    label = f"{len(sizes)} scripts before Plotly, of {whole:.0f} KB"
    print(f"{label:<46}{travelled:>6.0f} KB compressed, target 150 KB {verdict(travelled, 150)}", flush=True)
    page.context.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=24, help="of each edit and step")
    times = parser.parse_args().times

    def link_of(preset: str, **view) -> str:
        return write_link(load_preset(preset).looking(**{"step": "project"} | view))

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, ExitStack() as stack:

        def start(name: str, *arguments) -> AppServer:
            (Path(folder) / name).mkdir()
            return stack.enter_context(serve(Path(folder) / name, *arguments))

        bare_server = start("bare", "benchmarks/apps/bare.py")
        usual_server = start("usual", "benchmarks/apps/usual.py", ["--runner.postScriptGC=true"])
        chart_server = start("chart", "benchmarks/apps/one_chart.py")
        lab_server = start("lab")
        browser = playwright.chromium.launch(**chromium.launch_options(chromium.find()))

        def page_of(url: str, path: str = "/") -> Page:
            page = browser.new_page(bypass_csp=True, viewport={"width": 1280, "height": 900})
            page.goto(url + path)
            return page

        def done(page: Page) -> None:
            page.context.close()

        print(f"medians of {times}, as ratios to the bare page\n")
        print(f"{'':<46}{'ms':>6}{'ratio':>9}{'target':>8}")
        page = page_of(bare_server.url)
        bare = Meter(page, bare_server).measure(press_button(page), times)
        print_row("bare page: a click to its text", bare, bare.ms)
        done(page)

        page = page_of(lab_server.url, f"/lab?s={link_of('pixels_2x2')}")
        small = Limits(0.7, 8_000, 9)
        board = measure_edits(page, lab_server, "2x2 pixels", bare.ms, small, times)
        measure_steps(page, lab_server, "2x2 pixels", bare.ms, times)
        done(page)
        page = page_of(lab_server.url, f"/projection?s={link_of('pixels_2x2', section=2, step='')}")
        measure_edits(page, lab_server, "lesson 1", bare.ms, Limits(0.7, 10_400, 12), times)
        done(page)
        page = page_of(lab_server.url, f"/lab?s={wide_link()}")
        measure_edits(page, lab_server, "8 x 8, 4 heads", bare.ms, Limits(1.0, 24_000, 30), times)
        measure_steps(page, lab_server, "8 x 8, 4 heads", bare.ms, times)
        print_frames("8 x 8, 4 heads: dragging", drag(page, times))
        done(page)

        frames = []
        for preset in filter(is_small, preset_ids()):
            page = page_of(lab_server.url, f"/lab?s={link_of(preset)}")
            frames.append(drag(page, times, preset))
            done(page)
        print_frames(f"dragging, the worst of {len(frames)} small examples", *frames)

        with far_away(bare_server) as far_bare, far_away(lab_server) as far_lab:
            page = page_of(far_bare)
            far = Meter(page, bare_server).measure(press_button(page), times)
            print_row("100 ms away: bare page, a click to its text", far, bare.ms)
            done(page)
            page = page_of(far_lab, f"/lab?s={link_of('pixels_2x2')}")
            measure_edits(page, lab_server, "100 ms away", bare.ms, Limits(0.7), times)
            measure_steps(page, lab_server, "100 ms away", bare.ms, times)
            print_frames("100 ms away: dragging", drag(page, times))
            done(page)

        page = page_of(lab_server.url, f"/lab?s={link_of('pixels_2x2')}")
        measure_minutes(page, lab_server, max(5, times))
        done(page)
        page = page_of(usual_server.url)
        usual = Meter(page, usual_server).measure(press_button(page), min(10, times))
        print_row("the usual page: a change to its output", usual, bare.ms)
        done(page)
        print(f"\nthe board is {usual.ms / board.ms:.1f}x faster than the usual page (target: at least 8x)")
        lab_url = f"{lab_server.url}/lab?s={link_of('pixels_2x2')}"
        print_first_paints(browser, chart_server.url, lab_url, min(7, times))
        print_scripts(browser, lab_url)
        browser.close()


if __name__ == "__main__":
    main()
