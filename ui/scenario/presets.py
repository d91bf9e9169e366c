"""Presets: ready scenarios, one file each in assets/presets. A new file is a new menu entry."""

import json
from dataclasses import replace
from functools import cache

from ui.paths import ASSETS
from ui.scenario.scenario import Scenario, View

FOLDER = ASSETS / "presets"


@cache
def preset_ids() -> tuple[str, ...]:
    """The ids of all presets in menu order; an id is the name of its file."""
    files = FOLDER.glob("*.json")
    return tuple(path.stem for path in sorted(files, key=lambda path: (read(path.stem)["order"], path.stem)))


@cache
def read(preset_id: str) -> dict:
    return json.loads((FOLDER / f"{preset_id}.json").read_text(encoding="utf-8"))


def load_preset(preset_id: str) -> Scenario:
    """The scenario of a preset."""
    found = read(preset_id)
    view = View(**{name: found[name] for name in ("focus", "decimals") if name in found})
    return Scenario(preset_id, found["function"], found["arrays"], found["options"], found["names"], view)


def load_beside(preset_id: str) -> Scenario | None:
    """The other reading of a preset, wrong or merely another, that is shown beside it; None without one."""
    changes = read(preset_id).get("beside")
    if changes is None:
        return None
    own = load_preset(preset_id)
    arrays = {**own.arrays, **changes.get("arrays", {})}
    arrays = {name: rows for name, rows in arrays.items() if rows is not None}
    other = replace(own, function=changes.get("function", own.function), arrays=arrays)
    return other.with_options(**changes.get("options", {}))
