import numpy as np


def safe_softmax(rows):
    highest = rows.max(axis=-1, keepdims=True)
    powers = np.exp(rows - np.where(np.isneginf(highest), 0, highest))
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def forward(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, rng=None):
    scores = q @ k.mT  # (heads, tokens, tokens)
    scaled = scores * (k.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = np.tri(*scores.shape[-2:], dtype=bool)
    masked = scaled
    if attn_mask is not None and attn_mask.dtype == bool:
        masked = np.where(attn_mask, scaled, -np.inf)
    elif attn_mask is not None:
        masked = scaled + attn_mask
    weights = safe_softmax(masked)
    dropped = weights
    if dropout_p > 0:
        keep = rng.random(weights.shape) >= dropout_p
        dropped = weights * keep / (1 - dropout_p)
    output = dropped @ v  # (heads, tokens, width)
    return output
