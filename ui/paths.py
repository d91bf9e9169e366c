"""Where the project's own files are."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
ASSETS = ROOT / "assets"
PAGES = ROOT / "pages"
STATIC = ROOT / "static"
