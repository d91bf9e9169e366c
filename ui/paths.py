"""Where the project's own files are."""

from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent
ASSETS = ROOT / "assets"
PAGES = ROOT / "pages"
STATIC = ROOT / "static"


def plotly_script() -> Path:
    """Plotly's script in the package that brings it; the package itself is not loaded."""
    found = find_spec("plotly")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("plotly")
    return Path(found.origin).parent / "package_data" / "plotly.min.js"
