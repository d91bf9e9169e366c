"""The message of the page of heads. Its outline has all heads of the sentence; a choice sends one head's numbers."""

import base64
import hashlib
import json

import numpy as np

from attention_core import AttentionError, Trace
from attention_core.models import MEASURES
from ui import models
from ui.board.matrices import number, written
from ui.figures import cells, style
from ui.figures.cells import Piece
from ui.heads.compared import compared
from ui.heads.seen import Seen, noticed, of_scenario, of_slice, slice_ids, told_of
from ui.message.types import (
    HeadsOutline,
    HeadsShown,
    HeadTile,
    MatrixOutline,
    Message,
    Outline,
    Pair,
    View,
)
from ui.scenario.link import write_link
from ui.scenario.scenario import Scenario
from ui.state.state import State, kept_link
from ui.words import Words, languages

FULL = 255  # of a byte of a map: a weight of 1
MOST_OUTLINES = 64
_outlines: dict[str, Outline] = {}


def heads_message(state: State, words: Words) -> Message:
    scenario = state.scenario
    seen, trace = of_scenario(scenario), scenario.trace()
    view, layer = scenario.view, scenario.source.layer if scenario.source else 0
    n_tokens = len(seen.labels)
    focus = min(view.focus, n_tokens - 1)
    head = min(view.head, seen.weights.shape[1] - 1)
    weights = seen.weights[layer, head]
    known, outline = outline_of(scenario, words)
    key = view.cell[2] if view.cell else int(weights[focus].argmax())
    heads = HeadsShown(
        layer=told_of(scenario.preset)["layer"] if scenario.source is None else layer,
        head=told_of(scenario.preset)["head"] if scenario.source is None else head,
        focus=focus,
        key=key,
        chosen=bool(view.cell),
        sort=view.sort,
        example="" if scenario.source else scenario.preset,
        lab=write_link(scenario.looking(kept="")),
        pair=pair_of(trace, head, focus, key, scenario.source is None),
        compare=compared(scenario, kept_link(state), words) if kept_link(state) else None,
    )
    return Message(
        outline=known,
        values=[written(weights)],
        tops={"share": 1.0},
        view=view_of(scenario, layer, head, seen),
        language=words.language,
        new_outline=outline,
        lit={"weights": [(focus, key, "chosen")]},
        heads=heads,
    )


def view_of(scenario: Scenario, layer: int, head: int, seen: Seen) -> View:
    view = scenario.view
    n_layers, n_heads = seen.weights.shape[:2]
    return View(
        step=view.step,
        cell=list(view.cell),
        focus=view.focus,
        picture="",
        decimals=view.decimals,
        head=layer * n_heads + head,
        heads=n_layers * n_heads,
        batch=0,
        batches=1,
        all=False,
        predict=False,
    )


def pair_of(trace: Trace, head: int, query: int, key: int, is_slice: bool) -> Pair:
    """The three vectors behind a weight: what the query asks, what the key answers, and what the value hands over."""
    q, k, v = (of_head(trace[f"{name}_heads"], head) for name in "qkv")
    scores, scaled, weights = (of_head(trace[name], head) for name in ("scores", "scaled", "weights"))
    return Pair(
        q=numbers(q[query]),
        k=numbers(k[key]),
        products=numbers(q[query] * k[key]),
        v=numbers(v[key]),
        score=number(float(scores[query, key])),
        scaled=number(float(scaled[query, key])),
        weight=number(float(weights[query, key])) or 0.0,
        width=q.shape[-1],
    )


def of_head(array: np.ndarray, head: int) -> np.ndarray:
    """The matrix of one head; with one head there may be no axis for it."""
    return array if array.ndim == 2 else array[head]


def numbers(row: np.ndarray) -> list[float]:
    return [number(value) or 0.0 for value in row.tolist()]


