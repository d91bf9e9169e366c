"""The Chromium that the browser tests use: `find` it, or `ensure` that there is one.

`python -m tests.browser.chromium` (as `make test` does) makes sure there is one and prints where it is.
"""

import os
import shutil
import subprocess
import sys

from tests import debian

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC_APPS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
# The CJK font is for the Korean and Chinese pages, which are boxes without it.
DEBIAN_PACKAGES = ("chromium", "fonts-dejavu-core", "fonts-noto-cjk")

# The app is all that is visited, so everything Chromium does on its own account is off.
LAUNCH_ARGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Pages of the browser's own window, which nobody sees here and which cost as much as a page of the app.
    "--disable-features=PreloadTopChromeWebUI,WebUITabStrip,TabSearch,WebUIOmniboxPopup,WebUIOmniboxAimPopup",
)

HOW_TO_INSTALL = {
    "linux": "Install it with your package manager (on Debian: apt install chromium)",
    "darwin": "Install it with `brew install --cask chromium`, or install Google Chrome",
    "win32": "Install Google Chrome",
}


def launch_options(path):
    """Keyword arguments for Playwright's `chromium.launch`."""
    # Chromium refuses to start with its sandbox as root; everyone else keeps the sandbox.
    return {
        "executable_path": path,
        "args": list(LAUNCH_ARGS),
        "headless": True,
        "chromium_sandbox": not debian.is_root(),
    }


def find():
    """Path of a Chromium that starts, or None."""
    chosen = os.environ.get("QKV_CHROMIUM")
    if chosen:
        if not _starts(chosen):
            raise FileNotFoundError(f"QKV_CHROMIUM is {chosen}, and no browser starts there.")
        return chosen
    on_path = [path for path in map(shutil.which, COMMANDS) if path]
    return next(filter(_starts, [*on_path, *MAC_APPS]), None) or _playwrights_own()


def ensure():
    """Path of a Chromium that starts, installed now if there was none, or None if that failed."""
    path = find()
    for install in (_install_from_debian, _install_from_playwright):
        if path is None and install():
            path = find()
    return path


def _starts(path):
    # Ubuntu has a `chromium-browser` that only says which other package to install.
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _playwrights_own():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if _starts(path) else None


def _install_from_debian():
    return debian.install("Chromium for the browser tests", DEBIAN_PACKAGES)


def _install_from_playwright():
    print("Downloading Chromium for the browser tests; this is done once.", flush=True)
    return debian.succeeds([sys.executable, "-m", "playwright", "install", "chromium"])


def main():
    try:
        path = ensure()
    except FileNotFoundError as error:
        sys.exit(str(error))
    if path is None:
        advice = HOW_TO_INSTALL.get(sys.platform, "Install Chromium or Google Chrome")
        sys.exit(f"The browser tests need a Chromium. {advice}, or set QKV_CHROMIUM to the path of one.")
    print(f"Chromium: {path}")


if __name__ == "__main__":
    main()
