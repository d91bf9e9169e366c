"""Numbers as they are written, and as people type them. static/message/numbers.js is the same in JavaScript, with the
same names in the same order; tests/numbers.json holds both to the following.

WRITING, `write(value, decimals, marks, form)`
- Rounded from the exact binary value, halves away from zero: 0.125 with two decimals is 0.13, and
  2.5 with none is 3.
- A whole number has no decimals. In a CELL, where numbers stand below each other, it has them all.
- From a million on it has a power of ten and up to three digits, 1.23e6; whole numbers only from 1e15 on.
  In a CELL, which is narrow, from 1e4 (1e6 without decimals) and with up to two digits: 1.2e4.
- A number that is not 0 is never written as 0.00 but with up to three digits: 0.0041, and below 1e−4 with a
  power of ten, 2e−16. In a CELL it may be 0.00.
- Thousands are in groups of three, in a CELL not. The minus sign is −. What is rounded to 0 has none.
- −∞, ∞ and NaN are written so. (JSON has no infinity: in a message −∞ is null.)
- The decimal mark, the mark between thousands and what stands between the numbers of a list (`listed`) are
  those of the language. Code, data and links have a point and nothing else.
`brief(value, digits, marks)` counts significant digits and drops zeros behind the point; it has a power of
ten below 1e−4 and from 1e6 on. `as_typed(value, marks)` is a number to be changed in a field.

READING, `readings(text, ...)`: all that a text may mean, the likeliest first; nothing if it is no number.
- Point and comma are decimal marks in every language. `1.234` and `1,234` are a little more than one; that
  they may also be thousands is the second reading, which counts only where an answer is compared.
- Thousands in groups of three with one mark throughout: point, comma, apostrophe or any space. Where the
  groups cannot be decimals (1,234,567 or 1.234,5 or 1 234) this is the only reading.
- A sign: +, or any of the dashes that keyboards and word processors make of a minus. A power of ten: 1e3,
  1E-3, 1·10³, 1×10^3. A fraction of whole numbers: 3/4. Digits and marks may have full width, as Chinese
  and Korean keyboards give them.
- `e` only `with_constants`, −∞ (-inf, -infinity) only `with_infinity`.
- At most MOST_TYPED characters and no larger than `largest`. Every pattern takes linear time.
"""

import math
import re
from typing import NamedTuple

from attention_core.expressions import Numeral
from attention_core.numerals import CELL, LINE, NARROW, PROSE, Form, as_latex, numeral
from attention_core.numerals import brief as brief_numeral
from ui.limits import LARGEST, MOST_TYPED

__all__ = ["CELL", "LINE", "NARROW", "PROSE", "Form", "Numeral", "as_latex"]

MOST_CHARACTERS = 20_000  # of a pasted block
LARGEST_ANSWER = 1e15  # that may be typed as an answer
FIELD_DIGITS = 9  # significant ones of a number in a field


class Marks(NamedTuple):
    """What a language writes in and between numbers: 1,234.5 and 0.5, 0.2 in English."""

    decimal: str = "."
    thousands: str = ","
    between: str = ", "  # the numbers of a list; apart from a decimal comma


POINT = Marks()

# Writing


def write(value: float, decimals: int, marks: Marks = POINT, form: Form = PROSE) -> str:
    """A number with so many decimals, as a language writes it."""
    return marked(numeral(value, decimals, form), marks)


def brief(value: float, digits: int, marks: Marks = POINT) -> str:
    """A number with so many significant digits."""
    return marked(brief_numeral(value, digits), marks)


def as_typed(value: float, marks: Marks = POINT) -> str:
    """A number as it stands in a field to type in: all its digits, no thousands."""
    return marked(brief_numeral(value, FIELD_DIGITS, LARGEST_ANSWER), marks)


def listed(texts: list[str], marks: Marks = POINT) -> str:
    """Numbers of a list, so that a decimal comma cannot be taken for the comma between two of them."""
    return (marks.between if any(marks.decimal in text for text in texts) else ", ").join(texts)


def marked(numeral: str, marks: Marks) -> str:
    """One numeral with a point and narrow spaces, in the marks of a language."""
    return numeral.replace(".", marks.decimal).replace(NARROW, marks.thousands)


class Spelled(str):
    """A text with numbers in it: `pieces`, those that are numbers as Numeral, to be given marks."""

    pieces: tuple[str, ...]

    def __new__(cls, *pieces: str):
        spelled = super().__new__(cls, "".join(pieces))
        spelled.pieces = pieces
        return spelled


def in_marks(text: str, marks: Marks) -> str:
    """A numeral, or a text with numerals in it, as a language writes it; any other text as it is."""
    if isinstance(text, Numeral):
        return marked(text, marks)
    if isinstance(text, Spelled):
        return "".join(in_marks(piece, marks) for piece in text.pieces)
    return text


# Reading

SAME = str.maketrans(
    "−–‐‑﹣－＋．，／⁄∕０１２３４５６７８９’\t\r\n\u00a0\u2007\u2009\u202f\u3000\ufeff",
    "-" * 6 + "+.,///" + "0123456789'" + " " * 9,
)
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
POWER = r"(?:[eE]([+-]?[0-9]{1,3})| ?[×·*x] ?10(?:\^([+-]?[0-9]{1,3})|([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})))?"
DECIMAL = re.compile(rf"([+-]?)([0-9]{{1,20}}(?:[.,][0-9]{{0,20}})?|[.,][0-9]{{1,20}}){POWER}")
GROUPED = re.compile(
    r"([+-]?)([1-9][0-9]{0,2}([., '])[0-9]{3}(?:\3[0-9]{3}){0,5})(?:(?!\3)[.,]([0-9]{0,20}))?" + POWER
)
FRACTION = re.compile(r"([+-]?[0-9]{1,9}) ?/ ?([0-9]{1,9})")
INFINITIES = ("-inf", "-∞", "-infinity")


