"""Query heads that share key and value heads: the right order is the library's, the wrong one is another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import AttentionError, cost, multi_head_attention, repeat_heads
from ui.course.engine.blocks import first_difference
from ui.course.lessons.masks.head_map import (
    ORDERS,
    cache_bytes,
    divisors,
    head_map,
    share_heads,
)

SHARED = [(n_heads, n_kv_heads) for n_heads in (1, 2, 4, 6, 16) for n_kv_heads in divisors(n_heads)]


def layer(n_heads, n_kv_heads, **options):
    rng = np.random.default_rng(n_heads * 100 + n_kv_heads)
    shapes = [(3, 4), (4, 2 * n_heads), (4, 2 * n_kv_heads), (4, 2 * n_kv_heads), (2 * n_heads, 4)]
    return multi_head_attention(
        *(rng.standard_normal(shape) for shape in shapes), n_heads=n_heads, n_kv_heads=n_kv_heads, **options
    )


@pytest.mark.parametrize(("n_heads", "n_kv_heads"), SHARED)
def test_maps_say_what_repeat_and_tile_do(n_heads, n_kv_heads):
    heads, times = np.arange(n_kv_heads), n_heads // n_kv_heads
    interleaved, tiled = (head_map(n_heads, n_kv_heads, order) for order in ORDERS)
    assert list(interleaved) == repeat_heads(heads, times, axis=0).tolist()
    assert list(tiled) == np.tile(heads, times).tolist()
    assert (interleaved == tiled) == (n_kv_heads in (1, n_heads))


def test_sixteen_heads_share_four():
    assert head_map(16, 4) == (0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)
    assert head_map(16, 4, "tile") == (0, 1, 2, 3) * 4


@pytest.mark.parametrize(
    "options", [{}, {"scale": 1.0}, {"scale": 0.3, "softcap": 1.5}, {"is_causal": True, "b_o": [1, 2, 3, 4]}]
)
@pytest.mark.parametrize(("n_heads", "n_kv_heads"), SHARED)
def test_interleaving_gives_the_numbers_of_the_layer_and_tiling_others(n_heads, n_kv_heads, options):
    trace = layer(n_heads, n_kv_heads, **options)
    right, wrong = (share_heads(trace, order) for order in ORDERS)
    np.testing.assert_allclose(right.trace["weights"], trace["weights"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(right.output, trace.output, rtol=0, atol=1e-12)
    assert wrong.output.shape == right.output.shape
    parts = first_difference(right.output, wrong.output)
    assert (parts is None) == (n_kv_heads in (1, n_heads))


def test_heads_that_read_the_same_in_both_orders_agree_and_the_first_other_parts():
    trace = layer(4, 2)
    right, wrong = (share_heads(trace, order) for order in ORDERS)
    moved = [a != b for a, b in zip(right.head_to_kv, wrong.head_to_kv, strict=True)]
    assert moved == [False, True, True, False]
    head, _, key = first_difference(right.trace["scores"], wrong.trace["scores"])
    assert (head, key) == (1, 0)
    for head in range(4):
        same = first_difference(right.trace["weights"][head], wrong.trace["weights"][head]) is None
        assert same == (not moved[head])


def test_heads_that_do_not_divide_are_refused():
    with pytest.raises(AttentionError) as error:
        head_map(6, 4)
    assert error.value.code == "kv_heads_divide"


def test_divisors_share_evenly():
    assert divisors(12) == (1, 2, 3, 4, 6, 12)
    assert divisors(1) == (1,)


@given(
    st.fixed_dictionaries(
        {name: st.integers(1, 200) for name in ("n_layers", "d_head", "n_tokens", "bytes_each", "batch")}
    ),
    st.integers(1, 40).flatmap(lambda n: st.tuples(st.just(n), st.sampled_from(divisors(n)))),
)
def test_cache_bytes_are_two_arrays_of_every_layer(sizes, heads):
    n_heads, n_kv_heads = heads
    found = cache_bytes(**sizes, n_heads=n_heads, n_kv_heads=n_kv_heads)
    assert found == 2 * n_kv_heads * np.prod(list(sizes.values()), dtype=object)
    assert found * (n_heads // n_kv_heads) == cache_bytes(**sizes, n_heads=n_heads, n_kv_heads=n_heads)
    assert found.formula == "2·L·k·h·s·w·b"


def test_cache_bytes_of_a_layer_are_those_of_its_keys_and_values():
    trace = layer(4, 2)
    kept = trace["k_heads"].nbytes + trace["v_heads"].nbytes
    sizes = {"n_layers": 1, "n_heads": 4, "n_kv_heads": 2, "d_head": 2, "n_tokens": 3, "bytes_each": 8}
    assert cache_bytes(**sizes, batch=1) == kept
    assert cost(d_model=8, n_tokens=3, n_heads=4, n_kv_heads=2, bytes_each=8)["kv_cache_bytes"] == kept
