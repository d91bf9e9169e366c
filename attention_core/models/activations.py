"""The curves inside the MLP of a layer, in the float type of what is given."""

import math

import numpy as np

# Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: at most 1.5e-7 from erf before rounding.
P = 0.3275911
A = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)


def erf(x: np.ndarray) -> np.ndarray:
    """erf(x) = 2/√π ∫₀ˣ e^(−t²) dt, as 1 − (a₁t + … + a₅t⁵) e^(−x²) with t = 1 / (1 + p·x) for x ≥ 0."""
    size = np.abs(x)
    t = 1 / (1 + P * size)
    series = np.zeros_like(x)
    for a in reversed(A):
        series += a
        series *= t
    return np.copysign(1 - series * np.exp(-size * size), x)


def gelu(x: np.ndarray) -> np.ndarray:
    """x · Φ(x), with Φ the distribution function of the normal distribution: BERT's."""
    return x * (0.5 * (1 + erf(x * math.sqrt(0.5))))


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    """The same curve approximated by tanh: GPT-2's `gelu_new`."""
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))))


ACTIVATIONS = {"gelu": gelu, "gelu_new": gelu_tanh, "gelu_pytorch_tanh": gelu_tanh}
