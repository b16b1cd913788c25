"""What a head's layers do to single numbers, compiled: NumPy takes several passes for each.

Products of matrices are left to BLAS.
"""

from typing import Any

import numba
import numpy as np

__all__ = ["add_and_cut", "along_pieces", "cut_where", "outer_where", "standardise"]


@numba.njit(cache=True, nogil=True)
def add_and_cut(layer: Any, offset: Any) -> None:
    """relu(layer + offset) in place, (N, h) and (h,)."""
    zero = layer.dtype.type(0)
    for r in range(len(layer)):
        for k in range(len(offset)):
            value = layer[r, k] + offset[k]
            layer[r, k] = value if value > zero or value != value else zero


@numba.njit(cache=True, nogil=True)
def cut_where(gradient: Any, layer: Any) -> None:
    """The gradient (N, h) by what went into relu, in place, of that by the layer (N, h) that came out."""
    zero = gradient.dtype.type(0)
    for r in range(len(layer)):
        for k in range(layer.shape[1]):
            gradient[r, k] = gradient[r, k] if layer[r, k] > 0 else zero


@numba.njit(cache=True, nogil=True)
def outer_where(slope: Any, weight: Any, layer: Any, out: Any) -> None:
    """out (N, h) = slope (N,)·weightᵀ (h,), zero where the layer is."""
    zero = out.dtype.type(0)
    for r in range(len(slope)):
        own = slope[r]
        for k in range(len(weight)):
            value = own * weight[k]
            out[r, k] = value if layer[r, k] > 0 else zero


@numba.njit(cache=True, nogil=True)
def standardise(x: Any, centre: Any, spread: Any, far: float, out: Any) -> None:
    """out (N, F) = (x − centre)/spread; beyond `far` it grows as the logarithm, and in order all the same."""
    for r in range(len(x)):
        for f in range(len(centre)):
            value = (out.dtype.type(x[r, f]) - centre[f]) / spread[f]
            if value > far:
                value = far + np.log1p(value - far)
            elif value < -far:
                value = -far - np.log1p(-far - value)
            out[r, f] = value


@numba.njit(cache=True, nogil=True)
def along_pieces(scores: Any, at: Any, value: Any, out: Any) -> None:
    """out (N,): the pieces through (at, value), (k,) each, at scores (N,)."""
    for r in range(len(scores)):
        score = scores[r]
        k = 0
        while k + 2 < len(at) and score >= at[k + 1]:
            k += 1
        share = (float(score) - at[k]) / (at[k + 1] - at[k])
        out[r] = value[k] + share * (float(value[k + 1]) - value[k])
