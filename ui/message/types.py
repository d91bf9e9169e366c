"""What the browser gets: the one place that says so.

`sent` makes JSON of it: an optional field that is None is not sent, one that ends with _ is sent without. The
browser's side of the same is static/message/message.js, written by `python -m ui.message.jsdoc`; a test compares
the two.
"""

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

Numbers = list[list[float | None]]  # rows of a matrix; None is −∞
Given = float | None | list[float | None]  # a setting, or an array laid flat; None is −∞
Place = tuple[int, int]
Mark = tuple[int, int, str]  # row, column, what it is: chosen, source
Strip = tuple[str, int]  # a channel: its ink, and the head it goes to
Prose = list[object]  # texts, and pieces that are live: see static/course/prose.js


@dataclass
class View:
    """Where the learner looks."""

    step: str
    cell: list[object]  # that is open: step, row, column, and the part where Q, K and V stand in one array
    focus: int  # the row of the word in focus
    picture: str  # beside the step: "" what it means, "heatmap" or "shapes"
    decimals: int
    head: int
    heads: int
    batch: int
    batches: int
    all: bool  # heads, side by side
    predict: bool


@dataclass
class PlanLine:
    """A step before it has numbers, as static/engine carries it out."""

    name: str
    called: str  # on the board
    ink: str
    axes: list[str]
    op: str
    inputs: list[str]
    shape: list[int]


@dataclass
class MatrixOutline:
    """All about a matrix of the board but its numbers."""

    key: str
    id: str
    name: str
    shape: str
    formula: str
    ink: str
    kind: str
    scale: str
    axes: list[str]
    editable: bool
    row: int  # of the board
    rows: list[str] | None = None  # names; a large matrix has those under the lens in `large`
    columns: list[str] | None = None
    row_strip: list[Strip] | None = None
    strip: list[Strip] | None = None
    front: list[tuple[str, int]] | None = None  # the axes before it, and where along them
    by_head: bool | None = None
    fixed: bool | None = None  # by a teacher's link


@dataclass
class Stand:
    """How the matrices of a step stand on the stage, by the names of their steps."""

    kind: str  # "input": given and learned side by side, "product": at their crossing, "beside" or "moved": in a line
    left: list[str]  # operands
    above: list[str]  # the other operand of a product; what is learned, of the input
    turned: list[str] | None = None  # transposed
    bias: str | None = None


@dataclass
class StepOutline:
    """What the step in focus says besides its numbers."""

    id: str
    name: str
    axes: list[tuple[str, int]]
    ink: str
    stand: Stand
    heatmap: dict[str, object]  # of every head
    shapes: dict[str, object]
    change: dict[str, object]
    from_: list[str] | None = None
    algebra: str | None = None
    latex: str | None = None
    numpy: str | None = None
    torch: str | None = None


@dataclass
class About:
    """The step that the board of a lesson is about."""

    id: str  # of the matrix that shows it
    step: str  # whose picture it has
    stand: Stand


@dataclass
class StageOutline:
    """One stop of the rail."""

    id: str
    title: str
    why: str
    shape: str
    steps: list[StepOutline]


@dataclass
class HeadTile:
    """One of the heads that the page of heads shows as small maps."""

    layer: int
    head: int
    size: int  # tokens along each side of its map
    example: str | None = None  # the slice that it is
    title: str | None = None  # of that


@dataclass
class HeadsOutline:
    """All heads on a sentence."""

    words: dict[str, str]
    model: str
    credit: str  # its authors and its licence, where they are known
    text: str
    layers: int
    heads: int  # in each layer
    tokens: list[str]
    texts: list[str]  # as the tokeniser writes them
    token_words: list[int]  # which word each token is a piece of; -1 for a special one
    spans: list[tuple[int, int, int]]  # in the text, of every token but special ones: from, to, its place
    tiles: list[HeadTile]
    maps: str  # the weights of every tile as bytes, 255 for 1, one after the other
    measures: dict[str, list[float]]  # by tile
    formulas: dict[str, str]
    groups: list[str]  # what each tile does
    figure: dict[str, object]  # of the weights of one head
    can_type: bool
    examples: list[tuple[str, str]]  # the slices and their sentences
    hidden: list[int]  # places
    swapped: list[int]  # words
    positions: list[int]  # places
    no_model: str | None = None  # why nothing can be typed


@dataclass
class Pair:
    """The vectors behind one weight."""

    q: list[float]
    k: list[float]
    products: list[float]
    v: list[float]
    score: float | None
    scaled: float | None
    weight: float
    width: int


@dataclass
class HeadsCompared:
    """The head that was kept, beside the one that is shown."""

    head: int
    tokens: list[str]
    text: str
    values: Numbers
    changed: list[Place]
    other: list[int]  # places of tokens that are others here
    layer: int | None = None
    largest: tuple[int, int, float, float] | None = None  # row, column, there, here
    mean: float | None = None


@dataclass
class HeadsShown:
    """The head, the word and the weight that are chosen."""

    layer: int
    head: int
    focus: int
    key: int
    chosen: bool  # by the learner; else it is the largest weight of the word
    sort: str
    example: str
    lab: str  # the link of this head there
    pair: Pair
    compare: HeadsCompared | None = None


