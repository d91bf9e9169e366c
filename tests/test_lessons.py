"""Every lesson: its words are all there, every section opens, asks, answers and completes."""

import json
import re
from dataclasses import replace
from typing import NamedTuple

import pytest

from tests.student import LESSONS, sections_of_page
from ui.course.engine.experiments import Experiment, forget_all
from ui.course.engine.lesson import LessonPage
from ui.course.engine.sections import Choice, Section
from ui.course.engine.syllabus import sections_of
from ui.course.engine.telling import is_working
from ui.page.lab import LAB
from ui.scenario.link import MOST_CHARACTERS, read_link, write_link
from ui.scenario.presets import load_beside, preset_ids
from ui.state.state import State
from ui.words import Words, all_words

SECTIONS = [(lesson, section.id) for lesson in LESSONS for section in sections_of_page(lesson)]
PARTS = {"title", "text", "ask", "try", "why", "hint"}
FAMILIES = ("option.", "hint.", "knob.", "block.")


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_text_has_the_sections_of_the_page_in_their_order(lesson):
    sections = [section.id for section in sections_of_page(lesson)]
    assert sections_of(lesson, Words()) == sections
    assert 3 <= len(sections) <= 7
    words = Words()
    assert words(f"lesson.{lesson}.about").endswith(".")


@pytest.mark.parametrize(("lesson", "section_id"), SECTIONS)
def test_a_section_has_every_word_it_needs_and_no_other(lesson, section_id):
    [section] = [section for section in sections_of_page(lesson) if section.id == section_id]
    prefix = f"lesson.{lesson}.{section_id}."
    keys = {key.removeprefix(prefix) for key in all_words("en") if key.startswith(prefix)}
    assert {"title", "text", "why"} <= keys
    assert ("ask" in keys) == (section.ask is not None)
    assert ("try" in keys) == (section.task is not None)
    assert section.ask is not None or section.task is not None
    if isinstance(section.ask, Choice):
        assert {f"option.{option}" for option in section.ask.options} == {
            k for k in keys if k.startswith("option.")
        }
        wrong = {f"hint.{option}" for option in section.ask.options if option != section.ask.right}
        assert wrong == {key for key in keys if key.startswith("hint.")}
    for knob in section.knobs:
        assert {f"knob.{knob.name}", *(f"knob.{knob.name}_{option}" for option in knob.options)} <= keys
    assert {key for key in keys - PARTS if not key.startswith(FAMILIES)} == set()


@pytest.mark.parametrize(("lesson", "section_id"), SECTIONS)
def test_a_section_opens_and_says_why_when_asked(student, lesson, section_id):
    page = student(lesson).at(section_id)
    assert page.panel["why"] is None or page.section.ask is None
    assert not page.is_done
    page.do("show")
    assert len(page.text("why")) > 40
    assert json.dumps(page.message, allow_nan=False)
    for part in ("text", "why", "try"):
        plain = [piece for pieces in page.panel[part] or [] for piece in pieces if isinstance(piece, str)]
        assert not re.search(r"[{}$`*]|\[\[", "".join(plain)), part


@pytest.mark.parametrize("language", ["en", "vi"])  # 1,234.5 and 1.234,5
@pytest.mark.parametrize(("lesson", "section_id"), SECTIONS)
def test_the_answer_shown_is_taken_as_right(student, lesson, section_id, language):
    page = student(lesson, language=language).at(section_id)
    question = page.section.ask
    if question is None:
        pytest.skip("asks nothing")
    shown = question.shown_answer(page.here)
    if isinstance(question, Choice):
        right = question.answer(page.here)
        for option in question.options:
            page.do("answer", option)
            assert page.panel["ask"]["right"] == (option == right)
            if option == right:
                break
            assert len(page.panel["ask"]["hint"]) > 10
            assert not page.panel["ask"]["answered"]
    else:
        page.do("answer", "987654")
        assert page.panel["ask"]["right"] is False
        page.do("answer", shown)  # as it is shown
    assert page.panel["ask"]["answered"]


