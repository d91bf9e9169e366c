"""What lesson 8 shows: ways from scores to shares, a printed row to check, and softmax that overflows."""

import math
from dataclasses import replace

import numpy as np

from attention_core import (
    argmax_shares,
    broken_rules,
    entropy,
    largest_safe_score,
    plain_shares,
    softmax,
    softmax_at,
    softmax_jacobian,
    softmax_steps,
)
from attention_core.explain import settle, settle_shares
from attention_core.expressions import Number, Sum
from ui.course.engine.blocks import curve, formula, matrix, plot, row, sentence, table
from ui.course.engine.sections import Here
from ui.message.arithmetic import equation
from ui.numbers import listed
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Scenario

NAMES = ("a", "b", "c")  # of the three tokens
VALUES = np.array([1.0, 2.0, 3.0])  # what they hand over
SCORES = np.array([2.3, 9.1, 0.5])
PRINTED = np.array([0.002, 0.995, 0.003])  # as a note has it
CHECKS = ("none", "sum", "order", "ratio", "value")
RIVALS = (2.0, 0.0)  # the scores of a and c while b moves
MOVES = np.sort([*np.linspace(-3, 7, 101), 2 + 1e-9])  # of b, with a point just after it passes a
FLOAT_TYPES = ("float16", "float32", "float64")
YES, NO, OPEN = "✓", "✕", "–"


def scores_of(here: Here) -> np.ndarray:
    """(token,) the scores as the learner has set them."""
    return np.array([here.knobs[name] for name in NAMES])


def rivals_of(here: Here) -> np.ndarray:
    """(token,) the scores while b moves between the two others."""
    return np.array([RIVALS[0], here.knobs["b"], RIVALS[1]])


# The same scores in the Lab


def attention_with(scores: np.ndarray, scale: float = 1.0, names: tuple[str, ...] = NAMES) -> Scenario:
    """Attention with just these scores: a query of 1 meets them as keys; the values are 1, 2, …"""
    memory = [[float(score), place + 1.0] for place, score in enumerate(scores)]
    arrays = {"x": [[1.0]], "memory": memory, "w_q": [[1.0]], "w_k": [[1.0], [0.0]], "w_v": [[0.0], [1.0]]}
    own = {"scale": scale} if scale != 1 else {}
    by_axis = {"token": ["q"], "source": list(names)}
    return replace(load_preset("cross"), arrays=arrays, options={"n_heads": 1, **own}, names=by_axis)


def with_my_scores(here: Here) -> Scenario:
    return attention_with(scores_of(here), 1 / here.knobs.get("temperature", 1))


def with_rivals(here: Here) -> Scenario:
    return attention_with(rivals_of(here))


def with_printed_scores(here: Here) -> Scenario:
    return attention_with(np.round(SCORES + here.knobs.get("shift", 0), 9))


# Divide by the sum, or raise e to them first


def share_of_a_minus(here: Here) -> float:
    """The share of the last of 3, 2 and −1 when each is divided by their sum."""
    return float(plain_shares([3, 2, -1])[2])


def divided_by_their_sum(here: Here) -> list[dict]:
    """Scores and their plain shares, and which rules of shares hold."""
    scores = scores_of(here)
    shares = plain_shares(scores)
    wrong = {(0, place): "wrong" for place in np.flatnonzero(~(shares >= 0)).tolist()}
    return [
        row(
            matrix(here.word("block.scores"), scores, columns=NAMES),
            matrix(here.word("block.shares"), shares, columns=NAMES, scale="share", marks=wrong),
        ),
        formula(sum_of(scores, 2, here), here.word("block.sum")),
        rules(here, shares),
    ]


def raised_and_divided(here: Here) -> list[dict]:
    """Scores, e to each of them, and the weights."""
    steps = softmax_steps(scores_of(here), subtract_highest=False)
    share = float(steps.weights[0])
    first = settle_shares(steps.scores.tolist(), steps.powers.tolist(), 0, share, 2)
    return [
        row(
            matrix(here.word("block.scores"), steps.scores, columns=NAMES),
            matrix(here.word("block.powers"), steps.powers, columns=NAMES),
            matrix(here.word("block.shares"), steps.weights, columns=NAMES, scale="share"),
        ),
        formula(equation(first, share, here.words), here.word("block.first")),
        rules(here, steps.weights),
    ]


