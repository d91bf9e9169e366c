"""Numbers as people type and paste them, and as each language writes them, here and in JavaScript."""

import ast
import contextlib
import json
import math
import random
import struct
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.numbers import (
    CELL,
    LARGEST_ANSWER,
    MOST_CHARACTERS,
    PROSE,
    Marks,
    NumberError,
    Numeral,
    Spelled,
    answers,
    as_latex,
    as_typed,
    brief,
    listed,
    parse_block,
    parse_number,
    read_sizes,
    readings,
    words_in_marks,
    write,
)
from ui.words import Words, languages

from . import node

ROOT = Path(__file__).parents[1]
COMMA = Marks(",", ".", "; ")
VECTORS = json.loads((Path(__file__).parent / "numbers.json").read_text("utf-8"))
MARKS = {language: Marks(**marks) for language, marks in VECTORS["marks"].items()}
FORMS = {"prose": PROSE, "cell": CELL}


# What tests/numbers.json says; tests/js/numbers.test.mjs reads the same


def test_the_vectors_have_the_marks_of_every_language():
    assert {language: Words(language).marks for language in languages()} == MARKS


def test_numbers_are_written():
    wrong = [
        vector
        for vector in VECTORS["writing"]
        if write(float(vector[0]), vector[1], MARKS[vector[3]], FORMS[vector[2]]) != vector[4]
    ]
    assert wrong == []
    assert len(VECTORS["writing"]) > 500


def test_numbers_are_written_in_brief_in_fields_and_in_lists():
    for value, digits, language, text in VECTORS["brief"]:
        assert brief(float(value), digits, MARKS[language]) == text
    for value, language, text in VECTORS["typed"]:
        assert as_typed(float(value), MARKS[language]) == text
    for texts, language, text in VECTORS["listed"]:
        assert listed(texts, MARKS[language]) == text


def test_numbers_are_read():
    assert [vector for vector in VECTORS["reading"] if list(readings(vector[0])) != vector[1]] == []
    for text, values in VECTORS["answers"]:
        assert list(answers(text)) == [float(value) for value in values], text
    for text, sizes in VECTORS["sizes"]:
        assert read_sizes(text) == sizes


@pytest.mark.parametrize(
    ("value", "decimals", "form", "text"),
    [
        (12345.678, 2, PROSE, "12,345.68"),
        (12345.678, 2, CELL, "1.2e4"),
        (0.125, 2, PROSE, "0.13"),  # ties: away from zero, in Python and JavaScript
        (-2.5, 0, PROSE, "−3"),
        (1.005, 2, PROSE, "1.00"),  # no tie: the binary number is a little less
        (0.0041, 2, PROSE, "0.0041"),
        (0.0041, 2, CELL, "0.00"),
        (2.2e-16, 2, PROSE, "2.2e−16"),
        (1234567.8, 2, PROSE, "1.23e6"),
        (8030261248, 2, PROSE, "8,030,261,248"),
        (-0.0, 2, CELL, "0.00"),
        (-0.001, 2, CELL, "0.00"),
        (3, 2, PROSE, "3"),
        (3, 2, CELL, "3.00"),
        (-math.inf, 2, CELL, "−∞"),
        (math.nan, 2, PROSE, "NaN"),
    ],
)
def test_the_rules_of_writing(value, decimals, form, text):
    assert write(value, decimals, form=form) == text
    assert write(value, decimals, COMMA, form) == text.translate(str.maketrans(",.", ".,"))


def test_python_and_javascript_agree_on_thousands_of_numbers_and_texts():
    dice = random.Random(7)
    numbers = [[number_of_any_kind(dice), dice.randrange(7)] for _ in range(4000)]
    letters = "0123456789.,,. 'e-−+/×·^³10\u202f"
    texts = ["".join(dice.choices(letters, k=dice.randrange(1, 12))) for _ in range(4000)]
    for value, places in numbers[:500]:
        texts += [write(value, places, marks, form) for marks in (Marks(), COMMA) for form in (PROSE, CELL)]
    found = node.run(node.TESTS / "written.mjs", given=json.dumps({"numbers": numbers, "texts": texts}))
    assert found.returncode == 0, found.stderr
    theirs = json.loads(found.stdout)
    for (value, places), written in zip(numbers, theirs["written"], strict=True):
        ours = [write(value, places, form=PROSE), write(value, places, form=CELL)]
        assert [*ours, brief(value, places + 1), as_typed(value)] == written, (value, places)
    for text, read in zip(texts, theirs["read"], strict=True):
        assert list(answers(text)) == [float(value.replace("Infinity", "inf")) for value in read], text
    assert sum(map(bool, theirs["read"])) > 1000


