"""The step in focus: what happens and why, its formula, its shapes, and a figure of its numbers."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from attention_core import Trace
from attention_core.trace import Step
from ui import board, figures
from ui.plot import draw_figure
from ui.scenario import Scenario
from ui.words import Words


def focus_panel(
    stage: str,
    steps: list[str],
    trace: Trace,
    scenario: Scenario,
    shown: dict[str, int],
    words: Words,
    on_cell: Callable[[object], None],
) -> None:
    """Everything about one stage of the computation; `on_cell` is told of a cell chosen in its figure."""
    st.header(words(f"stage.{stage}.title"), anchor=False)
    st.markdown(words(f"stage.{stage}.why"))
    found = [trace.step(name) for name in steps]
    step = found[0] if stage in ("project", "split", "share", "input") else found[-1]
    if len(found) > 1 and step is found[0]:
        step = trace.step(chosen_of(stage, steps, scenario, words))
    picture = figure_of(step, trace, scenario, shown, words)
    draw_figure("focus_figure", picture, words("lab.figure", name=words(f"name.{step.name}")), on_cell)
    facts = [shapes_of(step, trace)] if step.inputs else []
    if step.name == "weights":
        facts += share_facts(step, scenario, shown, words)
    if facts:
        st.caption("  ·  ".join(facts))
    if step.formula:
        st.code(f"{step.name} = {step.formula}", language=None, wrap_lines=True)


def chosen_of(stage: str, steps: list[str], scenario: Scenario, words: Words) -> str:
    """Which of several steps of a stage is pictured: the learner's choice, at first the one of the cell."""
    key = f"focus_of_{stage}"
    if st.session_state.get(key) not in steps:
        at_cell = scenario.view.cell and scenario.view.cell[0]
        st.session_state[key] = at_cell if at_cell in steps else steps[0]
    st.segmented_control(
        words("lab.which"),
        steps,
        key=key,
        format_func=lambda name: words(f"name.{name}"),
        label_visibility="collapsed",
        required=True,
    )
    return st.session_state[key] or steps[0]


def figure_of(step: Step, trace: Trace, scenario: Scenario, shown: dict[str, int], words: Words) -> dict:
    """The figure that shows how a step came about."""
    decimals = scenario.view.decimals
    sources = [name for name in step.inputs if trace.step(name).op != "number" and trace[name].ndim > 1]
    names = [*sources, step.name]
    if step.op.startswith("pick_"):  # out of Q, K and V side by side
        shown = {**shown, "part": int(step.op[-1])}
    drawn = {matrix["id"]: matrix for matrix in board.matrices(trace, scenario, names, shown, words)}
    if step.name == "weights":
        row = scenario.view.cell[1] if scenario.view.cell[:1] == ("weights",) else 0
        return figures.shares_figure(drawn["weights"], min(row, len(drawn["weights"]["rows"]) - 1), decimals)
    if step.op == "contract":
        left, above = (
            transposed(drawn[name]) if turned else drawn[name]
            for name, turned in operands_in_order(step, trace)
        )
        return figures.product_figure(left, above, drawn[step.name], decimals)
    return figures.row_figure([drawn[name] for name in dict.fromkeys(names)], decimals)


def operands_in_order(step: Step, trace: Trace) -> list[tuple[str, bool]]:
    """The two operands of a product as the algebra writes them, and whether each is turned on its side."""
    first, second = step.inputs[:2]
    if "height" in step.axes:  # a 1x1 convolution: the weight stands left of the image
        return [(second, False), (first, False)]
    if step.axes[-2:] == ("query", "key"):
        turned = trace.step(first).axes[-1] == "query", trace.step(second).axes[-1] != "key"
        return [(first, turned[0]), (second, turned[1])]
    return [(first, False), (second, step.axes[-1] == "query")]


def transposed(drawn: dict) -> dict:
    """The same matrix turned on its side."""
    values = [list(column) for column in zip(*drawn["values"], strict=True)]
    turned = {"name": f"{drawn['name']}ᵀ", "values": values, "turned": True}
    return {**drawn, **turned, "rows": drawn["columns"], "columns": drawn["rows"]}


def shapes_of(step: Step, trace: Trace) -> str:
    """(4×2)·(2×4) → (4×4), from the shapes themselves."""

    def written(shape: tuple[int, ...]) -> str:
        return f"({'×'.join(map(str, shape))})"

    if step.op == "contract":
        shapes = []
        for name, turned in operands_in_order(step, trace):
            *lead, rows, columns = trace[name].shape
            shapes.append(written((*lead, columns, rows) if turned else trace[name].shape))
        return f"{' · '.join(shapes)} → {written(step.shape)}"
    sources = [trace.step(name) for name in step.inputs if trace.step(name).op != "number"]
    return f"{', '.join(written(source.shape) for source in sources[:2])} → {written(step.shape)}"


def share_facts(step: Step, scenario: Scenario, shown: dict[str, int], words: Words) -> list[str]:
    """Sum and entropy of the row that is pictured."""
    matrix = board.matrix_of(step, board.slice_of(step, shown))
    row = scenario.view.cell[1] if scenario.view.cell[:1] == ("weights",) else 0
    shares = matrix[min(row, len(matrix) - 1)]
    seen = shares[shares > 0]
    entropy = float(-(seen * np.log2(seen)).sum()) + 0.0
    return [
        words("lab.row_sum", sum=figures.write(float(shares.sum()), 3)),
        words("lab.entropy", bits=figures.write(entropy, 2)),
    ]
