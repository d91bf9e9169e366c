"""Lesson 6: what its pages show about masks and the cache is computed, and the wrong really is wrong."""

import json

import numpy as np
import pytest

from attention_core import causal_mask, multi_head_attention
from ui.course.lessons.masks.head_map import divisors, head_map


@pytest.fixture
def masks(student):
    """The lesson at a section, its question answered."""

    def at(section_id, answered=True):
        page = student("masks").at(section_id)
        return page.do("show") if answered else page

    return at


def flat(blocks):
    """Every block, those of rows too."""
    return [one for block in blocks for one in (flat(block["blocks"]) if block["kind"] == "row" else [block])]


def block(page, title):
    return next(one for one in flat(page.blocks) if one.get("title") == title)


def kinds(page, kind):
    return [one for one in flat(page.blocks) if one["kind"] == kind]


def numbers(found):
    """The numbers of a matrix, infinities and NaN among them."""
    words = {"−∞": -np.inf, "NaN": np.nan}
    return np.array([[words.get(value, value) for value in line] for line in found["values"]], float)


def whole(text):
    """A whole number as it is written, its thousands apart."""
    return int("".join(filter(str.isdigit, text)))


def marked(found, mark):
    return {(row, column) for row, column, each in found.get("marks", []) if each == mark}


# No looking ahead


def test_the_first_word_looks_at_itself_alone_whatever_is_on_the_board(masks):
    page = masks("ahead", answered=False)
    assert page.message["covered"] == ["weights"]
    page.do("choose", "mask", "none").do("answer", "1")
    assert page.panel["ask"]["right"]
    assert page.here.slice("weights")[0, 0] < 0.5


def test_the_figure_counts_the_cells_that_are_left(masks):
    page = masks("ahead")
    [plot] = kinds(page, "plot")
    lengths = np.array(plot["x"])
    everything, causal, window = (np.array(one["y"]) for one in plot["series"])
    np.testing.assert_array_equal(everything, lengths**2)
    np.testing.assert_array_equal(causal, lengths * (lengths + 1) / 2)
    np.testing.assert_array_equal(window, 3 * lengths - 2)
    page.do("choose", "mask", "window").do("choose", "left", 2).do("choose", "right", 0)
    [plot] = kinds(page, "plot")
    np.testing.assert_array_equal(plot["series"][2]["y"][1:], 3 * lengths[1:] - 3)
    assert "9 of 16 cells" in page.text()


@pytest.mark.parametrize(
    ("mask", "left"), [("none", 16), ("causal", 10), ("padding", 12), ("window", 10), ("free", 12)]
)
def test_the_prose_counts_the_cells_on_the_board(masks, mask, left):
    assert f"{left} of 16 cells" in masks("ahead").do("choose", "mask", mask).text()


def test_a_mask_of_ones_own_completes_the_first_section(masks):
    page = masks("ahead")
    for mask in ("padding", "window", "free"):
        assert not page.do("choose", "mask", mask).is_done
    assert not page.do("choose", "free_mask", "added").is_done
    page.do("choose", "free_mask", "look")
    assert page.do("edit", "visible", 0, 0, "1").is_done


# True: may look, or hidden


def test_one_table_is_read_three_ways(masks):
    page = masks("polarity")
    table = causal_mask(4)
    trace = multi_head_attention(*(page.here.trace[name] for name in ("x", "w_q", "w_k", "w_v")), n_heads=1)
    for place, added in enumerate((np.where(table, 0, -np.inf), np.where(table, -np.inf, 0), table)):
        page.turn(reading=place)
        np.testing.assert_array_equal(numbers(block(page, "the table given")), table)
        np.testing.assert_array_equal(numbers(block(page, "added to the scores")), added)
        powers = np.exp(trace["scaled"][0] + added)
        sums = powers.sum(axis=-1, keepdims=True)
        weights = np.divide(powers, sums, out=np.zeros((4, 4)), where=sums > 0)
        np.testing.assert_allclose(numbers(block(page, "weights")), weights, atol=1e-6)
        hatched = marked(block(page, "weights"), "hidden") | marked(block(page, "weights"), "first")
        assert hatched >= set(zip(*np.nonzero(np.isneginf(added)), strict=True))


@pytest.mark.parametrize(("reading", "wrong"), [(1, "0"), (2, "0.44")])
def test_the_first_difference_is_marked_and_told(masks, reading, wrong):
    page = masks("polarity")
    assert not kinds(page, "sentence")
    assert not marked(block(page, "weights"), "first")
    page.turn(reading=reading)
    assert marked(block(page, "weights"), "first") == {(0, 0)}
    assert f"the weight {wrong}. Right is 1." in kinds(page, "sentence")[0]["pieces"][0]


