"""The small pieces of attention, each short enough to read aloud."""

import math

import numpy as np

from .checks import as_array, check_finite, check_heads, check_ndim, read_array, read_count
from .errors import AttentionError, Phrase


@np.errstate(all="ignore")
def softmax(scores, axis: int = -1) -> np.ndarray:
    """Shares of attention along `axis`: positive, adding up to 1; all 0 where every score is -inf."""
    scores = read_array("scores", scores)
    check_ndim("scores", scores, ("score",), ("...",) * scores.ndim)
    check_finite([("scores", np.where(np.isneginf(scores), 0, scores))])
    return softmax_rows(scores, axis)


def softmax_rows(scores: np.ndarray, axis: int = -1, masked: bool = True) -> np.ndarray:
    """`softmax` of scores that were checked before; unless `masked`, no row is -inf throughout."""
    highest = np.maximum.reduce(scores, axis=axis, keepdims=True)
    if masked:
        highest = np.where(highest == -math.inf, 0, highest)  # a row with nothing to look at
    powers = scores - highest
    np.exp(powers, out=powers)  # the largest power is e^0 = 1: nothing overflows
    total = np.add.reduce(powers, axis=axis, keepdims=True)
    powers /= np.where(total == 0, 1, total) if masked else total
    return powers


def split_heads(channels, n_heads: int) -> np.ndarray:
    """(..., tokens, heads*width) -> (..., heads, tokens, width), as a view."""
    channels, n_heads = as_array("channels", channels), read_count("n_heads", n_heads)
    check_ndim("channels", channels, ("token", "channel"), ("...",) * channels.ndim)
    *lead, n_channels = channels.shape
    check_heads("channels", n_channels, n_heads)
    return channels.reshape(*lead, n_heads, n_channels // n_heads).swapaxes(-2, -3)


def merge_heads(heads) -> np.ndarray:
    """(..., heads, tokens, width) -> (..., tokens, heads*width): split_heads undone."""
    heads = as_array("heads", heads)
    check_ndim("heads", heads, ("head", "token", "feature"), ("...",) * heads.ndim)
    *lead, n_heads, n_tokens, width = heads.shape
    return heads.swapaxes(-2, -3).reshape(*lead, n_tokens, n_heads * width)


def repeat_heads(heads, times: int, axis: int = -3) -> np.ndarray:
    """Each head `times` times in a row, [h0, h0, h1, h1, ...]: how query heads share K and V."""
    return np.repeat(as_array("heads", heads), read_count("times", times), axis=axis)


def causal_mask(n_queries: int, n_keys: int | None = None, offset: int = 0) -> np.ndarray:
    """(query, key) booleans: True where a query may look, at keys no later than itself."""
    return window_mask(n_queries, n_keys, None, 0, offset)


def window_mask(
    n_queries: int, n_keys: int | None = None, left=None, right=None, offset: int = 0
) -> np.ndarray:
    """(query, key) booleans: True from `left` keys before the query to `right` after; None: no limit."""
    n_queries = read_count("n_queries", n_queries)
    n_keys = n_queries if n_keys is None else read_count("n_keys", n_keys)
    ahead = np.arange(n_keys) - np.arange(n_queries)[:, None] - offset  # how far the key lies ahead
    visible = np.ones(ahead.shape, bool)
    if left is not None:
        visible &= ahead >= -read_count("left", left, least=0)
    if right is not None:
        visible &= ahead <= read_count("right", right, least=0)
    return visible


def padding_mask(lengths, n_keys: int) -> np.ndarray:
    """(batch, 1, 1, key) booleans: True for the first `lengths[b]` keys of batch item b."""
    n_keys, given = read_count("n_keys", n_keys), np.atleast_1d(as_array("lengths", lengths))
    if given.dtype.kind not in "iu" or given.ndim != 1 or not ((given >= 0) & (given <= n_keys)).all():
        raise AttentionError(
            "kv_lengths", name="lengths", given=repr(lengths), needed=Phrase("any"), most=n_keys
        )
    return np.arange(n_keys) < given[:, None, None, None]


def layer_norm(rows, gamma=1.0, beta=0.0, eps: float = 1e-6) -> np.ndarray:
    """Each row shifted to mean 0 and scaled to variance 1, then times gamma plus beta."""
    return norm_rows(read_array("rows", rows), gamma, beta, eps)


def norm_rows(rows: np.ndarray, gamma, beta, eps: float) -> np.ndarray:
    """`layer_norm` of rows that were checked before."""
    centred = rows - rows.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + eps) * gamma + beta


def conv1x1(image, weight, bias=None) -> np.ndarray:
    """(batch, channel, height, width) -> (batch, out, height, width): one matrix for every pixel."""
    image, weight = read_array("image", image), read_array("weight", weight)
    check_ndim("image", image, ("batch", "channel", "height", "width"))
    batch, n_channels, height, width = image.shape
    pixels = image.reshape(batch, n_channels, height * width)
    out = weight @ pixels  # (out, channel) @ (batch, channel, pixel)
    if bias is not None:
        out += bias[:, None]
    return out.reshape(batch, -1, height, width)


def depthwise_conv3x3(image, weight, bias=None) -> np.ndarray:
    """Each channel with its own 3x3 kernel, zeros around the edge; same shape as `image`."""
    image, weight = read_array("image", image), read_array("weight", weight)
    check_ndim("image", image, ("batch", "channel", "height", "width"))
    *_, height, width = image.shape
    padded = np.pad(image, [(0, 0), (0, 0), (1, 1), (1, 1)])
    out = np.zeros_like(image)
    for row in range(3):
        for column in range(3):
            kernel = weight[:, row, column, None, None]
            out += kernel * padded[..., row : row + height, column : column + width]
    if bias is not None:
        out += bias[:, None, None]
    return out
