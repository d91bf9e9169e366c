"""The message that shows a state, for the Lab, a lesson, home and a handout alike: `assemble`.

An edit sends numbers only. What depends on structure alone (names, labels, formulas, prose, figures) is the
*outline*: it is sent once, and again only to a browser that does not say it holds it.
"""

import hashlib
import json
from dataclasses import asdict

import numpy as np

from attention_core import Trace
from attention_core.trace import Step
from ui.board import matrices as board
from ui.board.matrices import Matrix, Shown
from ui.board.stages import board_rows, steps_by_stage
from ui.board.stands import about_of, stand_of
from ui.figures import operands, steps, style
from ui.message.arithmetic import explain_through_moves, ink_of, written_lines
from ui.message.code_lines import numpy_lines, torch_line
from ui.message.formulas import formula_of
from ui.message.live import given_of, is_live, labels_of, plan_of
from ui.message.types import (
    Large,
    MatrixOutline,
    Message,
    Outline,
    Row,
    StageOutline,
    StepOutline,
    View,
)
from ui.scenario import choices
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Scenario, array_shape
from ui.words import Words, languages

SUM_IS_1 = 1e-4  # rows of float32 numbers come this near
MOST_OUTLINES = 200  # kept for the next learner with the same structure
_outlines: dict[str, Outline] = {}


def outline_of(
    scenario: Scenario, trace: Trace, drawn: list[Matrix], words: Words, parts: tuple[bool, bool]
) -> tuple[str, Outline]:
    """The outline and its id, which is made of all that it depends on."""
    facts = [
        [(line.name, line.formula, trace[line.name].shape) for line in trace.plan.lines],
        [(matrix.key, board.is_editable(matrix.step, scenario)) for matrix in drawn],
        [scenario.names, "memory" in scenario.arrays, words.language, parts, scenario.preset],
        [scenario.function, asdict(scenario.locks), list(choices.values(scenario))],
        [scenario.source and scenario.source.written()],
        [str(trace[line.name]) for line in trace.plan.lines if line.op == "number"],
        nothing_to_see(trace),
        is_live(scenario, trace, drawn),
    ]
    known = hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]
    if known not in _outlines:
        while len(_outlines) >= MOST_OUTLINES:
            _outlines.pop(next(iter(_outlines)), None)
        _outlines[known] = make_outline(scenario, trace, drawn, words, *parts)
    return known, _outlines[known]


def nothing_to_see(trace: Trace) -> bool:
    """Whether some query has nothing to look at, so that its weights are all 0."""
    return "masked" in trace.names and not trace["weights"].any(axis=-1).all()


def make_outline(
    scenario: Scenario,
    trace: Trace,
    drawn: list[Matrix],
    words: Words,
    with_stages: bool,
    with_choices: bool,
) -> Outline:
    live = is_live(scenario, trace, drawn)
    return Outline(
        words={name: words(f"bench.{name}") for name in words.family("bench")},
        languages=[(code, Words(code)("language.name")) for code in languages()],
        axes={axis: words(f"axis.{axis}") for axis in words.family("axis")},
        about=about(scenario, words),
        matrices=[describe(matrix, scenario, trace, words) for matrix in drawn],
        marks=words.marks._asdict(),
        figures=style.style(),
        choices=choices.offered(scenario, trace, words) if with_choices else None,
        stages=stages_of(scenario, trace, words) if with_stages else None,
        shown=None if with_stages else about_of(trace, list(dict.fromkeys(one.step.name for one in drawn))),
        plan=plan_of(trace, words) if live else None,
        labels=labels_of(scenario, trace) if live else None,
    )


def stages_of(scenario: Scenario, trace: Trace, words: Words) -> list[StageOutline]:
    return [
        StageOutline(
            id=stage,
            title=words(f"stage.{stage}.title"),
            why=words(why_of(stage, scenario, words)),
            shape="×".join(map(str, trace.step(names[-1]).shape)),
            steps=[describe_step(trace.step(name), trace, words) for name in names],
        )
        for stage, names in steps_by_stage(trace).items()
    ]


