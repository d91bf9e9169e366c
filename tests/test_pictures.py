"""The pictures of the steps: Plotly accepts each, and what it draws are the numbers of the step.

They are made in the browser (static/pictures); here Node makes them of the numbers of every preset.
"""

import itertools
import json
import math
import re

import numpy as np
import plotly.graph_objects as go
import pytest

from tests import node
from ui.board import matrices as board
from ui.board.stages import board_names, steps_by_stage
from ui.board.stands import stand_of
from ui.figures.fill import fill
from ui.figures.parts import View
from ui.figures.style import theme_colours
from ui.scenario.presets import load_preset, preset_ids
from ui.words import Words, all_words

OF_WORDS = ("token", "query", "key")
WORDS = {
    key.removeprefix("bench."): text for key, text in all_words("en").items() if key.startswith("bench.")
}
STEPS_WITH_A_PICTURE = {
    "q",
    "k",
    "v",
    "q_heads",
    "scores",
    "scaled",
    "weights",
    "head_outputs",
    "merged",
    "output",
}
PRESETS = [preset for preset in preset_ids() if not load_preset(preset).is_large]


def matrix_of(trace, scenario, name, head=0):
    """A matrix as the browser holds it: its numbers, null for −∞, and the names of its rows and columns."""
    heads = (1, *trace["weights"].shape)[-3]
    found = board.matrices_of(trace.step(name), board.Shown(heads, head=head))[0]
    sizes = found.whole.shape
    rows, columns = (scenario.labels(axis, size) for axis, size in zip(found.axes, sizes, strict=True))
    values = [[None if math.isinf(value) else value for value in row] for row in found.whole.tolist()]
    if found.axes[0] not in OF_WORDS and found.axes[1] in OF_WORDS:  # an image
        values, rows, columns = [*map(list, zip(*values, strict=True))], columns, rows
    return {"values": values, "rows": list(rows), "columns": list(columns)}


def facts_of(scenario, step, head=0, focus=1, hidden=()):
    """As `factsOf` of static/lab/meaning.js."""
    trace, words = scenario.trace(), Words()
    stand = stand_of(trace.step(step), trace)
    matrices = {}
    for name in {*board_names(trace), *stand.left, *stand.above}:
        if trace.step(name).op != "number" and trace[name].ndim > 1:
            matrices[name] = matrix_of(trace, scenario, name, head)
    own = matrices[step]
    focus = min(focus, len(own["values"]) - 1)
    row = [-math.inf if value is None else value for value in own["values"][focus]]
    called = {key.removeprefix("row_"): text for key, text in WORDS.items() if key.startswith("row_")}
    called |= {name: words(f"name.{name}") for name in matrices if name not in called}
    numbers = [one for one in (*trace.steps, *trace.parameters.values()) if one.op == "number"]
    settings = {one.name: float(one.value) for one in numbers if np.isfinite(one.value)}
    return {
        "step": step,
        "op": trace.step(step).op,
        "from": sorted(
            [*stand.left, *stand.above], key=lambda name: not {"token", "query"} & set(trace.step(name).axes)
        ),
        "word": own["rows"][focus],
        "focus": focus,
        "key": row.index(max(row)),
        "heads": (1, *trace["weights"].shape)[-3],
        "hidden": list(hidden),
        "words": called,
        "matrices": matrices,
        "settings": settings,
        "decimals": 2,
        "marks": words.marks._asdict(),
    }


def drawn(cases):
    """What static/pictures makes of each: {"first", "drawn"}."""
    found = node.run("tests/js/pictures.mjs", given="".join(json.dumps(case) + "\n" for case in cases))
    assert found.returncode == 0, found.stderr
    return [json.loads(line) for line in found.stdout.splitlines()]


def figure(picture):
    return go.Figure(fill(picture["figure"], {}, View(colours=theme_colours("light"))))


def picture_of(scenario, step, **more):
    facts = facts_of(scenario, step, **more)
    [found] = drawn([facts])
    return facts, found["first"]


def hidden_in(scenario, step, focus=1):
    trace = scenario.trace()
    shown = board.Shown((1, *trace["weights"].shape)[-3])
    matrix = board.matrices_of(trace.step(step), shown)[0]
    return [column for row, column in board.hidden_cells(trace, matrix) if row == focus]