def test_read_the_wrong_way_the_last_word_sees_nothing(masks):
    page = masks("polarity").turn(reading=1)
    assert numbers(block(page, "weights"))[-1].tolist() == [0, 0, 0, 0]
    assert "weights add up to 0" in page.text()
    assert page.is_done


# A row with nothing to look at


def test_the_empty_row_is_kept_back_until_it_is_answered(masks):
    page = masks("nothing", answered=False)
    assert "NaN" not in json.dumps(page.blocks)
    assert block(page, "weights")["values"][1] == ["?"] * 3
    assert block(page, "weights")["values"][2] != ["?"] * 3
    page.do("answer", "nan")
    assert block(page, "weights")["values"][1] == ["NaN"] * 3


@pytest.mark.parametrize(
    ("way", "bits", "weights"),
    [
        (0, 0, [np.nan] * 3),
        (1, 0, [1 / 3] * 3),
        (1, 1, [1 / 3] * 3),
        (1, 2, [np.nan] * 3),
        (2, 0, [0.197796, 0.401102, 0.401102]),
        (2, 1, [1 / 3] * 3),
        (2, 2, [np.nan] * 3),
        (3, 0, [0] * 3),
        (3, 2, [0] * 3),
    ],
)
def test_every_way_ends_as_it_says(masks, way, bits, weights):
    page = masks("nothing").turn(way=way, bits=bits)
    found = numbers(block(page, "weights"))
    np.testing.assert_allclose(found[1], weights, atol=1e-4)
    np.testing.assert_allclose(found[[0, 2]].sum(axis=-1), 1, atol=2e-3)
    [table] = kinds(page, "table")
    assert table["marked"] == way
    shown = table["rows"][way][1 + bits]
    written = [] if shown == "NaN" else [float(number) for number in shown.strip("[]").split(", ")]
    np.testing.assert_allclose(written or [np.nan] * 3, weights, atol=5e-3)
    after = numbers(block(page, "one more layer"))
    assert np.isnan(after).all() == np.isnan(weights[0])
    assert np.isnan(after).any() == np.isnan(weights[0])


def test_the_prose_tells_how_far_nan_spreads(masks):
    text = masks("nothing").text()
    assert "3 of 3 rows are NaN" in text
    assert "[2.67, 4]" in text  # the mean of [1, 2], [3, 4] and [4, 6]


# Fewer queries than keys


def test_the_memory_moves_keys_and_values_but_no_query(masks):
    page = masks("cross")
    assert page.panel["ask"]["answer"] == "3×4"  # the board shows 2×4
    before = {name: page.here.trace[name] for name in "qkv"}
    page.do("edit", "memory", 0, 0, "5")
    after = {name: page.here.trace[name] for name in "qkv"}
    assert {name for name in "qkv" if (before[name] != after[name]).any()} == {"k", "v"}
    assert not page.is_done
    assert page.turn(newest=1).is_done


@pytest.mark.parametrize("newest", [1, 2, 3, 4])
def test_the_newest_words_see_all_before_them_only_from_the_last_corner(masks, newest):
    page = masks("cross").turn(newest=newest)
    first, last = (numbers(block(page, title)) for title in ("from the first corner", "into the last corner"))
    np.testing.assert_array_equal(last, causal_mask(4)[4 - newest :])
    np.testing.assert_array_equal(first, causal_mask(4)[:newest])
    assert block(page, "into the last corner")["rows"] == ["The", "cat", "sat", "down"][4 - newest :]


# Generation


@pytest.mark.parametrize("way", [0, 1])
@pytest.mark.parametrize("word", range(1, 8))
def test_the_cache_fills_row_by_row(masks, word, way):
    page = masks("generation").turn(word=word, cache=way)
    trace = page.here.trace
    assert (trace["weights"][0][~causal_mask(7)] == 0).all()
    titles = [("cache of K", "cache of V"), ("K, computed again", "V, computed again")][way]
    for name, title in zip(("k_heads", "v_heads"), titles, strict=True):
        found = block(page, title)
        filled = np.array(found["values"][:word], float)
        np.testing.assert_allclose(filled, trace[name][0, :word], atol=1e-6)
        assert all(value == "" for line in found["values"][word:] for value in line)
        new = {row for row, _ in marked(found, "new")}
        assert new == ({word - 1} if way == 0 else set(range(word)))
    shares = block(page, "weights of the new word")["values"][0]
    np.testing.assert_allclose(
        np.array(shares[:word], float), trace["weights"][0, word - 1, :word], atol=1e-6
    )
    assert shares[word:] == [""] * (7 - word)
    output = numbers(block(page, "output of the new word"))
    np.testing.assert_allclose(output[0], trace.output[word - 1], atol=1e-6)


