"""What the browser shows at once is what the server then says: acts played in Node, beside the server's own answers."""

import json
import math
from dataclasses import replace

import pytest

from tests import node
from tests.learner import Learner, Reader
from tests.student import LESSONS, Student, lesson_page, sections_of_page
from ui.board.stages import board_names
from ui.course.engine.sections import dragged
from ui.message.types import sent
from ui.page.home import HOME
from ui.scenario.presets import load_preset, preset_ids
from ui.state.state import SectionState

LARGE = {preset for preset in preset_ids() if load_preset(preset).is_large}
# Of a message: what follows from the plan.
FROM_THE_PLAN = ("values", "tops", "hidden", "lit", "lines", "shares")
NEAR = 2e-6  # numbers are sent with seven digits


def as_sent(answer):
    """A message as the browser gets it."""
    return json.loads(json.dumps(sent(answer.message)))


def said(reader):
    """A case as far as it is told: the page, its link and the message."""
    page = {"page": reader.page.name, "link": reader.link, "told": as_sent(reader.answer)}
    return page | {"undo": [*reader.undo], "redo": [*reader.redo]}


def play(cases):
    """What the browser shows for each case."""
    given = "\n".join(json.dumps(case) for case in cases)
    found = node.run(node.TESTS / "plays.mjs", given=given)
    assert found.returncode == 0, found.stderr
    return [json.loads(line) for line in found.stdout.splitlines()]


