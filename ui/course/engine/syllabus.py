"""The course as a list: which lessons there are, in order, read from the pages and their words."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from ui.message.types import Card, Chapter
from ui.paths import PAGES
from ui.words import Words

# Each chapter by the lesson that it begins with; what stands beside the course is no chapter, and comes last.
CHAPTERS = {
    "projection": "one_head",
    "several_heads": "many_heads",
    "masks": "weights",
    "why_attention": "models",
    "practice": "beside",
}


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


def card(lesson: Lesson, words: Words) -> Card:
    """What the home page shows of a lesson."""
    return Card(
        id=lesson.id,
        number=lesson.number,
        title=words(f"lesson.{lesson.id}.title"),
        about=words(f"lesson.{lesson.id}.about"),
        sections=sections_of(lesson.id, words),
    )


def chapters(words: Words) -> list[Chapter]:
    """The course in chapters; the last one has what is no lesson."""
    found: list[Chapter] = []
    for lesson in lessons():
        if lesson.id in CHAPTERS:
            chapter = CHAPTERS[lesson.id]
            found.append(Chapter(chapter, words(f"chapter.{chapter}"), []))
        found[-1].lessons.append(card(lesson, words))
    return found