class NumberError(ValueError):
    """What was typed is no number; `.text` is what it was."""

    def __init__(self, text: str):
        super().__init__(text)
        self.text = text[:40]


def readings(
    text: str, with_infinity: bool = False, with_constants: bool = False, largest: float = LARGEST
) -> tuple[float, ...]:
    """What a text may mean as one number, the likeliest first; nothing where it is none."""
    plain = plain_text(text)
    if len(plain) > MOST_TYPED:
        return ()
    if with_infinity and plain.lower() in INFINITIES:
        return (-math.inf,)
    if with_constants and plain.lower() == "e":
        return (math.e,)
    found = [read(plain) for read in (read_fraction, read_decimal, read_grouped)]
    return tuple(value for value in found if value is not None and abs(value) <= largest)


def answers(given: str) -> tuple[float, ...]:
    """What an answer to a question may mean: with all that is allowed there."""
    return readings(given, with_infinity=True, with_constants=True, largest=LARGEST_ANSWER)


def parse_number(text: str, with_infinity: bool = False) -> float:
    """One number, as it is most likely meant; else a NumberError."""
    found = readings(text, with_infinity)
    if not found:
        raise NumberError(text)
    return found[0]


def read_sizes(text: str) -> list[int]:
    """The whole numbers in a text, whatever stands between them: 4×2, (4, 2) and 4 2 are a shape."""
    return [int(size) for size in re.findall(r"[0-9]{1,9}", text[:MOST_TYPED].translate(SAME))]


def plain_text(text: str) -> str:
    """A text with plain signs and digits, and one space where there were several."""
    return " ".join(part for part in text.translate(SAME).split(" ") if part)


def read_fraction(plain: str) -> float | None:
    found = FRACTION.fullmatch(plain)
    return int(found[1]) / int(found[2]) if found and int(found[2]) else None


def read_decimal(plain: str) -> float | None:
    found = DECIMAL.fullmatch(plain)
    return number_of(found[1], found[2].replace(",", "."), found.groups()[2:]) if found else None


def read_grouped(plain: str) -> float | None:
    found = GROUPED.fullmatch(plain)
    if found is None:
        return None
    whole = found[2].replace(found[3], "")
    return number_of(found[1], f"{whole}.{found[4] or 0}", found.groups()[4:])


def number_of(sign: str, digits: str, powers: tuple[str | None, ...]) -> float:
    """The number of a sign, digits with a point, and one of three ways to write a power of ten."""
    power = next((power for power in powers if power), "0").translate(RAISED)
    return float(f"{sign}{digits}e{power}") + 0.0


def parse_block(text: str, with_infinity: bool = False) -> list[list[float]]:
    """Rows of numbers. Tabs part cells, else semicolons, else commas, else spaces; lines part rows.

    A comma is a decimal comma where something else separates the cells (0,5 0,2), and where every line is one
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
    elif "[" not in text and all(map(is_decimal, lines)):
        parts = [[line] for line in lines]  # one number a line: a comma is a decimal comma
    elif "[" not in text and all(is_decimal(part) for line in lines for part in line.split()):
        parts = [line.split() for line in lines]  # spaces part cells: so it is here
    elif "," in text:
        parts = [line.split(",") for line in lines]
    else:
        parts = [joined_at("/", plain_text(line), "/").split() for line in lines]
    return [[parse_number(part, with_infinity) for part in row] for row in parts]


def joined_at(marks: str, text: str, by: str) -> str:
    """The text with `by` in place of each of the marks and the spaces around it.

    A pattern for spaces, a mark and spaces would look at every run of spaces from each of its places.
    """
    for mark in marks[1:]:
        text = text.replace(mark, marks[0])
    return by.join(part.strip() for part in text.split(marks[0]))


def is_decimal(text: str) -> bool:
    """Whether a text is one number without thousands, and no fraction."""
    return read_decimal(plain_text(text)) is not None


# Literal numbers in words, which are loaded once

# A number inside a text: none that is part of a name (q0.1) or of a version (3.11.2).
NUMERAL = rf"(?<![A-Za-z_\d.])\d+(?:{NARROW}\d{{3}})*(?:\.\d+)?(?:e[+−-]?\d+)?(?![A-Za-z_\d]|\.\d)"
ONE = rf"(?:{NUMERAL}|∞)"
KEPT_OR_RUN = re.compile(rf"\$[^$]+\$|`[^`]*`|“[^”]*”?|{ONE}(?:, [−-]?{ONE})*")


def words_in_marks(text: str, marks: Marks) -> str:
    """A text of assets/words with its literal numbers as the language writes them.

    In assets/words every language has a point, and NARROW between thousands. `Code` and “quotations” stay; in
    $LaTeX$ a comma inside a number stands in braces.
    """

    def written(match: re.Match) -> str:
        run = match[0]
        if run[0] == "$":
            decimal, thousands = (mark.replace(",", "{,}") for mark in marks[:2])
            braced = Marks(decimal, thousands, marks.between)
            return words_in_marks(run[1:-1], braced).join("$$")
        if run[0] in "`“":
            return run
        return marked(run.replace(", ", marks.between) if "." in run else run, marks)

    return KEPT_OR_RUN.sub(written, text)
