"""The file that is handed out needs nothing else, holds the app's own numbers, and obeys nobody's text."""

import json
import re
from dataclasses import replace

import pytest

from tests import node
from tests.student import LESSONS, sections_of_page
from ui.board import matrices as board
from ui.board.stages import board_names
from ui.course.engine.handout import judge_of, lesson_handout
from ui.course.engine.sections import Cell, Here, Number, Shape
from ui.files.handout import MOST_CELLS, lab_handout, page_of, scripts
from ui.message.arithmetic import explain_through_moves, written_lines
from ui.message.assemble import assemble
from ui.message.types import sent
from ui.scenario import choices
from ui.scenario.presets import load_preset, preset_ids
from ui.words import Words, languages

ENGLISH = Words("en")


def lab(preset="pixels_2x2", words=ENGLISH, address="", **view):
    scenario = load_preset(preset).looking(**view)
    return lab_handout(scenario, scenario.trace(), words, address)


def lesson(name, words=ENGLISH):
    sections = sections_of_page(name)
    return lesson_handout(LESSONS[name], sections, words, sections[0].start(), "")


def in_page(handout, words=ENGLISH):
    """The handout as a browser reads it out of the file."""
    page = page_of(handout, words).decode()
    [found] = re.findall(r'<script type="application/json" id="contents">(.*?)</script>', page)
    return json.loads(found)


@pytest.mark.parametrize("preset", preset_ids())
def test_every_cell_on_the_board_opens_to_the_apps_own_arithmetic(preset):
    scenario = load_preset(preset)
    trace = scenario.trace()
    handout = in_page(lab(preset))
    if scenario.is_large:
        assert handout["lines"] == []
        return
    [place] = [handout["places"][handout["first"]]]
    outline = place["shows"]["new_outline"]
    assert set(place["cells"]) == {matrix["key"] for matrix in outline["matrices"]}
    names = [each["id"] for each in outline["matrices"] if "." not in each["key"]]
    for matrix in board.drawn_matrices(trace, names, board.shown_places(scenario, trace)):
        for row in range(matrix.whole.shape[0]):
            number = place["cells"][matrix.key][row][0]
            lines = explain_through_moves(trace, matrix.step.name, matrix.index(row, 0), 2)
            expected = written_lines(scenario, trace, lines, ENGLISH, names)
            assert [line["text"] for line in handout["lines"][number]] == [line.text for line in expected]
            assert [matrix.key] == [
                key
                for key, marks in place["lit"][str(number)].items()
                for *_, mark in marks
                if mark == "chosen"
            ]


def test_a_line_leads_back_only_to_cells_that_are_there():
    handout = in_page(lab("grouped_query", head=2))
    assert handout["first"] == 2
    assert len(handout["places"]) == 4
    ways = [way for lines in handout["lines"] for line in lines for way in line["back"]]
    assert ways
    assert all(f"0:{step}:{','.join(map(str, index))}" in handout["ids"] for _, step, index, _ in ways)


def test_a_file_has_room_for_so_many_cells_and_no_more():
    scenario = load_preset("bare_formula")
    wide = [[row % 7 - 3 + column / 16 for column in range(16)] for row in range(16)]
    arrays = dict.fromkeys(("x", "w_q", "w_k", "w_v"), wide)
    scenario = replace(scenario, arrays=arrays, options={"n_heads": 4})
    handout = lab_handout(scenario, scenario.trace(), ENGLISH, "")
    assert len(handout.lines) == MOST_CELLS
    last = handout.places[-1]["cells"]
    assert any(number is None for rows in last.values() for row in rows for number in row)


def test_nothing_can_be_changed_in_it_but_the_decimals():
    for handout in (lab("cat_on_the_mat"), lesson("projection")):
        for place in handout.places:
            for shows in (place["shows"], place.get("told", place["shows"])):
                outline = shows["new_outline"]
                assert not any(matrix["editable"] for matrix in outline["matrices"])
                assert {choice["id"] for choice in outline["choices"]} <= {"decimals"}
                assert not {"may", "panels"} & set(shows)


