"""Numbers as people type and paste them: 0,25 and −3 and 1/2, alone or as a block from a spreadsheet."""

import math
import re

MOST_CHARACTERS = 20_000  # of a pasted block
LARGEST = 1e9  # the largest number that may be typed

NUMBER = re.compile(r"[+-]?(\d{1,20}([.,]\d{0,20})?|[.,]\d{1,20})([eE][+-]?\d{1,3})?")
FRACTION = re.compile(r"([+-]?\d{1,9})/(\d{1,9})")
MINUS_SIGNS = str.maketrans({"−": "-", "–": "-", "﹣": "-", "－": "-", "\u00a0": " ", "\u202f": " "})


class NumberError(ValueError):
    """What was typed is no number; `.text` is what it was."""

    def __init__(self, text: str):
        super().__init__(text)
        self.text = text[:40]


def parse_number(text: str, with_infinity: bool = False) -> float:
    """One number: decimal point or comma, any minus sign, a fraction; −∞ only `with_infinity`."""
    plain = text.translate(MINUS_SIGNS).strip()
    if with_infinity and plain.lower() in ("-inf", "-∞", "-infinity"):
        return -math.inf
    fraction = FRACTION.fullmatch(plain.replace(" ", ""))
    if fraction and int(fraction[2]):
        value = int(fraction[1]) / int(fraction[2])
    elif NUMBER.fullmatch(plain):
        value = float(plain.replace(",", "."))
    else:
        raise NumberError(text)
    if abs(value) > LARGEST:
        raise NumberError(text)
    return value


def parse_block(text: str, with_infinity: bool = False) -> list[list[float]]:
    """Rows of numbers. Tabs part cells, else semicolons, else commas, else spaces; lines part rows.

    A comma is a decimal comma where something else parts the cells, and where every line is one number.
    """
    if len(text) > MOST_CHARACTERS:
        raise NumberError(text)
    rows = text.replace("],", "\n").replace("[", "").replace("]", "")  # as Python prints a matrix
    lines = [line.rstrip("\t; ") for line in rows.splitlines() if line.strip()]
    if not lines:
        raise NumberError(text)
    if "\t" in text:
        parts = [line.split("\t") for line in lines]
    elif ";" in text:
        parts = [line.split(";") for line in lines]
    elif "[" not in text and all(NUMBER.fullmatch(line.translate(MINUS_SIGNS).strip()) for line in lines):
        parts = [[line] for line in lines]  # one number a line: a comma is a decimal comma
    elif "," in text:
        parts = [line.split(",") for line in lines]
    else:
        parts = [re.sub(r"\s*/\s*", "/", line).split() for line in lines]
    return [[parse_number(part, with_infinity) for part in row] for row in parts]


def write_number(value: float, decimals: int) -> str:
    """A number as it stands in a sentence: so many places, a true minus sign."""
    if value == -math.inf:
        return "−∞"
    if abs(value) >= 1e6:
        return f"{value:.0e}".replace("e+0", "e").replace("e+", "e").replace("-", "−")
    text = f"{value:.{decimals}f}"
    return text.replace("-", "−" if float(text) else "")
