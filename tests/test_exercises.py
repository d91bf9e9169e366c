"""Exercises: the same everywhere, each with one right answer, found again from what the learner sees."""

import ast
import math
import re
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from attention_core import scaled_dot_product_attention, softmax
from ui.course.exercises.catalogue import MAKERS, make_exercise
from ui.course.exercises.code import LINES
from ui.course.exercises.dice import Dice
from ui.course.exercises.exercise import KINDS, LEVELS, kinds_of, matrix_of, simple_fraction, write_value
from ui.course.exercises.grading import grade, is_right, read_answer
from ui.course.exercises.thirds import LN_3, thirds_slips
from ui.course.exercises.wording import asked, in_plain_names, solution, told, written_rows
from ui.numbers import NumberError
from ui.predict.judge import Verdict
from ui.predict.mistakes import share
from ui.words import Words, all_words

WORDS = Words()
NUMBERS = range(20)
MANY = [
    pytest.param(level, kind, id=f"{level}-{kind}") for level in LEVELS for kind in kinds_of(level)
]  # fmt: skip


@cache
def made(level, kind):
    return [make_exercise(11, level, kind, number) for number in NUMBERS]


@cache
def every():
    return [exercise for level in LEVELS for kind in kinds_of(level) for exercise in made(level, kind)]


def seen(exercise):
    """What is given, by name."""
    return {grid.name: np.array(grid.rows, float) for grid in exercise.given}


# The same everywhere


def test_draws_are_those_that_were_stored():
    dice = Dice(7, "easy")
    assert [dice.whole(0, 9) for _ in range(10)] == [3, 1, 9, 4, 5, 8, 2, 6, 9, 7]
    assert dice.shuffled("abcd") == ["c", "a", "d", "b"]
    assert dice.matrix(2, 2, -1, 1).tolist() == [[-1, 1], [-1, 1]]


def test_draws_reach_every_number_and_no_other():
    dice = Dice("ends")
    assert {dice.whole(-2, 3) for _ in range(500)} == set(range(-2, 4))
    with pytest.raises(RuntimeError):
        dice.until(lambda: dice.whole(0, 1), lambda drawn: drawn > 1)


def test_an_exercise_is_the_one_that_was_stored():
    cell = make_exercise(1, "easy", "cell")
    assert [grid.rows for grid in cell.given[:2]] == STORED["given"]
    assert (cell.ask, cell.facts["cell"], cell.answers) == STORED["asked"]
    assert make_exercise(1, "thirds", "weights").answers == pytest.approx(STORED["thirds"])
    assert [option.says for option in make_exercise(1, "hard", "code").options] == STORED["code"]


STORED = {
    "given": [((0.0, 2.0), (1.0, 2.0), (3.0, 2.0)), ((2.0, 2.0), (1.0, 0.0))],
    "asked": ("projection", "k[1, 0]", (4.0,)),
    "thirds": (1 / 4, 3 / 4, 0, 0),
    "code": [
        "np.repeat(k, 2, axis=0)",
        "np.repeat(k[::-1], 2, axis=0)",
        "np.tile(k, (2, 1, 1))",
        "np.repeat(k[:1], 4, axis=0)",
    ],
}


@pytest.mark.parametrize(("level", "kind"), MANY)
def test_the_same_seed_gives_the_same_exercise_and_another_another(level, kind):
    first = made(level, kind)
    make_exercise.cache_clear()
    assert [make_exercise(11, level, kind, number) for number in NUMBERS] == first
    others = [make_exercise(12, level, kind, number) for number in NUMBERS]
    assert others != first
    assert len({repr((one.given, one.answers, one.facts, one.code, one.options)) for one in first}) > 5


def test_only_what_there_is_can_be_asked_for():
    assert tuple(MAKERS) == KINDS
    for level, kind in (("thirds", "shape"), ("easy", "essay"), ("huge", "cell")):
        with pytest.raises(ValueError, match=kind):
            make_exercise(1, level, kind)