def about(scenario: Scenario, words: Words) -> str:
    """What is told of a scenario as a whole: of a layer of a model which it is, of an example what it shows."""
    source = scenario.source
    if source:
        return words("heads.in_lab", layer=source.layer, model=source.model, text=source.text)
    return words(f"preset.{scenario.preset}.about") if still_of_preset(scenario) else ""


def still_of_preset(scenario: Scenario) -> bool:
    """Whether what is told of the preset still holds: it has the preset's function and sizes."""
    preset = load_preset(scenario.preset)
    sizes = [{name: array_shape(one) for name, one in each.arrays.items()} for each in (preset, scenario)]
    return preset.function == scenario.function and sizes[0] == sizes[1]


def why_of(stage: str, scenario: Scenario, words: Words) -> str:
    """The key of what a stage says: an image lies channels first, and a split by view is a slip."""
    kind = "image" if scenario.function == "conv_attention" else scenario.options.get("split", "")
    own = f"stage.{stage}.why_{kind}"
    return own if own in words else f"stage.{stage}.why"


def describe(matrix: Matrix, scenario: Scenario, trace: Trace, words: Words) -> MatrixOutline:
    """All about a matrix but its numbers."""
    step, axes, kind = matrix.step, matrix.axes, board.kind_of(matrix.step.name)
    found = MatrixOutline(
        key=matrix.key,
        id=step.name,
        name=words(f"name.{step.name}"),
        shape="×".join(map(str, step.shape)),
        formula=step.formula,
        ink=ink_of(step.name),
        kind=board.shade_of(matrix),
        scale=kind if kind in ("share", "flag") else "signed",
        axes=list(axes),
        editable=board.is_editable(step, scenario),
        row=board_rows(trace)[step.name],
    )
    if not matrix.is_large:
        sizes = matrix.whole.shape
        found.rows, found.columns = (
            scenario.labels(axis, size) for axis, size in zip(axes, sizes, strict=True)
        )
        found.columns = flat_labels(matrix, words) or found.columns
        strips = [operands.strip_of(axis, size, trace) for axis, size in zip(axes, sizes, strict=True)]
        found.row_strip, found.strip = (strip or None for strip in strips)
    if board.is_given(step, scenario) and board.is_locked(step, scenario):
        found.fixed = True
    if matrix.key != step.name:
        front = zip(step.axes, matrix.front, strict=False)
        found.front = [(axis, place) for axis, place in front if axis != "batch"]
    if trace["weights"].shape[-3] > 1 and "head" in step.axes[: len(matrix.front)]:
        found.by_head = True
    return found


def flat_labels(matrix: Matrix, words: Words) -> list[str] | None:
    """Names of columns that stand for several axes: q0.1 is Q, head 0, feature 1; 0,2 is row 0, column 2."""
    if matrix.n_flat == 1 or matrix.step.axes[-1] == "width":
        return None
    axes, shape = matrix.step.axes[-matrix.n_flat :], matrix.step.shape[-matrix.n_flat :]
    if "part" not in axes:
        return [words.marks.between.strip().join(map(str, place)) for place in np.ndindex(shape)]
    part, head = axes.index("part"), axes.index("head")
    return [f"{'qkv'[place[part]]}{place[head]}.{place[-1]}" for place in np.ndindex(shape)]


def describe_step(step: Step, trace: Trace, words: Words) -> StepOutline:
    """What the step in focus says besides its numbers."""
    found = StepOutline(
        id=step.name,
        name=words(f"name.{step.name}"),
        axes=[(words(f"axis.{axis}"), size) for axis, size in zip(step.axes, step.shape, strict=True)],
        ink=ink_of(step.name),
        stand=stand_of(step, trace),
        heatmap=steps.heatmap_of(step, trace, words),
        shapes=steps.shapes_figure(step, trace, words),
        change=steps.change_of(step, trace),
    )
    if step.inputs:
        found.from_ = list(step.inputs)
        found.algebra = operands.shape_algebra(step, trace)
        found.latex = formula_of(step, trace, words)
        found.numpy = numpy_lines(step, trace)
        found.torch = torch_line(step, trace)
    return found


