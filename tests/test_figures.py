"""Figures made in Python: Plotly accepts each, they depend on structure alone, and what they show is true."""

import math
import re
import subprocess
import sys
from itertools import product

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_core import multi_head_attention
from tests.learner import Learner
from tests.student import LESSONS
from tests.test_fill import numbers_for, plots_of
from ui.board.matrices import Shown
from ui.board.stages import steps_by_stage
from ui.course.engine.blocks import curve, plot
from ui.figures import figure
from ui.figures.cells import LARGEST_CELL
from ui.figures.fill import fill, fit
from ui.figures.notebook import numbers_of
from ui.figures.parts import View, title_of, width_of
from ui.figures.references import is_reference
from ui.figures.steps import change_of, figure_of, heatmap_of, shapes_figure
from ui.figures.style import style, theme_colours
from ui.scenario.presets import load_preset, preset_ids
from ui.words import Words, languages

from .varied import varied_traces

VARIED = varied_traces()
TRACES = {preset: load_preset(preset).trace() for preset in preset_ids()}


def all_steps(trace):
    return [name for names in steps_by_stage(trace).values() for name in names]


def references_in(part):
    if is_reference(part):
        return [part]
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return [found for one in inner for found in references_in(one)]


# Plotly accepts them.


@pytest.mark.parametrize("preset", TRACES)
def test_plotly_accepts_every_figure_of_a_preset(preset):
    trace = TRACES[preset]
    for name in all_steps(trace):
        found = figure(trace, name)
        assert isinstance(found, go.Figure)
        assert len(found.data)
        assert not references_in(found.to_dict())