# One right answer


def by_hand(exercise):
    """The matrix of the step that is asked for, from what is given and the sentence alone."""
    given = seen(exercise)
    match exercise.ask:
        case "projection" | "wrong_projection":
            return given["x"] @ given[f"w_{exercise.step}"]
        case "scores" | "wrong_scores":
            return given["q"] @ given["k"].T
        case "scaled":
            return given["q"] @ given["k"].T / 2
        case "weights_tied" | "weights_e":
            return shares(given.get("masked", given.get("scores")), math.e)
        case "weights_qk":
            return shares(causal(given["q"] @ given["k"].T / 2), math.e)
        case "third_cell":
            return shares(given["q"] @ given["k"].T, 3)
        case "third_row" | "wrong_weights":
            return shares(given.get("masked", given.get("scores")), 3)
        case "output":
            return given["weights"] @ given["v"]
        case "output_qkv":
            return shares(causal(given["q"] @ given["k"].T), math.e) @ given["v"]
    raise AssertionError(exercise.ask)


def shares(scores, base):
    powers = float(base) ** scores
    return powers / powers.sum(axis=1, keepdims=True)


def causal(scores):
    return np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", ["cell", "weights", "output"])
def test_numbers_follow_from_what_is_given(level, kind):
    for exercise in made(level, kind):
        numbers = by_hand(exercise)
        assert [numbers[cell] for cell in exercise.cells] == pytest.approx(list(exercise.answers))
        assert exercise.given[-1].asked == exercise.cells
        assert not any(value is not None for row in exercise.given[-1].rows for value in row)


@pytest.mark.parametrize("level", LEVELS)
def test_exactly_one_cell_is_wrong(level):
    for exercise in made(level, "wrong"):
        numbers, shown = by_hand(exercise), np.array(exercise.given[-1].rows)
        [cell] = np.argwhere(~np.isclose(numbers, shown, atol=0.004, rtol=0.009)).tolist()
        assert tuple(cell) == exercise.cells[0] == exercise.answers
        assert np.isclose(np.delete(numbers, np.ravel_multi_index(cell, shown.shape)),
                          np.delete(shown, np.ravel_multi_index(cell, shown.shape))).all()  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
def test_exactly_one_mask_gives_the_weights(level):
    for exercise in made(level, "mask"):
        weights = seen(exercise)["weights"]
        scores = seen(exercise).get("scores", np.zeros(weights.shape))
        scale = LN_3 if level == "thirds" else 1.0
        right = []
        for place, option in enumerate(exercise.options):
            visible = np.array(option.grids[0].rows) == (0 if exercise.ask == "mask_hidden" else 1)
            trace = scaled_dot_product_attention(
                scores, np.eye(len(scores)), scores, attn_mask=visible, scale=scale
            )
            if np.allclose(trace["weights"], weights, atol=1e-6):
                right.append(float(place))
        assert tuple(right) == exercise.answers
        assert len({option.grids for option in exercise.options}) == 4
    assert {exercise.answers for exercise in made(level, "mask")} == {(0.0,), (1.0,), (2.0,), (3.0,)}
    assert len({one.options[int(one.answers[0])].says for one in made(level, "mask")}) > 2


@pytest.mark.parametrize("level", LINES)
def test_every_line_of_code_makes_its_picture_and_no_two_the_same(level):
    for about in LINES[level]:
        pictures = []
        for line, makes in about.makes.items():
            ast.parse(line, mode="eval")
            value = eval(line, {"np": np, about.name: about.array})
            assert np.array_equal(value, makes(about.array))
            pictures.append((value.shape, value.tobytes()))
        assert len(set(pictures)) == len(pictures)


