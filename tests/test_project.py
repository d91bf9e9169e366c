"""What holds for the project as a whole: what it needs, who may import whom, what no file may contain."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from streamlit import config as streamlit_config

ROOT = Path(__file__).parents[1]
RUN_TIME = {"streamlit", "numpy", "plotly", "pandas", "segno"}
OWN = {"app", "server", "pages", "ui", "attention_core"}
STANDARD = set(sys.stdlib_module_names)
# What each part may import besides the standard library.
MAY_IMPORT = {
    "app": {"ui", "attention_core"} | RUN_TIME,
    "server": {"ui", "streamlit", "starlette"},  # Streamlit itself stands on Starlette
    "pages": {"ui", "attention_core"} | RUN_TIME,
    "ui": {"ui", "attention_core"} | RUN_TIME,
    "attention_core": {"attention_core", "numpy"},
}
MADE = {".git", ".venv", "__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis"}
TARGETS = ("help", "run", "class", "model", "test", "lint", "format", "bench", "bench-lab", "bench-class")
TARGETS += ("soak", "soak-short", "mutations", "pictures", "clean")


def project_files():
    """Every file that is, or is about to be, in the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode == 0:
        names = filter(None, listed.stdout.split("\0"))
        return [path for path in (ROOT / name for name in names) if path.is_file()]
    return [
        path for path in ROOT.rglob("*") if path.is_file() and not MADE & set(path.relative_to(ROOT).parts)
    ]


def python_files(part):
    """The Python files of "app", "server", "pages", "ui" or "attention_core"."""
    return [ROOT / f"{part}.py"] if part in ("app", "server") else sorted((ROOT / part).rglob("*.py"))


def imported_modules(source):
    """Dotted names of all modules that a source imports from outside its own package, wherever it does so."""
    modules = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                modules |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module), names=names, level=0):
                modules |= {f"{module}.{alias.name}" for alias in names}
            case ast.Call(func=function, args=[ast.Constant(value=str(module)), *_]) if ast.unparse(
                function
            ) in {"__import__", "import_module", "importlib.import_module"}:
                modules.add(module)
    return modules


def stray_imports(part, source, inside=frozenset()):
    """What a file of this part imports and may not; `inside`: what its functions alone may import."""
    tree = ast.parse(source)
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)] if inside else ():
        function.body = [node for node in function.body if not only_imports(node, inside)] or [ast.Pass()]
    roots = {module.partition(".")[0] for module in imported_modules(ast.unparse(tree))}
    return roots - STANDARD - MAY_IMPORT[part]


def only_imports(node, modules):
    return isinstance(node, ast.Import) and {alias.name for alias in node.names} <= modules


def banned_code(source):
    """What a source does that no file of ours may do."""
    found = {module for module in imported_modules(source) if module.startswith("plotly.express")}
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.keyword(arg="unsafe_allow_html"):
                found.add("unsafe_allow_html")
            case ast.keyword(arg="allow_pickle", value=value) if ast.unparse(value) != "False":
                found.add("allow_pickle")
    return found


def machine_paths(text):
    """Places in a text that exist on one machine only."""
    return re.findall(r"(?<![\w.~-])/(?:work|root|home/\w+|Users/\w+)/", text)


def requirements(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith("-r")]


# What it needs


def test_five_packages_are_needed_to_run():
    names = [requirement.name for requirement in requirements("requirements.txt")]
    assert sorted(names) == sorted(RUN_TIME)


@pytest.mark.parametrize(
    "requirement",
    [
        requirement
        for name in ("requirements.txt", "requirements-models.txt", "requirements-dev.txt")
        for requirement in requirements(name)
    ],
    ids=lambda requirement: requirement.name,
)
def test_every_requirement_has_a_lower_and_an_upper_bound(requirement):
    assert sorted(bound.operator for bound in requirement.specifier) == ["<", ">="]


def test_development_adds_to_what_is_needed_to_run():
    lines = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    assert {"-r requirements.txt", "-r requirements-models.txt"} <= set(lines)


def test_what_reads_models_is_not_needed_to_run():
    names = {requirement.name for requirement in requirements("requirements-models.txt")}
    assert names == {"safetensors", "tokenizers"}
    assert not names & RUN_TIME


# Who imports whom


