"""What the sections about shared heads show: who reads whom, the wrong order, the bytes of the cache."""

from dataclasses import replace

import numpy as np

from attention_core import Amount
from ui.course.engine.blocks import (
    code,
    curve,
    first_difference,
    formula,
    matrix,
    plot,
    row,
    sentence,
    strip,
    table,
)
from ui.course.engine.sections import Facts, Here, Knob
from ui.course.engine.units import in_bytes
from ui.course.lessons.masks.head_map import ORDERS, cache_bytes, divisors, head_map, share_heads
from ui.scenario.scenario import Scenario

# Heads that share


def sixteen_heads(scenario: Scenario) -> Scenario:
    """16 query heads of one channel each that share 4 heads of K and V."""
    arrays = scenario.arrays | {"w_q": drawn(4, 16, seed=6), "w_o": drawn(16, 4, seed=9)}
    return with_kv_heads(replace(scenario, arrays=arrays).with_options(n_heads=16), 4)


def with_kv_heads(scenario: Scenario, n_kv_heads: int) -> Scenario:
    """The layer with another number of heads of K and V."""
    arrays = scenario.arrays | {"w_k": drawn(4, n_kv_heads, seed=7), "w_v": drawn(4, n_kv_heads, seed=8)}
    shared = n_kv_heads if n_kv_heads != scenario.options["n_heads"] else None
    return replace(scenario, arrays=arrays).with_options(n_kv_heads=shared)


def drawn(n_rows: int, n_columns: int, seed: int) -> list[list[float]]:
    """Small whole numbers."""
    return np.random.default_rng(seed).integers(-1, 2, (n_rows, n_columns)).astype(float).tolist()


def sharing(here: Here) -> list[dict]:
    """Who reads whom in the chosen order, and the output that comes of it beside the right one."""
    n_heads, n_kv_heads = here.scenario.options["n_heads"], here.whole("kv_heads")
    order = ORDERS[here.whole("order")]
    trace = with_kv_heads(here.scenario, n_kv_heads).trace()
    right, found = share_heads(trace, ORDERS[0]), share_heads(trace, order)
    astray = [head for head in range(n_heads) if found.head_to_kv[head] != right.head_to_kv[head]]
    channels = [(f"{head}→{kv}", "", kv) for head, kv in enumerate(found.head_to_kv)]
    tokens = here.scenario.labels("query", len(right.output))
    parts = first_difference(right.output, found.output)
    outputs = [
        matrix(here.word("block.right"), right.output, tokens),
        matrix(here.word(f"block.{order}"), found.output, tokens, marks={parts: "first"} if parts else None),
    ]
    says = here.word("block.wrong", astray=len(astray), heads=n_heads) if parts else here.word("block.same")
    return [
        strip(here.word("block.map"), channels, marks=astray),
        code(here.word("block.call"), here.word(f"block.code_{order}")),
        row(*outputs),
        sentence(says, tone="warning" if parts else ""),
    ]


def read_by_head_10(here: Here) -> float:
    """The head of K and V that query head 10 reads when 16 query heads share 8."""
    return head_map(16, 8)[10]


def sharing_facts(here: Here) -> Facts:
    same = [count for count in divisors(16) if head_map(16, count) == head_map(16, count, "tile")]
    tiled, right = head_map(16, 8, "tile")[10], head_map(16, 8)[10]
    return {"tiled": tiled, "right": right, "one": same[0], "all": same[-1]}


# Bytes

N_HEADS = 32
CACHE_KNOBS = (
    Knob("kv_heads", values=divisors(N_HEADS), start=N_HEADS),
    Knob("tokens", values=tuple(2**power for power in range(9, 18)), start=4096),
    Knob("layers", values=(1, 12, 24, 32, 48, 64, 80, 96), start=32),
    Knob("width", values=(32, 64, 80, 96, 128, 256), start=128),
    Knob("bytes", values=(1, 2, 4), start=2),
    Knob("batch", values=(1, 2, 4, 8, 16, 32, 64), start=1),
)


def cache_of(knobs: dict[str, float], **change: float) -> Amount:
    sizes = {name: int(size) for name, size in (knobs | change).items()}
    return cache_bytes(
        n_layers=sizes["layers"],
        n_heads=N_HEADS,
        n_kv_heads=sizes["kv_heads"],
        d_head=sizes["width"],
        n_tokens=sizes["tokens"],
        bytes_each=sizes["bytes"],
        batch=sizes["batch"],
    )


def kind_of_sharing(n_kv_heads: int) -> str:
    return {N_HEADS: "own", 1: "one"}.get(n_kv_heads, "some")


def cache_size(here: Here) -> list[dict]:
    """The formula with the chosen numbers, every way to share, and how it grows with the text."""
    amount = cache_of(here.knobs)
    filled = amount.filled.replace("·", r" \cdot ")
    counts = divisors(N_HEADS)[::-1]
    lines = [
        [
            here.word(f"block.{kind_of_sharing(count)}", count=count),
            in_bytes(cache_of(here.knobs, kv_heads=count), here.words),
            f"1/{N_HEADS // count}" if count < N_HEADS else "1",
        ]
        for count in counts
    ]
    headers = [here.word(f"block.{name}") for name in ("heads", "bytes", "share")]
    marked = counts.index(here.whole("kv_heads"))
    return [
        formula(rf"{filled} = {int(amount)}", here.word("block.formula", size=in_bytes(amount, here.words))),
        table(here.word("block.ways"), headers, lines, marked=marked),
        cache_plot(here),
    ]


def cache_plot(here: Here) -> dict:
    lengths = CACHE_KNOBS[1].values
    dashes = {here.whole("kv_heads"): "dash", 1: "dot", N_HEADS: "solid"}
    curves = [
        curve(
            here.word(f"block.{kind_of_sharing(count)}", count=count),
            [cache_of(here.knobs, kv_heads=count, tokens=length) / 2**30 for length in lengths],
            dash=dash,
        )
        for count, dash in dashes.items()
    ]
    titles, at = (here.word("knob.tokens"), here.word("block.gib")), here.knobs["tokens"]
    return plot(here.word("block.growth"), lengths, curves, titles, log_x=True, log_y=True, at=at)


START = {knob.name: knob.start for knob in CACHE_KNOBS}


LONGER, FEWER = 16, 8  # times the words, and heads of K and V, of what is asked


def longer_and_shared(here: Here) -> float:
    """GiB of the section's model when the text is longer and fewer heads are shared."""
    return cache_of(START, tokens=LONGER * START["tokens"], kv_heads=FEWER) / 2**30


def cache_facts(here: Here) -> Facts:
    sizes = {"whole": {}, "eight": {"kv_heads": FEWER}, "one": {"kv_heads": 1}, "per_token": {"tokens": 1}}
    sizes |= {"longer": {"kv_heads": FEWER, "tokens": LONGER * START["tokens"]}}
    found: Facts = {name: in_bytes(cache_of(START, **change), here.words) for name, change in sizes.items()}
    found |= {name: START[name] for name in ("layers", "width", "bytes")}
    found |= {"heads": N_HEADS, "words": START["tokens"], "times": LONGER, "shared": FEWER}
    return found | {"now": in_bytes(cache_of(here.knobs), here.words)}
