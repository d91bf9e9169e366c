"""What the browser gets has one form: its types, the same in the browser's words, and nothing beside them."""

import json
from dataclasses import fields, is_dataclass

from tests.hostile.tried import pages
from ui.message import types
from ui.message.jsdoc import FILE, written
from ui.message.types import sent
from ui.page.request import arrival


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