@pytest.mark.parametrize("preset", PRESETS)
def test_plotly_accepts_the_picture_of_every_step_and_its_sentence_is_whole(preset):
    scenario = load_preset(preset)
    trace = scenario.trace()
    steps = [name for names in steps_by_stage(trace).values() for name in names]
    cases = [
        facts_of(scenario, step, focus=focus, hidden=hidden_in(scenario, step, focus))
        for step in steps
        if trace[step].ndim > 1
        for focus in (0, 1)
    ]
    for facts, found in zip(cases, drawn(cases), strict=True):
        for picture in filter(None, [found["first"], *found["drawn"]]):
            told = WORDS[f"picture_{picture['says']}"]
            assert set(re.findall(r"\{(\w+)\}", told)) <= set(picture["facts"]), (facts["step"], told)
            assert not any("NaN" in text or "undefined" in text for text in picture["facts"].values())
            if "figure" in picture:
                assert figure(picture).data
            else:
                in_its_size(picture)
        if facts["step"] in STEPS_WITH_A_PICTURE and len(facts["matrices"][facts["step"]]["values"]) > 1:
            assert found["first"], (preset, facts["step"])


def in_its_size(picture):
    """Every mark lies within the picture."""
    wide, high = picture["size"]
    for mark in picture["marks"]:
        at = mark["at"]
        xs = [at[key] for key in ("x", "x1", "x2") if key in at]
        ys = [at[key] for key in ("y", "y1", "y2") if key in at]
        if mark["tag"] == "rect":
            xs.append(at["x"] + at["width"])
            ys.append(at["y"] + at["height"])
        assert all(-0.5 <= x <= wide + 0.5 for x in xs), mark
        assert all(-0.5 <= y <= high + 0.5 for y in ys), mark


# What is drawn is true


@pytest.mark.parametrize("preset", PRESETS)
def test_the_whole_of_the_ladder_are_the_weights(preset):
    scenario = load_preset(preset)
    for focus in (0, 1):
        hidden = hidden_in(scenario, "weights", focus)
        facts, picture = picture_of(scenario, "weights", focus=focus, hidden=hidden)
        weights = np.array(facts["matrices"]["weights"]["values"][facts["focus"]])
        if not weights.any():
            assert picture["says"] == "softmax_nothing"
            continue
        [*_, whole] = figure(picture).data
        lengths = np.array(whole.x, dtype=float)
        if len(lengths) == len(weights):
            np.testing.assert_allclose(lengths / lengths.sum(), weights, atol=1e-6)
        else:  # the largest, and the others together
            np.testing.assert_allclose(sorted(lengths[:-1] / lengths.sum()), sorted(weights)[-8:], atol=1e-6)
        np.testing.assert_allclose(whole.base, np.cumsum([0, *lengths[:-1]]), atol=1e-6 * lengths.sum())


@pytest.mark.parametrize("preset", ["pixels_2x2", "cat_on_the_mat", "causal", "conv_4_to_8", "dropout_rows"])
def test_the_arrows_laid_tip_to_tail_end_at_the_output(preset):
    scenario = load_preset(preset)
    for focus in (0, 1, 2):
        facts, picture = picture_of(scenario, "head_outputs", focus=focus)
        assert picture["says"] in ("mix_plane", "mix_sum")
        arrows = [one for one in figure(picture).data if one.mode == "lines+markers"]
        output = facts["matrices"]["head_outputs"]["values"][facts["focus"]]
        if arrows:
            assert (arrows[0].x[0], arrows[0].y[0]) == (0, 0)
        skipped = 0
        for one, other in itertools.pairwise(arrows):
            skipped += math.dist((one.x[1], one.y[1]), (other.x[0], other.y[0]))
        end = (arrows[-1].x[1], arrows[-1].y[1]) if arrows else (0, 0)
        assert math.dist(end, output) <= 0.05
        assert skipped <= 0.05  # arrows too short to be seen
        [dot] = [one for one in figure(picture).data if one.marker.size == 12]
        np.testing.assert_allclose([dot.x[0], dot.y[0]], output, atol=1e-6)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_areas_of_the_bricks_add_up_to_the_output(preset):
    scenario = load_preset(preset)
    facts = facts_of(scenario, "head_outputs", focus=0)
    [found] = drawn([facts])
    picture = found["drawn"][-1]
    output = facts["matrices"]["head_outputs"]["values"][facts["focus"]]
    for channel, column in enumerate(one for one in figure(picture).data if one.type == "bar"):
        areas = np.array(column.x, dtype=float) * np.array(column.width, dtype=float)
        assert areas.sum() == pytest.approx(output[channel], abs=1e-6)
    assert channel + 1 == min(4, len(output))