def outline_of(scenario: Scenario, words: Words) -> tuple[str, Outline]:
    """The outline and its id: all heads of a sentence, made once for all who look at it."""
    source = scenario.source
    facts = [source and [source.model, source.hash, source.wanted], source is None and scenario.preset]
    known = hashlib.sha256(json.dumps([facts, present(words), words.language]).encode()).hexdigest()[:16]
    if known not in _outlines:
        while len(_outlines) >= MOST_OUTLINES:
            _outlines.pop(next(iter(_outlines)), None)
        _outlines[known] = make_outline(scenario, words)
    return known, _outlines[known]


def make_outline(scenario: Scenario, words: Words) -> Outline:
    seen = of_scenario(scenario)
    weights = MatrixOutline(
        key="weights",
        id="weights",
        name=words("name.weights"),
        shape="×".join(map(str, seen.weights.shape[2:])),
        formula="softmax(scaled)",
        ink="",
        kind="share",
        scale="share",
        axes=["query", "key"],
        editable=False,
        row=0,
        rows=seen.labels,
        columns=seen.labels,
    )
    return Outline(
        words={name: words(f"bench.{name}") for name in words.family("bench")},
        languages=[(code, Words(code)("language.name")) for code in languages()],
        axes={axis: words(f"axis.{axis}") for axis in words.family("axis")},
        about="",
        matrices=[weights],
        marks=words.marks._asdict(),
        figures=style.style(),
        heads=heads_of(scenario, seen, words),
    )


def heads_of(scenario: Scenario, seen: Seen, words: Words) -> HeadsOutline:
    n, (is_here, why) = len(seen.labels), present(words)
    found = noticed(scenario)
    slices = [] if scenario.source else slice_ids()
    every = [of_slice(one) for one in slices] or [seen]
    n_layers, n_heads = seen.weights.shape[:2]
    tiles = [HeadTile(layer, head, n) for layer in range(n_layers) for head in range(n_heads)]
    if slices:
        tiles = [tile_of(one, words) for one in slices]
    source = scenario.source
    told = told_of(scenario.preset)
    is_known = source is None or told["sha256"].startswith(source.hash)
    measures = {
        name: [round(float(value), 4) for one in every for value in one.measures[name].ravel()]
        for name in MEASURES
    }
    if found is not None:
        measures["noticed"] = [round(float(value), 4) for value in found.ravel()]
    return HeadsOutline(
        words={name: words(f"heads.{name}") for name in words.family("heads")},
        model=told["model"].rpartition("/")[2] if is_known else source.model if source else "",
        credit=words("heads.credit", authors=told["authors"], licence=told["licence"]) if is_known else "",
        text=source.text if source else told["sentence"],
        layers=n_layers,
        heads=n_heads,
        tokens=seen.labels,
        texts=seen.texts,
        token_words=seen.words,
        spans=seen.spans,
        tiles=tiles,
        maps="".join(bytes_of(head) for one in every for layer in one.weights for head in layer),
        measures=measures,
        formulas={name: measure.formula for name, measure in MEASURES.items()},
        groups=[group for one in every for group in one.groups],
        figure=cells.side_by_side([Piece({"step": "weights"}, n, n)]),
        can_type=is_here == "here",
        no_model={"none": words("heads.model_none"), "broken": f"{words('heads.model_broken')} {why}"}.get(
            is_here
        ),
        examples=[(one, told_of(one)["sentence"]) for one in slice_ids()],
        hidden=list(source.hide) if source else [],
        swapped=list(source.swap) if source else [],
        positions=list(source.positions) if source else [],
    )


def tile_of(preset: str, words: Words) -> HeadTile:
    told = told_of(preset)
    return HeadTile(told["layer"], told["head"], len(told["tokens"]), preset, words(f"preset.{preset}.title"))


def bytes_of(weights: np.ndarray) -> str:
    """Weights as bytes, for maps: 255 is 1. A multiple of three, so that several can be joined."""
    plain = np.round(weights * FULL).astype(np.uint8).tobytes()
    return base64.b64encode(plain + bytes(-len(plain) % 3)).decode()


def present(words: Words) -> tuple[str, str]:
    """Whether a model can be used: "here", "none", or "broken" and why."""
    try:
        return ("here", "") if models.present_model() else ("none", "")
    except AttentionError as error:
        return "broken", words.error(error)
