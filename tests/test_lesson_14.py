"""Lesson 14: exercises on the page, answers judged with the wrong term named, and the worksheet."""

import pytest

from ui.course.exercises.catalogue import make_exercise
from ui.course.exercises.exercise import LEVELS, kinds_of, write_value
from ui.course.exercises.worksheet import worksheet
from ui.course.lessons.practice import NUMBERS, levels
from ui.words import Words

PICKED = ("mask", "code")


def texts_of(block):
    """What the cells of a matrix or of matrices side by side say."""
    if block["kind"] == "row":
        return [texts_of(one) for one in block["blocks"]]
    return block["values"]


def at(student, kind, level="easy", another=0):
    """The page with an exercise of a kind."""
    page = student("practice").at("numbers" if kind in NUMBERS else kind)
    if kind in NUMBERS:
        page.turn(kind=NUMBERS.index(kind))
    page.turn(level=LEVELS.index(level))
    return page.turn(another=another) if another else page


@pytest.mark.parametrize(
    ("level", "kind"), [(level, kind) for level in LEVELS for kind in kinds_of(level)]
)  # fmt: skip
def test_every_exercise_can_be_answered(student, level, kind):
    for another in range(3):
        page = at(student, kind, level, another)
        exercise = make_exercise(1, level, kind, another)
        right = ", ".join(write_value(answer) for answer in exercise.answers)
        page.do("answer", "ABCD"[int(exercise.answers[0])] if kind in PICKED else right)
        assert page.panel["ask"]["right"]
        assert page.panel["ask"]["answered"]
        assert "sentence" not in page.message


def test_levels_are_counted_alike_for_every_kind():
    for kind in ("shape", "wrong", "code", "mask"):
        options = levels(kind).options
        assert options == LEVELS[: len(options)]
    assert levels(*NUMBERS).options == levels().options == LEVELS


def test_a_wrong_term_is_named(student):
    page = at(student, "cell")
    exercise = make_exercise(1, "easy", "cell")
    page.do("answer", f"-{write_value(exercise.answers[0])}")
    assert page.panel["ask"]["hint"].endswith("has the wrong sign. The rest is right.")
    page.do("answer", "98765")
    assert page.panel["ask"]["hint"].startswith(Words()("practice.not_found") + " K[")
    page.do("answer", "a lot")
    assert page.panel["ask"]["hint"] == "Type one number, like 3, −2 or 3/13."


def test_each_wrong_number_of_a_row_is_told(student):
    page = at(student, "weights", "thirds")
    answers = make_exercise(1, "thirds", "weights").answers
    assert answers == pytest.approx((0.25, 0.75, 0, 0))
    page.do("answer", "1 3 0 0")
    told = page.panel["ask"]["hint"]
    assert told == (
        "weights[1, 0]: 1 is 3⁰. Divide it by the sum of its row, 4. "
        "weights[1, 1]: 3 is 3¹. Divide it by the sum of its row, 4."
    )
    page.do("answer", "1/4 3/4 0 88")
    assert page.panel["ask"]["hint"] == f"weights[1, 3]: {Words()('practice.not_found')}"
    page.do("answer", "1/4 3/4 0")
    assert page.panel["ask"]["hint"].startswith("Type the 4 numbers of the row")


def test_another_exercise_is_asked_anew(student):
    page = at(student, "cell")
    first = page.text("text"), page.panel["ask"]["text"]
    page.do("show")
    assert page.panel["ask"]["answered"]
    assert page.panel["why"]
    page.turn(another=1)
    assert not page.panel["ask"]["answered"]
    assert "given" not in page.panel["ask"]
    assert page.panel["why"] is None
    assert (page.text("text"), page.panel["ask"]["text"]) != first
    assert not page.panel["tried"]  # asked for is not solved
    page.do("answer", write_value(make_exercise(1, "easy", "cell", 1).answers[0]))
    assert page.panel["tried"]
    assert page.is_done


def test_what_was_done_stays_done_and_gives_no_answer_away(student):
    page = at(student, "cell")
    page.answer.state["sections"] = {"numbers": {"done": True}}
    page.do("cell")
    assert page.is_done
    assert not page.panel["ask"]["answered"]
    assert "answer" not in page.panel["ask"]
    page.turn(another=1).do("show").turn(another=2)
    assert page.is_done
    assert not page.panel["ask"]["answered"]


