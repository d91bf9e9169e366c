"""What is sent to the browser: everything once, and after that only what changed."""

import json
from dataclasses import replace

import numpy as np
import pytest

from ui.board.stages import steps_by_stage
from ui.message.types import sent
from ui.page.lab import LAB
from ui.scenario.presets import load_preset, preset_ids

SMALL = [preset_id for preset_id in preset_ids() if not load_preset(preset_id).is_large]


def test_an_outline_is_sent_once(learner):
    me = learner("pixels_2x2")
    first = me.message
    assert "new_outline" in first
    assert holding(me).message.new_outline is None
    other = replace(me.request([["choose", "mask", "causal"]]), outline=first["outline"])
    assert LAB.respond(other, "en").message.new_outline is not None  # the browser has another one
    me.do("edit", "x", 0, 0, "7").do("step", "scores").do("cell", "weights", 0, 0)
    assert me.message["outline"] == first["outline"]  # numbers, steps and cells are not in it


def holding(me):
    """The answer to a browser that has the present outline."""
    return LAB.respond(replace(me.request([]), outline=me.message["outline"]), "en")


@pytest.mark.parametrize(
    "act",
    [
        ("choose", "n_heads", 2),
        ("choose", "mask", "causal"),
        ("choose", "scale", "off"),
        ("choose", "scale", "own"),
        ("choose", "preset", "causal"),
        ("rename", "x", "token", 0, "sky"),
    ],
)
def test_another_structure_is_another_outline(learner, act):
    me = learner("pixels_2x2")
    before = me.message["outline"]
    assert me.do(*act).message["outline"] != before


def test_an_edit_sends_few_bytes(learner):
    me = learner("pixels_2x2").do("edit", "x", 0, 0, "0.3")
    assert len(json.dumps(sent(holding(me).data()))) < 4_000


@pytest.mark.parametrize("preset_id", preset_ids())
def test_everything_can_be_sent(learner, preset_id):
    me = learner(preset_id)
    for stage in steps_by_stage(me.trace):
        message = me.do("step", stage).message
        json.dumps(message, allow_nan=False)
        assert len(message["values"]) == len(message["new_outline"]["matrices"])
        for matrix, values in zip(message["new_outline"]["matrices"], message["values"], strict=True):
            labels = message.get("large", {}).get(matrix["key"], matrix)
            assert np.shape(values) == (len(labels["rows"]), len(labels["columns"]))


@pytest.mark.parametrize("preset_id", SMALL)
def test_every_step_has_its_code_and_its_shapes(learner, preset_id):
    me = learner(preset_id)
    for stage in me.message["new_outline"]["stages"]:
        for step in stage["steps"]:
            found = me.trace.step(step["id"])
            assert [size for _, size in step["axes"]] == list(found.shape)
            if found.inputs:
                assert f"{found.name} = " in step["numpy"]
                assert step["latex"]
                assert step["torch"].startswith(f"{found.name} = ")
                assert step["algebra"].endswith(f"→ ({'×'.join(map(str, found.shape))})")


def test_the_row_pictured_as_bars_has_its_sum_and_entropy(learner):
    shares = learner("pixels_2x2").do("cell", "weights", 1, 0).message["shares"]["weights"]
    assert shares["name"] == "p1"
    assert shares["shares"] == pytest.approx([0.097785, 0.402215, 0.097785, 0.402215], abs=5e-7)
    assert shares["sum"] == pytest.approx(1)
    p = np.array(shares["shares"])
    assert shares["bits"] == pytest.approx(-(p * np.log2(p)).sum(), abs=1e-5)
    nothing = learner("nothing_to_look_at").do("cell", "weights", 1, 0).message["shares"]["weights"]
    assert nothing["sum"] == 0
    assert "bits" not in nothing  # no distribution, no entropy
