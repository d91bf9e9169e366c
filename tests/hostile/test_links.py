"""Thousands of links that were changed on purpose: each is refused, or read, computed and drawn."""

import random
from dataclasses import replace

import pytest

from tests.hostile.mutate import honest_scenarios, mutated_link, renumbered
from tests.hostile.tried import DRAWN, NOT_COMPUTED, REFUSED, answered, is_stable, pages, sections, try_link
from tests.student import lesson_page
from ui.page.request import Request, arrival
from ui.scenario.link import write_link
from ui.scenario.scenario import Locks

SEED = 2026
GROUPS, EACH = 4, 300  # links; a group tells how far one got


@pytest.mark.parametrize("group", range(GROUPS))
def test_a_changed_link_is_refused_or_drawn(group):
    met = dict.fromkeys((REFUSED, NOT_COMPUTED, DRAWN), 0)
    for number in range(EACH):
        rng = random.Random(f"{SEED}.{group}.{number}")
        link = mutated_link(rng)
        try:
            met[try_link(link)] += 1
            try_link(link, rng.choice(pages()))
        except Exception as error:
            pytest.fail(f"link {number} of group {group}: {error!r}\n{link}")
        assert is_stable(link)
    assert min(met.values()) > EACH / 50  # or the changes are too wild, or too tame, to find anything


def test_a_seed_gives_the_same_link_again():
    links = [mutated_link(random.Random(number)) for number in range(200)]
    assert links == [mutated_link(random.Random(number)) for number in range(200)]


def test_what_is_changed_is_honest_to_begin_with():
    for scenario in honest_scenarios():
        assert try_link(write_link(scenario)) == DRAWN


@pytest.mark.parametrize("group", range(4))
def test_every_section_can_be_told_with_whatever_it_takes(group):
    told = 0
    for number in range(20):
        rng = random.Random(f"{SEED}.{group}.{number}")
        scenario = renumbered(rng, rng.choice([one for one in honest_scenarios() if not one.is_large]))
        for page, place in sections():
            if page.sections[place].takes(scenario):
                link = write_link(replace(scenario.looking(section=place), locks=Locks()))
                for acts in ([], [["show"]]):
                    told += not answered(page, Request(1, {"link": link}, acts)).refused
    assert told > 200


@pytest.mark.parametrize("place", range(len(sections())))
def test_a_section_takes_what_it_begins_with_and_no_other_sizes(place):
    page, number = sections()[place]
    section = page.sections[number]
    start = section.start()
    assert section.takes(start)
    assert section.takes(replace(start, locks=Locks(("edit",), ())).looking(decimals=4))
    for name in start.arrays:
        assert not section.takes(replace(start, arrays={**start.arrays, name: [[[1.0]]]}))
    assert not section.takes(start.with_options(n_heads=7)) or "heads" in section.controls
    assert not answered(page, arrival(write_link(start.looking(section=number)))).refused


# Numbers, typed or in a link, with which a section could once not be told.
ROWS = {
    "x": [[0, 0, 1e4], [1e4, -1, 1e4], [0, 0, -1], [0, -1, -1]],
    "w_q": [[0, 1e4, 0], [0, 0, 1e4], [0, -1, 1e4]],
}
ROWS |= {
    "w_k": [[0, -1, 1e4], [-1, -1, 0], [1e4, 0, 1e4]],
    "w_v": [[-1, 0, 1e4], [1e4, -1, -1], [1e4, -1, 1e4]],
}
LOUD = {"x": [[1e9, 1, 1e9, 1]] * 4}


@pytest.mark.parametrize(
    ("lesson_id", "section", "arrays", "knobs"),
    [
        ("reshape", "view", {"w_k": [[2] * 4] * 4}, {"how": 2}),
        ("reshape", "view", {"x": [[1] * 4] * 3, "w_q": [[1] * 4] * 4}, {"how": 2}),
        ("implementations", "same", ROWS, {"which": 1}),
        ("attention", "softmax", LOUD, {}),
        ("attention", "sides", LOUD, {}),
    ],
)
def test_numbers_that_broke_a_section(lesson_id, section, arrays, knobs):
    page = lesson_page(lesson_id)
    [place] = [place for place, one in enumerate(page.sections) if one.id == section]
    start = page.sections[place].start()
    scenario = replace(start, arrays={**start.arrays, **arrays}).looking(knobs=knobs, section=place)
    assert page.sections[place].takes(scenario)
    for acts in ([], [["show"]]):
        assert not answered(page, Request(1, {"link": write_link(scenario)}, acts)).refused
