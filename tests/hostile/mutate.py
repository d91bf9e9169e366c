"""Links that were changed on purpose: inside, where the packing stays valid, and outside."""

import base64
import json
import zlib
from dataclasses import replace
from functools import cache
from random import Random

from tests.hostile.trees import changed, written
from tests.student import LESSONS, sections_of_page
from ui.board.comparing import with_beside
from ui.board.stages import STAGES
from ui.scenario.layouts import laid_out, possible_layouts
from ui.scenario.link import CONTROLS, LOCKED, MOST_BYTES, OPTIONS, READABLE, SORTS, write_link
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import ELSEWHERE, HERE, PICTURES, Locks, Scenario, array_shape, build_array
from ui.scenario.structure import ARRAYS, TAKEN
from ui.words import languages

SIZES = (0, 1, -1, 0.5, -1.25, 3, 1e9, -1e9, 1e-300)
LARGE_SHARE = 0.02  # of the links: those of real size take long to compute


def pack(text: str | bytes, version: str = "2") -> str:
    """A link that holds this text."""
    plain = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    packer = zlib.compressobj(9, wbits=-15)
    return version + base64.urlsafe_b64encode(packer.compress(plain) + packer.flush()).decode().rstrip("=")


def unpack(link: str) -> dict:
    """What an honest link holds."""
    packed = base64.urlsafe_b64decode(link[1:] + "=" * (-len(link[1:]) % 4))
    return json.loads(zlib.decompress(packed, wbits=-15))


@cache
def honest_scenarios() -> tuple[Scenario, ...]:
    """Examples, their other readings and layouts, and how every section of the course begins."""
    examples = [with_beside(load_preset(preset_id)) for preset_id in preset_ids()]
    layouts = [laid_out(one, layout) for one in examples for layout in possible_layouts(one)]
    sections = [
        section.start().looking(section=place, knobs={knob.name: knob.start for knob in section.knobs})
        for lesson in LESSONS
        for place, section in enumerate(sections_of_page(lesson))
    ]
    return (*examples, *layouts, *sections)


def honest_scenario(rng: Random) -> Scenario:
    """One of them, sometimes with all its numbers written out, a teacher's start, locks or a kept result."""
    large = rng.random() < LARGE_SHARE
    scenario = rng.choice([one for one in honest_scenarios() if one.is_large == large])
    if not large and rng.random() < 0.5:
        scenario = written_out(scenario)
    share = rng.random()
    if share < 0.3:
        scenario = resized_at_random(rng, scenario)
    elif share < 0.6:
        scenario = renumbered(rng, scenario)
    if rng.random() < 0.2:
        locked = tuple(rng.sample(LOCKED, rng.randint(0, 3)))
        scenario = replace(scenario, locks=Locks(locked, tuple(one for one in locked[:1] if one in CONTROLS)))
    if rng.random() < 0.2:
        inner = write_link(rng.choice(honest_scenarios()).looking(kept=""))
        scenario = replace(scenario, start=rng.choice([HERE, ELSEWHERE, inner]))
    if rng.random() < 0.2:
        scenario = scenario.looking(kept=write_link(rng.choice(honest_scenarios()).looking(kept="")))
    return scenario


def written_out(scenario: Scenario) -> Scenario:
    """Every number in the link: one that is a little other than the preset's."""
    arrays = {name: build_array(recipe) + 0.25 for name, recipe in scenario.arrays.items()}
    return replace(scenario, arrays={name: array.tolist() for name, array in arrays.items()})


