"""Is an answer right, and if not, which term is wrong? The mistakes of the Lab, and those of exercises."""

import contextlib
import re
from collections.abc import Iterator, Sequence

import numpy as np

from attention_core import Trace, softmax
from attention_core.explain import read_index
from ui.course.exercises.exercise import DECIMALS, LETTERS, Exercise, index_of, matrix_of, write_value
from ui.course.exercises.thirds import seen_scores, thirds_slips
from ui.numbers import NumberError, joined_at, parse_block
from ui.predict.judge import Verdict, is_rounded, judge, judge_among
from ui.predict.mistakes import Cell, Slip, term_slips

# In powers of 3 only these of the Lab's sentences hold; the others speak of powers of e.
HOLD_IN_THIRDS = {"sign", "cut_off", "too_coarse", "point", "turned", "other_row", "other_column"}

WHOLE = ("shape", "wrong")  # whose answers are sizes or places
ROUGH = ("weights_e", "weights_qk")  # there e is 2.7, so that a number may be a hundredth off
HUNDREDTH = 0.01 + 1e-9


def grade(exercise: Exercise, typed: Sequence[float]) -> tuple[Verdict, ...]:
    """A verdict on each number; one alone on a cell that was pointed at and on a picked option."""
    return GRADE[exercise.kind](exercise, tuple(map(float, typed)))


def is_right(exercise: Exercise, typed: Sequence[float]) -> bool:
    return all(verdict.right for verdict in grade(exercise, typed))


def read_answer(exercise: Exercise, text: str) -> tuple[float, ...]:
    """What was typed: 3/13, or 1/2 1/2 0, or (4, 2, 8); a letter of an option. Else a NumberError.

    Numbers with a decimal comma may be separated by ";", by spaces or by ", ": the reading that gives as many
    numbers as are asked for is taken. Sizes and places are whole, so there a comma separates them.
    """
    if exercise.options:
        letter = text.strip().upper()
        if letter not in tuple(LETTERS):
            raise NumberError(text)
        return (float(LETTERS.index(letter)),)
    if exercise.kind == "shape":
        text = joined_at("×xX*", text, " ")  # few keyboards have ×
    plain = text.strip().strip("()[]")
    if exercise.kind in WHOLE:
        plain = joined_at(",;", plain, " ")
    found = read_row(plain, len(exercise.answers), exercise.kind == "shape")
    if exercise.kind == "wrong":
        rows = exercise.given[-1].rows
        if found not in np.ndindex(len(rows), len(rows[0])):
            raise NumberError(text)  # no such cell
    return found


def read_row(text: str, wanted: int, any_count: bool = False) -> tuple[float, ...]:
    """So many numbers in one row, or any count of them."""
    for reading in (text, re.sub(r",?\s+", ";", text), text.replace(",", ";")):
        with contextlib.suppress(NumberError):
            rows = parse_block(reading)
            if len(rows) == 1 and (len(rows[0]) == wanted or any_count):
                return tuple(rows[0])
    raise NumberError(text)


# Numbers


def grade_numbers(exercise: Exercise, typed: tuple[float, ...]) -> tuple[Verdict, ...]:
    return tuple(
        grade_number(exercise, cell, number) for cell, number in zip(exercise.cells, typed, strict=True)
    )


def places_of(typed: float) -> int:
    """How exactly a number was given: two places, or more where it has more; a fraction has many."""
    return next((places for places in range(DECIMALS, 6) if abs(round(typed, places) - typed) < 1e-9), 6)


def grade_number(exercise: Exercise, cell: tuple[int, int], typed: float) -> Verdict:
    """Right to the places given or to 1%; if not, the mistake, or the mistake in a score before it."""
    trace, step, places = exercise.trace, exercise.step, places_of(typed)
    index = index_of(trace, step, cell)
    found = judge(trace, step, index, typed, places)
    value = float(trace[step][index])
    roughly = exercise.ask in ROUGH and abs(typed - value) <= HUNDREDTH
    if found.right or is_rounded(typed, value) or roughly:
        return Verdict(True)
    if exercise.level == "thirds" and step == "weights":
        own = judge_among(thirds_slips(seen_scores(trace)[cell[0]], cell[1]), value, typed, places)
        if own.mistake:  # fractions are told as fractions
            return own._replace(facts=own.facts | {"number": write_value(typed)})
        found = found if found.mistake in HOLD_IN_THIRDS else Verdict(False)
    if not found.mistake and step != "scores" and exercise.given[0].name == "q":
        found = judge_among(carried_slips(trace, step, cell), value, typed, places)
    return found


