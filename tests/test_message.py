"""What the browser gets has one form: its types, the same in the browser's words, and nothing beside them."""

import json
import types as python_types
from dataclasses import fields, is_dataclass
from typing import Union, get_args, get_origin, get_type_hints

import pytest

from tests.hostile.tried import pages
from tests.learner import Learner
from ui.message import types
from ui.message.jsdoc import FILE, written
from ui.message.types import sent
from ui.page.request import arrival
from ui.scenario.presets import preset_ids


def test_the_browser_has_the_same_types():
    assert FILE.read_text("utf-8") == written(), "python -m ui.message.jsdoc writes them anew"


def test_a_field_that_the_types_do_not_have_is_refused():
    kinds = [kind for kind in vars(types).values() if is_dataclass(kind)]
    assert len(kinds) > 10
    for kind in kinds:
        names = {one.name for one in fields(kind)}
        assert "colour" not in names
        try:
            kind(**dict.fromkeys(names), colour=1)
        except TypeError:
            continue
        raise AssertionError(kind)


def test_every_page_sends_what_json_can_say_and_nothing_that_is_not_there():
    for page in pages():
        data = sent(page.respond(arrival(""), "en").data())
        again = json.loads(json.dumps(data, allow_nan=False))
        assert again["page"] == page.name
        assert set(again["message"]) <= {one.name for one in fields(types.Message)}
        assert None not in [again["message"][name] for name in again["message"]]


def misfits(value, kind, where=""):
    """The places of JSON in which something else stands than the type says."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, python_types.UnionType):
        return [] if any(not misfits(value, part) for part in parts) else [f"{where}: {value!r:.60}"]
    if is_dataclass(kind) and isinstance(value, dict):
        hints = {name.rstrip("_"): hint for name, hint in get_type_hints(kind).items()}
        each = [(part, hints[name], name) for name, part in value.items()]
    elif origin is tuple and isinstance(value, list) and len(value) == len(parts):
        each = [(*pair, str(place)) for place, pair in enumerate(zip(value, parts, strict=True))]
    elif origin is list and isinstance(value, list):
        each = [(part, parts[0], "[]") for part in value]
    elif origin is dict and isinstance(value, dict):
        each = [(part, parts[1], name) for name, part in value.items()]
    else:
        plain = {float: (int, float), type(None): type(None)}.get(kind, kind if origin is None else ())
        fits = kind is object or (isinstance(value, plain) and (kind is bool) == isinstance(value, bool))
        return [] if fits else [f"{where}: {value!r:.60}"]
    return [found for part, hint, name in each for found in misfits(part, hint, f"{where}.{name}")]


def sent_as_json(answer):
    return json.loads(json.dumps(sent(answer.data())))


def test_every_page_sends_what_the_types_say():
    for page in pages():
        assert misfits(sent_as_json(page.respond(arrival(""), "en")), types.Data) == []


@pytest.mark.parametrize("preset_id", preset_ids())
def test_the_lab_sends_what_the_types_say(preset_id):
    learner = Learner(preset_id).do("keep").do("cell", "weights", 0, 0)
    assert misfits(sent_as_json(learner.answer), types.Data) == []
    learner.do("predict", True).do("guess", "weights", 0, 0, "0.5")
    assert misfits(sent_as_json(learner.answer), types.Data) == []


def test_a_field_of_another_type_is_seen():
    data = sent_as_json(Learner("pixels_2x2").answer)
    assert misfits(data, types.Data) == []
    data["message"]["view"]["head"] = True
    data["message"]["values"][0][0][0] = "1"
    data["trail"] = [["link"]]
    places = [place.partition(":")[0] for place in misfits(data, types.Data)]
    assert sorted(places) == [".message.values.[].[].[]", ".message.view.head", ".trail.[]"]
