"""Prose that a teacher can edit, with live names and numbers.

    **bold**, `code`, $\\frac{1}{2}$        as usual
    [[q]], [[q|the queries]]               a matrix: in its colour; pointing at it lights it on the board
    {q 0 1}                                the number in row 0, column 1 of a matrix; {q 0} a whole row
    {= q 0 1}                              how that number is computed, with the present numbers
    {shape q}, {sum weights 0}             a shape; the sum of a row
    {entropy}                              a fact that the section computes, by its name
    [[attention/output]]                   a section of another lesson: a link with the lesson's number and its title

A blank line begins a new paragraph. Out come pieces: plain text, or a list that begins with its kind.
"""

import re

from attention_core import explain_cell
from ui.board import matrices as board
from ui.board.matrices import shown_places
from ui.course.engine.sections import Facts, Here
from ui.course.engine.syllabus import lessons, sections_of
from ui.message.arithmetic import ink_of, latex_of
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset

PIECE = re.compile(
    r"\$(?P<math>[^$]+)\$|\*\*(?P<bold>.+?)\*\*|`(?P<code>[^`]+)`"
    r"|\[\[(?P<lesson>[a-z_]+)/(?P<section>[a-z_]+)\]\]"
    r"|\[\[(?P<name>[a-z_]+)(?:\|(?P<label>[^\]]+))?\]\]|\{(?P<live>[^{}]+)\}"
)


class ProseError(ValueError):
    """A name or a number in a lesson's text that does not exist."""


def paragraphs(text: str, here: Here, facts: Facts) -> list[list]:
    """The paragraphs of a text, each as pieces."""
    parts = re.split(r"\n\s*\n", text.strip())
    return [pieces(re.sub(r"\s*\n\s*", " ", part), here, facts) for part in parts]


def pieces(text: str, here: Here, facts: Facts) -> list:
    found: list = []
    place = 0
    for match in PIECE.finditer(text):
        found.append(text[place : match.start()])
        found.append(piece(match, here, facts))
        place = match.end()
    return [one for one in [*found, text[place:]] if one != ""]


def piece(match: re.Match, here: Here, facts: Facts) -> list | str:
    if match["math"]:
        return ["math", match["math"]]
    if match["bold"]:
        return ["bold", *pieces(match["bold"], here, facts)]
    if match["code"]:
        return ["code", match["code"]]
    if match["lesson"]:
        return lesson_piece(match["lesson"], match["section"], here)
    if match["name"]:
        return name_piece(match["name"], match["label"], here)
    return live_piece(match["live"].split(), here, facts)


def name_piece(name: str, label: str | None, here: Here) -> list:
    key = f"name.{name}"
    if label is None and key not in here.words:
        raise ProseError(name)
    return ["name", name, label or here.words(key), ink_of(name)]


def lesson_piece(lesson: str, section: str, here: Here) -> list:
    """A link to how a section of another lesson begins."""
    numbers = {one.id: one.number for one in lessons()}
    if lesson not in numbers or section not in (sections := sections_of(lesson, here.words)):
        raise ProseError(f"{lesson}/{section}")
    link = write_link(load_preset("pixels_2x2").looking(section=sections.index(section)))
    title = here.words(f"lesson.{lesson}.{section}.title")
    text = here.words("course.lesson_way", number=numbers[lesson], title=title)
    return ["lesson", lesson, link, text]


def live_piece(parts: list[str], here: Here, facts: Facts) -> list | str:
    """A number of the present computation."""
    match parts:
        case ["=", name, row, column]:
            index = index_of(here, name, int(row), int(column))
            line = explain_cell(here.trace, name, index, decimals(here))
            return ["line", name, int(row), int(column), latex_of(line, here.words).partition(" = ")[2]]
        case ["shape", name]:
            return "×".join(map(str, here.trace.step(name).shape))
        case ["sum", name, row]:
            text = here.number(float(here.slice(name)[int(row)].sum()), decimals(here))
            return ["sum", name, int(row), text]
        case [name, row, column]:
            value = float(here.slice(name)[int(row), int(column)])
            return ["value", name, int(row), int(column), here.number(value, decimals(here)), ink_of(name)]
        case [name, row]:
            numbers = here.words.numbers(here.slice(name)[int(row)], decimals(here))
            return ["row", name, int(row), f"[{numbers}]", ink_of(name)]
        case [fact] if fact in facts:
            value = facts[fact]
            return value if isinstance(value, str) else here.number(value, decimals(here))
    raise ProseError(" ".join(parts))


def decimals(here: Here) -> int:
    return here.scenario.view.decimals


def index_of(here: Here, name: str, row: int, column: int) -> tuple[int, ...]:
    shown = shown_places(here.scenario, here.trace)
    return board.matrices_of(here.trace.step(name), shown._replace(all_heads=False))[0].index(row, column)
