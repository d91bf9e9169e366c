"""Large numbers as they stand in a table: in full, as powers of ten, as bytes."""

from attention_core import Amount
from attention_core.numerals import rounded_to
from ui.numbers import PROSE, marked, write
from ui.words import Words

LONGEST = 10_000_000  # from here on powers of ten are easier to compare
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
TWO_PLACES = PROSE._replace(fixed=True)
UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def in_full(amount: int, words: Words) -> str:
    """8,030,261,248, in the marks of the language."""
    return words.number(amount, 0)


def in_short(amount: int, words: Words) -> str:
    """1,536, but from ten millions on 2.42·10⁹."""
    if abs(amount) < LONGEST:
        return in_full(amount, words)
    digits, power = rounded_to(amount, 3).split("e+")
    digits = marked(digits.replace("-", "−"), words.marks)
    return f"{digits}·10{str(int(power)).translate(SUPERSCRIPTS)}"


def with_formula(amount: Amount, words: Words) -> str:
    """n − 1 = 511; a formula that is a number is enough by itself."""
    return (
        amount.formula if amount.formula == str(amount) else f"{amount.formula} = {in_short(amount, words)}"
    )


def in_bytes(amount: int, words: Words) -> str:
    """1.00 GiB: each unit is 1024 of the one before."""
    size, unit = float(amount), 0
    while size >= 1024 and unit < len(UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{write(size, 2, words.marks, TWO_PLACES)} {UNITS[unit]}" if unit else f"{amount} B"
