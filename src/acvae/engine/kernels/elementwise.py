"""Small loops of the fused gradient that NumPy would do in several passes."""

from typing import Any

import numba
import numpy as np

__all__ = [
    "bias_relu",
    "column_sums",
    "half_plus",
    "join_halves",
    "relu_backward",
    "singleton_terms",
    "split_halves",
]


@numba.njit(cache=True, nogil=True)
def bias_relu(x: Any, bias: Any) -> None:
    """x (b, h) = relu(x + bias), in place."""
    zero = x.dtype.type(0)
    for r in range(len(x)):
        row = x[r]
        for k in range(len(bias)):
            value = row[k] + bias[k]
            row[k] = value if value > zero else zero


@numba.njit(cache=True, nogil=True)
def relu_backward(grad: Any, activation: Any, start: int, stop: int, sums: Any) -> None:
    """Set grad (b, w), of the units start … stop, to zero where activation (b, h) is.

    The sum of its rows is written to those units of sums (h,).
    """
    zero = grad.dtype.type(0)
    total = np.zeros(stop - start, dtype=grad.dtype)
    for r in range(len(grad)):
        g, a = grad[r], activation[r, start:stop]
        for k in range(len(total)):
            g[k] = g[k] if a[k] > zero else zero
        for k in range(len(total)):
            total[k] += g[k]
    sums[start:stop] = total


@numba.njit(cache=True, nogil=True)
def split_halves(out: Any, bias: Any, mean: Any, spread: Any) -> None:
    """mean and spread (b, d) = the halves of out (b, 2d) + bias."""
    d = mean.shape[1]
    for r in range(len(out)):
        row, a, b = out[r], mean[r], spread[r]
        for k in range(d):
            a[k] = row[k] + bias[k]
        for k in range(d):
            b[k] = row[d + k] + bias[d + k]


@numba.njit(cache=True, nogil=True)
def half_plus(x: Any, bias: Any) -> None:
    """x (b, h) = x/2 + bias, in place."""
    half = x.dtype.type(0.5)
    for r in range(len(x)):
        row = x[r]
        for k in range(len(bias)):
            row[k] = half * row[k] + bias[k]


@numba.njit(cache=True, nogil=True)
def column_sums(x: Any, out: Any) -> None:
    """out (h,) = the sum of the rows of x (b, h)."""
    out[:] = 0
    for r in range(len(x)):
        row = x[r]
        for k in range(len(out)):
            out[k] += row[k]


@numba.njit(cache=True, nogil=True)
def join_halves(d_mean: Any, d_std: Any, slope: Any, std: Any, smallest: float, out: Any) -> None:
    """out (b, 2d) = [d_mean, d_std·slope]; no gradient passes where std stands at its smallest value."""
    d = d_mean.shape[1]
    zero = out.dtype.type(0)
    for r in range(len(out)):
        row, a, b, s, t = out[r], d_mean[r], d_std[r], slope[r], std[r]
        for k in range(d):
            row[k] = a[k]
        for k in range(d):
            row[d + k] = b[k] * s[k] if t[k] > smallest else zero


@numba.njit(cache=True, nogil=True, error_model="numpy")
def singleton_terms(
    mean: Any, std: Any, log_std: Any, noise: Any, d_z: Any, scale: float, d_mean: Any, d_std: Any
) -> float:
    """Σ KL(q_i ‖ p_0) over rows, and the gradient of scale·(that) plus what comes through z.

    z is mean + std·noise, and d_z its gradient. The first rows of `d_mean` and `d_std` are written.
    """
    total = 0.0
    one = mean.dtype.type(1)
    factor = mean.dtype.type(scale)
    for r in range(len(mean)):
        for k in range(mean.shape[1]):
            m, s = mean[r, k], std[r, k]
            total += 0.5 * (np.float64(m) * m + np.float64(s) * s - 1) - log_std[r, k]
            d_mean[r, k] = factor * m + d_z[r, k]
            d_std[r, k] = factor * (s - one / s) + d_z[r, k] * noise[r, k]
    return total