def test_both_ways_are_counted(masks):
    page = masks("generation").turn(word=7, cache=1)
    assert page.is_done
    [table] = kinds(page, "table")
    assert [line[1:3] for line in table["rows"]] == [["1", "7"], ["7", "28"]]
    products = [[whole(cell) for cell in line[3:]] for line in table["rows"]]
    # Of 7 words: Q, K, V and the output are 4·4 products each, scores and weighted sum 4 for every pair.
    each = [4 * 16 + 8 * word for word in range(1, 8)]
    assert products == [[each[-1], sum(each)], [7 * each[-1], sum(n * one for n, one in enumerate(each, 1))]]
    page.turn(word=3)
    [table] = kinds(page, "table")
    so_far = [sum(each[:3]), sum(n * one for n, one in enumerate(each[:3], 1))]
    assert [[whole(cell) for cell in line[1:]] for line in table["rows"]] == [
        [1, 3, each[2], so_far[0]],
        [3, 6, 3 * each[2], so_far[1]],
    ]
    page.turn(word=7)
    [plot] = kinds(page, "plot")
    assert [one["y"][-1] for one in plot["series"]] == [line[1] for line in products]
    assert plot["at"] == 7
    assert "7 rows in all. Without, it takes 28." in page.text()
    assert "1000against500,500." in "".join(page.text().split())


def test_the_sentence_completes_only_at_its_end_and_both_ways(masks):
    page = masks("generation")
    assert not page.turn(word=7).is_done
    assert not page.turn(word=3, cache=1).is_done
    assert page.turn(word=7).is_done


# Heads that share


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("kv_heads", divisors(16))
def test_the_map_and_the_output_of_both_orders(masks, kv_heads, order):
    page = masks("sharing").turn(kv_heads=kv_heads, order=order)
    right, found = head_map(16, kv_heads), head_map(16, kv_heads, ("interleave", "tile")[order])
    [strip] = kinds(page, "strip")
    assert [label for label, _, _ in strip["channels"]] == [f"{head}→{kv}" for head, kv in enumerate(found)]
    assert strip["marks"] == [head for head in range(16) if right[head] != found[head]]
    expected, shown = (block(page, title) for title in ("output, right", "output in this order"))
    differs = right != found
    assert (expected["values"] != shown["values"]) == differs
    assert bool(marked(shown, "first")) == differs
    [sentence] = kinds(page, "sentence")
    assert (sentence["tone"] == "warning") == differs


def test_the_right_output_is_that_of_the_lab(masks):
    page = masks("sharing")
    assert page.here.trace["q_heads"].shape[0] == 16
    assert page.here.trace["k_heads"].shape[0] == 4
    np.testing.assert_allclose(numbers(block(page, "output, right")), page.here.trace.output, atol=1e-5)


def test_the_prose_tells_the_slip(masks):
    page = masks("sharing")
    assert page.panel["ask"]["answer"] == "5"
    assert "reads head 2 where it should read 5" in page.text()
    assert "Only with 1 shared head, or with 16" in page.text()


# Bytes


def test_the_cache_of_the_example(masks):
    page = masks("bytes")
    assert "the cache takes 2.00 GiB" in page.text("text")
    assert page.panel["ask"]["answer"] == "8"
    [table] = kinds(page, "table")
    assert [line[1] for line in table["rows"]] == [
        "2.00 GiB",
        "1.00 GiB",
        "512.00 MiB",
        "256.00 MiB",
        "128.00 MiB",
        "64.00 MiB",
    ]
    assert [line[2] for line in table["rows"]] == ["1", "1/2", "1/4", "1/8", "1/16", "1/32"]


def test_the_formula_is_filled_with_what_is_chosen(masks):
    page = masks("bytes").turn(kv_heads=2, tokens=1024, layers=12, width=64, bytes=4, batch=8)
    [formula] = kinds(page, "formula")
    left, right = formula["latex"].split(" = ")
    factors = [int(factor) for factor in left.split(r" \cdot ")]
    assert sorted(factors) == sorted([2, 12, 2, 64, 1024, 4, 8])
    assert int(right) == np.prod(factors) == 2 * 12 * 2 * 64 * 1024 * 4 * 8
    assert "it takes 96.00 MiB" in page.text()
    [plot] = kinds(page, "plot")
    assert plot["at"] == 1024
    own = next(one for one in plot["series"] if one["name"].startswith("32"))
    assert own["y"][plot["x"].index(1024)] == pytest.approx(96 * 16 / 1024)
    assert own["y"][plot["x"].index(8192)] == pytest.approx(8 * 96 * 16 / 1024)
