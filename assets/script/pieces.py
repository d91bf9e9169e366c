"""What an exported script brings along: the small pieces, in plain NumPy."""

import numpy as np


def softmax(scores):
    highest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isneginf(highest), 0, highest))
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def split_heads(channels, n_heads):
    *lead, n_channels = channels.shape
    return channels.reshape(*lead, n_heads, n_channels // n_heads).swapaxes(-2, -3)


def merge_heads(heads):
    *lead, n_heads, n_tokens, width = heads.shape
    return heads.swapaxes(-2, -3).reshape(*lead, n_tokens, n_heads * width)


def repeat_heads(heads, times):
    return np.repeat(heads, times, axis=-3)


def layer_norm(rows, gamma=1.0, beta=0.0, eps=1e-6):
    centred = rows - rows.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + eps) * gamma + beta


def conv1x1(image, weight, bias=0.0):
    return np.einsum("oc,bchw->bohw", weight, image) + np.reshape(bias, (-1, 1, 1))


def depthwise_conv3x3(image, weight, bias=0.0):
    height, width = image.shape[-2:]
    padded = np.pad(image, [(0, 0), (0, 0), (1, 1), (1, 1)])
    out = np.zeros_like(image)
    for row in range(3):
        for column in range(3):
            part = padded[..., row : row + height, column : column + width]
            out += weight[:, row, column, None, None] * part
    return out + np.reshape(bias, (-1, 1, 1))
