"""Numbers as people type and paste them, and as each language writes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.numbers import (
    MOST_CHARACTERS,
    Marks,
    NumberError,
    all_in_marks,
    as_typed,
    grouped,
    in_marks,
    latex_in_marks,
    parse_block,
    parse_number,
    write_number,
)

COMMA = Marks(",", ".", "; ")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        (" -2.5 ", -2.5),
        ("0,25", 0.25),
        ("−3", -3),
        ("–1,5", -1.5),
        ("1/2", 0.5),
        ("-3 / 4", -0.75),
        ("1e-3", 0.001),
        (".5", 0.5),
        ("+7", 7),
        ("2.", 2),
    ],
)
def test_a_number(text, value):
    assert parse_number(text) == value
    assert parse_block(text) == [[value]]


@pytest.mark.parametrize(
    "text",
    ["", "abc", "1/0", "nan", "inf", "1e400", "=1+1", "1_000", "0x10", "--1", "1e10", "1 2", "<b>1</b>"],
)
def test_no_number(text):
    with pytest.raises(NumberError):
        parse_number(text)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1\t2\n3\t4\n", [[1, 2], [3, 4]]),
        ("1\t2\r\n3\t4\r\n", [[1, 2], [3, 4]]),
        ("0,5\t1,5", [[0.5, 1.5]]),
        ("0,5;1,5\n2;3", [[0.5, 1.5], [2, 3]]),
        ("1,2,0\n3,4,0", [[1, 2, 0], [3, 4, 0]]),
        ("1 2 3", [[1, 2, 3]]),
        ("0,5 0,2\n−1,5 3", [[0.5, 0.2], [-1.5, 3]]),
        ("1,2, 3,4", [[1, 2, 3, 4]]),
        ("0,25\n0,5", [[0.25], [0.5]]),
        ("1\t2\t\n3\t4\t", [[1, 2], [3, 4]]),
        ("[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
        ("[1, 2]", [[1, 2]]),
        ("1/2 −3", [[0.5, -3]]),
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


@pytest.mark.parametrize("text", ["1.234", "1,234"])
def test_thousands_are_never_guessed(text):
    assert parse_number(text) == 1.234


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
    ],
)
def test_numbers_in_a_text_get_the_marks_of_the_language(text, written):
    assert in_marks(text, COMMA) == written
    assert in_marks(text, Marks()) == text.replace("\u202f", ",")


def test_hangul_and_han_may_follow_a_number():
    assert in_marks("0.25를 1\u202f024개", COMMA) == "0,25를 1.024개"
    assert in_marks("1\u202f024개", Marks()) == "1,024개"


def test_latex_keeps_the_room_of_a_comma():
    assert latex_in_marks(r"\frac{e^{0.5}}{12.5}", COMMA) == r"\frac{e^{0{,}5}}{12{,}5}"
    assert latex_in_marks("1\u202f024", Marks()) == "1{,}024"
    assert latex_in_marks("0.5", Marks()) == "0.5"


def test_code_and_data_keep_the_point():
    told = {
        "kind": "plot",
        "key": "T = 0.5",
        "title": "T = 0.5",
        "y": [0.5],
        "blocks": [{"kind": "code", "title": "p = 0.5", "text": "p = 0.5"}],
        "text": [["0.5 ", ["math", "0.5"], ["code", "0.5"], ["bold", "0.5"]]],
        "latex": "0.5",
        "number": 0.5,
    }
    assert all_in_marks(told, COMMA) == {
        "kind": "plot",
        "key": "T = 0.5",
        "title": "T = 0,5",
        "y": [0.5],
        "blocks": [{"kind": "code", "title": "p = 0,5", "text": "p = 0.5"}],
        "text": [["0,5 ", ["math", "0{,}5"], ["code", "0.5"], ["bold", "0,5"]]],
        "latex": "0{,}5",
        "number": 0.5,
    }


@given(st.floats(-1e9, 1e9, allow_subnormal=False), st.integers(0, 6))
def test_what_is_shown_can_be_typed_again(value, decimals):
    for marks in (Marks(), COMMA):
        typed = as_typed(value, marks)
        assert parse_number(typed) == float(f"{value:g}")
        shown = in_marks(write_number(value, decimals), marks)
        if abs(value) < 1e6:
            assert parse_number(shown) == float(f"{value:.{decimals}f}")


@given(st.integers(-(10**15), 10**15))
def test_thousands_are_grouped_in_every_language(value):
    english, vietnamese = (in_marks(grouped(value), marks) for marks in (Marks(), COMMA))
    assert english == f"{value:,}".replace("-", "−")
    assert vietnamese == english.replace(",", ".")
