"""The foundation: a page is a function of what a browser sends. Same request, same answer; nothing breaks it."""

import json
import random
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.learner import Reader, newest
from tests.student import LESSONS, lesson_page
from ui.course.engine import experiments
from ui.message.types import sent
from ui.page.home import HOME
from ui.page.lab import LAB
from ui.page.request import Request, arrival, read_request
from ui.scenario.choices import FREE_MASKS, MASKS, SCALES
from ui.scenario.link import READABLE, read_link, write_link
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import HERE, PICTURES, Locks
from ui.scenario.shaping import resized
from ui.state import lab
from ui.state.state import SectionState, read_state, write_state
from ui.state.step import after_act, take_steps
from ui.words import Words

from .test_lab import HOSTILE
from .test_link import KEPT, hostile_json, mutated

SMALL = [preset for preset in preset_ids() if not load_preset(preset).is_large]
PAGES = {"lab": LAB, "home": HOME} | {name: lesson_page(name) for name in LESSONS}
OF_FILES = (
    "ui.words",
    "ui.scenario.presets",
    "ui.course.engine.syllabus",
)  # these do not change while we run


def caches():
    """Whatever of ours remembers results, by the module it is in."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("ui", "attention_core"):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    yield value.__module__, value


def forget(files=False):
    """As a server that was just started."""
    experiments.forget_all()
    for module, cache in caches():
        if files or module not in OF_FILES:
            cache.cache_clear()


def text(answer):
    """All that is sent, in its order."""
    return json.dumps(sent(answer.data()), allow_nan=False)


# A learner who does anything


TYPED = ["1", "-0.5", "2\t3\n4\t5", "1e9", "abc", "1/2", "", "0,25", "−∞", "1e300"]
CHOSEN = {
    "preset": SMALL,
    "n_heads": [1, 2, 4, 8],
    "mask": [*MASKS],
    "free_mask": [*FREE_MASKS],
    "scale": [*SCALES],
    "own_scale": [0.25, 0, -3, 1e9],
    "dropout": [0, 0.5, 0.9, 1],
    "decimals": [0, 2, 6],
    "left": [0, 2],
    "right": [0, 1],
}


class Anyone:
    """Draws acts: mostly such as a browser would send for what it shows, now and then nonsense."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.links = [""]  # seen so far: Back leads there

    def act(self, me):
        self.links = [*self.links[-20:], me.link]
        kind = self.rng.choice([*sorted(me.page.handlers), "undo", "redo", "edit", "edit"])
        if self.rng.random() < 0.1:
            return [kind, *(self.rng.choice(HOSTILE) for _ in range(self.rng.randrange(5)))]
        draw = getattr(self, kind, None)
        return [kind, *(draw(me) if draw else [])]

    def cell(self, me):
        matrices = me.message["new_outline"]["matrices"]
        if not matrices or self.rng.random() < 0.2:
            return []
        place = self.rng.randrange(len(matrices))
        values = me.message["values"][place]
        row = self.rng.randrange(len(values))
        return [matrices[place]["key"], row, self.rng.randrange(len(values[row]))]

    lens = reveal = cell

    def open(self, me):
        name = self.rng.choice([step.name for step in me.trace.steps])
        return [name, [self.rng.randrange(size) for size in me.trace[name].shape]]

    def edit(self, me):
        return [*self.cell(me), self.rng.choice(TYPED)]

    guess = enlarge = edit

    def rename(self, me):
        key, row, _ = self.cell(me) or ["x", 0, 0]
        return [key, self.rng.choice(["token", "feature", "query"]), row, self.rng.choice(["sky", "n" * 30])]

    def choose(self, me):
        choice = self.rng.choice([*CHOSEN])
        return [choice, self.rng.choice(CHOSEN[choice])]

    def fill(self, me):
        return [
            self.rng.choice(["x", "w_q", "w_v", "scores"]),
            self.rng.choice(["zeros", "integers"]),
            self.rng.randrange(9999),
        ]

    def sentence(self, me):
        return [" ".join(self.rng.choices(["the", "cat", "<b>", "ă", "n" * 30], k=self.rng.randrange(18)))]

    def panel(self, me):
        return [self.rng.choice([*lab.PANELS])]

    def step(self, me):
        stages = me.message["new_outline"].get("stages") or [{"id": "scores"}]
        return [self.rng.choice(stages)["id"]]

    def head(self, me):
        return [self.rng.randrange(9)]

    batch = focus = head

    def picture(self, me):
        return [self.rng.choice(["", *PICTURES, "nothing"])]

    def all_heads(self, me):
        return [self.rng.random() < 0.5]

    def predict(self, me):
        return [self.rng.random() < 0.8]

    def language(self, me):
        return [self.rng.choice(["en", "vi", "ko", "zh", "xx"])]

    def follow(self, me):
        return [self.rng.choice(self.links)]

    def go(self, me):
        return [
            self.rng.choice(["home", "lab", "confusion", "masks", "nowhere"]),
            self.rng.choice(self.links),
        ]

    # In a lesson

    def section(self, me):
        return [self.rng.randrange(len(me.page.sections) + 1)]

    def answer(self, me):
        ask = me.page.section(me.state).ask
        options = getattr(ask, "options", ()) or ("1", "0.5", "4x2", "a", "987654")
        return [self.rng.choice([*options])]

    def knob(self, me):
        knobs = me.page.section(me.state).knobs
        if not knobs:
            return ["none", 1]
        knob = self.rng.choice(knobs)
        stops = knob.values or range(int(knob.least), int(len(knob.options) or knob.most) + 1)
        return [knob.name, self.rng.choice(stops[:20])]


