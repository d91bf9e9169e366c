"""What a learner does on the workbench: each act is checked against the present state before it changes anything.

An act that does not fit changes nothing; one that cannot be done is refused with a sentence. The Lab has them all,
lessons and home some of them.
"""

import math
from dataclasses import replace
from operator import gt

from ui.board import matrices as board
from ui.board.comparing import with_beside
from ui.board.matrices import LENS, Matrix, shown_places
from ui.board.stages import board_names, steps_by_stage
from ui.limits import MOST_ALONG_AN_AXIS
from ui.numbers import NumberError, parse_block
from ui.predict.judge import judge
from ui.scenario import choices
from ui.scenario.link import (
    MOST_CHARACTERS,
    MOST_IN_A_NAME,
    MOST_KEPT,
    LinkError,
    is_name,
    read_link,
    write_link,
)
from ui.scenario.scenario import PICTURES, Locks, Scenario
from ui.scenario.shaping import FILLS, can_be_resized, can_grow, filled, with_room, with_words
from ui.scenario.sourced import base_of
from ui.state.state import MOST_GUESSES, Cell, State, kept_link, start_of
from ui.state.step import Handler, Refused, changed, looking
from ui.words import languages

MOST_TYPED_WORDS = 2000  # characters
MOST_SEED = 9999  # of random numbers
PANELS = ("more", "upload", "take", "share")


def allowed(control: str, locks: Locks) -> str:
    """Whether a control is there ("yes"), seen but fixed ("locked"), or not there at all ("hidden")."""
    return "hidden" if control in locks.hidden else "locked" if control in locks.locked else "yes"


def shown_panels(scenario: Scenario) -> list[str]:
    """The panels that are offered; a teacher's link is not shared on, and fixed numbers stay as they are."""
    hidden = {*scenario.locks.hidden}
    if scenario.locks != Locks():
        hidden.add("share")
    if scenario.is_fixed:
        hidden.add("upload")
    return [name for name in PANELS if name not in hidden]


def drawn_in(state: State) -> list[Matrix]:
    """The matrices on the board."""
    trace = state.scenario.trace()
    return board.drawn_matrices(trace, board_names(trace), shown_places(state.scenario, trace))


def matrix_with(state: State, key: object, row: object, column: object) -> Matrix | None:
    """The matrix that the browser speaks of, if it is on the board and has such a cell."""
    matrix = board.matrix_by_key(key, drawn_in(state))
    return matrix if matrix is not None and board.is_cell(matrix, row, column) else None


# Where the learner looks
def choose_cell(state: State, details: list) -> State:
    """A cell was chosen, or none any more."""
    match details:
        case []:
            return looking(state, cell=())
        case [key, row, column]:
            matrix = matrix_with(state, key, row, column)
            if matrix is not None:
                return seen_at(state, matrix.step.name, matrix.index(row, column))
    return state


def open_cell(state: State, details: list) -> State:
    """A step further back: the step and the full index of a number there."""
    trace = state.scenario.trace()
    match details:
        case [str(name), [*index]] if name in trace.plan.by_name and trace[name].ndim:
            shape = trace[name].shape
            fits = len(index) == len(shape) and all(type(place) is int for place in index)
            if fits and all(0 <= place < size for place, size in zip(index, shape, strict=True)):
                return seen_at(state, name, tuple(index))
    return state


def seen_at(state: State, name: str, index: tuple[int, ...]) -> State:
    """With a cell chosen, its head shown and, on a large matrix, the lens where the cell is."""
    trace = state.scenario.trace()
    found = state.scenario.looking(**board.place_of(trace, name, index))
    for matrix in board.matrices_of(trace.step(name), shown_places(found, trace)):
        cell = matrix.cell(index)
        if cell is not None and matrix.is_large:
            found = found.looking(lens={**found.view.lens, **lens_around(matrix, *cell)})
    return changed(state, found)