def test_an_answer_that_comes_right_after_a_turn_counts_for_the_new_exercise(student):
    page = at(student, "cell")
    page.do("answer", "98765")
    page.turn(another=5)
    page.do("answer", write_value(make_exercise(1, "easy", "cell", 5).answers[0]))
    assert page.panel["ask"]["right"]


def test_numbers_are_blank_until_the_exercise_is_answered(student):
    page = at(student, "weights", "easy")
    exercise = make_exercise(1, "easy", "weights")
    row = exercise.cells[0][0]
    given, asked = texts_of(page.blocks[0])
    assert given[row][0] in ("−∞", write_value(exercise.given[0].rows[row][0]))
    assert asked[row] == ["?"] * len(exercise.answers)
    assert len(page.blocks) == 1
    page.do("show")
    assert texts_of(page.blocks[0])[1][row] == [write_value(answer) for answer in exercise.answers]
    lines = [block["pieces"][0] for block in page.blocks[1:]]
    assert lines[-1].endswith(f"= {write_value(exercise.answers[-1])}")


def test_only_the_first_try_counts(student):
    page = at(student, "cell")
    assert "first try" not in page.text("try")
    right = write_value(make_exercise(1, "easy", "cell").answers[0])
    page.do("answer", "98765").do("answer", right).do("answer", right)
    assert page.text("try").endswith("Right at the first try: 0 of 1.")
    page.turn(another=1)
    page.do("answer", write_value(make_exercise(1, "easy", "cell", 1).answers[0]))
    assert page.text("try").endswith("Right at the first try: 1 of 2.")


def test_a_cell_can_be_pressed_and_a_right_one_is_explained(student):
    page = at(student, "wrong", "hard")
    exercise = make_exercise(1, "hard", "wrong")
    *_, matrix = page.blocks[0]["blocks"]
    assert matrix["press"]
    page.do("answer", "0, 0" if exercise.cells[0] != (0, 0) else "0, 1")
    assert " is right: " in page.panel["ask"]["hint"]
    page.do("answer", "{}, {}".format(*exercise.cells[0]))
    assert page.panel["ask"]["right"]
    *_, matrix = page.blocks[0]["blocks"]
    assert "press" not in matrix
    assert [*exercise.cells[0], "wrong"] in matrix["marks"]


@pytest.mark.parametrize("typed", ["9, 9", "-1, 0", "1.5, 0", "0", "1, 1, 1", "1e9, 1e9"])
def test_a_cell_that_is_not_there_is_no_answer(student, typed):
    page = at(student, "wrong")
    page.do("answer", typed)
    assert page.panel["ask"]["right"] is False
    assert page.panel["ask"]["hint"] == "Type a row and a column, like 1, 0."
    assert "sentence" not in page.message


@pytest.mark.parametrize("kind", PICKED)
def test_options_say_what_they_are_once_it_is_answered(student, kind):
    page = at(student, kind)
    exercise = make_exercise(1, "easy", kind)
    before = str(page.blocks[-1])
    page.do("show")
    after = str(page.blocks[-1])
    for option in exercise.options:
        says = option.says if kind == "code" else Words()(f"practice.mask.{option.says}")
        assert says not in before
        assert says in after
    assert after.count("✓") == 1


def test_the_worksheet_is_the_one_of_the_seed_and_the_level(student):
    page = student("practice").at("worksheet").turn(seed=42, level=3)
    [paper] = page.blocks
    assert paper["html"] == worksheet(42, "thirds", Words())
    assert paper["file"] == "attention-thirds-42.html"
    assert "sheet 42" in "".join(page.panel["ask"]["text"][0])
    page.do("answer", "same")
    assert page.is_done


def test_another_kind_counts_as_another_one(student):
    page = student("practice").do("show")
    assert not page.is_done
    page.turn(kind=1)
    assert not page.is_done
    answers = make_exercise(1, "easy", "weights").answers
    assert page.do("answer", " ".join(map(write_value, answers))).is_done
