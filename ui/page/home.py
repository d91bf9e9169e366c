"""Home: a sentence, where each of its words looks, every number of it open to its arithmetic; and the course."""

from dataclasses import replace

from ui.board.matrices import shown_places
from ui.course.engine.syllabus import chapters
from ui.message.assemble import assemble
from ui.message.types import Message
from ui.page.page import Page
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Scenario, array_shape
from ui.state.lab import HANDLERS
from ui.state.state import State
from ui.words import Words

EXAMPLE = "cat_on_the_mat"
STEPS = ["x", "q_heads", "k_heads", "v_heads", "scores", "scaled", "weights", "head_outputs", "output"]
ACTS = ("edit", "focus", "head", "language")


class HomePage(Page):
    name = "home"

    def __init__(self):
        super().__init__()
        self.handlers |= {kind: HANDLERS[kind] for kind in ACTS}

    def opening(self) -> Scenario:
        return load_preset(EXAMPLE)

    def belongs(self, scenario: Scenario) -> Scenario:
        """Of a link: where one looks, the language, and the numbers and words if they are as many as those here."""
        found, view = self.opening(), scenario.view
        if has_form_of(scenario, found):
            found = replace(found, arrays=scenario.arrays, names=scenario.names)
        return found.looking(focus=view.focus, head=view.head, language=view.language)

    def target(self, state: State, name: str, link: str) -> tuple[str, str] | None:
        """Under the name of "numbers", the Lab with those that home shows; the other pages as they were left."""
        if name == "numbers":
            return "lab", write_link(state.scenario)
        return super().target(state, name, link)

    def content(self, state: State, words: Words) -> Message:
        scenario = state.scenario
        shown = shown_places(scenario, scenario.trace())
        found = assemble(scenario, STEPS, shown, words, with_stages=False, with_choices=False)
        found.home = {name: words(f"home.{name}") for name in words.family("home") if "." not in name}
        found.course = chapters(words)
        return found


def has_form_of(scenario: Scenario, other: Scenario) -> bool:
    """Whether only numbers and names differ."""
    sizes = [{name: array_shape(one) for name, one in each.arrays.items()} for each in (scenario, other)]
    return (scenario.function, scenario.options, sizes[0]) == (other.function, other.options, sizes[1])


HOME = HomePage()