def lens_around(matrix: Matrix, row: int, column: int) -> dict[str, int]:
    """Where the lens has to lie so that a cell is under it; it stays where the cell is in sight already."""
    starts = {}
    for axis, place, start in zip(matrix.axes, (row, column), matrix.at, strict=True):
        inside = start <= place < start + LENS
        starts[axis] = start if inside else max(0, place - LENS // 2)
    return starts


def move_lens(state: State, details: list) -> State:
    match details:
        case [key, row, column]:
            matrix = matrix_with(state, key, row, column)
            if matrix is not None and matrix.is_large:
                starts = zip(matrix.axes, (max(0, place - LENS // 2) for place in (row, column)), strict=True)
                return looking(state, lens={**state.scenario.view.lens, **dict(starts)})
    return state


def choose_step(state: State, details: list) -> State:
    match details:
        case [str(stage)] if stage in steps_by_stage(state.scenario.trace()):
            return looking(state, step=stage)
    return state


def choose_place(axis: str) -> Handler:
    """Another head or batch item."""

    def chosen(state: State, details: list) -> State:
        match details:
            case [int(place)] if 0 <= place <= 1000 and not isinstance(place, bool):
                return looking(state, **{axis: place})
        return state

    return chosen


def choose_focus(state: State, details: list) -> State:
    """Another word; a chosen cell in the row of the word before goes along."""
    match details:
        case [int(row)] if 0 <= row <= 100_000 and not isinstance(row, bool):
            scenario, trace = state.scenario, state.scenario.trace()
            row, cell = min(row, trace["weights"].shape[-2] - 1), scenario.view.cell
            matrix = board.chosen_matrix(scenario, trace, board_names(trace), shown_places(scenario, trace))
            if matrix is not None and matrix.axes[0] in board.OF_WORDS:
                cell = (cell[0], row, *cell[2:])
            return looking(state, focus=row, cell=cell)
    return state


def choose_picture(state: State, details: list) -> State:
    """What stands beside the step; the heatmaps show every head."""
    match details:
        case [str(name)] if name in ("", *PICTURES):
            return looking(state, picture=name, all_heads=name == "heatmap")
    return state


def switch(name: str) -> Handler:
    """A switch of the view."""

    def switched(state: State, details: list) -> State:
        match details:
            case [bool(on)] if allowed(name, state.scenario.locks) == "yes":
                return looking(state, **{name: on, "cell": ()})
        return state

    return switched


def choose_language(state: State, details: list) -> State:
    """Another language, with everything else as it is."""
    match details:
        case [str(code)] if code in languages():
            return looking(state, language=code)
    return state


def toggle_panel(state: State, details: list) -> State:
    """Opens a panel, or closes it."""
    match details:
        case [str(name)] if name in shown_panels(state.scenario):
            if allowed(name, state.scenario.locks) == "yes":
                return replace(state, panel="" if state.panel == name else name)
    return state


# Other numbers


def edit(state: State, details: list) -> State:
    """A number or a block was typed or pasted with its upper left corner at a cell."""
    match details:
        case [key, row, column, str(text)]:
            matrix = matrix_with(state, key, row, column)
            if matrix is not None and board.is_editable(matrix.step, state.scenario):
                block = typed_block(text, with_infinity=matrix.step.name == "attn_mask")
                if any(map(gt, needed_for(block, row, column), matrix.shape)):
                    raise too_large(state, matrix, details, block)
                cells = cells_of(matrix, row, column, block)
                return changed(state, state.scenario.edited(matrix.step.name, cells))
    return state


def typed_block(text: str, with_infinity: bool) -> list[list[float]]:
    try:
        return parse_block(text, with_infinity=with_infinity)
    except NumberError as error:
        raise Refused("edit.no_number", text=error.text) from None


def cells_of(matrix: Matrix, row: int, column: int, block: list[list[float]]) -> dict[tuple[int, ...], float]:
    """The numbers of a block by their index."""
    return {
        matrix.index(row + down, column + right): value
        for down, numbers in enumerate(block)
        for right, value in enumerate(numbers)
    }


def needed_for(block: list[list[float]], row: int = 0, column: int = 0) -> tuple[int, int]:
    """Rows and columns of a matrix in which a block has room at a cell."""
    return row + len(block), column + max(map(len, block))


def too_large(state: State, matrix: Matrix, details: list, block: list[list[float]]) -> Refused:
    """Why a block has no room at a cell; where the matrix may be enlarged, that can be done instead."""
    key, row, column, text = details
    (rows, columns), (n_rows, n_columns) = needed_for(block), matrix.shape
    more = needed_for(block, row, column)
    facts = {"rows": rows, "columns": columns, "free_rows": n_rows, "free_columns": n_columns}
    facts |= {"more_rows": max(more[0], n_rows), "more_columns": max(more[1], n_columns)}
    if rows <= n_rows and columns <= n_columns:
        facts |= {"free_rows": n_rows - row, "free_columns": n_columns - column}
        refused = Refused("edit.too_large", **facts)
    elif max(rows, columns) > MOST_ALONG_AN_AXIS and can_grow(state.scenario, matrix.step.name):
        return Refused("edit.beyond", most=MOST_ALONG_AN_AXIS, **facts)
    else:
        refused = Refused("edit.larger", **facts)
    if larger_for(state, matrix, *more):
        refused.instead = ["enlarge", key, row, column, text]
    return refused


def larger_for(state: State, matrix: Matrix, rows: int, columns: int) -> Scenario | None:
    """The scenario in which a matrix is large enough, unless that cannot be or a teacher's link fixed the sizes."""
    if allowed("more", state.scenario.locks) != "yes":
        return None
    return with_room(state.scenario, matrix.step.name, rows, columns)


def enlarge(state: State, details: list) -> State:
    """A block that had no room is put in all the same: the sizes follow it."""
    match details:
        case [key, row, column, str(text)]:
            matrix = matrix_with(state, key, row, column)
            if matrix is not None and board.is_editable(matrix.step, state.scenario):
                block = typed_block(text, with_infinity=False)
                larger = larger_for(state, matrix, *needed_for(block, row, column))
                if larger is None:
                    raise too_large(state, matrix, details, block)
                room = matrix_with(replace(state, scenario=larger), key, row, column)
                return changed(
                    state, larger.edited(matrix.step.name, cells_of(room or matrix, row, column, block))
                )
    return state


def rename(state: State, details: list) -> State:
    """A row or column got another name."""
    match details:
        case [key, str(axis), int(place), str(text)]:
            matrix, scenario = board.matrix_by_key(key, drawn_in(state)), state.scenario
            if matrix is None or axis not in matrix.axes or scenario.is_fixed or scenario.is_large:
                return state
            size = matrix.whole.shape[matrix.axes.index(axis)]
            name = " ".join(text[: 10 * MOST_IN_A_NAME].split())
            if not is_name(name):
                raise Refused("edit.no_name", most=MOST_IN_A_NAME)
            if 0 <= place < size:
                return changed(state, scenario.renamed(axis, size, place, name))
    return state


def write_sentence(state: State, details: list) -> State:
    """Words were typed or pasted: they become the tokens, in one step."""
    match details:
        case [str(text)]:
            scenario = state.scenario
            is_open = allowed("more", scenario.locks) == "yes" and not scenario.fixes("x")
            if not is_open or not can_be_resized(scenario):
                raise Refused("edit.no_sentence")
            names = text[:MOST_TYPED_WORDS].split()
            if len(names) > MOST_ALONG_AN_AXIS:
                raise Refused("edit.many_words", given=len(names), most=MOST_ALONG_AN_AXIS)
            if not names or not all(map(is_name, names)):
                raise Refused("edit.no_name", most=MOST_IN_A_NAME)
            return changed(state, with_words(scenario, names))
    return state


def fill(state: State, details: list) -> State:
    """One matrix filled at once: with zeros, or with random numbers of a seed."""
    match details:
        case [key, str(kind), int(seed)] if kind in FILLS and 0 <= seed <= MOST_SEED:
            matrix = board.matrix_by_key(key, drawn_in(state))
            if matrix is not None and board.is_editable(matrix.step, state.scenario):
                name = state.scenario.given_as(matrix.step.name)
                if name in state.scenario.arrays:
                    return changed(state, filled(state.scenario, name, kind, seed))
    return state


def choose(state: State, details: list) -> State:
    """One of the choices above the board."""
    match details:
        case [str(choice), value]:
            scenario = choices.chosen(state.scenario, state.scenario.trace(), choice, value)
            if scenario is not None:
                return changed(state, scenario)
    return state


# Predictions


def guess(state: State, details: list) -> State:
    """A prediction was typed into a blank cell; a block is taken cell by cell."""
    match details:
        case [key, row, column, str(text)] if state.scenario.view.predict:
            matrix = matrix_with(state, key, row, column)
            if matrix is not None:
                for down, numbers in enumerate(typed_block(text, with_infinity=True)):
                    for right, value in enumerate(numbers):
                        if board.is_cell(matrix, row + down, column + right):
                            index = matrix.index(row + down, column + right)
                            state = with_guess(state, (matrix.step.name, index), value)
    return state


def with_guess(state: State, cell: Cell, typed: float) -> State:
    """A guess, judged; only the first one for a cell counts, and none for an answer that is there to read."""
    guesses = state.guesses
    if cell in guesses.shown or (cell[0], ()) in guesses.shown or math.isnan(typed):
        return state
    if cell not in guesses.typed:
        if len(guesses.typed) >= MOST_GUESSES:
            return state
        verdict = judge(state.scenario.trace(), *cell, typed, state.scenario.view.decimals)
        guesses = replace(guesses, right=guesses.right + verdict.right, tried=guesses.tried + 1)
    others = {one: number for one, number in guesses.typed.items() if one != cell}
    return replace(state, guesses=replace(guesses, typed={**others, cell: typed}))


def reveal(state: State, details: list) -> State:
    """One answer, or every answer of the stage in focus."""
    if not state.scenario.view.predict:
        return state
    cells: set[Cell] = set()
    match details:
        case [key, row, column]:
            matrix = matrix_with(state, key, row, column)
            if matrix is not None:
                cells = {(matrix.step.name, matrix.index(row, column))}
        case []:
            stages = steps_by_stage(state.scenario.trace())
            steps = stages.get(state.scenario.view.step, next(iter(stages.values())))
            cells = {(name, ()) for name in steps}
    shown = state.guesses.shown | cells
    if len(shown) > MOST_GUESSES:
        return state
    return replace(state, guesses=replace(state.guesses, shown=shown))


# Two results compared


def keep(state: State, details: list) -> State:
    """The present result is what later ones are compared with; in the address where it fits there."""
    if allowed("compare", state.scenario.locks) != "yes":
        return state
    return compared_with(state, state.scenario, state.scenario)


def compared_with(state: State, other: Scenario, now: Scenario) -> State:
    """`now` compared with another result, whose link goes into the address too where it fits."""
    link = write_link(replace(other.looking(kept="", cell=()), start=""))
    room = MOST_CHARACTERS - len(write_link(now.looking(kept=""))) - 200
    fits = len(link) <= min(MOST_KEPT, room)
    return replace(changed(state, now.looking(kept=link if fits else "")), kept=link)


def forget(state: State, details: list) -> State:
    """Ends comparing."""
    if allowed("compare", state.scenario.locks) != "yes":
        return state
    return replace(looking(state, kept=""), kept="")


def swap(state: State, details: list) -> State:
    """What the result is compared with comes onto the board, and the other way round."""
    now = state.scenario
    if allowed("compare", now.locks) != "yes" or now.is_fixed:
        return state
    try:
        other = read_link(kept_link(state)) if kept_link(state) else None
    except LinkError:
        return state
    if other is None:
        return state
    view = replace(now.view, kept="", cell=())
    return compared_with(state, now, replace(other, view=view, locks=now.locks, start=now.start))


# The beginning


def reset(state: State, details: list) -> State:
    """Back to the beginning: the state of a teacher's link, or the example."""
    if start_of(state) is not None:
        return restart(state, details)
    now = state.scenario
    view = {"decimals": now.view.decimals, "language": now.view.language, "step": now.view.step}
    fresh = with_beside(base_of(now))
    return changed(state, replace(fresh.looking(**view), locks=now.locks))


def start_here(state: State, details: list) -> State:
    """The present state becomes the start that is shared, and that "start over" returns to."""
    plain = replace(state.scenario, start="", locks=Locks())
    link = write_link(plain.looking(kept=""))
    if len(link) > MOST_CHARACTERS:
        raise Refused("link.too_much")
    return changed(replace(state, start=link), replace(state.scenario, start=link))


def restart(state: State, details: list) -> State:
    """Back to the state that was shared."""
    now, shared = state.scenario, start_of(state)
    if shared is None:
        return state
    shared = shared.looking(language=now.view.language)
    return changed(state, replace(shared, locks=now.locks, start=now.start))


HANDLERS: dict[str, Handler] = {
    "cell": choose_cell,
    "open": open_cell,
    "lens": move_lens,
    "edit": edit,
    "enlarge": enlarge,
    "rename": rename,
    "sentence": write_sentence,
    "fill": fill,
    "choose": choose,
    "panel": toggle_panel,
    "step": choose_step,
    "focus": choose_focus,
    "picture": choose_picture,
    "head": choose_place("head"),
    "batch": choose_place("batch"),
    "all_heads": switch("all_heads"),
    "predict": switch("predict"),
    "guess": guess,
    "reveal": reveal,
    "keep": keep,
    "forget": forget,
    "swap": swap,
    "language": choose_language,
    "start": start_here,
    "restart": restart,
    "reset": reset,
}
