"""A batch of feature rows times a weight matrix, and the gradient of that, in parts: no autograd.

The fused gradient (`acvae.training.fused`) shares its work among threads: the product by rows, the gradient
by rows of the weight, so that two threads never write to the same place and no sum depends on their number.
Sparse and dense rows offer the same two operations.
"""

from typing import Any, Protocol

import numba
import numpy as np
import numpy.typing as npt

__all__ = ["DensePart", "RowPart", "SparsePart"]

Array = npt.NDArray[Any]


class RowPart(Protocol):
    """b rows x of the feature matrix, of D columns."""

    def times(self, weight: Array, first: int, last: int, out: Array) -> None:
        """out[first:last] = x[first:last]·W."""

    def gradient(self, grad: Array, first: int, last: int, out: Array) -> None:
        """out[first:last] = (xᵀ·grad)[first:last], for the rows that `grad` has: the first ones of x.

        `first:last` are columns of x; where no row has a column, `out`, which is zero, is left alone.
        """


class SparsePart:
    """Rows as bags: columns and values of row r lie between offsets[r] and offsets[r + 1]."""

    def __init__(self, columns: Array, offsets: Array, values: Array | None, n_columns: int) -> None:
        self.columns, self.offsets, self.values = columns, offsets, values
        self._by_column = _transpose(columns, offsets, n_columns)

    def times(self, weight: Array, first: int, last: int, out: Array) -> None:
        offsets, part = self.offsets[first : last + 1], out[first:last]
        if self.values is None:
            _times_pattern(weight, self.columns, offsets, part)
        else:
            _times(weight, self.columns, offsets, self.values, part)

    def gradient(self, grad: Array, first: int, last: int, out: Array) -> None:
        starts, rows, entries = self._by_column
        if self.values is None:
            _gradient_pattern(grad, starts, rows, first, last, out)
        else:
            _gradient(grad, starts, rows, entries, self.values, first, last, out)


class DensePart:
    """Rows as an array (b, D)."""

    def __init__(self, table: Array) -> None:
        self.table = table

    def times(self, weight: Array, first: int, last: int, out: Array) -> None:
        np.matmul(self.table[first:last], weight, out=out[first:last])

    def gradient(self, grad: Array, first: int, last: int, out: Array) -> None:
        np.matmul(self.table[: len(grad), first:last].T, grad, out=out[first:last])


@numba.njit(cache=True, nogil=True)
def _transpose(columns: Any, offsets: Any, n_columns: int) -> Any:
    """Where each column's entries begin, their rows in growing order, and their places in `columns`."""
    starts = np.zeros(n_columns + 1, dtype=np.int64)
    for t in range(len(columns)):
        starts[columns[t] + 1] += 1
    for c in range(n_columns):
        starts[c + 1] += starts[c]
    free = starts[:-1].copy()
    rows = np.empty(len(columns), dtype=np.int32)
    entries = np.empty(len(columns), dtype=np.int32)
    for r in range(len(offsets) - 1):
        for t in range(offsets[r], offsets[r + 1]):
            at = free[columns[t]]
            rows[at], entries[at] = r, t
            free[columns[t]] = at + 1
    return starts, rows, entries


@numba.njit(cache=True, nogil=True)
def _times_pattern(weight: Any, columns: Any, offsets: Any, out: Any) -> None:
    h = weight.shape[1]
    for r in range(len(out)):
        target = out[r]
        first, last = offsets[r], offsets[r + 1]
        if first == last:
            target[:] = 0
            continue
        source = weight[columns[first]]
        for k in range(h):
            target[k] = source[k]
        for t in range(first + 1, last):
            source = weight[columns[t]]
            for k in range(h):
                target[k] += source[k]


@numba.njit(cache=True, nogil=True)
def _times(weight: Any, columns: Any, offsets: Any, values: Any, out: Any) -> None:
    h = weight.shape[1]
    for r in range(len(out)):
        target = out[r]
        target[:] = 0
        for t in range(offsets[r], offsets[r + 1]):
            source = weight[columns[t]]
            x = weight.dtype.type(values[t])
            for k in range(h):
                target[k] += x * source[k]


@numba.njit(cache=True, nogil=True)
def _gradient_pattern(grad: Any, starts: Any, rows: Any, first: int, last: int, out: Any) -> None:
    n, h = grad.shape
    for c in range(first, last):
        target = out[c]
        t, stop = starts[c], starts[c + 1]
        while stop > t and rows[stop - 1] >= n:
            stop -= 1
        while t + 4 <= stop:
            a, b, e, f = grad[rows[t]], grad[rows[t + 1]], grad[rows[t + 2]], grad[rows[t + 3]]
            for k in range(h):
                target[k] += (a[k] + b[k]) + (e[k] + f[k])
            t += 4
        while t < stop:
            a = grad[rows[t]]
            for k in range(h):
                target[k] += a[k]
            t += 1


@numba.njit(cache=True, nogil=True)
def _gradient(
    grad: Any, starts: Any, rows: Any, entries: Any, values: Any, first: int, last: int, out: Any
) -> None:
    n, h = grad.shape
    for c in range(first, last):
        target = out[c]
        for t in range(starts[c], starts[c + 1]):
            if rows[t] >= n:
                break
            source = grad[rows[t]]
            x = grad.dtype.type(values[entries[t]])
            for k in range(h):
                target[k] += x * source[k]
