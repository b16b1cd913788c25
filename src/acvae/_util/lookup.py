"""Entries of sparse rows at many places and columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.threads import over_ranges

__all__ = ["csr_entries", "entries_at", "in_order", "lay_out", "strongest"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def entries_at(
    start: npt.NDArray[Any],
    ids: npt.NDArray[Any],
    values: npt.NDArray[Any],
    n_columns: int,
    place: npt.ArrayLike,
    column: npt.ArrayLike,
) -> FloatArray:
    """Values at places among the rows and columns, which broadcast; zero where a row has none.

    Row p has its columns, in any order and each once, from ids[start[p]] to ids[start[p + 1]].
    """
    rows, columns = np.broadcast_arrays(place, column)

    def look_up(asked: IntArray, wanted: IntArray) -> FloatArray:
        found = np.empty(len(asked))
        over_ranges(
            lambda a, b: _look_up(start, ids, values, asked, wanted, found, n_columns, a, b),
            len(found),
            at_least=20_000,
        )
        return found

    return in_order(look_up, rows, columns)


def in_order(
    work: Callable[[IntArray, IntArray], FloatArray], rows: IntArray, columns: IntArray
) -> FloatArray:
    """What `work` makes of rows and columns of one shape, given to it flat and the rows in growing order."""
    flat, beside = rows.ravel(), columns.ravel()
    if (flat[1:] >= flat[:-1]).all():
        return work(flat, beside).reshape(rows.shape)
    order = np.argsort(flat, kind="stable")
    out = np.empty(rows.size)
    out[order] = work(flat[order], beside[order])
    return out.reshape(rows.shape)


def csr_entries(rows: Any, place: npt.ArrayLike, column: npt.ArrayLike) -> FloatArray:
    """Entries of a SciPy CSR matrix at places and columns that broadcast."""
    return entries_at(rows.indptr, rows.indices, rows.data, rows.shape[1], place, column)


def strongest(
    start: npt.NDArray[Any], ids: npt.NDArray[Any], values: npt.NDArray[Any], count: int
) -> tuple[IntArray, IntArray]:
    """Row and column (k,) of the largest values of each row that are above zero, at most `count` a row."""
    size = np.minimum(np.diff(start), count)
    begin = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    out = np.full(begin[-1], -1, dtype=np.int64)
    over_ranges(lambda a, b: _strongest(start, ids, values, begin, out, a, b), len(size), uneven=True)
    place = np.repeat(np.arange(len(size)), size)
    return place[out >= 0], out[out >= 0]


@numba.njit(cache=True, nogil=True)
def lay_out(start: Any, ids: Any, values: Any, wanted: int, held: int, row: Any) -> int:
    """The entries of one row of a sparse matrix in a dense one, which has those of `held` (−1: none)."""
    if wanted != held:
        if held >= 0:
            for t in range(start[held], start[held + 1]):
                row[ids[t]] = 0.0
        for t in range(start[wanted], start[wanted + 1]):
            row[ids[t]] = values[t]
    return wanted


@numba.njit(cache=True, nogil=True)
def _look_up(
    start: Any, ids: Any, values: Any, place: Any, column: Any, out: Any, n: int, first: int, last: int
) -> None:
    """Places are in growing order; each row is laid out once."""
    row, held = np.zeros(n), -1
    for q in range(first, last):
        p = place[q]
        held = lay_out(start, ids, values, p, held, row)
        out[q] = row[column[q]]


@numba.njit(cache=True, nogil=True)
def _strongest(start: Any, ids: Any, values: Any, begin: Any, out: Any, first: int, last: int) -> None:
    for p in range(first, last):
        a, b, capacity = start[p], start[p + 1], begin[p + 1] - begin[p]
        at = begin[p]
        least = 0.0
        if b - a > capacity:
            least = max(0.0, np.partition(values[a:b], b - a - capacity)[b - a - capacity])
            for t in range(a, b):
                if values[t] > least:
                    out[at] = ids[t]
                    at += 1
            for t in range(a, b):  # of equal ones, the first
                if at < begin[p + 1] and values[t] == least and least > 0:
                    out[at] = ids[t]
                    at += 1
        else:
            for t in range(a, b):
                if values[t] > 0:
                    out[at] = ids[t]
                    at += 1
