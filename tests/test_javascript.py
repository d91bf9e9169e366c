"""The unit tests of static/, run by Node's own test runner; the browser tests see the rest."""

import pytest

from . import node


@pytest.mark.parametrize("file", sorted(path.name for path in node.TESTS.glob("*.test.mjs")))
def test_javascript(file):
    found = node.run("--test", node.TESTS / file)
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_failing_test_is_seen(tmp_path):
    wrong = tmp_path / "wrong.test.mjs"
    wrong.write_text(
        'import { test } from "node:test";\ntest("wrong", () => { throw new Error("seen"); });\n'
    )
    found = node.run("--test", wrong)
    assert found.returncode != 0
    assert "seen" in found.stdout + found.stderr
