"""What lesson 5 shows besides the board: patches, one product or three, and numbers that move."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from attention_core import Trace, explain_cell, origins
from ui.board import comparing
from ui.course.engine.blocks import code, first_difference, matrix, moves, row, table
from ui.course.engine.sections import Facts, Here
from ui.numbers import Spelled, in_marks
from ui.scenario.layouts import laid_out
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Scenario, array_shape

LINE = 1.6  # cells from one token to the next, with room for a name between
PARTS = "qkv"


# An image as tokens


def patches_of(image: int, patch: int) -> int:
    """Patches in an image, both square and measured in pixels."""
    return (image // patch) ** 2


def patch_blocks(here: Here) -> list[dict]:
    """The image cut into patches, each with its number as a token; token 0 is CLS."""
    image, patch = here.whole("image"), here.whole("patch")
    side, n_patches = image // patch, patches_of(image, patch)
    rows = [
        ["side", f"{image} / {patch}", side],
        ["patches", f"{side} · {side}", n_patches],
        ["tokens", f"{n_patches} + 1", n_patches + 1],
        ["numbers", f"{patch} · {patch} · 3", patch * patch * 3],
    ]
    headers = [here.word(f"block.{column}") for column in ("what", "how", "result")]
    lines = [[here.word(f"block.{name}"), how, str(result)] for name, how, result in rows]
    numbered = 1 + np.arange(n_patches).reshape(side, side)
    return [
        table(here.word("block.table"), headers, lines),
        matrix(here.word("block.image"), numbered, scale="plain"),
    ]


def patch_facts(here: Here) -> Facts:
    """The shape of X in a ViT-B, which need not be computed for that."""
    return {"vit": "×".join(map(str, array_shape(load_preset("vit_base").arrays["x"])))}


# One product or three


def with_or_without_bias(here: Here) -> Scenario:
    arrays = here.scenario.arrays
    if here.knobs["bias"] == 1:
        arrays = {name: rows for name, rows in arrays.items() if name != "b_qkv"}
    return replace(here.scenario, arrays=arrays)


def both_ways(here: Here) -> tuple[Trace, Trace]:
    """The same layer with one matrix for Q, K and V, and with three."""
    scenario = with_or_without_bias(here)
    return scenario.trace(), laid_out(scenario, "three").trace()


def product_blocks(here: Here) -> list[dict]:
    """Q, K and V by three products, and the one product that holds all of them."""
    fused, three = both_ways(here)
    tokens = here.scenario.labels("token", fused["x"].shape[-2])
    width = three["q"].shape[-1]
    columns = [f"{part}{place}" for part in PARTS for place in range(width)]
    plus = here.word("block.plus_bias") if "b_qkv" in fused.parameters else ""
    apart = [
        matrix(f"{part.upper()} = X · W{part}{plus}", three[part][0], tokens, name=part, ink=part)
        for part in PARTS
    ]
    together = matrix(f"X · Wqkv{plus}", fused["qkv"][0], tokens, columns, name="qkv")
    return [row(*apart, title=here.word("block.three")), row(together, title=here.word("block.one"))]


def product_facts(here: Here) -> Facts:
    """How far the two ways differ, in Q, K, V and in the output."""
    fused, three = both_ways(here)
    side_by_side = np.concatenate([three[part] for part in PARTS], axis=-1)
    return {
        "difference": float(np.abs(side_by_side - fused["qkv"]).max()),
        "outputs": float(np.abs(three.output - fused.output).round(12).max()),
        "width": str(fused["qkv"].shape[-1]),
    }


# Numbers that move


def layout_of(
    step: np.ndarray, title: str, name: Callable[[tuple], str], corner: Callable[[tuple], tuple]
) -> dict:
    """A layout of `moves`: where each cell of a step goes, by the number of the cell it comes from.

    `step` (..., row, column) holds these numbers; every matrix in it is a frame with a name at its corner.
    """
    places = [[0.0, 0.0]] * step.size
    frames, said = [], []
    for front in np.ndindex(step.shape[:-2]):
        left, top = corner(front)
        for line, column in np.ndindex(step.shape[-2:]):
            places[int(step[(*front, line, column)])] = [left + column, top + line]
        frames.append([left, top, step.shape[-1], step.shape[-2], name(front)])
        said.append(name(front))
    return {"title": title, "places": places, "frames": frames, "says": f"{title}: {'; '.join(said)}"}


def fused_moves(here: Here, stages: tuple[str, ...]) -> dict:
    """The numbers of one product as they are labelled and brought into the order of heads."""
    trace = here.trace
    tokens = here.scenario.labels("token", trace["x"].shape[-2])
    split = trace["qkv_split"][0]  # (token, part, head, feature)
    n_tokens, _, n_heads, width = split.shape

    def group(part: int, head: int) -> str:
        return here.word("block.group", part=PARTS[part].upper(), head=head)

    product = np.arange(split.size).reshape(n_tokens, 1, -1)
    labelled = origins(trace, "qkv_split", "qkv").flat.reshape(n_tokens, 3, n_heads, 1, width)
    permuted = origins(trace, "qkv_permuted", "qkv").flat.reshape(3, n_heads, n_tokens, width)
    known = {
        "product": (product, lambda at: tokens[at[0]], lambda at: (0, LINE * at[0])),
        "split": (
            labelled,
            lambda at: group(at[1], at[2]),
            lambda at: ((at[1] * n_heads + at[2]) * width, LINE * at[0]),
        ),
        "permuted": (
            permuted,
            lambda at: group(*at),
            lambda at: ((width + 0.5) * at[0], (n_tokens + 0.8) * at[1]),
        ),
    }
    layouts = [layout_of(known[s][0], here.word(f"block.{s}"), *known[s][1:]) for s in stages]
    cells = [
        (here.number(value, 1), PARTS[part], head) for (_, part, head, _), value in np.ndenumerate(split)
    ]
    return moves(here.word("block.moves"), cells, layouts, here.whole("step"))


def label_blocks(here: Here) -> list[dict]:
    shape = ", ".join(map(str, here.trace["qkv_split"].shape))
    return [fused_moves(here, ("product", "split")), code(here.word("block.code"), f"qkv.reshape({shape})")]


def permute_blocks(here: Here) -> list[dict]:
    split, permuted = (here.trace.step(name) for name in ("qkv_split", "qkv_permuted"))
    order = ", ".join(str(split.axes.index(axis)) for axis in permuted.axes)
    shape = ", ".join(map(str, split.shape))
    line = f"q, k, v = qkv.reshape({shape}).permute({order})"
    return [fused_moves(here, ("split", "permuted")), code(here.word("block.code"), line)]


# A view where a transpose was needed


def wrong_trace(here: Here) -> Trace:
    """The same numbers with heads cut out by a view."""
    return here.scenario.with_options(split="view").trace()


def viewed_answer(here: Here) -> float:
    """What a view puts into head 0, second row, first column."""
    return float(wrong_trace(here)["q_heads"][0, 1, 0])


def view_blocks(here: Here) -> list[dict]:
    """The numbers of Q on their way into heads, rightly and by a view; head 0 of both."""
    right, wrong = here.trace, wrong_trace(here)
    _, n_tokens, width = right["q_heads"].shape

    def head_name(at: tuple) -> str:
        return here.word("block.head", head=at[0])

    def heads(trace: Trace, title: str) -> dict:
        came_from = origins(trace, "q_heads", "q").flat
        return layout_of(came_from, here.word(title), head_name, lambda at: ((width + 1) * at[0], 0))

    whole = np.arange(right["q"].size).reshape(1, n_tokens, -1)
    layouts = [
        layout_of(whole, here.word("block.whole"), lambda at: "Q", lambda at: (0, 0)),
        heads(right, "block.right"),
        heads(wrong, "block.wrong"),
    ]
    cells = [
        (here.number(value, 1), "q", column // width) for (_, column), value in np.ndenumerate(right["q"])
    ]
    moving = moves(here.word("block.moves"), cells, layouts, here.whole("how"))
    return [moving, right_beside_wrong(here)] if here.knobs["how"] == 2 else [moving]


def right_beside_wrong(here: Here) -> dict:
    """Head 0 of Q, right beside wrong, each number in the colour of the head it belongs to."""
    right, wrong = here.trace, wrong_trace(here)
    place = first_difference(right["q_heads"][0], wrong["q_heads"][0])
    width = right["q_heads"].shape[-1]
    made = []
    for trace, title, marks in (
        (right, "block.head_right", {}),
        (wrong, "block.head_wrong", {place: "first"} if place else {}),
    ):
        heads = origins(trace, "q_heads", "q").flat[0] % right["q"].shape[-1] // width
        shown = matrix(
            here.word(title),
            trace["q_heads"][0],
            ink="q",
            scale="plain",
            heads=heads,
            marks=marks,
            decimals=1,
        )
        made.append(shown)
    return row(*made)


def view_facts(here: Here) -> Facts:
    """Where a view diverges from the right way, by its own arithmetic, and how far the output is off."""
    right, wrong = here.trace, wrong_trace(here)
    name, index = comparing.first_difference(right, wrong) or ("q_heads", (0, 1, 0))
    lines = [
        in_marks(Spelled(*explain_cell(trace, name, index).pieces), here.words.marks)
        for trace in (right, wrong)
    ]
    off = float(np.abs(right.output - wrong.output).max())
    return {"right_line": lines[0], "wrong_line": lines[1], "off": off}


# Real sizes


def size_blocks(here: Here) -> list[dict]:
    """The steps of a ViT-B layer with their shapes, as far as the learner has walked."""
    names = ("x", "qkv", "qkv_split", "qkv_permuted", "q_heads")
    rows = []
    for name in names[: here.whole("step") + 1]:
        step = here.trace.step(name)
        axes = " · ".join(here.words(f"axis.{axis}") for axis in step.axes)
        rows.append([here.words(f"name.{name}"), "×".join(map(str, step.shape)), axes])
    headers = [here.word(f"block.{column}") for column in ("step", "shape", "axes")]
    return [table(here.word("block.sizes"), headers, rows, marked=len(rows) - 1)]
