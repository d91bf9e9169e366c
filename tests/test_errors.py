"""Whatever numbers are given, there is a trace or one AttentionError that says what to change."""

import contextlib
import math
import pickle
import string

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core import (
    MESSAGES,
    AttentionError,
    Trace,
    causal_mask,
    compare_layers,
    conv_attention,
    crossing_length,
    explain_cell,
    fixed_table,
    fused_qkv_attention,
    gradients,
    merge_heads,
    multi_head_attention,
    padding_mask,
    post_norm_attention,
    reach,
    scaled_dot_product_attention,
    softmax,
    split_heads,
    window_mask,
)

from .checkpoints import MODELS_REFUSED

I2, I4 = np.eye(2), np.eye(4)
Q = np.ones((2, 4, 3, 8))  # batch, head, token, feature


def mha(x=I4, w_q=I4, w_k=I4, w_v=I4, w_o=None, n_heads=2, **options):
    return multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads=n_heads, **options)


def sdpa(query=Q, key=Q, value=Q, **options):
    return scaled_dot_product_attention(query, key, value, **options)


SINGLES = [np.ones((1, 3, 2), np.float32)] * 3
IMAGE, W_QKV = np.ones((1, 4, 2, 2)), np.ones((8, 4))


def conv(x=IMAGE, w_qkv=W_QKV, n_heads=2, **options):
    return conv_attention(x, w_qkv, n_heads=n_heads, **options)


def post_norm(q=I4, w_o=I4, **options):
    return post_norm_attention(q, q, q, I4, I4, I4, w_o, n_heads=2, **options)


