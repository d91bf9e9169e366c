"""Numbers as people type them (0,25 and −3 and 1/2, alone or as a block), and as each language writes them.

Everywhere in Python and in assets/words a number in a text has a decimal point, and NARROW between its
thousands. A text gets the marks of the learner's language once, where it leaves for the screen (`in_marks`,
`all_in_marks`). Code and data keep the point.
"""

import math
import re
from typing import NamedTuple

MOST_CHARACTERS = 20_000  # of a pasted block
LARGEST = 1e9  # the largest number that may be typed

NUMBER = re.compile(r"[+-]?(\d{1,20}([.,]\d{0,20})?|[.,]\d{1,20})([eE][+-]?\d{1,3})?")
FRACTION = re.compile(r"([+-]?\d{1,9})/(\d{1,9})")
NARROW = "\u202f"  # between thousands, until a text gets the marks of its language
MINUS_SIGNS = str.maketrans({"−": "-", "–": "-", "﹣": "-", "－": "-", "\u00a0": " ", "\u202f": " "})

# A number inside a text: none that is part of a name (q0.1) or of a version (3.11.2).
NUMERAL = rf"(?<![A-Za-z_\d.])\d+(?:{NARROW}\d{{3}})*(?:\.\d+)?(?:e[+−-]?\d+)?(?![A-Za-z_\d]|\.\d)"
ONE = rf"(?:{NUMERAL}|∞)"
KEPT_OR_RUN = re.compile(rf"`[^`]*`|“[^”]*”?|{ONE}(?:, [−-]?{ONE})*")
DATA = ("key", "given", "html", "file", "numpy", "torch", "figure", "change", "y")  # in a message, but no text of ours


class Marks(NamedTuple):
    """What a language writes in and between numbers: 1,234.5 and 0.5, 0.2 in English."""

    decimal: str = "."
    thousands: str = ","
    between: str = ", "  # the numbers of a list; apart from a decimal comma


def in_marks(text: str, marks: Marks) -> str:
    """The text with its numbers as the language writes them: 0.5, 0.2 as 0,5; 0,2 in Vietnamese.

    `Code` and what a learner typed, which stands in “quotation marks”, stay. To be done once: what comes out
    may hold a point between thousands.
    """

    def written(match: re.Match) -> str:
        run = match[0]
        if run[0] in "`“":
            return run
        if "." in run:
            run = run.replace(", ", marks.between).replace(".", marks.decimal)
        return run.replace(NARROW, marks.thousands)

    plain = marks.decimal == "." and NARROW not in text
    return text if plain else KEPT_OR_RUN.sub(written, text)


def latex_in_marks(latex: str, marks: Marks) -> str:
    """The same in LaTeX, where a comma inside a number stands in braces: 0{,}5."""
    decimal, thousands = (mark.replace(",", "{,}") for mark in marks[:2])
    return in_marks(latex, Marks(decimal, thousands, marks.between))


def all_in_marks(data, marks: Marks):
    """Every text of a message in the marks of a language; formulas as LaTeX, code and data as they are."""
    if isinstance(data, str):
        return in_marks(data, marks)
    if isinstance(data, dict):
        if data.get("kind") == "code":
            return data | {"title": in_marks(data["title"], marks)}
        return {
            name: value
            if name in DATA
            else latex_in_marks(value, marks)
            if name == "latex"
            else all_in_marks(value, marks)
            for name, value in data.items()
        }
    if isinstance(data, list | tuple):
        match data:
            case ["math", str(latex)]:
                return ["math", latex_in_marks(latex, marks)]
            case ["code", str()]:
                return data
        return [all_in_marks(part, marks) for part in data]
    return data


class NumberError(ValueError):
    """What was typed is no number; `.text` is what it was."""

    def __init__(self, text: str):
        super().__init__(text)
        self.text = text[:40]


def parse_number(text: str, with_infinity: bool = False) -> float:
    """One number: decimal point or comma, any minus sign, a fraction; −∞ only `with_infinity`.

    Point and comma are decimal marks in every language, whatever its habit: 1.234 is a little more than one,
    also for a learner who reads Vietnamese, and so is 1,234. Thousands are never guessed.
    """
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


def is_number(text: str) -> bool:
    """Whether a text is one number and no fraction."""
    return NUMBER.fullmatch(text.translate(MINUS_SIGNS).strip()) is not None


def parse_block(text: str, with_infinity: bool = False) -> list[list[float]]:
    """Rows of numbers. Tabs part cells, else semicolons, else commas, else spaces; lines part rows.

    A comma is a decimal comma where something else parts the cells (0,5 0,2), and where every line is one
    number.
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
    elif "[" not in text and all(map(is_number, lines)):
        parts = [[line] for line in lines]  # one number a line: a comma is a decimal comma
    elif "[" not in text and all(is_number(part) for line in lines for part in line.split()):
        parts = [line.split() for line in lines]  # spaces part cells: so it is here
    elif "," in text:
        parts = [line.split(",") for line in lines]
    else:
        parts = [joined_at("/", line, "/").split() for line in lines]
    return [[parse_number(part, with_infinity) for part in row] for row in parts]


def joined_at(marks: str, text: str, by: str) -> str:
    """The text with `by` in place of each of the marks and the spaces around it.

    A pattern for spaces, a mark and spaces would look at every run of spaces from each of its places.
    """
    for mark in marks[1:]:
        text = text.replace(mark, marks[0])
    return by.join(part.strip() for part in text.split(marks[0]))


def write_number(value: float, decimals: int) -> str:
    """A number as it stands in a sentence, still with a point: so many places, a true minus sign."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) >= 1e6:
        return f"{value:.0e}".replace("e+0", "e").replace("e+", "e").replace("-", "−")
    text = f"{value:.{decimals}f}"
    return text.replace("-", "−" if float(text) else "")


def grouped(value: int) -> str:
    """A whole number in groups of three digits, still without the marks of a language."""
    return f"{value:,}".replace(",", NARROW).replace("-", "−")


def as_typed(value: float, marks: Marks) -> str:
    """A number as it stands in a field to type in: no thousands."""
    return f"{value:g}".replace("-", "−").replace(".", marks.decimal)
