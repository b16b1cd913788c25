"""One symmetric positive definite matrix, factorised along an elimination: J = L·D·Lᵀ, the core by Cholesky.

Eliminating column c with pivot d leaves x_c = Σ_a p_ca·x_a + (what is its own)/d over the positions a below
that it is joined to, p_ca = −L_ac. Solving, sampling and the variances all go along these shares p. Entries
of the inverse where J, or the elimination, has any follow from the core's upwards (Takahashi's equations).
"""

import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import scipy.linalg.lapack as lapack

from acvae._util.threads import one_blas_thread, over_ranges
from acvae.forests.elimination.order import Elimination
from acvae.forests.elimination.pace import learn_pace

__all__ = [
    "Factor",
    "NotPositiveError",
    "along_pattern",
    "factorise",
    "factorise_core",
    "invert",
    "over_columns",
    "pull_up",
    "push_down",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

FEW = 16  # columns of a right-hand side that are worth a thread
SMALL_FOR_THREADS = (
    600  # rows up to which a core takes milliseconds, and threads that wait for it spin longer
)
LARGE_FOR_THREADS = 8_000  # rows from which on OpenBLAS's threaded Cholesky overruns its buffers (issue 2562)


class NotPositiveError(ValueError):
    """The matrix is not positive definite."""


class Factor:
    """A factorised matrix J (n, n); positions of the elimination number its rows throughout.

    `variance` (n,) is the diagonal of J⁻¹, `along` (m,) are its entries at the edges.
    """

    def __init__(
        self,
        order: Elimination,
        pivot: FloatArray,
        share: FloatArray,
        core: FloatArray,
        variance: FloatArray,
        along: FloatArray,
    ) -> None:
        self._order, self._pivot, self._share, self._core = order, pivot, share, core
        self.variance, self.along = variance, along

    @property
    def log_determinant(self) -> float:
        """log det J."""
        return float(np.log(self._pivot).sum() + 2 * np.log(self._core.diagonal()).sum())

    def solve(self, x: FloatArray) -> FloatArray:
        """J⁻¹·x for the columns of x (n, b), in place."""
        order = self._order
        over_columns(push_down, x, order.start, order.below, self._share)
        self._in_core(x, lapack.dpotrs)
        return self._pull_up(x, 1 / self._pivot)

    def correlate(self, noise: FloatArray) -> FloatArray:
        """Turn standard normals (n, b) into draws from N(0, J⁻¹), in place."""
        self._in_core(noise, lapack.dtrtrs, trans=1)
        return self._pull_up(noise, 1 / np.sqrt(self._pivot))

    def _in_core(self, x: FloatArray, routine: Callable[..., tuple[FloatArray, int]], **options: int) -> None:
        first = self._order.n_eliminated
        if first < len(x):
            x[first:] = routine(self._core, x[first:], lower=1, **options)[0]

    def _pull_up(self, x: FloatArray, scale: FloatArray) -> FloatArray:
        order = self._order
        over_columns(pull_up, x, order.start, order.below, self._share, scale)
        return x


def factorise(order: Elimination, edges: IntArray, off: FloatArray, diagonal: FloatArray) -> Factor:
    """Factorise the matrix that has `off` (m,) at `edges` (m, 2), which are vertices, and `diagonal` (n,)."""
    pivot, share, core = factorise_core(order, edges, off, diagonal)
    return Factor(order, pivot, share, core, *along_pattern(order, edges, pivot, share, invert(core)))


def factorise_core(
    order: Elimination, edges: IntArray, off: FloatArray, diagonal: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Pivots, shares, and the core's lower Cholesky factor."""
    first, size = order.n_eliminated, order.core_size
    low, high = np.sort(order.position[edges], axis=1).T
    by_column = np.argsort(low, kind="stable")
    starts = np.searchsorted(low[by_column], np.arange(first + 1))
    own = diagonal[order.vertex]
    pivot, share = own[:first].copy(), np.empty(len(order.below))
    core = np.zeros((size, size), order="F")
    inside = low >= first
    core[high[inside] - first, low[inside] - first] = off[inside]
    core[np.arange(size), np.arange(size)] = own[first:]
    columns = starts, high[by_column], off[by_column]
    if not _factorise(order.start, order.below, *columns, pivot, share, core):
        raise NotPositiveError
    if size:
        start = time.perf_counter()
        with _threads_for(size):
            core, failed = lapack.dpotrf(core, lower=1, overwrite_a=1)
        if failed:
            raise NotPositiveError
        learn_pace(size, time.perf_counter() - start)
    return pivot, share, core


def invert(core: FloatArray, *, in_place: bool = False) -> FloatArray:
    """Lower triangle of the inverse of a matrix whose lower Cholesky factor is `core`."""
    if len(core) == 0:
        return core
    with _threads_for(len(core)):
        return np.asarray(lapack.dpotri(core, lower=1, overwrite_c=int(in_place))[0])


def along_pattern(
    order: Elimination, edges: IntArray, pivot: FloatArray, share: FloatArray, inverse: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Diagonal (n,) of J⁻¹ and its entries (m,) at the edges, from the core's inverse."""
    low, high = np.sort(order.position[edges], axis=1).T
    variance, entries = _inverse_along(order.start, order.below, pivot, share, inverse)
    return variance, _look_up(order.start, order.below, entries, inverse, low, high)


def _threads_for(size: int) -> Any:
    return nullcontext() if SMALL_FOR_THREADS < size <= LARGE_FOR_THREADS else one_blas_thread()


def over_columns(work: Callable[..., None], x: FloatArray, *arguments: Any) -> None:
    over_ranges(lambda a, b: work(*arguments, x, a, b), x.shape[1], at_least=FEW)


@numba.njit(cache=True, nogil=True)
def _factorise(
    start: Any, below: Any, starts: Any, rows: Any, values: Any, pivot: Any, share: Any, core: Any
) -> bool:
    """Column by column, each taking up what earlier ones leave to it (a left-looking L·D·Lᵀ)."""
    m = len(pivot)
    work = np.zeros(m + len(core))
    waiting = np.full(m, -1, dtype=np.int64)  # first of the columns whose next entry is in row c
    after = np.full(m, -1, dtype=np.int64)  # the next of them
    at = start[:-1].copy()  # each column's next entry
    for c in range(m):
        for t in range(starts[c], starts[c + 1]):
            work[rows[t]] = values[t]
        earlier = waiting[c]
        while earlier >= 0:
            following, t = after[earlier], at[earlier]
            taken = share[t] * pivot[earlier]
            pivot[c] -= share[t] * taken
            for s in range(t + 1, start[earlier + 1]):
                work[below[s]] -= share[s] * taken
            _wait(earlier, t + 1, start, below, at, waiting, after)
            earlier = following
        if not pivot[c] > 0:
            return False
        for t in range(start[c], start[c + 1]):
            share[t] = -work[below[t]] / pivot[c]
            work[below[t]] = 0.0
        _wait(c, start[c], start, below, at, waiting, after)
    for c in range(m):  # what the core takes up
        t = start[c + 1]
        while t > start[c] and below[t - 1] >= m:
            t -= 1
        for s in range(t, start[c + 1]):
            taken = share[s] * pivot[c]
            for r in range(s, start[c + 1]):
                core[below[r] - m, below[s] - m] -= share[r] * taken
    return True


@numba.njit(nogil=True, inline="always")
def _wait(c: Any, t: Any, start: Any, below: Any, at: Any, waiting: Any, after: Any) -> None:
    """Put column c with those that wait for the row of its entry t, unless that is in the core."""
    at[c] = t
    if t < start[c + 1] and below[t] < len(waiting):
        after[c] = waiting[below[t]]
        waiting[below[t]] = c


@numba.njit(cache=True, nogil=True)
def push_down(start: Any, below: Any, share: Any, x: Any, a: int, b: int) -> None:
    """Columns a … b of x: every position gives its share to those below."""
    for c in range(len(start) - 1):
        own = x[c, a:b]
        if not own.any():
            continue  # most are untouched by a unit vector
        for t in range(start[c], start[c + 1]):
            other, p = x[below[t], a:b], share[t]
            for k in range(len(own)):
                other[k] += p * own[k]


@numba.njit(cache=True, nogil=True)
def pull_up(start: Any, below: Any, share: Any, scale: Any, x: Any, a: int, b: int) -> None:
    """Columns a … b of x: every position, scaled, takes its share from those below."""
    for c in range(len(start) - 2, -1, -1):
        own, factor = x[c, a:b], scale[c]
        for k in range(len(own)):
            own[k] *= factor
        for t in range(start[c], start[c + 1]):
            other, p = x[below[t], a:b], share[t]
            for k in range(len(own)):
                own[k] += p * other[k]


@numba.njit(cache=True, nogil=True)
def _inverse_along(start: Any, below: Any, pivot: Any, share: Any, inverse: Any) -> Any:
    """The inverse's diagonal, and its entries along the eliminated columns; `inverse` is the core's."""
    m = len(pivot)
    variance = np.empty(m + len(inverse))
    for c in range(len(inverse)):
        variance[m + c] = inverse[c, c]
    entries = np.zeros(len(below))
    for c in range(m - 1, -1, -1):
        first, last = start[c], start[c + 1]
        for t in range(first, last):
            entries[t] += share[t] * variance[below[t]]
            for s in range(t + 1, last):
                both = _entry(start, below, entries, inverse, below[t], below[s])
                entries[t] += share[s] * both
                entries[s] += share[t] * both
        variance[c] = 1 / pivot[c]
        for t in range(first, last):
            variance[c] += share[t] * entries[t]
    return variance, entries


@numba.njit(nogil=True, inline="always")
def _entry(start: Any, below: Any, entries: Any, inverse: Any, low: Any, high: Any) -> Any:
    """The inverse at two joined positions, low < high."""
    m = len(start) - 1
    if low >= m:
        return inverse[high - m, low - m]
    first, last = start[low], start[low + 1]
    while first < last:
        middle = (first + last) // 2
        if below[middle] < high:
            first = middle + 1
        else:
            last = middle
    return entries[first]


@numba.njit(cache=True, nogil=True)
def _look_up(start: Any, below: Any, entries: Any, inverse: Any, low: Any, high: Any) -> Any:
    out = np.empty(len(low))
    for e in range(len(low)):
        out[e] = _entry(start, below, entries, inverse, low[e], high[e])
    return out