REFUSED = [
    # shapes: which axis, both sizes
    (
        lambda: mha(w_q=np.ones((3, 4))),
        "size",
        "w_q has 3 along its in axis (shape (3, 4)), but 4 is needed to match x",
    ),
    (
        lambda: mha(w_k=np.ones((4, 2))),
        "size",
        "w_k has 2 along its out axis (shape (4, 2)), but 4 is needed",
    ),
    (lambda: mha(w_o=np.ones((2, 4))), "size", "w_o has 2 along its in axis"),
    (
        lambda: mha(b_q=np.ones(3)),
        "size",
        "b_q has 3 along its out axis (shape (3,)), but 4 is needed to match w_q",
    ),
    (lambda: mha(b_q=np.ones((1, 4))), "ndim", "b_q has shape (1, 4), but needs 1 axes (out)"),
    (lambda: mha(x=np.ones(4)), "ndim", "x has shape (4,), but needs 2 or 3 axes (batch, token, feature)"),
    (lambda: mha(x=np.ones((1, 1, 4, 4))), "ndim", "x has shape (1, 1, 4, 4)"),
    (lambda: mha(x=np.float64(3)), "ndim", "x has shape ()"),
    (lambda: mha(memory=np.ones((1, 2, 4))), "ndim", "memory has shape (1, 2, 4), but needs 2 axes"),
    (
        lambda: mha(x=np.ones((2, 3, 4)), memory=np.ones((3, 2, 4))),
        "size",
        "memory has 3 along its batch axis",
    ),
    (lambda: mha(x=np.ones((0, 4))), "empty", "x has shape (0, 4), so it holds nothing"),
    (lambda: sdpa(key=np.ones((2, 4, 3, 7))), "size", "key has 7 along its feature axis"),
    (lambda: sdpa(value=np.ones((2, 4, 5, 8))), "size", "value has 5 along its token axis"),
    (lambda: sdpa(key=np.ones((3, 4, 3, 8))), "size", "key has 3 along its batch axis"),
    (lambda: sdpa(key=np.ones((4, 3, 8))), "ndim", "key has shape (4, 3, 8), but needs 4 axes"),
    (lambda: sdpa(query=np.ones(3)), "ndim", "query has shape (3,), but needs 2 axes"),
    (
        lambda: conv(w_qkv=np.ones((7, 4))),
        "size",
        "w_qkv has 7 along its out axis (shape (7, 4)), but 8 is needed to match 4 + 2·2·1 channels",
    ),
    (lambda: conv(w_pe=np.ones((4, 5, 5))), "size", "w_pe has 5 along its row axis"),
    (lambda: conv(w_pe=np.ones((3, 3, 3))), "size", "w_pe has 3 along its channel axis"),
    (lambda: conv(w_proj=np.ones((4, 3))), "size", "w_proj has 3 along its in axis"),
    (lambda: post_norm(w_o=np.ones((4, 3))), "size", "w_o has 3 along its out axis"),
    (lambda: post_norm(gamma=np.ones(3)), "size", "gamma has 3 along its feature axis"),
    # heads
    (lambda: mha(n_heads=3), "heads_divide", "w_q has width 4, which 3 heads do not divide evenly"),
    (lambda: mha(w_v=np.ones((4, 3))), "heads_divide", "w_v has width 3"),
    (
        lambda: fused_qkv_attention(I4, np.ones((4, 12)), n_heads=3),
        "fused_width",
        "w_qkv has width 12, but Q, K and V for 3 heads need a multiple of 9",
    ),
    (
        lambda: fused_qkv_attention(I4, np.ones((4, 12)), n_heads=3, per_head=True),
        "fused_width",
        "w_qkv has width 12, but Q, K and V for 3 heads need a multiple of 9",
    ),
    (lambda: conv(n_heads=3), "heads_divide", "x has width 4"),
    (lambda: mha(n_heads=0), "count", "n_heads is 0, but must be a whole number of at least 1"),
    (lambda: mha(n_heads=2.0), "count", "n_heads is 2.0"),
    (lambda: mha(n_heads=True), "count", "n_heads is True"),
    (lambda: mha(split="reshape"), "number", 'split is \'reshape\', but must be "transpose" or "view"'),
    (lambda: mha(split=np.zeros(2)), "number", "split is array([0., 0.])"),
    (lambda: mha(n_heads=4, n_kv_heads=3), "kv_heads_divide", "4 query heads cannot share 3 key/value heads"),
    (lambda: mha(n_heads=2, n_kv_heads=4), "kv_heads_divide", "2 query heads cannot share 4"),
    (lambda: sdpa(key=Q[:, :2], value=Q[:, :2]), "heads_differ", "query has 4 heads and key has 2"),
    (
        lambda: sdpa(key=Q[:, :3], value=Q[:, :3], enable_gqa=True),
        "kv_heads_divide",
        "4 query heads cannot share 3",
    ),
    (
        lambda: sdpa(key=Q[:, :2], value=Q[:, :1], enable_gqa=True),
        "kv_heads_differ",
        "key has 2 heads and value has 1",
    ),
    (
        lambda: conv(x=np.ones((1, 8, 1, 1)), n_heads=8),
        "key_dim_zero",
        "8 channels over 8 heads leave 1 per head",
    ),
    # numbers
    (lambda: mha(x=[[1, 2, 3, math.nan]]), "not_finite", "x holds nan at (0, 3)"),
    (lambda: mha(w_k=np.where(I4, math.inf, 0)), "not_finite", "w_k holds inf at (0, 0)"),
    (lambda: mha(w_o=np.where(I4, -math.inf, 0)), "not_finite", "w_o holds -inf at (0, 0)"),
    (lambda: mha(b_v=[0, math.nan, 0, 0]), "not_finite", "b_v holds nan at (1,)"),
    (lambda: sdpa(value=np.where(Q == 1, math.nan, Q)), "not_finite", "value holds nan at (0, 0, 0, 0)"),
    (lambda: conv(w_pe=np.full((4, 3, 3), math.nan)), "not_finite", "w_pe holds nan"),
    (lambda: post_norm(gamma=[1, 1, 1, math.inf]), "not_finite", "gamma holds inf at (3,)"),
    (
        lambda: mha(past_key=np.full((2, 1, 2), math.nan), past_value=np.ones((2, 1, 2))),
        "not_finite",
        "past_key holds",
    ),
    (lambda: mha(x=I4 * 1e200, w_q=I4 * 1e200), "overflow", "grew past what float64 can hold at step q"),
    (lambda: mha(x=I4 * 1e100, w_q=I4 * 1e100, w_k=I4 * 1e100), "overflow", "at step scores"),
    (lambda: mha(x="abc"), "not_numbers", "x must be an array of real numbers"),
    (lambda: mha(x=[[1, 2], [3]]), "not_numbers", "x must be an array of real numbers, but list was given"),
    (lambda: mha(x=I4 * 1j), "not_numbers", "an array of complex128"),
    (lambda: mha(x=None), "not_numbers", "x must be an array of real numbers, but an array of object"),
    (lambda: mha(w_k=None), "not_numbers", "w_k must be an array of real numbers"),
    (lambda: mha(x=I4 * 1e10, w_q=I4 * 1e10, scale=1e300), "overflow", "at step scaled"),
    (lambda: sdpa(value=np.full(Q.shape, 1e308), dropout_p=0.9, rng=0), "overflow", "at step head_outputs"),
    (lambda: sdpa(Q * 1e153, Q * 1e154, attn_mask=np.array(1.7e308)), "overflow", "at step masked"),
    (lambda: sdpa(*SINGLES, scale=1e39), "number", "scale is 1e+39"),
    (lambda: sdpa(*SINGLES, softcap=1e39), "number", "softcap is 1e+39"),
    (lambda: sdpa(*SINGLES, softcap=1e-50), "number", "softcap is 1e-50"),
    (lambda: sdpa(*SINGLES, masked_fill=-1e39), "number", "masked_fill is -1e+39"),
    (
        lambda: sdpa(*SINGLES, attn_mask=np.array([1e300, 0, 0])),
        "mask_value",
        "attn_mask holds 1e+300 at (0,)",
    ),
    (lambda: sdpa(*SINGLES, attn_mask=np.array([-1e300, 0, 0])), "mask_value", "attn_mask holds -1e+300"),
    (lambda: post_norm(w_o=I4 * 1e200), "overflow", "at step output"),
    (lambda: post_norm(q=np.ones((4, 4)), w_o=np.zeros((4, 4)), eps=0), "number", "eps is 0.0"),
    (lambda: post_norm(q=[[1, 2, 3, math.nan]]), "not_finite", "q holds nan at (0, 3)"),
    (lambda: conv(x=IMAGE * 1.2e308, w_qkv=np.eye(8, 4), w_pe=np.ones((4, 3, 3))), "overflow", "at step"),
    (lambda: gradients(mha(x=I4 * 100), np.full((4, 4), 1e308)), "overflow", "at step gradient of"),
    (lambda: explain_cell(mha(), "x", (0, 0), decimals=-1), "count", "decimals is -1"),
    (lambda: softmax([]), "empty", "scores has shape (0,)"),
    (lambda: softmax([math.nan, 1]), "not_finite", "scores holds nan at (0,)"),
    (lambda: softmax([math.inf, 1]), "not_finite", "scores holds inf at (0,)"),
    (lambda: split_heads([[1, 2, 3]], 2), "heads_divide", "channels has width 3"),
    (lambda: split_heads([1, 2], 2), "ndim", "channels has shape (2,)"),
    (lambda: split_heads(I4, 0), "count", "n_heads is 0"),
    (lambda: merge_heads([[1]]), "ndim", "heads has shape (1, 1)"),
    (lambda: causal_mask(-1), "count", "n_queries is -1"),
    (lambda: window_mask(3, 3, -5), "count", "left is -5"),
    (lambda: padding_mask([9], 3), "kv_lengths", "lengths is [9]"),
    (lambda: padding_mask([0.5], 3), "kv_lengths", "lengths is [0.5]"),
    # masks
    (
        lambda: mha(attn_mask=np.ones((3, 4), bool)),
        "mask_shape",
        "attn_mask has shape (3, 4), which does not broadcast to (2, 4, 4) (head, query, key)",
    ),
    (lambda: mha(attn_mask=np.ones((1, 1, 1, 4, 4), bool)), "mask_shape", "attn_mask has shape"),
    (
        lambda: mha(attn_mask=np.ones((4, 4), int)),
        "mask_dtype",
        "attn_mask holds values of type int64. Use booleans",
    ),
    (lambda: mha(attn_mask="no"), "mask_dtype", "attn_mask holds"),
    (lambda: mha(attn_mask=np.full((4, 4), math.nan)), "mask_value", "attn_mask holds nan at (0, 0)"),
    (lambda: mha(attn_mask=np.full((4, 4), math.inf)), "mask_value", "attn_mask holds inf at (0, 0)"),
    (lambda: post_norm(attn_mask=[[True], [True, False]]), "mask_dtype", "attn_mask holds list"),
    # settings
    (lambda: mha(is_causal=np.array([True, False])), "number", "is_causal is array([ True, False])"),
    (
        lambda: fused_qkv_attention(I4, np.ones((4, 12)), n_heads=2, per_head="yes"),
        "number",
        "per_head is 'yes', but must be True or False",
    ),
    (lambda: mha(masked_fill=np.array([1.0, 2.0])), "number", "masked_fill is array"),
    (lambda: mha(dropout_p=np.array([0.1, 0.2])), "dropout_range", "dropout_p is array"),
    (lambda: conv(attn_ratio=1.79e308), "number", "attn_ratio is 1.79e+308"),
    (lambda: mha(dropout_p=1.0), "dropout_range", "dropout_p is 1.0, but must be at least 0 and less than 1"),
    (lambda: mha(dropout_p=-0.1), "dropout_range", "dropout_p is -0.1"),
    (lambda: mha(dropout_p=math.nan), "dropout_range", "dropout_p is nan"),
    (lambda: mha(scale=math.inf), "number", "scale is inf, but must be a finite number"),
    (lambda: mha(scale="big"), "number", "scale is 'big'"),
    (lambda: mha(softcap=-1), "number", "softcap is -1"),
    (lambda: mha(masked_fill=math.nan), "number", "masked_fill is nan"),
    (lambda: mha(dropout_p=0.5, rng=-1), "number", "rng is -1"),
    (lambda: conv(attn_ratio=0), "number", "attn_ratio is 0, but must be a positive number"),
    (lambda: post_norm(eps=-1), "number", "eps is -1"),
    (lambda: mha(window=(-1, 0)), "window", "window is (-1, 0)"),
    (lambda: mha(window=3), "window", "window is 3"),
    (
        lambda: mha(kv_lengths=[5]),
        "kv_lengths",
        "kv_lengths is [5], but must hold whole numbers from 0 to 4",
    ),
    (lambda: mha(kv_lengths=[1, 2]), "kv_lengths", "kv_lengths is [1, 2]"),
    (lambda: mha(kv_lengths=[0.5]), "kv_lengths", "kv_lengths is [0.5]"),
    (lambda: mha(past_key=np.ones((2, 1, 2))), "goes_with", "past_key was given without past_value"),
    (lambda: mha(b_o=np.ones(4)), "goes_with", "b_o was given without w_o"),
    (lambda: conv(b_pe=np.ones(4)), "goes_with", "b_pe was given without w_pe"),
    (
        lambda: mha(past_key=np.ones((2, 1, 2)), past_value=np.ones((2, 1, 2)), kv_lengths=[1]),
        "cache_conflict",
        "both",
    ),
    (lambda: mha(past_key=np.ones((2, 1, 3)), past_value=np.ones((2, 1, 2))), "size", "past_key has 3 along"),
    (
        lambda: mha(past_key=np.ones((2, 2, 2)), past_value=np.ones((2, 1, 2))),
        "size",
        "past_value has 1 along its past",
    ),
    (lambda: mha(past_key=np.ones((1, 2)), past_value=np.ones((1, 2))), "ndim", "past_key has shape (1, 2)"),
    # other ways than attention, and what things cost
    (
        lambda: fixed_table(np.ones((5, 4)), I4, I4),
        "table_length",
        "table has shape (4, 4), but 5 tokens need (5, 5)",
    ),
    (lambda: fixed_table(I4, I4, np.ones((4, 3))), "table_length", "table has shape (4, 3), but 4 tokens"),
    (lambda: fixed_table(I4, I4, np.ones(4)), "ndim", "table has shape (4,), but needs 2 axes (query, key)"),
    (lambda: fixed_table(I4, I2, I4), "size", "w_v has 2 along its in axis"),
    (lambda: fixed_table(I4, I4, np.where(I4, math.inf, 0)), "not_finite", "table holds inf at (0, 0)"),
    (lambda: fixed_table(I4 * 1e200, I4, I4 * 1e200), "overflow", "at step output"),
    (lambda: compare_layers(n_tokens=1, d_model=4), "count", "n_tokens is 1, but must be a whole number"),
    (lambda: compare_layers(n_tokens=4, d_model=0), "count", "d_model is 0"),
    (lambda: compare_layers(n_tokens=4, d_model=4, kernel=4), "number", "kernel is 4, but must be an odd"),
    (lambda: compare_layers(n_tokens=4, d_model=4, kernel=1), "number", "kernel is 1, but must be an odd"),
    (lambda: reach("gnn", 4, 1), "number", "kind is 'gnn', but must be one of self_attention, rnn, cnn"),
    (lambda: reach("cnn", 4, -1), "count", "steps is -1"),
    (
        lambda: crossing_length("kv_cache_bytes", d_model=8, n_heads=2),
        "no_crossing",
        "'kv_cache_bytes' is not made of a part that grows with the length and one",
    ),
    (
        lambda: crossing_length("parameters", "attention_operations", d_model=8, n_heads=2),
        "no_crossing",
        "'parameters, attention_operations' is not made of",
    ),
    (lambda: crossing_length(d_model=8, n_heads=2), "no_crossing", "Name one or more amounts of cost"),
    (lambda: crossing_length("layer_operations", d_model=8, n_heads=3), "heads_divide", "3 heads"),
    *MODELS_REFUSED,
]


