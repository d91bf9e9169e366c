"""Changes to a tree of JSON: something dropped, put in, swapped, or of another type or size."""

import copy
import json
import math
from random import Random

# What json.dumps cannot write stands as a text in the tree, and is put in when it is written.
LITERALS = {
    "@nan": "NaN",
    "@infinity": "-Infinity",
    "@beyond": "1e999",
    "@digits": "9" * 401,
    "@more_digits": "9" * 5000,
    "@places": "0." + "1" * 3000,
    "@deep": "[" * 900 + "]" * 900,
    "@deeper": "[" * 9000 + "]" * 9000,
    "@open": "[" * 20_000,
    "@tables": '{"a":' * 900 + "1" + "}" * 900,
}
NUMBERS = [0, -1, 1, 2, 3, 16, 17, 48, 1000, 1001, 99_999, 2**31, 2**63, 10**19, 10**40, -0.0, 0.5, 1e-300]
NUMBERS += [1e9, -1e9, 1.1e9, 1e308, 5e-324, 0.99, 1.0, 1e6]
TEXTS = [
    "",
    "x" * 50,
    "\x00",
    "\u202e",
    "\ud800",
    "a\nb",
    "<b>",
    "NaN",
    "../x",
    "__class__",
    "1",
    "0",
    "٣",
    "𝟙",
]
TEXTS += ["x", "weights", "n_heads", "pixels_2x2", "multi_head_attention", "view", "en", "𝔘"]
ODD = [
    None,
    True,
    False,
    [],
    {},
    [[]],
    [[[[[1]]]]],
    [None],
    {"a": 1},
    [1, "a"],
    [[1, 2], [3]],
    [[0] * 17] * 2,
]


def odd_value(rng: Random):
    """A value that belongs nowhere, or somewhere else."""
    return copy.deepcopy(rng.choice(rng.choice([ODD, NUMBERS, TEXTS, [*LITERALS]])))


def written(tree) -> str:
    """The JSON of a tree, with the literals in it."""
    text = json.dumps(tree, separators=(",", ":"))
    for name, literal in LITERALS.items():
        text = text.replace(f'"{name}"', literal)
    return text


def places(tree, path=()) -> list[tuple]:
    """The path of every node but the root."""
    keys = tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    return [one for key in keys for one in [(*path, key), *places(tree[key], (*path, key))] if len(one) <= 7]


def holder(tree, path: tuple):
    """The list or table that a path ends in."""
    for key in path[:-1]:
        tree = tree[key]
    return tree


def change_one(rng: Random, tree) -> None:
    """Changes one node of a tree, in place; nodes near the root as often as single numbers."""
    found = places(tree)
    if not found:
        return
    depth = rng.choice(sorted({len(path) for path in found}))
    path = rng.choice([path for path in found if len(path) == depth])
    inside, key = holder(tree, path), path[-1]
    value = inside[key]
    match rng.randrange(9):
        case 0:
            del inside[key]
        case 1 | 2:
            inside[key] = odd_value(rng)
        case 3:
            inside[key] = None
        case 4:
            inside[key] = [value] if rng.random() < 0.5 else {"a": value}
        case 5:
            other = rng.choice(found)
            inside[key] = json.loads(json.dumps(holder(tree, other)[other[-1]]))
        case 6 if isinstance(value, list) and value:
            value.append(rng.choice([value[0], odd_value(rng)]))
        case 7 if isinstance(inside, dict):
            inside[rng.choice(TEXTS) if rng.random() < 0.5 else str(rng.choice([*inside]))] = value
        case 6 | 7 | 8:
            inside[key] = rng.choice(NUMBERS)


def changed(rng: Random, tree, most: int = 3):
    """A copy of a tree with a few nodes changed."""
    tree = json.loads(json.dumps(tree))
    for _ in range(rng.randint(1, most)):
        change_one(rng, tree)
    return tree


def nested(depth: int) -> list:
    found: list = []
    for _ in range(depth):
        found = [found]
    return found


# The same as values: what JSON in a message becomes.
VALUES = {"@nan": math.nan, "@infinity": -math.inf, "@beyond": math.inf, "@places": 1 / 9}
VALUES |= {"@digits": 10**401, "@more_digits": -(10**401), "@tables": {"a": {"a": {"a": 1}}}}
DEEP = ("@deep", "@deeper", "@open")


def valued(tree):
    """A tree with the literals in it as values."""
    if isinstance(tree, list):
        return [valued(one) for one in tree]
    if isinstance(tree, dict):
        return {key: valued(one) for key, one in tree.items()}
    if isinstance(tree, str):
        return nested(900) if tree in DEEP else VALUES.get(tree, tree)
    return tree
