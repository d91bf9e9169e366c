"""Home without a browser: what it shows, which acts it takes, and that every line of its arithmetic is true."""

import json
import re
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import node
from tests.learner import Reader
from tests.student import LESSONS
from ui.message.types import sent
from ui.page.home import EXAMPLE, HOME, STEPS
from ui.page.request import arrival
from ui.paths import STATIC
from ui.scenario.link import read_link, write_link
from ui.scenario.presets import load_preset
from ui.scenario.scenario import Locks
from ui.words import all_words, languages

NAMES = ["The", "cat", "sat", "on", "the", "mat", "."]


def test_home_shows_the_sentence():
    message = Reader(HOME).message
    outline = message["new_outline"]
    assert [matrix["key"] for matrix in outline["matrices"]] == STEPS
    weights = message["values"][STEPS.index("weights")]
    assert outline["matrices"][STEPS.index("weights")]["columns"] == NAMES
    np.testing.assert_allclose(
        weights[1], [0.0795, 0.0795, 0.6630, 0.0795, 0.0795, 0.0095, 0.0095], atol=5e-5
    )
    np.testing.assert_allclose(message["values"][STEPS.index("head_outputs")][1], [0.2384, 0.8410], atol=5e-5)
    assert (message["view"]["focus"], message["view"]["head"], message["view"]["heads"]) == (1, 0, 2)
    assert outline["plan"]  # the browser computes every edit itself
    assert not outline.get("stages")
    assert [matrix["key"] for matrix in outline["matrices"] if matrix["editable"]] == ["x"]


def test_what_is_done_on_home_is_in_its_link():
    me = Reader(HOME).do("focus", 5).do("head", 1).do("edit", "x", 5, 0, "-1.5")
    assert me.values("x")[5] == [-1.5, 2, 0, 1]
    again = Reader(HOME, me.link)
    assert (again.scenario.view.focus, again.scenario.view.head) == (5, 1)
    assert again.scenario.computes_as(me.scenario)
    me.do("undo")
    assert me.values("x")[5] == [0, 2, 0, 1]
    me.do("redo")
    assert me.values("x")[5] == [-1.5, 2, 0, 1]
    me.do_all(["drag", "edit", "x", 5, 0, "3"], ["on", "edit", "x", 5, 0, "4"])
    assert me.values("x")[5][0] == 4
    me.do("back", "edit", "x", 5, 0, "-1.5")
    assert me.values("x")[5][0] == -1.5


def test_home_refuses_with_a_sentence_and_knows_no_other_acts():
    me = Reader(HOME).do("edit", "x", 1, 0, "one")
    assert "one" in me.sentence
    assert me.scenario.computes_as(load_preset(EXAMPLE))
    me.do("choose", "mask", "causal").do("rename", "x", "token", 0, "A").do(
        "edit", "x", 1, 0, "1 2\n3 4\n" * 9
    )
    assert me.scenario.computes_as(load_preset(EXAMPLE))
    assert me.scenario.names == load_preset(EXAMPLE).names
    assert "instead" not in me.message  # home cannot be enlarged


def test_of_a_foreign_link_home_takes_the_language_alone():
    for foreign in ("causal", "pixels_2x2", "vit_base"):
        answer = HOME.respond(arrival(write_link(load_preset(foreign).looking(language="vi"))), "en")
        assert answer.now.scenario.computes_as(load_preset(EXAMPLE))
        assert answer.words.language == "vi"


def test_of_a_link_of_the_lab_with_this_sentence_home_takes_the_numbers_and_no_locks():
    scenario = load_preset(EXAMPLE).edited("x", {(1, 1): 7.0}).renamed("token", 7, 1, "**dog**")
    link = write_link(scenario.looking(step="scores", focus=2, cell=("scores", 0, 1)))
    me = Reader(HOME, link)
    assert me.scenario.computes_as(scenario)
    assert me.message["new_outline"]["matrices"][0]["rows"][1] == "**dog**"
    assert (me.scenario.view.focus, me.scenario.view.cell, me.scenario.locks) == (2, (), Locks())


def test_the_lab_is_opened_with_the_numbers_of_home():
    me = Reader(HOME).do("edit", "x", 1, 1, "-3").do("focus", 4).do("go", "numbers", "")
    assert me.answer.leave.page == "lab"
    scenario = read_link(me.answer.leave.link)
    assert scenario.computes_as(me.scenario)
    assert scenario.view.focus == 4
    left = write_link(load_preset("causal"))
    me.do("go", "lab", left)  # from the header: as it was left
    assert read_link(me.answer.leave.link).preset == "causal"


def test_the_course_is_in_chapters_in_the_order_of_the_lessons():
    course = Reader(HOME).message["course"]
    assert [lesson["id"] for chapter in course for lesson in chapter["lessons"]] == list(LESSONS)
    assert [len(chapter["lessons"]) for chapter in course] == [2, 3, 3, 5, 1]
    assert [lesson["id"] for lesson in course[-1]["lessons"]] == ["practice"]
    drawn = (STATIC / "home" / "marks.js").read_text("utf-8")
    assert all(f"  {chapter['id']}: () =>" in drawn for chapter in course)
    assert all(3 <= len(card["sections"]) <= 7 for chapter in course for card in chapter["lessons"])


def test_no_word_of_home_is_left_over():
    scripts = "".join(path.read_text("utf-8") for path in (STATIC / "home").glob("*.js")).replace(
        "look.words.", ""
    )
    words = {key.removeprefix("home.") for key in all_words("en") if key.startswith("home.")}
    said = set(re.findall(r"words\.(\w+)", scripts))
    said |= {f"of_{step}" for step in ("scores", "scaled", "weights", "head_outputs")} | {
        "of_weights_shifted"
    }
    bench = {"do_undo", "do_redo", "key_space", "keys_list"}  # which other pages have too
    assert said - bench == words
    shown = {chapter["id"] for chapter in Reader(HOME).message["course"]}
    assert {key.removeprefix("chapter.") for key in all_words("en") if key.startswith("chapter.")} == shown


