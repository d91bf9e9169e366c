"""Pages run from first to last line, for every preset, and carry the numbers of the course."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.student import LESSONS, moments_of_page
from ui.board.stages import steps_by_stage
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import Locks
from ui.state import session
from ui.streamlit.panels import PANELS

ROOT = Path(__file__).parents[1]


def home():
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not page.exception
    return page


def lab(scenario=None, panel="", link=""):
    """The Lab opened with a link, a panel open."""
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    page.query_params["s"] = link or write_link(scenario or load_preset("pixels_2x2"))
    page.session_state["panel"] = panel
    page.switch_page("pages/lab.py").run()
    assert not page.exception
    return page


def sent(page):
    """What the workbench was sent."""
    [element] = [
        item.proto for item in page.main if getattr(item.proto, "component_name", "") == "qkv_workbench"
    ]
    return json.loads(element.json)


def board_of(page):
    """The matrices on the board with their numbers, by id."""
    message = sent(page)
    return {
        matrix["key"]: matrix | {"values": values}
        for matrix, values in zip(message["new_outline"]["matrices"], message["values"], strict=True)
    }


def test_home_shows_the_worked_example():
    page = home()
    drawn = board_of(page)
    assert list(drawn) == ["x", "q", "k", "v", "scores", "scaled", "weights", "output"]
    assert drawn["q"]["values"] == [[1, 1], [2, 0], [3, 1], [4, 0]]
    assert drawn["scores"]["values"][2] == [1, 5, 3, 7]
    printed = [0.097785, 0.402215, 0.097785, 0.402215]
    np.testing.assert_allclose(drawn["weights"]["values"][1], printed, atol=5e-7)
    np.testing.assert_allclose(drawn["output"]["values"][0], [0.195570, 0.804430], atol=5e-7)
    assert sent(page)["lines"][0]["text"].endswith("= 4.113 / 10.23 = 0.40")
    assert not any(matrix["editable"] for matrix in drawn.values())


@pytest.mark.parametrize("preset_id", preset_ids())
def test_lab_opens_every_preset_at_every_stage(preset_id):
    scenario = load_preset(preset_id)
    trace = scenario.trace()
    everything = {step.name for step in (*trace.steps, *trace.parameters.values()) if step.op != "number"}
    for stage in steps_by_stage(trace):
        page = lab(scenario.looking(step=stage))
        assert {matrix["id"] for matrix in board_of(page).values()} == everything
        assert sent(page)["view"]["step"] == stage
        assert [one["id"] for one in sent(page)["new_outline"]["stages"]] == list(steps_by_stage(trace))


def lesson(name, link=""):
    """The page of a lesson, opened cold."""
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    if link:
        page.query_params["s"] = link
    page.switch_page(LESSONS[name].page).run()
    assert not page.exception
    return page


def test_the_course_has_thirteen_lessons_in_order():
    assert [lesson.number for lesson in LESSONS.values()] == list(range(1, 14))
    shown = sent(home())["course"]
    assert [card["id"] for card in shown] == list(LESSONS)
    assert all(3 <= len(card["moments"]) <= 7 for card in shown)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_opens_cold_at_its_first_moment_and_at_that_of_a_link(name):
    panel = sent(lesson(name))["lesson"]
    assert panel["place"] == 0
    last = moments_of_page(name)[-1]
    link = write_link(last.start().looking(moment=len(moments_of_page(name)) - 1))
    assert sent(lesson(name, link))["lesson"]["place"] == len(panel["moments"]) - 1


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("link", ["9x", "2broken", "<script>", write_link(load_preset("vit_base"))])
def test_a_lesson_survives_a_bad_or_foreign_link(name, link):
    panel = sent(lesson(name, link))["lesson"]
    assert panel["moments"]


def test_a_link_opens_what_it_holds():
    scenario = load_preset("pixels_2x2").edited("x", {(0, 0): 9.0})
    page = lab(scenario.looking(step="scores", cell=("scores", 0, 1)))
    assert board_of(page)["x"]["values"][0][0] == 9
    assert sent(page)["view"]["step"] == "scores"
    assert "= 9·1 + 1·2 = 11" in sent(page)["lines"][0]["text"]


@pytest.mark.parametrize("link", ["9x", "1!", "2" + "A" * 9000, "<script>"])
def test_a_bad_link_says_so_and_shows_the_lab(link):
    page = lab(link=link)
    assert "The page stays as it was." in sent(page)["sentence"] or "Copy it again" in sent(page)["sentence"]
    assert board_of(page)["x"]["values"][0] == [1, 0, 1, 2]


def test_a_link_that_cannot_be_computed_says_why_and_leaves_the_page_as_it_was(monkeypatch):
    page = lab(load_preset("cat_on_the_mat"))
    scenario = load_preset("pixels_2x2")
    broken = replace(scenario, arrays={**scenario.arrays, "w_q": [[1, 0], [0, 1]]})
    page.query_params["s"] = write_link(broken)
    monkeypatch.setattr(session, "by_history", lambda: True)  # Back or Forward
    page.run()
    assert not page.exception
    assert "w_q has 2 along its in axis (shape (2, 2)), but 4 is needed" in sent(page)["sentence"]
    assert board_of(page)["q_heads"]["shape"] == "2×7×2"


def test_heads_and_batch_items_are_shown_as_asked():
    first = board_of(lab(load_preset("textbook")))["weights"]["values"]
    page = lab(load_preset("textbook").looking(head=7, batch=31))
    assert board_of(page)["weights"]["values"] != first
    view = sent(page)["view"]
    assert (view["heads"], view["batches"], view["head"], view["batch"]) == (8, 32, 7, 31)


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("preset_id", preset_ids())
def test_every_panel_opens_for_every_preset(preset_id, panel):
    page = lab(load_preset(preset_id), panel)
    assert sent(page)["panel"] == panel


def test_more_changes_the_computation_and_the_link():
    page = lab(load_preset("cat_on_the_mat"), "more")
    page.number_input(key="lab_n_tokens").set_value(5).run()
    assert board_of(page)["x"]["shape"] == "5×4"
    page.segmented_control(key="lab_n_kv_heads").set_value(1).run()
    assert board_of(page)["k_repeated"]["shape"] == "2×5×2"
    page.segmented_control(key="lab_n_kv_heads").set_value(2).run()
    page.segmented_control(key="lab_layout").set_value("per_head").run()
    assert board_of(page)["w_qkv"]["shape"] == "4×12"
    page.toggle(key="lab_part_biases").set_value(True).run()
    assert board_of(page)["b_qkv"]["shape"] == "12"
    page.text_input(key="lab_softcap").set_value("2,5").run()
    assert "softcapped" in board_of(page)
    page.text_input(key="lab_dropout").set_value("0.5").run()
    page.number_input(key="lab_seed").set_value(4).run()
    assert "dropped" in board_of(page)
    assert not page.exception
    again = lab(link="".join(page.query_params["s"]))
    assert board_of(again)["output"]["values"] == board_of(page)["output"]["values"]


def test_a_matrix_is_filled():
    page = lab(load_preset("cat_on_the_mat"), "more")
    [which, fill] = [box for box in page.selectbox if box.form_id]
    which.set_value("w_k")
    fill.set_value("identity")
    page.button[-1].click().run()
    assert not page.exception
    assert board_of(page)["w_k"]["values"] == np.eye(4).tolist()


def test_a_class_link_takes_controls_away():
    page = lab(replace(load_preset("pixels_2x2"), locks=Locks(locked=("edit",), hidden=("take",))))
    assert [name for name, *_ in sent(page)["panels"]] == ["more"]
    assert not board_of(page)["x"]["editable"]


def test_share_makes_a_link_with_locks():
    page = lab(load_preset("pixels_2x2"), "share")
    page.multiselect(key="lab_share_locked").set_value(["edit"]).run()
    page.multiselect(key="lab_share_hidden").set_value(["more", "upload"]).run()
    link = page.code[0].value.partition("?s=")[2]
    student = lab(link=link)
    assert [name for name, *_ in sent(student)["panels"]] == ["take"]
    assert board_of(page)["x"]["editable"]  # the teacher's own page stays
