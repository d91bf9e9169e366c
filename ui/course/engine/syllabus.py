"""The course as a list: which lessons there are, in order, read from the pages and their words."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from ui.message.types import Card
from ui.paths import PAGES
from ui.words import Words


class Lesson(NamedTuple):
    number: int
    id: str
    page: str  # as Streamlit names it
    address: str


def lesson_of(file: str | Path) -> Lesson:
    """The lesson of a page script: its number and its id are in the name of the file."""
    path = Path(file)
    number, _, name = path.stem.partition("_")
    return Lesson(int(number), name, f"pages/{path.name}", name)


@cache
def lessons() -> tuple[Lesson, ...]:
    """Every lesson, in order."""
    return tuple(sorted(lesson_of(path) for path in PAGES.glob("[0-9][0-9]_*.py")))


def sections_of(lesson: str, words: Words) -> list[str]:
    """The ids of a lesson's sections, in the order of its text."""
    keys = words.family(f"lesson.{lesson}")
    return [key.removesuffix(".title") for key in keys if key.endswith(".title") and key.count(".") == 1]


def cards(words: Words) -> list[Card]:
    """What the home page shows of each lesson."""
    return [
        Card(
            id=lesson.id,
            number=lesson.number,
            title=words(f"lesson.{lesson.id}.title"),
            about=words(f"lesson.{lesson.id}.about"),
            address=lesson.address,
            sections=sections_of(lesson.id, words),
        )
        for lesson in lessons()
    ]