@pytest.mark.parametrize("preset", ["pixels_2x2", "cat_on_the_mat", "grouped_query", "post_norm", "causal"])
def test_scores_are_heights_along_the_query_times_its_length(preset):
    scenario = load_preset(preset)
    trace = scenario.trace()
    assert trace["q_heads"].shape[-1] == 2
    for focus in (0, 1, 2):
        facts, picture = picture_of(scenario, "scores", focus=focus)
        query = facts["matrices"][facts["from"][0]]["values"][facts["focus"]]
        length = math.hypot(*query)
        scores = facts["matrices"]["scores"]["values"][facts["focus"]]
        assert picture["says"] == "scores"
        *keys, own = [one for one in figure(picture).data if one.mode == "lines+markers"]
        assert (own.x[1], own.y[1]) == pytest.approx((0, length))
        drawn_scores = {round(arrow.y[1] * length, 4) for arrow in keys} | {0.0}
        assert {round(score, 4) for score in scores} <= drawn_scores
        ticks = figure(picture).layout.yaxis.tickvals
        assert {round(tick * length, 4) for tick in ticks} <= {round(score, 4) for score in [*scores, 0]}


@pytest.mark.parametrize("preset", PRESETS)
def test_dots_of_the_number_line_lie_at_the_scores_before_and_after(preset):
    scenario = load_preset(preset)
    facts, picture = picture_of(scenario, "scaled")
    _, dots, *_ = figure(picture).data
    before, after = (
        np.array(facts["matrices"][name]["values"][facts["focus"]]) for name in (facts["from"][0], "scaled")
    )
    for level, row in ((1, before), (0, after)):
        there = {round(x, 5) for x, y in zip(dots.x, dots.y, strict=True) if y == level}
        assert there == {round(value, 5) for value in row.tolist()}
    low, high = figure(picture).layout.xaxis.range
    assert high - low > 0.01  # also where every score is 0
    assert all(low <= x <= high for x in dots.x)


def test_dropout_leaves_holes_where_weights_were_dropped():
    scenario = load_preset("dropout_rows")
    trace = scenario.trace()
    p = scenario.options["dropout_p"]
    for focus in range(4):
        facts, picture = picture_of(scenario, "dropped", focus=focus)
        before, after = figure(picture).data
        weights, dropped = (
            np.array(facts["matrices"][name]["values"][focus]) for name in ("weights", "dropped")
        )
        np.testing.assert_allclose(before.x, weights, atol=1e-6)
        np.testing.assert_allclose(after.x, weights / (1 - p), atol=1e-6)
        filled = np.array([colour.startswith("#") for colour in after.marker.color])
        np.testing.assert_allclose(np.array(after.x, dtype=float)[filled], dropped[dropped > 0], atol=1e-6)
        assert float(picture["facts"]["sum"].replace("−", "-")) == pytest.approx(dropped.sum(), abs=0.006)
    assert trace["dropped"].size


def test_what_a_mask_hides_is_nothing_to_softmax_also_with_a_very_low_number():
    scenario = load_preset("post_norm")
    facts, picture = picture_of(scenario, "weights", focus=0, hidden=[1, 2])
    assert picture["says"] == "softmax_one"
    assert picture["facts"] == {"word": facts["word"], "first": facts["matrices"]["weights"]["columns"][0]}
    scores, *_ = figure(picture).data
    assert max(map(abs, scores.x)) < 100


def test_names_of_a_learner_stay_text():
    scenario = load_preset("pixels_2x2").renamed("token", 4, 0, "<b>x</b>")
    for step in ("scores", "scaled", "weights", "head_outputs"):
        _, picture = picture_of(scenario, step, focus=0)
        assert "<b>x</b>" not in json.dumps(picture["figure"]), step
        assert "&lt;b&gt;x" in json.dumps(picture["figure"]), step
