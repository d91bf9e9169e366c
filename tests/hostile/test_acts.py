"""Changed acts: every kind has an honest example, and a seed gives the same run again."""

import copy
import random

import pytest

from tests.hostile.acts import EXAMPLES, mutated_acts
from tests.hostile.mutate import mutated_link
from tests.hostile.tried import DRAWN, pages, try_acts, try_link

SEED = 2026


def test_every_kind_of_act_has_an_example():
    known = {kind for page in pages() for kind in page.handlers}
    assert {kind for kind, *_ in EXAMPLES} == known | {"undo", "redo"}


@pytest.mark.parametrize("group", range(6))
def test_changed_acts_change_a_state_or_are_refused(group):
    """Each on a page of its own, begun as it opens or with a changed link; the state goes on from act to act."""
    for number in range(60):
        rng = random.Random(f"{SEED}.{group}.{number}")
        page, state = rng.choice(pages()), {"link": ""}
        link = mutated_link(rng)
        if number % 3 == 0 and try_link(link, page) == DRAWN:
            state = {"link": link}
        try:
            for _ in range(3):
                state = try_acts(page, state, mutated_acts(rng))
        except Exception as error:
            pytest.fail(f"run {number} of group {group} on {page.name}: {error!r}")


def test_a_seed_gives_the_same_acts_and_changes_no_example():
    before = copy.deepcopy(EXAMPLES)
    runs = [mutated_acts(random.Random(seed)) for seed in range(300)]
    assert repr(runs) == repr([mutated_acts(random.Random(seed)) for seed in range(300)])
    assert before == EXAMPLES
    assert all(0 < len(run) <= 15 for run in runs)


def test_most_acts_are_changed_and_some_are_not():
    acts = [act for seed in range(300) for act in mutated_acts(random.Random(seed))]
    honest = sum(act in EXAMPLES for act in acts)
    assert 0.3 < honest / len(acts) < 0.7
    assert {kind for kind, *_ in EXAMPLES} <= {act[0] for act in acts if act in EXAMPLES}


def test_acts_of_ones_own_are_changed():
    own = [["edit", "x", 0, 0, "1"]] * 50
    changed = mutated_acts(random.Random(0), own)
    assert len(changed) >= len(own)
    assert changed != own