def test_every_kind_of_act_is_drawn():
    drawn = {name for name in vars(Anyone) if not name.startswith("_")}
    without_details = {"keep", "forget", "swap", "start", "restart", "reset", "show", "more", "stop"}
    for page in PAGES.values():
        assert set(page.handlers) <= drawn | without_details


# The same request gives the same answer


class OneByOne:
    """Acts that are asked for one at a time, without drawing; state and history travel as JSON in between."""

    def __init__(self, me):
        self.page, self.state = me.page, me.answer.state
        self.undo, self.redo = [*me.undo], [*me.redo]
        self.trail = []

    def do(self, act):
        kind = act[0]
        asked = {"id": 1, "state": self.state, "acts": [act], "outline": ""}
        asked |= {name: newest(getattr(self, name), int(kind == name)) for name in ("undo", "redo")}
        request = read_request(json.loads(json.dumps(asked)))
        state, refused = self.page.state_of(request)
        assert refused is None
        outcome = take_steps(self.page, state, request.acts, request.undo, request.redo)
        for after, meaning in outcome.trail:
            after_act(meaning, self.state["link"], {"undo": self.undo, "redo": self.redo})
            self.trail.append((after, meaning))
        self.state = write_state(outcome.state)


def check(me, acts):
    """Does acts in one request: the same again, on another server, and one by one."""
    request, singly = me.request(acts), OneByOne(me)
    me.do_all(*acts)
    assert me.answer.faults == ()
    assert text(me.page.respond(request, me.language)) == text(me.answer)
    forget()
    assert text(me.page.respond(request, me.language)) == text(me.answer)
    for act in acts:
        singly.do(act)
    assert singly.state == me.answer.state
    assert singly.trail == me.answer.trail
    assert (singly.undo, singly.redo) == (me.undo, me.redo)
    check_state(me)


def check_state(me):
    """The state is read as it was written, and drawing leaves it and says the same each time."""
    written = json.loads(json.dumps(me.answer.state, allow_nan=False))
    assert write_state(read_state(written, me.page.read)) == written == me.answer.state
    settled, refused = me.page.state_of(Request(state=written))
    assert (write_state(settled), refused) == (written, None)
    assert with_sections_begun(settled) == with_sections_begun(me.state)
    before, words = repr(me.state), Words(me.language)
    one, other = (json.dumps(sent(me.page.content(me.state, words))) for _ in range(2))
    assert one == other
    assert repr(me.state) == before


