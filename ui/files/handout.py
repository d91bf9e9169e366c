"""A handout: the workbench in one file that opens by double click, with no server and no network.

What the app would compute when a step is walked or a cell opened is computed when the file is made: a *handout*
of places (one for each head, or each section of a lesson), each with what it shows and which cells open.
"""

import base64
import html
import json
import posixpath
import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cache

from attention_core import Trace
from ui.board import matrices as board
from ui.board.matrices import Matrix, shown_places
from ui.board.stages import board_names, steps_by_stage
from ui.figures.style import theme_colours
from ui.message.arithmetic import explain_through_moves, written_lines
from ui.message.assemble import assemble
from ui.message.types import Line, Message, sent
from ui.paths import ROOT, STATIC, plotly_script
from ui.scenario.scenario import Locks, Scenario
from ui.words import Words

MOST_CELLS = 2000  # that open, in one file: about half a second of work
MOST_HEADS = 16
STYLES = ("workbench.css", "page/class.css", "course/blocks.css", "course/lesson.css", "lab/lab.css")
IMPORT = re.compile(r"`(\.\.?/[\w/${}]+)\.js\$\{own\}`")  # how a script of ours loads another


class Handout:
    """What a handout holds: places, and the arithmetic of their cells."""

    def __init__(self, address: str = ""):
        self.address = address  # where the same can be had live; empty where nobody else could open it
        self.places: list[dict] = []
        self.lines: list[list[Line]] = []
        self.ids: dict[str, int] = {}  # of the lines, by the name of the cell
        self.first = 0
        self.cell: int | None = None  # the arithmetic that is open at first
        self.title = ""  # a lesson shows its own

    def add(
        self,
        scenario: Scenario,
        trace: Trace,
        words: Words,
        shows: Message,
        drawn: list[Matrix],
        group: int = 0,
    ) -> None:
        """One more place, with the arithmetic of every cell on its board, as long as there is room."""
        place = {"shows": still(shows), "group": group, "cells": {}, "lit": {}}
        self.places.append(place)
        if scenario.is_large:  # one line of arithmetic would take thousands of numbers
            return
        names = {matrix.step.name for matrix in drawn}
        for matrix in drawn:
            rows, columns = matrix.whole.shape
            place["cells"][matrix.key] = [[None] * columns for _ in range(rows)]
            for row in range(rows):
                for column in range(columns):
                    number = self.explain(
                        scenario, trace, words, matrix, matrix.index(row, column), group, names
                    )
                    if number is not None:
                        place["cells"][matrix.key][row][column] = number
                        index, decimals = matrix.index(row, column), scenario.view.decimals
                        lines = explain_through_moves(trace, matrix.step.name, index, decimals)
                        place["lit"][number] = board.lit_cells(trace, lines, drawn)

    def explain(
        self,
        scenario: Scenario,
        trace: Trace,
        words: Words,
        matrix: Matrix,
        index: tuple[int, ...],
        group: int,
        names: Collection[str],
    ) -> int | None:
        """The number of a cell's arithmetic, written once; None where there is no more room."""
        name = id_of(group, matrix.step.name, index)
        if name not in self.ids:
            if len(self.lines) >= MOST_CELLS:
                return None
            self.ids[name] = len(self.lines)
            lines = explain_through_moves(trace, matrix.step.name, index, scenario.view.decimals)
            self.lines.append(written_lines(scenario, trace, lines, words, names))
        return self.ids[name]

    def written(self) -> dict:
        """The handout as it is put into the file; a line leads back only to cells that the handout has."""
        lines: list[list[dict]] = [[] for _ in self.lines]
        for name, number in self.ids.items():
            group = name.partition(":")[0]
            for line in self.lines[number]:
                back = [way for way in line.back if id_of(group, way[1], way[2]) in self.ids]
                lines[number].append(sent(replace(line, back=back)))
        facts = {"address": self.address, "title": self.title, "first": self.first, "cell": self.cell}
        facts["ids"] = self.ids
        return facts | {"places": self.places, "lines": lines}


def id_of(group: object, step: str, index: Iterable[int]) -> str:
    """The name of a cell in the handout; static/files/offline.js makes it the same way."""
    return f"{group}:{step}:{','.join(map(str, index))}"


