"""Requests that no browser of ours sends: each part of the state, undo and redo, the acts and the rest changed."""

from random import Random

from tests.hostile.acts import mutated_acts
from tests.hostile.mutate import honest_scenario, mutated_link
from tests.hostile.trees import changed, valued
from tests.hostile.tried import sections
from ui.page.request import is_act
from ui.scenario.link import write_link


def some_link(rng: Random) -> str:
    share = rng.random()
    return mutated_link(rng) if share < 0.15 else "" if share < 0.3 else write_link(honest_scenario(rng))


def honest_request(rng: Random) -> dict:
    """What a browser may send that has everything a state can have."""
    page, place = rng.choice(sections())
    done = {"given": "3", "right": True, "answer": "3", "answered": True, "why": True, "tried": True}
    done |= {"done": True, "about": "a", "firsts": {"shape:1": True, "shape:2": False}}
    running = {"experiment": "a", "pieces": 3, "stopped": True}
    guesses = {"typed": [["scores", [0, 0, 1], 1.5], ["weights", [0, 0, 0], None]], "right": 1, "tried": 2}
    state = {
        "link": some_link(rng),
        "language": rng.choice(["en", "vi", "ko", "zh"]),
        "panel": rng.choice(["more", "upload", "download", "share"]),
        "kept": some_link(rng),
        "start": some_link(rng),
        "guesses": {**guesses, "shown": [["scores", [0, 1, 1]]]},
        "sections": {page.sections[place].id: done, "training": running},
    }
    undo, redo = ([some_link(rng) for _ in range(rng.randrange(3))] for _ in range(2))
    return {"id": 1, "state": state, "acts": [], "undo": undo, "redo": redo, "outline": "a"}


def mutated_request(rng: Random) -> dict:
    """One with a few nodes changed, in its state more often than around it, and changed acts."""
    given = honest_request(rng)
    if rng.random() < 0.1:
        given = valued(changed(rng, given))
    else:
        part = rng.choice(["guesses", "sections", "undo", "redo", "state"])
        inside = given if part in given else given["state"]
        inside[part] = valued(changed(rng, {part: inside[part]}).get(part))
    if rng.random() < 0.9:
        acts = mutated_acts(rng, [["undo"], ["redo"]] if rng.random() < 0.1 else None)
        given["acts"] = acts if rng.random() < 0.1 else list(filter(is_act, acts))
    return given