def assemble(
    scenario: Scenario,
    names: list[str],
    shown: Shown,
    words: Words,
    *,
    with_stages: bool = True,
    with_choices: bool = True,
) -> Message:
    """What the workbench shows, whoever looks: numbers, view, arithmetic and the outline of it all.

    A page adds what is its own to the message: panels, a section, the course.
    """
    trace = scenario.trace()
    drawn = board.drawn_matrices(trace, names, shown)
    known, outline = outline_of(scenario, trace, drawn, words, (with_stages, with_choices))
    tops = board.tops_of(trace, drawn)
    chosen = board.chosen_matrix(scenario, trace, names, shown)
    lines = []
    if chosen is not None:
        index = chosen.index(*scenario.view.cell[1:3])
        lines = explain_through_moves(trace, chosen.step.name, index, scenario.view.decimals)
    hidden = {matrix.key: board.hidden_cells(trace, matrix) for matrix in drawn}
    large = {
        matrix.key: lens_of(trace, matrix, tops[board.shade_of(matrix)], scenario)
        for matrix in drawn
        if matrix.is_large
    }
    return Message(
        outline=known,
        values=[board.written(matrix.numbers) for matrix in drawn],
        tops=tops,
        view=view_of(scenario, trace, shown),
        language=words.language,
        new_outline=outline,
        given=given_of(trace, drawn) if outline.plan else None,
        hidden={key: cells for key, cells in hidden.items() if cells} or None,
        large=large or None,
        lit=board.lit_cells(trace, lines, drawn) or None,
        lines=written_lines(scenario, trace, lines, words, {matrix.step.name for matrix in drawn}) or None,
        shares=(shares_of(scenario, trace, shown) if with_stages else None) or None,
        choices=choices.values(scenario) if with_choices else None,
    )


def view_of(scenario: Scenario, trace: Trace, shown: Shown) -> View:
    """Where the learner looks."""
    view = scenario.view
    batches, heads = (1, 1, *trace["weights"].shape)[-4:-2]
    return View(
        step=view.step,
        cell=list(view.cell),
        focus=view.focus,
        picture=view.picture,
        decimals=view.decimals,
        head=shown.head,
        heads=heads,
        batch=shown.batch,
        batches=batches,
        all=shown.all_heads,
        predict=view.predict,
    )


def lens_of(trace: Trace, matrix: Matrix, top: float, scenario: Scenario) -> Large:
    """The overview of a large matrix, and the names of the rows and columns written out."""
    labels = []
    for axis, size, start, count in zip(
        matrix.axes, matrix.whole.shape, matrix.at, matrix.numbers.shape, strict=True
    ):
        labels.append(scenario.labels(axis, size)[start : start + count])
    seen = board.overview(trace, matrix, top)
    above = int((np.abs(matrix.whole) > top).sum())
    facts = {"top": board.number(top), "above": above}
    return Large(
        seen["dots"], seen["size"], seen["shape"], seen["at"], rows=labels[0], columns=labels[1], **facts
    )


def shares_of(scenario: Scenario, trace: Trace, shown: Shown) -> dict[str, Row]:
    """The row of weights that is shown as bars: its name, shares and their sum; if that is 1, its entropy."""
    found = {}
    for name in ("weights", "dropped"):
        if name not in trace.names:
            continue
        [matrix] = board.matrices_of(trace.step(name), shown._replace(all_heads=False))
        chosen = scenario.view.cell[1] if scenario.view.cell[:1] == (name,) else scenario.view.focus
        row = min(chosen, len(matrix.whole) - 1)
        shares = matrix.whole[row]
        seen = shares[shares > 0].astype(float)
        sum_ = float(shares.sum(dtype=float))
        axis = matrix.axes[0]
        found[name] = Row(
            row=int(row),
            name=scenario.labels(axis, len(matrix.whole))[row],
            shares=[board.number(share) for share in shares.tolist()],
            sum=board.number(sum_),
        )
        if abs(sum_ - 1) < SUM_IS_1:  # only a distribution has an entropy
            found[name].bits = board.number(float(-(seen * np.log2(seen)).sum()) + 0.0)
    return found