@pytest.mark.parametrize(
    ("call", "code", "words"), REFUSED, ids=[f"{row[1]}: {row[2][:50]}" for row in REFUSED]
)
def test_refused_with_a_sentence(call, code, words):
    with pytest.raises(AttentionError) as error:
        call()
    assert error.value.code == code
    assert words in str(error.value)
    assert str(error.value).endswith(".")


def test_a_refusal_survives_pickling():
    error = AttentionError("heads_divide", name="w_q", width=4, n_heads=3)
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.facts, str(again)) == (error.code, error.facts, str(error))


def test_every_code_is_raised_somewhere_here():
    elsewhere = {"unknown_step", "index", "not_moved", "no_gradient", "trace_axes", "trace_order", "shape"}
    elsewhere |= {"too_many_rows"}
    assert {row[1] for row in REFUSED} | elsewhere == set(MESSAGES)


def test_every_message_is_sentences_with_named_facts():
    for message in MESSAGES.values():
        fields = [field for _, field, _, _ in string.Formatter().parse(message) if field is not None]
        assert all(field.isidentifier() for field in fields)
        assert message.endswith(".")


def test_an_unknown_option_is_a_plain_mistake():
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'masq'"):
        mha(masq=True)


def test_what_is_fine():
    mha(enable_gqa=True, n_kv_heads=1, w_k=np.ones((4, 2)), w_v=np.ones((4, 2)))
    np.testing.assert_allclose(softmax(np.array([1, 200], np.uint8)), [0, 1], atol=1e-12)
    np.testing.assert_allclose(softmax(np.array([-100, 100], np.int8)), [0, 1], atol=1e-12)
    assert split_heads([[1, 2], [3, 4]], 2).shape == (2, 2, 1)
    with np.errstate(all="raise"):
        mha(x=np.diag([40.0, 1, 1, 1]))
        softmax([0.0, -1000.0])
    mha(attn_mask=np.array([[0.0, -math.inf, 1.0, 2.0]]))
    mha(past_key=np.ones((2, 0, 2)), past_value=np.ones((2, 0, 2)))
    mha(x=I4 * 1e30, w_q=I4 * 1e30)  # large, but every score fits
    mha(n_heads=np.int64(2), kv_lengths=3, dropout_p=np.float32(0.5), rng=0)
    mha(x=np.ones((4, 4), np.float16), window=[1, None])