def test_making_it_changes_nothing_that_others_see():
    scenario = load_preset("pixels_2x2")
    before = lab().places[0]["shows"]["new_outline"]["matrices"]
    assert not any(matrix["editable"] for matrix in before)
    trace = scenario.trace()
    shown = board.shown_places(scenario, trace)
    fresh = sent(assemble(scenario, board_names(trace), shown, ENGLISH))["new_outline"]
    assert any(matrix["editable"] for matrix in fresh["matrices"])
    assert len(fresh["choices"]) == len(choices.offered(scenario, trace, ENGLISH))


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_has_every_section_asked_and_told(name):
    sections = sections_of_page(name)
    handout = in_page(lesson(name))
    assert [place["group"] for place in handout["places"]] == list(range(len(sections)))
    for place, section in zip(handout["places"], sections, strict=True):
        assert ("told" in place) == (section.ask is not None)
        assert place["shows"]["lesson"]["text"]
        if section.ask:
            assert not place["shows"]["lesson"]["ask"]["answered"]
            assert place["told"]["lesson"]["why"]
            assert place["told"]["lesson"]["ask"]["answer"]
        if "replies" in (place.get("judge") or {}):
            assert sum(right for right, _ in place["judge"]["replies"].values()) == 1


@pytest.mark.parametrize("language", languages())
def test_it_speaks_the_learners_language(language):
    words = Words(language)
    page = page_of(lab(words=words), words).decode()
    assert f'<html lang="{language}">' in page
    assert words("bench.offline") in page


def test_it_asks_nobody_for_anything():
    page = page_of(lab(), ENGLISH).decode()
    before_plotly, after_plotly = page.split("<script>", 1)[0], page.rpartition("</script>\n</head>")[2]
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!data:)""", before_plotly + after_plotly)
    assert "url(" not in before_plotly
    assert not [
        name for name, source in scripts().items() if not source.startswith("data:text/javascript;base64,")
    ]


def test_a_learners_text_is_text():
    nasty = "</script><b>{{plotly}}"
    scenario = load_preset("pixels_2x2").renamed("token", 4, 0, nasty)
    page = page_of(lab_handout(scenario, scenario.trace(), ENGLISH, ""), ENGLISH).decode()
    assert nasty not in page
    assert "</script><b>" not in page
    assert page.count("</script>") == 4


TYPED = (
    *(
        "1e3",
        "2,304",
        "2304",
        "2.304",
        "1/2",
        "e",
        "0,5",
        "-0.5",
        "−0,5",
        "-inf",
        "−∞",
        "0",
        "1",
        "3",
        "",
        "x",
    ),
    *(
        "1 000",
        "1,234,567",
        "1·10³",
        "３",
        "4×2",
        "(4, 2)",
        "4 2 8",
        "0.40",
        "0,4022",
        "1e16",
        "NaN",
        "1" * 61,
    ),
)


def test_a_handout_accepts_exactly_what_the_live_lesson_accepts():
    judges, live = [], []
    for name in LESSONS:
        for section in sections_of_page(name):
            if isinstance(section.ask, Number | Cell | Shape):
                scenario = section.start()
                knobs = section.read_knobs({})
                here = Here(scenario, scenario.trace(), section.start(), knobs, ENGLISH, name, section.id)
                judges.append(judge_of(section.ask, here))
                shown = section.ask.shown_answer(here)
                live.append([section.ask.judge(here, text) for text in (*TYPED, shown)])
                assert live[-1][-1].right, (name, section.id, shown)
                judges[-1]["shown"] = shown
    given = json.dumps({"judges": judges, "texts": TYPED})
    found = node.run(node.TESTS / "judged.mjs", given=given)
    assert found.returncode == 0, found.stderr
    offline = json.loads(found.stdout)
    assert len(judges) > 20
    for judge, replies, theirs in zip(judges, live, offline, strict=True):
        pairs = zip(TYPED, replies[:-1], theirs, strict=True)
        assert [text for text, reply, other in pairs if reply.right != other["right"]] == [], judge
