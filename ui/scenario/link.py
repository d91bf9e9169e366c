"""The link: a whole scenario in the address bar, and nothing believed that comes from there.

A link is a version number and, packed, what differs from the preset: function, arrays, options, names, view,
locked controls and the start that a teacher shared. Reading checks length, then size while unpacking, then
every value against its bounds, before anything is computed.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TypeGuard

from attention_core import AttentionError
from ui.limits import LARGEST, MOST_ALONG_AN_AXIS, MOST_AXES, MOST_SIDE_BY_SIDE
from ui.models import ModelMissingError
from ui.scenario.presets import load_preset, preset_ids
from ui.scenario.scenario import ELSEWHERE, HERE, PICTURES, Locks, Scenario, View
from ui.scenario.source import read_source
from ui.scenario.sourced import base_of, of_source
from ui.scenario.structure import ARRAYS, RELATED, is_whole
from ui.words import languages

VERSION = "2"
READABLE = ("1", "2")  # a link of version 1 knew fewer settings; what it says means the same
MOST_CHARACTERS = 7_500  # of a link's state; common proxies take request lines of 8,000
MOST_KEPT = 3_000  # of a state within a link: one to compare with, or the start that a teacher shared
MOST_BYTES = 60_000  # unpacked
MOST_IN_A_NAME = 24  # characters
SORTS = (
    "kind",
    "previous",
    "next",
    "same",
    "repeated",
    "first",
    "sink",
    "broad",
    "sharp",
    "noticed",
)

# Matrices that a teacher's link may fix one by one.
LOCKED_ALONE = ("x", "memory", "w_q", "w_k", "w_v", "w_o", "w_qkv", "attn_mask")
# What a teacher's link may lock or hide.
CONTROLS = (
    "preset",
    "heads",
    "mask",
    "scale",
    "decimals",
    "more",
    "upload",
    "take",
    "edit",
    "predict",
    "compare",
)
LOCKED = (*CONTROLS, *(f"edit_{name}" for name in LOCKED_ALONE))  # what may be locked; a matrix is not hidden


class LinkError(ValueError):
    """A link that cannot be read; `.code` says why, `.facts` what is needed."""

    def __init__(self, code: str, **facts):
        super().__init__(code)
        self.code, self.facts = code, facts


def whole(least: int, most: int) -> Callable[[object], bool]:
    return lambda value: type(value) is int and least <= value <= most


def real(least: float, most: float) -> Callable[[object], bool]:
    return lambda value: is_number(value) and least <= value <= most


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value of JSON is a number; to Python a flag is one too."""
    return type(value) in (int, float)


def is_flag(value: object) -> bool:
    return type(value) is bool


def is_window(value: object) -> bool:
    inside = whole(0, MOST_ALONG_AN_AXIS)
    return isinstance(value, list) and len(value) == 2 and all(side is None or inside(side) for side in value)


def is_mask(value: object) -> bool:
    """Rows of booleans, or of numbers with None for −∞, all as long."""
    inside = real(-LARGEST, LARGEST)

    def is_row(row: object, fits: Callable[[object], bool]) -> bool:
        return isinstance(row, list) and 0 < len(row) <= MOST_ALONG_AN_AXIS and all(map(fits, row))

    if not isinstance(value, list) or not 0 < len(value) <= MOST_ALONG_AN_AXIS:
        return False
    boolean = all(is_row(row, lambda cell: type(cell) is bool) for row in value)
    numbers = all(is_row(row, lambda cell: cell is None or inside(cell)) for row in value)
    return (boolean or numbers) and len({len(row) for row in value}) == 1


def is_name(value: object) -> bool:
    """Plain text of one short line."""
    return isinstance(value, str) and len(value) <= MOST_IN_A_NAME and value.isprintable()


def is_names(value: object) -> bool:
    return isinstance(value, list) and 0 < len(value) <= MOST_SIDE_BY_SIDE and all(map(is_name, value))


def is_table(value: object, fits: Callable[[object], bool]) -> bool:
    """A few ids, each with a value that fits."""
    if not isinstance(value, dict) or len(value) > 12:
        return False
    return all(is_id(name) and fits(one) for name, one in value.items())


def is_id(value: object) -> bool:
    return isinstance(value, str) and value.isidentifier() and len(value) <= 20


def are_of(controls: tuple[str, ...]) -> Callable[[object], bool]:
    return lambda value: (
        isinstance(value, list) and len(value) <= len(controls) and all(one in controls for one in value)
    )