@pytest.mark.parametrize("part", sorted(OWN))
def test_every_part_is_there_to_be_checked(part):
    assert [path for path in python_files(part) if path.is_file()]


@pytest.mark.parametrize("part", sorted(OWN))
def test_imports_go_one_way(part):
    sources = {path: path.read_text(encoding="utf-8") for path in python_files(part)}
    inside = {  # a library without these until it is asked
        ROOT / "attention_core" / "tables.py": {"pandas"},
        ROOT / "attention_core" / "models" / "checkpoint.py": {"safetensors", "tokenizers"},
    }
    stray = {
        str(path.relative_to(ROOT)): stray_imports(part, source, inside.get(path, frozenset()))
        for path, source in sources.items()
    }
    assert {path: names for path, names in stray.items() if names} == {}


# What a page is, without the server that shows it.
SERVED = {"streamlit", "serving"}
PURE = sorted(
    path.parent.name for path in (ROOT / "ui").glob("*/__init__.py") if path.parent.name not in SERVED
)


@cache
def imported_by(path):
    return imported_modules(path.read_text(encoding="utf-8"))


def needed_modules(path):
    """Dotted names of all that a file of ours needs, through other files of ours too."""
    seen, waiting = set(), [path]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += [file for module in imported_by(path) for file in files_of(module)]
    return set().union(*map(imported_by, seen))


@cache
def files_of(module):
    """The files of ours that run when a dotted name is imported: packages on the way, and the module itself."""
    places = [ROOT.joinpath(*module.split(".")[:n]) for n in range(1, module.count(".") + 2)]
    candidates = [file for place in places for file in (place / "__init__.py", place.with_suffix(".py"))]
    return [file for file in candidates if file.is_file()]


@pytest.mark.parametrize("room", PURE)
def test_what_a_page_is_needs_no_streamlit(room):
    files = sorted((ROOT / "ui" / room).rglob("*.py"))
    assert files
    needed = {str(path.relative_to(ROOT)): needed_modules(path) for path in files}
    strays = ("streamlit", "starlette", "ui.streamlit", "ui.serving")
    found = {
        path: sorted(module for module in modules if f"{module}.".startswith(tuple(f"{s}." for s in strays)))
        for path, modules in needed.items()
    }
    assert {path: modules for path, modules in found.items() if modules} == {}


def test_needs_are_followed_through_other_files():
    assert "streamlit" in needed_modules(ROOT / "pages" / "lab.py")
    assert "numpy" in needed_modules(ROOT / "ui" / "state" / "step.py")  # by way of attention_core


@pytest.mark.parametrize(
    ("part", "source", "stray"),
    [
        ("attention_core", "import numpy as np\nimport math\nfrom . import pieces\n", set()),
        ("attention_core", "import streamlit", {"streamlit"}),
        ("attention_core", "from ui.streamlit.frame import draw", {"ui"}),
        ("attention_core", "def f():\n    import pandas.core", {"pandas"}),
        ("attention_core", "import importlib\nimportlib.import_module('torch')", {"torch"}),
        ("ui", "import streamlit as st\nfrom attention_core import trace", set()),
        ("ui", "from pages import lab", {"pages"}),
        ("ui", "import app", {"app"}),
        ("pages", "import scipy", {"scipy"}),
        ("app", "from pages import lab", {"pages"}),
    ],
)
def test_a_stray_import_is_seen(part, source, stray):
    assert stray_imports(part, source) == stray


@pytest.mark.parametrize(
    ("source", "stray"),
    [
        ("def f():\n    import pandas as pd\n", set()),
        ("import pandas as pd\ndef f():\n    import pandas as pd\n", {"pandas"}),
        ("def f():\n    import torch\n", {"torch"}),
    ],
)
def test_what_a_function_may_import_a_module_may_not(source, stray):
    assert stray_imports("attention_core", source, {"pandas"}) == stray


# What stands once


def limits_said_twice(sources):
    """Names of limits to which two files give the same value: one of them would be forgotten."""
    said = [
        (target.id, ast.unparse(node.value))
        for source in sources
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.startswith(("MOST", "LARGEST", "LONGEST", "FEWEST"))
    ]
    return sorted({name for name, value in said if said.count((name, value)) > 1})


