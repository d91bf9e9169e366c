"""Following origins rebuilds every step that only moves numbers, exactly."""

import numpy as np
import pytest

from attention_core import AttentionError, fused_qkv_attention, multi_head_attention, origins
from attention_core.origins import MOVES
from attention_core.trace import MOVING

from .varied import varied_traces

TRACES = varied_traces()
MOVED = [(name, step.name) for name, trace in TRACES.items() for step in trace.steps if step.moved]


def test_every_kind_of_move_is_met():
    assert {TRACES[name].step(step).op for name, step in MOVED} == MOVING == set(MOVES)


@pytest.mark.parametrize(("name", "step"), MOVED)
def test_origins_rebuild_the_step(name, step):
    trace = TRACES[name]
    found = origins(trace, step)
    np.testing.assert_array_equal(found.rebuild(trace), trace[step])
    index = found.index
    assert index.shape == (*trace[step].shape, trace[found.sources[0]].ndim)
    for at in np.ndindex(trace[step].shape):
        source = trace[found.sources[found.which[at]]]
        assert source[tuple(index[at])] == trace[step][at]
        assert source.ravel()[found.flat[at]] == trace[step][at]
    np.testing.assert_array_equal(np.asarray(found), found.flat)


def test_origins_further_back():
    trace = TRACES["fused, batch"]
    found = origins(trace, "k_heads", source="qkv")
    assert found.sources == ("qkv",)
    np.testing.assert_array_equal(found.rebuild(trace), trace["k_heads"])
    assert found.index[1, 2, 0, 1].tolist() == [
        1,
        0,
        8 + 2 * 2 + 1,
    ]  # batch 1, token 0, K's head 2, feature 1


def test_the_columns_of_a_head_lie_together_where_they_lie_head_by_head():
    found = origins(TRACES["fused, head by head, batch"], "k_heads", source="qkv")
    column = 2 * 6 + 2 + 1  # two heads of 6, the q of head 2, one feature of its k
    assert found.index[1, 2, 0, 1].tolist() == [1, 0, column]  # batch 1, token 0


def test_origins_name_the_cache_and_the_new_keys():
    trace = TRACES["mqa with a cache"]
    found = origins(trace, "present_key")
    assert found.sources == ("past_key", "k_heads")
    assert found.which[0, 0, :, 0].tolist() == [0, 0, 1, 1, 1]
    further = origins(trace, "k_repeated", source="present_key")
    assert set(further.index[:, :, :, :, 1].ravel().tolist()) == {0}  # one head serves all


def test_equal_numbers_keep_their_own_origins():
    x = np.ones((2, 4))
    trace = fused_qkv_attention(x, np.ones((4, 12)), n_heads=2)
    assert len(np.unique(origins(trace, "qkv_permuted").flat)) == trace["qkv_permuted"].size


def test_computed_steps_have_no_origin():
    with pytest.raises(AttentionError, match="The numbers of weights were given or computed there") as error:
        origins(TRACES["one head"], "weights")
    assert error.value.code == "not_moved"
    assert "q_heads" in str(error.value)


def test_an_empty_cache_can_be_followed_too():
    eye = np.eye(2)
    empty = np.zeros((1, 0, 2))
    trace = multi_head_attention(eye, eye, eye, eye, n_heads=1, past_key=empty, past_value=empty)
    np.testing.assert_array_equal(origins(trace, "present_key").rebuild(trace), trace["present_key"])
