"""How answers in lessons are judged: what is right is taken, and what is said of a wrong one is true."""

import math

import numpy as np
import pytest

from ui.course.exercises.catalogue import make_exercise
from ui.course.exercises.exercise import matrix_of, write_value
from ui.course.exercises.grading import is_right
from ui.course.lessons.learning import backward, training
from ui.predict.judge import is_rounded
from ui.state.state import MOST_FIRSTS


def hint(page):
    return page.panel["ask"]["hint"]


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("3×4", True),
        ("1×3×4", True),
        ("(1, 3, 4)", True),
        ("4×3", False),
        ("1×1×3×4", False),
        ("3×1×4", False),
    ],
)
def test_a_shape_is_right_as_the_board_shows_it_and_as_the_sentence_says_it(student, given, right):
    page = student("masks").at("cross")
    shapes = {matrix["key"]: matrix["shape"] for matrix in page.message["new_outline"]["matrices"]}
    assert shapes["weights"] == "1×2×4"  # so with one more word it is 1×3×4
    page.do("answer", given)
    assert page.panel["ask"]["right"] is right
    assert page.do("show").panel["ask"]["answer"] in ("3×4", given)


def test_a_shape_that_has_no_axis_of_one_gets_none(student):
    page = student("learning").at("backward").do("answer", "1×8×3")
    assert page.panel["ask"]["right"] is False


# Practice


def solve(page, *, kind="cell", number=0):
    answers = make_exercise(1, "easy", kind, number).answers
    return page.do("answer", ", ".join(map(write_value, answers)))


def test_another_exercise_counts_when_it_is_solved_not_when_it_is_asked_for(student):
    page = solve(student("practice"))
    assert not page.is_done
    page.turn(another=1)
    assert not page.panel["tried"]
    page.do("answer", "98765")
    assert not page.panel["tried"]
    page.do("show")
    assert not page.is_done  # shown is not solved
    page.turn(another=2)
    assert solve(page, number=2).is_done


def test_another_kind_is_another_exercise(student):
    page = solve(student("practice"))
    assert not page.turn(kind=1).panel["tried"]
    assert solve(page, kind="weights").is_done


def test_more_exercises_than_are_counted_lose_no_score(student):
    page = student("practice")
    firsts = {f"1 easy cell {number}": True for number in range(1, MOST_FIRSTS + 1)}
    page.answer.state["sections"] = {"numbers": {"firsts": firsts}}
    assert len(solve(page).known.firsts) == MOST_FIRSTS
    assert len(page.do("cell").known.firsts) == MOST_FIRSTS


@pytest.mark.parametrize(("level", "powers"), [("medium", (1, 2.7, 2.7**2)), ("hard", (1, 2.7, 7.4))])
def test_what_the_stated_powers_of_e_give_is_right(level, powers):
    apart = 0
    for seed in range(1, 60):
        exercise = make_exercise(seed, level, "weights")
        row = exercise.cells[0][0]
        scores = matrix_of(exercise.trace, exercise.trace.step("masked").name)[row]
        lowest = scores[np.isfinite(scores)].min()
        rough = np.array([powers[round(one - lowest)] if math.isfinite(one) else 0 for one in scores])
        typed = (rough / rough.sum()).round(2)
        assert is_right(exercise, typed)
        assert not is_right(exercise, typed + 0.03)
        apart += bool((typed != np.round(exercise.answers, 2)).any())
    assert apart  # 0.57, where the key says 0.58


def test_a_number_that_no_usual_mistake_gives_is_told_its_terms(student):
    page = student("practice").do("answer", "98765")
    [cell] = make_exercise(1, "easy", "cell").cells
    assert "That is not it. Take it term by term." in hint(page)
    assert f"[{cell[0]}, {cell[1]}] = " in hint(page)
    assert "·" in hint(page)
    assert write_value(make_exercise(1, "easy", "cell").answers[0]) not in hint(page).split(" = ")[1:]


# Places and signs


@pytest.mark.parametrize(
    ("typed", "value", "right"),
    [
        (3.5, 3.536, True),
        (3.54, 3.536, True),
        (3.6, 3.536, False),
        (0.3, 0.333, False),  # one digit
        (0.33, 1 / 3, True),
        (-0.05, -0.0472, False),
        (-0.047, -0.0472, True),
        (12.0, 12.3, False),
        (1500, 1536, False),
        (1, -math.inf, False),
        (0, 0, False),
    ],
)
def test_a_rounded_number_has_two_digits_that_count(typed, value, right):
    assert is_rounded(typed, value) is right


def test_a_number_with_one_place_is_right_where_no_places_were_asked_for(student):
    page = student("attention").at("scale")
    value = float(page.here.trace["scaled"][0, 0, 3])
    assert round(value, 1) != round(value, 2)
    page.do("answer", f"{value:.1f}")
    assert page.panel["ask"]["right"] is True
    page = student("attention").at("scale").do("answer", f"{value + 0.2:.1f}")
    assert page.panel["ask"]["right"] is False
    assert "too few places" not in hint(page)


def test_a_sign_is_only_blamed_when_it_is_wrong(student):
    page = student("learning").at("slope")
    value = backward.tenth_of_slope(page.here)
    assert round(value, 2) == -0.05
    page.do("answer", "-0.05")
    assert hint(page) == "−0.05 has too few places. Give 3 places."
    page.do("answer", f"{-value:.3f}")
    assert "has the wrong sign" in hint(page)
    page.do("answer", "5")
    assert hint(page) == "Multiply the slope by 0.1."


# A run that is lost


def lost(student, task=0):
    page = student("learning").at("train").do("answer", "before").turn(task=task, rate=2, epoch=200)
    while page.panel["working"]:
        page.do("more")
    return page


@pytest.mark.parametrize("task", [0, 1])
def test_slider_and_words_tell_of_the_same_epoch_when_a_run_is_lost(student, task):
    page = lost(student, task)
    _, run, epoch = training.run_here(page.here)
    assert run.is_lost
    [slider] = [knob for knob in page.panel["knobs"] if knob["name"] == "epoch"]
    assert slider["value"] == slider["values"][-1] == epoch <= run.epoch < 200
    page.do("show")
    assert f"At epoch {epoch} " in page.text("why")
    assert "downhill" not in page.text("why")
    [bar] = [block for block in page.blocks if block["kind"] == "progress"]
    assert f"{run.epoch} epochs computed" in bar["label"]
    page.turn(rate=1)
    [slider] = [knob for knob in page.panel["knobs"] if knob["name"] == "epoch"]
    assert (slider["value"], slider["values"][-1]) == (200, 200)  # what was chosen is still chosen


def test_the_bar_says_how_many_epochs_there_are_whatever_the_slider_shows(student):
    page = student("learning").at("train")
    while page.panel["working"]:
        page.do("more")
    bar, seen = page.blocks[:2]
    assert "200 epochs computed" in bar["label"]
    assert "after 0 epochs" in seen["title"]


# Every wrong number


def test_every_number_that_is_read_wrong_is_marked(student):
    page = student("channels").at("layout").turn(read=1)
    right, wrong = (np.array(block["values"]) for block in page.blocks[-1]["blocks"])
    marked = {(row, column) for row, column, _ in page.blocks[-1]["blocks"][1]["marks"]}
    assert marked == {tuple(cell) for cell in np.argwhere(right != wrong).tolist()}
    assert len(marked) > 1
