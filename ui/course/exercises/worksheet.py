"""A worksheet to print: exercises on one A4 page, their answers on a second; the same for the same seed.

The document is HTML without anything from outside. It is built as a tree, which escapes every text.
"""

from functools import cache
from xml.etree.ElementTree import Element, SubElement, tostring

from ui.course.exercises.catalogue import make_exercise
from ui.course.exercises.exercise import LETTERS, Exercise, Grid
from ui.course.exercises.wording import asked, solution, written_rows
from ui.message.arithmetic import ink_of
from ui.paths import ASSETS
from ui.words import Words

STYLE = ASSETS / "worksheet.css"
SHEET = ("cell", "cell", "weights", "output", "shape", "wrong", "mask", "code")
THIRDS_SHEET = ("cell", "cell", "weights", "weights", "output", "output", "wrong", "mask")
PRODUCTS = ("projection", "output", "wrong_projection")  # one matrix times another is the third


@cache
def style() -> str:
    return STYLE.read_text(encoding="utf-8")


def exercises_of(seed: int, level: str) -> list[Exercise]:
    """The exercises of a sheet, in order."""
    kinds = THIRDS_SHEET if level == "thirds" else SHEET
    return [make_exercise(seed, level, kind, kinds[:place].count(kind)) for place, kind in enumerate(kinds)]


def worksheet(seed: int, level: str, words: Words) -> str:
    """The document: exercises, then answers."""
    exercises = exercises_of(seed, level)
    which = words("practice.sheet.which", level=words(f"practice.level.{level}"), seed=str(seed))
    html = Element("html", lang=words.language)
    head = SubElement(html, "head")
    SubElement(head, "meta", charset="utf-8")
    add(head, "title", f"{words('practice.sheet.title')} · {which}")
    add(head, "style", style())
    body = SubElement(html, "body")
    first = page(body, words("practice.sheet.title"), which)
    lines = SubElement(first[0], "p", {"class": "lines"})
    for line in ("name", "date"):
        add(lines, "span", words(f"practice.sheet.{line}"), line)
    add(first, "p", words("practice.sheet.how"), "how")
    items = SubElement(first, "ol")
    for exercise in exercises:
        add_exercise(items, exercise, words)
    second = page(body, words("practice.sheet.key"), which)
    items = SubElement(second, "ol", {"class": "key"})
    for exercise in exercises:
        add_solution(items, exercise, words)
    again = {"seed": str(seed), "level": words(f"practice.level.{level}")}
    add(second, "footer", words("practice.sheet.key_how", **again))
    return f"<!doctype html>\n{tostring(html, encoding='unicode', method='html')}\n"


def add(parent: Element, tag: str, text: str = "", kind: str = "") -> Element:
    """A new last child, with a text and a class."""
    child = SubElement(parent, tag, {"class": kind} if kind else {})
    child.text = text
    return child


def page(body: Element, title: str, which: str) -> Element:
    """A page with its heading."""
    section = SubElement(body, "section")
    header = SubElement(section, "header")
    add(header, "h1", title)
    add(header, "p", which, "which")
    return section


def add_exercise(items: Element, exercise: Exercise, words: Words) -> None:
    item = add(items, "li")
    add(item, "p", asked(exercise, words))
    if exercise.code:
        add(item, "code", exercise.code)
    if exercise.given:
        add_grids(add(item, "div", kind="grids"), exercise, words)
    if exercise.kind == "shape":
        shape = add(item, "div", "(", "shape")
        add(shape, "span", kind="line").tail = ")"
    if exercise.options:
        options = add(item, "div", kind=f"options of-{exercise.kind}")
        for letter, option in zip(LETTERS, exercise.options, strict=True):
            box = add(options, "div", kind="option")
            add(box, "b", letter)
            pictures = add(box, "div", kind="pictures")
            for grid in option.grids:
                add_grid(pictures, grid, words, plain=True)


def add_grids(row: Element, exercise: Exercise, words: Words) -> None:
    """What is given and what is to be filled in; a sign stays with the matrix after it."""
    plain = exercise.kind == "code"
    n_given = len(exercise.given)
    product = exercise.ask in PRODUCTS
    signs = ("", "·", "=") if product else ("",) * (n_given - 1) + ("" if plain or n_given == 1 else "→",)
    for sign, grid in zip(signs, exercise.given, strict=True):
        part = add(row, "div", kind="part") if sign else row
        if sign:
            add(part, "span", sign, "sign")
        add_grid(part, grid, words, plain)


def add_grid(parent: Element, grid: Grid, words: Words, plain: bool = False) -> None:
    """A matrix with its name and the numbers of its rows and columns; a plain one has neither."""
    table = add(parent, "table", kind="plain" if plain else "")
    if not plain:
        caption = add(table, "caption", words(f"name.{grid.name}"))
        if ink_of(grid.name):
            caption.set("class", ink_of(grid.name))
        top = SubElement(table, "tr")
        for name in ("", *map(str, range(len(grid.rows[0])))):
            add(top, "th", name)
    for place, texts in enumerate(written_rows(grid, words)):
        row = SubElement(table, "tr")
        if not plain:
            add(row, "th", str(place))
        for column, text in enumerate(texts):
            add(row, "td", text, cell_kind(grid, (place, column)))


def cell_kind(grid: Grid, cell: tuple[int, int]) -> str:
    """How a cell looks: to be filled in, or a 1 of a mask."""
    if cell in grid.asked:
        return "asked"
    return "one" if grid.name == "visible" and grid.rows[cell[0]][cell[1]] else ""


def add_solution(items: Element, exercise: Exercise, words: Words) -> None:
    item = add(items, "li", kind=f"of-{exercise.kind}")
    add(item, "h2", words(f"practice.kind.{exercise.kind}"))
    box = add(item, "div", kind="pictures")
    for grid in answer_grids(exercise):
        add_grid(box, grid, words, plain=bool(exercise.options))
    for place, line in enumerate(solution(exercise, words)):
        add(item, "p", line, "first" if place == 0 else "")


def answer_grids(exercise: Exercise) -> tuple[Grid, ...]:
    """The matrix that was asked for, with the answers in it; the option that is right."""
    if exercise.options:
        return exercise.options[int(exercise.answers[0])].grids
    if exercise.kind not in ("cell", "weights", "output"):
        return ()
    blank = exercise.given[-1]
    rows = [list(row) for row in blank.rows]
    for (row, column), answer in zip(exercise.cells, exercise.answers, strict=True):
        rows[row][column] = answer
    return (Grid(blank.name, tuple(map(tuple, rows)), blank.asked),)
