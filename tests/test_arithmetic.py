"""Printed arithmetic is true: every line, computed again from what is printed, gives what is printed."""

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from itertools import pairwise

import numpy as np
import pytest

from attention_core import explain_cell
from ui.message.arithmetic import explain_through_moves, written_lines
from ui.numbers import Marks
from ui.scenario.presets import load_preset, preset_ids
from ui.words import Words

from .varied import varied_traces

EXACT = Context(prec=60, rounding=ROUND_HALF_UP, traps=[])
TOKEN = re.compile(r"\d+(?:\.\d+)?(?:e−?\d+)?|e\^|tanh|[−∞√()+·/]")
LARGE = [preset_id for preset_id in preset_ids() if load_preset(preset_id).is_large]
SMALL = [preset_id for preset_id in preset_ids() if preset_id not in LARGE]
SAMPLE = 12  # cells of each step of a large preset


def number(text):
    return Decimal(text.replace("−", "-"))


class Reader:
    """Computes a member of a line as a reader would."""

    def __init__(self, text):
        self.tokens = [*TOKEN.findall(text), ""]

    def take(self, *wanted):
        return self.tokens.pop(0) if self.tokens[0] in wanted else ""

    def sum(self):
        found = self.product()
        while sign := self.take("+", "−"):
            found = (EXACT.add if sign == "+" else EXACT.subtract)(found, self.product())
        return found

    def product(self):
        found = self.one()
        while sign := self.take("·", "/"):
            found = (EXACT.multiply if sign == "·" else EXACT.divide)(found, self.one())
        return found

    def one(self):
        match self.tokens.pop(0):
            case "(":
                found = self.sum()
                assert self.take(")")
                return found
            case "−":
                return EXACT.minus(self.one())
            case "∞":
                return Decimal("Infinity")
            case "e^":
                return EXACT.exp(self.one())
            case "√":
                return EXACT.sqrt(self.one())
            case "tanh":
                power = EXACT.exp(2 * self.one())
                return EXACT.divide(power - 1, power + 1)
            case numeral:
                return number(numeral)


def computed(text):
    reader = Reader(text)
    found = reader.sum()
    assert reader.tokens == [""], text
    return found


def is_printed_as(value, text):
    """Whether a number, rounded to the places that were printed, is what was printed."""
    if "∞" in text:
        return value == computed(text)
    printed = number(text)
    return EXACT.quantize(value, Decimal((0, (1,), printed.as_tuple().exponent))) == printed


def untrue(line):
    """What is wrong with a line: members that give another total, powers and sums that are not as printed."""
    members = re.sub(r" \([^()]*\[[^()]*= (?:−∞|False)\)", "", line).split(" = ")  # without why it is 0
    numeric = [part for part in members if not TOKEN.sub("", part).strip()]  # no names, nothing left out
    wrong = [part for part in numeric if not is_printed_as(computed(part), members[-1])]
    for before, after in pairwise(numeric):
        powers, values = (
            re.findall(r"e\^(\([^()]+\)|[\d.]+)", before),
            re.findall(r"[\d.]+(?:e−?\d+)?", after),
        )
        if powers and len(powers) != len(values):
            wrong.append(after)
        elif powers:
            pairs = zip(powers, values, strict=True)
            wrong += [pair for pair in pairs if not is_printed_as(EXACT.exp(computed(pair[0])), pair[1])]
        elif " / (" in before and " / " in after:
            sums, sum_ = before.partition(" / ")[2], after.partition(" / ")[2]
            wrong += [] if is_printed_as(computed(sums), sum_) else [(sums, sum_)]
    return wrong


def test_an_untrue_line_is_seen():
    assert untrue("w = e^1.414 / (e^0 + e^1.414) = 4.113 / 10.23 = 0.4022")
    assert untrue("w = 4.113 / 10.23 = 0.4022")
    assert untrue("w = 4.113 / (1 + 4.113 + 1 + 4.113) = 4.113 / 10.22 = 0.40")
    assert untrue("w = e^1.41 / (e^0 + e^1.41) = 4.11 / (1 + 4.11) = 4.11 / 5.11 = 0.80")
    assert untrue("s = 2·0.71 = 1.41")
    assert untrue("w = 4.113 / 10.23 = 0.402") == []
    assert untrue("n = (3 − (−1)) / √(4 + 1e−5)·(−2) + 1 = −3") == []


def every_line(trace, decimals):
    for step in trace.steps:
        for index in np.ndindex(step.shape):
            yield explain_cell(trace, step.name, index, decimals).text


@pytest.mark.parametrize("preset_id", SMALL)
def test_every_cell_of_every_small_preset(preset_id):
    lines = every_line(load_preset(preset_id).trace(), 2)
    assert [line for line in lines if untrue(line)] == []


@pytest.mark.parametrize("decimals", [0, 1, 3, 4, 6])
def test_with_any_number_of_decimals(decimals):
    lines = every_line(load_preset("cat_on_the_mat").trace(), decimals)
    assert [line for line in lines if untrue(line)] == []


@pytest.mark.parametrize("preset_id", LARGE)
def test_a_sample_of_every_large_preset(preset_id):
    trace, dice = load_preset(preset_id).trace(), np.random.default_rng(0)
    for step in trace.steps:
        for flat in dice.integers(step.value.size, size=SAMPLE):
            index = tuple(int(place) for place in np.unravel_index(flat, step.shape))
            line = explain_cell(trace, step.name, index, 2).text
            assert untrue(line) == [], line


@pytest.mark.parametrize("name", VARIED := varied_traces())
def test_every_operation(name):
    for line in every_line(VARIED[name], 3):
        assert untrue(line) == [], line


def test_the_line_has_the_decimals_of_the_learner_and_the_marks_of_the_language():
    scenario = load_preset("pixels_2x2")
    trace = scenario.trace()
    ends = {
        2: "e^1,4142) = 4,113 / (1 + 4,113 + 1 + 4,113) = 4,113 / 10,23 = 0,40",
        0: "= 4,113 / 10,23 = 0,402",
        4: "= 4,11325 / 10,2265 = 0,4022",
    }
    assert Words("vi").marks == Marks(",", ".", "; ")
    for decimals, end in ends.items():
        lines = explain_through_moves(trace, "weights", (0, 1, 3), decimals)
        [line] = written_lines(scenario, trace, lines, Words("vi"), trace.names)
        assert line.text.endswith(end)
        assert line.latex.endswith(end.rpartition(" = ")[2].replace(",", "{,}"))