def rules(here: Here, shares: np.ndarray) -> dict:
    """What shares must keep to, and whether these do."""
    broken = broken_rules(shares)
    known = "undefined" not in broken
    mixed = float(shares @ VALUES) if known else math.nan
    within = VALUES.min() - 1e-9 <= mixed <= VALUES.max() + 1e-9
    lines = [[here.word("block.undefined"), YES if known else NO]]
    for rule, word in (("negative", "negative"), ("sum", "sum_rule")):
        lines.append([here.word(f"block.{word}"), OPEN if not known else NO if rule in broken else YES])
    mix = f"{here.number(round(mixed, 9), 2)} {YES if within else NO}" if known else OPEN
    lines.append([here.word("block.mix"), mix])
    return table(here.word("block.rules"), (here.word("block.rule"), here.word("block.kept")), lines)


def is_broken(here: Here) -> bool:
    return bool(broken_rules(plain_shares(scores_of(here))))


def all_below_zero(here: Here) -> bool:
    return bool((scores_of(here) < 0).all())


# A printed row


def printed_row(here: Here) -> list[dict]:
    """What a note prints for three scores, and the check that is chosen."""
    check = CHECKS[here.whole("check")]
    marks = {(0, 0): "wrong", (0, 2): "wrong"} if check == "order" else {}
    style = {"columns": NAMES, "scale": "share"}
    found = {
        "none": lambda: [],
        "sum": lambda: [
            formula(sum_of(PRINTED, 3, here)),
            sentence(here.word("block.sum")),
        ],
        "order": lambda: [sentence(here.word("block.order", **printed_facts(here)))],
        "ratio": lambda: [ratios(here)],
        "value": lambda: [matrix(here.word("block.right"), softmax(SCORES), **style, decimals=6)],
    }
    given = matrix(here.word("block.scores"), SCORES, columns=NAMES)
    printed = matrix(here.word("block.printed"), PRINTED, **style, decimals=3, marks=marks)
    return [row(given, printed), *found[check]()]


def sum_of(numbers: np.ndarray, decimals: int, here: Here) -> str:
    """A sum as it is written, negative numbers in brackets, and what it gives."""
    total = round(float(numbers.sum()), 9)
    return equation(settle(Sum(tuple(map(Number, numbers.tolist()))), total, decimals), total, here.words)


def ratios(here: Here) -> dict:
    """How many times one weight is another: as the difference of the scores demands, and as printed."""
    lines = []
    for one, other in ((1, 0), (1, 2), (0, 2)):
        lead = SCORES[one] - SCORES[other]
        demanded = f"e^{here.number(lead, 1)} = {here.number(math.exp(lead), 2)}"
        printed = f"{here.number(PRINTED[one] / PRINTED[other], 2)} {NO}"
        lines.append([f"{NAMES[one]} : {NAMES[other]}", demanded, printed])
    headers = (here.word("block.pair"), here.word("block.demanded"), here.word("block.as_printed"))
    return table(here.word("block.ratio"), headers, lines)


def printed_facts(here: Here) -> dict:
    """Scores, printed and right weights by token, and how far off the last is."""
    right = softmax(SCORES)
    facts = {"times": here.number(PRINTED[2] / right[2], 0)}
    for place, name in enumerate(NAMES):
        facts[f"score_{name}"] = here.words.brief(SCORES[place], 6)
        facts[f"printed_{name}"] = here.words.brief(PRINTED[place], 6)
        facts[f"right_{name}"] = here.number(right[place], 6)
    return facts


# The highest takes all


def smooth_and_sudden(here: Here) -> list[dict]:
    """The weight of b as its score moves past the one of a: softmax and argmax."""
    first, last = RIVALS
    rows = np.stack([np.full_like(MOVES, first), MOVES, np.full_like(MOVES, last)], axis=1)
    curves = [curve(here.word("block.softmax"), softmax(rows)[:, 1], ink="v")]
    if here.answered or here.knobs["b"] > first:  # before, the curve would tell what is asked
        curves.append(curve(here.word("block.argmax"), argmax_shares(rows)[:, 1], ink="k", dash="dash"))
    now = rivals_of(here)
    both = np.stack((softmax(now), argmax_shares(now)))
    labels = [here.word("block.softmax"), here.word("block.argmax")]
    titles = here.word("block.score"), here.word("block.weight")
    return [
        row(
            matrix(here.word("block.scores"), now, columns=NAMES),
            matrix(here.word("block.shares"), both, labels, NAMES, scale="share"),
        ),
        plot(here.word("block.title"), MOVES, curves, titles, at=here.knobs["b"], key="moves"),
    ]