# Every option a link may carry, with what it may be. None: the preset has it, the learner took it away.
OPTIONS: dict[str, Callable[[object], bool]] = {
    "n_heads": whole(1, 16),
    "n_kv_heads": whole(1, 16),
    "attn_ratio": real(0.01, 4),
    "is_causal": is_flag,
    "per_head": is_flag,
    "split": lambda value: value == "view",
    "window": is_window,
    "scale": real(-1e6, 1e6),
    "softcap": real(0, 1e6),
    "dropout_p": real(0, 0.99),
    "rng": whole(0, 10**9),
    "masked_fill": lambda value: value == -1e9,
    "attn_mask": is_mask,
}
VIEW: dict[str, Callable[[object], bool]] = {
    "step": is_id,
    "cell": lambda value: isinstance(value, list) and (not value or is_cell(value)),
    "focus": whole(0, 100_000),
    "picture": lambda value: value in PICTURES,
    "head": whole(0, 1000),
    "batch": whole(0, 1000),
    "decimals": whole(0, 6),
    "all_heads": is_flag,
    "predict": is_flag,
    "lens": lambda value: is_table(value, whole(0, 100_000)),
    "kept": lambda value: is_inner_link(value),
    "moment": whole(
        0, 20
    ),  # the section of a lesson: links keep the name that it had when they were first written
    "knobs": lambda value: is_table(value, real(-LARGEST, LARGEST)),
    "language": lambda value: value in languages(),
    "sort": lambda value: value in SORTS,
}

LOCKS: dict[str, Callable[[object], bool]] = {"locked": are_of(LOCKED), "hidden": are_of(CONTROLS)}


def is_inner_link(value: object) -> bool:
    """Text that may be a link within a link: see `can_be_within`."""
    return isinstance(value, str) and len(value) <= MOST_KEPT and value.isascii()


def is_cell(value: list) -> bool:
    """[matrix, row, column], and which of Q, K and V where all three stand in one array."""
    inside = whole(0, 100_000)
    return len(value) in (3, 4) and is_id(value[0]) and all(map(inside, value[1:]))


def write_link(scenario: Scenario) -> str:
    """The state of a scenario as the text that goes into the address bar."""
    preset = base_of(scenario)
    arrays = {
        name: short(value) for name, value in scenario.arrays.items() if value != preset.arrays.get(name)
    }
    options = {name: value for name, value in scenario.options.items() if value != preset.options.get(name)}
    arrays |= {name: None for name in preset.arrays if name not in scenario.arrays}
    options |= {name: None for name in preset.options if name not in scenario.options}
    names = {axis: list(names) for axis, names in scenario.names.items() if names != preset.names.get(axis)}
    parts = {"p": scenario.preset, "a": arrays, "o": options, "n": names}
    view = changed_fields(scenario.view, View())
    if "section" in view:
        view["moment"] = view.pop("section")
    parts |= {"v": view, "l": changed_fields(scenario.locks, Locks())}
    parts |= {"f": scenario.function if scenario.function != preset.function else "", "b": scenario.start}
    parts |= {"m": scenario.source and scenario.source.written()}
    text = json.dumps({key: part for key, part in parts.items() if part}, separators=(",", ":"))
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(text.encode()) + packer.flush()
    return VERSION + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def changed_fields(one, plain) -> dict[str, object]:
    """The fields of `one` that differ from `plain`."""
    usual = asdict(plain)
    return {name: value for name, value in asdict(one).items() if value != usual[name]}


def short(value: object) -> object:
    """Numbers with as many digits as anyone types, whole ones without a point."""
    if isinstance(value, list):
        return [short(part) for part in value]
    rounded = float(f"{value:.9g}")
    return int(rounded) if rounded.is_integer() else rounded


def read_link(link: str) -> Scenario:
    """The scenario of a link, whatever is written there, or LinkError.

    It `is_whole`. A link within it that cannot be read is left out: the work does not depend on it.
    """
    found = read_outermost(link)
    if found.start not in ("", HERE, ELSEWHERE) and not can_be_within(found.start):
        found = replace(found, start="")
    return found if can_be_within(found.view.kept) else found.looking(kept="")


def can_be_within(link: str) -> bool:
    """Whether a link within a link can be read; none that was written here holds a further one."""
    try:
        found = read_outermost(link) if link else None
    except LinkError:
        return False
    return found is None or not (found.start or found.view.kept)


