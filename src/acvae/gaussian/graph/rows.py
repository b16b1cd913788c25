"""Some rows of K, whole or only where they are strong: what statistics look entries up in.

Both kinds are indexed as an array (u, n) is, by places among the rows and by vertices.
"""

from __future__ import annotations

from typing import Any, Protocol

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.lookup import entries_at
from acvae._util.threads import over_ranges

__all__ = ["CovarianceRows", "DenseCovariance", "SparseCovariance"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


class CovarianceRows(Protocol):
    """u rows of K."""

    def __getitem__(self, at: tuple[IntArray, IntArray]) -> FloatArray:
        """Entries of places and vertices that broadcast."""

    def row(self, place: int) -> tuple[IntArray, FloatArray]:
        """The vertices whose entries are known, each once, and these; all others are zero."""

    def lists(self) -> tuple[IntArray, npt.NDArray[Any], FloatArray]:
        """Where the entries of each row begin (u + 1,), their vertices, and they themselves."""

    def ends(self, places: IntArray, queries: IntArray) -> FloatArray:
        """(q, 3) K_ii, K_ij and K_jj of queries (q, 2), whose rows are at `places` (q, 2)."""


class DenseCovariance:
    """All entries: `values` (u, n)."""

    def __init__(self, values: FloatArray) -> None:
        self._values = values

    def __getitem__(self, at: tuple[IntArray, IntArray]) -> FloatArray:
        return np.asarray(self._values[at])

    def row(self, place: int) -> tuple[IntArray, FloatArray]:
        """Every vertex."""
        return np.arange(self._values.shape[1]), self._values[place]

    def lists(self) -> tuple[IntArray, npt.NDArray[Any], FloatArray]:
        """Every vertex, in every row."""
        u, n = self._values.shape
        return np.arange(0, u * n + 1, n), np.tile(np.arange(n), u), self._values.ravel()

    def ends(self, places: IntArray, queries: IntArray) -> FloatArray:
        """As they are."""
        (own, other), (i, j) = places.T, queries.T
        rows = self._values
        return np.stack([rows[own, i], rows[own, j], rows[other, j]], axis=1)


class SparseCovariance:
    """What `push` found: x and the residual r of each row, at the vertices it touched.

    `values` are x_k + r_k/J_kk, one step further everywhere at once, and still not above the real ones.
    `left` bounds what is left out.
    """

    def __init__(
        self,
        n_vertices: int,
        start: IntArray,
        ids: npt.NDArray[np.int32],
        pushed: FloatArray,
        rest: FloatArray,
        values: FloatArray,
    ) -> None:
        self.n_vertices, self.start, self.ids, self.values = n_vertices, start, ids, values
        self._pushed, self._rest = pushed, rest

    def __getitem__(self, at: tuple[IntArray, IntArray]) -> FloatArray:
        return entries_at(self.start, self.ids, self.values, self.n_vertices, *at)

    def row(self, place: int) -> tuple[IntArray, FloatArray]:
        """The vertices that were touched."""
        own = slice(self.start[place], self.start[place + 1])
        return self.ids[own].astype(np.int64), self.values[own]

    def lists(self) -> tuple[IntArray, npt.NDArray[Any], FloatArray]:
        """As they were found."""
        return self.start, self.ids, self.values

    @property
    def left(self) -> FloatArray:
        """(u,) Σ r of each row: K_ik exceeds an entry by at most K_kk·left_i."""
        count = len(self.start) - 1
        place = np.repeat(np.arange(count), np.diff(self.start))
        return np.bincount(place, self._rest, count).astype(np.float64, copy=False)

    def dense(self) -> FloatArray:
        """(u, n)."""
        out = np.zeros((len(self.start) - 1, self.n_vertices))
        out[np.repeat(np.arange(len(out)), np.diff(self.start)), self.ids] = self.values
        return out

    def ends(self, places: IntArray, queries: IntArray) -> FloatArray:
        """From both sides, so that only products of two residuals are left out."""
        out = np.empty((len(places), 3))
        given = self.start, self.ids, self._pushed, self._rest, places, queries
        over_ranges(lambda a, b: _both_sides(*given, out, self.n_vertices, a, b), len(places), at_least=16)
        return out


@numba.njit(cache=True, nogil=True)
def _both_sides(
    start: Any, ids: Any, x: Any, r: Any, places: Any, queries: Any, out: Any, n: int, first: int, last: int
) -> None:
    row = np.zeros(n)
    for q in range(first, last):
        p, o, i, j = places[q, 0], places[q, 1], queries[q, 0], queries[q, 1]
        out[q] = 0.0
        for t in range(start[o], start[o + 1]):
            row[ids[t]] = x[t]
            out[q, 2] += x[t] * r[t]
        out[q, 2] += row[j]
        for t in range(start[p], start[p + 1]):
            out[q, 0] += x[t] * r[t]
            out[q, 1] += r[t] * row[ids[t]]
            if ids[t] == i:
                out[q, 0] += x[t]
            if ids[t] == j:
                out[q, 1] += x[t]
        for t in range(start[o], start[o + 1]):
            row[ids[t]] = 0.0
