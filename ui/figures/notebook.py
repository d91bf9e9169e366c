"""Figures with numbers in, for a notebook.

from attention_core import multi_head_attention
from ui.figures import figure

trace = multi_head_attention(x, w_q, w_k, w_v, n_heads=2)
figure(trace, "weights", head=1)
"""

from collections.abc import Mapping, Sequence

from attention_core import Trace
from attention_core.trace import Step
from ui.board import matrices as board
from ui.board.matrices import Shown
from ui.figures.cells import LARGEST_CELL
from ui.figures.fill import fill, fit
from ui.figures.operands import strip_of
from ui.figures.parts import Numbers, View
from ui.figures.steps import figure_of
from ui.figures.style import style, theme_colours
from ui.words import Words


def figure(
    trace: Trace,
    name: str,
    *,
    head: int = 0,
    batch: int = 0,
    row: int = 0,
    decimals: int = 2,
    names: Mapping[str, Sequence[str]] | None = None,
    width: float = 900,
    scheme: str = "light",
    language: str = "en",
):
    """The plotly.graph_objects.Figure of a step and what it is made from, as the Lab draws it.

    `row` is the row of weights that is shown as bars, `names` what
    places along an axis are called: {"token": ["the", "cat"]}.
    """
    import plotly.graph_objects as go  # only where it is asked for: it takes a second

    words = Words(language)
    shown = Shown(n_heads=(1, *trace["weights"].shape)[-3], head=head, batch=batch)
    made = figure_of(trace.step(name), trace, words)
    fitted, cell = fit(made, width)
    drawn = made["layout"]["meta"]["matrices"]
    numbers = {
        "matrices": [numbers_of(trace.step(one["step"]), trace, shown, words, names or {}) for one in drawn],
        "shares": {
            one: shares_of(trace.step(one), shown, row, words, names or {})
            for one in ("weights", "dropped")
            if one in trace.names
        },
    }
    view = View(cell or LARGEST_CELL, decimals, words.marks, theme_colours(scheme))
    filled = fill(fitted, numbers, view)
    look = fill({"data": [], "layout": style()["cells"]}, {}, view)["layout"]
    look["layout"] |= {"paper_bgcolor": theme_colours(scheme)["--st-background-color"]}
    filled["layout"] |= {
        "template": look,
        "width": width,
        "separators": words.marks.decimal + words.marks.thousands,
    }
    return go.Figure(filled)


def numbers_of(
    step: Step, trace: Trace, shown: Shown, words: Words, names: Mapping, part: int = 0
) -> Numbers:
    """What the browser has of a step; of Q, K and V in one step, of that part."""
    matrix = board.matrices_of(step, shown)[part]
    kind = board.kind_of(step.name)
    top = board.tops_of(trace, [matrix])[board.shade_of(matrix)]
    labels = [
        labels_of(axis, size, names)[start : start + count]
        for axis, size, start, count in zip(
            matrix.axes, matrix.whole.shape, matrix.at, matrix.numbers.shape, strict=True
        )
    ]
    by_head = shown.n_heads > 1 and "head" in step.axes[: len(matrix.front)]
    return {
        "name": words(f"name.{step.name}") + (f", {words('axis.head')} {shown.head}" if by_head else ""),
        "scale": kind if kind in ("share", "flag") else "signed",
        "top": top,
        "values": board.written(matrix.numbers),
        "rows": labels[0],
        "columns": labels[1],
        "hidden": board.hidden_cells(trace, matrix),
        "lit": [],
        "strip": None if matrix.is_large else strip_of(matrix.axes[1], matrix.whole.shape[1], trace),
        "unknown": None,
        "large": board.overview(trace, matrix, top) if matrix.is_large else None,
    }


def shares_of(step: Step, shown: Shown, row: int, words: Words, names: Mapping) -> dict:
    """One row of weights, with its name."""
    matrix = board.matrices_of(step, shown)[0]
    values = [board.number(value) for value in matrix.whole[row].tolist()]
    label = labels_of(matrix.axes[0], len(matrix.whole), names)[row]
    title = words("bench.bars", name=words(f"name.{step.name}"), row="{row}")
    return {"title": title, "name": label, "shares": values}


def labels_of(axis: str, size: int, names: Mapping[str, Sequence[str]]) -> list[str]:
    """The names along an axis: queries and keys are tokens, unless they have names of their own."""
    given = names.get(axis) or (names.get("token", ()) if axis in ("query", "key") else ())
    return [*given[:size], *map(str, range(len(given), size))]