def with_sections_begun(state):
    """A section in which nothing was done need not be in a state."""
    begun = {name: known for name, known in state.sections.items() if known != SectionState()}
    return replace(state, sections=begun)


@pytest.mark.parametrize("name", PAGES)
def test_a_walk_of_300_acts_is_the_same_again_elsewhere_and_one_by_one(name):
    anyone, me = Anyone(f"walk {name}"), Reader(PAGES[name])
    n_acts = 0
    while n_acts < 300:
        acts = [anyone.act(me) for _ in range(anyone.rng.choice((1, 8, 14)))]
        check(me, acts)
        n_acts += len(acts)


@pytest.mark.parametrize("preset", [preset for preset in preset_ids() if load_preset(preset).is_large])
def test_a_walk_over_a_large_example(preset):
    anyone, me = Anyone(f"large {preset}"), Reader(LAB, write_link(load_preset(preset)))
    for kinds in (["cell", "open", "lens"], ["step", "head", "batch", "all_heads", "predict", "guess"]):
        check(me, [[kind, *getattr(anyone, kind)(me)] for kind in kinds])


def test_a_server_that_has_read_no_file_yet_gives_the_same():
    for page in (HOME, LAB, PAGES["cost"]):
        before = text(page.respond(arrival(""), "vi"))
        forget(files=True)
        assert text(page.respond(arrival(""), "vi")) == before


def test_an_experiment_too_long_to_be_made_up_for_at_once_is_taken_up_and_ends_the_same():
    """What a request may cost is bounded, so a server that has not seen the pieces shows fewer of them first."""

    def ended(me, restart_after=None):
        for number in range(60):
            if not me.message["lesson"]["working"]:
                return me.message
            if number == restart_after:
                forget()
            me.do("more")
            assert me.answer.faults == ()
        raise AssertionError("it does not end")

    pages = []
    for _ in range(2):
        me = Reader(PAGES["scaling"]).do("section", 1)
        pages.append(me.do("knob", "run", 1).do("knob", "pairs", 10_000))
    pieces = ended(pages[0]), pages[0].page.known(pages[0].state).pieces
    assert pieces[1] > experiments.MOST_AT_ONCE
    assert ended(pages[1], restart_after=pieces[1] - 2) == pieces[0]


# Undo and redo


def computation(link):
    return read_link(link) if link else LAB.opening()


@pytest.mark.parametrize("seed", range(6))
def test_any_walk_undone_gives_the_first_numbers_and_redone_the_last(seed):
    anyone, me = Anyone(f"undo {seed}"), Reader(LAB)
    for _ in range(80):
        kind = anyone.rng.choice(
            ["edit", "edit", "choose", "rename", "swap", "keep", "step", "cell", "reset"]
        )
        me.do(kind, *(getattr(anyone, kind)(me) if hasattr(anyone, kind) else []))
    last, before, steps = me.scenario, [*me.undo], len(me.undo)
    assert steps > 3
    me.do_all(*[["undo"]] * steps)
    for link, (after, meaning) in zip(reversed(before), me.answer.trail, strict=True):
        assert meaning == "undo"
        assert computation(after).computes_as(computation(link))
    assert (len(me.undo), len(me.redo)) == (0, steps)
    opening = LAB.opening()
    assert me.scenario.computes_as(opening)
    assert me.scenario.names == opening.names
    for _ in range(steps):
        me.do("redo")
    assert (len(me.undo), len(me.redo)) == (steps, 0)
    assert me.scenario.computes_as(last)
    assert me.scenario.names == last.names


def test_undo_of_more_tokens_while_a_cell_of_the_last_is_open():
    """More → 6 tokens → press the last row of weights → Undo."""
    me = Reader(LAB, write_link(load_preset("pixels_2x2")))
    me.do("follow", write_link(resized(me.scenario, n_tokens=6)))
    me.do("cell", "weights", 5, 5)
    assert me.scenario.view.cell == ("weights", 5, 5)
    me.do("undo")
    assert me.sentence == ""
    assert me.answer.faults == ()
    assert me.trace["x"].shape == (4, 4)
    assert me.scenario.view.cell == ()
    assert (me.undo, len(me.redo)) == ([], 1)
    assert me.do("redo").trace["x"].shape == (6, 4)