def number_of_any_kind(dice):
    """Ties, short decimals, numbers of any size, any bits."""
    match dice.randrange(4):
        case 0:
            return dice.choice((-1, 1)) * (dice.randrange(2000) + 0.5) / 2 ** dice.randrange(8)
        case 1:
            return round(dice.uniform(-1e4, 1e4), dice.randrange(6))
        case 2:
            return dice.uniform(-1, 1) * 10.0 ** dice.randrange(-12, 20)
    value = struct.unpack("d", dice.randbytes(8))[0]
    return value if math.isfinite(value) else 0.5


@given(st.floats(-1e9, 1e9, allow_subnormal=False), st.integers(0, 6))
def test_what_is_shown_can_be_typed_again(value, decimals):
    for marks in (Marks(), COMMA):
        assert parse_number(as_typed(value, marks)) == pytest.approx(value, rel=1e-8)
        for form in (PROSE, CELL):
            shown = write(value, decimals, marks, form)
            digits = 10.0**-decimals if form is CELL else 0.01 * abs(value)
            near = max(0.51 * 10.0**-decimals, 0.06 * abs(value) if "e" in shown else 0, digits)
            assert any(abs(read - value) <= near for read in answers(shown)), shown


@given(st.integers(-(10**15) + 1, 10**15 - 1))
def test_thousands_are_grouped_in_every_language(value):
    english, vietnamese = (write(value, 0, marks) for marks in (Marks(), COMMA))
    assert english == f"{value:,}".replace("-", "−")
    assert vietnamese == english.replace(",", ".")
    assert value in answers(english)
    assert value in answers(vietnamese)


# Typing


@pytest.mark.parametrize(
    "text", ["1", " -2.5 ", "0,25", "−3", "–1,5", "1/2", "-3 / 4", "1e-3", ".5", "+7", "2."]
)
def test_a_number_is_a_block_of_one(text):
    assert parse_block(text) == [[parse_number(text)]]


@pytest.mark.parametrize(
    "text",
    ["", "abc", "1/0", "nan", "inf", "1e400", "=1+1", "1_000", "0x10", "--1", "1e10", "1 2", "<b>1</b>", "e"],
)
def test_no_number(text):
    with pytest.raises(NumberError):
        parse_number(text)


@pytest.mark.parametrize("text", ["1.234", "1,234"])
def test_thousands_are_never_guessed_in_a_matrix(text):
    assert parse_number(text) == 1.234
    assert readings(text) == (1.234, 1234)


def test_an_answer_may_be_large_infinite_or_e():
    assert answers("8,030,261,248") == answers("8030261248") == (8030261248,)
    assert answers("−∞") == answers("-inf") == (-math.inf,)
    assert answers("e") == (math.e,)
    assert answers("1e16") == ()
    assert answers(f"{LARGEST_ANSWER:.0f}") == (LARGEST_ANSWER,)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1\t2\n3\t4\n", [[1, 2], [3, 4]]),
        ("1\t2\r\n3\t4\r\n", [[1, 2], [3, 4]]),
        ("0,5\t1,5", [[0.5, 1.5]]),
        ("1\u202f234,5\t1.234.567", [[1234.5, 1234567]]),
        ("0,5;1,5\n2;3", [[0.5, 1.5], [2, 3]]),
        ("1,2,0\n3,4,0", [[1, 2, 0], [3, 4, 0]]),
        ("1,234,567", [[1, 234, 567]]),
        ("1 2 3", [[1, 2, 3]]),
        ("0,5 0,2\n−1,5 3", [[0.5, 0.2], [-1.5, 3]]),
        ("1,2, 3,4", [[1, 2, 3, 4]]),
        ("0,25\n0,5", [[0.25], [0.5]]),
        ("1\t2\t\n3\t4\t", [[1, 2], [3, 4]]),
        ("[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
        ("[1, 2]", [[1, 2]]),
        ("1/2 −3", [[0.5, -3]]),
        ("1 / 2 −3", [[0.5, -3]]),
        ("1\n2\n\n3", [[1], [2], [3]]),
    ],
)
def test_a_block(text, rows):
    assert parse_block(text) == rows