@pytest.mark.parametrize(("lesson", "section_id"), SECTIONS)
def test_knobs_at_their_ends_can_be_shown_and_travel_in_the_link(student, lesson, section_id):
    page = student(lesson).at(section_id)
    for knob in page.section.knobs:
        stops = knob.values or (range(len(knob.options)) if knob.options else (knob.least, knob.most))
        for value in (min(stops), max(stops), knob.start):
            page.do("knob", knob.name, value)
            assert "sentence" not in page.message, (knob.name, value)
            assert page.here.knobs[knob.name] == knob.read({knob.name: value})
    scenario = page.here.scenario
    link = write_link(scenario)
    assert len(link) <= MOST_CHARACTERS
    assert page.page.belongs(read_link(link)) == scenario


@pytest.mark.parametrize("lesson", LESSONS)
@pytest.mark.parametrize(
    "act",
    [
        ("section", 99),
        ("section", -1),
        ("section", "0"),
        ("section",),
        ("answer", None),
        ("answer", ["x"] * 100),
        ("answer", "9" * 5000),
        ("knob", "nothing", 3),
        ("knob", "nothing", True),
        ("knob", 5, 5),
        ("go", "../etc"),
        ("follow", 5),
        ("follow", "2" * 10_000),
        ("panel", "more"),
        ("panel", "share"),
        ("undo",),
        ("redo", "x"),
        ("more", 5),
        ("stop",),
    ],
)
def test_a_hostile_act_changes_nothing(student, lesson, act):
    page = student(lesson)
    before = page.here.scenario
    page.do(*act)
    assert page.here.scenario == before
    assert not page.is_done


@pytest.mark.parametrize("lesson", LESSONS)
def test_sections_done_before_are_known_again(student, lesson):
    """What a browser remembers of earlier days comes with its state (`arrive` in static/state/state.js)."""
    page = student(lesson)
    done = {"answered": True, "tried": True, "done": True}
    page.answer.state["sections"] = {section.id: done for section in page.sections}
    for section in page.sections:
        assert page.at(section.id).is_done


def test_every_confusion_is_opened_from_the_lesson_it_belongs_to():
    told = [
        section.confusion for lesson in LESSONS for section in sections_of_page(lesson) if section.confusion
    ]
    with_another_reading = [preset for preset in preset_ids() if load_beside(preset)]
    assert sorted(told) == sorted(with_another_reading)
    assert len(told) == 7


def test_a_confusion_opens_in_the_lab_compared(student):
    page = student("masks").at("polarity").do("go", "confusion", "")
    assert page.answer.leave.page == "lab"
    scenario = read_link(page.answer.leave.link)
    assert scenario.preset == "mask_polarity"
    assert scenario.view.kept
    page.do("go", "lab", "")
    assert read_link(page.answer.leave.link).preset == page.here.scenario.preset


class Count(NamedTuple):
    """An experiment of four pieces."""

    fraction: float = 0.0

    def further(self):
        return Count(self.fraction + 0.25)


def counting(student):
    page = student("projection")
    sections = [Section("count", experiment=lambda here: Experiment("count", Count)), *page.sections]
    page.page = LessonPage(page.page.lesson, sections)
    return page


def fraction(page):
    return page.here.progress(Experiment("count", Count)).fraction


def test_an_experiment_goes_on_when_it_is_asked_and_not_when_it_is_drawn(student):
    page = counting(student)
    shown = LAB.content(State(LAB.opening(), ""), page.answer.words)
    page.page.content = lambda state, words: replace(shown)  # this section has no words
    for wanted in (0.25, 0.5, 0.75):
        page.do("more" if wanted > 0.25 else "cell")
        assert [fraction(page) for _ in range(3)] == [wanted] * 3
        assert is_working(page.section, page.here, page.known)
    page.do("stop").do("more")
    assert fraction(page) == 0.75
    assert not is_working(page.section, page.here, page.known)
    page.do("stop")
    forget_all()  # another server
    assert fraction(page) == 0.75
    page.do("more").do("more").do("more")
    assert (fraction(page), page.known.pieces) == (1, 4)
    assert not is_working(page.section, page.here, page.known)
