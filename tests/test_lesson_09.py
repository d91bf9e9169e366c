"""Lesson 9: what it claims about tables, readings, RNNs and CNNs is computed, and so."""

import numpy as np
import pytest

from attention_core import compare_layers, multi_head_attention
from ui.course.engine.units import in_bytes, in_short, with_formula
from ui.course.lessons.why_attention import other_layers as layers
from ui.course.lessons.why_attention import tables as shows
from ui.words import Words

ENGLISH, VIETNAMESE = Words("en"), Words("vi")


@pytest.fixture
def lesson(student):
    return student("why_attention")


def marked(block, kind="lit"):
    return {(row, column) for row, column, mark in block.get("marks", []) if mark == kind}


# Content and table


def test_at_first_the_table_holds_the_computed_weights(lesson):
    [both] = lesson.blocks
    computed, stored = both["blocks"]
    assert computed["values"] == stored["values"]
    np.testing.assert_allclose(computed["values"], lesson.here.trace["weights"][0], atol=1e-5)
    assert not marked(computed)


def test_editing_x_moves_computed_weights_and_never_the_table(lesson):
    before = lesson.here.trace["weights"][0]
    lesson.do("edit", "x", 1, 1, "5").do("edit", "x", 1, 3, "−1")
    after = lesson.here.trace["weights"][0]
    computed, stored = lesson.blocks[0]["blocks"]
    assert marked(computed) == {tuple(place) for place in np.argwhere(~np.isclose(before, after)).tolist()}
    assert len(marked(computed)) > 7
    assert not marked(stored)
    np.testing.assert_allclose(stored["values"], before, atol=1e-5)
    lesson.do("answer", "computed")
    assert lesson.is_done
    why = lesson.text()
    assert (
        f"Of 49 weights, {len(marked(computed))} of the computed ones have moved so far, and 0 of the table."
        in why
    )


def test_the_weights_can_be_read(lesson):
    """Articles look for nouns most, nouns for the verb."""
    weights = lesson.here.trace["weights"][0]
    words = lesson.here.scenario.names["token"]
    best = {word: words[place] for word, place in zip(words, weights.argmax(axis=1), strict=True)}
    assert best["The"] == best["the"] == best["sat"] == "cat"
    assert best["cat"] == best["mat"] == "sat"


@pytest.mark.parametrize("tokens", [3, 6, 8, 10])
def test_another_length_breaks_the_table_and_not_attention(lesson, tokens):
    lesson.at("length").turn(tokens=tokens)
    warning, both, sizes = lesson.blocks
    computed, stored = both["blocks"]
    assert (len(computed["values"]), len(stored["values"])) == (tokens, 7)
    np.testing.assert_allclose(np.sum(computed["values"], axis=1), 1, atol=1e-4)
    assert warning["tone"] == "warning"
    assert f"table has shape (7, 7), but {tokens} tokens need ({tokens}, {tokens})" in warning["pieces"][0]
    assert [str(tokens), str(tokens**2), "48"] in sizes["rows"]
    assert sizes["rows"][sizes["marked"]][0] == str(tokens)


def test_at_its_own_length_the_table_fits(lesson):
    lesson.at("length")
    assert lesson.blocks[0]["tone"] == ""
    assert lesson.blocks[0]["pieces"][0].startswith("The table fits")
    lesson.do("answer", "64")
    assert lesson.panel["ask"]["right"]


def test_a_longer_sentence_is_really_computed(lesson):
    lesson.at("length").turn(tokens=9)
    here = lesson.here
    x = np.vstack([here.trace["x"], here.trace["x"][:2]])
    again = multi_head_attention(x, *(here.trace[name] for name in ("w_q", "w_k", "w_v")), n_heads=1)
    np.testing.assert_allclose(lesson.blocks[1]["blocks"][0]["values"], again["weights"][0], atol=1e-5)


# Readings


