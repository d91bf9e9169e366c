"""What lesson 4 shows besides the board: how many channels there are, how they lie, how they are misread."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from attention_core import AttentionError, Trace
from attention_core.vision import head_sizes
from ui.course.engine.blocks import (
    code,
    covered,
    first_difference,
    formula,
    matrix,
    row,
    sentence,
    strip,
    table,
)
from ui.course.engine.sections import Facts, Here
from ui.scenario.scenario import Scenario, build_array

MOST_IN_A_STRIP = 32
PRIMES = 3  # channels of one part that are told apart by primes; more are numbered

Channel = tuple[str, str, int]  # label, ink and head


class Sizes(NamedTuple):
    """The widths of a convolution block."""

    dim: int
    n_heads: int
    attn_ratio: float
    head_dim: int
    key_dim: int
    n_channels: int

    @property
    def widths(self) -> dict[str, int]:
        """Channels of each part in one head."""
        return {"q": self.key_dim, "k": self.key_dim, "v": self.head_dim}


def sizes_of(dim: int, n_heads: int, attn_ratio: float) -> Sizes:
    """The sizes of a block; AttentionError where they do not divide."""
    return Sizes(dim, n_heads, attn_ratio, *head_sizes(dim, n_heads, attn_ratio))


ASKED = sizes_of(16, 4, 0.5)  # the block whose channels the learner counts


def turned_sizes(here: Here) -> Sizes:
    """The sizes that the knobs ask for."""
    return sizes_of(here.whole("dim"), here.whole("heads"), here.knobs["ratio"])


def can_be_built(here: Here) -> bool:
    try:
        turned_sizes(here)
    except AttentionError:
        return False
    return True


def label(part: str, head: int, place: int, width: int) -> str:
    """q0, v0', or v0.5 where there are many."""
    return f"{part}{head}" + ("'" * place if width <= PRIMES else f".{place}")


def by_head(sizes: Sizes) -> list[Channel]:
    """Channels as the block lays them: q, k and v of a head, then those of the next."""
    return [
        (label(part, head, place, width), part, head)
        for head in range(sizes.n_heads)
        for part, width in sizes.widths.items()
        for place in range(width)
    ]


def by_part(sizes: Sizes) -> list[Channel]:
    """Channels as a ViT lays them: Q of all heads, then K, then V."""
    return sorted(by_head(sizes), key=lambda channel: "qkv".index(channel[1]))


def size_blocks(here: Here) -> list[dict]:
    """The formula with the present numbers, every width, and the channels; or why there are none."""
    try:
        sizes = turned_sizes(here)
    except AttentionError as error:
        return [sentence(here.words.error(error), tone="warning")]
    dim, n_heads, ratio, head_dim, key_dim, n_channels = sizes
    written = here.words.brief(ratio, 6)
    total = rf"{dim} + 2 \cdot {n_heads} \cdot {key_dim} = {n_channels}"
    found = [
        formula(rf"\mathrm{{{here.word('block.channels')}}} = {total}"),
        table(
            here.word("block.sizes"),
            [here.word(f"block.{column}") for column in ("width", "how", "numbers", "result")],
            [
                ["head_dim", "dim // heads", f"{dim} // {n_heads}", str(head_dim)],
                [
                    "key_dim",
                    "int(head_dim · ratio)",
                    f"int({head_dim} · {written})",
                    str(key_dim),
                ],
                ["Q", "heads · key_dim", f"{n_heads} · {key_dim}", str(n_heads * key_dim)],
                ["K", "heads · key_dim", f"{n_heads} · {key_dim}", str(n_heads * key_dim)],
                ["V", "heads · head_dim", f"{n_heads} · {head_dim}", str(dim)],
            ],
        ),
    ]
    if n_channels <= MOST_IN_A_STRIP:
        found.append(strip(here.word("block.strip", n=n_channels), by_head(sizes)))
    return found


def size_facts(here: Here) -> Facts:
    """Multiplications for one score in all heads of the block in question, and with a ratio of 1."""
    narrow, full = ASKED, sizes_of(ASKED.dim, ASKED.n_heads, 1)
    return {
        "products": str(narrow.n_heads * narrow.key_dim),
        "all_products": str(full.n_heads * full.key_dim),
    }


# Dimensions that do not divide


def cures(dim: int, n_heads: int, attn_ratio: float) -> dict[str, float]:
    """The nearest change of each number alone with which the block can be built: heads, dim, ratio."""

    def works(*sizes) -> bool:
        try:
            sizes_of(*sizes)
        except AttentionError:
            return False
        return True

    found: dict[str, float] = {}
    fewer = [count for count in range(n_heads - 1, 0, -1) if works(dim, count, attn_ratio)]
    more = [width for width in range(dim + 1, 8 * dim + 1) if works(width, n_heads, attn_ratio)]
    found |= {"heads": fewer[0]} if fewer else {}
    found |= {"dim": more[0]} if more else {}
    if dim % n_heads == 0:
        found["ratio"] = n_heads / dim  # then the key of a head is 1 wide
    return found