def alike(one, other):
    """Whether two parts of a message say the same, numbers to as many digits as are sent."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, bool | str | None) or isinstance(other, bool | str | None):
        return one == other
    return math.isclose(one, other, rel_tol=NEAR, abs_tol=1e-12)


def differences(shown, said):
    """The parts of a message in which what was shown at once differs from what the server said."""
    wrong = [name for name in FROM_THE_PLAN if not alike(shown.get(name), said.get(name))]
    seen = ("cell", "head", "batch", "decimals", "heads", "batches", "all")
    wrong += [f"view.{name}" for name in seen if shown["view"][name] != said["view"][name]]
    if said.get("lesson"):
        wrong += [name for name in ("text", "ask", "try", "why") if not told_alike(shown, said, name)]
    return wrong


def told_alike(shown, said, name):
    """Whether the prose of a section says the same numbers of the plan; facts come with the answer."""
    one, other = (message["lesson"][name] for message in (shown, said))
    if name == "ask" and one and other:
        one, other = one["text"], other["text"]
    live = {"value", "row", "sum", "line"}

    def pieces(texts):
        flat = [piece for text in texts or [] for piece in text if isinstance(piece, list)]
        flat += [piece for bold in flat if bold[0] == "bold" for piece in bold if isinstance(piece, list)]
        return [piece for piece in flat if piece[0] in live]

    return one is None or other is None or pieces(one) == pieces(other)


def compare(steps):
    """Plays each (reader, acts) before the server answers, and compares. A play may be left to the server."""
    cases, answers = [], []
    for reader, acts in steps:
        cases.append(said(reader) | {"acts": acts})
        reader.do_all(*acts)
        answers.append((acts, as_sent(reader.answer)))
    played = 0
    for shown, (acts, answer) in zip(play(cases), answers, strict=True):
        if shown is None or answer.get("sentence"):
            continue
        assert differences(shown, answer) == [], acts
        played += 1
    return played


def editable(reader):
    return [one for one in reader.message["new_outline"]["matrices"] if one["editable"]]


def edits(preset):
    """Every matrix that may be changed, at its first and last cell, with a cell of each step open."""
    learner = Learner(preset)
    for number, matrix in enumerate(editable(learner)):
        at = (matrix["key"], 0, 0)
        last = (matrix["key"], len(matrix["rows"]) - 1, len(matrix["columns"]) - 1)
        names = board_names(learner.trace)
        yield learner, [["cell", names[(5 * number + 3) % len(names)], 0, 0]]
        typed = ("0", "1") if matrix["scale"] == "flag" else ("-2.5", "1.234567891")
        yield learner, [["edit", *at, typed[0]]]
        yield learner, [["edit", *last, typed[1]], ["edit", *at, typed[1]]]
        yield learner, [["undo"]]
        yield learner, [["redo"], ["undo"], ["undo"]]


@pytest.mark.parametrize("preset", [one for one in preset_ids() if one not in LARGE])
def test_edits_are_shown_as_the_server_says_them(preset):
    assert compare(edits(preset)) >= 4


def views(preset):
    learner = Learner(preset)
    for name in board_names(learner.trace):
        yield learner, [["cell", name, 0, 0]]
    for decimals in (0, 4, 1):
        yield learner, [["choose", "decimals", decimals]]
    for head in (1, 0):
        yield learner, [["head", head]]
        yield learner, [["batch", head]]
    yield learner, [["cell"]]


@pytest.mark.parametrize("preset", [one for one in preset_ids() if one not in LARGE])
def test_where_one_looks_is_shown_as_the_server_says_it(preset):
    assert compare(views(preset)) >= 8


def test_every_number_of_a_line_leads_on():
    learner = Learner("grouped_query").do("cell", "output", 0, 0)
    steps = []
    for _ in range(6):
        back = learner.message["lines"][-1]["back"]
        if not back:
            break
        _, step, index, _ = back[0]
        steps.append(["open", step, index])
        learner.do(*steps[-1])
    again = Learner("grouped_query").do("cell", "output", 0, 0)
    assert compare((again, [act]) for act in steps) == len(steps) > 3


def test_a_scale_of_ones_own_is_followed():
    learner = Learner("cat_on_the_mat").do("choose", "scale", "own")
    assert compare((learner, [["choose", "own_scale", scale]]) for scale in (0.25, -1, 3)) == 3


@pytest.mark.parametrize("lesson", LESSONS)
def test_numbers_in_the_prose_of_a_lesson_follow(lesson):
    def steps():
        for place, section in enumerate(sections_of_page(lesson)):
            if not section.board:
                continue
            student = Student(lesson, place)
            student.do("show")
            for matrix in editable(student)[:3]:
                typed = "0" if matrix["scale"] == "flag" else "3.25"
                yield student, [["edit", matrix["key"], 0, 0, typed]]

    typed = [*steps()]
    has_board = any(section.board for section in sections_of_page(lesson))
    assert (
        typed or not has_board or lesson == "real_heads"
    )  # whose numbers are those of a model: none can be typed
    assert compare(typed) or not typed, lesson


def test_a_drag_is_one_step_of_undo():
    learner = Learner("pixels_2x2")
    drag = [["drag", "edit", "x", 0, 0, "2"], ["on", "edit", "x", 0, 0, "3"], ["on", "edit", "x", 0, 0, "4"]]
    assert compare([(learner, drag[:1]), (learner, drag[1:]), (learner, [["undo"]])]) == 3
    assert learner.values("x")[0][0] == 1
    assert not learner.undo


def test_a_drag_that_returns_leaves_nothing_to_undo():
    learner = Learner("pixels_2x2").do("edit", "x", 1, 1, "9")
    undo = [*learner.undo]
    learner.do("drag", "edit", "x", 0, 0, "2").do("on", "edit", "x", 0, 0, "3")
    assert len(learner.undo) == len(undo) + 1
    learner.do("back", "edit", "x", 0, 0, "1")
    assert learner.undo == undo
    assert learner.values("x")[0][0] == 1


@pytest.mark.parametrize(
    "act", [["drag"], ["on", 3], ["back", "back", "edit"], ["on", "on"], ["back", "edit", "x"]]
)
def test_half_a_drag_changes_nothing(act):
    learner = Learner("pixels_2x2").do("edit", "x", 1, 1, "9")
    state, undo = learner.answer.state, [*learner.undo]
    learner.do_all(act)
    assert (learner.answer.state, learner.undo) == (state, undo)


def test_a_structure_that_was_seen_is_shown_at_once():
    """Heads 2 to 1 and back, then with another number: the outline of both is known, the numbers are new."""
    learner = Learner("cat_on_the_mat")
    cases = [said(learner)]
    for heads in (1, 2):
        before = {"told": cases[-1]["told"], "act": ["choose", "n_heads", heads]}
        learner.do(*before["act"])
        cases.append(said(learner) | {"before": before})
    learner.do("edit", "x", 0, 0, "5")
    cases.append(said(learner) | {"acts": [["choose", "n_heads", 1]]})
    shown = play(cases)[-1]
    answer = as_sent(learner.do("choose", "n_heads", 1).answer)
    assert shown is not None
    assert differences(shown, answer) == []


def test_what_the_browser_does_not_know_is_left_to_the_server():
    learner = Learner("pixels_2x2")
    unknown = [
        ["choose", "n_heads", 2],
        ["edit", "x", 0, 0, "no number"],
        ["edit", "x", 9, 0, "1"],
        ["follow", "2abc"],
    ]
    unknown += [["edit", "q", 0, 0, "1"], ["edit", "x", 0, 0, "1e300"], ["reset"], ["swap"], ["undo"]]
    assert play([said(learner) | {"acts": [act]} for act in unknown]) == [None] * len(unknown)
    too_large = said(learner) | {"acts": [["edit", "x", 0, 0, "1e9"], ["edit", "w_q", 0, 0, "1e9"]]}
    assert play([too_large])[0] is not None


def test_a_plan_that_cannot_be_carried_out_is_left_to_the_server():
    """One with an operation of a newer server, and one with too much work for a frame."""
    case = said(Learner("pixels_2x2")) | {"acts": [["edit", "x", 0, 0, "7"]]}
    assert play([case])[0] is not None
    for line, changes in ((-1, {"op": "rotate"}), (-2, {"shape": [1000, 1000]})):
        strange = json.loads(json.dumps(case))
        strange["told"]["new_outline"]["plan"][line].update(changes)
        assert play([strange]) == [None]


def test_large_examples_are_left_to_the_server():
    for preset in LARGE:
        learner = Learner(preset)
        message = learner.message
        assert "given" not in message
        assert "plan" not in message["new_outline"]


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_slider_of_a_lesson_changes_a_number_of_the_plan(lesson):
    """So there is nothing to play: what follows a slider is what Python computes."""
    for place, section in enumerate(sections_of_page(lesson)):
        if not section.board:
            continue
        student = Student(lesson, place)
        student.do("show")
        before = student.message["values"]
        for knob in section.knobs:
            student.do("knob", knob.name, 1)
            student.do("knob", knob.name, 2)
        assert student.message["values"] == before, section.id


def test_a_task_may_ask_for_dragging():
    """Typing the number is not enough; dragging it is, also back to where it was."""
    page = lesson_page("projection")
    place = next(place for place, one in enumerate(page.sections) if one.id == "lost")
    page.sections = (
        *page.sections[:place],
        replace(page.sections[place], task=dragged("x", columns=slice(3, 4))),
        *page.sections[place + 1 :],
    )
    student = Reader(page).do("section", place)

    def tries(*act):
        student.do(*act)
        return student.state.sections.get("lost", SectionState()).tried

    assert not tries("edit", "x", 0, 3, "7")
    assert not tries("undo")
    assert not tries("drag", "edit", "x", 0, 0, "2")  # another column
    assert not tries("undo")
    assert tries("drag", "edit", "x", 0, 3, "7")
    assert tries("back", "edit", "x", 0, 3, "2")


def test_home_is_played_as_the_server_says_it():
    me = Reader(HOME, language="vi")
    acts = [
        [["focus", 4]],
        [["head", 1]],
        [["edit", "x", 4, 2, "-1.25"]],
        [["undo"]],
        [["redo"], ["focus", 0]],
    ]
    acts += [
        [["drag", "edit", "x", 0, 0, "2"], ["on", "edit", "x", 0, 0, "3"]],
        [["back", "edit", "x", 0, 0, "1"]],
    ]
    assert compare((me, some) for some in acts) == len(acts)
    assert me.scenario.view.focus == 0
