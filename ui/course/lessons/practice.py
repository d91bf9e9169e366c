"""The lesson of exercises: which one is asked, how it looks, how an answer is judged, the worksheet."""

from dataclasses import dataclass

import numpy as np

from ui.course.engine.blocks import code, matrix, paper, row, sentence
from ui.course.engine.sections import Facts, Here, Knob, Reply
from ui.course.exercises.catalogue import make_exercise
from ui.course.exercises.exercise import LETTERS, LEVELS, Exercise, Grid, kinds_of
from ui.course.exercises.grading import grade, read_answer
from ui.course.exercises.wording import (
    asked,
    cell_name,
    in_words,
    solution,
    told,
    written_line,
    written_rows,
    written_shape,
)
from ui.course.exercises.worksheet import exercises_of, worksheet
from ui.limits import MOST_TYPED
from ui.message.arithmetic import ink_of
from ui.numbers import NumberError, listed
from ui.predict.judge import Verdict

NUMBERS = ("cell", "weights", "output")  # the kinds with numbers to work out
SEED = Knob("seed", 1, 200, 1)
ANOTHER = Knob("another", most=9999, press=True)


def levels(*kinds: str) -> Knob:
    """The levels at which there are such exercises."""
    return Knob("level", options=tuple(level for level in LEVELS if set(kinds) <= set(kinds_of(level))))


def name_of(here: Here) -> tuple[int, str, str, int]:
    """The seed, level, kind and number of the present exercise: all that it depends on."""
    kind = NUMBERS[here.whole("kind")] if "kind" in here.knobs else here.section
    return here.whole("seed"), LEVELS[here.whole("level")], kind, here.whole("another")


def exercise_of(here: Here) -> Exercise:
    return make_exercise(*name_of(here))


@dataclass(frozen=True)
class Answer:
    """The answer to the present exercise, typed or picked."""

    kind: str = "number"
    options: tuple[str, ...] = ()

    def counts_as(self, here: Here) -> str:
        """The exercise whose first answer counts."""
        return " ".join(map(str, name_of(here)))

    def shown_answer(self, here: Here) -> str:
        exercise = exercise_of(here)
        if exercise.options:
            return LETTERS[int(exercise.answers[0])]
        if exercise.kind == "shape":
            return written_shape(exercise)
        return listed([in_words(answer, here.words) for answer in exercise.answers], here.words.marks)

    def judge(self, here: Here, given: object) -> Reply | None:
        if not isinstance(given, str) or len(given) > MOST_TYPED:
            return None
        exercise = exercise_of(here)
        try:
            verdicts = grade(exercise, read_answer(exercise, given))
        except NumberError:
            count = len(exercise.answers)
            return Reply(False, here.words(f"practice.no_answer.{exercise.kind}", count=count))
        right = all(verdict.right for verdict in verdicts)
        return Reply(right, "" if right else hint(exercise, verdicts, here))


def hint(exercise: Exercise, verdicts: tuple[Verdict, ...], here: Here) -> str:
    """What went wrong in each number that is wrong; of several, each is named by its cell."""
    texts = []
    for place, verdict in enumerate(verdicts):
        text = told(verdict, exercise, here.words) or not_found(exercise, place, here)
        if len(exercise.cells) > 1:
            text = f"{cell_name(exercise.step, exercise.cells[place], here.words)}: {text}"
        texts += [] if verdict.right else [text]
    return " ".join(texts)


def not_found(exercise: Exercise, place: int, here: Here) -> str:
    """Where no usual mistake gives the number: the terms that it is made of, without what they come to."""
    text = here.words("practice.not_found")
    if exercise.kind not in NUMBERS:
        return text
    name, *terms, _ = written_line(exercise, exercise.cells[place], here.words).split(" = ")
    return " = ".join((f"{text} {name}", *terms)) if terms else text


# What is seen


def facts(here: Here) -> Facts:
    firsts = here.firsts.values()
    score = here.words("practice.score", right=sum(firsts), tried=len(firsts)) if firsts else ""
    return {"asked": asked(exercise_of(here), here.words), "score": score}


def exercise_blocks(here: Here) -> list[dict]:
    """What is given and asked; once it is answered, the answers in their places and how they are found."""
    exercise = exercise_of(here)
    found = [code(here.words("practice.line"), exercise.code)] if exercise.code else []
    if exercise.kind == "code":
        found.append(pictures(exercise.given, exercise.facts["array"], exercise))
    elif exercise.given:
        found.append(row(*(given_block(grid, exercise, here) for grid in exercise.given)))
    if exercise.options:
        found.append(row(*option_blocks(exercise, here)))
    elif here.answered:
        found += [sentence(line) for line in solution(exercise, here.words)]
    return found


def given_block(grid: Grid, exercise: Exercise, here: Here) -> dict:
    """A matrix of the exercise, with ? in the cells to be filled in, or the answers there."""
    texts, marks = written_rows(grid, here.words), {}
    for cell, answer in zip(grid.asked, exercise.answers, strict=False):
        texts[cell[0]][cell[1]] = in_words(answer, here.words) if here.answered else "?"
        marks[cell] = "right" if here.answered else "lit"
    suspect = exercise.kind == "wrong" and grid is exercise.given[-1]
    if here.answered and suspect:
        marks[exercise.cells[0]] = "wrong"
    labels = [[str(place) for place in range(size)] for size in np.shape(texts)]
    block = matrix(
        here.words(f"name.{grid.name}"),
        np.zeros(np.shape(texts)),
        *labels,
        name=grid.name,
        ink=ink_of(grid.name),
        scale="plain",
        marks=marks,
        press=suspect and not here.answered,
    )
    return block | {"values": texts}


def option_blocks(exercise: Exercise, here: Here) -> list[dict]:
    """Four options; once it is answered, with what each of them is."""
    found = []
    for place, (letter, option) in enumerate(zip(LETTERS, exercise.options, strict=True)):
        says = option.says if exercise.kind == "code" else here.words(f"practice.mask.{option.says}")
        sign = "✓ " if place == exercise.answers[0] else ""
        note = f"{sign}{says}" if here.answered else ""
        if exercise.kind == "code":
            title = f"{sign}{letter}: {says}" if here.answered else ""
            found.append(pictures(option.grids, letter, exercise, title))
        else:
            array = np.array(option.grids[0].rows)
            found.append(matrix(letter, array, scale="share", decimals=0, note=note))
    return found


def pictures(grids: tuple[Grid, ...], name: str, exercise: Exercise, title: str = "") -> dict:
    """The matrices of an array side by side, each number in the colour of the row it comes from."""
    width = len(exercise.given[0].rows[0])
    found = []
    for place, grid in enumerate(grids):
        array = np.array(grid.rows)
        own = f"{name}[{place}]" if len(grids) > 1 else name
        found.append(matrix(own, array, scale="plain", decimals=0, heads=(array // width).astype(int)))
    return row(*found, title=title)


def sheet_blocks(here: Here) -> list[dict]:
    """The worksheet of a seed and a level."""
    seed, level = here.whole("seed"), LEVELS[here.whole("level")]
    labels = {"to_print": here.word("block.print"), "to_save": here.word("block.save")}
    title = here.word("block.sheet")
    file = f"attention-{level}-{seed}.html"
    return [paper(title, worksheet(seed, level, here.words), file=file, **labels)]


def sheet_facts(here: Here) -> Facts:
    exercises = exercises_of(here.whole("seed"), LEVELS[here.whole("level")])
    return {"count": str(len(exercises)), "seed": str(here.whole("seed"))}
