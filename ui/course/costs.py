"""What attention costs: what each moment of that lesson shows, computed for models of real size."""

from dataclasses import replace

import numpy as np

from attention_core import Amount, Trace, multi_head_attention
from ui.course.amounts import in_bytes, in_full, in_short
from ui.course.blocks import curve, matrix, plot, row, sentence, table
from ui.course.models import Model, Sharing, cache_by_sharing, load_model, model_ids
from ui.course.moments import Here
from ui.scenario import Scenario

LENGTHS = tuple(2**power for power in range(6, 18))
CROSSINGS = {  # what is weighed: the amounts of which the s² part outgrows the rest
    "layer": ("layer_operations",),
    "attention": ("projection_operations", "attention_operations"),
}


def chosen(here: Here) -> Model:
    """The model of the moment's knob."""
    return load_model(model_ids()[int(here.knobs["model"])])


def chosen_cost(here: Here) -> dict[str, Amount]:
    """What the chosen model costs at the chosen length and batch."""
    return chosen(here).cost(int(here.knobs["tokens"]), batch=int(here.knobs.get("batch", 1)))


def amounts_table(here: Here, rows: list[tuple[str, Amount]], marked: int = -1, write=in_short) -> dict:
    """Amounts by label: what comes out, the formula in letters, and filled in."""
    headers = [here.word(f"block.{column}") for column in ("what", "result", "formula", "filled")]
    lines = [[label, write(amount), amount.formula, amount.filled] for label, amount in rows]
    return table(here.word("block.table"), headers, lines, marked=marked)


def plot_by_length(here: Here, names: tuple[str, ...], at: float, y: str, **changes) -> dict:
    """The part that grows with s and the part that grows with s², against the length."""
    linear, square = chosen(here).curves(LENGTHS, *names, **changes)
    return plot(
        here.word("block.plot"),
        LENGTHS,
        [
            curve(here.word("block.square"), square),
            curve(here.word("block.linear"), linear, ink="plain", dash="dash"),
        ],
        x_title=here.word("block.length"),
        y_title=here.word(f"block.{y}"),
        log_x=True,
        log_y=True,
        at=at,
    )


# Parameters.


def parameters_blocks(here: Here) -> list[dict]:
    """The parameters of the chosen model, part by part, up to the number it is published with."""
    model, found = chosen(here), chosen(here).cost()
    names = ("attention_parameters", "mlp_parameters", "norm_parameters", "layer_parameters", "parameters")
    rows = [(here.word(f"block.{name}"), found[name]) for name in names]
    rows += [(here.word(f"block.{part}"), amount) for part, amount in model.other_parameters().items()]
    shown = amounts_table(here, rows, write=in_full)
    total = in_full(found["parameters"] + sum(model.other_parameters().values()))
    shown["rows"].append([here.word("block.total"), total, "", ""])
    shown["marked"] = len(shown["rows"]) - 1
    return [shown] if model.is_plain else [shown, not_plain(here)]


def not_plain(here: Here) -> dict:
    return sentence(here.word("block.not_plain", name=chosen(here).name), tone="warning")


def parameters_facts(here: Here) -> dict:
    model, found = chosen(here), chosen(here).cost()
    wider = model.cost(d_model=2 * model.d_model)
    return {
        "name": model.name,
        "width": model.d_model,
        "layers": model.n_layers,
        "layer": in_full(found["layer_parameters"]),
        "times": f"{wider['layer_parameters'] / found['layer_parameters']:.3f}",
        "share": f"{found['attention_parameters'] / found['layer_parameters']:.0%}",
        "published": in_full(model.published_parameters),
    }


# Operations.


def operations_blocks(here: Here) -> list[dict]:
    """The operations of a layer and of the whole model, with the three parts of a layer as bars."""
    found = chosen_cost(here)
    parts = ("projection_operations", "attention_operations", "mlp_operations")
    whole = ("layer_operations", "logit_operations", "forward_operations", "backward_operations")
    rows = [(here.word(f"block.{name}"), found[name]) for name in (*parts, *whole)]
    bars = plot(
        here.word("block.bars"),
        [here.word(f"block.{name}") for name in parts],
        [curve(here.word("block.operations"), [found[name] for name in parts])],
        x_title="",
        y_title=here.word("block.operations"),
        bars=True,
    )
    blocks = [amounts_table(here, rows, marked=len(parts)), bars]
    return blocks if chosen(here).is_plain else [*blocks, not_plain(here)]


