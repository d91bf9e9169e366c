"""What the moments about generation show: the cache as it fills, heads that share it, the bytes it takes."""

from dataclasses import replace

import numpy as np

from attention_core import Amount, TokenStep, token_by_token
from ui.course.blocks import code, curve, first_difference, formula, matrix, plot, row, sentence, strip, table
from ui.course.head_map import ORDERS, cache_bytes, divisors, head_map, share_heads
from ui.course.moments import Here, Knob, as_text
from ui.scenario import Scenario

# Generation


def one_head(scenario: Scenario) -> Scenario:
    return scenario.with_options(n_heads=1)


def steps_of(here: Here, use_cache: bool) -> tuple[TokenStep, ...]:
    """The sentence of the moment, word by word."""
    given = [here.trace[name] for name in ("x", "w_q", "w_k", "w_v", "w_o")]
    return token_by_token(*given, n_heads=here.scenario.options["n_heads"], use_cache=use_cache)


def rows_made(steps: tuple[TokenStep, ...]) -> list[int]:
    """How many rows of K, and as many of V, each step computes."""
    return [step.trace["k"].shape[-2] for step in steps]


def work(steps: tuple[TokenStep, ...]) -> list[int]:
    """The multiplications of each step."""
    return [sum(step.products.values()) for step in steps]


def filling(title: str, found: np.ndarray, labels: list[str], made: int, **look) -> dict:
    """A matrix with room for every word; the last `made` of the rows there are were computed just now."""
    n_rows, width = found.shape
    marks = {(place, column): "new" for place in range(n_rows - made, n_rows) for column in range(width)}
    marks |= {(place, column): "hidden" for place in range(n_rows, len(labels)) for column in range(width)}
    shown = matrix(title, found, labels, marks=marks, **look)
    shown["values"] += [[""] * width for _ in range(len(labels) - n_rows)]
    return shown


def shares_so_far(title: str, shares: np.ndarray, query: str, labels: list[str]) -> dict:
    """The weights of one word, with room for those that are still to come."""
    rest = range(shares.shape[-1], len(labels))
    shown = matrix(title, shares, [query], labels, scale="share", marks={(0, key): "hidden" for key in rest})
    shown["values"][0] += [""] * len(rest)
    return shown


def word_by_word(here: Here) -> list[dict]:
    """What is computed when the chosen word arrives, and what both ways have cost so far."""
    both = {"kept": steps_of(here, True), "again": steps_of(here, False)}
    way = list(both)[here.knobs["cache"]]
    place = here.knobs["word"] - 1
    step, made = both[way][place], rows_made(both[way])[place]
    labels = here.scenario.labels("query", len(both[way]))
    top = max(float(np.abs(here.trace[name]).max()) for name in "qkv")
    look = {"top": top, "decimals": 0}
    query = matrix(here.word("block.q"), step.q, [labels[place]], ink="q", name="q", **look)
    keys = filling(here.word(f"block.k_{way}"), step.keys[0], labels, made, ink="k", name="k", **look)
    values = filling(here.word(f"block.v_{way}"), step.values[0], labels, made, ink="v", name="v", **look)
    shares = shares_so_far(here.word("block.weights"), step.weights, labels[place], labels)
    output = matrix(here.word("block.output"), step.output, [labels[place]])
    counts = count_table(here, both, way, place)
    return [row(query, keys, values), row(shares, output), counts, work_plot(here, both, place)]


def count_table(here: Here, both: dict, way: str, place: int) -> dict:
    lines = []
    for each, steps in both.items():
        rows, products = rows_made(steps), work(steps)
        counts = (rows[place], sum(rows[: place + 1]), products[place], sum(products[: place + 1]))
        lines.append([here.word(f"knob.cache_{each}"), *(as_text(count, 0) for count in counts)])
    names = ("way", "rows_now", "rows_so_far", "work_now", "work_so_far")
    headers = [here.word(f"block.{name}") for name in names]
    return table(here.word("block.counts"), headers, lines, marked=list(both).index(way))