def read_outermost(link: str) -> Scenario:
    """The scenario of a link; the links within it are not read."""
    if len(link) > MOST_CHARACTERS:
        raise LinkError("long")
    if link[:1] not in READABLE:
        raise LinkError("version")
    parts = unpack(link[1:])
    if not isinstance(parts, dict) or not set(parts) <= {"p", "f", "a", "o", "v", "n", "l", "b", "m"}:
        raise LinkError("broken")
    if parts.get("p") not in preset_ids():
        raise LinkError("preset")
    preset = read_model(parts["m"]) if "m" in parts else load_preset(parts["p"])
    function = parts.get("f", preset.function)
    if function not in (preset.function, RELATED.get(preset.function, preset.function)):
        raise LinkError("value")
    options = checked(parts.get("o", {}), OPTIONS, may_be_none=True)
    arrays = {**preset.arrays, **read_arrays(parts.get("a", {}), function)}
    arrays = {name: rows for name, rows in arrays.items() if rows is not None}
    names = {**preset.names, **read_names(parts.get("n", {}))}
    found = replace(preset, function=function, arrays=arrays, names=names).with_options(**options)
    found = replace(found, view=View())
    if not is_whole(found):
        raise LinkError("value")
    return seen_from(found, parts)


def read_model(given: object) -> Scenario:
    """The layer of a trained model that a link names, where that model is here."""
    source = read_source(given)
    if source is None:
        raise LinkError("value")
    try:
        return of_source(source)
    except ModelMissingError:
        raise LinkError("model", model=source.model, hash=source.hash) from None
    except (AttentionError, ValueError):
        raise LinkError("value") from None


def seen_from(scenario: Scenario, parts: dict) -> Scenario:
    """The scenario with what a link says of its view, its locks and its start."""
    view, locks = checked(parts.get("v", {}), VIEW), checked(parts.get("l", {}), LOCKS)
    if not is_inner_link(parts.get("b", "")):
        raise LinkError("value")
    if "cell" in view:
        view["cell"] = tuple(view["cell"])
    if "moment" in view:
        view["section"] = view.pop("moment")
    locks = Locks(**{name: tuple(ids) for name, ids in locks.items()})
    return replace(scenario, locks=locks, start=parts.get("b", "")).looking(**view)


def unpack(text: str) -> object:
    """The JSON inside, unpacked to no more than MOST_BYTES."""
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj(wbits=-15)
        plain = unpacker.decompress(packed, MOST_BYTES)
        if unpacker.unconsumed_tail or not unpacker.eof or unpacker.unused_data:
            raise LinkError("broken")
        return json.loads(plain, parse_int=read_whole)
    except (binascii.Error, zlib.error, ValueError, RecursionError) as error:
        if isinstance(error, LinkError):
            raise
        raise LinkError("broken") from None


def read_whole(digits: str) -> int | float:
    """A whole number; one beyond every bound as a float, for which there is an infinity."""
    return int(digits) if len(digits) < 20 else float(digits)


def checked(given: object, rules: dict[str, Callable], may_be_none: bool = False) -> dict:
    """`given` when every entry has a rule and keeps it."""
    if not isinstance(given, dict):
        raise LinkError("broken")
    for name, value in given.items():
        if name not in rules:
            raise LinkError("value")
        if not (value is None and may_be_none) and not rules[name](value):
            raise LinkError("value")
    return given


def read_arrays(given: object, function: str) -> dict[str, list | None]:
    """Arrays the function takes, with as many axes as it allows; None takes one of the preset's away."""
    if not isinstance(given, dict):
        raise LinkError("value")
    for name, rows in given.items():
        if rows is None:
            continue
        if name not in ARRAYS[function]:
            raise LinkError("value")
        shape = shape_of(rows, most_along(name))
        if shape is None or len(shape) not in ARRAYS[function][name]:
            raise LinkError("array")
    return given


def read_names(given: object) -> dict[str, list[str]]:
    """Names of places, by axis."""
    if not isinstance(given, dict) or len(given) > 20:
        raise LinkError("value")
    if not all(is_id(axis) and is_names(names) for axis, names in given.items()):
        raise LinkError("value")
    return given


def most_along(name: str) -> int:
    """The longest axis of an array that a learner may give."""
    return MOST_SIDE_BY_SIDE if name.endswith("qkv") else MOST_ALONG_AN_AXIS


def shape_of(rows: object, most: int, n_axes: int = MOST_AXES) -> tuple[int, ...] | None:
    """The shape of lists of numbers within bounds, nested at most `n_axes` deep, or None."""
    if not isinstance(rows, list):
        return () if is_number(rows) and abs(rows) <= LARGEST else None
    if n_axes == 0 or not 0 < len(rows) <= most:
        return None
    shapes = {shape_of(row, most, n_axes - 1) for row in rows}
    [shape] = shapes if len(shapes) == 1 else [None]
    return None if shape is None else (len(rows), *shape)


def fits_a_link(name: str, shape: tuple[int, ...]) -> bool:
    """Whether an array is small enough to be typed and to travel in a link."""
    return len(shape) <= MOST_AXES and max(shape, default=0) <= most_along(name)
