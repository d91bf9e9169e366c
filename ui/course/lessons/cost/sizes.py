"""What attention costs: what each section of that lesson shows, computed for models of real size."""

from attention_core import Amount
from ui.course.engine.blocks import curve, plot, sentence, table
from ui.course.engine.sections import Here
from ui.course.engine.units import in_bytes, in_full, in_short
from ui.course.lessons.cost.models import Model, load_model, model_ids

LENGTHS = tuple(2**power for power in range(6, 18))
CROSSINGS = {  # what is weighed: the amounts of which the s² part outgrows the rest
    "layer": ("layer_operations",),
    "attention": ("projection_operations", "attention_operations"),
}


def chosen(here: Here) -> Model:
    """The model of the section's knob."""
    return load_model(model_ids()[here.whole("model")])


def chosen_cost(here: Here) -> dict[str, Amount]:
    """What the chosen model costs at the chosen length and batch."""
    return chosen(here).cost(here.whole("tokens"), batch=int(here.knobs.get("batch", 1)))


def percent(here: Here, share: float, decimals: int) -> str:
    return f"{here.number(100 * share, decimals)}%"


def amounts_table(here: Here, rows: list[tuple[str, Amount]], marked: int = -1, write=in_short) -> dict:
    """Amounts by label: what comes out, the formula in letters, and filled in."""
    headers = [here.word(f"block.{column}") for column in ("what", "result", "formula", "filled")]
    lines = [[label, write(amount, here.words), amount.formula, amount.filled] for label, amount in rows]
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
        (here.word("block.length"), here.word(f"block.{y}")),
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
    total = here.number(found["parameters"] + sum(model.other_parameters().values()), 0)
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
        "layer": here.number(found["layer_parameters"], 0),
        "times": here.number(wider["layer_parameters"] / found["layer_parameters"], 3),
        "share": percent(here, found["attention_parameters"] / found["layer_parameters"], 0),
        "published": here.number(model.published_parameters, 0),
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
        ("", here.word("block.operations")),
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
        "each": here.number(by_weights / tokens / found["layer_parameters"], 3),
        "forward": in_short(found["forward_operations"], here.words),
        "share": percent(here, found["attention_operations"] / found["layer_operations"], 1),
    }


# Where s² takes over.


def crossing_blocks(here: Here) -> list[dict]:
    """Both parts against the length with their crossing, and the crossings of every model."""
    part = list(CROSSINGS)[here.whole("part")]
    names = CROSSINGS[part]
    models = [load_model(model_id) for model_id in model_ids()]
    headers = [here.word(f"block.{column}") for column in ("model", "width", "layer", "attention", "own")]
    rows = [
        [
            model.name,
            in_short(model.d_model, here.words),
            *(in_short(model.crossing(*CROSSINGS[column]), here.words) for column in CROSSINGS),
            in_short(model.n_tokens, here.words),
        ]
        for model in models
    ]
    blocks = [plot_by_length(here, names, chosen(here).crossing(*names), "operations")]
    if here.answered:  # in the table the answer can be read off
        blocks.append(table(here.word("block.table"), headers, rows, marked=models.index(chosen(here))))
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
        "share": percent(here, found["attention_operations"] / found["layer_operations"], 1),
    }


def crossing_in_widths(here: Here) -> float:
    """Where both parts of a plain layer are equal, counted in widths."""
    plain = load_model("gpt2")
    return plain.crossing(*CROSSINGS["layer"]) / plain.d_model


# Memory while learning.


def activations_blocks(here: Here) -> list[dict]:
    found = chosen_cost(here)["activation_bytes"]
    batch = here.whole("batch")
    blocks = [
        amounts_table(here, [(here.word("block.activation_bytes"), found)], write=in_bytes),
        plot_by_length(here, ("activation_bytes",), here.knobs["tokens"], "bytes", batch=batch),
    ]
    return blocks if chosen(here).is_plain else [*blocks, not_plain(here)]


def activations_facts(here: Here) -> dict:
    model, tokens = chosen(here), here.whole("tokens")
    heads = {times: model.cost(tokens, **heads_times(model, times)) for times in (1, 2)}
    square = {
        times: model.curves([tokens], "activation_bytes", **heads_times(model, times))[1][0]
        for times in heads
    }
    return {
        "name": model.name,
        "crossing": model.crossing("activation_bytes"),
        "bytes": in_bytes(chosen_cost(here)["activation_bytes"], here.words),
        "times": square[2] / square[1],
        "operations_times": heads[2]["attention_operations"] / heads[1]["attention_operations"],
    }


def heads_times(model: Model, times: int) -> dict[str, int]:
    """So many times the heads, each narrower, so that the width stays."""
    return {"n_heads": times * model.n_heads, "n_kv_heads": times * model.n_kv_heads}


def is_past_crossing(here: Here) -> bool:
    return here.knobs["tokens"] > chosen(here).crossing("activation_bytes")
