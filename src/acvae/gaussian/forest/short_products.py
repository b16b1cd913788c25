"""Distances by products that are too short for a library's: written where they belong in one pass.

A product of rows of some twenty numbers is done as soon as its result is written. A library's writes it once,
and adding the norms and moving it to its rows reads and writes it again; here the sums stay in cache until
they are distances.
"""

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

__all__ = ["MOST_FACTORS", "aligned_table", "short_products"]

MOST_FACTORS = 64  # of a row; from about here on a library's product is faster, all told
WIDTH = 1024  # columns at a time: two rows of sums and eight of the table stay in the innermost cache
LINE = 64  # bytes of a line of the cache, in which every row of a table begins
STEP = 4  # factors are taken eight or four at a time


def aligned_table(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """The parts (k_i, n) one below the other, zeros around them: every row begins in a line of the cache."""
    factors, n = sum(map(len, parts)), parts[0].shape[1]
    dtype = parts[0].dtype
    shape = _rounded(factors, STEP), _rounded(n, LINE // dtype.itemsize)
    memory = np.zeros(shape[0] * shape[1] * dtype.itemsize + LINE, dtype=np.uint8)
    start = -memory.ctypes.data % LINE
    table = memory[start : start + memory.nbytes - LINE].view(dtype).reshape(shape)
    np.concatenate(parts, out=table[:factors, :n])
    return table


def _rounded(number: int, to: int) -> int:
    return -(-number // to) * to


@numba.njit(cache=True, nogil=True, fastmath={"contract", "nsz"})
def short_products(left: Any, table: Any, own: Any, norm: Any, target: Any, out: Any) -> None:
    """out[target[r], c] = own[r] + norm[c] + Σ_k left[r, k]·table[k, c], but zero where rounding left less.

    Shapes (m, k), that of an `aligned_table`, (m,), (n,), (m,) and (rows, n). Two rows in one pass; one that
    is missing to a pair is the last one again.
    """
    m, n = len(left), len(norm)
    sums = np.empty((2, WIDTH + 16), dtype=out.dtype)  # rows a page apart would get in each other's way
    for start in range(0, n, WIDTH):
        stop = min(start + WIDTH, n)
        for r in range(0, m, 2):
            s = min(r + 1, m - 1)
            _add(left[r], left[s], own[r], own[s], norm, table, start, stop, sums)
            _write(sums[0], out[target[r], start:stop])
            _write(sums[1], out[target[s], start:stop])


@numba.njit(inline="always", fastmath={"contract", "nsz"})
def _add(
    a: Any, b: Any, own_a: Any, own_b: Any, norm: Any, table: Any, start: int, stop: int, sums: Any
) -> None:
    """sums[0, c] = own_a + norm[start + c] + Σ_k a[k]·table[k, start + c], and sums[1] the same of b.

    Columns are cut out of one row of the table at a time, which is then known to be contiguous.
    """
    factors, width, others = len(table), stop - start, norm[start:stop]
    s, z = sums[0], sums[1]
    for c in range(width):
        s[c] = own_a + others[c]
        z[c] = own_b + others[c]
    k = 0
    while k + 8 <= factors:
        t0, t1 = table[k, start:stop], table[k + 1, start:stop]
        t2, t3 = table[k + 2, start:stop], table[k + 3, start:stop]
        t4, t5 = table[k + 4, start:stop], table[k + 5, start:stop]
        t6, t7 = table[k + 6, start:stop], table[k + 7, start:stop]
        a0, a1, a2, a3, a4, a5, a6, a7 = (
            a[k],
            a[k + 1],
            a[k + 2],
            a[k + 3],
            a[k + 4],
            a[k + 5],
            a[k + 6],
            a[k + 7],
        )
        b0, b1, b2, b3, b4, b5, b6, b7 = (
            b[k],
            b[k + 1],
            b[k + 2],
            b[k + 3],
            b[k + 4],
            b[k + 5],
            b[k + 6],
            b[k + 7],
        )
        for c in range(width):
            s[c] += ((a0 * t0[c] + a1 * t1[c]) + (a2 * t2[c] + a3 * t3[c])) + (
                (a4 * t4[c] + a5 * t5[c]) + (a6 * t6[c] + a7 * t7[c])
            )
            z[c] += ((b0 * t0[c] + b1 * t1[c]) + (b2 * t2[c] + b3 * t3[c])) + (
                (b4 * t4[c] + b5 * t5[c]) + (b6 * t6[c] + b7 * t7[c])
            )
        k += 8
    if k < factors:
        t0, t1 = table[k, start:stop], table[k + 1, start:stop]
        t2, t3 = table[k + 2, start:stop], table[k + 3, start:stop]
        a0, a1, a2, a3 = a[k], a[k + 1], a[k + 2], a[k + 3]
        b0, b1, b2, b3 = b[k], b[k + 1], b[k + 2], b[k + 3]
        for c in range(width):
            s[c] += (a0 * t0[c] + a1 * t1[c]) + (a2 * t2[c] + a3 * t3[c])
            z[c] += (b0 * t0[c] + b1 * t1[c]) + (b2 * t2[c] + b3 * t3[c])


@numba.njit(inline="always")
def _write(sums: Any, row: Any) -> None:
    zero = row.dtype.type(0)
    for c in range(len(row)):
        row[c] = sums[c] if sums[c] > zero else zero
