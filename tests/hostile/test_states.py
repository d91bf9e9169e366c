"""Changed requests: every part of a state, undo and redo; each is refused or drawn, and refused at little cost."""

from random import Random

import pytest

from benchmarks.mutations import MOST_MEGABYTES, MOST_SECONDS, try_some
from tests.hostile.mutate import honest_scenarios
from tests.hostile.states import honest_request, mutated_request
from tests.hostile.tried import DRAWN, NOT_DONE, REFUSED, answered, pages, sections, try_request
from ui.page.request import Request, read_request
from ui.scenario.link import LinkError, write_link
from ui.state.state import read_state

SEED = 2026


@pytest.mark.parametrize("group", range(3))
def test_a_changed_request_is_refused_or_drawn(group):
    met = dict.fromkeys((REFUSED, NOT_DONE, DRAWN), 0)
    for number in range(60):
        rng = Random(f"{SEED}.{group}.{number}")
        given = mutated_request(rng)
        for page in (pages()[0], rng.choice(pages())):
            try:
                met[try_request(given, page)] += 1
            except Exception as error:
                pytest.fail(f"request {number} of group {group} on {page.name}: {error!r}")
    assert min(met[REFUSED], met[DRAWN]) > 20


def test_every_part_of_a_state_is_there_to_begin_with():
    for number in range(100):
        given = honest_request(Random(number))
        try:
            state = read_state(read_request(given).state, pages()[0].read)
        except LinkError:
            continue  # of a changed link
        assert state.guesses.typed
        assert state.guesses.shown
        assert len(state.sections) == 2
        assert state.panel


def test_a_seed_gives_the_same_request_again():
    one, other = ([repr(mutated_request(Random(number))) for number in range(60)] for _ in range(2))
    assert one == other


def test_undo_to_what_is_not_of_this_section():
    other = write_link(honest_scenarios()[0])
    for page, place in sections():
        state = {"link": write_link(page.opening(place))}
        for acts in (["undo"], ["redo"]):
            answered(page, Request(1, state, [acts], [other], [other]))


def test_what_refusals_cost_is_measured():
    found = try_some(SEED, range(40))
    assert not found.raised
    assert set(found.seconds) == set(found.megabytes) == {"link", "file", "request"}
    assert all(weight <= MOST_MEGABYTES for weight, _ in found.megabytes.values())
    assert all(took <= 3 * MOST_SECONDS for took, _ in found.seconds.values())  # others run here too
