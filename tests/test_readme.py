"""What the README says is so."""

import contextlib
import io
import re
from pathlib import Path

import attention_core
from attention_core import models

from .checkpoints import minilm

__all__ = ["minilm"]  # a fixture
ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language):
    return re.search(rf"```{language}\n(.*?)```", README, re.DOTALL).group(1)


def test_the_library_example_prints_what_it_says():
    code = block("python")
    assert len([line for line in code.splitlines() if line]) == 5
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert printed.getvalue() == block("text")


def test_every_folder_has_its_line():
    listed = set(re.findall(r"^\| `([\w.]+?)/?` \|", README, re.MULTILINE))
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] not in "._"} - {
        "node_modules"
    }
    assert listed >= folders | {"app.py"}


def test_every_function_in_the_table_exists_and_none_is_forgotten():
    table = README.partition("| function |")[2].partition("\n\n")[0]
    named = {
        name for row in re.findall(r"^\| (`.+?) \|", table, re.MULTILINE) for name in re.findall(r"\w+", row)
    }
    inner = {"conv1x1", "depthwise_conv3x3", "layer_norm", "repeat_heads", "release_memory"}
    public = {name for name in attention_core.__all__ if name.islower()}
    of_models = {name for name in models.__all__ if name.islower()}
    assert named == public - inner | of_models | {"models"}


def test_the_example_with_a_model_says_what_is_so(minilm, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = {}
    code = block("py")
    exec(compile(code, "README.md", "exec"), found)
    assert f"{found['run'].weights[5, 11, 8, 2]:.2f} of the weight of “it”" in code
    assert (found["tokens"].texts[8], found["tokens"].texts[2]) == ("it", "cat")
    measured = found["measure_all"](found["run"].weights, found["tokens"].special)["previous"]
    assert f"layer 0, head 2 has {measured[0, 2]:.4f}" in code


def test_commands_pictures_and_links_are_there():
    for command in ("make run", "make test", "pip install -r requirements.txt", "streamlit run app.py"):
        assert command in README
    for target in re.findall(r"\]\(([\w./]+)\)", README):
        assert (ROOT / target).is_file(), target


def test_the_changelog_is_headed_by_the_present_version():
    version = re.search(
        r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE
    ).group(1)
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] == version