def slope_of_b(here: Here) -> dict:
    """How steep both curves are where b stands."""
    now = rivals_of(here)
    jumps = here.knobs["b"] == RIVALS[0]
    return {
        "slope": here.number(float(softmax_jacobian(softmax(now))[1, 1]), 2),
        "argmax_slope": here.word("block.no_slope") if jumps else "0",
    }


# Temperature


def hot_and_cold(here: Here) -> list[dict]:
    """Three ways to share on the same scores, softmax at the temperature that is set."""
    scores, temperature = scores_of(here), here.knobs["temperature"]
    soft = softmax_at(scores, temperature)
    shares = np.stack((plain_shares(scores), soft, argmax_shares(scores)))
    wrong = {(0, place): "wrong" for place in np.flatnonzero(~(shares[0] >= 0)).tolist()}
    labels = [here.word(f"block.{way}") for way in ("plain", "softmax", "argmax")]
    titles = here.word("block.token"), here.word("block.weight")
    bars = [curve(here.word("block.softmax"), soft, ink="v")]
    title = here.word("block.title", temperature=float(temperature))
    facts = {"bits": here.number(float(entropy(soft)), 2), "most": here.number(math.log2(len(NAMES)), 2)}
    return [
        matrix(here.word("block.shares"), shares, labels, NAMES, scale="share", marks=wrong),
        plot(title, NAMES, bars, titles, bars=True, top=1, key="temperature"),
        sentence(here.word("block.entropy", **facts)),
    ]


def as_cold_as_argmax(here: Here) -> bool:
    """Whether softmax and argmax agree to two decimals."""
    scores = scores_of(here)
    return bool(np.abs(softmax_at(scores, here.knobs["temperature"]) - argmax_shares(scores)).max() < 0.005)


# Overflow


def steps_in(here: Here, guarded: bool):
    """Softmax of the shifted scores in the chosen float type."""
    return softmax_steps(SCORES + here.knobs["shift"], FLOAT_TYPES[here.whole("type")], guarded)


def with_and_without_guard(here: Here) -> list[dict]:
    """Every step of softmax, with the highest score subtracted or not."""
    guarded = here.knobs["guard"] == 1
    steps = steps_in(here, guarded)
    lines = [[here.word("block.scores"), *(here.number(float(score), 2) for score in steps.scores)]]
    if guarded:
        lines.append([here.word("block.shifted"), *(here.number(float(score), 2) for score in steps.shifted)])
    lines.append([here.word("block.powers"), *(brief(here, power) for power in steps.powers)])
    lines.append([here.word("block.total"), brief(here, steps.total), "", ""])
    lines.append([here.word("block.weights"), *(brief(here, weight) for weight in steps.weights)])
    broken = broken_rules(steps.weights)
    limit = here.number(largest_safe_score(FLOAT_TYPES[here.whole("type")]), 2)
    return [
        table(
            here.word("block.title", type=FLOAT_TYPES[here.whole("type")]),
            (here.word("block.step"), *NAMES),
            lines,
        ),
        sentence(verdict(here, steps.weights, broken), tone="warning" if broken else ""),
        sentence(here.word("block.limit", type=FLOAT_TYPES[here.whole("type")], limit=limit)),
    ]


def verdict(here: Here, weights: np.ndarray, broken: tuple[str, ...]) -> str:
    """What is to be said of the weights: a broken rule, or whether they are those of exact arithmetic."""
    if broken:
        return here.word(f"block.{broken[0]}")
    exact = softmax(SCORES)
    shown, wanted = ([brief(here, weight) for weight in row] for row in (weights, exact))
    if shown == wanted:
        return here.word("block.good")
    facts = {"type": FLOAT_TYPES[here.whole("type")], "weights": listed(wanted, here.words.marks)}
    return here.word("block.rounded", **facts)


def brief(here: Here, value: float) -> str:
    """A number of any size in few characters."""
    return here.number(value, 4) if abs(value) < 10 else here.words.brief(value, 4)


def rescued(here: Here) -> bool:
    """Whether the guard is on where softmax would have failed without it."""
    return here.knobs["guard"] == 1 and bool(broken_rules(steps_in(here, guarded=False).weights))


def limits(here: Here) -> dict:
    """The largest score of each float type whose power it can hold."""
    return {name: here.number(largest_safe_score(name), 2) for name in FLOAT_TYPES}