@pytest.mark.parametrize("level", LINES)
def test_the_right_picture_is_that_of_the_line(level):
    for exercise in made(level, "code"):
        [right] = [place for place, option in enumerate(exercise.options) if option.says == exercise.code]
        assert exercise.answers == (right,)
        assert len({option.grids for option in exercise.options}) == 4
    assert {exercise.answers for exercise in made(level, "code")} == {(0.0,), (1.0,), (2.0,), (3.0,)}


def shape_by_hand(exercise):
    f = exercise.facts
    heads = f["heads"]
    if exercise.ask == "shape_convolution":
        head_dim = f["channels"] // heads
        key_dim, pixels = head_dim // 2, f["height"] * f["columns"]
        return {
            "qkv": (1, f["channels"] + 2 * heads * key_dim, f["height"], f["columns"]),
            "qkv_split": (1, heads, 2 * key_dim + head_dim, pixels),
            "q_heads": (1, heads, key_dim, pixels),
            "v_heads": (1, heads, head_dim, pixels),
            "scores": (1, heads, pixels, pixels),
        }[exercise.step]
    tokens, width = f["tokens"], f["width"]
    keys, d_head = f.get("sources", tokens), width // heads
    kv_heads = f.get("kv_heads", heads)
    batch = (f["batch"],) if "batch" in f else ()
    return {
        "k": (*batch, keys, kv_heads * d_head),
        "q_heads": (*batch, heads, tokens, d_head),
        "k_heads": (*batch, kv_heads, keys, d_head),
        "k_repeated": (*batch, heads, keys, d_head),
        "scores": (*batch, heads, tokens, keys),
        "head_outputs": (*batch, heads, tokens, d_head),
        "output": (*batch, tokens, width),
        "qkv": (*batch, tokens, 3 * width),
        "qkv_split": (*batch, tokens, 3, heads, d_head),
        "qkv_permuted": (3, *batch, heads, tokens, d_head),
    }[exercise.step]


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_shapes_follow_from_the_sizes(level):
    for exercise in made(level, "shape"):
        assert exercise.answers == shape_by_hand(exercise)
        swapped = {axis for axis in exercise.trace.step(exercise.step).axes if axis != "key"}
        assert len(set(exercise.answers)) >= len(swapped)


# Fit for mental arithmetic


def test_numbers_are_small():
    for exercise in every():
        if exercise.kind in ("cell", "output", "wrong"):
            assert all(abs(answer) <= 40 for answer in exercise.answers)
            given = [v for grid in exercise.given[:-1] for row in grid.rows for v in row if np.isfinite(v)]
            assert max(map(abs, given)) <= 8
        if exercise.kind == "output" and exercise.level in ("medium", "hard"):
            assert all(answer == pytest.approx(round(answer)) for answer in exercise.answers)


@pytest.mark.parametrize("level", ["medium", "hard"])
def test_two_places_of_e_are_enough(level):
    """With e as 2.7 and its square as 7.4 every weight is right, as a fraction and to two places."""
    powers = {0: 1.0, 1: 2.7, 2: 7.4}
    for exercise in made(level, "weights"):
        scores = matrix_of(exercise.trace, "masked")[exercise.cells[0][0]]
        least = min(scores[np.isfinite(scores)])
        terms = [powers[round(score - least)] if np.isfinite(score) else 0.0 for score in scores]
        assert is_right(exercise, [term / sum(terms) for term in terms])
        assert is_right(exercise, [round(term / sum(terms), 2) for term in terms])


def test_powers_of_3_are_softmax_of_scores_times_the_logarithm_of_3():
    for exercise in made("thirds", "weights"):
        scores = seen(exercise).get("masked", seen(exercise).get("scores"))
        row = exercise.cells[0][0]
        powers = [Fraction(3) ** int(score) if np.isfinite(score) else Fraction(0) for score in scores[row]]
        exact = [power / sum(powers) for power in powers]
        assert softmax(scores[row] * math.log(3)) == pytest.approx([float(share) for share in exact])
        assert [simple_fraction(answer) for answer in exercise.answers] == exact
        assert [write_value(answer) for answer in exercise.answers] == [str(share) for share in exact]


