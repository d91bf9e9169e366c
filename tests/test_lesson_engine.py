"""The engine of the lessons: foreign links, what is kept between pages, and what an act may bring."""

import json
import random
from dataclasses import replace

import pytest

from tests.student import LESSONS, lesson_page, sections_of_page
from ui.message.types import sent
from ui.page.home import HOME
from ui.page.lab import LAB
from ui.page.request import arrival
from ui.scenario.link import CONTROLS, MOST_CHARACTERS, read_link, write_link
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import Locks
from ui.scenario.structure import ARRAYS, TAKEN
from ui.state.state import SectionState

from .learner import Reader


def foreign_scenarios(start, rng):
    """Scenarios that a link to this lesson may hold: other numbers, other sizes, other options."""
    for _ in range(12):
        n_tokens, width = rng.choice((1, 2, 5, 16)), rng.choice((1, 2, 6, 16))
        size = rng.choice((0.0, 1.0, 1e9))
        rows = {
            "x": [[size] * width] * n_tokens,
            **{name: [[size] * width] * width for name in ("w_q", "w_k", "w_v", "w_o")},
        }
        arrays = {name: rows[name] for name in rows if name in ARRAYS[start.function] and rng.random() < 0.7}
        options = {
            "n_heads": rng.choice((1, 2, 16)),
            "is_causal": True,
            "scale": rng.choice((0, -1e6, 1e6)),
            "dropout_p": 0.99,
            "rng": 3,
            "window": [0, 0],
            "softcap": 1e-3,
        }
        taken = [name for name in options if name in TAKEN[start.function] and rng.random() < 0.4]
        view = {
            "head": rng.choice((0, 1000)),
            "batch": rng.choice((0, 1000)),
            "cell": rng.choice(((), ("weights", 0, 0), ("nothing", 9, 9), ("output", 99999, 0))),
            "knobs": {f"k{place}": 1e9 for place in range(11)},
            "decimals": rng.choice((0, 6)),
            "predict": True,
            "all_heads": True,
            "lens": {"token": 9999},
        }
        found = replace(start, arrays={**start.arrays, **arrays}).with_options(
            **{n: options[n] for n in taken}
        )
        yield found.looking(**view)


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_link_breaks_a_lesson(lesson):
    rng = random.Random(lesson)
    page = lesson_page(lesson)
    for place, section in enumerate(page.sections):
        for scenario in foreign_scenarios(section.start(), rng):
            knobs = {knob.name: rng.choice((-1e9, 1e9)) for knob in section.knobs[:1]} | scenario.view.knobs
            link = write_link(scenario.looking(section=place, knobs=knobs))
            if len(link) <= MOST_CHARACTERS:
                answer = page.respond(arrival(link), "en")
                assert answer.faults == ()
                assert json.dumps(sent(answer.data()), allow_nan=False)
                assert answer.message.lesson.place == place or answer.message.sentence


def test_a_link_of_the_lab_or_of_another_lesson_opens_a_lesson_at_its_beginning():
    page = lesson_page("masks")
    for preset in preset_ids():
        answer = page.respond(arrival(write_link(load_preset(preset).looking(section=1))), "en")
        assert answer.message.lesson.place == 1
        assert (answer.now.scenario.preset, answer.now.scenario.function) == (
            "causal",
            "multi_head_attention",
        )


def test_a_link_brings_no_knobs_of_other_sections_and_no_locks(student):
    page = student("attention").at("sides")
    foreign = {f"knob{place}": 1 for place in range(11)}
    scenario = replace(page.here.scenario.looking(knobs={"stored": 1, **foreign}), locks=Locks(CONTROLS))
    page = student("attention", link=write_link(scenario))
    assert page.here.scenario.view.knobs == {"stored": 1}
    assert page.here.scenario.locks == Locks()
    page.do("knob", "stored", 0)
    assert read_link(page.link).view.knobs == {"stored": 0}


def test_undo_never_leads_into_another_section(student):
    page = student("projection")
    page.do("edit", "x", 0, 0, "5")
    first = page.link
    page.do("section", 1)
    page.do("edit", "x", 0, 0, "7")
    page.do("follow", first)  # Back
    assert page.here.scenario.view.section == 0
    assert page.undo == []
    page.do("undo")
    assert page.here.scenario.arrays["x"][0][0] == 5
    page.do("edit", "x", 0, 0, "6").do("undo")
    assert page.here.scenario.arrays["x"][0][0] == 5


def test_the_next_lesson_is_found_as_it_was_left(student):
    page = student("projection")
    assert page.panel["next"] == "attention"
    leave = page.do("go", "attention", "").answer.leave
    assert (leave.page, leave.link, leave.language) == ("attention", "", "")
    left = student("attention").do("edit", "x", 0, 0, "5").link
    assert page.do("go", "attention", left).answer.leave.link == left


@pytest.mark.parametrize("where", ["../etc", "pages/lab.py", "", "masks?", "confusion"])
def test_nobody_goes_where_there_is_no_page(student, where):
    for page in (student("projection"), Reader(LAB), Reader(HOME)):
        assert page.do("go", where, "").answer.leave is None


def test_a_page_that_is_left_is_found_in_the_language_chosen_since(student):
    left = student("attention").do("edit", "x", 0, 0, "5").link
    page = student("projection").do("language", "vi")
    leave = page.do("go", "attention", left).answer.leave
    assert leave.language == "vi"
    found = read_link(leave.link)
    assert (found.view.language, found.arrays["x"][0][0]) == ("vi", 5)
    assert page.do("go", "attention", "2broken").answer.leave.link == ""


@pytest.mark.parametrize("lesson", LESSONS)
def test_an_answer_is_kept_only_as_long_as_it_can_be_typed(student, lesson):
    page = student(lesson)
    for place in range(len(page.sections)):
        page.do("section", place)
        for given in ("1" * 61, "x" * 1_000_000, 3, ["1"], {"a": 1}):
            page.do("answer", given)
        assert page.known.given == ""


ASKING = [
    (lesson, section.id)
    for lesson in LESSONS
    for section in sections_of_page(lesson)
    if section.ask is not None
]


@pytest.mark.parametrize(("lesson", "section"), ASKING)
def test_a_section_that_is_started_again_asks_again(student, lesson, section):
    """What was predicted, shown and tried is gone; that it was done once, and the score, stay."""
    page = student(lesson).at(section)
    given = page.section.ask.options[0] if page.section.ask.kind == "choice" else "1"
    page.do("answer", given).do("show")
    assert page.panel["ask"]["answered"]
    opening = page.state.scenario
    knobs = [knob for knob in page.section.knobs if not knob.press][:1]
    page.turn(**{knob.name: knob.read({knob.name: 1}) for knob in knobs})
    was_done, firsts = page.is_done, page.known.firsts
    page.do("reset")
    assert not page.panel["ask"]["answered"]
    assert "given" not in page.panel["ask"]
    assert page.state.scenario == opening
    assert page.is_done == was_done
    assert page.panel["why"] is None or was_done
    assert page.known.firsts == firsts
    fresh = replace(page.state.sections.get(section, SectionState()), done=False, firsts={})
    other = student(lesson).at(section)
    assert fresh == other.state.sections.get(section, SectionState())
