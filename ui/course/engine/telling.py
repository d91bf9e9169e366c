"""A moment as it is told: its words with the present numbers in them, board, question and controls."""

from collections.abc import Sequence
from dataclasses import replace

from ui.board.matrices import shown_places
from ui.board.stages import board_names
from ui.course.engine.outline import Lesson, lessons
from ui.course.engine.prose import paragraphs
from ui.course.engine.sections import Here, Knob, Moment
from ui.message.workbench import picture
from ui.scenario import choices
from ui.scenario.link import CONTROLS
from ui.scenario.scenario import Locks, Scenario


def tell(lesson: Lesson, moments: Sequence[Moment], place: int, here: Here, notes: dict) -> dict:
    """What the workbench shows of a moment; `notes` are what is known of it, and learn what is done."""
    moment = moments[place]
    facts = moment.facts(here) if moment.facts else {}
    blocks = moment.blocks(here) if moment.blocks else []
    if moment.task is None or moment.task(here):
        notes["tried"] = True
    shown = locked_to(here.scenario, moment)
    found = picture(
        shown,
        here.trace,
        on_board(moment, here),
        shown_places(shown, here.trace),
        here.words,
        with_stages=False,
    )
    found["choices"] = choices.values(shown)
    found["may"] = {"rename": not here.scenario.is_large}
    if not notes["answered"]:
        found["covered"] = list(moment.covers)
    told = panel_of(lesson, moments, place, here, facts, notes) | {"blocks": blocks}
    found["lesson"] = told | {"working": here.is_working}
    return found


def locked_to(scenario: Scenario, moment: Moment) -> Scenario:
    """Only the controls of the moment are there; what is on the board may always be edited."""
    hidden = tuple(control for control in CONTROLS if control not in (*moment.controls, "edit"))
    return replace(scenario, locks=Locks(hidden=hidden))


def on_board(moment: Moment, here: Here) -> list[str]:
    """The matrices of the moment that there are, and the one whose cell is open."""
    wanted = {*moment.board, *here.scenario.view.cell[:1]} if moment.board else set()
    if not here.answered and moment.ask.kind == "shape":
        wanted -= {*moment.covers}  # a covered matrix would still show its shape
    return [name for name in board_names(here.trace) if name in wanted]


def panel_of(
    lesson: Lesson, moments: Sequence[Moment], place: int, here: Here, facts: dict, notes: dict
) -> dict:
    """The words of the moment, with the present numbers in them."""
    moment, words = moments[place], here.words
    key = f"lesson.{lesson.id}.{moment.id}"
    done = notes.get("done", False) or (notes["answered"] and notes.get("tried", False))
    notes["done"] = done  # and stays so, whatever is asked next

    def text(part: str) -> list | None:
        return paragraphs(words(f"{key}.{part}"), here, facts) if f"{key}.{part}" in words else None

    return {
        "id": lesson.id,
        "number": lesson.number,
        "title": words(f"lesson.{lesson.id}.title"),
        "moments": [[each.id, words(f"lesson.{lesson.id}.{each.id}.title")] for each in moments],
        "place": place,
        "text": text("text"),
        "ask": asked(moment, here, text, notes),
        "try": text("try"),
        "tried": notes.get("tried", False),
        "why": text("why") if done or notes.get("why") else None,
        "done": done,
        "changed": here.scenario.arrays != here.start.arrays,
        "knobs": [described(knob, here) for knob in moment.knobs],
        "last": lesson == lessons()[-1],
        "lab": moment.is_a_computation,
        "confusion": bool(moment.confusion),
    }


def asked(moment: Moment, here: Here, text, notes: dict) -> dict | None:
    """The question, and what was said to the last answer."""
    question = moment.ask
    if question is None:
        return None
    found = {"kind": question.kind, "text": text("ask"), "answered": notes["answered"]}
    found["about"] = notes.get("about", "")
    if question.kind == "choice":
        found["options"] = [[option, here.word(f"option.{option}")] for option in question.options]
    reply = notes.get("reply")
    if reply:
        found |= {"given": notes["given"], "right": reply.right, "hint": reply.hint}
    if notes["answered"]:
        kept = reply and reply.right  # later edits do not change what was right when it was given
        found["answer"] = notes["answer"] if kept else question.shown_answer(here)
    return found


def described(knob: Knob, here: Here) -> dict:
    """A control of the moment, as it stands."""
    found = {"name": knob.name, "label": here.word(f"knob.{knob.name}"), "value": here.knobs[knob.name]}
    if knob.options:
        found["options"] = [here.word(f"knob.{knob.name}_{option}") for option in knob.options]
    elif knob.values:
        found["values"] = list(knob.values)
    else:
        found |= {"least": knob.least, "most": knob.most, "step": knob.step}
    return found | {key: value for key, value in {"press": knob.press, "play": knob.play}.items() if value}
