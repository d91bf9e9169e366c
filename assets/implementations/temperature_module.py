import numpy as np


def softmax(rows):
    powers = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def forward(q, k, v, temperature, mask=None, fill=-1e9, dropout_p=0.0, training=True, rng=None):
    scaled = (q / temperature) @ k.mT  # (heads, tokens, tokens)
    masked = scaled if mask is None else np.where(mask == 0, fill, scaled)
    weights = softmax(masked)
    dropped = weights
    if training and dropout_p > 0:
        keep = rng.random(weights.shape) >= dropout_p
        dropped = weights * keep / (1 - dropout_p)
    output = dropped @ v  # (heads, tokens, width)
    return output, dropped