def renumbered(rng: Random, scenario: Scenario) -> Scenario:
    """Other numbers, of one size or of every size, in arrays and knobs that stay as they were otherwise."""
    sizes = rng.choice([(0, 1, -1, 0.5), (1e9, -1e9), (1e-300, 0), (1e5, -1e5, 0), SIZES])
    small = {name: array_shape(one) for name, one in scenario.arrays.items() if max(array_shape(one)) <= 48}
    arrays = {name: filled(rng, shape, sizes) for name, shape in small.items() if rng.random() < 0.7}
    knobs = {name: rng.choice([-1e9, 1e9, 0, 0.5, 3, value]) for name, value in scenario.view.knobs.items()}
    return replace(scenario, arrays={**scenario.arrays, **arrays}).looking(knobs=knobs)


def resized_at_random(rng: Random, scenario: Scenario) -> Scenario:
    """Other lengths along the axes of arrays: where two had one length, both have the new one."""
    new = {}
    arrays = {}
    for name, recipe in scenario.arrays.items():
        if max(array_shape(recipe)) > 48:
            return scenario
        shape = [
            new.setdefault(size, rng.choice([1, 2, 3, 4, 6, 8, 12, 16, size])) for size in array_shape(recipe)
        ]
        arrays[name] = filled(rng, shape)
    return replace(scenario, arrays=arrays)


def filled(rng: Random, shape, sizes=SIZES):
    if not shape:
        return rng.choice(sizes)
    return [filled(rng, shape[1:], sizes) for _ in range(shape[0])]


def odd_setting(rng: Random, parts: dict) -> None:
    """Puts one setting that is allowed by itself, whatever it does to the others."""
    function = parts.get("f") or load_preset(parts["p"]).function
    match rng.randrange(6):
        case 0 | 1:
            name = rng.choice(sorted(TAKEN[function] if rng.random() < 0.9 else OPTIONS))
            parts.setdefault("o", {})[name] = allowed_option(rng, name)
        case 2:
            name = rng.choice(sorted(ARRAYS[function]))
            n_axes = rng.choice(ARRAYS[function][name])
            rows = filled(rng, [rng.choice([1, 2, 3, 4, 8, 16]) for _ in range(n_axes)])
            parts.setdefault("a", {})[name] = rng.choice([None, rows])
        case 3:
            name, value = rng.choice([*allowed_views(rng).items()])
            parts.setdefault("v", {})[name] = value
        case 4:
            names = [
                rng.choice(["", "a", "Ω" * 24, "$x$", "**b**", "0"]) for _ in range(rng.choice([1, 4, 48]))
            ]
            parts.setdefault("n", {})[rng.choice(["token", "source", "feature", "query", "head"])] = names
        case 5:
            places = rng.choice([[], [0, 1], [1, 2], [30, 31]])
            parts["m"] = [
                "tiny",
                rng.choice(["0" * 16, "53aa51172d142c89"]),
                "the cat",
                0,
                places[:1],
                [],
                places,
            ]


def allowed_option(rng: Random, name: str):
    """A value that the rule of an option takes, at its bounds too."""
    mask = [rng.randint(1, 5), rng.randint(1, 5)]
    values = {
        "n_heads": [1, 2, 3, 4, 16],
        "n_kv_heads": [1, 2, 4, 16],
        "attn_ratio": [0.01, 0.5, 1, 4],
        "is_causal": [True, False],
        "per_head": [True, False],
        "split": ["view"],
        "window": [[0, 0], [None, None], [None, 0], [16, 16], [0, None]],
        "scale": [0, 1, -1e6, 1e6, 1e-300],
        "softcap": [0, 1e-300, 1e6, 3],
        "dropout_p": [0, 0.5, 0.99, 1e-300],
        "rng": [0, 10**9],
        "masked_fill": [-1e9],
        "attn_mask": [
            [[rng.random() < 0.5 for _ in range(mask[1])] for _ in range(mask[0])],
            [[rng.choice([None, 0, 1e9, -1e9]) for _ in range(mask[1])] for _ in range(mask[0])],
            [[None] * 4] * 4,
            [[False] * 4] * 4,
        ],
    }
    return rng.choice([None, *values[name]])


