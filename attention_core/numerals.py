"""A number as text: rounded exactly, halves away from zero; a power of ten where plain digits will not do.

The rules are told in ui/numbers.py, which adds the marks of a language.
"""

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import NamedTuple

NARROW = "\u202f"  # between thousands
PLAIN_FROM = 1e-4  # `brief`: smaller numbers have a power of ten
MOST_DIGITS = 400  # of any float below its point or above, so that quantising is exact
EXACT = Context(prec=2 * MOST_DIGITS, rounding=ROUND_HALF_UP)


class Form(NamedTuple):
    """How much room a number has."""

    whole_below: float = 1e15  # without decimals it is plain below this size,
    plain_below: float = 1e6  # with decimals below this one; from there on it has a power of ten,
    digits: int = 3  # beside so many significant digits
    thousands: bool = True  # in groups of three
    fixed: bool = False  # a whole number has all the decimals too
    tiny: bool = True  # a number that would be rounded to 0 keeps its first `digits` instead


PROSE = Form()  # in a sentence, a table, a label
CELL = Form(1e6, 1e4, digits=2, thousands=False, fixed=True, tiny=False)  # in a cell of a matrix
LINE = Form(1e6, thousands=False)  # in a line of arithmetic


def numeral(value: float, decimals: int, form: Form = PROSE) -> str:
    """A number with a point, NARROW between its thousands, and a true minus sign."""
    value = value if isinstance(value, int) else float(value)
    if not math.isfinite(value):
        return named(value)
    size = abs(value)
    places = 0 if float(size).is_integer() and not form.fixed else decimals
    if size >= (form.plain_below if places else form.whole_below):
        text = power_of_ten(size, form.digits)
    else:
        text = with_places(size, places)
        if form.tiny and size and not text.strip("0."):
            text = brief(size, form.digits)
        elif form.thousands:
            text = in_thousands(text)
    return f"−{text}" if value < 0 and text.strip("0.") else text


def brief(value: float, digits: int, whole_below: float = 1e6) -> str:
    """A number with so many significant digits, or fewer where the rest are 0; whole ones whole."""
    value = float(value)
    if not math.isfinite(value):
        return named(value)
    size = abs(value)
    if size.is_integer() and size < whole_below:
        text = with_places(size, 0)
    elif PLAIN_FROM <= size < 1e6:
        places = max(0, digits - 1 - exponent_of(size, digits))
        text = without_zeros(with_places(size, places))
    else:
        text = power_of_ten(size, digits)
    return f"−{text}" if value < 0 else text


def named(value: float) -> str:
    """What is no finite number."""
    return "NaN" if math.isnan(value) else "∞" if value > 0 else "−∞"


def with_places(size: float, places: int) -> str:
    """0.125 with two places is 0.13: the exact value is rounded, halves up."""
    return f"{EXACT.quantize(Decimal(size), Decimal((0, (1,), -places))):f}"


def power_of_ten(size: float, digits: int) -> str:
    """1.23e6 and 1e−9: so many significant digits, or fewer where the rest are 0."""
    mantissa, exponent = rounded_to(size, digits).split("e")
    return f"{without_zeros(mantissa)}e{int(exponent)}".replace("-", "−")


def exponent_of(size: float, digits: int) -> int:
    """The power of ten of a number once it is rounded: 9.99 to two digits is 1.0e1."""
    return int(rounded_to(size, digits).split("e")[1])


def rounded_to(size: float, digits: int) -> str:
    exact = Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal_from_float(float(size))
    return f"{exact:.{digits - 1}e}"


def without_zeros(text: str) -> str:
    return text.rstrip("0").removesuffix(".") if "." in text else text


def in_thousands(text: str) -> str:
    whole, point, rest = text.partition(".")
    return f"{int(whole):,}".replace(",", NARROW) + point + rest


def as_latex(written: str) -> str:
    """A written number as LaTeX: a comma in it takes no room, a power of ten is one."""
    plain = written.replace(",", "{,}").replace("−", "-").replace("∞", r"\infty")
    mantissa, _, power = plain.partition("e")
    return rf"{mantissa} \cdot 10^{{{power}}}" if power else mantissa
