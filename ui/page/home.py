"""Home: the 2x2-pixel example, computed live, every number open to its arithmetic; and the course."""

from dataclasses import replace

from ui.board.matrices import Shown
from ui.course.engine.syllabus import cards
from ui.message.assemble import assemble
from ui.message.types import Message
from ui.page.page import Page
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Locks, Scenario
from ui.state.lab import HANDLERS
from ui.state.state import State
from ui.words import Words

STEPS = ["x", "q", "k", "v", "scores", "scaled", "weights", "output"]
FIRST = ("weights", 1, 3)  # the cell that is open at first


class HomePage(Page):
    name = "home"

    def __init__(self):
        super().__init__()
        self.handlers |= {kind: HANDLERS[kind] for kind in ("cell", "open", "language")}

    def opening(self) -> Scenario:
        return load_preset("pixels_2x2").looking(cell=FIRST)

    def belongs(self, scenario: Scenario) -> Scenario:
        """Of a link, home takes the cell and the language."""
        return self.opening().looking(
            cell=scenario.view.cell, focus=scenario.view.focus, language=scenario.view.language
        )

    def content(self, state: State, words: Words) -> Message:
        scenario = replace(state.scenario, locks=Locks(locked=("edit",)))
        found = assemble(scenario, STEPS, Shown(), words, with_stages=False, with_choices=False)
        found.home = {name: words(f"home.{name}") for name in ("title", "tagline", "lead", "to_lab")}
        found.course = cards(words)
        return found


HOME = HomePage()
