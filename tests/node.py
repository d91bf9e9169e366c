"""JavaScript without a browser: Playwright's package brings Node along, so nothing else is installed."""

import subprocess
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = Path(__file__).parent / "js"
PATIENCE = 120  # seconds


def node() -> Path:
    """The Node that Playwright brings."""
    folder = Path(find_spec("playwright").submodule_search_locations[0]) / "driver"
    return next(path for path in (folder / "node", folder / "node.exe") if path.is_file())


def run(*arguments: object, given: str = "") -> subprocess.CompletedProcess:
    """Runs Node in the folder of the project; `given` is what it reads from standard input."""
    command = [str(node()), *map(str, arguments)]
    return subprocess.run(
        command, input=given, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, timeout=PATIENCE
    )
