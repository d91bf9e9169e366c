"""Ways from scores to shares: what each keeps, where each fails, and softmax number by number."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import (
    AttentionError,
    argmax_shares,
    broken_rules,
    entropy,
    failed_checks,
    largest_safe_score,
    plain_shares,
    softmax,
    softmax_at,
    softmax_jacobian,
    softmax_steps,
)

SCORES = [2.3, 9.1, 0.5]
MISPRINT = [0.002, 0.995, 0.003]
ROWS = arrays(np.float64, st.integers(1, 6), elements=st.floats(-30, 30, width=32))


# Plain normalisation, argmax, temperature


def test_the_three_scores_of_the_course():
    np.testing.assert_allclose(softmax_at(SCORES), [0.001112, 0.998704, 0.000184], atol=5e-7)
    np.testing.assert_allclose(softmax_steps(SCORES).weights, [0.001112, 0.998704, 0.000184], atol=5e-7)
    np.testing.assert_allclose(plain_shares(SCORES), [2.3 / 11.9, 9.1 / 11.9, 0.5 / 11.9], rtol=1e-15)
    np.testing.assert_array_equal(argmax_shares(SCORES), [0, 1, 0])


@given(arrays(np.float64, st.integers(1, 6), elements=st.floats(0.01, 30)))
def test_plain_shares_of_positive_scores_are_in_proportion(scores):
    shares = plain_shares(scores)
    assert broken_rules(shares) == ()
    np.testing.assert_allclose(shares * scores.sum(), scores, rtol=1e-12)
    np.testing.assert_allclose(plain_shares(scores * 3), shares, rtol=1e-12)  # blind to size, unlike softmax


@pytest.mark.parametrize(
    ("scores", "broken"),
    [
        ([3, -1], ("negative",)),
        ([-3, -1], ()),  # both signs vanish, and the smaller score gets the larger share
        ([1, -1], ("undefined",)),
        ([0, 0], ("undefined",)),
        ([1, 1, -2], ("undefined",)),
    ],
)
def test_where_plain_shares_fail(scores, broken):
    assert broken_rules(plain_shares(scores)) == broken
    assert broken_rules(softmax(scores)) == ()


def test_plain_shares_of_negative_scores_turn_the_order_round():
    np.testing.assert_array_equal(plain_shares([-3, -1]), [0.75, 0.25])
    assert softmax([-3, -1])[0] < softmax([-3, -1])[1]


def test_broken_rules_name_each_fault():
    assert broken_rules([0.5, 0.4]) == ("sum",)
    assert broken_rules([1.5, -0.4]) == ("negative", "sum")
    assert broken_rules([np.inf, 0]) == broken_rules([np.nan, 1]) == ("undefined",)
    assert broken_rules([1, 0]) == broken_rules(np.array([1 / 3] * 3, np.float16)) == ()


@given(ROWS)
def test_argmax_is_where_softmax_goes_as_it_cools(scores):
    one = argmax_shares(scores)
    assert one.sum() == 1
    assert scores[one.argmax()] == scores.max()
    assume((scores == scores.max()).sum() == 1)
    gap = scores.max() - np.sort(scores)[-2] if len(scores) > 1 else 1
    assume(gap > 1e-3)
    np.testing.assert_allclose(softmax_at(scores, gap / 50), one, atol=1e-12)


def test_of_equals_argmax_takes_the_first_and_softmax_shares():
    np.testing.assert_array_equal(argmax_shares([[1, 4, 4], [2, 2, 0]]), [[0, 1, 0], [1, 0, 0]])
    assert softmax_at([4, 4], 1e-300).tolist() == [0.5, 0.5]


@given(ROWS, st.floats(0.2, 50))
def test_temperature_divides_the_scores(scores, temperature):
    found = softmax_at(scores, temperature)
    np.testing.assert_allclose(found, softmax(scores / temperature), rtol=1e-9, atol=1e-15)
    assert entropy(softmax_at(scores, 2 * temperature)) >= entropy(found) - 1e-9


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_temperature_overflows(dtype):
    scores = np.array([-3e38, 0, 3e38], dtype)
    np.testing.assert_array_equal(softmax_at(scores, 1e-30), [0, 0, 1])
    np.testing.assert_allclose(softmax_at([-5, 0, 5], 1e300), [1 / 3] * 3)
    assert softmax_at(scores).dtype == dtype


# Step by step


@given(ROWS)
def test_the_steps_lead_from_scores_to_softmax(scores):
    steps = softmax_steps(scores)
    assert steps.highest == scores.max()
    np.testing.assert_array_equal(steps.shifted, scores - scores.max())
    assert steps.powers.max() == 1
    assert steps.total == pytest.approx(math.fsum(math.exp(s) for s in steps.shifted), rel=1e-12)
    np.testing.assert_allclose(steps.weights, softmax(scores), rtol=1e-14)
    assert not steps.weights.flags.writeable


@given(ROWS)
def test_the_guard_changes_no_weight_where_nothing_overflows(scores):
    bare = softmax_steps(scores, subtract_highest=False)
    assert bare.highest == 0
    np.testing.assert_array_equal(bare.shifted, scores)
    np.testing.assert_allclose(bare.weights, softmax_steps(scores).weights, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize(
    ("dtype", "limit"), [("float16", 11.09), ("float32", 88.72), ("float64", 709.78)], ids=str
)
def test_where_exp_overflows(dtype, limit):
    largest = largest_safe_score(dtype)
    assert largest == pytest.approx(limit, abs=0.006)
    kind = np.dtype(dtype).type
    beyond = float(np.nextafter(kind(largest), kind(np.inf)))
    assert softmax_steps([largest, 0], dtype, subtract_highest=False).powers[0] < np.inf
    bare = softmax_steps([beyond, 0], dtype, subtract_highest=False)
    assert bare.powers[0] == np.inf
    assert math.isnan(bare.weights[0])  # inf / inf
    assert bare.weights[1] == 0
    assert broken_rules(bare.weights) == ("undefined",)
    guarded = softmax_steps([beyond, 0], dtype)
    assert guarded.weights[0] == 1
    assert guarded.weights.dtype == kind


def test_a_sum_can_overflow_where_no_power_does():
    bare = softmax_steps([11, 11], "float16", subtract_highest=False)
    assert np.isfinite(bare.powers).all()
    assert bare.total == np.inf
    assert broken_rules(bare.weights) == ("sum",)  # all 0
    np.testing.assert_array_equal(softmax_steps([11, 11], "float16").weights, [0.5, 0.5])


def test_powers_can_vanish_too():
    bare = softmax_steps([-800, -801], subtract_highest=False)
    assert bare.total == 0
    assert np.isnan(bare.weights).all()  # 0 / 0
    np.testing.assert_allclose(softmax_steps([-800, -801]).weights, softmax([1, 0]), rtol=1e-12)


# Gradient and entropy


@given(ROWS, st.floats(0.3, 5))
def test_the_jacobian_is_what_a_small_change_of_a_score_does(scores, temperature):
    found = softmax_jacobian(softmax_at(scores, temperature)) / temperature
    step = 1e-6
    for place in range(len(scores)):
        nudge = step * np.eye(len(scores))[place]
        rise = softmax_at(scores + nudge, temperature) - softmax_at(scores - nudge, temperature)
        np.testing.assert_allclose(found[:, place], rise / (2 * step), atol=1e-8)


@given(ROWS)
def test_the_jacobian_moves_weight_and_makes_none(scores):
    weights = softmax(scores)
    jacobian = softmax_jacobian(weights)
    np.testing.assert_allclose(jacobian, np.diag(weights) - np.outer(weights, weights), atol=1e-15)
    np.testing.assert_array_equal(jacobian, jacobian.T)
    np.testing.assert_allclose(jacobian.sum(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose(softmax_jacobian(np.stack([weights] * 2))[1], jacobian)


def test_a_choice_of_one_has_no_gradient():
    assert (softmax_jacobian(argmax_shares(SCORES)) == 0).all()
    assert np.linalg.norm(softmax_jacobian(softmax(np.zeros(4)))) == pytest.approx(math.sqrt(3) / 4)


def test_entropy_counts_bits():
    assert entropy([0, 1, 0]) == 0
    assert math.copysign(1, entropy([0.0, 1.0])) == 1
    np.testing.assert_allclose(
        entropy([[0.25] * 4, [0.5, 0.5, 0, 0], [0.5, 0.25, 0.125, 0.125]]), [2, 1, 1.75]
    )


@given(ROWS)
def test_entropy_is_between_none_and_even_shares(scores):
    assert -1e-12 <= entropy(softmax(scores)) <= math.log2(len(scores)) + 1e-12


# Reading a printed row


def test_the_misprint_adds_up_and_still_gives_itself_away():
    """A note prints 0.002, 0.995, 0.003: the higher of two scores has the smaller weight."""
    assert sum(map(Fraction, ("0.002", "0.995", "0.003"))) == 1
    assert failed_checks(SCORES, MISPRINT, 3) == ("order", "ratio", "value")


@pytest.mark.parametrize(
    ("printed", "failed"),
    [
        ([0.001, 0.999, 0.000], ()),
        ([0.003, 0.995, 0.002], ("ratio", "value")),  # in order, and still not e^6.8 to 1
        ([0.001, 0.990, 0.000], ("sum", "value")),
        ([0.501, 0.499, 0.000], ("order", "ratio", "value")),
    ],
)
def test_each_check_finds_its_own_faults(printed, failed):
    assert failed_checks(SCORES, printed, 3) == failed


@given(ROWS, st.integers(1, 8))
def test_rightly_rounded_rows_pass_every_check(scores, places):
    assert failed_checks(scores, np.round(softmax(scores), places), places) == ()


@given(ROWS, st.integers(2, 6), st.integers(0, 5))
def test_a_number_off_by_two_in_the_last_place_is_found(scores, places, place):
    printed = np.round(softmax(scores), places)
    printed[place % len(scores)] += 2 * 10.0**-places
    assert "value" in failed_checks(scores, printed, places)


def test_scores_far_apart_are_compared_without_overflow():
    assert failed_checks([-900, 900], [0, 1], 3) == ()
    assert "ratio" in failed_checks([-900, 900], [0.5, 0.5], 3)


# What is refused


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: plain_shares([]), "scores has shape (0,)"),
        (lambda: plain_shares(3), "scores has shape ()"),
        (lambda: argmax_shares([1, np.inf]), "scores holds inf at (1,)"),
        (lambda: softmax_at([1, 2], 0), "temperature is 0, but must be a finite number above 0"),
        (lambda: softmax_at([1, 2], np.inf), "temperature is inf"),
        (lambda: softmax_at(np.ones(2, np.float32), 1e-60), "temperature is 1e-60"),
        (lambda: softmax_steps([[1, 2]]), "scores has shape (1, 2), but needs 1 axes"),
        (lambda: softmax_steps([1e5], "float16"), "grew past what float16 can hold at step scores"),
        (lambda: softmax_steps([1], "float8"), "dtype is 'float8'"),
        (lambda: largest_safe_score("int64"), "dtype is 'int64'"),
        (lambda: softmax_jacobian(1.0), "weights has shape ()"),
        (lambda: entropy([1.5, -0.5]), "weights is"),
        (lambda: broken_rules([["x"]]), "weights must be an array of real numbers"),
        (lambda: failed_checks(SCORES, [0.5, 0.5], 3), "printed has 2 along its weight axis"),
        (lambda: failed_checks(SCORES, MISPRINT, -1), "places is -1"),
        (lambda: failed_checks(SCORES, [np.nan] * 3, 3), "printed holds nan"),
    ],
)
def test_refusals(call, sentence):
    with pytest.raises(AttentionError) as caught:
        call()
    assert sentence in str(caught.value)
