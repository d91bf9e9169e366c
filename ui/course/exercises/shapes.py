"""Shapes to work out: heads split, Q, K and V fused, shared heads, the convolution block."""

from dataclasses import replace

from ui.course.exercises.dice import Dice
from ui.course.exercises.exercise import Exercise
from ui.scenario.scenario import Scenario


def zeros(*shape: int) -> dict:
    """An array of which only the shape matters."""
    return {"integers": {"shape": list(shape), "seed": 0, "low": 0, "high": 0}}


def multi_head(dice: Dice) -> tuple[Scenario, dict]:
    """X (batch, token, feature), cut into heads."""
    batch, heads, width = dice.whole(2, 4), dice.whole(2, 5), dice.whole(3, 8)
    tokens, d_model = dice.whole(6, 12), heads * width
    arrays = {"x": zeros(batch, tokens, d_model)} | {f"w_{part}": zeros(d_model, d_model) for part in "qkv"}
    facts = {"batch": batch, "tokens": tokens, "width": d_model, "heads": heads}
    return Scenario("textbook", "multi_head_attention", arrays, {"n_heads": heads}), facts


def cross(dice: Dice) -> tuple[Scenario, dict]:
    """Queries from X, keys and values from a memory of another length."""
    scenario, facts = multi_head(dice)
    facts["sources"] = dice.until(lambda: dice.whole(5, 15), lambda drawn: drawn != facts["tokens"])
    memory = zeros(facts["batch"], facts["sources"], facts["width"])
    return replace(scenario, preset="cross", arrays={**scenario.arrays, "memory": memory}), facts


def grouped(dice: Dice) -> tuple[Scenario, dict]:
    """Query heads that share key/value heads."""
    shared, kv_heads = dice.pick((2, 3, 4)), dice.pick((2, 3))
    tokens, width, heads = dice.whole(4, 9), dice.whole(2, 5), shared * kv_heads
    d_model = heads * width
    arrays = {"x": zeros(tokens, d_model), "w_q": zeros(d_model, d_model)}
    arrays |= {f"w_{part}": zeros(d_model, kv_heads * width) for part in "kv"}
    options = {"n_heads": heads, "n_kv_heads": kv_heads}
    facts = {"tokens": tokens, "width": d_model, "heads": heads, "kv_heads": kv_heads}
    return Scenario("grouped_query", "multi_head_attention", arrays, options), facts


def fused(dice: Dice) -> tuple[Scenario, dict]:
    """One matrix [Q | K | V]."""
    batch, heads, width, tokens = dice.whole(2, 4), dice.whole(2, 5), dice.whole(4, 8), dice.whole(6, 12)
    d_model = heads * width
    arrays = {"x": zeros(batch, tokens, d_model), "w_qkv": zeros(d_model, 3 * d_model)}
    facts = {"batch": batch, "tokens": tokens, "width": d_model, "heads": heads}
    return Scenario("fused_vit", "fused_qkv_attention", arrays, {"n_heads": heads}), facts


def convolution(dice: Dice) -> tuple[Scenario, dict]:
    """The block of detectors: keys half as wide as a head."""
    heads, key_dim = dice.whole(2, 4), dice.whole(1, 4)
    height, width, dim = dice.whole(2, 5), dice.whole(3, 6), heads * 2 * key_dim
    arrays = {"x": zeros(1, dim, height, width), "w_qkv": zeros(dim + 2 * heads * key_dim, dim)}
    facts = {"channels": dim, "height": height, "columns": width, "heads": heads}
    return Scenario("conv_4_to_8", "conv_attention", arrays, {"n_heads": heads, "attn_ratio": 0.5}), facts


DRAWS = {
    "multi_head": multi_head,
    "cross": cross,
    "grouped": grouped,
    "fused": fused,
    "convolution": convolution,
}
# By level: which of them, and the steps whose shape may be asked for.
SHAPES = {
    "easy": {"multi_head": ("q_heads", "scores", "output")},
    "medium": {
        "fused": ("qkv", "qkv_split", "qkv_permuted"),
        "grouped": ("k", "k_heads", "k_repeated", "scores"),
    },
    "hard": {
        "convolution": ("qkv", "qkv_split", "q_heads", "v_heads", "scores"),
        "cross": ("k_heads", "scores", "head_outputs"),
    },
}


def shape_exercise(dice: Dice, level: str) -> Exercise:
    """The sizes along every axis of a step."""
    what = dice.pick(list(SHAPES[level]))
    step = dice.pick(SHAPES[level][what])
    scenario, facts = dice.until(lambda: DRAWS[what](dice), lambda drawn: is_plain(drawn[0], step))
    found = scenario.trace().step(step)
    answers = tuple(map(float, found.shape))
    facts, code = facts | {"step": step}, f"{step} = {found.formula}"
    return Exercise(level, "shape", f"shape_{what}", (), answers, facts, scenario, step, code=code)


def is_plain(scenario: Scenario, step: str) -> bool:
    """Whether no two axes could be swapped unnoticed; queries and keys may be equally many."""
    found = scenario.trace().step(step)
    sizes = [size for axis, size in zip(found.axes, found.shape, strict=True) if axis != "key"]
    return len(set(sizes)) == len(sizes)
