"""What lesson 7 shows last: which d goes under the root, and where the scale can be put."""

import math

import numpy as np

from attention_core import candidate_scales, random_pairs, saturation, scaled_scores, softmax
from ui.course.engine.blocks import covered, curve, first_difference, matrix, plot, row, table
from ui.course.engine.sections import Here

FLOAT_TYPES = ("float64", "float32", "float16")
PLACES = ("after", "query", "both")
INKS = {"none": "k", "d_head": "v", "d_model": ""}
CORNER = 5  # rows and columns shown of a large matrix


# Which d goes under the root


def head_width(here: Here) -> int:
    return here.trace["q_heads"].shape[-1]


def first_item(here: Here) -> np.ndarray:
    """(head, query, key) the scores of the first batch item: enough rows for a mean."""
    return here.trace["scores"][0]


def by_root(here: Here) -> list[dict]:
    """Nothing, the head's width or the model's under the root: what softmax makes of each."""
    n_heads, d_head = here.trace["q_heads"].shape[-3], head_width(here)
    scales = candidate_scales(d_head, n_heads)
    names = {"none": here.word("block.none"), "d_head": f"√d_head = √{d_head}"}
    names["d_model"] = f"√d_model = √{n_heads * d_head}"
    weights = {name: softmax(first_item(here)[0] * scale) for name, scale in scales.items()}
    curves = [curve(names[name], rows[0], ink=INKS[name]) for name, rows in weights.items()]
    keys = [str(key) for key in range(len(weights["none"]))]
    titles = here.word("block.key"), here.word("block.weight")
    return [
        measured(here, names, scales),
        plot(here.word("block.title"), keys, curves, titles, bars=True, key="roots"),
        side_by_side(here, names, weights),
    ]


def measured(here: Here, names: dict[str, str], scales: dict[str, float]) -> dict:
    """Largest weight, entropy and size of the gradient, a line for each scale."""
    headers = [here.word(f"block.{name}") for name in ("divisor", "largest", "entropy", "gradient")]
    lines = []
    for name, scale in scales.items():
        one = saturation(first_item(here), scale)
        numbers = [here.number(value, 2) for value in (one.largest, one.entropy)]
        lines.append([names[name], *numbers, here.number(one.typical_jacobian, 3)])
    return table(here.word("block.table"), headers, lines)


def side_by_side(here: Here, names: dict[str, str], weights: dict[str, np.ndarray]) -> dict:
    """A corner of the weights with the head's width and with the model's, the first difference marked."""
    one, other = (weights[name][:CORNER, :CORNER] for name in ("d_head", "d_model"))
    place = first_difference(one, other)
    shade = {"scale": "share", "top": 0.3}
    return row(
        matrix(names["d_head"], one, **shade),
        matrix(names["d_model"], other, **shade, marks={place: "first"} if place else None),
        title=here.word("block.corner", corner=CORNER),
    )


def root_facts(here: Here) -> dict:
    """The sizes as they are, and the entropy under each root as it was at the start."""
    n_heads, d_head = here.trace["q_heads"].shape[-3], head_width(here)
    first = here.start.trace()
    first_heads, first_width = first["q_heads"].shape[-3], first["q_heads"].shape[-1]
    n_keys = first["scores"].shape[-1]
    facts = {"n_heads": n_heads, "d_head": d_head, "d_model": n_heads * d_head, "n_keys": n_keys}
    facts |= {"first_heads": first_heads, "first_width": first_width, "bits_even": math.log2(n_keys)}
    for name, scale in candidate_scales(first_width, first_heads).items():
        facts[f"bits_{name}"] = saturation(first["scores"][0], scale).entropy
    return {name: here.number(value, 2) for name, value in facts.items()}


# The same scale on both sides


def tokens_of(here: Here) -> np.ndarray:
    """(token, feature) vectors that serve as queries and as keys, so that each finds itself."""
    return random_pairs(here.whole("d_k"), 3, seed=1)[:, 0] * here.knobs["size"]


def places_of_scale(here: Here) -> list[dict]:
    """The scaled scores with the scale put after, on the queries, or half on each side."""
    vectors = tokens_of(here)
    dtype = FLOAT_TYPES[here.whole("type")]
    parts = []
    for place in PLACES:
        scores = scaled_scores(vectors, vectors, place, dtype)
        marks = {tuple(cell): "wrong" for cell in np.argwhere(~np.isfinite(scores)).tolist()}
        places = 0 if np.abs(vectors @ vectors.T).max() > 1000 else 2
        parts.append(matrix(here.word(f"block.{place}"), scores.astype(float), marks=marks, decimals=places))
    if not here.answered:  # the same numbers would tell
        parts[-1] = covered(parts[-1], range(len(vectors)))
    return [row(*parts, title=here.word("block.title", type=dtype))]


def comes_too_late(here: Here) -> bool:
    """Whether dividing the scores is too late, while dividing before is not."""
    vectors, dtype = tokens_of(here), FLOAT_TYPES[here.whole("type")]
    late, *early = (np.isfinite(scaled_scores(vectors, vectors, place, dtype)).all() for place in PLACES)
    return bool(all(early) and not late)


def scale_facts(here: Here) -> dict:
    vectors = tokens_of(here)
    exact = [scaled_scores(vectors, vectors, place) for place in PLACES]
    return {
        "d_k": str(here.whole("d_k")),
        "fourth": here.number(here.whole("d_k") ** 0.25, 3),
        "root": here.number(here.whole("d_k") ** 0.5, 3),
        "difference": here.words.brief(max(np.abs(one - exact[0]).max() for one in exact), 1),
        "largest": here.number(round(float(np.abs(vectors @ vectors.T).max())), 0),
        "most": here.number(float(np.finfo(np.float16).max), 0),
    }
