"""The engine of the lessons: foreign links, what is kept between pages, and what an act may bring."""

import json
import random
from dataclasses import replace

import pytest
from streamlit.runtime.scriptrunner import RerunData, RerunException

from tests.student import LESSONS
from ui.course.engine import lesson as engine
from ui.scenario.link import CONTROLS, MOST_CHARACTERS, read_link, write_link
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import Locks
from ui.scenario.structure import ARRAYS, TAKEN
from ui.state import session
from ui.streamlit import frame


def arrive_with(page, link):
    """The lesson is opened anew at a link."""
    session.st.session_state.clear()
    session.st.query_params["s"] = link
    session.current(page.play.lesson.id, page.play.opening, page.play.belongs)
    return page


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
def test_no_link_breaks_a_lesson(student, lesson):
    rng = random.Random(lesson)
    page = student(lesson)
    for place, moment in enumerate(page.moments):
        for scenario in foreign_scenarios(moment.start(), rng):
            knobs = {knob.name: rng.choice((-1e9, 1e9)) for knob in moment.knobs[:1]} | scenario.view.knobs
            link = write_link(scenario.looking(moment=place, knobs=knobs))
            if len(link) <= MOST_CHARACTERS:
                message = engine.message_or_opening(arrive_with(page, link).play)
                assert json.dumps(message, allow_nan=False)
                assert message["lesson"]["place"] == place or session.sentence()


def test_a_link_of_the_lab_or_of_another_lesson_opens_a_lesson_at_its_beginning(student):
    page = student("masks")
    for preset in preset_ids():
        arrive_with(page, write_link(load_preset(preset).looking(moment=1)))
        assert engine.message_or_opening(page.play)["lesson"]["place"] == 1


def test_a_link_brings_no_knobs_of_other_moments_and_no_locks(student):
    page = student("attention").at("sides")
    foreign = {f"knob{place}": 1 for place in range(11)}
    scenario = replace(page.here.scenario.looking(knobs={"stored": 1, **foreign}), locks=Locks(CONTROLS))
    arrive_with(page, write_link(scenario))
    assert page.here.scenario.view.knobs == {"stored": 1}
    assert page.here.scenario.locks == Locks()
    page.do("knob", "stored", 0)
    assert read_link(write_link(session.present())).view.knobs == {"stored": 0}


def test_undo_never_leads_into_another_moment(student, monkeypatch):
    page = student("projection")
    page.do("edit", "x", 0, 0, "5")
    first = session.st.session_state["link"]
    page.do("moment", 1)
    page.do("edit", "x", 0, 0, "7")
    session.write_address()
    session.st.query_params["s"] = first
    monkeypatch.setattr(session, "by_history", lambda: True)  # Back
    session.current("projection", page.play.opening, page.play.belongs)
    assert page.here.scenario.view.moment == 0
    page.do("undo")
    assert page.here.scenario.arrays["x"][0][0] == 5
    page.do("edit", "x", 0, 0, "6").do("undo")
    assert page.here.scenario.arrays["x"][0][0] == 5


def test_an_address_that_is_behind_does_not_undo_the_work(student):
    """After a restart a browser may ask for the page twice, the second time with what is done in between."""
    page = student("projection")
    before = session.st.session_state["link"]
    page.do("edit", "x", 0, 0, "5")
    session.write_address()
    session.st.query_params["s"] = before  # the browser has not read the new one yet
    session.current("projection", page.play.opening, page.play.belongs)
    assert page.here.scenario.arrays["x"][0][0] == 5
    session.write_address()
    assert read_link(session.st.query_params["s"]).arrays["x"][0][0] == 5


def test_an_arrival_that_is_broken_off_is_made_again(student, monkeypatch):
    """Streamlit may stop a run at any look at the session, and begin another at once."""
    page = student("projection").do("edit", "x", 0, 0, "5")
    link = write_link(page.here.scenario)
    session.st.session_state.clear()
    session.st.query_params["s"] = link
    keep = session.keep
    monkeypatch.setattr(session, "keep", broken_off)
    with pytest.raises(KeyboardInterrupt):
        session.current("projection", page.play.opening, page.play.belongs)
    monkeypatch.setattr(session, "keep", keep)
    session.current("projection", page.play.opening, page.play.belongs)
    assert page.here.scenario.arrays["x"][0][0] == 5


def broken_off(*_):
    raise KeyboardInterrupt


def test_the_next_lesson_is_found_as_it_was_left(student):
    page = student("projection")
    page.do("go", "next")
    assert session.leaving() == ("pages/02_attention.py", {})
    session.st.session_state["links"]["attention"] = "2left"
    page.do("go", "next")
    assert session.leaving() == ("pages/02_attention.py", {"s": "2left"})


def test_what_was_done_last_is_in_the_address_before_the_page_is_left(student, monkeypatch):
    page = student("projection")
    page.do("moment", 2).do("go", "home")
    left = []
    monkeypatch.setattr(
        frame.st, "switch_page", lambda *to, **query: left.append(session.st.query_params["s"])
    )
    frame.leave_if_asked()
    assert left == [session.st.session_state["link"]]
    assert read_link(left[0]).view.moment == 2
    session.st.query_params.clear()  # home has no link
    session.write_address()
    assert session.st.query_params == {}


def test_an_address_that_could_not_be_written_is_written_later(student):
    page = student("projection").do("moment", 1)

    class BrokenOff(dict):
        def __setitem__(self, name, value):
            raise KeyboardInterrupt

    whole, session.st.query_params = session.st.query_params, BrokenOff()
    with pytest.raises(KeyboardInterrupt):
        session.write_address()
    session.st.query_params = whole
    session.write_address()
    assert read_link(whole["s"]) == page.here.scenario


def test_progress_that_is_forgotten_stays_forgotten(student):
    page = student("projection")
    names = [moment.id for moment in page.moments]
    page.do("done_before", names)
    assert page.is_done
    session.forget_notes()
    assert not page.is_done
    assert page.panel["fresh"]


@pytest.mark.parametrize("lesson", LESSONS)
def test_an_answer_is_kept_only_as_long_as_it_can_be_typed(student, lesson):
    page = student(lesson)
    for place in range(len(page.moments)):
        page.do("moment", place)
        for given in ("1" * 61, "x" * 1_000_000, 3, ["1"], {"a": 1}):
            page.do("answer", given)
        assert "given" not in page.play.known()


class BrokenOffAt(dict):
    """A session in which another page is asked for at the n-th look."""

    left = 0

    def look(self):
        self.left -= 1
        if self.left == 0:
            raise RerunException(RerunData())

    def __getitem__(self, name):
        self.look()
        return super().__getitem__(name)

    def __setitem__(self, name, value):
        self.look()
        super().__setitem__(name, value)

    def get(self, name, default=None):
        self.look()
        return super().get(name, default)


def test_an_act_is_done_even_if_another_page_is_asked_for_in_the_middle(student):
    broken_off = 0
    for place in range(1, 40):
        page = student("projection")
        session.st.session_state = state = BrokenOffAt(session.st.session_state)
        state.left = place
        acts = [[1, "edit", "x", 0, 0, "5"], [2, "edit", "x", 0, 1, "6"]]
        try:
            session.to_the_end(lambda acts=acts, page=page: session.apply_acts(acts, page.play.acts()))
        except RerunException:
            broken_off += 1
        state.left = 0
        assert session.present().arrays["x"][0][:2] == [5, 6]
        assert read_link(session.st.session_state["link"]).arrays["x"][0][:2] == [5, 6]
        assert session.acknowledged() == 2
    assert broken_off > 10
