"""Random dot products spread with their width, softmax sticks without the scale; pauses change nothing."""

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    AttentionError,
    candidate_scales,
    multi_head_attention,
    random_dot_products,
    random_scores,
    running_dot_products,
    saturation,
    scaled_scores,
    variance_experiment,
)

WIDTHS = tuple(2**power for power in range(11))


def finished(experiment, numbers):
    """The experiment once done, and after how many calls, each of `numbers` random numbers."""
    for calls in itertools.count():
        if experiment.finished:
            return experiment, calls
        experiment = experiment.further(numbers)
    raise AssertionError


def standard_error(d_k, n_pairs):
    """Of the measured variance over d_k: a dot product's fourth moment is 3·d_k² + 6·d_k."""
    return math.sqrt((2 + 6 / d_k) / n_pairs)


@pytest.fixture(scope="module")
def measured():
    return finished(variance_experiment(WIDTHS, 20_000, seed=7), 1 << 21)[0]


# The variance


def test_the_variance_of_a_dot_product_is_its_width(measured):
    for spread in measured.spreads:
        assert abs(spread.scaled_variance - 1) < 4 * standard_error(spread.d_k, 20_000), spread
        assert spread.variance == pytest.approx(spread.scaled_variance * spread.d_k)


def test_the_worked_figures_of_the_course():
    """d_k 64 and 100,000 pairs: about 63.9 before and 0.998 after, here with other random numbers."""
    spread = finished(variance_experiment([64], 100_000), 1 << 21)[0].spreads[0]
    assert spread.n_pairs == 100_000
    assert abs(spread.variance - 63.9) < 1.2
    assert abs(spread.scaled_variance - 0.998) < 0.018


def test_the_variance_is_that_of_the_products_themselves(measured):
    """The sums are those of the blocks, and dividing each product divides the variance by d_k."""
    spread = measured.spreads[WIDTHS.index(64)]
    products = np.concatenate([random_dot_products(64, 250, 7, block) for block in range(80)])
    assert spread.variance == pytest.approx(products.var(), rel=1e-10)
    assert spread.scaled_variance == pytest.approx((products / 8).var(), rel=1e-10)


@pytest.mark.parametrize("numbers", [1, 3000, 10**9])
def test_pauses_change_no_number(numbers):
    whole, _ = finished(variance_experiment((1, 16, 5), 1130, seed=3), 1 << 21)
    parts, calls = finished(variance_experiment((1, 16, 5), 1130, seed=3), numbers)
    assert parts == whole
    assert calls == {1: 15, 10**9: 1}.get(numbers, calls)
    assert parts.spreads[1].n_pairs == 1130  # also where blocks do not fill it


def test_another_seed_gives_other_numbers():
    first, second = (finished(variance_experiment([8], 500, seed), 10**6)[0].spreads for seed in (0, 1))
    assert first != second


def test_more_pairs_begin_with_the_same_ones():
    np.testing.assert_array_equal(random_dot_products(6, 100, 5)[:40], random_dot_products(6, 40, 5))
    assert (random_dot_products(6, 40, 5) != random_dot_products(6, 40, 5, block=1)).all()


def test_progress_goes_from_nothing_to_everything_without_a_width_running_ahead():
    experiment, shares = variance_experiment((2, 64), 2000), [0.0]
    assert math.isnan(experiment.spreads[0].variance)
    while not experiment.finished:
        experiment = experiment.further(20_000)
        shares.append(experiment.fraction)
        ahead = abs(experiment.spreads[0].n_pairs - experiment.spreads[1].n_pairs)
        assert ahead <= 250
    assert shares == sorted(shares)
    assert len(set(shares)) == len(shares) > 5
    assert shares[-1] == 1
    assert experiment.further() == experiment


def test_a_call_does_a_bounded_piece_of_work():
    """At most its budget and one block more, and for the widest vectors under a tenth of a second."""
    experiment = variance_experiment(WIDTHS, 100_000)
    for _ in range(3):
        before = sum(spread.n_pairs * spread.d_k for spread in experiment.spreads)
        experiment = experiment.further()
        drawn = 2 * (sum(spread.n_pairs * spread.d_k for spread in experiment.spreads) - before)
        assert 1 << 21 <= drawn <= (1 << 21) + 2 * 250 * 1024
    widest = variance_experiment([1024], 100_000)
    durations = []
    for _ in range(5):
        start = time.thread_time()  # of this thread, whatever else the machine does
        widest = widest.further()
        durations.append(time.thread_time() - start)
    assert min(durations) < 0.1


def test_each_term_adds_its_share():
    """The sum after i terms has variance i, and the last is the dot product."""
    running = running_dot_products(64, 4000, seed=2)
    assert running.shape == (4000, 64)
    for term in (0, 15, 63):
        assert abs(running[:, term].var() / (term + 1) - 1) < 4 * standard_error(term + 1, 4000)
    np.testing.assert_allclose(running[:, -1], random_dot_products(64, 4000, seed=2), rtol=1e-9, atol=1e-9)


# Saturation


def test_random_scores_are_dot_products_of_a_query_with_its_keys():
    scores = random_scores(16, 8, 500, seed=4)
    assert scores.shape == (500, 8)
    assert abs(scores.var() / 16 - 1) < 0.2
    spread_of_rows = scores.std(axis=1)  # one query per row: a long one has wider scores in all its row
    assert spread_of_rows.max() > 2.5 * spread_of_rows.min()


