"""Numbers as people type and paste them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.numbers import MOST_CHARACTERS, NumberError, parse_block, parse_number


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