def work_plot(here: Here, both: dict, place: int) -> dict:
    dashes = {"kept": "solid", "again": "dash"}
    curves = [
        curve(here.word(f"knob.cache_{way}"), np.cumsum(work(steps)), dash=dashes[way])
        for way, steps in both.items()
    ]
    titles = {"x_title": here.word("block.words"), "y_title": here.word("block.work_so_far")}
    places = range(1, len(here.trace["x"]) + 1)
    return plot(here.word("block.growth"), places, curves, at=place + 1, **titles)


def rows_without(here: Here) -> float:
    """Rows of K computed for the whole sentence when nothing is kept."""
    return sum(rows_made(steps_of(here, False)))


def generation_facts(here: Here) -> dict[str, object]:
    kept, again = steps_of(here, True), steps_of(here, False)
    at_once = here.scenario.with_options(is_causal=True).trace().output
    both = [np.stack([step.output for step in steps]) for steps in (kept, again)]
    return {
        "words": len(kept),
        "with": sum(rows_made(kept)),
        "without": sum(rows_made(again)),
        "thousand": sum(range(1, 1001)),
        "times": sum(work(again)) / sum(work(kept)),
        "apart": tiny(np.abs(both[0] - both[1]).max()),
        "apart_whole": tiny(max(np.abs(outputs - at_once).max() for outputs in both)),
    }


def tiny(value: float) -> str:
    """A very small number with one digit, 0 as 0."""
    return f"{value:.0e}".replace("e-", "e−") if value else "0"


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
    n_heads, n_kv_heads = here.scenario.options["n_heads"], here.knobs["kv_heads"]
    order = ORDERS[here.knobs["order"]]
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


def sharing_facts(here: Here) -> dict[str, object]:
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
UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def in_units(count: int) -> str:
    """Bytes in the largest unit of which there is one, each 1024 of the one before."""
    power = min((int(count).bit_length() - 1) // 10, len(UNITS) - 1)
    return f"{count / 1024**power:.4g} {UNITS[power]}"


def cache_of(knobs: dict[str, float], **change: int) -> Amount:
    sizes = knobs | change
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
            in_units(cache_of(here.knobs, kv_heads=count)),
            f"1/{N_HEADS // count}" if count < N_HEADS else "1",
        ]
        for count in counts
    ]
    headers = [here.word(f"block.{name}") for name in ("heads", "bytes", "share")]
    marked = counts.index(here.knobs["kv_heads"])
    return [
        formula(rf"{filled} = {int(amount)}", here.word("block.formula", size=in_units(amount))),
        table(here.word("block.ways"), headers, lines, marked=marked),
        cache_plot(here),
    ]


def cache_plot(here: Here) -> dict:
    lengths = CACHE_KNOBS[1].values
    dashes = {here.knobs["kv_heads"]: "dash", 1: "dot", N_HEADS: "solid"}
    curves = [
        curve(
            here.word(f"block.{kind_of_sharing(count)}", count=count),
            [cache_of(here.knobs, kv_heads=count, tokens=length) / 2**30 for length in lengths],
            dash=dash,
        )
        for count, dash in dashes.items()
    ]
    titles = {"x_title": here.word("knob.tokens"), "y_title": here.word("block.gib")}
    at = here.knobs["tokens"]
    return plot(here.word("block.growth"), lengths, curves, log_x=True, log_y=True, at=at, **titles)


START = {knob.name: knob.start for knob in CACHE_KNOBS}


LONGER, FEWER = 16, 8  # times the words, and heads of K and V, of what is asked


def longer_and_shared(here: Here) -> float:
    """GiB of the moment's model when the text is longer and fewer heads are shared."""
    return cache_of(START, tokens=LONGER * START["tokens"], kv_heads=FEWER) / 2**30


def cache_facts(here: Here) -> dict[str, object]:
    sizes = {"whole": {}, "eight": {"kv_heads": FEWER}, "one": {"kv_heads": 1}, "per_token": {"tokens": 1}}
    sizes |= {"longer": {"kv_heads": FEWER, "tokens": LONGER * START["tokens"]}}
    found = {name: in_units(cache_of(START, **change)) for name, change in sizes.items()}
    found |= {name: START[name] for name in ("layers", "width", "bytes")}
    found |= {"heads": N_HEADS, "words": START["tokens"], "times": LONGER, "shared": FEWER}
    return found | {"now": in_units(cache_of(here.knobs))}
