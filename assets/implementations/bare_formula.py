import numpy as np


def softmax(rows):
    powers = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def forward(x, w_q, w_k, w_v):
    q = x @ w_q  # (tokens, width)
    k = x @ w_k
    v = x @ w_v
    scores = q @ k.T  # (tokens, tokens)
    scaled = scores / np.sqrt(k.shape[-1])
    weights = softmax(scaled)
    output = weights @ v  # (tokens, width)
    return output
