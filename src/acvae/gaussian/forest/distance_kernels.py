"""Compiled loops of the distances on a forest: what is too small for a matrix product, and what follows one.

`at` are positions in the layout of the centroid decomposition, `out` is a block of distances.
"""

from typing import Any

import numba
import numpy as np

__all__ = ["clamp", "finish", "left_factors", "place", "scatter", "small_pieces"]

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


@numba.njit(cache=True, nogil=True)
def left_factors(at: Any, level: int, mean: Any, scaled: Any, out: Any) -> None:
    """out[r] = [−2μ, −2σρ] of the position at[r], ρ with the centroid of its piece of the level.

    Without σρ where the level is −1: no vertex is joined to another.
    """
    d = len(mean)
    for r in range(len(at)):
        p, row = at[r], out[r]
        for k in range(d):
            row[k] = -2 * mean[k, p]
        if level >= 0:
            for k in range(d):
                row[d + k] = -2 * scaled[level, k, p]


@numba.njit(cache=True, nogil=True)
def small_pieces(
    at: Any,
    target: Any,
    limit: int,
    pieces: Any,
    leaves: Any,
    factors: Any,
    column: Any,
    out: Any,
    shift: int,
) -> None:
    """out[target[r], column[c] − shift] for all c in the pieces around at[r] that are below `limit`."""
    total = np.empty(WIDTH, dtype=out.dtype)
    for r in range(len(at)):
        _around(at[r], limit, pieces, leaves, factors, column, out[target[r]], shift, total)


@numba.njit(cache=True, nogil=True)
def place(product: Any, own: Any, norm: Any, target: Any, out: Any) -> None:
    """out[target[r], c] = own[r] + norm[c] + product[r, c], but zero where rounding left less."""
    zero = out.dtype.type(0)
    for r in range(len(product)):
        given, row = product[r], out[target[r]]
        for c in range(len(given)):
            found = given[c] + (own[r] + norm[c])
            row[c] = found if found > zero else zero


@numba.njit(inline="always", fastmath={"contract", "reassoc", "nsz"})
def _around(
    p: int, limit: int, pieces: Any, leaves: Any, factors: Any, column: Any, row: Any, shift: int, total: Any
) -> None:
    """row[column[c] − shift] for all c in the pieces around the position p that are below `limit`.

    From the inside out: of each piece only what is not in the one before, which its centroid separates.
    """
    deepest, above, first, last, level = pieces
    leaf_start, leaf_stop, leaf_offset, leaf_table = leaves
    mean, scaled, norm = factors
    zero = row.dtype.type(0)
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
                _distances(mean, scaled[depth], norm, p, a, b, total)
                for c in range(b - a):
                    row[column[a + c] - shift] = total[c] if total[c] > zero else zero
        low, high = first[piece], last[piece]
        piece = above[piece]


@numba.njit(inline="always", fastmath={"contract", "reassoc", "nsz"})
def _distances(mean: Any, scaled: Any, norm: Any, p: int, start: int, stop: int, total: Any) -> None:
    """total[c] = a_p + a_j − 2·Σ_k μ_kp·μ_kj + σρ_kp·σρ_kj for j = start + c, four k in one pass."""
    d, width = len(mean), stop - start
    own, others = norm[p], norm[start:stop]
    minus_two = total.dtype.type(-2)  # of this type, or numba would widen all that follows
    for c in range(width):
        total[c] = own + others[c]
    k = 0
    while k + 4 <= d:
        t0, t1, t2, t3 = (
            mean[k, start:stop],
            mean[k + 1, start:stop],
            mean[k + 2, start:stop],
            mean[k + 3, start:stop],
        )
        u0, u1, u2, u3 = (
            scaled[k, start:stop],
            scaled[k + 1, start:stop],
            scaled[k + 2, start:stop],
            scaled[k + 3, start:stop],
        )
        x0, x1, x2, x3 = (
            minus_two * mean[k, p],
            minus_two * mean[k + 1, p],
            minus_two * mean[k + 2, p],
            minus_two * mean[k + 3, p],
        )
        y0, y1, y2, y3 = (
            minus_two * scaled[k, p],
            minus_two * scaled[k + 1, p],
            minus_two * scaled[k + 2, p],
            minus_two * scaled[k + 3, p],
        )
        for c in range(width):
            total[c] += (x0 * t0[c] + x1 * t1[c] + x2 * t2[c] + x3 * t3[c]) + (
                y0 * u0[c] + y1 * u1[c] + y2 * u2[c] + y3 * u3[c]
            )
        k += 4
    while k < d:
        t, u = mean[k, start:stop], scaled[k, start:stop]
        x, y = minus_two * mean[k, p], minus_two * scaled[k, p]
        for c in range(width):
            total[c] += x * t[c] + y * u[c]
        k += 1


@numba.njit(cache=True, nogil=True)
def clamp(out: Any, first: int, last: int, start: int, stop: int) -> None:
    """What rounding left below zero becomes zero, in one panel of the block."""
    zero = out.dtype.type(0)
    for r in range(first, last):
        row = out[r, start:stop]
        for c in range(len(row)):
            row[c] = row[c] if row[c] > zero else zero
