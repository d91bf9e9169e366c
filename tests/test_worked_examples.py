"""The worked numbers of the course, to six places, computed here and compared with print."""

import math

import numpy as np
import pytest

from attention_core import (
    conv_attention,
    cost,
    explain_cell,
    fused_qkv_attention,
    multi_head_attention,
    origins,
    scaled_dot_product_attention,
    softmax,
)

PIXELS = np.array([[1, 0, 1, 2], [2, 1, 0, 2], [3, 0, 1, 2], [4, 1, 0, 2]])
PICK_Q = np.array([[1, 0], [0, 0], [0, 1], [0, 0]])
PICK_K = np.array([[0, 1], [1, 0], [0, 0], [0, 0]])
PICK_V = np.array([[0, 0], [0, 1], [1, 0], [0, 0]])


def six_places(found, printed):
    np.testing.assert_allclose(np.squeeze(found), printed, atol=5e-7, rtol=0)


@pytest.fixture
def pixels():
    return multi_head_attention(PIXELS, PICK_Q, PICK_K, PICK_V, n_heads=1)


def test_two_by_two_pixels(pixels):
    six_places(pixels["q"], [[1, 1], [2, 0], [3, 1], [4, 0]])
    six_places(pixels["k"], [[0, 1], [1, 2], [0, 3], [1, 4]])
    six_places(pixels["v"], [[1, 0], [0, 1], [1, 0], [0, 1]])
    scores = np.array([[1, 3, 3, 5], [0, 2, 0, 2], [1, 5, 3, 7], [0, 4, 0, 4]])
    six_places(pixels["scores"], scores)
    six_places(pixels["scaled"], scores / math.sqrt(2))
    six_places(
        pixels["weights"],
        [
            [0.038248, 0.157323, 0.157323, 0.647107],
            [0.097785, 0.402215, 0.097785, 0.402215],
            [0.010914, 0.184656, 0.044893, 0.759537],
            [0.027904, 0.472096, 0.027904, 0.472096],
        ],
    )
    six_places(
        pixels.output,
        [[0.195570, 0.804430], [0.195570, 0.804430], [0.055807, 0.944193], [0.055807, 0.944193]],
    )


def test_two_pixels_share_an_output_though_their_weights_differ(pixels):
    np.testing.assert_allclose(pixels.output[0], pixels.output[1], rtol=1e-12)
    assert np.abs(pixels["weights"][0, 0] - pixels["weights"][0, 1]).max() > 0.2


def test_the_last_channel_is_used_by_nobody(pixels):
    changed = PIXELS.copy()
    changed[:, 3] = [7, -1, 0, 5]
    again = multi_head_attention(changed, PICK_Q, PICK_K, PICK_V, n_heads=1)
    np.testing.assert_array_equal(again.output, pixels.output)


def test_channels_first_gives_the_same_numbers_transposed(pixels):
    """One head of two channels of keys over a 2x2 image of four: V must keep all four channels."""
    image = PIXELS.T.reshape(1, 4, 2, 2)
    w_qkv = np.concatenate((PICK_Q.T, PICK_K.T, PICK_V.T, np.zeros((2, 4), int)))
    trace = conv_attention(image, w_qkv, n_heads=1, attn_ratio=0.5)
    assert trace["q_heads"].shape == (1, 1, 2, 4)
    np.testing.assert_array_equal(trace["q_heads"][0, 0], pixels["q"].T)
    np.testing.assert_array_equal(trace["k_heads"][0, 0], pixels["k"].T)
    np.testing.assert_array_equal(trace["v_heads"][0, 0, :2], pixels["v"].T)
    np.testing.assert_allclose(trace["weights"][0], pixels["weights"], rtol=1e-12)
    np.testing.assert_allclose(trace["head_outputs"][0, 0, :2], pixels.output.T, rtol=1e-12)


def test_four_channels_become_eight():
    rng = np.random.default_rng(0)
    trace = conv_attention(rng.standard_normal((1, 4, 3, 3)), rng.standard_normal((8, 4)), n_heads=2)
    assert trace["qkv"].shape == (1, 8, 3, 3)
    assert (
        trace["q_heads"].shape == trace["k_heads"].shape == (1, 2, 1, 9)
    )  # key_dim 1 in each head: 2 in all
    assert trace["v_heads"].shape == (1, 2, 2, 9)  # 4 in all
    assert trace["weights"].shape == (1, 2, 9, 9)
    flat = trace["qkv"].reshape(8, 9)  # per head: [q0 k0 v0 v0' | q1 k1 v1 v1']
    np.testing.assert_array_equal(trace["q_heads"][0, :, 0], flat[[0, 4]])
    np.testing.assert_array_equal(trace["k_heads"][0, :, 0], flat[[1, 5]])
    np.testing.assert_array_equal(trace["v_heads"][0].reshape(4, 9), flat[[2, 3, 6, 7]])


def test_vit_shapes():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1, 197, 768), dtype=np.float32)
    trace = fused_qkv_attention(x, rng.standard_normal((768, 2304), dtype=np.float32) / 30, n_heads=12)
    assert trace["qkv"].shape == (1, 197, 2304)
    assert trace["qkv_split"].shape == (1, 197, 3, 12, 64)
    assert trace["qkv_permuted"].shape == (3, 1, 12, 197, 64)
    assert trace["q_heads"].shape == (1, 12, 197, 64)
    assert np.shares_memory(trace["qkv_permuted"], trace["qkv"])  # nothing was computed or copied


