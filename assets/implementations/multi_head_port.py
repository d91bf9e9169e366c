import numpy as np


def softmax(rows):
    powers = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def layer_norm(rows, eps=1e-6):
    centred = rows - rows.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)


def forward(x, w_q, w_k, w_v, w_o, n_heads, mask=None, fill=-1e9, dropout_p=0.0, training=True, rng=None):
    n_tokens = len(x)
    q_heads = (x @ w_q).reshape(n_tokens, n_heads, -1).swapaxes(0, 1)  # (heads, tokens, width)
    k_heads = (x @ w_k).reshape(n_tokens, n_heads, -1).swapaxes(0, 1)
    v_heads = (x @ w_v).reshape(n_tokens, n_heads, -1).swapaxes(0, 1)
    temperature = np.sqrt(k_heads.shape[-1])
    scaled = (q_heads / temperature) @ k_heads.mT  # (heads, tokens, tokens)
    masked = scaled if mask is None else np.where(mask[None] == 0, fill, scaled)
    weights = softmax(masked)
    dropped = weights
    if training and dropout_p > 0:
        keep = rng.random(weights.shape) >= dropout_p
        dropped = weights * keep / (1 - dropout_p)
    merged = (dropped @ v_heads).swapaxes(0, 1).reshape(n_tokens, -1)
    projected = merged @ w_o
    residual = projected + x
    output = layer_norm(residual)
    return output, dropped
