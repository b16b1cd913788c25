"""Compiled loops of the distances on a forest: what is too small for a matrix product, and what follows one.

`at` are positions in the layout of the centroid decomposition, `out` is a block of distances.
"""

from typing import Any

import numba
import numpy as np

__all__ = ["clamp", "clamp_into", "finish", "scatter", "small_pieces"]

WIDTH = 512  # distances of a row computed at a time


@numba.njit(cache=True, nogil=True)
def finish(at: Any, start: Any, stop: Any, offset: Any, table: Any, out: Any, shift: int) -> None:
    """Pairs within a leaf from its table, and zeros on the diagonal; `out` begins at the position `shift`."""
    for r in range(len(at)):
        p, row = at[r], out[r]
        for c in range(stop[p] - start[p]):
            row[start[p] + c - shift] = table[offset[p] + c]
        row[p - shift] = 0


@numba.njit(cache=True, nogil=True)
def scatter(block: Any, column: Any, target: Any, out: Any) -> None:
    """out[target[r], column[c]] = block[r, c]."""
    for r in range(len(block)):
        row, to = block[r], out[target[r]]
        for c in range(len(column)):
            to[column[c]] = row[c]


@numba.njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def small_pieces(
    at: Any,
    target: Any,
    limit: int,
    deepest: Any,
    above: Any,
    first: Any,
    last: Any,
    level: Any,
    leaf_start: Any,
    leaf_stop: Any,
    leaf_offset: Any,
    leaf_table: Any,
    mean: Any,
    scaled: Any,
    norm: Any,
    column: Any,
    out: Any,
    shift: int,
) -> None:
    """out[target[r], column[c] − shift] for all c in the pieces around at[r] that are below `limit`.

    From the inside out: of each piece only what is not in the one before, which its centroid separates.
    """
    zero = out.dtype.type(0)
    total = np.empty(WIDTH, dtype=out.dtype)
    for r in range(len(at)):
        p, row = at[r], out[target[r]]
        low, high = leaf_start[p], leaf_stop[p]
        for c in range(high - low):
            row[column[low + c] - shift] = leaf_table[leaf_offset[p] + c]
        if low == high:
            low, high = p, p + 1
        row[column[p] - shift] = zero
        piece = deepest[p]
        while piece >= 0 and piece != limit:
            depth = level[piece]
            for side in range(2):
                start, stop = (first[piece], low) if side == 0 else (high, last[piece])
                for a in range(start, stop, WIDTH):
                    b = min(a + WIDTH, stop)
                    total[: b - a] = 0
                    _add_products(mean, p, a, b, total)
                    _add_products(scaled[depth], p, a, b, total)
                    for c in range(b - a):
                        found = norm[p] + norm[a + c] - 2 * total[c]
                        row[column[a + c] - shift] = found if found > zero else zero
            low, high = first[piece], last[piece]
            piece = above[piece]


@numba.njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def _add_products(table: Any, p: int, start: int, stop: int, total: Any) -> None:
    """total[c] += Σ_k table[k, p]·table[k, start + c], four k in one pass."""
    d, width = len(table), stop - start
    k = 0
    while k + 4 <= d:
        t, u, v, w = (
            table[k, start:stop],
            table[k + 1, start:stop],
            table[k + 2, start:stop],
            table[k + 3, start:stop],
        )
        x, y, z, q = table[k, p], table[k + 1, p], table[k + 2, p], table[k + 3, p]
        for c in range(width):
            total[c] += x * t[c] + y * u[c] + z * v[c] + q * w[c]
        k += 4
    while k < d:
        t, x = table[k, start:stop], table[k, p]
        for c in range(width):
            total[c] += x * t[c]
        k += 1


@numba.njit(cache=True, nogil=True)
def clamp(out: Any, first: int, last: int, start: int, stop: int) -> None:
    """What rounding left below zero becomes zero, in one panel of the block."""
    zero = out.dtype.type(0)
    for r in range(first, last):
        row = out[r, start:stop]
        for c in range(len(row)):
            row[c] = row[c] if row[c] > zero else zero


@numba.njit(cache=True, nogil=True)
def clamp_into(panel: Any, target: Any, start: int, out: Any) -> None:
    """out[target[r], start + c] = panel[r, c], but what rounding left below zero becomes zero."""
    zero = panel.dtype.type(0)
    for r in range(len(panel)):
        row, to = panel[r], out[target[r], start : start + panel.shape[1]]
        for c in range(len(row)):
            to[c] = row[c] if row[c] > zero else zero
