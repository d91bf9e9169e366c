"""Tabs of the browser, used by one test after the other.

A tab that has shown the app before shows it again for a quarter of what a new one costs: its process runs, and the
scripts are compiled. What a test left behind is taken away first.
"""

import re
from urllib.parse import urlsplit

MOST_KEPT = 4  # tabs that nobody uses: each has the memory of a whole page
# Shown as text: an address of the app at which no script writes to the storage.
NOTHING_RUNS = "/app/static/figures/axes.js"
# What Streamlit says of a server away.
FAULTS = (
    "WebSocket",
    "Failed to load",
    "disconnected from server",
    "timed out",
    "server endpoint",
    "not responding",
)
# Opened at a page's own address, Streamlit looks for its server below that page first, and is told 404.
STREAMLITS_SEARCH = re.compile(r"/[^/]+/_stcore/(health|host-config)$")


class Tab:
    """One page in a window of its own; `tell` says who is told what it complains about."""

    def __init__(self, browser, options, alone=False):
        self.options, self.alone = options, alone
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.complaints, self.own, self.expect_faults = [], (), False
        self.page.on("console", self.on_console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        self.page.on("request", self.on_request)

    def begin(self, size, scheme):
        self.page.emulate_media(color_scheme=scheme)
        if "viewport" not in self.options:
            self.page.set_viewport_size(size)

    def tell(self, complaints, addresses, expect_faults):
        schemes = ("http", "ws")
        self.own = tuple(f"{url.replace('http', scheme, 1)}/" for url in addresses for scheme in schemes)
        self.complaints, self.expect_faults = complaints, expect_faults

    def clean(self):
        """Nothing is stored, nothing runs, nothing is pointed at."""
        self.tell([], (), True)
        self.page.mouse.move(0, 0)
        self.page.goto(NOTHING_RUNS)
        self.page.evaluate("localStorage.clear(); sessionStorage.clear()")

    def on_console(self, message):
        where = message.location.get("url", "")
        if self.expect_faults and any(fault in message.text for fault in FAULTS):
            return
        if message.type == "error" and not STREAMLITS_SEARCH.search(urlsplit(where).path):
            self.complaints.append(f"console error: {message.text} {where}")

    def on_request(self, request):
        if not request.url.startswith((*self.own, "data:", "blob:")):
            self.complaints.append(f"asked somebody else: {request.url}")


class Tabs:
    """Tabs that are free, the one that was used last behind the others."""

    def __init__(self, browser):
        self.browser, self.free = browser, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for tab in self.free:
            tab.context.close()

    def take(self, options):
        for tab in self.free:
            if tab.options == options:
                self.free.remove(tab)
                return tab
        return Tab(self.browser, options)

    def give_back(self, tab):
        """Cleans a tab for the next test, unless its page was made for this one alone."""
        if tab.alone:
            tab.context.close()
            return
        tab.clean()
        self.free.append(tab)
        if len(self.free) > MOST_KEPT:
            self.free.pop(0).context.close()