def test_no_limit_is_said_twice():
    files = [path for part in sorted(OWN) for path in python_files(part)]
    assert limits_said_twice([path.read_text(encoding="utf-8") for path in files]) == []


def test_a_limit_that_is_said_twice_is_seen():
    sources = [
        "MOST_AXES = 4\nMOST_BYTES = 60_000",
        "MOST_AXES = 4\nMOST_BYTES = 8_000",
        "def f():\n    MOST_AXES = 4",
    ]
    assert limits_said_twice(sources) == ["MOST_AXES"]


PRIVATE = (
    "runtime",
    "web",
    "proto",
    "elements",
    "cli_util",
    "config",
    "watcher",
    "delta_generator",
    "navigation",
)


def private_imports(source):
    """What a source imports of Streamlit's inside."""
    inside = tuple(f"streamlit.{name}" for name in PRIVATE)
    return {module for module in imported_modules(source) if module.startswith(inside)}


def test_one_module_knows_what_streamlit_does_not_promise():
    sources = [path for part in sorted(OWN) for path in python_files(part)]
    found = {
        str(path.relative_to(ROOT)): private_imports(path.read_text(encoding="utf-8")) for path in sources
    }
    assert {path for path, modules in found.items() if modules} == {"ui/streamlit/private.py"}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import streamlit as st", set()),
        ("from streamlit import App", set()),
        ("from streamlit import runtime", {"streamlit.runtime"}),
        ("from streamlit.proto.BackMsg_pb2 import BackMsg", {"streamlit.proto.BackMsg_pb2.BackMsg"}),
        ("def f():\n    import streamlit.web.server", {"streamlit.web.server"}),
    ],
)
def test_an_import_of_streamlits_inside_is_seen(source, found):
    assert private_imports(source) == found


# What no file may contain


def test_no_file_names_a_place_on_one_machine():
    found = {}
    for path in project_files():
        try:
            paths = machine_paths(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue  # a picture, not a text
        if paths:
            found[str(path.relative_to(ROOT))] = paths
    assert found == {}


@pytest.mark.parametrize("top", ["work", "root", "home/ada", "Users/ada"])
def test_a_place_on_one_machine_is_seen(top):
    assert machine_paths(f"open('/{top}/notes.txt')") == [f"/{top}/"]
    assert machine_paths(f"https://example.org/{top}/notes") == []


def test_no_code_does_what_is_banned():
    sources = [path for path in project_files() if path.suffix == ".py"]
    assert sources
    found = {str(path.relative_to(ROOT)): banned_code(path.read_text(encoding="utf-8")) for path in sources}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import plotly.express as px", {"plotly.express"}),
        ("from plotly import express", {"plotly.express"}),
        ("from plotly.express import imshow", {"plotly.express.imshow"}),
        ("import plotly.graph_objects", set()),
        ("st.markdown('<b>', unsafe_allow_html=True)", {"unsafe_allow_html"}),
        ("np.load(file, allow_pickle=True)", {"allow_pickle"}),
        ("np.load(file, allow_pickle=False)", set()),
    ],
)
def test_banned_code_is_seen(source, found):
    assert banned_code(source) == found


# How it is started


@pytest.mark.parametrize("target", TARGETS)
def test_make_knows_the_target(target):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    result = subprocess.run(
        ["make", "--dry-run", target], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert "Nothing to be done" not in result.stdout


def test_make_alone_lists_every_target():
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    result = subprocess.run(["make"], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert re.findall(r"^  make ([\w-]+) +\S", result.stdout, re.MULTILINE) == list(TARGETS)


def test_ci_runs_make_test():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    commands = script.read_text(encoding="utf-8").splitlines()
    assert "set -euo pipefail" in commands  # what fails ends it
    assert [line for line in commands if line.startswith("make")] == ["make test", "make soak-short"]


# How Streamlit is set


def settings(table, prefix=""):
    """A settings file as Streamlit's option names: {"server.port": 8501}."""
    flat = {}
    for key, value in table.items():
        flat |= settings(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat


def test_streamlit_knows_every_setting():
    """Streamlit passes over a name it does not know, and one of ours is hidden and may go unannounced."""
    ours = settings(tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")))
    assert ours["runner.postScriptGC"] is False
    assert ours["server.showEmailPrompt"] is False
    assert set(ours) - set(streamlit_config.get_config_options()) == set()
