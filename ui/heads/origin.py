"""Where a number of X comes from: in the first layer the rows of the tables of embeddings, deeper the layer before."""

from functools import lru_cache

import numpy as np

from attention_core import Trace, explain_cell
from attention_core.models import Run
from attention_core.trace import Line as PlanLine
from attention_core.trace import Plan
from ui import models
from ui.message.arithmetic import in_names, latex_of, line_in_names
from ui.message.types import Line
from ui.scenario.scenario import Scenario
from ui.scenario.sourced import of_source
from ui.words import Words

ROWS = ("token", "feature")


def origin_lines(scenario: Scenario, words: Words) -> list[Line]:
    """The arithmetic behind the chosen cell of X, where that is a trained model's."""
    source = scenario.source
    match scenario.view.cell:
        case ("x", int(row), int(column)) if source:
            if scenario.arrays["x"] != of_source(source).arrays["x"]:
                return []  # numbers of the learner's own
        case _:
            return []
    model = models.model_with(source.hash)
    run = models.run_of(model, source.wanted)
    if source.layer:
        key = "origin_normed" if model.is_causal else "origin"
        return [said_line(scenario, (row, column), words(f"heads.{key}", layer=source.layer - 1), words)]
    trace = embedding_trace(run)
    digits = {"x": scenario.view.decimals, "total": scenario.view.decimals + 2}  # it stands below with more
    return [shown_line(scenario, trace, name, (row, column), digits[name], words) for name in digits]


@lru_cache(maxsize=4)
def embedding_trace(run: Run) -> Trace:
    """The sum of the rows of the tables, and its LayerNorm: X of the first layer."""
    rows = {what: np.array(table) for what, table in run.rows.items()}
    norm = run.parts.norm_of_embeddings
    total = sum(rows.values())
    lines = [PlanLine(what, ROWS, "input") for what in rows]
    lines += [PlanLine("total", ROWS, "add", tuple(rows), " + ".join(rows))]
    lines += [PlanLine(name, ("feature",), "parameter") for name in ("gamma", "beta")]
    lines += [PlanLine("eps", (), "number")]
    inputs = ("total", "gamma", "beta", "eps")
    lines += [PlanLine("x", ROWS, "layer_norm", inputs, f"layer_norm({', '.join(inputs)})")]
    given = {"gamma": np.array(norm.gamma), "beta": np.array(norm.beta), "eps": norm.eps}
    return Trace(Plan(tuple(lines)), rows | given | {"total": np.asarray(total), "x": np.array(run.x(0))})


def shown_line(
    scenario: Scenario, trace: Trace, name: str, index: tuple[int, int], digits: int, words: Words
) -> Line:
    line = explain_cell(trace, name, index, digits)
    called = words("name.x") if name == "x" else words("heads.total")
    text = line_in_names(scenario, trace, line, words)
    return Line(f"{called}{place_of(scenario, trace, name, index)}", text, latex_of(line, words), [], "")


def said_line(scenario: Scenario, index: tuple[int, int], said: str, words: Words) -> Line:
    """A line that tells where a number comes from, without its arithmetic."""
    trace = scenario.trace()
    name = f"{words('name.x')}{place_of(scenario, trace, 'x', index)}"
    value = words.brief(float(trace["x"][index]), 4)
    return Line(name, f"{name} = {value}, {said}", "x = \\mathrm{x}", [], "")


def place_of(scenario: Scenario, trace: Trace, name: str, index: tuple[int, int]) -> str:
    return in_names(scenario, trace, f"{name}[{index[0]}, {index[1]}]").removeprefix(name)