def test_every_answer_of_that_level_is_a_simple_fraction():
    for exercise in every():
        if exercise.level == "thirds" or exercise.level == "easy":
            assert all(simple_fraction(answer) is not None for answer in exercise.answers)


# Grading


@pytest.mark.parametrize(("level", "kind"), MANY)
def test_the_answer_is_right_as_it_is_written(level, kind):
    for exercise in made(level, kind):
        text = " ".join(write_value(answer) for answer in exercise.answers)
        text = "ABCD"[int(exercise.answers[0])] if exercise.options else text
        assert is_right(exercise, read_answer(exercise, text))
        assert is_right(exercise, exercise.answers)


@pytest.mark.parametrize(("level", "kind"), MANY)
def test_a_wrong_answer_is_wrong_and_told_in_a_sentence(level, kind):
    named = 0
    for exercise in made(level, kind):
        for typed in wrong_answers(exercise):
            verdicts = grade(exercise, typed)
            assert not all(verdict.right for verdict in verdicts)
            for verdict in verdicts:
                text = told(verdict, exercise, WORDS)
                assert bool(text) == bool(verdict.mistake)
                assert text == "" or (text.endswith(".") and "{" not in text and "_heads" not in text)
                named += bool(text)
    assert named


def wrong_answers(exercise):
    right = exercise.answers
    if exercise.options:
        return [(place,) for place in range(4) if place != right[0]]
    if exercise.kind == "wrong":
        rows, columns = np.shape(exercise.given[-1].rows)
        return [(row, column) for row in range(rows) for column in range(columns) if (row, column) != right]
    wrong = [(right[0] + 7, *right[1:]), tuple(-(answer or 1) for answer in right)]
    turned = (*right[1:], right[0])
    return wrong if turned == pytest.approx(right, abs=0.02) else [*wrong, turned]


def test_a_forgotten_product_is_named():
    told_of = 0
    for exercise in made("easy", "cell"):
        x, w = (np.array(grid.rows) for grid in exercise.given[:2])
        [(row, column)] = exercise.cells
        first, second = x[row] * w[:, column]
        if first == second:
            continue
        [verdict] = grade(exercise, [first])
        product = f"{write_value(x[row, 1])}·{write_value(w[1, column])}"
        assert verdict.mistake == "product_forgotten"
        assert f"without the product {product}" in told(verdict, exercise, WORDS)
        told_of += 1
    assert told_of > 5


def test_a_mistake_in_a_score_is_followed_to_the_weights_and_the_output():
    found = set()
    for kind in ("cell", "weights", "output"):
        for exercise in made("hard", kind):
            q, k = (np.array(grid.rows) for grid in exercise.given[:2])
            row, key = exercise.cells[0]
            key = min(key, row)
            scores = q @ k.T
            scores[row, key] -= q[row, 0] * k[key, 0]
            scores = scores if kind == "output" else scores / 2
            wrong = scores if kind == "cell" else shares(causal(scores), math.e)
            wrong = wrong @ np.array(exercise.given[2].rows) if kind == "output" else wrong
            typed = [wrong[cell] for cell in exercise.cells]
            for verdict in grade(exercise, typed):
                if verdict.mistake == "carried":
                    text = told(verdict, exercise, WORDS)
                    assert f"scores[{row}, " in text
                    assert "product" in text
                    found.add(kind)
    assert found == {"cell", "weights", "output"}


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("powers_of_e", lambda scores, key: share(scores, key)),
        ("third_undivided", lambda scores, key: 3.0 ** scores[key]),
        ("third_no_powers", lambda scores, key: scores[key] / scores.sum()),
        ("third_cubes", lambda scores, key: scores[key] ** 3 / (scores**3).sum()),
        ("third_of_others", lambda scores, key: 3.0 ** scores[key] / (3.0**scores).sum() * 13 / 4),
        ("third_plain", lambda scores, key: 1 / 3),
    ],
)
def test_mistakes_with_powers_of_3_are_named(code, wrong):
    scores, key = np.array([0.0, 1.0, 2.0]), 2
    found = {slip.code: slip.number for slip in thirds_slips(scores, key)}
    assert found[code] == pytest.approx(wrong(scores, key))


