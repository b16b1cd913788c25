"""What a head's layers do to single numbers, compiled: NumPy takes several passes for each.

Products of matrices are left to BLAS.
"""

from typing import Any

import numba

__all__ = ["add_and_cut", "cut_where", "outer_where"]


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