def operations_facts(here: Here) -> dict:
    found, model = chosen_cost(here), chosen(here)
    tokens = here.knobs["tokens"]
    by_weights = found["projection_operations"] + found["mlp_operations"]
    return {
        "name": model.name,
        "tokens": tokens,
        "each": f"{by_weights / tokens / found['layer_parameters']:.3f}",
        "forward": in_short(found["forward_operations"]),
        "share": f"{found['attention_operations'] / found['layer_operations']:.1%}",
    }


# Where s² takes over.


def crossing_blocks(here: Here) -> list[dict]:
    """Both parts against the length with their crossing, and the crossings of every model."""
    part = list(CROSSINGS)[int(here.knobs["part"])]
    names = CROSSINGS[part]
    models = [load_model(model_id) for model_id in model_ids()]
    headers = [here.word(f"block.{column}") for column in ("model", "width", "layer", "attention", "own")]
    rows = [
        [
            model.name,
            in_short(model.d_model),
            *(in_short(model.crossing(*CROSSINGS[column])) for column in CROSSINGS),
            in_short(model.n_tokens),
        ]
        for model in models
    ]
    blocks = [
        plot_by_length(here, names, chosen(here).crossing(*names), "operations"),
        table(here.word("block.table"), headers, rows, marked=models.index(chosen(here))),
    ]
    return blocks if chosen(here).is_plain else [*blocks, not_plain(here)]


def crossing_facts(here: Here) -> dict:
    model = chosen(here)
    found = model.cost()
    return {
        "name": model.name,
        "width": model.d_model,
        "layer": model.crossing(*CROSSINGS["layer"]),
        "attention": model.crossing(*CROSSINGS["attention"]),
        "own": model.n_tokens,
        "share": f"{found['attention_operations'] / found['layer_operations']:.1%}",
    }


def crossing_in_widths(here: Here) -> float:
    """Where both parts of a plain layer are equal, counted in widths."""
    plain = load_model("gpt2")
    return plain.crossing(*CROSSINGS["layer"]) / plain.d_model


# Memory while learning.


def activations_blocks(here: Here) -> list[dict]:
    found = chosen_cost(here)["activation_bytes"]
    batch = int(here.knobs["batch"])
    crossing = chosen(here).crossing("activation_bytes")
    blocks = [
        amounts_table(here, [(here.word("block.activation_bytes"), found)], write=in_bytes),
        plot_by_length(here, ("activation_bytes",), crossing, "bytes", batch=batch),
    ]
    return blocks if chosen(here).is_plain else [*blocks, not_plain(here)]


def activations_facts(here: Here) -> dict:
    model, tokens = chosen(here), int(here.knobs["tokens"])
    heads = {times: model.cost(tokens, **heads_times(model, times)) for times in (1, 2)}
    square = {
        times: model.curves([tokens], "activation_bytes", **heads_times(model, times))[1][0]
        for times in heads
    }
    return {
        "name": model.name,
        "crossing": model.crossing("activation_bytes"),
        "bytes": in_bytes(chosen_cost(here)["activation_bytes"]),
        "times": square[2] / square[1],
        "operations_times": heads[2]["attention_operations"] / heads[1]["attention_operations"],
    }


def heads_times(model: Model, times: int) -> dict[str, int]:
    """So many times the heads, each narrower, so that the width stays."""
    return {"n_heads": times * model.n_heads, "n_kv_heads": times * model.n_kv_heads}


def is_past_crossing(here: Here) -> bool:
    return here.knobs["tokens"] > chosen(here).crossing("activation_bytes")


# The cache, row by row.


def one_causal_head(scenario: Scenario) -> Scenario:
    """The sentence as a text that is being written: one head, and nobody looks ahead."""
    arrays = {name: array for name, array in scenario.arrays.items() if name != "w_o"}
    return replace(scenario, arrays=arrays, options={"n_heads": 1, "is_causal": True})


def written(here: Here, steps: int) -> list[Trace]:
    """One trace for each token that is added: only its own row is computed, the rest is in the cache."""
    x, weights = here.trace["x"], [here.trace[name] for name in ("w_q", "w_k", "w_v")]
    traces: list[Trace] = []
    for place in range(steps):
        cache = {f"past_{part}": traces[-1][f"present_{part}"] for part in ("key", "value")} if traces else {}
        traces.append(
            multi_head_attention(x[place : place + 1], *weights, n_heads=1, is_causal=True, **cache)
        )
    return traces


