"""Lesson 8: its figures come from the computation, and show what the text says."""

import math

import numpy as np
import pytest

from attention_core import failed_checks, softmax
from ui.course.lessons import softmax as shares
from ui.scenario.link import read_link


def kept(page):
    """Which rules of shares are kept, by the table of the section."""
    return [line[1] for line in page.blocks[2]["rows"]]


def test_plain_shares_begin_well_and_can_be_broken(student):
    page = student("softmax").at("plain")
    assert kept(page) == ["✓", "✓", "✓", "1.67 ✓"]
    assert not page.panel["tried"]
    page.turn(c=-4.9)  # the sum is 0.1
    found = page.blocks[0]["blocks"][1]
    assert found["values"] == [[pytest.approx(30), pytest.approx(20), pytest.approx(-49)]]
    assert found["marks"] == [[0, 2, "wrong"]]
    assert kept(page) == ["✓", "✕", "✓", "−77 ✕"]
    assert page.panel["tried"]
    assert kept(page.turn(a=-4, c=3))[3] == "9 ✕"  # (−4, 2, 3): −4 + 2 · 2 + 3 · 3


def test_without_a_sum_there_are_no_plain_shares(student):
    page = student("softmax").at("plain").turn(a=3, b=2, c=-5)
    assert page.blocks[0]["blocks"][1]["values"] == [["∞", "∞", "−∞"]]
    assert kept(page) == ["✕", "–", "–", "–"]


def test_plain_shares_of_scores_below_zero_keep_every_rule_and_turn_the_order_round(student):
    page = student("softmax").at("plain").turn(a=-1, b=-2, c=-3)
    assert [line[:1] for line in kept(page)[:3]] == ["✓"] * 3
    assert kept(page)[3].endswith("✓")
    found = page.blocks[0]["blocks"][1]["values"][0]
    assert found == sorted(found)  # a has the highest score and the smallest share


def test_softmax_keeps_every_rule_wherever_the_scores_are(student):
    page = student("softmax").at("powers")
    for scores in ((3, 2, -1), (-5, -5, -5), (10, -5, 10), (0, 0, 0), (-1, -2, -3)):
        page.turn(**dict(zip("abc", scores, strict=True)))
        assert all(line.endswith("✓") for line in kept(page))
        given, powers, weights = (block["values"][0] for block in page.blocks[0]["blocks"])
        np.testing.assert_array_equal(given, scores)
        np.testing.assert_allclose(powers, np.exp(scores), rtol=1e-6)
        np.testing.assert_allclose(weights, softmax(scores), atol=1e-6)
    assert page.panel["tried"]


def test_the_misprint_is_found_by_its_order_not_by_its_sum(student):
    """Scores [2.3, 9.1, 0.5]: 0.001112, 0.998704, 0.000184, and not 0.002, 0.995, 0.003."""
    assert failed_checks(shares.SCORES, shares.PRINTED, 3) == ("order", "ratio", "value")
    page = student("softmax").at("misprint")
    assert page.section.ask.right == "order"
    text = {}
    for place, check in enumerate(shares.CHECKS):
        text[check] = str(page.turn(check=place).blocks[1:])
    assert "0.002 + 0.995 + 0.003 = 1'" in text["sum"]
    assert "Passed ✓" in text["sum"]
    assert "the score 2.3 of a is above the 0.5 of c, but its weight 0.002 is below 0.003" in text["order"]
    assert "e^6.8 = 897.85" in text["ratio"]
    assert "497.50 ✕" in text["ratio"]
    assert page.panel["tried"]
    right = page.blocks[1]
    np.testing.assert_allclose(right["values"], [[0.001112, 0.998704, 0.000184]], atol=5e-7)
    assert right["decimals"] == 6
    assert "0.001112, 0.998704 and 0.000184" in page.do("show").text("why")
    assert "16 times too large" in page.text("why")


def test_argmax_jumps_where_softmax_is_smooth(student):
    page = student("softmax").at("highest").turn(b=4)
    figure = next(block for block in page.blocks if block["kind"] == "plot")
    smooth, sudden = (np.array(one["y"]) for one in figure["series"])
    assert set(sudden) == {0, 1}
    place = int(sudden.argmax())
    assert figure["x"][place] == figure["x"][place - 1] == 2  # it jumps where b passes a
    assert np.diff(smooth).max() < 0.03
    assert (np.diff(smooth) >= 0).all()
    p = softmax([2, 4, 0])[1]
    assert f"its slope is {p * (1 - p):.2f}; that of argmax is 0." in page.do("show").text("why")
    assert "that of argmax is not there" in page.turn(b=2).text("why")


