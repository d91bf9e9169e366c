"""Large numbers as they stand in a table: grouped, as powers of ten, as bytes."""

from attention_core import Amount
from ui.numbers import grouped

LONGEST = 10_000_000  # from here on powers of ten are easier to compare
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def in_full(amount: int) -> str:
    """8,030,261,248, in the marks of the language."""
    return grouped(amount)


def in_short(amount: int) -> str:
    """1,536, but from ten millions on 2.42·10⁹."""
    if abs(amount) < LONGEST:
        return in_full(amount)
    digits, power = f"{amount:.2e}".split("e+")
    return f"{digits}·10{str(int(power)).translate(SUPERSCRIPTS)}".replace("-", "−")


def with_formula(amount: Amount) -> str:
    """n − 1 = 511; a formula that is a number is enough by itself."""
    return amount.formula if amount.formula == str(amount) else f"{amount.formula} = {in_short(amount)}"


def in_bytes(amount: int) -> str:
    """1.00 GiB: each unit is 1024 of the one before."""
    size, unit = float(amount), 0
    while size >= 1024 and unit < len(UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.2f} {UNITS[unit]}" if unit else f"{amount} B"