def written_anew(here: Here, steps: int) -> list[Trace]:
    """The same without a cache: for each token everything so far is computed again."""
    x, weights = here.trace["x"], [here.trace[name] for name in ("w_q", "w_k", "w_v")]
    return [
        multi_head_attention(x[: place + 1], *weights, n_heads=1, is_causal=True) for place in range(steps)
    ]


def rows_made(traces: list[Trace]) -> list[int]:
    """How many rows of K have been computed, after each token."""
    return np.cumsum([len(trace["k"]) for trace in traces]).tolist()


def cache_matrix(here: Here, name: str, cached: np.ndarray) -> dict:
    """A cache (token, feature) with its newest row marked, and empty places for what is to come."""
    labels = here.scenario.labels("token", len(here.trace["x"]))
    newest = {(len(cached) - 1, column): "new" for column in range(cached.shape[1])}
    block = matrix(here.word(f"block.cached_{name}"), cached, labels, name=name, ink=name, marks=newest)
    block["values"] += [[""] * cached.shape[1] for _ in labels[len(cached) :]]
    return block


def filling_blocks(here: Here) -> list[dict]:
    """K and V in the cache, and how many rows were computed so far with and without it."""
    steps, n_tokens = int(here.knobs["step"]), len(here.trace["x"])
    last = written(here, steps)[-1]
    caches = [
        cache_matrix(here, name, last[f"present_{part}"][0]) for name, part in (("k", "key"), ("v", "value"))
    ]
    to_come = [np.nan] * (n_tokens - steps)
    series = [
        curve(here.word("block.with"), rows_made(written(here, n_tokens)), ink="k"),
        curve(
            here.word("block.without"),
            rows_made(written_anew(here, steps)) + to_come,
            ink="plain",
            dash="dash",
        ),
    ]
    counted = plot(
        here.word("block.rows"),
        range(1, n_tokens + 1),
        series,
        x_title=here.word("block.written"),
        y_title=here.word("block.count"),
        at=steps,
    )
    return [row(*caches), counted]


def filling_facts(here: Here) -> dict:
    n_tokens, steps = len(here.trace["x"]), int(here.knobs["step"])
    together = np.concatenate([trace.output for trace in written(here, n_tokens)])
    return {
        "steps": steps,
        "with": rows_made(written(here, steps))[-1],
        "without": rows_made(written_anew(here, steps))[-1],
        "difference": float(np.abs(together - here.trace.output).max()),
    }


# The size of a cache.


def sharing(here: Here) -> list[Sharing]:
    return cache_by_sharing(chosen(here), int(here.knobs["tokens"]), batch=int(here.knobs["batch"]))


def cache_blocks(here: Here) -> list[dict]:
    """The cache of the chosen model, and what it would be with other numbers of key/value heads."""
    model, found = chosen(here), sharing(here)
    own = [one.n_kv_heads for one in found].index(model.n_kv_heads)
    columns = ("kv_heads", "times_smaller", "cache")
    shared = table(
        here.word("block.sharing", heads=model.n_heads),
        [here.word(f"block.{column}") for column in columns],
        [[str(one.n_kv_heads), f"{one.times_smaller}", in_bytes(one.cache)] for one in found],
        marked=own,
    )
    bars = plot(
        here.word("block.bars"),
        [f"÷ {one.times_smaller}" for one in found],
        [curve(here.word("block.cache"), [one.cache / 2**20 for one in found])],
        x_title=here.word("block.times_smaller"),
        y_title=here.word("block.mebibytes"),
        bars=True,
    )
    blocks = [
        amounts_table(here, [(here.word("block.kv_cache_bytes"), found[own].cache)], write=in_bytes),
        row(shared, bars),
    ]
    if not model.generates:
        blocks.insert(0, sentence(here.word("block.no_cache", name=model.name), tone="warning"))
    return blocks


def cache_facts(here: Here) -> dict:
    model, found = chosen(here), chosen_cost(here)
    return {
        "name": model.name,
        "heads": model.n_heads,
        "kv_heads": model.n_kv_heads,
        "cache": in_bytes(found["kv_cache_bytes"]),
        "unshared": in_bytes(sharing(here)[0].cache),
        "weights": in_bytes(2 * model.published_parameters),
    }


def times_smaller(here: Here) -> float:
    """By how much the model with grouped queries shrinks its cache."""
    model = load_model("llama3_8b")
    [own] = [one for one in cache_by_sharing(model) if one.n_kv_heads == model.n_kv_heads]
    return own.times_smaller
