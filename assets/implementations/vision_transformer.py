import numpy as np


def softmax(rows):
    powers = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def forward(x, w_qkv, w_o, n_heads, b_qkv=0.0, b_o=0.0, dropout_p=0.0, training=True, rng=None):
    n_tokens = len(x)
    qkv = x @ w_qkv + b_qkv  # (tokens, 3 * heads * width)
    qkv_split = qkv.reshape(n_tokens, 3, n_heads, -1)
    q_heads, k_heads, v_heads = qkv_split.transpose(1, 2, 0, 3)  # (heads, tokens, width) each
    scores = q_heads @ k_heads.mT  # (heads, tokens, tokens)
    scaled = scores * k_heads.shape[-1] ** -0.5
    weights = softmax(scaled)
    dropped = weights
    if training and dropout_p > 0:
        keep = rng.random(weights.shape) >= dropout_p
        dropped = weights * keep / (1 - dropout_p)
    merged = (dropped @ v_heads).swapaxes(0, 1).reshape(n_tokens, -1)
    output = merged @ w_o + b_o
    return output
