"""Between a page of the stage and its server: answers that come late, in another order, not at all, or wrong."""

import json


class Wire:
    """`hold` keeps what is asked, `cut` loses it, `change` makes another edit of an edit; `mend` ends it."""

    def __init__(self, page):
        self.page, self.state, self.held = page, "whole", []
        self.asked = []  # the acts of every request
        self.instead = None
        page.route("**/respond", self.carry)

    def carry(self, route):
        asked = json.loads(route.request.post_data)
        self.asked.append(acts_of(asked))
        if self.instead:
            asked["request"]["acts"] = [self.instead if act[0] == "edit" else act for act in self.asked[-1]]
        if self.state == "cut":
            route.abort()
        else:
            self.held.append((route, json.dumps(asked)))
            if self.state == "whole":
                self.let_through(-1)

    def hold(self):
        self.state = "held"

    def cut(self):
        self.state = "cut"

    def change(self, *details):
        """The server is told of another edit than the learner's."""
        self.instead = ["edit", *details]

    def mend(self):
        self.state, self.instead = "whole", None

    def mend_and_let_through(self):
        self.mend()
        while self.held:
            self.let_through(0)

    def wait_for(self, edits):
        """Until a request with as many edits is held."""
        while not self.held or len(edits_in(self.asked[-1])) < edits:
            self.page.evaluate("new Promise(requestAnimationFrame)")

    def let_through(self, place):
        route, data = self.held.pop(place)
        route.continue_(post_data=data)


def acts_of(asked):
    return (asked["request"] or {"acts": []})["acts"]


def edits_in(acts):
    return [act for act in acts if act[0] == "edit"]