def test_the_jump_is_not_drawn_before_it_is_asked_for(student):
    page = student("softmax").at("highest")
    assert [len(block["series"]) for block in page.blocks if block["kind"] == "plot"] == [1]
    page.do("answer", "jump")
    assert [len(block["series"]) for block in page.blocks if block["kind"] == "plot"] == [2]


@pytest.mark.parametrize(("given", "right"), [("e", True), ("2.72", True), ("2.7", True), ("3", False)])
def test_e_is_a_number(student, given, right):
    assert student("softmax").at("powers").do("answer", given).panel["ask"]["right"] == right


def test_few_digits_are_not_called_right(student):
    page = student("softmax").at("overflow").turn(type=0, shift=1000, guard=1)
    assert "float16 keeps few digits" in page.blocks[1]["pieces"][0]
    assert "The weights are right" in page.turn(type=1).blocks[1]["pieces"][0]


@pytest.mark.parametrize("temperature", [0.05, 1, 50])
def test_temperature_goes_from_argmax_to_even_shares(student, temperature):
    page = student("softmax").at("temperature").turn(temperature=temperature)
    _, soft, hard = page.blocks[0]["values"]
    np.testing.assert_allclose(soft, softmax(np.array([2, 1, 0]) / temperature), atol=1e-6)
    assert hard == [1, 0, 0]
    assert page.panel["tried"] == (temperature == 0.05)
    bits = float(page.blocks[2]["pieces"][0].split()[1].replace("−", "-"))
    assert bits == pytest.approx({0.05: 0, 1: 1.2, 50: math.log2(3)}[temperature], abs=0.01)


@pytest.mark.parametrize(
    ("kind", "shift", "weights"),
    [
        ("float16", 0, ["0.0011", "0.9990", "0.0002"]),
        ("float16", 2, ["0", "NaN", "0"]),
        ("float32", 79, ["0.0011", "0.9987", "0.0002"]),
        ("float32", 80, ["0", "NaN", "0"]),
        ("float64", 700, ["0.0011", "0.9987", "0.0002"]),
        ("float64", 1000, ["NaN", "NaN", "NaN"]),
        ("float64", -1000, ["NaN", "NaN", "NaN"]),
    ],
)
def test_where_softmax_breaks_without_the_guard(student, kind, shift, weights):
    page = student("softmax").at("overflow").turn(type=shares.FLOAT_TYPES.index(kind), shift=shift)
    breaks = "NaN" in weights
    assert page.blocks[0]["rows"][-1][1:] == weights
    assert page.blocks[1]["tone"] == ("warning" if breaks else "")
    assert not page.panel["tried"]
    page.turn(guard=1)
    assert page.blocks[1]["tone"] == ""
    guarded = [float(number) for number in page.blocks[0]["rows"][-1][1:]]
    np.testing.assert_allclose(guarded, softmax(shares.SCORES), atol=1e-3 if kind == "float16" else 6e-5)
    assert page.panel["tried"] == breaks


def test_the_limits_of_the_float_types_are_told(student):
    why = student("softmax").at("overflow").do("show").text("why")
    assert "float16 ends at a score of 11.09, float32 at 88.72, float64 at 709.78" in why


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1, "1"),
        (-68, "−68"),
        (0.25, "0.2500"),
        (8955.29, "8955"),
        (1.2e38, "1.2e38"),
        (3e-5, "3e−5"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "NaN"),
    ],
)
def test_numbers_of_any_size_are_brief(student, value, text):
    assert shares.brief(student("softmax").here, value) == text


@pytest.mark.parametrize(
    ("section", "knobs", "scores", "scale"),
    [
        ("plain", {"c": -4.9}, [3, 2, -4.9], 1),
        ("powers", {"a": -1}, [-1, 2, -1], 1),
        ("misprint", {}, [2.3, 9.1, 0.5], 1),
        ("highest", {"b": 2.2}, [2, 2.2, 0], 1),
        ("temperature", {"temperature": 0.05, "b": 3}, [2, 3, 0], 20),
        ("overflow", {"shift": 100}, [102.3, 109.1, 100.5], 1),
    ],
)
def test_the_lab_opens_with_the_same_scores(student, section, knobs, scores, scale):
    page = student("softmax").at(section).turn(**knobs).do("go", "lab", "")
    trace = read_link(page.answer.leave.link).trace()
    np.testing.assert_allclose(trace["scores"], [[scores]])
    np.testing.assert_allclose(trace["weights"], [[softmax(np.array(scores) * scale)]])
    np.testing.assert_allclose(trace["v"], [[1], [2], [3]])
