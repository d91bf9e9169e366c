"""What heads measurably do: each measure on patterns where its value is known, and by its formula."""

import numpy as np
import pytest

from attention_core.models import MEASURES, measure_all
from attention_core.models.measures import OF_TWO, repeats

N = 5
EVEN = np.full((N, N), 1 / N)
ITSELF = np.eye(N)
BEFORE = np.eye(N, k=-1) + np.eye(N)[0] * np.eye(N)[:, :1]  # the first token has only itself
AFTER = BEFORE[::-1, ::-1]
ENDS = np.tile([0.75, 0, 0, 0, 0.25], (N, 1))
CAUSAL = np.tril(np.ones((N, N))) / np.arange(1, N + 1)[:, None]  # even weights on all that may be seen
PATTERNS = {"even": EVEN, "itself": ITSELF, "before": BEFORE, "after": AFTER, "ends": ENDS, "causal": CAUSAL}
IDS = (7, 3, 9, 3, 8)  # the token at 1 is repeated at 3
ALL = np.stack([np.stack(list(PATTERNS.values()))] * 2)  # (layer, head, query, key)
SPECIAL = (0, N - 1)


def measured(name, pattern):
    return measure_all(ALL, SPECIAL, IDS)[name][1, list(PATTERNS).index(pattern)]


@pytest.mark.parametrize(
    ("name", "values"),
    {
        "previous": {"before": 1, "itself": 0, "after": 0, "even": 0.2},
        "next": {"after": 1, "itself": 0, "before": 0, "even": 0.2},
        "same": {"itself": 1, "before": 0.2, "after": 0.2, "ends": 0.2},
        "repeated": {"even": 0.2, "itself": 0, "causal": 0.125},
        "first": {"ends": 0.75, "even": 0.2, "before": 0.4},
        "sink": {"ends": 1, "even": 0.4, "itself": 0.4},
        "broad": {"even": 1, "itself": 0, "causal": 0.8, "ends": np.log2(4) - 0.75 * np.log2(3)},
        "sharp": {"even": 0.2, "itself": 1, "ends": 0.75},
    }.items(),
)  # fmt: skip
def test_the_value_of_a_known_pattern(name, values):
    for pattern, value in values.items():
        assert measured(name, pattern) == pytest.approx(value), pattern


@pytest.mark.parametrize("name", MEASURES)
def test_the_formula_of_a_measure_is_what_it_computes(name):
    rng = np.random.default_rng(3)
    for weights in (ALL, np.tril(rng.dirichlet(np.ones(N), (2, 3, N)))):
        names = {"weights": weights, "special": list(SPECIAL), "again": repeats(IDS)}
        names |= {"log": np.log, "where": np.where, "maximum": np.maximum}
        found = eval(MEASURES[name].formula, {"__builtins__": {}}, names)
        np.testing.assert_array_equal(measure_all(weights, SPECIAL, IDS)[name], found)


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_a_number_between_0_and_1(name):
    weights = np.random.default_rng(4).dirichlet(np.full(N, 0.3), (4, N)).astype(np.float32)
    found = measure_all(weights, SPECIAL, IDS)[name]
    assert found.shape == (4,)
    assert ((found >= 0) & (found <= 1 + 1e-6)).all()


def test_repeats_are_other_places_of_the_same_token():
    assert np.argwhere(repeats(IDS)).tolist() == [[1, 3], [3, 1]]


def test_without_special_tokens_the_first_is_the_sink():
    np.testing.assert_array_equal(measure_all(ALL)["sink"], ALL[..., 0].mean(-1))


def test_without_ids_nothing_is_repeated():
    assert (measure_all(ALL)["repeated"] == 0).all()


def test_one_token_has_no_neighbours():
    found = measure_all(np.ones((2, 1, 1)))
    assert {name: value.tolist() for name, value in found.items()} == {
        **{name: [1, 1] for name in ("same", "first", "sink", "sharp")},
        **{name: [0, 0] for name in (*OF_TWO, "repeated", "broad")},
    }