def test_powers_of_e_are_told_apart_from_powers_of_3():
    told_of = set()
    for exercise in made("thirds", "weights"):
        [scores] = [np.array(grid.rows) for grid in exercise.given[:1]]
        row = exercise.cells[0][0]
        verdicts = grade(exercise, shares(scores, math.e)[row])
        told_of |= {verdict.mistake for verdict in verdicts if not verdict.right}
        for verdict in verdicts:
            assert "powers of e. Take powers of e" not in told(verdict, exercise, WORDS)
    assert "powers_of_e" in told_of


def test_a_near_fraction_is_not_the_right_one():
    exercise = next(one for one in made("thirds", "weights") if 0.01 < min(one.answers) < 0.05)
    place = exercise.answers.index(min(exercise.answers))
    near = 1 / (round(1 / exercise.answers[place]) - 2)
    assert not grade(exercise, [near] * len(exercise.answers))[place].right
    assert grade(exercise, [round(answer, 2) for answer in exercise.answers])[place].right


def test_a_wrong_size_is_named_by_its_axis():
    exercise = next(one for one in made("easy", "shape") if one.step == "q_heads")
    batch, heads, tokens, width = exercise.answers
    verdicts = grade(exercise, (batch, tokens, heads, width * heads))
    assert [verdict.mistake for verdict in verdicts] == ["", "shape_swapped", "shape_swapped", "shape_of_all"]
    text = told(verdicts[1], exercise, WORDS)
    assert f"{write_value(tokens)} is the size of the axis “query”" in text
    assert "At place 1 stands the axis “head”" in text
    [short] = grade(exercise, (batch, heads))
    assert told(short, exercise, WORDS) == "This shape has 2 axes. 4 are needed."


def test_a_right_cell_is_explained():
    exercise = make_exercise(1, "easy", "wrong")
    numbers = np.array(exercise.given[-1].rows)
    row, column = next(cell for cell in np.ndindex(numbers.shape) if cell != exercise.answers)
    [verdict] = grade(exercise, (row, column))
    assert told(verdict, exercise, WORDS).endswith(f" = {write_value(numbers[row, column])}.")


def test_a_wrong_mask_is_told_by_its_first_place():
    for level in LEVELS:
        for exercise in made(level, "mask"):
            weights = seen(exercise)["weights"]
            for [typed] in wrong_answers(exercise):
                [verdict] = grade(exercise, [typed])
                facts = verdict.facts
                if verdict.mistake == "mask_inverted":
                    continue
                weight = weights[int(facts["query"]), int(facts["seen"])]
                assert (verdict.mistake == "mask_hides") == (weight > 0)
                shown = np.array(exercise.options[typed].grids[0].rows)[
                    int(facts["query"]), int(facts["seen"])
                ]
                assert (shown == (exercise.ask == "mask_hidden")) == (weight > 0)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("1/2 1/2 0", (0.5, 0.5, 0)), ("0.5, 0.5, 0", (0.5, 0.5, 0)), ("0,5; 0,5; 0", (0.5, 0.5, 0))],
)
def test_a_row_is_read(text, numbers):
    exercise = next(one for one in made("easy", "weights") if len(one.answers) == 3)
    assert read_answer(exercise, text) == numbers


