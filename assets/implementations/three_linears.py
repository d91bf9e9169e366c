import numpy as np

LOWEST = np.finfo(np.float64).min


def softmax(rows):
    powers = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def forward(
    x,
    w_q,
    w_k,
    w_v,
    n_heads,
    b_q=0.0,
    b_k=0.0,
    b_v=0.0,
    mask=None,
    fill=LOWEST,
    dropout_p=0.0,
    training=True,
    rng=None,
):
    n_tokens = len(x)
    q_heads = (x @ w_q + b_q).reshape(n_tokens, n_heads, -1).swapaxes(0, 1)  # (heads, tokens, width)
    k_heads = (x @ w_k + b_k).reshape(n_tokens, n_heads, -1).swapaxes(0, 1)
    v_heads = (x @ w_v + b_v).reshape(n_tokens, n_heads, -1).swapaxes(0, 1)
    scores = q_heads @ k_heads.mT  # (heads, tokens, tokens)
    scaled = scores / np.sqrt(k_heads.shape[-1])
    masked = scaled if mask is None else scaled + np.where(mask, 0.0, fill)
    weights = softmax(masked)
    dropped = weights
    if training and dropout_p > 0:
        keep = rng.random(weights.shape) >= dropout_p
        dropped = weights * keep / (1 - dropout_p)
    output = (dropped @ v_heads).swapaxes(0, 1).reshape(n_tokens, -1)
    return output
