"""What is known of static/ without a browser: unit tests by Node's own test runner, and types by TypeScript."""

import re
import shutil

import pytest

from ui.paths import ROOT, STATIC

from . import node

TSC = ROOT / "node_modules" / "typescript" / "bin" / "tsc"
LOADED = re.compile(r"(?:import\(\"(\S+)\.js\"\)\} \*/\n)?const .* = await import\(`(\S+)\.js\$\{own\}`\)")


def scripts():
    return [path for path in sorted(STATIC.rglob("*.js")) if path.name != "plotly.min.js"]


def test_javascript():
    files = sorted(node.TESTS.glob("*.test.mjs"))
    found = node.run("--test", *files)
    assert found.returncode == 0, found.stdout + found.stderr
    assert int(re.search(r"# pass (\d+)|ℹ pass (\d+)", found.stdout)[0].split()[-1]) > len(files)


def test_a_failing_test_is_seen(tmp_path):
    wrong = tmp_path / "wrong.test.mjs"
    wrong.write_text(
        'import { test } from "node:test";\ntest("wrong", () => { throw new Error("seen"); });\n'
    )
    found = node.run("--test", wrong)
    assert found.returncode != 0
    assert "seen" in found.stdout + found.stderr


def test_every_script_is_checked():
    assert [path.name for path in scripts() if not path.read_text("utf-8").startswith("// @ts-check\n")] == []


def test_a_script_that_is_loaded_has_the_types_of_that_script():
    for path in scripts():
        for typed, loaded in LOADED.findall(path.read_text("utf-8")):
            assert typed == loaded, path.name
            assert (path.parent / f"{loaded}.js").is_file(), path.name


def test_every_script_is_asked_for_at_once_or_with_its_page():
    """Else a browser learns of it only when another has come."""
    text = (STATIC / "workbench.js").read_text("utf-8")
    asked = {
        f"{folder}/{name}"
        for names, folder in re.findall(r"\[([^][]*)\]\.map\(\(name\) => `(\w+)/", text)
        for name in re.findall(r'"(\w+)"', names)
    } | set(re.findall(r'"(\w+/\w+)"', text))
    ours = {path.relative_to(STATIC).with_suffix("").as_posix() for path in scripts()}
    assert ours - asked == {"workbench", "message/message", "files/offline", "course/judging"}


@pytest.mark.parametrize(
    ("file", "right", "wrong", "said"),
    [
        ("board/board.js", "matrix.editable)", "matrix.editible)", "'editible' does not exist"),
        ("course/telling.js", "told.sections.length", "told.moments.length", "'moments' does not exist"),
        ("message/message.js", "{boolean} tried", "{boolean} attempted", "'tried' does not exist"),
        ("lab/film.js", "bench.lab.picked", "bench.lab.chosen", "'chosen' does not exist"),
    ],
)
def test_a_wrong_field_is_told(tmp_path, file, right, wrong, said):
    assert TSC.is_file(), "`make lint` installs TypeScript"
    shutil.copytree(STATIC, tmp_path / "static", ignore=shutil.ignore_patterns("plotly.min.js", "*.css"))
    shutil.copy(ROOT / "tsconfig.json", tmp_path)
    path = tmp_path / "static" / file
    text = path.read_text("utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong, 1), "utf-8")
    found = node.run(TSC, "--project", tmp_path)
    assert found.returncode != 0
    assert said in found.stdout