@pytest.mark.parametrize("preset", TRACES)
def test_plotly_accepts_the_heatmaps_of_every_step_of_a_preset(preset):
    """One for each head, and each of Q, K and V in one step, with its own numbers; a large one has as many dots."""
    trace = TRACES[preset]
    n_queries = (1, *trace["weights"].shape)[-3]
    for name in all_steps(trace):
        step = trace.step(name)
        made = heatmap_of(step, trace, Words())
        heads = step.shape[-3] if len(step.axes) > 2 and step.axes[-3] in ("head", "kv_head") else 1
        small = step.value.size < 2000
        drawn = made["layout"]["meta"]["matrices"]
        numbers = numbers_for(made, trace)
        numbers["matrices"] = [
            # A head of keys belongs to the first query head that shares it.
            numbers_of(
                step,
                trace,
                Shown(n_queries, head=one.get("head", 0) * n_queries // heads),
                Words(),
                {},
                one.get("part", 0),
            )
            for one in drawn
        ]
        found = go.Figure(fill(fit(made, 900)[0], numbers, View(colours=theme_colours("light"))))
        maps = [one for one in found.data if one.type == "heatmap"]
        parts = 3 if step.axes[0] == "part" else 1
        if not small:
            assert len(maps) == (2 * parts if len(made["data"]) > parts else parts), name
            continue
        assert len(maps) == heads * parts, name
        if heads * parts == 1:
            continue
        for place, (part, head) in enumerate(product(range(parts), range(heads))):
            title = found.layout.annotations[place].text.replace("<br>", " ")
            assert f"head {head}" in title
            assert parts == 1 or f"{'QKV'[part]}, " in title
            shown = np.array(maps[place].z, dtype=float)
            own = (trace[name][part] if parts > 1 else trace[name])[..., head, :, :].reshape(shown.shape)
            np.testing.assert_allclose(np.where(np.isnan(shown), -np.inf, shown), own, rtol=1e-6)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("preset", TRACES)
def test_plotly_accepts_the_shapes_of_every_step_of_a_preset(preset, language):
    """The sizes of what goes in and comes out are written at the edges, and nothing lies beside the figure."""
    trace, words = TRACES[preset], Words(language)
    for name in all_steps(trace):
        step = trace.step(name)
        made = shapes_figure(step, trace, words)
        if made["layout"]["meta"].get("matrices"):  # where numbers move, each cell is drawn
            go.Figure(fill(fit(made, 900)[0], numbers_for(made, trace), View(colours=theme_colours("dark"))))
            continue
        found = go.Figure(fill(made, {}, View(colours=theme_colours("dark"))))
        text = " ".join(note.text for note in found.layout.annotations)
        edges = [int(size) for size in re.findall(r"<b>(\d+)</b>", text)]  # of the result last
        assert any(math.prod(edges[-count:]) == step.value.size for count in (2, 3, 4)), (name, edges)
        (left, right), (low, high) = found.layout.xaxis.range, found.layout.yaxis.range
        for shape in found.layout.shapes:
            assert left <= min(shape.x0, shape.x1) <= max(shape.x0, shape.x1) <= right
            assert low <= min(shape.y0, shape.y1) <= max(shape.y0, shape.y1) <= high


@pytest.mark.parametrize("name", VARIED)
def test_plotly_accepts_every_figure_of_a_varied_computation(name):
    """In a notebook, also of what the Lab does not show: caches, attention without a layer, what is given."""
    trace = VARIED[name]
    for step in trace.steps:
        if step.op != "number":
            figure(trace, step.name, width=300, scheme="dark", language="vi")


@pytest.mark.parametrize("lesson", LESSONS)
def test_plotly_accepts_every_figure_of_a_lesson(lesson):
    view = View(colours=theme_colours("light"))
    for block in plots_of(lesson):
        found = go.Figure(fill(block["figure"], {"block": block}, view))
        assert len(found.data) == len(block["series"])


def test_plotly_accepts_changes_and_what_all_figures_have():
    trace = TRACES["vit_base"]
    for name in ("scores", "x"):
        made = change_of(trace.step(name), trace)
        assert len(made["data"]) == 2  # cells and their numbers: only those under the lens are known
        go.Figure(fill(made, numbers_for(made, trace), View()))
    for kind in ("cells", "curves"):
        go.layout.Template(style()[kind])


# Structure only.


@pytest.mark.parametrize(
    "preset", ["pixels_2x2", "dropout_rows", "fused_vit", "conv_4_to_8", "grouped_query"]
)
def test_other_numbers_of_the_same_shape_have_the_same_figures(preset):
    scenario = load_preset(preset)
    trace = scenario.trace()
    name = next(name for name in scenario.arrays if scenario.given_as(name))
    other = scenario.edited(name, {(0,) * trace[name].ndim: 7.25}).trace()
    words = Words()
    for step in all_steps(trace):
        for make in (figure_of, heatmap_of, shapes_figure):
            assert make(trace.step(step), trace, words) == make(other.step(step), other, words)


def test_an_edit_sends_no_figure():
    me = Learner("pixels_2x2")
    outline = me.message["outline"]
    assert me.do("edit", "x", [[0, 0, "5"]]).message["outline"] == outline


@pytest.mark.parametrize("width", [220, 340, 500, 1200])
def test_matrices_stay_apart_and_inside_at_every_width(width):
    for trace in TRACES.values():
        for name in all_steps(trace):
            fitted, cell = fit(figure_of(trace.step(name), trace, Words()), width)
            layout = fitted["layout"]
            assert 0 < cell <= LARGEST_CELL
            boxes = [
                (*axis["domain"], *layout[key.replace("x", "y", 1)]["domain"])
                for key, axis in layout.items()
                if key.startswith("xaxis")
            ]
            for place, (left, right, low, high) in enumerate(boxes):
                assert 0 <= left < right <= 1
                assert 0 <= low < high <= 1
                for other in boxes[:place]:
                    beside = right <= other[0] or other[1] <= left
                    assert beside or high <= other[2] or other[3] <= low, (name, place)


# What is shown is true.


def test_a_small_share_is_a_short_bar_and_a_row_that_does_not_sum_to_1_has_no_entropy():
    me = Learner("dropout_rows")
    shares = me.message["shares"]
    assert shares["weights"]["bits"] > 0
    for name in ("weights", "dropped"):
        found = figure(me.trace, name)
        [bars] = [one for one in found.data if one.type == "bar"]
        low, high = found.layout[bars.yaxis.replace("y", "yaxis")].range
        assert low == 0
        assert 1.15 <= high == pytest.approx(1.15 * max(1, *bars.y))
    dropped = shares["dropped"]
    assert dropped["sum"] != pytest.approx(1, abs=0.01)
    assert "bits" not in dropped


def test_the_step_after_dropout_is_called_weights():
    for language in languages():
        words = Words(language)
        assert words("name.dropped") == words("lesson.implementations.shared.at.dropped")
        assert "dropout" in words("name.dropped") or "드롭아웃" in words("name.dropped")
        assert words("name.weights") in words("name.dropped")


@pytest.mark.parametrize("decimals", range(7))
@pytest.mark.parametrize("preset", ["pixels_2x2", "cat_on_the_mat"])
def test_no_matrix_loses_its_numbers_with_more_decimals(preset, decimals):
    trace = TRACES[preset]
    for name in all_steps(trace):
        found = figure(trace, name, decimals=decimals, width=340)
        for one in found.data:
            if one.type == "scatter":
                assert all(one.text), name
                assert one.textfont.size >= 7


def test_numbers_are_shortened_truly():
    trace = TRACES["pixels_2x2"]
    found = figure(trace, "weights", decimals=6, width=340)
    texts = [one for one in found.data if one.type == "scatter"][-1].text
    for text, value in zip(texts, trace["weights"][0].ravel(), strict=True):
        places = len(text.partition(".")[2])
        assert 1 <= places <= 6
        assert float(text) == pytest.approx(value, abs=0.5 * 10**-places + 1e-12)


@pytest.mark.parametrize("language", languages())
def test_titles_are_not_cut(language):
    trace = TRACES["cat_on_the_mat"]
    for width in (340, 420):
        for name in all_steps(trace):
            made = figure_of(trace.step(name), trace, Words(language))
            fitted, cell = fit(made, width)
            numbers = numbers_for(made, trace)
            for number, title in enumerate(fitted["layout"]["annotations"]):
                one = numbers["matrices"][number] | {"sign": ""}
                step = made["layout"]["meta"]["matrices"][number]["step"]
                one["name"] = f"{Words(language)(f'name.{step}')}, {Words(language)('axis.head')} 0"
                text, size = title_of(one, title["text"]["room"] * cell)
                longest = max(map(width_of, text[3:-4].split("<br>")))
                assert longest * 0.57 * size <= title["text"]["room"] * cell, (name, text, size)


def test_a_weighted_sum_says_in_its_corner_how_much_of_each_value_is_taken():
    trace = TRACES["pixels_2x2"]
    found = figure(trace, "head_outputs", row=2)
    [bars] = [one for one in found.data if one.type == "bar"]
    assert bars.orientation == "h"
    np.testing.assert_allclose(bars.x, trace["weights"][0, 2], rtol=1e-6)
    values = next(one for one in found.data if one.type == "heatmap" and one.name == "V by head")
    own, beside = (found.layout[axis.replace("y", "yaxis")] for axis in (bars.yaxis, values.yaxis))
    assert (own.domain, own.range) == (beside.domain, beside.range)  # each bar at the row it is the share of


# Axes of curves.


def axes_of(block):
    layout = block["figure"]["layout"]
    return layout["xaxis"]["range"], layout["yaxis"]["range"]


def test_axes_follow_the_numbers():
    titles = "n", "sum"
    for n in (16, 1024):
        x, y = axes_of(plot("walks", range(1, n + 1), [curve("up", range(n))], titles))
        assert x[0] <= 1 < n <= x[1] <= 1.1 * n
        assert y == pytest.approx([0, 1.04 * (n - 1)])


def test_a_logarithmic_axis_ends_at_its_numbers_and_names_powers_of_ten():
    titles = "s", "operations"
    made = plot("cost", [64, 131072], [curve("s²", [1e6, 1e13])], titles, log_x=True, log_y=True, at=4608)
    x, y = axes_of(made)
    assert 10 ** x[0] < 64 < 131072 < 10 ** x[1] < 4 * 131072
    assert y[0] < 6 < 13 < y[1] < 14
    assert made["figure"]["layout"]["yaxis"]["dtick"] == 1
    assert made["figure"]["layout"]["yaxis"]["exponentformat"] == "power"


@pytest.mark.parametrize("values", [[None, None], [0, 0], [-3, None, 2], [5]])
def test_axes_of_few_numbers(values):
    y = [np.nan if value is None else value for value in values]
    made = plot("few", range(len(y)), [curve("one", y)], ("", ""))
    low, high = made["figure"]["layout"]["yaxis"]["range"]
    assert low <= min(v for v in [*values, 0] if v is not None)
    assert high >= max(v for v in [*values, 0] if v is not None)
    assert low < high
    go.Figure(fill(made["figure"], {"block": made}, View()))


# In a notebook.


def test_a_figure_in_a_notebook():
    rng = np.random.default_rng(0)
    x, weights = rng.normal(size=(3, 4)), rng.normal(size=(3, 4, 4))
    trace = multi_head_attention(x, *weights, n_heads=2)
    found = figure(trace, "weights", head=1, names={"token": ["the", "cat", "sat"]})
    shown = [one for one in found.data if one.type == "heatmap"][-1]
    np.testing.assert_allclose(shown.z, trace["weights"][1], rtol=1e-6)
    assert "cat" in found.layout.xaxis.ticktext
    assert any("head 1" in title.text.replace("<br>", " ") for title in found.layout.annotations)


def test_plotly_is_imported_only_when_a_figure_is_asked_for():
    code = "import sys, ui.figures; sys.exit('plotly.graph_objects' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_step_is_refused():
    with pytest.raises(Exception, match="nothing"):
        figure(TRACES["pixels_2x2"], "nothing")
