"""The link: a whole scenario in the address bar, and nothing believed that comes from there.

A link is a version number and, packed, what differs from the preset: arrays, options, view. Reading checks
length, then size while unpacking, then every value against its bounds, before anything is computed.
"""

import base64
import binascii
import json
import math
import zlib
from collections.abc import Callable
from dataclasses import asdict

import numpy as np

from ui.presets import load_preset, preset_ids
from ui.scenario import Scenario, View, array_shape

VERSION = "1"
MOST_CHARACTERS = 7_500  # of a link's state; common proxies take request lines of 8,000
MOST_BYTES = 60_000  # unpacked
MOST_ALONG_AN_AXIS = 16  # of an array that is not the preset's own
MOST_AXES = 4
LARGEST = 1e9


class LinkError(ValueError):
    """A link that cannot be read; `.code` says why."""

    def __init__(self, code: str):
        super().__init__(code)
        self.code = code


def whole(least: int, most: int) -> Callable[[object], bool]:
    return lambda value: type(value) is int and least <= value <= most


def real(least: float, most: float) -> Callable[[object], bool]:
    return lambda value: type(value) in (int, float) and least <= value <= most


def is_window(value: object) -> bool:
    inside = whole(0, MOST_ALONG_AN_AXIS)
    return isinstance(value, list) and len(value) == 2 and all(side is None or inside(side) for side in value)


def is_mask(value: object) -> bool:
    """Rows of booleans, all as long."""

    def is_row(row: object) -> bool:
        return (
            isinstance(row, list) and 0 < len(row) <= MOST_ALONG_AN_AXIS and all(type(c) is bool for c in row)
        )

    rows = isinstance(value, list) and 0 < len(value) <= MOST_ALONG_AN_AXIS and all(map(is_row, value))
    return rows and len({len(row) for row in value}) == 1


# Every option a link may carry, with what it may be. None: the preset has it, the learner took it away.
OPTIONS: dict[str, Callable[[object], bool]] = {
    "n_heads": whole(1, 16),
    "n_kv_heads": whole(1, 16),
    "attn_ratio": real(0.01, 4),
    "is_causal": lambda value: type(value) is bool,
    "window": is_window,
    "scale": real(-1e6, 1e6),
    "softcap": real(0, 1e6),
    "dropout_p": real(0, 0.99),
    "rng": whole(0, 10**9),
    "masked_fill": lambda value: value == -1e9,
    "attn_mask": is_mask,
}

VIEW: dict[str, Callable[[object], bool]] = {
    "step": lambda value: isinstance(value, str) and value.isidentifier() and len(value) <= 20,
    "cell": lambda value: isinstance(value, list) and (not value or is_cell(value)),
    "head": whole(0, 1000),
    "batch": whole(0, 1000),
    "decimals": whole(0, 6),
}


def is_cell(value: list) -> bool:
    inside = whole(0, 1000)
    return len(value) == 3 and VIEW["step"](value[0]) and inside(value[1]) and inside(value[2])


def write_link(scenario: Scenario) -> str:
    """The state of a scenario as the text that goes into the address bar."""
    preset = load_preset(scenario.preset)
    arrays = {
        name: short(value) for name, value in scenario.arrays.items() if value != preset.arrays.get(name)
    }
    options = {name: value for name, value in scenario.options.items() if value != preset.options.get(name)}
    options |= {name: None for name in preset.options if name not in scenario.options}
    plain_view = asdict(View())
    view = {name: value for name, value in asdict(scenario.view).items() if value != plain_view[name]}
    parts = {"p": scenario.preset, "a": arrays, "o": options, "v": view}
    text = json.dumps({key: part for key, part in parts.items() if part}, separators=(",", ":"))
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(text.encode()) + packer.flush()
    return VERSION + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def short(value: object) -> object:
    """Numbers with as many digits as anyone types, whole ones without a point."""
    if isinstance(value, list):
        return [short(part) for part in value]
    rounded = float(f"{value:.9g}")
    return int(rounded) if rounded.is_integer() else rounded


def read_link(link: str) -> Scenario:
    """The scenario of a link, or LinkError."""
    if len(link) > MOST_CHARACTERS:
        raise LinkError("long")
    if link[:1] != VERSION:
        raise LinkError("version")
    parts = unpack(link[1:])
    if not isinstance(parts, dict) or not set(parts) <= {"p", "a", "o", "v"}:
        raise LinkError("broken")
    if parts.get("p") not in preset_ids():
        raise LinkError("preset")
    scenario = load_preset(parts["p"])
    options = checked(parts.get("o", {}), OPTIONS, may_be_none=True)
    view = checked(parts.get("v", {}), VIEW)
    if "cell" in view:
        view["cell"] = tuple(view["cell"])
    changed = Scenario(
        scenario.preset,
        scenario.function,
        {**scenario.arrays, **read_arrays(parts.get("a", {}), scenario)},
        scenario.options,
        scenario.names,
    )
    return changed.with_options(**options).looking(**view)


def unpack(text: str) -> object:
    """The JSON inside, unpacked to no more than MOST_BYTES."""
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj(wbits=-15)
        plain = unpacker.decompress(packed, MOST_BYTES)
        if unpacker.unconsumed_tail or not unpacker.eof or unpacker.unused_data:
            raise LinkError("broken")
        return json.loads(plain)
    except (binascii.Error, zlib.error, ValueError, RecursionError) as error:
        if isinstance(error, LinkError):
            raise
        raise LinkError("broken") from None


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


def read_arrays(given: object, scenario: Scenario) -> dict[str, list]:
    """Arrays of the preset with other numbers or sizes, as many axes as there."""
    if not isinstance(given, dict) or not set(given) <= set(scenario.arrays):
        raise LinkError("value")
    for name, rows in given.items():
        shape = shape_of(rows)
        if shape is None or len(shape) != len(array_shape(scenario.arrays[name])):
            raise LinkError("array")
    return given


def shape_of(rows: object) -> tuple[int, ...] | None:
    """The shape of nested lists of finite numbers within bounds, or None."""
    if not isinstance(rows, list):
        fits = type(rows) in (int, float) and math.isfinite(rows) and abs(rows) <= LARGEST
        return () if fits else None
    if not 0 < len(rows) <= MOST_ALONG_AN_AXIS:
        return None
    shapes = {shape_of(row) for row in rows}
    [shape] = shapes if len(shapes) == 1 else [None]
    return None if shape is None or len(shape) >= MOST_AXES else (len(rows), *shape)


def fits_a_link(value: np.ndarray) -> bool:
    """Whether an array is small enough to be typed and to travel in a link."""
    return value.ndim <= MOST_AXES and max(value.shape, default=0) <= MOST_ALONG_AN_AXIS
