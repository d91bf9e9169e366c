"""A page as a function: a request goes in, an answer comes out, the same on any machine at any time."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from ui.board.clamping import clamped
from ui.course.engine.syllabus import lessons
from ui.message.types import Data, Leaving, Message
from ui.page.request import Request
from ui.scenario.link import MOST_CHARACTERS, LinkError, read_link, write_link
from ui.scenario.scenario import Scenario
from ui.state.state import State, read_state, with_start, write_state
from ui.state.step import Handler, Leave, Mark, Outcome, Refused, changed, computed, followed, take_steps
from ui.words import Words


@dataclass(frozen=True)
class Answer:
    """What the browser gets."""

    page: str
    id: int  # of the request that it answers; 0 for a page that is being opened
    state: dict
    trail: list[Mark]  # one for each act that was done
    message: Message
    words: Words
    now: State  # the same as `state`, for whoever draws beside the workbench
    leave: Leave | None = None
    refused: str = ""  # the key of what was refused, for the log
    faults: tuple[Exception, ...] = ()  # of ours, for the log

    def data(self) -> Data:
        """As it is sent."""
        leave = self.leave and Leaving(self.leave.page, self.leave.link, self.leave.language)
        return Data(self.page, self.id, self.state, [*self.trail], self.message, leave)


class Page:
    """What every page has; each kind says how it opens, which acts it knows and what it shows."""

    name = ""  # its key in the browser, and its address
    begins_anew: frozenset[str] = frozenset()

    def __init__(self):
        self.handlers: dict[str, Handler] = {"follow": self.follow, "go": self.go}

    def opening(self) -> Scenario:
        """What the page shows when nothing is asked for."""
        raise NotImplementedError

    def belongs(self, scenario: Scenario) -> Scenario:
        """Of a scenario from a link, what this page can show."""
        return scenario

    def settled(self, state: State) -> State:
        """After every act: the view lies within what was computed."""
        scenario = clamped(state.scenario, state.scenario.trace())
        return (
            state
            if scenario is state.scenario
            else replace(state, scenario=scenario, link=write_link(scenario))
        )

    def dragged(self, state: State) -> State:
        """After an act that was done by dragging a number."""
        return state

    def content(self, state: State, words: Words) -> Message:
        """The message that shows a state."""
        raise NotImplementedError

    def target(self, state: State, name: str, link: str) -> tuple[str, str] | None:
        """The page that an act leads to and its link, which is that of when it was left if nothing is made for it."""
        return (
            (name, link)
            if name in ("home", "lab", "heads") or name in {lesson.id for lesson in lessons()}
            else None
        )

    def read(self, link: str) -> Scenario:
        """The scenario of a link as this page shows it, or LinkError."""
        return self.belongs(read_link(link)) if link else self.opening()

    def follow(self, state: State, details: list) -> State:
        """The scenario of a link: from the address, or made by a panel."""
        match details:
            case [str(link)]:
                scenario, start = with_start(followed(self, link))
                found = changed(replace(state, start=start or state.start), scenario)
                return replace(found, link=link) if scenario.start == found.scenario.start else found
        return state

    def go(self, state: State, details: list) -> State:
        """The learner goes to another page, as it was left, in the present language."""
        match details:
            case [str(name), str(link)] if len(link) <= MOST_CHARACTERS:
                target = self.target(state, name, link)
                if target is not None:
                    language = state.scenario.view.language
                    raise Leave(target[0], in_language(target[1], language), language)
        return state

    def respond(
        self, request: Request, language: str, may_go_on: Callable[[], bool] = lambda: True
    ) -> Answer:
        """The answer to a request. `language` is taken where the state asks for none."""
        try:
            state, refused = self.state_of(request)
            outcome = Outcome(state, [], refused)
            if refused is None:
                outcome = take_steps(self, state, request.acts, request.undo, request.redo, may_go_on)
        except Exception as fault:
            outcome = self.after_fault(fault)
            state = outcome.state
        return self.answered(request, state, outcome, language)

    def state_of(self, request: Request) -> tuple[State, Refused | None]:
        """The state that a request brings; where it cannot be read or computed, the page as it opens."""
        try:
            state = read_state(request.state, self.read)
            computed(state.scenario)
        except LinkError as error:
            return self.settled(State(self.opening(), "")), Refused(f"link.{error.code}", **error.facts)
        except Refused as refused:
            return self.settled(State(self.opening(), "")), refused
        return self.settled(state), None

    def after_fault(self, fault: Exception) -> Outcome:
        """What cannot be shown for a fault of ours is left for the page as it opens."""
        return Outcome(State(self.opening(), ""), [], Refused("edit.fault"), faults=(fault,))

    def drawn(self, outcome: Outcome, language: str) -> tuple[Message, Words]:
        """The message that shows what acts came to, and the words it is in."""
        words = Words(outcome.state.scenario.view.language or language)
        return self.content(outcome.state, words), words

    def answered(self, request: Request, before: State, outcome: Outcome, language: str) -> Answer:
        """The answer; where the new state cannot be drawn, the one before stays, and else the page as it opens."""
        try:
            message, words = self.drawn(outcome, language)
        except Exception as fault:
            faults = (*outcome.faults, fault)
            outcome = Outcome(before, unmoved(outcome, before), Refused("edit.fault"), faults=faults)
            try:
                message, words = self.drawn(outcome, language)
            except Exception as another:
                outcome = self.after_fault(another)
                outcome.faults = (*faults, another)
                message, words = self.drawn(outcome, language)
        if outcome.refused:
            message.sentence = words(outcome.refused.key, **outcome.refused.facts)
            instead = outcome.refused.instead
            if instead and instead[0] in self.handlers:
                message.instead = words(f"instead.{instead[0]}", **outcome.refused.facts), instead
        if request.outline == message.outline:
            message.new_outline = None
        return Answer(
            self.name,
            request.id,
            write_state(outcome.state),
            outcome.trail,
            message,
            words,
            outcome.state,
            outcome.leave,
            outcome.refused.key if outcome.refused else "",
            outcome.faults,
        )


def unmoved(outcome: Outcome, before: State) -> list[Mark]:
    """The trail of acts that led nowhere."""
    return [Mark(before.link) for _ in outcome.trail]


def in_language(link: str, language: str) -> str:
    """A link in the learner's language; nothing for one that cannot be read."""
    try:
        scenario = read_link(link) if link else None
    except LinkError:
        return ""
    if scenario is None or scenario.view.language == language:
        return link
    return write_link(scenario.looking(language=language))
