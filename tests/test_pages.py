"""Pages run from first to last line, for every preset, and carry the numbers of the course."""

import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from ui.presets import preset_ids

ROOT = Path(__file__).parents[1]


def run(script="app.py"):
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    page = page.run() if script == "app.py" else page.switch_page(script).run()
    assert not page.exception
    return page


def board_of(page):
    """The matrices that the board was sent, by id."""
    [element] = [item.proto for item in page.main if getattr(item.proto, "component_name", "") == "qkv_board"]
    return {matrix["id"]: matrix for matrix in json.loads(element.json)["matrices"]}


def test_home_shows_the_worked_example():
    page = run()
    drawn = board_of(page)
    assert list(drawn) == ["x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "scaled", "weights", "output"]
    assert drawn["q"]["values"] == [[1, 1], [2, 0], [3, 1], [4, 0]]
    assert drawn["scores"]["values"][2] == [1, 5, 3, 7]
    printed = [0.097785, 0.402215, 0.097785, 0.402215]
    np.testing.assert_allclose(drawn["weights"]["values"][1], printed, atol=5e-7)
    np.testing.assert_allclose(drawn["output"]["values"][0], [0.195570, 0.804430], atol=5e-7)
    assert "= 4.113 / 10.23 = 0.4022" in page.code[0].value
    assert page.latex[0].value.endswith("= 0.4022\n$$")


@pytest.mark.parametrize("preset_id", preset_ids())
def test_lab_shows_every_preset(preset_id):
    page = run("pages/lab.py")
    page.selectbox[0].set_value(preset_id).run()
    assert not page.exception
    assert board_of(page)["output"]["values"]


def test_heads_and_batch_items_can_be_chosen():
    page = run("pages/lab.py")
    page.selectbox[0].set_value("textbook").run()
    first = board_of(page)["weights"]["values"]
    batch, head = page.select_slider
    assert (len(batch.options), len(head.options)) == (32, 8)
    head.set_value(7).run()
    assert not page.exception
    assert board_of(page)["weights"]["values"] != first
    assert any("first 16 rows" in caption.value for caption in page.caption)