# The arithmetic


def shown_by_the_browser(readers):
    cases = [
        {"told": sent(reader.answer.message), "focus": reader.scenario.view.focus, "heads": 2, "names": NAMES}
        for reader in readers
    ]
    found = node.run(node.TESTS / "home.mjs", given="\n".join(map(json.dumps, cases)))
    assert found.returncode == 0, found.stderr
    return [json.loads(line) for line in found.stdout.splitlines()]


NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")


def value_of(text):
    """What an expression of the page comes to."""
    plain = text.replace("−", "-").replace("·", "*").replace("√", "root").strip()
    plain = re.sub(r"\be\^\(", "power(", plain)
    plain = NUMBER.sub(lambda found: f'Decimal("{found[0]}")', plain)
    plain = re.sub(r'root(Decimal\("[^"]+"\))', r"\1.sqrt()", plain)
    return eval(plain, {"Decimal": Decimal, "power": lambda number: number.exp()})


def agrees(expression, result):
    """Whether what is printed gives the result as it is printed."""
    with localcontext(prec=60):
        printed = value_of(result)
        found = value_of(expression) if isinstance(expression, str) else sum(map(value_of, expression))
        if "e" in result:
            return agrees_in_digits([found], result)
        decimals = len(result.partition(".")[2]) or 2  # all of them are 0 where none is written
        return abs(found - printed) <= Decimal(1).scaleb(-decimals) / 2


def check(works):
    for work in works:
        columns, beside = work["columns"], work["beside"]
        match work["step"]:
            case "weights":
                total = beside[0]
                assert agrees_in_digits([column[0].split(" ")[2] for column in columns], total), work
                for power, share, result in columns:
                    if " ≈ 0" in power:
                        assert value_of(power.split(" ")[0]) < Decimal("1e-299")
                        assert (share, result) == (f"0 / {total}", "= 0")
                        continue
                    expression, value = power.split(" = ")
                    assert agrees_in_digits([expression], value), power
                    assert share == f"{value} / {total}"
                    assert agrees(share, result.removeprefix("= ")), (share, result)
            case "head_outputs":
                for place, result in enumerate(beside):
                    terms = [column[place].removeprefix("+ ") for column in columns]
                    assert agrees(terms, result.removeprefix("= ")), (terms, result)
            case _:
                for expression, result in columns:
                    assert agrees(expression, result.removeprefix("= ")), (expression, result)


def agrees_in_digits(expressions, result):
    """The same for numbers with significant digits, at least three: zeros at their end are not written."""
    with localcontext(prec=60):
        printed = value_of(result)
        found = sum(value_of(one) if isinstance(one, str) else one for one in expressions)
        digits = max(3, len(re.sub(r"e.*|\D", "", result).lstrip("0")))
        unit = Decimal(1).scaleb(printed.adjusted() - digits + 1) if printed else Decimal("1e-9")
        return abs(found - printed) <= unit / 2


def test_every_printed_line_is_true():
    readers = [Reader(HOME).do("focus", focus) for focus in range(7)]
    for shown in shown_by_the_browser(readers):
        for works in shown["works"]:
            check(works)


def test_the_arithmetic_is_that_of_the_sketch():
    [shown] = shown_by_the_browser([Reader(HOME)])
    scores, scaled, weights, outputs = shown["works"][0]
    assert scores["columns"][2] == ["0·3 + 3·2", "= 6"]
    assert scaled["columns"][2] == ["6 / √2", "= 4.24"]
    assert weights["columns"][2] == ["e^(4.2426) = 69.59", "69.59 / 105", "= 0.66"]
    assert outputs["beside"] == ["= 0.24", "= 0.84"]
    assert shown["said"][0] == "In head 0, “cat” looks most at “sat” (0.66)."
    assert shown["said"][1] == "In head 1, “cat” looks most at “.” (0.46)."


def test_equal_weights_are_said_to_be_equal():
    even = Reader(HOME).do("edit", "x", 1, 0, "0 0 0 0")
    two = Reader(HOME).do("focus", 0)
    said = [shown["said"] for shown in shown_by_the_browser([even, two])]
    assert said[0][0] == "In head 0, “cat” looks equally at every word (0.14 each)."
    weights = two.trace["weights"][0, 0]
    most = [NAMES[key] for key in np.flatnonzero(weights > weights.max() - 1e-9)]
    assert all(f"“{name}”" in said[1][0] for name in most)


ENTRIES = st.one_of(
    st.integers(-6, 6).map(str),
    st.floats(-9, 9).map(lambda value: f"{value:.3f}"),
    st.sampled_from(["40", "-30", "0.001"]),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(ENTRIES, min_size=28, max_size=28), st.integers(0, 6))
def test_every_printed_line_is_true_of_any_numbers(entries, focus):
    rows = "\n".join("\t".join(entries[4 * row : 4 * row + 4]) for row in range(7))
    [shown] = shown_by_the_browser([Reader(HOME).do("edit", "x", 0, 0, rows).do("focus", focus)])
    for works in shown["works"]:
        check(works)


@pytest.mark.parametrize("language", languages())
def test_home_speaks_every_language(language):
    message = Reader(HOME, language=language).message
    assert message["home"]["tagline"] == all_words(language)["home.tagline"]
    assert message["course"][0]["title"] == all_words(language)["chapter.one_head"]
