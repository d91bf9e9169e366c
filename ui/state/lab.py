"""What a learner does on the workbench of the Lab, and what is sent back.

Each act is checked against the present scenario before it changes anything; one that does not fit is left.
"""

import logging
from dataclasses import replace

from attention_core import Trace
from ui.board import matrices as board
from ui.board.comparing import compared, with_beside
from ui.board.matrices import LENS, Matrix, shown_places
from ui.board.stages import board_names, steps_by_stage
from ui.message.workbench import message
from ui.numbers import NumberError, parse_block
from ui.predict import guesses
from ui.scenario import choices
from ui.scenario.link import MOST_IN_A_NAME, is_name
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Locks, Scenario
from ui.state import session
from ui.streamlit.panels import shown_panels
from ui.words import Words

LOG = logging.getLogger("qkv_lab")


def message_or_last_good(words: Words) -> dict:
    """What the workbench shows. A fault of ours does not cost the learner the page: the last state stays."""
    try:
        found = lab_message(session.present(), words)
    except Exception:
        LOG.exception("The workbench could not be drawn.")
        session.return_to_good()
        session.say("edit.fault")
        return lab_message(session.present(), words)
    session.is_good()
    return found


def lab_message(scenario: Scenario, words: Words) -> dict:
    """What the workbench of the Lab shows."""
    trace = session.trace()
    shown = shown_places(scenario, trace)
    names = board_names(trace)
    found = message(scenario, trace, names, shown, words)
    locks = scenario.locks
    found["choices"] = choices.values(scenario)
    found["panels"] = [
        [name, words(f"panel.{name}"), allowed(name, locks) == "locked"] for name in shown_panels(scenario)
    ]
    found["panel"] = session.panel()
    found["may"] = {
        "undo": session.can_go("undo"),
        "redo": session.can_go("redo"),
        "rename": not (scenario.is_fixed or scenario.is_large),
        "predict": allowed("predict", locks),
        "compare": allowed("compare", locks),
        "restart": session.start() is not None,
    }
    if not scenario.view.step:
        found["view"]["step"] = next(iter(steps_by_stage(trace)))
    waiting = session.sentence()
    if waiting:
        found["sentence"] = words(waiting[0], **waiting[1])
    if scenario.view.predict:
        drawn = board.drawn_matrices(trace, names, shown)
        found |= guesses.shown_guesses(scenario, trace, drawn, words)
    kept = session.kept()
    if kept is not None:
        found["compare"] = compared(scenario, trace, kept, board.drawn_matrices(trace, names, shown), words)
    return found


def allowed(control: str, locks: Locks) -> str:
    """Whether a control is there ("yes"), seen but fixed ("locked"), or not there at all ("hidden")."""
    return "hidden" if control in locks.hidden else "locked" if control in locks.locked else "yes"


def on_acts(acts: object) -> None:
    """The learner did something on the workbench."""
    try:
        session.apply_acts(acts, ACTS)
    except Exception:
        LOG.exception("An act could not be done.")
        session.say("edit.fault")


def here() -> tuple[Scenario, Trace, list[Matrix]]:
    """The present scenario, its trace and the matrices on the board."""
    scenario, trace = session.present(), session.trace()
    return scenario, trace, board.drawn_matrices(trace, board_names(trace), shown_places(scenario, trace))


def choose_cell(details: list) -> None:
    """A cell was chosen, or none any more."""
    scenario, trace, drawn = here()
    match details:
        case []:
            session.change(scenario.looking(cell=()))
        case [key, row, column]:
            matrix = board.matrix_by_key(key, drawn)
            if board.is_cell(matrix, row, column):
                session.change(seen_at(scenario, trace, matrix.step.name, matrix.index(row, column)))


def open_cell(details: list) -> None:
    """A step further back: the step and the full index of a number there."""
    scenario, trace, _ = here()
    match details:
        case [str(name), [*index]] if name in trace.plan.by_name and trace[name].ndim:
            shape = trace[name].shape
            fits = len(index) == len(shape) and all(type(place) is int for place in index)
            if fits and all(0 <= place < size for place, size in zip(index, shape, strict=True)):
                session.change(seen_at(scenario, trace, name, tuple(index)))


def seen_at(scenario: Scenario, trace: Trace, name: str, index: tuple[int, ...]) -> Scenario:
    """The scenario with a cell chosen, its head shown and, on a large matrix, the lens where the cell is."""
    view = board.place_of(trace, name, index)
    found = scenario.looking(**view)
    shown = shown_places(found, trace)
    for matrix in board.matrices_of(trace.step(name), shown):
        cell = matrix.cell(index)
        if cell is not None and matrix.is_large:
            return found.looking(lens={**found.view.lens, **lens_around(matrix, *cell)})
    return found