def test_large_scores_never_overflow():
    big = scaled_dot_product_attention(np.full((2, 1), 1e150), [[1e150], [-1e150], [0.0]], np.eye(3))
    np.testing.assert_array_equal(big.output, [[1, 0, 0], [1, 0, 0]])
    single = np.full((2, 1), 1e18, np.float32)
    np.testing.assert_array_equal(sdpa(single, single, single).output, single)


ODD_NUMBERS = st.one_of(
    st.floats(-10, 10, width=32),
    st.sampled_from([0.0, 1e300, -1e300, 1e38, 1e-300, math.nan, math.inf, -math.inf]),
)
SIZES = st.integers(0, 4)


TYPES = st.sampled_from(["f8", "f4", "i4", "f2", "u1", "?"])
SHARED_TYPE = st.shared(TYPES, key="type")  # mostly all arrays of a call have one type


@st.composite
def odd_arrays(draw, usual: int):
    """An array of a plausible number of axes, small, mostly fitting, of any float or integer type."""
    n_axes = draw(st.sampled_from([usual] * 6 + [0, 1, 2, 3, 4, 5]))
    shape = tuple(draw(st.sampled_from([2, 2, 2, 2, 4, 1, 3, 0])) for _ in range(n_axes))
    odd = draw(st.integers(0, 5)) == 0
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    array = rng.integers(-3, 4, shape).astype(draw(st.one_of(SHARED_TYPE, SHARED_TYPE, SHARED_TYPE, TYPES)))
    if odd and array.size and array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            array[draw(st.integers(0, len(array) - 1)) if shape else ()] = draw(ODD_NUMBERS)
    return array


