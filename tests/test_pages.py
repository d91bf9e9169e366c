"""Pages carry the numbers of the course; a few are run as Streamlit runs them, from first to last line."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.learner import Reader
from tests.student import LESSONS, lesson_page, sections_of_page
from ui.board.stages import is_same, steps_by_stage
from ui.message.types import sent
from ui.page.home import HOME
from ui.page.lab import LAB
from ui.page.request import arrival
from ui.scenario.link import write_link
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import Locks
from ui.state.lab import PANELS
from ui.words import Words

ROOT = Path(__file__).parents[1]


def board_of(message):
    """The matrices on the board with their numbers, by id."""
    return {
        matrix["key"]: matrix | {"values": values}
        for matrix, values in zip(message["new_outline"]["matrices"], message["values"], strict=True)
    }


def opened(page, link="", language="en"):
    """The message of a page opened with a link in its address."""
    return sent(page.respond(arrival(link), language).message)


def lab(scenario):
    return opened(LAB, write_link(scenario))


# Without a server


@pytest.mark.parametrize("preset_id", preset_ids())
def test_lab_opens_every_preset_at_every_stage(preset_id):
    scenario = load_preset(preset_id)
    trace = scenario.trace()
    everything = {step.name for step in (*trace.steps, *trace.parameters.values()) if step.op != "number"}
    everything -= {name for name in everything if is_same(trace.step(name), trace)}
    for stage in steps_by_stage(trace):
        message = lab(scenario.looking(step=stage))
        assert {matrix["id"] for matrix in board_of(message).values()} == everything
        assert message["view"]["step"] == stage
        assert [one["id"] for one in message["new_outline"]["stages"]] == list(steps_by_stage(trace))


def test_the_course_has_thirteen_lessons_in_order():
    assert [lesson.number for lesson in LESSONS.values()] == list(range(1, 14))


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("link", ["9x", "2broken", "<script>", write_link(load_preset("vit_base"))])
def test_a_lesson_survives_a_bad_or_foreign_link(name, link):
    message = opened(lesson_page(name), link)
    assert message["lesson"]["sections"]
    assert message["lesson"]["place"] == 0
    assert ("sentence" in message) == (len(link) < 10)


def test_a_link_opens_what_it_holds():
    scenario = load_preset("pixels_2x2").edited("x", {(0, 0): 9.0})
    message = lab(scenario.looking(step="scores", cell=("scores", 0, 1)))
    assert board_of(message)["x"]["values"][0][0] == 9
    assert message["view"]["step"] == "scores"
    assert "= 9·1 + 1·2 = 11" in message["lines"][0]["text"]


@pytest.mark.parametrize("link", ["9x", "1!", "2" + "A" * 9000, "<script>"])
def test_a_bad_link_says_so_and_shows_the_lab(link):
    message = opened(LAB, link)
    assert "The page stays as it was." in message["sentence"] or "Copy it again" in message["sentence"]
    assert board_of(message)["x"]["values"] == load_preset(preset_ids()[0]).arrays["x"]


def test_a_link_that_cannot_be_computed_says_why_and_leaves_the_page_as_it_was():
    scenario = load_preset("pixels_2x2")
    broken = write_link(replace(scenario, arrays={**scenario.arrays, "w_q": [[1, 0], [0, 1]]}))
    me = Reader(LAB, write_link(load_preset("grouped_query")))
    me.do("follow", broken)  # Back or Forward
    assert "w_q has 2 along its in axis (shape (2, 2)), but 4 is needed" in me.sentence
    assert board_of(me.message)["q_heads"]["shape"] == "4×3×2"
    arrived = opened(LAB, broken)
    assert arrived["sentence"] == me.sentence
    assert board_of(arrived)["x"]["values"] == load_preset(preset_ids()[0]).arrays["x"]


def test_heads_and_batch_items_are_shown_as_asked():
    first = board_of(lab(load_preset("textbook")))["weights"]["values"]
    message = lab(load_preset("textbook").looking(head=7, batch=31))
    assert board_of(message)["weights"]["values"] != first
    view = message["view"]
    assert (view["heads"], view["batches"], view["head"], view["batch"]) == (8, 32, 7, 31)


def test_a_class_link_takes_controls_away():
    message = lab(replace(load_preset("pixels_2x2"), locks=Locks(locked=("edit",), hidden=("take",))))
    assert [name for name, *_ in message["panels"]] == ["more"]
    assert not board_of(message)["x"]["editable"]


# As Streamlit runs them


class Tab:
    """A page in Streamlit's own test of apps: requests go in as a browser's, what a panel asks for is done."""

    def __init__(self, script="app.py", link="", language=""):
        self.app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        if link:
            self.app.query_params["s"] = link
        if language:
            self.app.query_params["l"] = language
        if script != "app.py":
            self.app.switch_page(script)
        self.run()

    def run(self):
        self.app.run()
        assert not self.app.exception
        return self

    @property
    def sent(self):
        """What the workbench was sent."""
        protos = [item.proto for item in self.app.main]
        [element] = [proto for proto in protos if getattr(proto, "component_name", "") == "qkv_workbench"]
        return json.loads(element.json)

    @property
    def message(self):
        return self.sent["message"]

    @property
    def board(self):
        return board_of(self.message)

    def ask(self, *acts, state=None):
        sent = self.sent
        request = {
            "id": sent["id"] + 1,
            "state": state or sent["state"],
            "acts": list(acts),
            "undo": [],
            "redo": [],
        }
        self.app.session_state[f"qkv_{sent['page']}"] = {"request": request}
        self.run()
        assert self.sent["id"] == request["id"]
        return self

    def do_asked(self):
        """A control of a panel was used: the browser does what it asks for."""
        self.run()
        return self.ask(*self.sent["asked"]["acts"])


def lab_tab(scenario, panel=""):
    tab = Tab("pages/lab.py", write_link(scenario))
    return tab.ask(["panel", panel]) if panel else tab


@pytest.mark.parametrize("name", ["home", "lab", *LESSONS])
def test_a_page_is_the_function_and_nothing_else(name):
    script = {"home": "app.py", "lab": "pages/lab.py"}.get(name) or LESSONS[name].page
    page = {"home": HOME, "lab": LAB}.get(name) or lesson_page(name)
    place = len(sections_of_page(name)) - 1 if name in LESSONS else 0
    link = write_link(page.opening(place).looking(section=place)) if name in LESSONS else ""
    tab = Tab(script, link)
    expected = sent(page.respond(arrival(link), "en").data())
    assert tab.sent == json.loads(json.dumps(expected))
    if name in LESSONS:
        assert tab.message["lesson"]["place"] == place


WALKS = {
    "lab": [
        ["edit", "x", 0, 0, "7"],
        ["cell", "weights", 1, 2],
        ["choose", "mask", "causal"],
        ["predict", True],
        ["guess", "scores", 0, 0, "9"],
        ["undo"],
        ["keep"],
        ["edit", "w_q", 0, 1, "-2"],
        ["panel", "more"],
    ],
    "learning": [
        ["answer", "1"],
        ["show"],
        ["section", 4],
        ["show"],
        ["knob", "epochs", 3],
        ["more"],
        ["more"],
        ["edit", "x", 0, 0, "2"],
    ],
}


@pytest.mark.parametrize("name", WALKS)
def test_a_session_holds_nothing_that_cannot_be_lost(name):
    """Every request comes to another server, whose session is emptied: it answers what one server does."""
    page = {"lab": LAB}.get(name) or lesson_page(name)
    script = {"lab": "pages/lab.py"}.get(name) or LESSONS[name].page
    me = Reader(page)
    for act in WALKS[name]:
        before = me.answer.state
        request = {"id": me.count + 1, "state": before, "acts": [act], "undo": me.undo[-1:], "redo": []}
        me.do(*act)
        assert me.answer.refused == ""
        elsewhere = Tab(script)
        for key in ("qkv_session", "qkv_asked_lab", "qkv_asked_learning"):
            if key in elsewhere.app.session_state:
                del elsewhere.app.session_state[key]
        elsewhere.app.session_state[f"qkv_{page.name}"] = {"request": json.loads(json.dumps(request))}
        assert elsewhere.run().sent == json.loads(json.dumps(sent(me.answer.data()))), act


def test_a_page_opens_in_the_language_of_its_address():
    assert Tab("pages/lab.py", language="ko").message["to_home"] == opened(LAB, language="ko")["to_home"]
    assert Tab("pages/lab.py", language="xx").message["to_home"] == opened(LAB)["to_home"]


def test_a_request_that_is_none_leaves_the_address_to_decide():
    tab = lab_tab(load_preset("causal"))
    tab.app.session_state["qkv_lab"] = {"request": {"id": True, "acts": "x"}}
    tab.run()
    assert tab.sent["id"] == 0
    assert tab.message["choices"]["preset"] == "causal"


@pytest.mark.parametrize("panel", PANELS)
def test_every_panel_opens_for_every_preset(panel):
    tab = Tab("pages/lab.py")
    for preset_id in preset_ids():
        tab.ask(["panel", panel], state={"link": write_link(load_preset(preset_id))})
        assert tab.message["panel"] == panel


def test_more_changes_the_computation_and_the_link():
    tab = lab_tab(load_preset("cat_on_the_mat"), "more")
    tab.ask(["choose", "n_kv_heads", 1])
    assert [one.value for one in tab.app.caption] == [Words()("layout.why_shared")]
    tab.ask(["choose", "n_kv_heads", 2])
    tab.app.segmented_control(key="lab_layout").set_value("per_head")
    assert tab.do_asked().board["w_qkv"]["shape"] == "4×12"
    tab.app.toggle(key="lab_part_biases").set_value(True)
    assert tab.do_asked().board["b_qkv"]["shape"] == "12"
    tab.app.text_input(key="lab_softcap").set_value("2,5")
    assert "softcapped" in tab.do_asked().board
    tab.ask(["choose", "dropout", 0.5])
    tab.app.number_input(key="lab_seed").set_value(4)
    assert "dropped" in tab.do_asked().board
    again = opened(LAB, tab.sent["state"]["link"])
    assert board_of(again)["output"]["values"] == tab.board["output"]["values"]


def test_a_press_in_a_panel_stays_until_it_is_done():
    """Filled with what held before, the browser would send that back as if it had been pressed."""
    tab = lab_tab(load_preset("cat_on_the_mat"), "more")

    def layout():
        return tab.app.segmented_control(key="lab_layout").value

    tab.app.segmented_control(key="lab_layout").set_value("per_head")
    asked = tab.run().sent["asked"]
    assert layout() == "per_head"
    tab.ask(["step", "scale"])  # was on its way before the browser heard of it
    assert (tab.sent["asked"], layout()) == (asked, "per_head")
    tab.app.toggle(key="lab_part_biases").set_value(True)  # a second press keeps the first
    assert tab.do_asked().board["b_qkv"]["shape"] == "12"
    assert layout() == "per_head"
    tab.ask(["choose", "preset", "causal"])  # what is changed elsewhere, the panel follows
    assert layout() == "three"


def test_what_a_panel_asks_for_is_done_on_its_page_only():
    tab = lab_tab(load_preset("cat_on_the_mat"), "more")
    tab.app.segmented_control(key="lab_layout").set_value("per_head")
    assert tab.run().sent["asked"]["acts"]
    tab.app.switch_page(LESSONS["softmax"].page)
    assert "asked" not in tab.run().sent


def test_what_a_panel_cannot_read_is_said():
    tab = lab_tab(load_preset("cat_on_the_mat"), "more")
    tab.app.text_input(key="lab_softcap").set_value("two")
    tab.run()
    asked = tab.sent["asked"]
    assert (asked["acts"], "“two” is not a number" in asked["sentence"]) == ([], True)


@pytest.mark.parametrize(
    ("field", "key", "typed", "said"),
    [
        ("number_input", "lab_n_batch", 32, "Batch items: from 1 to 16. Nothing was changed."),
        ("number_input", "lab_seed", -1, "Seed of the dropout: from 0 to 9999. Nothing was changed."),
        ("text_input", "lab_softcap", "-1", "Softcap (0: none): from 0 to 100. Nothing was changed."),
    ],
)
def test_the_bounds_of_a_number_are_said(field, key, typed, said):
    tab = lab_tab(load_preset("fused_vit").with_options(dropout_p=0.5, rng=0), "more")
    box = getattr(tab.app, field)(key=key)
    before = box.value
    box.set_value(typed)
    tab.run()
    assert tab.sent["asked"]["acts"] == []
    assert tab.sent["asked"]["sentence"] == said
    assert getattr(tab.app, field)(key=key).value == before


def test_share_makes_a_link_with_locks():
    tab = lab_tab(load_preset("pixels_2x2"), "share")
    tab.app.multiselect(key="lab_share_locked").set_value(["edit"]).run()
    tab.app.multiselect(key="lab_share_hidden").set_value(["more", "upload"]).run()
    link = tab.app.code[0].value.partition("?s=")[2]
    student = opened(LAB, link)
    assert [name for name, *_ in student["panels"]] == ["take"]
    assert not board_of(student)["x"]["editable"]
    assert tab.board["x"]["editable"]  # the teacher's own page stays
