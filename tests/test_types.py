"""The checker of types, as pyproject.toml sets it, finds the mistakes that it is there for."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PATIENCE = 60  # seconds
GIVEN = """
from attention_core import Trace
from ui.message.types import Message, Row, View
from ui.scenario.presets import load_beside

def wrong(row: Row, message: Message, trace: Trace):
"""
MISTAKES = {
    "row.summe": "reportAttributeAccessIssue",  # a field that there is not
    "row.sum = '1'": "reportAttributeAccessIssue",  # one of another type
    "Row(0, 'x', [0.5], 1.0, colour='red')": "reportCallIssue",
    "Row('0', 'x', [0.5], 1.0)": "reportArgumentType",
    "View(step='q')": "reportCallIssue",  # not all of it
    "message.new_outline.matrices": "reportOptionalMemberAccess",  # a None that was not looked at
    "load_beside('textbook').trace()": "reportOptionalMemberAccess",
    "trace.weights": "reportAttributeAccessIssue",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The rules that the checker names, by line."""
    file = tmp_path_factory.mktemp("types") / "wrong.py"
    file.write_text(GIVEN + "".join(f"    _ = {mistake}\n" for mistake in MISTAKES), "utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", file]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1, done.stdout + done.stderr
    told = json.loads(done.stdout)["generalDiagnostics"]
    lines = file.read_text("utf-8").splitlines()
    return {lines[one["range"]["start"]["line"]].strip(): one["rule"] for one in told}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found(mistake, found):
    assert found.get(f"_ = {mistake}") == MISTAKES[mistake]


def test_nothing_else_is_found(found):
    assert len(found) == len(MISTAKES)