# Whatever a browser sends


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**400), 10**400),
    st.floats(),
    st.text(max_size=30),
    st.sampled_from(["x" * 100_000, "weights", "2", HERE, write_link(load_preset("causal"))]),
)
ANYTHING = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
CELLS = st.tuples(
    st.sampled_from(["weights", "x", "scale", "nothing"]), st.lists(st.integers(0, 9), max_size=4)
)
TYPED_CELLS = st.tuples(st.sampled_from(["weights", "q"]), st.lists(st.integers(0, 3), max_size=3), VALUES)
GUESSES = st.fixed_dictionaries(
    {
        "typed": st.lists(TYPED_CELLS.map(list) | ANYTHING, max_size=3),
        "shown": st.lists(CELLS.map(list) | ANYTHING, max_size=3),
        "right": st.integers(0, 5) | VALUES,
        "tried": st.integers(0, 5) | VALUES,
    }
)
FACTS = ("given", "right", "answer", "answered", "why", "tried", "done", "about", "experiment")
SECTION = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(FACTS, VALUES | ANYTHING)
    | {
        "pieces": st.sampled_from([0, 3, -1, 10_000, 10**400, True, "3"]),
        "stopped": ANYTHING,
        "firsts": st.dictionaries(st.text(max_size=8), st.booleans() | VALUES, max_size=3) | ANYTHING,
        "other": ANYTHING,
    },
)
STATES = st.fixed_dictionaries(
    {},
    optional={
        "link": st.sampled_from([write_link(load_preset(name)) for name in SMALL]) | VALUES | ANYTHING,
        "language": st.sampled_from(["vi", "xx"]) | ANYTHING,
        "panel": st.sampled_from(lab.PANELS) | ANYTHING,
        "kept": st.sampled_from([write_link(load_preset("causal")), "2broken"]) | VALUES,
        "start": st.sampled_from([write_link(load_preset("causal")), "2broken"]) | VALUES,
        "guesses": GUESSES | ANYTHING,
        "sections": st.dictionaries(st.sampled_from(["train", "cell", "miss", "x"]), SECTION) | ANYTHING,
    },
)
ACTS = st.lists(
    st.tuples(
        st.sampled_from(sorted({*LAB.handlers, *PAGES["learning"].handlers, "undo", "redo", "?"})), ANYTHING
    )
    .map(list)
    .filter(lambda act: act[0] != "more"),
    max_size=4,
)


@settings(max_examples=150)
@given(STATES | ANYTHING, ACTS, st.sampled_from(["lab", "home", "learning", "practice"]))
def test_no_state_and_no_act_breaks_a_page(state, acts, name):
    page = PAGES[name]
    answer = page.respond(Request(1, state, acts, ["2broken"], [write_link(load_preset("causal"))]), "en")
    assert answer.faults == ()
    json.dumps(sent(answer.data()), allow_nan=False)
    again = page.respond(Request(2, json.loads(json.dumps(answer.state)), []), "en")
    assert again.state == answer.state
    assert again.faults == ()


@settings(max_examples=60)
@given(ANYTHING)
def test_whatever_is_no_request_is_none(given):
    request = read_request(given)
    assert request is None or request.id > 0


WHOLE = {
    "link": write_link(load_preset("pixels_2x2").looking(predict=True, step="scores")),
    "panel": "more",
    "kept": write_link(load_preset("causal")),
    "start": write_link(load_preset("causal")),
    "guesses": {
        "typed": [["scores", [0, 0, 0], 1.5], ["scores", [0, 0, 1], None]],
        "shown": [["scores", []], ["scores", [0, 1, 1]]],
        "right": 1,
        "tried": 2,
    },
    "sections": {
        "miss": {
            **{"given": "a", "right": True, "answer": "a", "answered": True, "why": True, "tried": True},
            **{"done": True, "about": "x", "experiment": "run", "pieces": 3, "stopped": True},
            "firsts": {"one": True},
        }
    },
}


