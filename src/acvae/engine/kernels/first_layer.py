"""A batch of feature rows on its way through a first layer and back, in pieces: no autograd.

The fused gradient (`acvae.engine.fused`) shares its work among threads: the product by rows, the gradient
by hidden units, so that two threads never write to the same place and no sum depends on their number. A part
of the gradient is used where it is made, for Adam's step on the same part of the weight, and need not be
written out. Sparse and dense rows offer the same operations.
"""

from typing import Any, Protocol

import numba
import numpy as np
import numpy.typing as npt

from acvae.engine.kernels.adam import Learned, adam_update
from acvae.nn.kernels.bags import ALL_ONES, bag_sum
from acvae.nn.kernels.pair_layer import pair_layer_of_bags

__all__ = ["DenseInput", "LayerInput", "SparseInput"]

Array = npt.NDArray[Any]
_NO_STEP = (0.0, 0.0, 0.0, 0.0, 0.0)


class LayerInput(Protocol):
    """b rows x of the feature matrix, of D columns."""

    def times(self, weight: Array, first: int, last: int, out: Array) -> None:
        """out[first:last] = x[first:last]·W."""

    def descend(
        self, grad: Array, units: slice, weight: Learned, columns: slice, adam: tuple[Any, ...]
    ) -> None:
        """The gradient xᵀ·grad of a part of a weight: written down, or given Adam's constants, used.

        The part are the rows of the weight that belong to some columns of x, and of its columns `units`.
        `grad` (r, w) or (r, 2w) is of the first r rows of x and of the w columns `units`, or of them and
        after them of those half a weight further on.
        """


class SparseInput:
    """Rows as bags: columns and values of row r lie between offsets[r] and offsets[r + 1]."""

    def __init__(self, columns: Array, offsets: Array, values: Array | None, n_columns: int) -> None:
        self._bags = columns, offsets, ALL_ONES if values is None else values, values is not None
        self._by_column = _transpose(columns, offsets, n_columns)

    def times(self, weight: Array, first: int, last: int, out: Array) -> None:
        columns, offsets, *values = self._bags
        _times(weight, columns, offsets[first : last + 1], *values, out[first:last])

    def relate(self, weight: Array, bias: Array, i: Array, j: Array, out: Array, on: Array) -> None:
        """The pair layer on pairs of these rows (`kernels.pair_layer`)."""
        pair_layer_of_bags(weight, bias, *self._bags, i, j, out, on)

    def descend(
        self, grad: Array, units: slice, weight: Learned, columns: slice, adam: tuple[Any, ...]
    ) -> None:
        starts, *entries = self._by_column
        own = starts[columns.start : columns.stop + 1]
        _descend(grad, own, *entries, *self._bags[2:], *_with(units, weight, columns, adam))


class DenseInput:
    """Rows as an array (b, D)."""

    def __init__(self, table: Array) -> None:
        self.table = table

    def times(self, weight: Array, first: int, last: int, out: Array) -> None:
        np.matmul(self.table[first:last], weight, out=out[first:last])

    def descend(
        self, grad: Array, units: slice, weight: Learned, columns: slice, adam: tuple[Any, ...]
    ) -> None:
        _spread(self.table[: len(grad), columns].T @ grad, *_with(units, weight, columns, adam))


def _with(units: slice, weight: Learned, columns: slice, adam: tuple[Any, ...]) -> tuple[Any, ...]:
    """What the kernels below take: units, arrays, constants, and whether to step."""
    constants = adam or tuple(weight.value.dtype.type(x) for x in _NO_STEP)
    return units.start, units.stop, *weight.part(columns), constants, bool(adam)


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
def _times(weight: Any, columns: Any, offsets: Any, values: Any, has_values: bool, out: Any) -> None:
    for r in range(len(out)):
        bag_sum(weight, columns, offsets[r], offsets[r + 1], values, has_values, out[r])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _descend(
    grad: Any,
    starts: Any,
    rows: Any,
    entries: Any,
    values: Any,
    has_values: bool,
    start: int,
    stop: int,
    p: Any,
    g: Any,
    m: Any,
    v: Any,
    constants: Any,
    learn: bool,
) -> None:
    n, h = grad.shape
    total = np.empty(h, dtype=grad.dtype)
    for c in range(len(p)):
        t, last = starts[c], starts[c + 1]
        while last > t and rows[last - 1] >= n:
            last -= 1
        total[:] = 0
        if has_values:
            for u in range(t, last):
                source, x = grad[rows[u]], grad.dtype.type(values[entries[u]])
                for k in range(h):
                    total[k] += x * source[k]
        else:
            while t + 4 <= last:  # four rows in one pass over the sum
                _add_four(total, grad[rows[t]], grad[rows[t + 1]], grad[rows[t + 2]], grad[rows[t + 3]])
                t += 4
            while t < last:
                source = grad[rows[t]]
                for k in range(h):
                    total[k] += source[k]
                t += 1
        _use(total, start, stop, p[c], g[c], m[c], v[c], constants, learn)


@numba.njit(nogil=True, inline="always")
def _add_four(total: Any, a: Any, b: Any, c: Any, d: Any) -> None:
    for k in range(len(total)):
        total[k] += (a[k] + b[k]) + (c[k] + d[k])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _spread(
    grad: Any, start: int, stop: int, p: Any, g: Any, m: Any, v: Any, constants: Any, learn: bool
) -> None:
    for c in range(len(p)):
        _use(grad[c], start, stop, p[c], g[c], m[c], v[c], constants, learn)


@numba.njit(nogil=True, inline="always")
def _use(
    total: Any, start: int, stop: int, p: Any, g: Any, m: Any, v: Any, constants: Any, learn: bool
) -> None:
    """One row of the weight: its gradient at the units, in each half that `total` has."""
    width, half = stop - start, len(p) // 2
    for s in range(len(total) // width):
        a, b, own = s * half + start, s * half + stop, total[s * width : (s + 1) * width]
        if learn:
            adam_update(p[a:b], own, m[a:b], v[a:b], constants)
        else:
            g[a:b] = own