@st.composite
def odd_options(draw):
    maybe = {
        "attn_mask": odd_arrays(2),
        "dropout_p": st.sampled_from([0.0, 0.5, 1.0, -1.0, math.nan]),
        "is_causal": st.booleans(),
        "scale": ODD_NUMBERS,
        "softcap": ODD_NUMBERS,
        "window": st.tuples(
            st.one_of(st.none(), st.integers(-1, 3)), st.one_of(st.none(), st.integers(-1, 3))
        ),
        "past_key": odd_arrays(3),
        "past_value": odd_arrays(3),
        "kv_lengths": st.lists(st.integers(-1, 4), max_size=3),
        "masked_fill": ODD_NUMBERS,
        "rng": st.integers(-1, 2),
    }
    chosen = draw(st.lists(st.sampled_from(sorted(maybe)), max_size=3, unique=True))
    return {name: draw(maybe[name]) for name in chosen}


def trace_or_refusal(call):
    """Runs `call`; anything but a Trace of finite output or an AttentionError escapes and fails."""
    try:
        trace = call()
    except AttentionError:
        return
    assert isinstance(trace, Trace)
    for step in trace.steps:
        assert np.isfinite(step.value).all() or (step.name == "masked" and (step.value < np.inf).all())
        if step.value.size:
            explain_cell(trace, step.name, (0,) * step.value.ndim)
    with contextlib.suppress(AttentionError):
        gradients(trace)