def lens_around(matrix: Matrix, row: int, column: int) -> dict[str, int]:
    """Where the lens has to lie so that a cell is under it; it stays where the cell is in sight already."""
    starts = {}
    for axis, place, start in zip(matrix.axes, (row, column), matrix.at, strict=True):
        inside = start <= place < start + LENS
        starts[axis] = start if inside else max(0, place - LENS // 2)
    return starts


def move_lens(details: list) -> None:
    scenario, _, drawn = here()
    match details:
        case [key, row, column]:
            matrix = board.matrix_by_key(key, drawn)
            if board.is_cell(matrix, row, column) and matrix.is_large:
                starts = zip(matrix.axes, (max(0, place - LENS // 2) for place in (row, column)), strict=True)
                session.change(scenario.looking(lens={**scenario.view.lens, **dict(starts)}))


def edit(details: list) -> None:
    """A number or a block was typed or pasted with its upper left corner at a cell."""
    scenario, _, drawn = here()
    match details:
        case [key, row, column, str(text)]:
            matrix = board.matrix_by_key(key, drawn)
            if board.is_cell(matrix, row, column) and board.is_editable(matrix.step, scenario):
                put_in(scenario, matrix, row, column, text)


def put_in(scenario: Scenario, matrix: Matrix, row: int, column: int, text: str) -> None:
    added = matrix.step.name == "attn_mask"
    try:
        block = parse_block(text, with_infinity=added)
    except NumberError as error:
        session.say("edit.no_number", text=error.text)
        return
    n_rows, n_columns = matrix.whole.shape
    wide = max(map(len, block))
    if row + len(block) > n_rows or column + wide > n_columns:
        free = {"free_rows": n_rows - row, "free_columns": n_columns - column}
        session.say("edit.too_large", rows=len(block), columns=wide, **free)
        return
    cells = {
        matrix.index(row + down, column + right): value
        for down, numbers in enumerate(block)
        for right, value in enumerate(numbers)
    }
    session.change(scenario.edited(matrix.step.name, cells))


def rename(details: list) -> None:
    """A row or column got another name."""
    scenario, _, drawn = here()
    match details:
        case [key, str(axis), int(place), str(text)]:
            matrix = board.matrix_by_key(key, drawn)
            if matrix is None or axis not in matrix.axes or scenario.is_fixed:
                return
            size = matrix.whole.shape[matrix.axes.index(axis)]
            name = " ".join(text.split())
            if not is_name(name):
                session.say("edit.no_name", most=MOST_IN_A_NAME)
            elif 0 <= place < size:
                session.change(scenario.renamed(axis, size, place, name))


def choose_step(details: list) -> None:
    match details:
        case [str(stage)] if stage in steps_by_stage(session.trace()):
            session.change(session.present().looking(step=stage))


def choose_place(axis: str):
    """Another head or batch item."""

    def chosen(details: list) -> None:
        match details:
            case [int(place)] if 0 <= place <= 1000 and not isinstance(place, bool):
                session.change(session.present().looking(**{axis: place}))

    return chosen


def switch(name: str):
    """A switch of the view."""

    def switched(details: list) -> None:
        match details:
            case [bool(on)] if allowed(name, session.present().locks) == "yes":
                session.change(session.present().looking(**{name: on, "cell": ()}))

    return switched


def choose(details: list) -> None:
    """One of the choices above the board."""
    match details:
        case [str(choice), value]:
            scenario = choices.chosen(session.present(), session.trace(), choice, value)
            if scenario is not None:
                session.change(scenario)


def toggle_panel(details: list) -> None:
    match details:
        case [str(name)] if name in shown_panels(session.present()):
            if allowed(name, session.present().locks) == "yes":
                session.toggle_panel(name)


def guess(details: list) -> None:
    """A prediction was typed into a blank cell; a block is taken cell by cell."""
    scenario, trace, drawn = here()
    match details:
        case [key, row, column, str(text)] if scenario.view.predict:
            matrix = board.matrix_by_key(key, drawn)
            if not board.is_cell(matrix, row, column):
                return
            try:
                block = parse_block(text, with_infinity=True)
            except NumberError as error:
                session.say("edit.no_number", text=error.text)
                return
            session.say_nothing()
            for down, numbers in enumerate(block):
                for right, value in enumerate(numbers):
                    if board.is_cell(matrix, row + down, column + right):
                        index = matrix.index(row + down, column + right)
                        guesses.guess(scenario, trace, matrix.step.name, index, value)


def reveal(details: list) -> None:
    """One answer, or every answer of the stage in focus."""
    scenario, trace, drawn = here()
    if not scenario.view.predict:
        return
    match details:
        case [key, row, column]:
            matrix = board.matrix_by_key(key, drawn)
            if board.is_cell(matrix, row, column):
                guesses.reveal(scenario, matrix.step.name, matrix.index(row, column))
        case []:
            stages = steps_by_stage(trace)
            for name in stages.get(scenario.view.step, next(iter(stages.values()))):
                guesses.reveal(scenario, name)


def keep_or_forget(kept: bool):
    """Keeps the present result to compare with, or ends comparing."""

    def done(details: list) -> None:
        if allowed("compare", session.present().locks) == "yes":
            session.keep_for_comparing() if kept else session.forget_kept()

    return done


def swap(details: list) -> None:
    """What the result is compared with comes onto the board, and the other way round."""
    if allowed("compare", session.present().locks) == "yes":
        session.swap_kept()


def reset(details: list) -> None:
    """Back to the beginning: the state of a teacher's link, or the example."""
    if session.start() is not None:
        return session.return_to_start()
    now = session.present()
    view = {"decimals": now.view.decimals, "language": now.view.language, "step": now.view.step}
    fresh = with_beside(load_preset(now.preset))
    session.change(replace(fresh.looking(**view), locks=now.locks))


ACTS = {
    "cell": choose_cell,
    "open": open_cell,
    "lens": move_lens,
    "edit": edit,
    "rename": rename,
    "choose": choose,
    "panel": toggle_panel,
    "step": choose_step,
    "head": choose_place("head"),
    "batch": choose_place("batch"),
    "all_heads": switch("all_heads"),
    "predict": switch("predict"),
    "guess": guess,
    "reveal": reveal,
    "keep": keep_or_forget(True),
    "forget": keep_or_forget(False),
    "swap": swap,
    "language": session.choose_language,
    "undo": lambda details: session.go_back("undo"),
    "redo": lambda details: session.go_back("redo"),
    "reset": reset,
}
