"""A lesson on its page: one moment at a time, on the workbench of the Lab, by the same acts and links."""

import logging
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from attention_core import AttentionError
from ui.board.comparing import with_beside
from ui.course.engine.handout import lesson_book
from ui.course.engine.outline import Lesson, lesson_of, lessons
from ui.course.engine.sections import Here, Moment
from ui.course.engine.telling import tell
from ui.files.handout import page_of
from ui.message.workbench import draw_workbench, sent
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Locks, Scenario, ScenarioError
from ui.state import lab, session
from ui.streamlit import frame, panels
from ui.streamlit.file_panels import hand_out
from ui.streamlit.share_panel import live_address
from ui.words import Words

LOG = logging.getLogger("qkv_lab")
LESSON_PANELS = ("take", "share")
MOST_TYPED = 60  # characters of an answer


class Play:
    """One lesson in one session: what is shown, and what the learner does."""

    def __init__(self, lesson: Lesson, moments: Sequence[Moment], words: Words):
        self.lesson, self.moments, self.words = lesson, moments, words

    # Where the learner is.

    def opening(self, place: int = 0) -> Scenario:
        """How a moment begins."""
        moment = self.moments[place]
        return moment.start().looking(moment=place, language=session.chosen_language())

    def belongs(self, scenario: Scenario) -> Scenario:
        """A scenario from a link, if it is one of this lesson's; else the beginning of its moment."""
        place = min(scenario.view.moment, len(self.moments) - 1)
        start = self.moments[place].start()
        if (scenario.preset, scenario.function) != (start.preset, start.function):
            return self.opening(place)
        own = {knob.name for knob in self.moments[place].knobs}
        knobs = {name: value for name, value in scenario.view.knobs.items() if name in own}
        return replace(scenario.looking(moment=place, knobs=knobs), locks=Locks())

    def shared_start(self) -> Scenario | None:
        """How a teacher's link began the present moment, if it did."""
        start = session.start()
        if start is None or start.view.moment != self.place:
            return None
        return self.belongs(start).looking(language=session.chosen_language())

    @property
    def place(self) -> int:
        return min(session.present().view.moment, len(self.moments) - 1)

    @property
    def moment(self) -> Moment:
        return self.moments[self.place]

    def here(self) -> Here:
        scenario = session.present()
        moment = self.moment
        return Here(
            scenario,
            session.trace(),
            moment.start(),
            moment.read_knobs(scenario.view.knobs),
            self.words,
            self.lesson.id,
            moment.id,
            session.experiments(f"{self.lesson.id}.{moment.id}"),
            self.known().get("answered", moment.ask is None),
        )

    def known(self) -> dict:
        """What this session has noted of the present moment, also if it is about a question before."""
        return session.notes(f"{self.lesson.id}.{self.moment.id}")

    def notes(self) -> dict:
        """What this session knows of the present moment: answered, reply, done."""
        notes = self.known()
        if self.moment.renews:
            about = str(self.moment.renews(self.here()))
            if notes.setdefault("about", about) != about:
                for name in ("given", "reply", "answered", "why"):
                    notes.pop(name, None)
                notes["about"] = about
        return notes

    # What is shown.

    def message(self) -> dict:
        notes = self.notes()
        notes["answered"] = notes.get("answered", self.moment.ask is None)
        found = tell(self.lesson, self.moments, self.place, self.here(), notes)
        told = found["lesson"]
        told["fresh"] = not session.notes(self.lesson.id).get("told")
        told["restart"] = self.shared_start() is not None
        found["panels"] = [[name, self.words(f"panel.{name}"), False] for name in LESSON_PANELS]
        found["panel"] = session.panel()
        waiting = session.sentence()
        if waiting:
            found["sentence"] = self.words(waiting[0], **waiting[1])
        return sent(found)

    # What the learner does.

    def acts(self) -> dict:
        own = {
            "moment": self.go_to,
            "answer": self.answer,
            "show": self.show,
            "knob": self.turn,
            "reset": lambda details: session.start_anew(self.shared_start() or self.opening(self.place)),
            "panel": self.toggle_panel,
            "go": self.leave,
            "done_before": self.remember,
            "more": lambda details: None,
            "stop": self.stop,
        }
        allowed = ("cell", "open", "lens", "edit", "rename", "choose", "head", "batch", "all_heads")
        return {kind: lab.ACTS[kind] for kind in (*allowed, "undo", "redo", "language")} | own

    def toggle_panel(self, details: list) -> None:
        match details:
            case [str(name)] if name in LESSON_PANELS:
                session.toggle_panel(name)

    def go_to(self, details: list) -> None:
        match details:
            case [int(place)] if 0 <= place < len(self.moments):
                session.start_anew(self.opening(place))

    def answer(self, details: list) -> None:
        match details:
            case [str(given)] if self.moment.ask is not None and len(given) <= MOST_TYPED:
                reply = self.moment.ask.judge(self.here(), given)
                if reply is not None:
                    answered = self.notes().get("answered", False) or reply.right
                    shown = self.moment.ask.shown_answer(self.here())
                    self.notes().update(given=given, reply=reply, answered=answered, answer=shown)

    def show(self, details: list) -> None:
        """The learner wants to see the answer, or why."""
        self.notes().update(answered=True, why=True)

    def turn(self, details: list) -> None:
        match details:
            case [str(name), int() | float() as value] if not isinstance(value, bool):
                knob = next((knob for knob in self.moment.knobs if knob.name == name), None)
                if knob is not None and abs(value) < 1e12:
                    scenario = session.present()
                    session.experiments(f"{self.lesson.id}.{self.moment.id}").pop("stopped", None)
                    knobs = {**scenario.view.knobs, name: knob.read({name: value})}
                    session.change(scenario.looking(knobs=knobs))

    def stop(self, details: list) -> None:
        """Stops a long experiment, or takes it up again."""
        kept = session.experiments(f"{self.lesson.id}.{self.moment.id}")
        kept["stopped"] = not kept.get("stopped", False)

    def remember(self, details: list) -> None:
        """Moments that this browser has seen done, in an earlier session."""
        match details:
            case [list(ids)]:
                session.notes(self.lesson.id)["told"] = True
                for moment in self.moments:
                    if moment.id in ids:
                        notes = session.notes(f"{self.lesson.id}.{moment.id}")
                        notes.update(tried=True, done=True, answered=moment.renews is None)

    def leave(self, details: list) -> None:
        match details:
            case ["lab"]:
                shown = self.moment.lab(self.here()) if self.moment.lab else session.present()
                scenario = shown.looking(moment=0, knobs={}, step=self.moment.step)
                session.leave_for(frame.PAGES["lab"], write_link(replace(scenario, locks=Locks())))
            case ["confusion"] if self.moment.confusion:
                scenario = with_beside(load_preset(self.moment.confusion))
                session.leave_for(frame.PAGES["lab"], write_link(scenario))
            case ["home"]:
                session.leave_for(frame.PAGES["home"])
            case ["next"]:
                places = lessons()
                after = places[places.index(self.lesson) + 1 :]
                if after:
                    session.leave_for(after[0].page, session.link_of(after[0].id))
                else:
                    session.leave_for(frame.PAGES["home"])


