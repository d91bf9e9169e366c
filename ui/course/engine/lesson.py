"""A lesson as a page: one section at a time, on the workbench of the Lab, by the same acts and links."""

from collections.abc import Sequence
from dataclasses import replace

from ui.board.comparing import with_beside
from ui.course.engine.experiments import after
from ui.course.engine.sections import CountsFirsts, Here, Section
from ui.course.engine.syllabus import Lesson
from ui.course.engine.telling import locked_to, tell
from ui.limits import MOST_TYPED
from ui.message.types import Message
from ui.page.page import Page
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Locks, Scenario
from ui.state.lab import HANDLERS
from ui.state.state import MOST_FIRSTS, SectionState, State, start_of
from ui.state.step import changed, looking
from ui.words import FIRST_LANGUAGE, Words

PANELS = ("take", "share")
OF_THE_LAB = (
    "cell",
    "open",
    "lens",
    "edit",
    "rename",
    "head",
    "focus",
    "batch",
    "all_heads",
    "language",
    "start",
)


class LessonPage(Page):
    """One lesson: what is shown, and what the learner does."""

    begins_anew = frozenset({"section", "reset"})

    def __init__(self, lesson: Lesson, sections: Sequence[Section]):
        super().__init__()
        self.lesson, self.sections, self.name = lesson, sections, lesson.id
        self.handlers |= {kind: HANDLERS[kind] for kind in OF_THE_LAB}
        self.handlers |= {
            "choose": self.choose,
            "section": self.go_to,
            "answer": self.answer,
            "show": self.show,
            "knob": self.turn,
            "reset": self.reset,
            "restart": self.reset,
            "panel": self.toggle_panel,
            "more": self.go_on,
            "stop": self.stop,
        }

    # Where the learner is.

    def opening(self, place: int = 0) -> Scenario:
        """How a section begins."""
        return self.sections[place].start().looking(section=place)

    def belongs(self, scenario: Scenario) -> Scenario:
        """A scenario from a link, if it is one of this lesson's; else the beginning of its section."""
        place = min(scenario.view.section, len(self.sections) - 1)
        if not self.sections[place].takes(scenario):
            return self.opening(place).looking(language=scenario.view.language)
        own = {knob.name for knob in self.sections[place].knobs}
        knobs = {name: value for name, value in scenario.view.knobs.items() if name in own}
        return replace(scenario.looking(section=place, knobs=knobs), locks=Locks())

    def shared_start(self, state: State) -> Scenario | None:
        """How a teacher's link began the present section, if it did."""
        start = start_of(state)
        if start is None or start.view.section != state.scenario.view.section:
            return None
        return self.belongs(start)

    def section(self, state: State) -> Section:
        return self.sections[min(state.scenario.view.section, len(self.sections) - 1)]

    def known(self, state: State) -> SectionState:
        """What was done in the present section; without a question there is nothing to answer."""
        section = self.section(state)
        known = state.sections.get(section.id, SectionState())
        return replace(known, answered=known.answered or section.ask is None)

    def here(self, state: State, words: Words | None = None) -> Here:
        section, scenario, known = self.section(state), state.scenario, self.known(state)
        return Here(
            scenario,
            scenario.trace(),
            section.start(),
            section.read_knobs(scenario.view.knobs),
            words or Words(scenario.view.language or FIRST_LANGUAGE),
            self.lesson.id,
            section.id,
            known.answered,
            max(1, known.pieces),
            known.firsts,
            known.right,
            known.dragged,
        )

    # What is shown.

    def content(self, state: State, words: Words) -> Message:
        place = self.sections.index(self.section(state))
        here, restart = self.here(state, words), self.shared_start(state) is not None
        found = tell(self.lesson, self.sections, place, here, self.known(state), restart)
        found.panels = [(name, words(f"panel.{name}"), False) for name in PANELS]
        found.panel = state.panel
        return found

    # What the learner does.

    def settled(self, state: State) -> State:
        """After every act: how far an experiment is, and what of the section is done."""
        state = super().settled(state)
        section = self.section(state)
        state = self.with_pieces(state, section)
        if section.renews:
            state = self.with_question(state, section, str(section.renews(self.here(state))))
        known = self.known(state)
        tried = known.tried or section.task is None or bool(section.task(self.seen(state)))
        done = known.done or (known.answered and tried)
        before = state.sections.get(section.id, SectionState())
        if (tried, done) == (before.tried, before.done):
            return state
        return state.with_section(section.id, tried=tried, done=done)

    def dragged(self, state: State) -> State:
        """A number was dragged: a task may ask for that."""
        return self.settled(state.with_section(self.section(state).id, dragged=True))

    def seen(self, state: State) -> Here:
        """What a task may count: a cell whose number is covered is not open yet."""
        covered = () if self.known(state).answered else self.section(state).covers
        if state.scenario.view.cell and state.scenario.view.cell[0] in covered:
            state = replace(state, scenario=state.scenario.looking(cell=()))
        return self.here(state)

    def with_pieces(self, state: State, section: Section) -> State:
        """With the pieces that the present experiment has: one more, or none yet where it is another."""
        experiment = section.experiment(self.here(state)) if section.experiment else None
        if experiment is None:
            return state
        known = self.known(state)
        pieces = known.pieces if known.experiment == experiment.key else 0
        reached = after(experiment, max(1, pieces))[1]
        if (reached, experiment.key) == (known.pieces, known.experiment):
            return state
        return state.with_section(section.id, pieces=reached, experiment=experiment.key)

    def with_question(self, state: State, section: Section, about: str) -> State:
        """A question that is asked of something else is not answered yet."""
        before = self.known(state).about
        if before == about:
            return state
        return state.with_section(section.id, about=about, given="", right=False, answered=False, why=False)

    def choose(self, state: State, details: list) -> State:
        """One of the choices that the section offers, and no other."""
        offered = replace(state, scenario=locked_to(state.scenario, self.section(state)))
        chosen = HANDLERS["choose"](offered, details)
        if chosen is offered:
            return state
        return changed(state, replace(chosen.scenario, locks=state.scenario.locks))

    def go_to(self, state: State, details: list) -> State:
        match details:
            case [int(place)] if 0 <= place < len(self.sections) and not isinstance(place, bool):
                scenario = self.opening(place).looking(language=state.scenario.view.language)
                return changed(state, replace(scenario, start=state.scenario.start))
        return state

    def reset(self, state: State, details: list) -> State:
        """The section from its beginning, its question too; what was done stays done."""
        place, now = state.scenario.view.section, state.scenario
        scenario = (self.shared_start(state) or self.opening(place)).looking(language=now.view.language)
        known = self.known(state)
        sections = {
            **state.sections,
            self.section(state).id: SectionState(done=known.done, firsts=known.firsts),
        }
        return changed(replace(state, sections=sections), replace(scenario, start=now.start))

    def toggle_panel(self, state: State, details: list) -> State:
        match details:
            case [str(name)] if name in PANELS:
                return replace(state, panel="" if state.panel == name else name)
        return state

    def answer(self, state: State, details: list) -> State:
        section = self.section(state)
        match details:
            case [str(given)] if section.ask is not None and 0 < len(given) <= MOST_TYPED:
                here = self.here(state)
                reply = section.ask.judge(here, given)
                if reply is None:
                    return state
                known = self.known(state)
                answered = known.answered or reply.right
                shown = section.ask.shown_answer(here) if reply.right else known.answer
                facts = {"given": given, "right": reply.right, "answered": answered, "answer": shown}
                if isinstance(section.ask, CountsFirsts) and len(known.firsts) < MOST_FIRSTS:
                    facts["firsts"] = {section.ask.counts_as(here): reply.right, **known.firsts}
                return state.with_section(section.id, **facts)
        return state

    def show(self, state: State, details: list) -> State:
        """The learner wants to see the answer, or why."""
        return state.with_section(self.section(state).id, answered=True, why=True)

    def turn(self, state: State, details: list) -> State:
        section = self.section(state)
        match details:
            case [str(name), int() | float() as value] if not isinstance(value, bool):
                knob = next((knob for knob in section.knobs if knob.name == name), None)
                if knob is not None and abs(value) < 1e12:
                    knobs = {**state.scenario.view.knobs, name: knob.read({name: value})}
                    state = looking(state, knobs=knobs)
                    return state.with_section(section.id, stopped=False) if section.experiment else state
        return state

    def go_on(self, state: State, details: list) -> State:
        """One piece more of a long computation."""
        section, known = self.section(state), self.known(state)
        if section.experiment is None or known.stopped:
            return state
        return state.with_section(section.id, pieces=known.pieces + 1)

    def stop(self, state: State, details: list) -> State:
        """Stops a long experiment, or takes it up again."""
        return state.with_section(self.section(state).id, stopped=not self.known(state).stopped)

    def target(self, state: State, name: str, link: str) -> tuple[str, str] | None:
        section = self.section(state)
        match name:
            case "lab":
                shown = section.lab(self.here(state)) if section.lab else state.scenario
                scenario = shown.looking(section=0, knobs={}, step=section.step)
                return "lab", write_link(replace(scenario, locks=Locks()))
            case "confusion" if section.confusion:
                return "lab", write_link(with_beside(load_preset(section.confusion)))
        return super().target(state, name, link)