def test_without_the_scale_softmax_gets_stuck_as_the_width_grows():
    plain = [saturation(random_scores(d_k, 8, 200)) for d_k in (1, 16, 64, 256, 1024)]
    for name, rising in (("largest", True), ("entropy", False), ("typical_jacobian", False), ("stuck", True)):
        values = [getattr(found, name) for found in plain]
        assert values == sorted(values, reverse=not rising), name
    assert plain[-1].largest > 0.95
    assert plain[-1].entropy < 0.2
    assert plain[-1].stuck > 0.7
    assert plain[-1].typical_jacobian < 1e-3
    assert plain[-1].jacobian < plain[1].jacobian / 4


def test_with_the_scale_the_width_hardly_matters():
    found = [saturation(random_scores(d_k, 8, 200), d_k**-0.5) for d_k in (16, 64, 256, 1024)]
    for name in ("largest", "entropy", "jacobian", "typical_jacobian"):
        values = [getattr(each, name) for each in found]
        assert max(values) < 1.1 * min(values), name
    assert all(each.stuck == 0 for each in found)


def test_the_width_of_the_whole_model_under_the_root_blurs():
    """Eight heads of 64: nearly even shares, where the head's own width leaves a clear favourite."""
    scores, scales = random_scores(64, 8, 400), candidate_scales(64, 8)
    assert scales == {"none": 1.0, "d_head": 1 / 8, "d_model": pytest.approx(1 / math.sqrt(512))}
    found = {name: saturation(scores, scale) for name, scale in scales.items()}
    assert found["none"].entropy < found["d_head"].entropy < found["d_model"].entropy < 3
    assert 3 - found["d_model"].entropy < 0.1
    assert found["d_head"].largest > 1.6 * found["d_model"].largest
    effect = {name: each.typical_jacobian * each.scale for name, each in found.items()}
    assert effect["d_head"] > 2 * effect["d_model"]  # what a score can still do to the weights


def test_saturation_of_known_rows():
    even = saturation(np.zeros((3, 4)))
    assert (even.largest, even.entropy, even.stuck) == (0.25, 2, 0)
    assert even.jacobian == pytest.approx(math.sqrt(3) / 4)
    choice = saturation([[0, 1000], [0, -1000]])
    assert (choice.largest, choice.entropy, choice.jacobian, choice.stuck) == (1, 0, 0, 1)
    assert saturation([5.0, 1.0], 0) == saturation([1.0, 5.0], 0)
    halves = saturation([[0, 0, 0, 0], [0, 1000, 0, 0], [0, 1000, 0, 0]])
    assert halves.jacobian == pytest.approx(math.sqrt(3) / 12)
    assert halves.typical_jacobian == 0


def test_saturation_of_a_trace_is_that_of_its_weights():
    rng = np.random.default_rng(0)
    x, weights = rng.standard_normal((5, 8)), [rng.standard_normal((8, 8)) for _ in range(3)]
    trace = multi_head_attention(x, *weights, n_heads=2)
    found = saturation(trace["scores"], float(trace["scale"]))
    assert found.largest == pytest.approx(trace["weights"].max(axis=-1).mean(), rel=1e-12)


# Where the scale is put


@given(st.integers(1, 40), st.integers(0, 5))
def test_the_scale_is_the_same_thing_wherever_it_is_put(d_k, seed):
    query, key = np.random.default_rng(seed).standard_normal((2, 3, d_k))
    expected = query @ key.T / math.sqrt(d_k)
    for where in ("after", "query", "both"):
        np.testing.assert_allclose(scaled_scores(query, key, where), expected, rtol=1e-12, atol=1e-13)


def test_in_a_small_type_a_late_scale_comes_too_late():
    query = key = np.full((1, 128), 30.0)  # 128 · 30 · 30 = 115,200, past the 65,504 of float16
    right = 128 * 900 / math.sqrt(128)
    assert np.isposinf(scaled_scores(query, key, "after", "float16"))
    for where in ("query", "both"):
        found = scaled_scores(query, key, where, "float16")
        assert found.dtype == np.float16
        assert found.item() == pytest.approx(right, rel=2e-3)
    assert scaled_scores(query, key, "after", "float32").item() == pytest.approx(right, rel=1e-6)


# What is refused


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: variance_experiment([], 10), "widths has shape (0,)"),
        (lambda: variance_experiment([0], 10), "d_k is 0, but must be a whole number of at least 1"),
        (lambda: variance_experiment([2], 0), "n_pairs is 0"),
        (lambda: variance_experiment([2], 10, seed=-1), "seed is -1"),
        (lambda: variance_experiment([2], 10).further(0), "numbers is 0"),
        (lambda: random_dot_products(2.5, 1), "d_k is 2.5"),
        (lambda: random_scores(2, 0, 1), "n_keys is 0"),
        (lambda: saturation([]), "scores has shape (0,)"),
        (lambda: saturation([1, np.nan]), "scores holds nan at (1,)"),
        (lambda: saturation([1e300, 1], 1e300), "grew past what float64 can hold at step scaled"),
        (lambda: saturation([1, 2], np.inf), "scale is inf"),
        (lambda: candidate_scales(4, 0), "n_heads is 0"),
        (lambda: scaled_scores([[1, 2]], [[1]]), "key has 1 along its feature axis"),
        (lambda: scaled_scores([[1]], [[1]], "before"), "where is 'before'"),
        (lambda: scaled_scores([[1]], [[1]], dtype="int8"), "dtype is 'int8', but must be float16"),
        (lambda: scaled_scores([[1]], [[1]], dtype=None), "dtype is None"),
        (lambda: scaled_scores([[1]], [[1]], dtype="no such"), "dtype is 'no such'"),
    ],
)
def test_refusals(call, sentence):
    with pytest.raises(AttentionError) as caught:
        call()
    assert sentence in str(caught.value)
