"""The shapes of a step: each matrix as a block with its axes, equal edges joined, and the algebra of the sizes.

It depends on shapes alone, so it travels once.
"""

from math import prod

from attention_core import Trace
from attention_core.trace import Step
from ui.board.matrices import flat_axes
from ui.board.stages import shown_name
from ui.figures.operands import operands_in_order, shape_algebra
from ui.figures.style import ink_colour
from ui.message.arithmetic import ink_of
from ui.words import Words

UNIT, LEAST, MOST = 22, 40, 230  # pixels of an edge: for each place, at least, at most
SHEETS, FAN = 4, 12  # heads that are drawn, and how far each lies behind the one before
GAP, TOP = 150, 92  # pixels between two blocks, and above them
EDGE = "rgba(128,128,128,0.75)"
SUMMED = "var(--st-orange-text-color)"


class Block:
    """A matrix as a block: rows down, columns across, heads as sheets behind each other."""

    def __init__(self, step: Step, words: Words, turned: bool = False):
        n_flat = flat_axes(step.axes)
        axes, shape = ("row", *step.axes), (1, *step.shape)
        self.name = words(f"name.{step.name}") + ("ᵀ" if turned else "")
        self.ink = ink_of(step.name)
        rows, columns = axes[-n_flat - 1], axes[-1] if n_flat == 1 else axes[-n_flat]
        self.edges = [(rows, shape[-n_flat - 1]), (columns, prod(shape[-n_flat:]))]
        if turned:
            self.edges.reverse()
        front = shape[1 : -n_flat - 1] if len(step.axes) > n_flat else ()
        names = step.axes[: len(front)]
        self.front = [(axis, size) for axis, size in zip(names, front, strict=True) if size > 1]
        self.sheets = min(SHEETS, prod(size for _, size in self.front))

    @property
    def high(self) -> float:
        return length(self.edges[0][1])

    @property
    def wide(self) -> float:
        return length(self.edges[1][1])

    @property
    def behind(self) -> float:
        """How far the last sheet lies to the right and up."""
        return (self.sheets - 1) * FAN


def length(size: int) -> float:
    return min(MOST, max(LEAST, UNIT * size))


def shapes_of(step: Step, trace: Trace, words: Words) -> dict:
    """{"data", "layout"}: the operands of a step and its result as blocks in a line, with signs between."""
    blocks, signs = blocks_of(step, trace, words)
    summed = summed_edges(step, blocks)
    height = max(block.high + block.behind for block in blocks)
    shapes: list[dict] = []
    notes: list[dict] = []
    left, middle = 10.0, height / 2
    for number, block in enumerate(blocks):
        low = middle - (block.high + block.behind) / 2
        draw(block, left, low, [edge for which, edge in summed if which == number], shapes, notes, words)
        left += block.wide + block.behind
        if number < len(signs):
            notes.append(note(left + GAP / 2, middle, signs[number], 22))
            left += GAP
    algebra = shape_algebra(step, trace) if step.inputs else f"({'×'.join(map(str, step.shape))})"
    layout = {
        "xaxis": {"range": [-70, left + 60]},
        "yaxis": {"range": [-46, height + 66], "scaleanchor": "x"},
        "shapes": shapes,
        "annotations": notes,
        "height": round(height + TOP + 76),
        "title": {"text": algebra},
        "meta": {"kind": "shapes"},
    }
    # A trace that is not seen: axes without one have nothing to measure.
    return {
        "data": [{"type": "scatter", "x": [0], "y": [0], "mode": "text", "hoverinfo": "skip"}],
        "layout": layout,
    }


def blocks_of(step: Step, trace: Trace, words: Words) -> tuple[list[Block], list[str]]:
    """What goes in and what comes out, and the signs between them."""
    result = Block(step, words)
    if step.op == "contract":
        operands = [
            Block(trace.step(shown_name(name, trace)), words, turned)
            for name, turned in operands_in_order(step, trace)
        ]
        return [*operands, result], ["·", "→"]
    sources = [name for name in step.inputs if trace.step(name).op != "number"]
    operands = [Block(trace.step(shown_name(name, trace)), words) for name in sources]
    signs = ["+" if step.op == "add" else "," for _ in operands[1:]]
    return [*operands, result], [*signs, *(["→"] if operands else [])]


def summed_edges(step: Step, blocks: list[Block]) -> list[tuple[int, int]]:
    """The edges that a product adds up over: across the first operand, and down the second."""
    return [(0, 1), (1, 0)] if step.op == "contract" else []


def draw(
    block: Block,
    left: float,
    low: float,
    summed: list[int],
    shapes: list[dict],
    notes: list[dict],
    words: Words,
) -> None:
    """One block: its sheets from behind, its edges with their names, its name above."""
    for sheet in range(block.sheets - 1, -1, -1):
        x, y = left + sheet * FAN, low + sheet * FAN
        ends = {"x0": x, "x1": x + block.wide, "y0": y, "y1": y + block.high}
        look = {"fillcolor": "var(--st-background-color)", "line": {"color": EDGE, "width": 1.5}}
        shapes.append({"type": "rect", **ends, **look})
    shapes[-1] |= {"line": {"color": "var(--st-text-color)", "width": 1.5}}
    for edge in summed:
        ends = {"x0": left, "x1": left, "y0": low, "y1": low}
        ends |= {"y1": low + block.high} if edge == 0 else {"x1": left + block.wide}
        shapes.append({"type": "line", **ends, "line": {"color": SUMMED, "width": 5}})
    (rows, n_rows), (columns, n_columns) = block.edges
    colours = [SUMMED if edge in summed else "" for edge in (0, 1)]
    notes.append(
        note(left - 6, low + block.high / 2, f"{axis_name(rows, words)}<br><b>{n_rows}</b>", 13, colours[0])
        | {"xanchor": "right"}
    )
    notes.append(
        note(
            left + block.wide / 2, low - 6, f"{axis_name(columns, words)} <b>{n_columns}</b>", 13, colours[1]
        )
        | {"yanchor": "top"}
    )
    if block.front:
        text = ", ".join(f"{axis_name(axis, words)} <b>{size}</b>" for axis, size in block.front)
        x, y = left + block.wide + block.behind + 4, low + block.high + block.behind - 8
        notes.append(note(x, y, text, 13) | {"xanchor": "left", "yanchor": "top"})
    name = note(left + block.wide / 2, low + block.high + block.behind + 6, f"<b>{block.name}</b>", 16)
    if block.ink:
        name["font"]["color"] = ink_colour(block.ink, text=True)
    notes.append(name | {"yanchor": "bottom"})


def axis_name(axis: str, words: Words) -> str:
    return words(f"axis.{axis}")


def note(x: float, y: float, text: str, size: int, colour: str = "") -> dict:
    font: dict = {"size": size} | ({"color": colour} if colour else {})
    return {"x": round(x, 1), "y": round(y, 1), "text": text, "font": font, "showarrow": False}
