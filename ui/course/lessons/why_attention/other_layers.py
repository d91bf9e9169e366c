"""Self-attention beside an RNN and a CNN: who hears from whom, and at what price."""

from attention_core import compare_layers, reach
from ui.course.engine.blocks import curve, matrix, plot, row, table
from ui.course.engine.sections import Here
from ui.course.engine.units import in_short, with_formula
from ui.course.lessons.why_attention.tables import word_labels

KINDS = ("self_attention", "rnn", "cnn")
DASHES = {"self_attention": "solid", "rnn": "dash", "cnn": "dot"}
LENGTHS = tuple(2**power for power in range(1, 14))
PLOTTED = ("path", "operations", "linked_operations")


def compared(here: Here) -> dict:
    knobs = here.knobs
    return compare_layers(
        n_tokens=int(knobs["tokens"]), d_model=int(knobs["width"]), kernel=int(knobs["kernel"])
    )


def reach_blocks(here: Here) -> list[dict]:
    """Who has heard from whom after so many steps, in each of the three."""
    steps, kernel = here.whole("steps"), here.whole("kernel")
    labels = word_labels(here, len(here.trace["x"]))
    return [
        row(
            *(
                matrix(
                    here.word(f"block.{kind}"),
                    reach(kind, len(labels), steps, kernel),
                    labels,
                    labels,
                    scale="flag",
                    marks={(len(labels) - 1, 0): "lit"},
                )
                for kind in KINDS
            )
        )
    ]


def reach_facts(here: Here) -> dict:
    n_tokens = len(here.trace["x"])
    found = compare_layers(n_tokens=n_tokens, d_model=1, kernel=here.whole("kernel"))
    return {f"{kind}_path": found[kind]["path"] for kind in KINDS} | {"kernel": here.knobs["kernel"]}


def compare_blocks(here: Here) -> list[dict]:
    """The three side by side: each amount with its formula, and one of them plotted."""
    found, plotted = compared(here), PLOTTED[here.whole("plotted")]
    rows = [
        [here.word(f"block.{name}")] + [with_formula(found[kind][name], here.words) for kind in KINDS]
        for name in ("path", "steps", "operations", "linked_operations", "parameters")
    ]
    by_length = {
        n: compare_layers(n_tokens=n, d_model=here.whole("width"), kernel=here.whole("kernel"))
        for n in LENGTHS
    }
    curves = [
        curve(
            here.word(f"block.{kind}"),
            [by_length[n][kind][plotted] for n in LENGTHS],
            ink="" if kind == "self_attention" else "plain",
            dash=DASHES[kind],
        )
        for kind in KINDS
    ]
    return [
        table(here.word("block.table"), ["", *(here.word(f"block.{kind}") for kind in KINDS)], rows),
        plot(
            here.word(f"block.{plotted}"),
            LENGTHS,
            curves,
            (here.word("block.length"), here.word(f"block.counted_{plotted}")),
            log_x=True,
            log_y=True,
            at=here.knobs["tokens"],
            key=plotted,
        ),
    ]


def mixing_when_doubled(here: Here) -> float:
    """How many times as many operations scores and weighted sum take at twice the length."""
    sizes = {"d_model": here.whole("width"), "kernel": here.whole("kernel")}
    once, twice = (
        compare_layers(n_tokens=times * here.whole("tokens"), **sizes)["self_attention"] for times in (1, 2)
    )
    return twice["mixing_operations"] / once["mixing_operations"]


def compare_facts(here: Here) -> dict:
    found = compared(here)
    return {
        "tokens": here.knobs["tokens"],
        "rnn_steps": found["rnn"]["steps"],
        "cnn_path": found["cnn"]["path"],
        "cnn": in_short(found["cnn"]["operations"], here.words),
        "mixing": in_short(found["self_attention"]["mixing_operations"], here.words),
        "attention": in_short(found["self_attention"]["operations"], here.words),
        "cnn_linked": in_short(found["cnn"]["linked_operations"], here.words),
    }
