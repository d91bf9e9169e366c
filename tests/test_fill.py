"""A figure is filled with numbers in Python as in the browser: here and by static/figures/fill.js, in Node."""

import json
import subprocess
from pathlib import Path

import playwright
import pytest

from tests.student import LESSONS, Student
from ui.board.matrices import Shown
from ui.board.stages import steps_by_stage
from ui.figures.fill import fill, fit
from ui.figures.notebook import numbers_of, shares_of
from ui.figures.parts import View
from ui.figures.steps import figure_of
from ui.figures.style import SCALES, theme_colours
from ui.scenario.presets import load_preset, preset_ids
from ui.words import Words

ROOT = Path(__file__).parents[1]
NODE = Path(playwright.__file__).parent / "driver" / "node"
WIDTHS = (220, 380, 900)  # a narrow phone, the panel of the Lab, a projector


def fill_in_node(cases):
    """What static/figures/fill.js makes of the cases: {"cell", "figure"} each."""
    command = [NODE, ROOT / "tests" / "fill_in_node.mjs", ROOT / "static"]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def case_of(figure, numbers, width=380, decimals=2, language="en", near=None):
    marks, colours = Words(language).marks, theme_colours("dark")
    view = {"decimals": decimals, "marks": marks._asdict(), "colours": colours, "scales": SCALES}
    return {"figure": figure, "numbers": numbers, "width": width, "view": view | {"near": near or {}}}


def fill_in_python(case):
    view = case["view"]
    fitted, cell = fit(case["figure"], case["width"])
    marks = type(Words().marks)(**view["marks"])
    near = {int(number): wide for number, wide in view["near"].items()}
    filled = fill(fitted, case["numbers"], View(cell, view["decimals"], marks, view["colours"], near))
    return {"cell": cell, "figure": filled}


def is_same(one, other, path=""):
    """One place where two figures differ, or nothing."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return f"{path}: {sorted(one)} {sorted(other)}"
        return next((found for key in one if (found := is_same(one[key], other[key], f"{path}.{key}"))), "")
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return f"{path}: {len(one)} {len(other)}"
        pairs = enumerate(zip(one, other, strict=True))
        return next((found for at, pair in pairs if (found := is_same(*pair, f"{path}[{at}]"))), "")
    if isinstance(one, float | int) and isinstance(other, float | int):
        return "" if one == pytest.approx(other, rel=1e-9, abs=1e-12) else f"{path}: {one} {other}"
    return "" if one == other else f"{path}: {one!r} {other!r}"


def both_alike(cases):
    for case, found in zip(cases, fill_in_node(cases), strict=True):
        assert not is_same(json.loads(json.dumps(fill_in_python(case))), found)


def numbers_for(figure, trace, row=0, **shown):
    names = {"token": ["<b>", "a & b", "sentimental", "猫猫猫猫猫猫猫猫猫猫"]}
    at = Shown((1, *trace["weights"].shape)[-3], **shown)
    drawn = figure["layout"]["meta"]["matrices"]
    return {
        "matrices": [numbers_of(trace.step(one["step"]), trace, at, Words(), names) for one in drawn],
        "shares": {
            step: shares_of(trace.step(step), at, row, Words(), names)
            for step in ("weights", "dropped")
            if step in trace.names
        },
    }


@pytest.mark.parametrize("preset", preset_ids())
def test_every_figure_of_a_preset_is_filled_alike(preset):
    trace, words = load_preset(preset).trace(), Words()
    cases = []
    for step in (name for names in steps_by_stage(trace).values() for name in names):
        figure = figure_of(trace.step(step), trace, words)
        cases += [case_of(figure, numbers_for(figure, trace), width) for width in WIDTHS]
    both_alike(cases)


def test_decimals_marks_guesses_and_marked_cells_are_filled_alike():
    trace = load_preset("causal").trace()
    cases = []
    for step in ("scores", "masked", "weights", "head_outputs", "q_heads"):
        figure = figure_of(trace.step(step), trace, Words())
        numbers = numbers_for(figure, trace, row=1)
        for one in numbers["matrices"]:
            one["lit"] = [[0, 1, "source"], [1, 0, "chosen"]]
            one["unknown"] = [
                [row == column for column in range(len(line))] for row, line in enumerate(one["values"])
            ]
        cases += [case_of(figure, numbers, 380, decimals, "vi") for decimals in (0, 1, 4, 6)]
        cases.append(case_of(figure, numbers | {"shares": {}}, 300))
    both_alike(cases)


def test_large_matrices_are_filled_alike_from_far_and_from_near():
    trace = load_preset("vit_base").trace()
    figure = figure_of(trace.step("scores"), trace, Words())
    numbers = numbers_for(figure, trace, head=3, lens={"token": 40, "query": 40, "key": 17})
    both_alike([case_of(figure, numbers, 500, near=near) for near in ({}, {"1": 31.5}, {"2": 12.0})])


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_figure_of_a_lesson_is_filled_alike(lesson):
    cases = [case_of(block["figure"], {"block": block}) for block in plots_of(lesson)]
    if cases:
        both_alike(cases)


def plots_of(lesson):
    """Every plot of a lesson, before and after its answers are told."""
    student = Student(lesson)
    for place in range(len(student.sections)):
        student.do("section", place)
        for blocks in (student.blocks, student.do("show").blocks):
            yield from found_in(blocks)


def found_in(blocks):
    for block in blocks:
        if block["kind"] == "plot":
            yield block
        yield from found_in(block.get("blocks", []))
