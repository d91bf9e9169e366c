"""A learner without a browser: acts go in as the workbench reports them, messages come out of it.

The learner keeps what a browser keeps: state, undo and redo. The page is a function, so any page will do.
"""

from ui.message.types import sent
from ui.page.lab import LAB
from ui.page.request import Request, arrival
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset


class Reader:
    """A page as one browser has it."""

    def __init__(self, page, link="", language="en"):
        self.page, self.language = page, language
        self.undo, self.redo = [], []
        self.answer = page.respond(arrival(link), language)
        self.count = 0

    def do(self, kind, *details):
        return self.do_all([kind, *details])

    def do_all(self, *acts):
        """Several acts in one request."""
        self.count += 1
        link = self.answer.state["link"]
        self.answer = self.page.respond(self.request(list(acts)), self.language)
        for after, meaning in self.answer.trail:
            self.write_down(meaning, link)
            link = after
        return self

    def request(self, acts):
        """What a browser would ask; it travels as JSON."""
        return Request(self.count, self.answer.state, acts, self.undo[-3:], self.redo[-3:])

    def write_down(self, meaning, link):
        """As `afterTrail` of static/state.js."""
        if meaning in ("new", "redo"):
            self.undo.append(link)
        if meaning == "undo":
            self.undo.pop()
            self.redo.append(link)
        if meaning == "redo":
            self.redo.pop()
        if meaning in ("new", "fresh"):
            self.redo.clear()
        if meaning == "fresh":
            self.undo.clear()

    @property
    def state(self):
        return self.answer.now

    @property
    def scenario(self):
        return self.answer.now.scenario

    @property
    def trace(self):
        return self.scenario.trace()

    @property
    def message(self):
        """As it is sent."""
        return sent(self.answer.message)

    @property
    def sentence(self):
        return self.message.get("sentence", "")

    def values(self, key):
        """The numbers of a matrix as they are sent."""
        keys = [matrix["key"] for matrix in self.message["new_outline"]["matrices"]]
        return self.message["values"][keys.index(key)]


class Learner(Reader):
    """The Lab, with an example or any scenario."""

    def __init__(self, preset_or_scenario):
        given = preset_or_scenario
        super().__init__(LAB, write_link(load_preset(given) if isinstance(given, str) else given))
