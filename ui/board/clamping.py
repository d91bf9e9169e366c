"""A view brought within the sizes of what was computed, so that nothing else need ask whether it is."""

import math
from dataclasses import replace

from attention_core import Trace
from ui.board.matrices import LENS, Matrix, chosen_matrix, flat_axes, matrices_of, shown_places
from ui.board.stages import board_names, steps_by_stage
from ui.scenario.scenario import Scenario


def clamped(scenario: Scenario, trace: Trace) -> Scenario:
    """The scenario, looking at what there is; after Undo, a swap or a link a view may be of other sizes.

    Head, batch item and lens go to the nearest place. A step or a cell that is not there is not chosen.
    """
    view, shown = scenario.view, shown_places(scenario, trace)
    found = replace(
        view,
        step=view.step if view.step in steps_by_stage(trace) else "",
        focus=min(view.focus, trace["weights"].shape[-2] - 1),
        head=shown.head,
        batch=shown.batch,
        lens=clamped_lens(view.lens, trace),
    )
    found = replace(found, cell=clamped_cell(replace(scenario, view=found), trace))
    return scenario if found == view else replace(scenario, view=found)


def clamped_cell(scenario: Scenario, trace: Trace) -> tuple:
    """The chosen cell, or none where the board has no such matrix or the matrix no such cell."""
    shown, cell = shown_places(scenario, trace), scenario.view.cell
    matrix = chosen_matrix(scenario, trace, board_names(trace), shown)
    if matrix is None:
        return ()
    n_parts = len(matrices_of(matrix.step, shown._replace(all_heads=False)))
    part = [min(place, n_parts - 1) for place in cell[3:]] if n_parts > 1 else []
    return (*cell[:3], *part)


def clamped_lens(lens: dict[str, int], trace: Trace) -> dict[str, int]:
    """Where the lens begins along each axis of the board: so that it is full, where that can be."""
    if not lens:
        return lens
    sizes = sizes_on_board(trace)
    return {axis: min(start, max(0, sizes[axis] - LENS)) for axis, start in lens.items() if axis in sizes}


def sizes_on_board(trace: Trace) -> dict[str, int]:
    """The longest that each axis is, as rows or columns of some matrix."""
    sizes: dict[str, int] = {}
    for name in board_names(trace):
        step = trace.step(name)
        n_flat = flat_axes(step.axes)
        counts = ((1, *step.shape)[-n_flat - 1], math.prod(step.shape[-n_flat:]))
        for axis, size in zip(Matrix(name, step, (), n_flat).axes, counts, strict=True):
            sizes[axis] = max(sizes.get(axis, 0), size)
    return sizes