def carried_slips(trace: Trace, step: str, cell: tuple[int, int]) -> Iterator[Slip]:
    """Mistakes in a score that were carried on to the number that was asked for."""
    row, column = cell
    scores = matrix_of(trace, "scores")[row]
    keys = [column] if step == "scaled" else range(len(scores))
    for key in keys:
        index = index_of(trace, "scores", (row, key))
        behind = Cell(trace, trace.step("scores"), read_index(trace.step("scores"), index))
        for slip in term_slips(behind):
            wrong = scores.copy()
            wrong[key] = slip.number
            number = carried_on(trace, step, row, wrong)[column]
            why = Verdict(False, slip.code, {"number": write_value(slip.number)} | slip.facts)
            facts = {"cell": f"scores[{row}, {key}]", "score": write_value(slip.number), "why": why}
            yield Slip("carried", float(number), facts)


def carried_on(trace: Trace, step: str, row: int, scores: np.ndarray) -> np.ndarray:
    """A row of `step` as it would come out with other scores."""
    scores = scores * trace["scale"] if "scale" in trace else scores
    if step == "scaled":
        return scores
    if "visible" in trace:
        scores = np.where(matrix_of(trace, "visible")[row], scores, -np.inf)
    weights = softmax(scores)
    return weights if step == "weights" else weights @ matrix_of(trace, "v")


# Shapes


def grade_shape(exercise: Exercise, typed: tuple[float, ...]) -> tuple[Verdict, ...]:
    """One verdict for each axis; where their number is wrong, one that says so."""
    if len(typed) != len(exercise.answers):
        facts = {"given": str(len(typed)), "needed": str(len(exercise.answers))}
        return (Verdict(False, "shape_axes", facts),)
    return tuple(grade_size(exercise, place, number) for place, number in enumerate(typed))


def grade_size(exercise: Exercise, place: int, typed: float) -> Verdict:
    """Wrong sizes that belong to another axis, or to all heads together."""
    step = exercise.trace.step(exercise.step)
    size = step.shape[place]
    if typed == size:
        return Verdict(True)
    facts = {"number": write_value(typed), "place": str(place), "axis": step.axes[place]}
    if typed in step.shape:
        return Verdict(False, "shape_swapped", facts | {"other": step.axes[step.shape.index(int(typed))]})
    heads = exercise.facts["heads"]
    if typed == size * heads:
        return Verdict(False, "shape_of_all", facts | {"heads": str(heads)})
    if typed == size * 3 or typed * 3 == size:
        return Verdict(False, "shape_three", facts)
    return Verdict(False, "shape_wrong", facts)


# One of several


def grade_wrong(exercise: Exercise, typed: tuple[float, ...]) -> tuple[Verdict, ...]:
    """Whether the wrong cell was found; if not, why the other one is right."""
    [cell], step = exercise.cells, exercise.step
    row, column = map(int, typed)
    if (row, column) == cell:
        return (Verdict(True),)
    return (Verdict(False, "cell_is_right", {"cell": f"{step}[{row}, {column}]"}),)


def grade_mask(exercise: Exercise, typed: tuple[float, ...]) -> tuple[Verdict, ...]:
    """Whether the mask was found; if not, the first place where the other one gives other weights."""
    picked, right = exercise.options[int(typed[0])], exercise.options[int(exercise.answers[0])]
    if picked == right:
        return (Verdict(True),)
    if picked.says == "inverted":
        return (Verdict(False, "mask_inverted", {"letter": LETTERS[int(typed[0])]}),)
    masks = [np.array(option.grids[0].rows) for option in (picked, right)]
    row, column = map(int, np.argwhere(masks[0] != masks[1])[0])
    weight = float(matrix_of(exercise.trace, "weights")[row, column])
    facts = {
        "letter": LETTERS[int(typed[0])],
        "query": str(row),
        "seen": str(column),
        "weight": write_value(weight),
    }
    return (Verdict(False, "mask_hides" if weight else "mask_shows", facts),)


def grade_code(exercise: Exercise, typed: tuple[float, ...]) -> tuple[Verdict, ...]:
    """Whether the picture was found; if not, the line that makes the other one."""
    picked = int(typed[0])
    if picked == exercise.answers[0]:
        return (Verdict(True),)
    facts = {"letter": LETTERS[picked], "code": exercise.options[picked].says}
    return (Verdict(False, "code_of_other", facts),)


GRADE = {
    "cell": grade_numbers,
    "weights": grade_numbers,
    "output": grade_numbers,
    "shape": grade_shape,
    "wrong": grade_wrong,
    "mask": grade_mask,
    "code": grade_code,
}