MANY = settings(
    max_examples=400, suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example]
)


@MANY
@given(*[odd_arrays(2)] * 4, st.one_of(st.none(), odd_arrays(2)), st.integers(-1, 3), odd_options())
def test_any_numbers_for_multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads, options):
    trace_or_refusal(lambda: multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads=n_heads, **options))


@MANY
@given(*[odd_arrays(3)] * 3, st.booleans(), odd_options())
def test_any_numbers_for_scaled_dot_product_attention(query, key, value, gqa, options):
    trace_or_refusal(lambda: scaled_dot_product_attention(query, key, value, enable_gqa=gqa, **options))


@MANY
@given(
    odd_arrays(2),
    odd_arrays(2),
    st.one_of(st.none(), odd_arrays(2)),
    st.integers(-1, 3),
    st.booleans(),
    odd_options(),
)
def test_any_numbers_for_fused_attention(x, w_qkv, w_o, n_heads, per_head, options):
    trace_or_refusal(
        lambda: fused_qkv_attention(x, w_qkv, w_o, n_heads=n_heads, per_head=per_head, **options)
    )


@MANY
@given(
    odd_arrays(4),
    odd_arrays(2),
    st.one_of(st.none(), odd_arrays(2)),
    st.one_of(st.none(), odd_arrays(3)),
    st.integers(0, 3),
    ODD_NUMBERS,
)
def test_any_numbers_for_conv_attention(x, w_qkv, w_proj, w_pe, n_heads, ratio):
    trace_or_refusal(lambda: conv_attention(x, w_qkv, w_proj, w_pe, n_heads=n_heads, attn_ratio=ratio))


@MANY
@given(*[odd_arrays(2)] * 7, st.integers(0, 3), ODD_NUMBERS)
def test_any_numbers_for_post_norm_attention(q, k, v, w_q, w_k, w_v, w_o, n_heads, eps):
    trace_or_refusal(lambda: post_norm_attention(q, k, v, w_q, w_k, w_v, w_o, n_heads=n_heads, eps=eps))