def lesson(file: str, moments: Sequence[Moment]) -> None:
    """Draws the page of a lesson."""
    own = lesson_of(file)
    words = frame.begin(f"lesson.{own.id}")
    play = Play(own, moments, words)
    scenario = session.current(own.id, play.opening, play.belongs)
    panels.draw(LESSON_PANELS, scenario, words, take=lambda *_: hand_out_lesson(play, scenario))
    session.whole_page_runs()

    def on_acts(acts: object) -> None:
        try:
            session.apply_acts(acts, play.acts())
        except Exception:
            LOG.exception("An act could not be done.")
            session.say("edit.fault")

    @st.fragment
    def workbench() -> None:
        frame.leave_if_asked()
        frame.run_whole_page_if_asked()
        draw_workbench(f"lesson_{own.id}", message_or_opening(play), on_acts)

    workbench()


def hand_out_lesson(play: Play, scenario: Scenario) -> None:
    """The lesson as a file; made from what is known now, when it is asked for."""
    lesson, moments, words = play.lesson, play.moments, play.words
    address = live_address(scenario)
    hand_out(lambda: page_of(lesson_book(lesson, moments, words, scenario, address), words), words)


def message_or_opening(play: Play) -> dict:
    """What the page shows. Where a moment cannot show the present state, it begins anew with a sentence."""
    try:
        found = play.message()
    except Exception as error:
        if not isinstance(error, AttentionError | ScenarioError | IndexError):
            LOG.exception("The lesson could not be drawn.")
        session.start_anew(play.opening(play.place))
        session.say("course.anew")
        return play.message()
    session.is_good()
    return found