def test_textbook_shapes():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((32, 20, 512), dtype=np.float32)
    weights = [rng.standard_normal((512, 512), dtype=np.float32) / 22 for _ in range(4)]
    trace = multi_head_attention(x, *weights, n_heads=8)
    shapes = {
        name: trace[name].shape for name in ("q", "q_heads", "scores", "weights", "head_outputs", "merged")
    }
    assert shapes == {
        "q": (32, 20, 512),
        "q_heads": (32, 8, 20, 64),
        "scores": (32, 8, 20, 20),
        "weights": (32, 8, 20, 20),
        "head_outputs": (32, 8, 20, 64),
        "merged": (32, 20, 512),
    }
    assert trace.output.shape == (32, 20, 512)
    assert trace["scale"] == 1 / 8


def test_softmax_of_three_scores():
    six_places(softmax([2.3, 9.1, 0.5]), [0.001112, 0.998704, 0.000184])
    assert np.abs(softmax([2.3, 9.1, 0.5]) - [0.002, 0.995, 0.003]).max() > 0.002  # the misprint


def test_variance_of_dot_products():
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((2, 100_000, 64))
    products = (q * k).sum(axis=1)
    assert abs(products.var() - 64) < 1.5
    assert abs((products / 8).var() - 1) < 0.025


def test_a_row_with_nothing_to_look_at():
    x, v = np.eye(2), np.array([[1.0, 3.0], [5.0, 7.0]])
    mask = np.array([[False, False], [True, True]])
    zero = scaled_dot_product_attention(x, x, v, attn_mask=mask)
    np.testing.assert_array_equal(zero["weights"][0], [0, 0])
    np.testing.assert_array_equal(zero.output[0], [0, 0])
    average = scaled_dot_product_attention(x, x, v, attn_mask=mask, masked_fill=-1e9)
    np.testing.assert_array_equal(average["weights"][0], [0.5, 0.5])
    np.testing.assert_array_equal(average.output[0], [3, 5])


def test_sixteen_query_heads_share_four_and_one():
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((16, 3, 8)), rng.standard_normal((4, 3, 8))
    trace = scaled_dot_product_attention(q, k, k, enable_gqa=True)
    for head in range(16):
        np.testing.assert_array_equal(trace["k_repeated"][head], k[head // 4])
    trace = scaled_dot_product_attention(q, k[:1], k[:1], enable_gqa=True)
    assert (trace["k_repeated"] == k[0]).all()


def test_view_for_transpose_has_the_right_shape_and_the_wrong_numbers():
    x = np.array([[0.0, 0.1, 0.2, 0.3], [1.0, 1.1, 1.2, 1.3], [2.0, 2.1, 2.2, 2.3]])  # token.channel
    weights = [np.eye(4)] * 3
    right, wrong = (multi_head_attention(x, *weights, n_heads=2, split=how) for how in ("transpose", "view"))
    np.testing.assert_array_equal(right["q_heads"][0], [[0.0, 0.1], [1.0, 1.1], [2.0, 2.1]])
    np.testing.assert_array_equal(wrong["q_heads"][0], [[0.0, 0.1], [0.2, 0.3], [1.0, 1.1]])
    assert wrong["q_heads"].shape == right["q_heads"].shape
    assert explain_cell(right, "q_heads", (0, 1, 0)).text == "q_heads[0, 1, 0] = q[1, 0] = 1"
    assert explain_cell(wrong, "q_heads", (0, 1, 0)).text == "q_heads[0, 1, 0] = q[0, 2] = 0.2"
    np.testing.assert_array_equal(origins(wrong, "q_heads").flat.ravel(), np.arange(12))


def test_shared_heads_answer_where_nothing_is_shared():
    trace = multi_head_attention(np.eye(2), *[np.eye(2)] * 3, n_heads=2)
    assert trace["k_repeated"] is trace["k_heads"]
    assert "k_repeated" not in trace.names


def test_costs():
    d, s, b, layers, vocabulary, heads = 512, 20, 32, 6, 1000, 8
    found = cost(d_model=d, n_tokens=s, n_heads=heads, n_layers=layers, batch=b, vocabulary=vocabulary)
    assert found["attention_parameters"] == 4 * d**2 + 4 * d
    assert found["mlp_parameters"] == 8 * d**2 + 5 * d
    assert found["layer_parameters"] == 12 * d**2 + 13 * d
    assert found["parameters"] == layers * (12 * d**2 + 13 * d) + vocabulary * d
    assert found["projection_operations"] == 8 * b * s * d**2
    assert found["attention_operations"] == 4 * b * s**2 * d
    assert found["mlp_operations"] == 16 * b * s * d**2
    assert found["layer_operations"] == 24 * b * s * d**2 + 4 * b * s**2 * d
    assert found["logit_operations"] == 2 * b * s * d * vocabulary
    assert found["backward_operations"] == 2 * found["forward_operations"]
    assert found["activation_bytes"] == layers * (34 * b * s * d + 5 * b * s**2 * heads)
    assert found["kv_cache_bytes"] == 2 * layers * heads * 64 * s * 2 * b
    shared = cost(d_model=d, n_tokens=s, n_heads=heads, n_kv_heads=2, n_layers=layers, batch=b)
    assert shared["kv_cache_bytes"] * 4 == found["kv_cache_bytes"]