def allowed_views(rng: Random) -> dict:
    """A value for every field of the view that its rule takes."""
    steps = [step for steps in STAGES.values() for step in steps] + ["w_q", "visible", "attn_mask", "nothing"]
    place = rng.choice([0, 1, 3, 15, 16, 100_000])
    return {
        "step": rng.choice([*STAGES, "nothing", "x"]),
        "cell": [rng.choice(steps), place, rng.choice([0, 1, 2, 5, 99_999])] + [place] * rng.randrange(2),
        "focus": rng.choice([0, 3, 100_000]),
        "picture": rng.choice(PICTURES),
        "head": rng.choice([0, 1, 1000]),
        "batch": rng.choice([0, 1, 1000]),
        "decimals": rng.randint(0, 6),
        "all_heads": True,
        "predict": True,
        "lens": {rng.choice(["token", "query", "key", "feature", "nothing"]): place},
        "moment": rng.randint(0, 20),
        "knobs": {rng.choice(["a", "b", "temperature", "epoch", "seed"]): rng.choice([-1e9, 1e9, 0.5])},
        "language": rng.choice(languages()),
        "sort": rng.choice(SORTS),
    }


def mutated_parts(rng: Random) -> str:
    """The text inside a link, with settings put in, nodes changed, or a changed link within it."""
    parts = unpack(write_link(honest_scenario(rng)))
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        odd_setting(rng, parts)
    if rng.random() < 0.15:
        inner = mutated_link(rng)
        if rng.random() < 0.5:
            parts["b"] = inner
        else:
            parts.setdefault("v", {})["kept"] = inner
    return written(changed(rng, parts) if rng.random() < 0.6 else parts)


def mutated_outside(rng: Random, link: str) -> str:
    """A link whose characters, packed bytes or unpacked bytes were changed, cut or doubled."""
    match rng.randrange(4):
        case 0:
            return scrambled(rng, link, "ABCxyz019-_=%/+ <>\u00e9\x00")
        case 1:
            packed = base64.urlsafe_b64decode(link[1:] + "=" * (-len(link[1:]) % 4))
            torn = bytes(scrambled(rng, list(packed), range(256)))
            return link[0] + base64.urlsafe_b64encode(torn).decode().rstrip("=")
        case 2:
            plain = list(json.dumps(unpack(link)).encode())
            return pack(bytes(scrambled(rng, plain, range(256))))
    return rng.choice([link[: rng.randrange(len(link) + 1)], rng.choice("019a\u00e9") + link[1:], link * 2])


def scrambled(rng: Random, items, alphabet):
    """Letters or bytes with a few replaced, cut off or repeated."""
    items, text = list(items), isinstance(items, str)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(items) + 1)
        match rng.randrange(3):
            case 0:
                items[place : place + 1] = [rng.choice(alphabet)]
            case 1:
                del items[place : place + rng.choice([1, 3, 10_000])]
            case 2:
                items[place:place] = items[:place][-20:]
    return "".join(items) if text else items


def bomb(rng: Random) -> str:
    """Much that was packed into little."""
    size = rng.choice([MOST_BYTES - 30, MOST_BYTES, MOST_BYTES + 1, 10 * MOST_BYTES, 5_000_000])
    inside = rng.choice(['{"p":"pixels_2x2"', '{"p":"pixels_2x2","a":{"x":[[', '{"p":"', "[["])
    filling = rng.choice([" ", "0", "[", "1,", "[1],", '{"a":', '"\\u0000"'])
    return pack(inside + filling * (size // len(filling)))


def mutated_link(rng: Random) -> str:
    """A link that nobody made by honest means; some of them can be read all the same."""
    share = rng.random()
    if share < 0.75:
        return pack(mutated_parts(rng), rng.choice(READABLE) if rng.random() < 0.97 else rng.choice("039"))
    if share < 0.98:
        return mutated_outside(rng, write_link(honest_scenario(rng)))
    return bomb(rng)
