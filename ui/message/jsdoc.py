"""Writes static/message/message.js: the types of ui/message/types.py as JSDoc, for the checks of the scripts.

python -m ui.message.jsdoc
"""

import types as python_types
import typing
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from ui.message import types
from ui.paths import STATIC

FILE = STATIC / "message" / "message.js"
HEAD = """// @ts-check
// What the server sends. Written by `python -m ui.message.jsdoc` from ui/message/types.py; not by hand.
"""
NAMES = {str: "string", int: "number", float: "number", bool: "boolean", object: "any", type(None): "null"}


def name_of(kind: Any) -> str:
    """A type of Python as JSDoc writes it."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is list:
        return f"Array<{name_of(parts[0])}>"
    if origin is tuple:
        return f"[{', '.join(map(name_of, parts))}]"
    if origin is dict:
        return f"Object<string, {name_of(parts[1])}>"
    if origin in (typing.Union, python_types.UnionType):
        return "|".join(dict.fromkeys(map(name_of, parts)))
    return NAMES.get(kind) or kind.__name__


def property_of(one, kind: object) -> str:
    """A field; one that may be None is not there then."""
    others = [part for part in typing.get_args(kind) if part is not type(None)]
    optional = one.default is not MISSING and one.default is None
    name = one.name.rstrip("_")
    shown = "|".join(dict.fromkeys(map(name_of, others))) if optional and others else name_of(kind)
    return f" * @property {{{shown}}} {f'[{name}]' if optional else name}"


def written() -> str:
    """The whole file."""
    found = [HEAD]
    for kind in vars(types).values():
        if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == types.__name__:
            hints = typing.get_type_hints(kind)
            lines = [property_of(one, hints[one.name]) for one in fields(kind)]
            says = (kind.__doc__ or "").partition("\n")[0]
            head = f" * {says}\n * @typedef {{object}} {kind.__name__}"
            found.append("\n".join(["/**", head, *lines, " */\n"]))
    return "\n".join([*found, "export {};\n"])


if __name__ == "__main__":
    FILE.write_text(written(), "utf-8")
