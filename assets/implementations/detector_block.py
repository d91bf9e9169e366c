import numpy as np


def softmax(rows):
    powers = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def conv_3x3_by_channel(image, kernels):
    height, width = image.shape[1:]
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1)))
    shifted = [padded[:, i : i + height, j : j + width] for i in range(3) for j in range(3)]
    return sum(kernels[:, place // 3, place % 3, None, None] * each for place, each in enumerate(shifted))


def forward(image, w_qkv, w_proj, n_heads, key_dim, b_qkv=0.0, b_proj=0.0, w_pe=None):
    channels, height, width = image.shape
    pixels = image.reshape(channels, -1)  # (channels, tokens)
    qkv = w_qkv @ pixels + np.reshape(b_qkv, (-1, 1))
    per_head = qkv.reshape(n_heads, -1, height * width)
    q_heads = per_head[:, :key_dim]  # (heads, width, tokens)
    k_heads = per_head[:, key_dim : 2 * key_dim]
    v_heads = per_head[:, 2 * key_dim :]
    scores = q_heads.mT @ k_heads  # (heads, tokens, tokens)
    scaled = scores * key_dim**-0.5
    weights = softmax(scaled)
    merged = (v_heads @ weights.mT).reshape(channels, -1)
    positioned = merged
    if w_pe is not None:
        positioned = merged + conv_3x3_by_channel(v_heads.reshape(image.shape), w_pe).reshape(channels, -1)
    output = w_proj @ positioned + np.reshape(b_proj, (-1, 1))  # (channels, tokens)
    return output.reshape(channels, height, width)
