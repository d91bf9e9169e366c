import numpy as np


def safe_softmax(rows):
    highest = rows.max(axis=-1, keepdims=True)
    powers = np.exp(rows - np.where(np.isneginf(highest), 0, highest))
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, rng=None):
    scaled = q @ k.mT / np.sqrt(k.shape[-1])
    if is_causal:
        attn_mask = np.tri(*scaled.shape[-2:], dtype=bool)
    masked = scaled if attn_mask is None else np.where(attn_mask, scaled, -np.inf)
    weights = safe_softmax(masked)
    dropped = weights
    if dropout_p > 0:
        keep = rng.random(weights.shape) >= dropout_p
        dropped = weights * keep / (1 - dropout_p)
    return dropped @ v


def forward(
    x, w_qkv, w_o, n_heads, b_qkv=0.0, b_o=0.0, attn_mask=None, is_causal=False, dropout_p=0.0, rng=None
):
    n_tokens = len(x)
    qkv = x @ w_qkv + b_qkv  # (tokens, 3 * heads * width)
    q, k, v = np.split(qkv, 3, axis=-1)
    q_heads = q.reshape(n_tokens, n_heads, -1).swapaxes(0, 1)  # (heads, tokens, width)
    k_heads = k.reshape(n_tokens, n_heads, -1).swapaxes(0, 1)
    v_heads = v.reshape(n_tokens, n_heads, -1).swapaxes(0, 1)
    attended = scaled_dot_product_attention(
        q_heads, k_heads, v_heads, dropout_p=dropout_p, is_causal=is_causal, rng=rng
    )
    merged = attended.swapaxes(0, 1).reshape(n_tokens, -1)
    output = merged @ w_o + b_o
    return output
