"""A section as it is told: its words with the present numbers in them, board, question and controls."""

import math
from collections.abc import Sequence
from dataclasses import replace

from ui.board import matrices as board
from ui.board.matrices import shown_places
from ui.board.stages import board_names
from ui.course.engine.prose import paragraphs
from ui.course.engine.sections import Cell, HasOptions, Here, Knob, Question, Section
from ui.course.engine.syllabus import Lesson, lessons
from ui.message.arithmetic import explain_through_moves
from ui.message.assemble import assemble
from ui.message.types import Ask, KnobShown, May, Message, SectionShown
from ui.scenario.link import CONTROLS
from ui.scenario.scenario import Locks, Scenario
from ui.state.state import SectionState


def tell(
    lesson: Lesson,
    sections: Sequence[Section],
    place: int,
    here: Here,
    known: SectionState,
    restart: bool = False,
) -> Message:
    """What the workbench shows of a section; `known` is what was done in it. `restart`: a start was shared."""
    section = sections[place]
    facts = section.facts(here) if section.facts else {}
    blocks = section.blocks(here) if section.blocks else []
    shown = locked_to(here.scenario, section)
    found = assemble(
        shown, on_board(section, here), shown_places(shown, here.trace), here.words, with_stages=False
    )
    found.may = May(rename=not here.scenario.is_large)
    if not here.answered:
        found.covered = list(section.covers)
    found.lesson = section_of(lesson, sections, place, here, facts, known, blocks)
    found.lesson.restart = restart
    return found


def is_working(section: Section, here: Here, known: SectionState) -> bool:
    """Whether a long computation wants to go on."""
    experiment = section.experiment(here) if section.experiment else None
    return experiment is not None and not known.stopped and here.progress(experiment).fraction < 1


def locked_to(scenario: Scenario, section: Section) -> Scenario:
    """Only the controls of the section are there; what is on the board may always be edited."""
    hidden = tuple(control for control in CONTROLS if control not in (*section.controls, "edit"))
    return replace(scenario, locks=Locks(hidden=hidden))


def on_board(section: Section, here: Here) -> list[str]:
    """The matrices of the section that there are, and the one whose cell is open."""
    wanted = {*section.board, *here.scenario.view.cell[:1]} if section.board else set()
    if not here.answered and section.ask is not None and section.ask.kind == "shape":
        wanted -= {*section.covers}  # a covered matrix would still show its shape
    return [name for name in board_names(here.trace) if name in wanted]


def section_of(
    lesson: Lesson,
    sections: Sequence[Section],
    place: int,
    here: Here,
    facts: dict,
    known: SectionState,
    blocks: list[dict],
) -> SectionShown:
    """The words of the section, with the present numbers in them, and what it shows besides the board."""
    section, words = sections[place], here.words
    key = f"lesson.{lesson.id}.{section.id}"

    reaches = section.reaches(here) if section.reaches else {}

    def text(part: str) -> list | None:
        return paragraphs(words(f"{key}.{part}"), here, facts) if f"{key}.{part}" in words else None

    return SectionShown(
        id=lesson.id,
        number=lesson.number,
        title=words(f"lesson.{lesson.id}.title"),
        sections=[(each.id, words(f"lesson.{lesson.id}.{each.id}.title")) for each in sections],
        place=place,
        text=text("text"),
        ask=asked(section, here, text, known),
        try_=text("try"),
        tried=known.tried,
        why=text("why") if known.done or known.why else None,
        done=known.done,
        changed=here.scenario.arrays != here.start.arrays,
        knobs=[described(knob, here, reaches.get(knob.name, math.inf)) for knob in section.knobs],
        next=next((later.id for later in lessons() if later.number > lesson.number), "home"),
        lab=section.is_a_computation,
        confusion=bool(section.confusion),
        blocks=blocks,
        working=is_working(section, here, known),
    )


def asked(section: Section, here: Here, text, known: SectionState) -> Ask | None:
    """The question, and what was said to the last answer."""
    question = section.ask
    if question is None:
        return None
    found = Ask(question.kind, text("ask"), known.answered, known.about)
    if question.kind == "choice" and isinstance(question, HasOptions):
        found.options = [(option, here.word(f"option.{option}")) for option in question.options]
    if known.given:
        found.given, found.right, found.hint = known.given, known.right, hint_for(question, here, known)
    stand_at_board(found, section, here)
    if known.answered:
        # Later edits do not change what was right when it was given.
        kept = known.right and question.kind != "choice"
        found.answer = known.answer if kept else question.shown_answer(here)
    return found


def stand_at_board(found: Ask, section: Section, here: Here) -> None:
    """Says where on the board the question stands: at the cell it asks for, or at a covered matrix."""
    question, names = section.ask, on_board(section, here)
    asked = question.step if isinstance(question, Cell) else next(iter(section.covers), "")
    found.help = here.hint() or None
    if asked not in names or found.kind == "shape":  # a shape that is asked for is not on the board yet
        return
    shown = shown_places(here.scenario, here.trace)
    matrix = board.matrices_of(here.trace.step(asked), shown)[0]
    found.matrix = matrix.key
    if isinstance(question, Cell) and not matrix.is_large:
        index = matrix.index(question.row, question.column)
        lines = explain_through_moves(here.trace, asked, index, here.scenario.view.decimals)
        found.cell = (question.row, question.column)
        found.lit = board.lit_cells(here.trace, lines, board.drawn_matrices(here.trace, names, shown))


def hint_for(question: Question, here: Here, known: SectionState) -> str:
    """What helps after a wrong answer."""
    reply = None if known.right else question.judge(here, known.given)
    return reply.hint if reply else ""


def described(knob: Knob, here: Here, most: float) -> KnobShown:
    """A control of the section, as it stands; one with stops ends at `most`."""
    value = min(here.knobs[knob.name], most)
    found = KnobShown(knob.name, here.word(f"knob.{knob.name}"), value)
    if knob.options:
        found.options = [here.word(f"knob.{knob.name}_{option}") for option in knob.options]
    elif knob.values:
        found.values = [stop for stop in knob.values if stop <= most]
    else:
        found.least, found.most, found.step = knob.least, knob.most, knob.step
    found.press, found.play, found.above = knob.press or None, knob.play or None, knob.above or None
    return found