@dataclass
class Outline:
    """What depends on structure alone: sent once, and again only to a browser that does not say it holds it."""

    words: dict[str, str]
    languages: list[tuple[str, str]]
    axes: dict[str, str]
    about: str
    matrices: list[MatrixOutline]
    marks: dict[str, str]
    figures: dict[str, object]  # colours and sizes that figures share
    choices: list[dict[str, object]] | None = None
    stages: list[StageOutline] | None = None
    shown: About | None = None
    plan: list[PlanLine] | None = None  # where the browser can carry it out
    labels: dict[str, list[str]] | None = None  # of the axes of the plan that have names
    heads: HeadsOutline | None = None


@dataclass
class Row:
    """The row of weights that is shown as bars."""

    row: int
    name: str
    shares: list[float | None]
    sum: float | None
    bits: float | None = None  # its entropy; only a distribution has one


@dataclass
class Large:
    """The overview of a large matrix, and the names of the rows and columns under the lens."""

    dots: str
    size: list[int]
    shape: list[int]
    at: list[int]
    rows: list[str]
    columns: list[str]
    top: float | None  # the size from which a number is shaded in full
    above: int  # how many are larger


@dataclass
class Line:
    """A line of arithmetic, and the numbers to step back to."""

    name: str
    text: str
    latex: str
    back: list[tuple[str, str, list[int], str]]  # name, step, index, ink
    ink: str


@dataclass
class May:
    """What the learner may do: of controls "yes", "locked" or "hidden"."""

    rename: bool
    predict: str | None = None
    compare: str | None = None
    restart: bool | None = None


@dataclass
class Ask:
    """The question of a section, and what was said to the last answer."""

    kind: str
    text: list[Prose]
    answered: bool
    about: str
    options: list[tuple[str, str]] | None = None
    given: str | None = None
    right: bool | None = None
    hint: str | None = None
    answer: str | None = None
    help: str | None = None  # before an answer
    matrix: str | None = None  # of the board, that it is asked of
    cell: Place | None = None  # of that matrix, the number of which is asked
    lit: dict[str, list[Mark]] | None = None  # that cell, and what its number is made of


@dataclass
class KnobShown:
    """A control of a section, as it stands."""

    name: str
    label: str
    value: float
    options: list[str] | None = None
    values: list[float] | None = None
    least: float | None = None
    most: float | None = None
    step: float | None = None
    press: bool | None = None
    play: int | None = None
    above: int | None = None  # the block that it stands above; without, the first


@dataclass
class SectionShown:
    """The section of a lesson that is shown."""

    id: str  # of the lesson
    number: int
    title: str
    sections: list[tuple[str, str]]  # the ids and titles of all sections
    place: int
    text: list[Prose] | None
    ask: Ask | None
    try_: list[Prose] | None
    tried: bool
    why: list[Prose] | None
    done: bool
    changed: bool
    knobs: list[KnobShown]
    next: str  # the page after this lesson
    lab: bool
    confusion: bool
    blocks: list[dict[str, object]]
    working: bool  # a long computation wants to go on
    restart: bool = False


@dataclass
class Card:
    """A lesson on the home page."""

    id: str
    number: int
    title: str
    about: str
    sections: list[str]


@dataclass
class Chapter:
    """Lessons that belong together, on the home page."""

    id: str
    title: str
    lessons: list[Card]


@dataclass
class Message:
    """All that the workbench needs for one repaint."""

    outline: str  # its id
    values: list[Numbers]  # in the order of the outline's matrices
    tops: dict[str, float]
    view: View
    language: str
    new_outline: Outline | None = None
    given: dict[str, Given] | None = (
        None  # of the plan: its numbers, and arrays that the board does not show in full
    )
    hidden: dict[str, list[Place]] | None = None
    large: dict[str, Large] | None = None
    lit: dict[str, list[Mark]] | None = None
    lines: list[Line] | None = None
    shares: dict[str, Row] | None = None
    choices: dict[str, object] | None = None
    panels: list[tuple[str, str, bool]] | None = None  # id, label, whether it is locked
    panel: str | None = None
    may: May | None = None
    to_home: str | None = None
    sentence: str | None = None  # why something was refused
    instead: tuple[str, list[object]] | None = None  # what can be done instead: its words and the act
    guesses: dict[str, list[tuple[int, int, str, str]]] | None = None
    notes: list[str] | None = None
    score: tuple[int, int] | None = None
    compare: dict[str, object] | None = None
    covered: list[str] | None = None
    lesson: SectionShown | None = None
    home: dict[str, str] | None = None
    heads: HeadsShown | None = None
    course: list[Chapter] | None = None
    embedded: bool | None = None


@dataclass
class Leaving:
    """Another page to turn to."""

    page: str
    link: str
    language: str


@dataclass
class Data:
    """What the component is given: the answer to a request."""

    page: str
    id: int  # of the request; 0 for a page that is being opened
    state: dict[str, object]
    trail: list[tuple[str, str]]
    message: Message
    leave: Leaving | None = None
    asked: dict[str, object] | None = None  # what a panel wants done


def sent(value: Any) -> Any:
    """As JSON has it. Lists of plain values are not looked through: there are many numbers."""
    if is_dataclass(value):
        found = ((one, getattr(value, one.name)) for one in fields(value))
        return {
            one.name.rstrip("_"): sent(part)
            for one, part in found
            if part is not None or one.default is not None
        }
    if isinstance(value, list) and value and is_dataclass(value[0]):
        return [sent(part) for part in value]
    if isinstance(value, dict) and any(is_dataclass(part) for part in value.values()):
        return {key: sent(part) for key, part in value.items()}
    return value