@pytest.mark.parametrize("token", [0, 1, 2])
def test_a_query_moves_its_row_a_key_its_column_a_value_no_score(lesson, token):
    lesson.at("readings").turn(token=token)
    everywhere = range(7)
    expected = [
        {(token, place) for place in everywhere},
        {(place, token) for place in everywhere},
        set(),
    ]
    for reading, cells in enumerate(expected):
        lesson.turn(reading=reading)
        raised, (scores, output) = lesson.blocks[0]["blocks"], lesson.blocks[1]["blocks"]
        assert [bool(marked(block, "new")) for block in raised] == [place == reading for place in range(3)]
        # A score moves unless the sum of what it is multiplied with is 0; here none is.
        assert marked(scores) == cells
        rows = {row for row, _ in marked(output)}
        assert rows == ({token} if reading == 0 else set(everywhere))


def test_one_matrix_for_both_makes_scores_mutual(lesson):
    lesson.at("two_matrices")
    facts = shows.pair_facts(lesson.here)
    assert (facts["there"], facts["back"]) == (4, 0)
    assert facts["same_there"] == facts["same_back"] == 2
    assert facts["same_difference"] == 0 < facts["own_difference"]
    own = np.array(lesson.blocks[0]["values"])
    same = np.array(lesson.turn(keys=1).blocks[0]["values"])
    assert not np.array_equal(own, own.T)
    np.testing.assert_array_equal(same, same.T)
    q = lesson.here.trace["q"]
    np.testing.assert_allclose(same, q @ q.T)


# Self-attention, RNN, CNN


def test_the_corner_fills_when_the_path_says_so(lesson):
    lesson.at("reach")
    paths = {kind: compare_layers(n_tokens=7, d_model=1)[kind]["path"] for kind in layers.KINDS}
    assert list(paths.values()) == [1, 6, 6]
    for steps in range(8):
        blocks = lesson.turn(steps=steps).blocks[0]["blocks"]
        corners = [block["values"][-1][0] for block in blocks]
        assert [bool(corner) for corner in corners] == [steps >= path for path in paths.values()]
    lesson.turn(kernel=7)
    assert "the CNN with a window of 7 needs 2." in lesson.do("show").text()


def test_the_table_holds_the_amounts_of_the_chosen_sizes(lesson):
    lesson.at("side_by_side").turn(tokens=1024, width=64, kernel=5)
    found = compare_layers(n_tokens=1024, d_model=64, kernel=5)
    rows = {row[0]: row[1:] for row in lesson.blocks[0]["rows"]}
    assert rows["Path from first to last"] == ["1", "n − 1 = 1,023", "⌈2·(n − 1) / (k − 1)⌉ = 512"]
    assert rows["Steps one after another"] == ["1", "n = 1,024", "1"]
    for name in ("operations", "linked_operations", "parameters"):
        label = lesson.here.word(f"block.{name}")
        assert rows[label] == [with_formula(found[kind][name], ENGLISH) for kind in layers.KINDS]


@pytest.mark.parametrize("plotted", range(3))
def test_curves_pass_through_the_numbers_of_the_table(lesson, plotted):
    lesson.at("side_by_side").turn(plotted=plotted, tokens=256, width=128)
    block = lesson.blocks[1]
    found = compare_layers(n_tokens=256, d_model=128)
    place = block["x"].index(256)
    assert block["at"] == 256
    for kind, one in zip(layers.KINDS, block["series"], strict=True):
        assert one["y"][place] == pytest.approx(found[kind][layers.PLOTTED[plotted]], rel=1e-5)


def test_twice_the_length_is_four_times_the_work(lesson):
    lesson.at("side_by_side").do("answer", "2")
    assert not lesson.panel["ask"]["right"]
    assert lesson.do("answer", "4").panel["ask"]["right"]


# Large numbers


def test_large_numbers_are_written_to_be_compared():
    assert [in_short(n, ENGLISH) for n in (0, 1536, 9_999_999, 10_000_000, 8_030_261_248)] == [
        "0",
        "1,536",
        "9,999,999",
        "1.00·10⁷",
        "8.03·10⁹",
    ]
    assert in_short(-1_441_792_000, ENGLISH) == "−1.44·10⁹"
    assert [in_bytes(n, ENGLISH) for n in (512, 1536, 2**30, 5 * 2**40)] == [
        "512 B",
        "1.50 KiB",
        "1.00 GiB",
        "5.00 TiB",
    ]
    assert [in_short(8_030_261_248, VIETNAMESE), in_bytes(1536, VIETNAMESE)] == ["8,03·10⁹", "1,50 KiB"]