@pytest.mark.parametrize(
    "text", ["(4, 2, 8, 8)", "4 2 8 8", "4×2×8×8", " 4, 2, 8, 8 ", "4x2x8x8", "4 X 2 x 8 * 8", "[4, 2, 8, 8]"]
)
def test_a_shape_is_read(text):
    assert read_answer(make_exercise(1, "easy", "shape"), text) == (4, 2, 8, 8)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("cell", "five"),
        ("cell", "1 2"),
        ("cell", ""),
        ("weights", "1"),
        ("mask", "E"),
        ("mask", "AB"),
        ("code", ""),
        ("wrong", "3, 0"),
        ("wrong", "1.5, 0"),
        ("wrong", "-1, 0"),
        ("shape", "()"),
    ],
)
def test_what_is_no_answer_is_refused(kind, text):
    with pytest.raises(NumberError):
        read_answer(make_exercise(1, "easy", kind), text)


# Words


def test_every_sentence_is_used():
    asks = {exercise.ask for exercise in every()}
    family = {key for key in all_words("en") if key.startswith("practice.ask.")}
    assert {f"practice.ask.{ask}" for ask in asks} == family
    masks = {option.says for exercise in every() if exercise.kind == "mask" for option in exercise.options}
    assert masks == set(WORDS.family("practice.mask"))
    assert set(WORDS.family("practice.level")) == set(LEVELS)
    assert set(WORDS.family("practice.kind")) == set(KINDS)


def test_every_exercise_has_a_question_and_a_solution():
    for exercise in every():
        text = asked(exercise, WORDS)
        assert text.endswith((".", "?"))
        assert "{" not in text
        lines = solution(exercise, WORDS)
        assert lines
        assert all("None" not in line and "_heads[" not in line for line in lines)


@pytest.mark.parametrize("level", LEVELS)
def test_a_solution_ends_in_the_answer(level):
    for kind in ("cell", "weights", "output"):
        for exercise in made(level, kind):
            lines = solution(exercise, WORDS)[-len(exercise.answers) :]
            for line, answer in zip(lines, exercise.answers, strict=True):
                assert line.endswith(f" = {write_value(answer)}")
                assert evaluated(line) == pytest.approx(answer), line
                assert " / 2 = " in line or exercise.ask != "scaled"


LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def evaluated(line):
    """The arithmetic of a line, done by Python."""
    *_, middle, end = line.split(" = ")
    if "[" in middle:  # a hidden one is 0, without arithmetic
        middle = end
    plain = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda power: f"**({power[0].translate(LOWERED)})", middle)
    return eval(plain.replace("·", "*").replace("−", "-"), {"e": math.e})


@pytest.mark.parametrize("level", LEVELS)
def test_the_mistake_behind_a_wrong_cell_is_told(level):
    for exercise in made(level, "wrong"):
        must, *made_by = solution(exercise, WORDS)
        assert "must be" in must
        assert len(made_by) == 1
        row, column = exercise.cells[0]
        shown = written_rows(exercise.given[-1], WORDS)[row][column]
        assert made_by[0].startswith(f"{shown} ")


def test_cells_are_named_as_on_the_page():
    assert in_plain_names("q_heads[0, 2, :] and w_k[1, 0], x[1, 1]", WORDS) == "Q[2, :] and Wk[1, 0], X[1, 1]"
    assert in_plain_names("numbers[0]", WORDS) == "numbers[0]"


def test_fractions_are_shown_unless_one_number_is_none():
    hard = next(one for one in made("hard", "mask"))
    texts = [text for row in written_rows(hard.given[-1], WORDS) for text in row]
    assert "1/2" not in texts
    assert written_rows(make_exercise(1, "easy", "mask").given[-1], WORDS)
    assert write_value(-math.inf) == "−∞"
    assert write_value(-2.0) == "−2"
    assert write_value(3 / 13) == "3/13"
    assert write_value(None) == ""


def test_a_verdict_without_a_mistake_says_nothing():
    assert told(Verdict(False), make_exercise(1, "easy", "cell"), WORDS) == ""
