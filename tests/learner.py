"""A learner without a browser: acts go in as the workbench reports them, messages come out of it.

The learner keeps what a browser keeps: state, undo and redo. The page is a function, so any page will do.
"""

import json

from ui.message.types import sent
from ui.page.lab import LAB
from ui.page.request import MOST_STEPS_BACK, arrival, read_request
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset
from ui.state.step import after_act


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
        link = self.link
        self.answer = self.page.respond(self.request(list(acts)), self.language)
        self.count += 1
        for after, meaning in self.answer.trail:
            after_act(meaning, link, {"undo": self.undo, "redo": self.redo})
            link = after
        self.undo, self.redo = self.undo[-MOST_STEPS_BACK:], self.redo[-MOST_STEPS_BACK:]
        return self

    def request(self, acts):
        """What a browser would ask; it travels as JSON, with as many links as the acts may go back."""
        kinds = [kind for kind, *_ in acts]
        asked = {"id": self.count + 1, "state": self.answer.state, "acts": acts}
        for stack in ("undo", "redo"):
            count = kinds.count(stack) + (kinds.count("back") if stack == "undo" else 0)
            asked[stack] = newest(getattr(self, stack), count)
        return read_request(json.loads(json.dumps(asked)))

    @property
    def link(self):
        """As it stands in the address."""
        return self.answer.state["link"]

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


def newest(links, count):
    return links[-count:] if count else []


class Learner(Reader):
    """The Lab, with an example or any scenario."""

    def __init__(self, preset_or_scenario):
        given = preset_or_scenario
        super().__init__(LAB, write_link(load_preset(given) if isinstance(given, str) else given))