@pytest.mark.parametrize("text", ["", "\n", "1\tx", "1,,2", "1;;2", "9" * (MOST_CHARACTERS + 1)])
def test_no_block(text):
    with pytest.raises(NumberError) as error:
        parse_block(text)
    assert len(error.value.text) <= 40


@given(st.text(max_size=60))
def test_any_text_is_numbers_or_refused(text):
    try:
        rows = parse_block(text)
    except NumberError:
        return
    assert all(abs(value) <= 1e9 for row in rows for value in row)


@pytest.mark.parametrize(
    "piece", [" ", "1", ",", ".", "1,234", " / ", "1 ", "e", "1e", "-", "\u202f", "[", "],", "0 10^", "111,"]
)
def test_reading_takes_time_in_proportion_to_the_text(piece):
    for end in ("a", "1", ""):
        text = ("1" + piece * MOST_CHARACTERS)[: MOST_CHARACTERS - 1] + end
        start = time.process_time()
        for read in (readings, answers, parse_block, read_sizes):
            with contextlib.suppress(NumberError):
                read(text)
        assert time.process_time() - start < 0.25


# Words


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("0.25", "0,25"),
        ("−1.5 + 2 = 0.5.", "−1,5 + 2 = 0,5."),
        ("[0.50, 0.25, −∞]", "[0,50; 0,25; −∞]"),
        ("2, −0.5 hoặc 1/2", "2; −0,5 hoặc 1/2"),
        ("weights[0, 2] = 0.5", "weights[0, 2] = 0,5"),
        ("4, 8, 16", "4, 8, 16"),
        ("8\u202f030\u202f261.5", "8.030.261,5"),
        ("2.42·10⁹, 45.3%, 1.50 MiB, 1.2e-5", "2,42·10⁹, 45,3%, 1,50 MiB, 1,2e-5"),
        ("q0.1, Python 3.11.2", "q0.1, Python 3.11.2"),
        ("p=`0.5` “0.5” 0.5", "p=`0.5` “0.5” 0,5"),
        ("khoảng 2.7, và", "khoảng 2,7, và"),
        ("0.25를 1\u202f024개", "0,25를 1.024개"),
        (r"$\frac{e^{0.5}}{12.5}$, 0.5", r"$\frac{e^{0{,}5}}{12{,}5}$, 0,5"),
    ],
)
def test_literal_numbers_in_words_get_the_marks_of_the_language(text, written):
    assert words_in_marks(text, COMMA) == written
    assert words_in_marks(text, Marks()) == text.replace("\u202f", ",")


def test_facts_get_the_marks_of_the_language():
    words = Words("vi")
    assert words.written(0.25) == "0,25"
    assert words.written(12345) == "12.345"
    assert words.written(Numeral("−1.5")) == "−1,5"
    assert words.written(Spelled("e^(", Numeral("0.5"), ")")) == "e^(0,5)"
    assert words.written("0.5") == "0.5"  # what a learner typed, or code
    assert words.number(1234.5, 1) == "1.234,5"
    assert words.numbers([0.5, 2], 2) == "0,50; 2"
    assert words.numbers([1, 2], 2) == "1, 2"


def test_latex_keeps_the_room_of_a_comma():
    assert as_latex("0,5") == "0{,}5"
    assert as_latex("−1,2e−5") == r"-1{,}2 \cdot 10^{-5}"
    assert as_latex("−∞") == r"-\infty"


def test_marks_are_put_in_where_a_number_is_written():
    """Only the words, when they are loaded, are searched for numbers."""
    users = [
        path.relative_to(ROOT).as_posix()
        for path in (*(ROOT / "ui").rglob("*.py"), ROOT / "app.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and "words_in_marks" in {each.name for each in node.names}
    ]
    assert users == ["ui/words.py"]
