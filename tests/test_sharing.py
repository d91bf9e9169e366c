"""A state that is shared: students begin there and find back; its address as a code and in a frame."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
import segno

from ui.scenario.link import MOST_CHARACTERS, MOST_KEPT, LinkError, read_link, write_link
from ui.scenario.presets import load_preset
from ui.scenario.scenario import ELSEWHERE, HERE, Locks
from ui.state.state import start_of
from ui.state.step import changed
from ui.streamlit import share_panel as sharing


def shared(scenario, locked=()):
    return write_link(replace(scenario, start=HERE, locks=Locks(locked=locked)))


@pytest.fixture
def nine():
    """A teacher's state: 9 in the first cell, seen from the fourth step."""
    return load_preset("pixels_2x2").edited("x", {(0, 0): 9.0}).looking(step="scores")


def test_students_find_back_to_the_teachers_start(learner, nine):
    me = learner("pixels_2x2").do("follow", shared(nine))
    assert me.message["may"]["restart"]
    me.do("edit", "x", 0, 0, "3").do("step", "softmax").do("choose", "mask", "causal").do("reset")
    assert me.values("x")[0][0] == 9
    assert me.scenario.view.step == "scores"
    assert me.scenario.options == nine.options


def test_the_start_survives_a_reload_and_another_example(learner, nine):
    me = learner(read_link(shared(nine, ("scale",))))
    me.do("choose", "preset", "causal").do("edit", "x", 0, 0, "5")
    after = learner(read_link(me.link))  # another browser: nothing is left but the address
    assert after.scenario.preset == "causal"
    after.do("reset")
    assert after.values("x")[0][0] == 9
    assert after.scenario.locks == Locks(locked=("scale",))


def test_a_link_without_a_start_forgets_the_one_before(learner, nine):
    me = learner("pixels_2x2").do("follow", shared(nine)).do("follow", write_link(load_preset("causal")))
    assert not me.message["may"]["restart"]
    assert start_of(me.state) is None


def test_undo_and_swap_keep_the_start(learner, nine):
    me = learner("pixels_2x2").do("follow", shared(nine))
    me.do("edit", "x", 0, 1, "4").do("keep").do("edit", "x", 0, 1, "5").do("swap").do("undo")
    assert read_link(me.scenario.start).arrays["x"][0][0] == 9


def test_whoever_shares_can_start_from_here_and_come_back(learner, nine):
    me = learner("pixels_2x2")
    assert not me.message["may"]["restart"]
    me.do("edit", "x", 0, 0, "9").do("start").do("edit", "x", 0, 0, "2")
    assert start_of(me.state).arrays["x"][0][0] == 9
    me.do("restart")
    assert me.values("x")[0][0] == 9


def noisy(n):
    """A state whose link is long: numbers that cannot be packed."""
    rng = np.random.default_rng(1)
    arrays = {name: rng.standard_normal((n, n)).round(6).tolist() for name in ("x", "w_q", "w_k", "w_v")}
    return replace(load_preset("pixels_2x2"), arrays=arrays, options={"n_heads": 1}, names={})


def test_a_start_too_long_for_the_link_is_known_to_the_browser(learner):
    long = noisy(12)
    assert MOST_KEPT < len(shared(long)) < MOST_CHARACTERS
    me = learner("pixels_2x2").do("follow", shared(long))
    assert me.scenario.start == ELSEWHERE
    me.do("edit", "x", 0, 0, "7")
    me.do("follow", me.link)  # as Back and Forward do
    me.do("reset")
    assert me.scenario.arrays["x"] == long.arrays["x"]


def test_a_change_is_not_refused_for_the_sake_of_the_start(learner):
    me = learner("pixels_2x2").do("follow", shared(noisy(10)))
    assert me.scenario.start not in ("", HERE, ELSEWHERE)
    full = replace(noisy(15), start=me.scenario.start)
    assert len(write_link(full)) > MOST_CHARACTERS
    state = changed(me.state, full)
    assert state.scenario.start == ELSEWHERE
    assert len(state.link) <= MOST_CHARACTERS
    assert start_of(state) == start_of(me.state)


@pytest.mark.parametrize("start", ["x" * (MOST_KEPT + 1), "é", 5, ["1"]])
def test_a_start_that_is_no_link_is_refused(start):
    with pytest.raises(LinkError):
        read_link(write_link(replace(load_preset("pixels_2x2"), start=start)))


def test_a_start_that_cannot_be_read_is_no_start(learner):
    me = learner(replace(load_preset("causal"), start="2nonsense"))
    assert me.scenario.preset == "causal"
    assert start_of(me.state) is None
    me.do("reset")
    assert me.scenario.preset == "causal"


def test_a_lesson_starts_again_where_its_teacher_began(student):
    student = student("projection", 1)
    begun = student.here.scenario.edited("x", {(0, 0): 9.0})
    student.do("follow", shared(begun))
    assert student.panel["restart"]
    student.do("edit", "x", 0, 0, "2").do("reset")
    assert student.here.scenario.arrays["x"][0][0] == 9
    student.do("section", 0)
    assert not student.panel["restart"]
    student.do("edit", "x", 0, 0, "2").do("reset")
    assert student.here.scenario.arrays["x"][0][0] == 1
    student.do("section", 1).do("reset")
    assert student.here.scenario.arrays["x"][0][0] == 9


# The address as others get it


def test_the_code_says_the_address():
    address = "http://10.0.0.7:8501/lab?s=2" + "aB-_" * 100
    drawing = sharing.qr_code(address)
    assert drawing == segno.make(address, error="l", micro=False).svg_inline(
        scale=8, border=4, dark="#000", light="#fff", omitsize=True
    )
    assert "#fff" in drawing  # its ground too, for a dark page
    assert sharing.qr_code("http://a/" + "x" * (sharing.MOST_IN_A_QR_CODE - 9))
    with pytest.raises(ValueError, match="too large"):
        sharing.qr_code("http://a/" + "x" * sharing.MOST_IN_A_QR_CODE)


def test_a_frame_holds_the_address_and_nothing_that_ends_it():
    snippet = sharing.embedding('http://a/lab?s=2"><script>', 900, "a <b> “c”")
    assert snippet.count("<") == 2
    assert "&amp;embed=true" in snippet
    assert 'height="900"' in snippet


def test_the_shared_address_is_this_page_with_its_own_start(monkeypatch, nine):
    class Context:
        url = "http://school.example/lab?s=old&embed=true"

    monkeypatch.setattr(sharing.st, "context", Context)
    address = sharing.shared_address(nine, Locks(hidden=("mask",)))
    assert address.startswith("http://school.example/lab?s=")
    found = read_link(parse_qs(urlsplit(address).query)["s"][0])
    assert (found.start, found.locks.hidden, found.arrays) == (HERE, ("mask",), nine.arrays)
    assert sharing.live_address(nine).startswith("http://school.example/")
    Context.url = "http://localhost:8501/lab"
    assert sharing.live_address(nine) == ""