def divide_blocks(here: Here) -> list[dict]:
    """The sizes; or what does not divide, and what each number could become, once that was asked."""
    if can_be_built(here):
        return size_blocks(here)
    if not here.answered:
        return [sentence(here.word("block.cannot"), tone="warning")]
    given = {name: here.knobs[name] for name in ("heads", "dim", "ratio")}
    found = cures(int(given["dim"]), int(given["heads"]), given["ratio"])
    rows = [
        [here.word(f"knob.{name}"), *(here.words.brief(each[name], 6) for each in (given, found))]
        for name in given
        if name in found
    ]
    headers = [here.word(f"block.{column}") for column in ("change", "from", "to")]
    return [*size_blocks(here), table(here.word("block.cures"), headers, rows)]


# The two layouts


def misread_order(sizes: Sizes) -> list[int]:
    """For each place of the block's own layout the channel that a reader of the other layout takes for it."""
    taken = [channel[0] for channel in by_part(sizes)]
    return [taken.index(channel[0]) for channel in by_head(sizes)]


def sizes_here(scenario: Scenario) -> Sizes:
    n_channels = build_array(scenario.arrays["x"]).shape[1]
    return sizes_of(n_channels, scenario.options["n_heads"], scenario.options["attn_ratio"])


def misread(scenario: Scenario) -> Trace:
    """The same convolution, its channels read as if Q, K and V lay side by side."""
    order = misread_order(sizes_here(scenario))
    w_qkv = build_array(scenario.arrays["w_qkv"])[order]
    return replace(scenario, arrays={**scenario.arrays, "w_qkv": w_qkv.tolist()}).trace()


def head_channels(trace: Trace, head: int = 0) -> np.ndarray:
    """(channel, pixel): what one head gets as its q, k and v."""
    return np.concatenate([trace[name][0, head] for name in ("q_heads", "k_heads", "v_heads")])


def layout_blocks(here: Here) -> list[dict]:
    """How the channels lie and as what they are read; what head 0 gets, right and wrong."""
    sizes = sizes_here(here.scenario)
    wrong = here.knobs["read"] == 1
    lie, read = by_head(sizes), by_part(sizes) if wrong else by_head(sizes)
    marks = [place for place, channel in enumerate(lie) if channel != read[place]]
    right_channels = head_channels(here.trace)
    got = head_channels(misread(here.scenario)) if wrong else right_channels
    rows = [name for name, _, head in by_head(sizes) if head == 0]
    pixels = here.scenario.labels("token", right_channels.shape[1])
    shown = [matrix(here.word("block.right"), right_channels, rows, pixels)]
    if wrong:
        wrong_cells = np.argwhere(~np.isclose(got, right_channels)).tolist()
        kinds = {tuple(cell): "wrong" if number else "first" for number, cell in enumerate(wrong_cells)}
        shown.append(matrix(here.word("block.wrong"), got, rows, pixels, marks=kinds))
    return [
        strip(here.word("block.lie"), lie),
        strip(here.word("block.read_wrong" if wrong else "block.read_right"), read, marks=marks),
        code(here.word("block.code"), reading_code(sizes, here.trace["weights"].shape[-1], wrong)),
        row(*shown),
    ]


def reading_code(sizes: Sizes, n_pixels: int, wrong: bool) -> str:
    """The line of PyTorch that reads the channels."""
    n_heads, key_dim, head_dim = sizes.n_heads, sizes.key_dim, sizes.head_dim
    if wrong:
        return (
            f"q, k, v = qkv.flatten(2).split([{n_heads * key_dim}, {n_heads * key_dim}, {sizes.dim}], dim=1)"
        )
    seen = f"qkv.view(1, {n_heads}, {2 * key_dim + head_dim}, {n_pixels})"
    return f"q, k, v = {seen}.split([{key_dim}, {key_dim}, {head_dim}], dim=2)"


def layout_facts(here: Here) -> Facts:
    """Where the misread block diverges from the right one, and by how much its output is off."""
    wrong = misread(here.scenario)
    divergence = first_difference(head_channels(here.trace), head_channels(wrong))
    rows = [name for name, _, head in by_head(sizes_here(here.scenario)) if head == 0]
    off = float(np.abs(wrong.output - here.trace.output).max())
    channel, pixel = divergence or (0, 0)
    was, read = (float(head_channels(trace)[channel, pixel]) for trace in (here.trace, wrong))
    return {"channel": rows[channel], "pixel": str(pixel), "was": was, "read": read, "off": off}


# The whole block


def position_blocks(here: Here) -> list[dict]:
    """One channel laid on the image: its values, its filter, what that makes of them, and the sum."""
    channel = here.whole("channel")

    grids = {name: here.trace[name][0, channel] for name in ("v_grid", "merged", "positional", "residual")}
    grids["w_pe"] = here.trace["w_pe"][channel]
    top = max(float(np.abs(grid).max()) for grid in grids.values())  # one scale, so that they compare

    def images(*names: str) -> list[dict]:
        inks = {"v_grid": "v"}
        titles = {name: here.words(f"name.{name}") for name in names}
        return [matrix(titles[n], grids[n], name=n, ink=inks.get(n, ""), top=top) for n in names]

    filtered = images("v_grid", "w_pe", "positional")
    if not here.answered and channel == 1:  # the one that is asked for
        filtered[2] = covered(filtered[2], range(len(grids["positional"])))
        return [row(*filtered, title=here.word("block.filter"))]
    return [
        row(*filtered, title=here.word("block.filter")),
        row(*images("merged", "positional", "residual"), title=here.word("block.sum")),
    ]


def mixing_projection(scenario: Scenario) -> Scenario:
    """The last convolution lets the first channel of both heads into its first channel."""
    return scenario.edited("w_proj", {(0, 2): 1.0})