def places_in(value):
    """The way to every part of a state, parts of parts too."""
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, part in entries:
        yield (key,)
        yield from ((key, *more) for more in places_in(part))


def with_part(value, way, part):
    key, *more = way
    found = value.copy()
    found[key] = with_part(value[key], more, part) if more else part
    return found


def test_any_part_of_a_state_may_be_anything():
    ways = list(places_in(WHOLE))
    assert len(ways) > 40
    anything = [
        *HOSTILE,
        10**400,
        -(10**400),
        False,
        1.5,
        ["scores", [0, 0, 0], 1],
        [10**400],
        {"a": 10**400},
    ]
    for number, way in enumerate(ways):
        for place, part in enumerate(anything):
            page = (LAB, PAGES["learning"])[way[0] == "sections"]
            state, refused = page.state_of(Request(state=with_part(WHOLE, way, part)))
            assert refused is None or way == ("link",)
            json.dumps(write_state(state), allow_nan=False)
            if (number + place) % 10 == 0:
                json.dumps(sent(page.content(state, Words())), allow_nan=False)


def test_what_is_whole_is_kept():
    for page in (LAB, PAGES["learning"]):
        assert page.respond(Request(1, WHOLE), "en").faults == ()
        assert write_state(read_state(WHOLE, page.read)) == WHOLE


DEEP = json.loads("[" * 900 + "]" * 900)


@pytest.mark.parametrize("name", ["lab", "home", "learning"])
@pytest.mark.parametrize(
    "hostile", [DEEP, 10**400, "x" * 10**6, [0] * 10**5, {str(n): n for n in range(10**5)}]
)
def test_a_huge_or_nested_part_of_a_state_is_left_out(name, hostile):
    fields = ("panel", "kept", "start", "guesses", "sections", "language", "other")
    page = PAGES[name]
    answer = page.respond(
        Request(1, dict.fromkeys(fields, hostile), [["cell", hostile], [name, hostile]]), "en"
    )
    assert answer.faults == ()
    assert answer.state == {"link": ""}


@pytest.mark.parametrize("name", PAGES)
def test_hostile_links_in_a_state_leave_a_whole_page(name):
    rng = random.Random(f"links {name}")
    page = PAGES[name]
    for _ in range(12):
        for link in (hostile_json(rng), mutated(KEPT["2"][0], rng)):
            answer = page.respond(Request(1, {"link": link}, [["undo"]], [link]), "en")
            json.dumps(sent(answer.data()), allow_nan=False)
            assert (
                answer.state["link"] != link
                or answer.now.scenario == page.settled(read_state({"link": link}, page.read)).scenario
            )


# Old links


@pytest.mark.parametrize("version", KEPT)
@pytest.mark.parametrize("name", PAGES)
def test_a_link_of_every_version_opens_on_every_page(name, version):
    link, preset = KEPT[version]
    answer = PAGES[name].respond(arrival(link), "en")
    assert answer.faults == ()
    assert answer.message.sentence is None
    if name == "lab":
        assert answer.now.scenario.preset == preset
        assert answer.now.scenario.computes_as(read_link(link))
        assert answer.state["link"][:1] in READABLE


def test_a_teachers_link_is_locked_and_finds_its_start_after_every_act():
    shared = replace(load_preset("pixels_2x2"), start=HERE, locks=Locks(locked=("mask",)))
    anyone, me = Anyone("teacher"), Reader(LAB, write_link(shared))
    for _ in range(60):
        act = anyone.act(me)
        if act[0] not in ("follow", "start"):  # elsewhere, and another start
            me.do(*act)
        assert me.scenario.locks == shared.locks
        assert me.message["may"]["restart"]
    assert me.do("restart").scenario.computes_as(shared)
