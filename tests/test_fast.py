"""The ways to the same numbers: few tokens without checks, many by tiles, on one thread or two."""

import threading

import numpy as np
import pytest

from attention_core import multi_head, multi_head_attention, scaled_dot_product_attention
from attention_core.fast import threads, tiles
from attention_core.fast.few_tokens import attend_few_tokens

from .varied import varied_calls, varied_traces


def same_numbers(found, expected, tolerance=1e-12):
    assert found.names == expected.names
    for step in expected.steps:
        np.testing.assert_allclose(
            found[step.name], step.value, rtol=tolerance, atol=tolerance, err_msg=step.name
        )


@pytest.fixture
def tiny_tiles(monkeypatch):
    """Cuts even the smallest input into many tiles."""
    monkeypatch.setattr(tiles, "TILE", 7)
    monkeypatch.setattr(tiles, "ROWS", 1)


@pytest.mark.parametrize("threaded", [False, True])
@pytest.mark.parametrize("name", varied_calls())
def test_tiles_change_no_number(name, threaded, tiny_tiles, monkeypatch):
    monkeypatch.setattr(tiles, "THREADED", 0 if threaded else 1 << 40)
    expected = varied_traces_before[name]
    function, given, options = varied_calls()[name]
    same_numbers(function(*given, **options), expected)


varied_traces_before = varied_traces()


@pytest.mark.parametrize("tile", [1, 5, 12, 40, 1000])
@pytest.mark.parametrize(
    "options",
    [
        {"is_causal": True},
        {"window": (2, 1)},
        {"window": (0, None), "is_causal": True},
        {"window": (None, 0), "softcap": 3.0, "dropout_p": 0.3, "rng": 1},
        {"is_causal": True, "past": 5},
        {"is_causal": True, "masked_fill": -1e9},
        {"is_causal": True, "kv_lengths": [2, 9]},
        {"window": (1, 0), "attn_mask": np.random.default_rng(0).standard_normal((2, 3, 6, 9))},
    ],
    ids=lambda options: ", ".join(options),
)
def test_skipped_columns_change_no_number(tile, options, monkeypatch):
    rng = np.random.default_rng(3)
    options = dict(options)
    n_past = options.pop("past", 0)
    q, k, v = (rng.standard_normal((2, 3, n, 4)) for n in (6, 9 - n_past, 9 - n_past))
    if n_past:
        options |= {name: rng.standard_normal((2, 3, n_past, 4)) for name in ("past_key", "past_value")}
    expected = scaled_dot_product_attention(q, k, v, **options)
    monkeypatch.setattr(tiles, "TILE", tile)
    monkeypatch.setattr(tiles, "ROWS", 1)
    same_numbers(scaled_dot_product_attention(q, k, v, **options), expected)


def few_tokens(lead, dtype, projected):
    """x (*lead, 5, 6) and weights with a wider V."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((*lead, 5, 6)).astype(dtype)
    w_q, w_k, w_v = (rng.standard_normal((6, width)).astype(dtype) for width in (8, 8, 12))
    return x, w_q, w_k, w_v, rng.standard_normal((12, 3)).astype(dtype) if projected else None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("projected", [False, True])
@pytest.mark.parametrize("n_heads", [1, 2, 4])
@pytest.mark.parametrize("lead", [(), (1,), (3,)])
def test_a_few_tokens_have_the_numbers_of_the_general_way_to_the_last_bit(dtype, projected, n_heads, lead):
    given = few_tokens(lead, dtype, projected)
    few = attend_few_tokens(*given, n_heads)
    general = multi_head_attention(*given, n_heads=n_heads, masked_fill=-np.inf)
    assert few.plan is general.plan
    for name in few.plan.by_name:
        np.testing.assert_array_equal(few[name], general[name], err_msg=name, strict=True)
        assert not few[name].flags.writeable or few.step(name).op == "number"


@pytest.mark.parametrize("lead", [(), (1,), (3,)])
def test_a_few_tokens_take_the_short_way(lead, monkeypatch):
    taken = []
    monkeypatch.setattr(
        multi_head, "attend_few_tokens", lambda *given: taken.append(attend_few_tokens(*given))
    )
    multi_head_attention(*few_tokens(lead, np.float32, True), n_heads=2)
    assert taken[0] is not None


@pytest.mark.parametrize(
    ("x", "width", "n_heads"),
    [
        (np.ones((2, 2, 5, 6)), 6, 1),  # too many axes
        (np.ones((4, 4), np.float16), 4, 1),
        ([[1.0, 2.0]], 2, 1),
        (np.full((4, 4), np.nan), 4, 1),
        (np.full((4, 4), 1e5), 4, 1),
        (np.ones((1024, 4)), 4, 1),  # few numbers, a million scores
        (np.ones((64, 8, 8)), 8, 8),
        (np.ones((1, 0, 4)), 4, 1),
        (np.ones((1, 4, 4)), 4, 3),
        (np.ones((1, 4, 4)), 5, 1),
        (np.ones((1, 4, 4)), 4, True),
        (np.ones((1, 4, 4)), 4, 0),
    ],
)
def test_what_is_unusual_is_left_to_the_general_way(x, width, n_heads):
    weight = np.ones((width, width), getattr(x, "dtype", float))
    assert attend_few_tokens(x, weight, weight, weight, None, n_heads) is None


def test_a_large_input_on_two_threads_gives_the_plain_formula():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((3, 900, 8)) for _ in range(3))
    assert tiles.THREADED < 3 * 900 * 900
    trace = scaled_dot_product_attention(q, k, v, is_causal=True)
    scaled = q @ k.mT / np.sqrt(8)
    powers = np.where(np.tri(900, dtype=bool), np.exp(scaled), 0)
    weights = powers / powers.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(trace["scaled"], scaled, atol=1e-12)
    np.testing.assert_allclose(trace["weights"], weights, atol=1e-12)
    np.testing.assert_allclose(trace.output, weights @ v, atol=1e-12)


def test_the_number_of_threads_is_restored_even_when_calls_overlap():
    setting = [6]  # stands for OpenBLAS's own, which not every NumPy has
    functions = (lambda: setting[-1], setting.append)
    read, before = functions[0], 6
    inside, leave = threading.Barrier(3), threading.Barrier(3)

    def work():
        with threads.one_thread_each(*functions):
            inside.wait(10)
            leave.wait(10)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    inside.wait(10)
    assert read() == 1
    leave.wait(10)
    for worker in workers:
        worker.join(10)
    assert read() == before


@pytest.mark.parametrize("found", [True, False])
def test_work_is_spread_with_and_without_that_setting(found, monkeypatch):
    setting = (lambda: 2, lambda number: None) if found else None
    monkeypatch.setattr(threads, "thread_setting", lambda: setting)
    done = []
    threads.spread(done.append, range(5))
    assert sorted(done) == list(range(5))
    a, b = np.arange(12.0).reshape(4, 3), np.ones((3, 2))
    monkeypatch.setattr(threads, "LARGE_PRODUCT", 0)
    np.testing.assert_array_equal(threads.product(a, b), a @ b)