def still(shows: Message) -> dict:
    """What a place shows, with nothing to change but the number of decimals."""
    outline = shows.new_outline
    if outline is not None:
        offered = [choice for choice in outline.choices or [] if choice["id"] == "decimals"]
        matrices = [replace(matrix, editable=False) for matrix in outline.matrices]
        outline = replace(outline, languages=[], choices=offered, matrices=matrices, plan=None, labels=None)
    lesson = shows.lesson and replace(shows.lesson, knobs=[], lab=False, confusion=False, working=False)
    found = replace(
        shows,
        new_outline=outline,
        view=replace(shows.view, predict=False, batches=1),
        lesson=lesson,
        # Settings that pictures tell, such as the scale; no array is computed again.
        given={name: one for name, one in (shows.given or {}).items() if not isinstance(one, list)} or None,
        **dict.fromkeys(("may", "panels", "panel", "to_home", "sentence", "lit", "lines")),
    )
    return sent(found)


def lab_handout(scenario: Scenario, trace: Trace, words: Words, address: str) -> Handout:
    """The present state of the Lab: every step, and every head of the batch item shown."""
    scenario = replace(scenario, locks=Locks()).looking(all_heads=False, predict=False, kept="")
    n_heads = (1, *trace["weights"].shape)[-3]
    now = shown_places(scenario, trace).head
    heads = list(range(n_heads)) if n_heads <= MOST_HEADS else [now]
    handout, names = Handout(address), board_names(trace)
    for head in heads:
        here = scenario.looking(head=head, cell=())
        shown = shown_places(here, trace)
        shows = assemble(here, names, shown, words)
        shows.view.step, shows.view.heads = here.view.step or next(iter(steps_by_stage(trace))), len(heads)
        handout.add(here, trace, words, shows, board.drawn_matrices(trace, names, shown))
    chosen = board.chosen_matrix(scenario, trace, names, shown_places(scenario, trace))
    if chosen is not None:
        index = chosen.index(*scenario.view.cell[1:3])
        handout.cell = handout.ids.get(id_of(0, chosen.step.name, index))
    handout.first, handout.title = heads.index(now), words(f"preset.{scenario.preset}.title")
    return handout


def page_of(handout: Handout, words: Words) -> bytes:
    """The file itself."""
    parts = {
        "language": words.language,
        "title": html.escape(words("share.frame")),
        "style": theme() + "".join((STATIC / name).read_text("utf-8") for name in STYLES),
        "scripts": json.dumps({"imports": scripts()}),
        "plotly": plotly(),
        # No tag can end it.
        "handout": json.dumps(handout.written(), ensure_ascii=False).replace("<", "\\u003c"),
    }
    page = (ROOT / "assets" / "handout.html").read_text("utf-8")
    pieces = re.split(r"\{\{(\w+)\}\}", page)  # text, name, text: what is filled in is not searched again
    return "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces)).encode()


@cache
def scripts() -> dict[str, str]:
    """Every script of ours as an address that needs no file, by the name that the others load it by."""
    found = {}
    for path in sorted(STATIC.rglob("*.js")):
        if path.name != "plotly.min.js":
            name = path.relative_to(STATIC).with_suffix("").as_posix()
            source = IMPORT.sub(
                lambda found, name=name: f"`{named(found[1], name)}`", path.read_text("utf-8")
            )
            packed = base64.b64encode(source.encode()).decode()
            found[named(name)] = f"data:text/javascript;base64,{packed}"
    return found


def named(path: str, beside: str = "") -> str:
    """The name of a script in the file, by its path in static/, which may begin at the script beside it."""
    return f"qkv/{posixpath.normpath(posixpath.join(posixpath.dirname(beside), path))}"


@cache
def plotly() -> str:
    return plotly_script().read_text("utf-8").replace("</script", "<\\/script")


@cache
def theme() -> str:
    """The colours of .streamlit/config.toml under the names that Streamlit gives them in a page."""

    def colours(scheme: str) -> str:
        return "".join(f"{name}: {colour}; " for name, colour in theme_colours(scheme).items())

    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ {colours('dark')}}} }}"
    return f":root {{ {colours('light')}}}\n{dark}\n"
