"""What the neighbours of both ends say, by count and by likeness.

    shared neighbours   log(ε + Σ_w A_iw·A_kw/log(degree of w))             (Adamic and Adar, 2003)
    company of k        log(ε + Σ_w F_iw·A_wk)    does i look like those whom k is linked with?
    company of i        log(ε + Σ_w A_iw·F_kw)    does k look like those whom i is linked with?

F_iw is the fourth power of the cosine of the evidence of i and w, for the vertices w that are likest i, else
zero. Without the edge (i, j), j is no neighbour of i; i itself is never counted, as F_ii = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

__all__ = ["Company", "SharedNeighbours", "likest"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[np.float32]

LIKEST, POWER = 50, 4
NO_SHARED, NO_COMPANY = 1e-3, 1e-4  # ε
BLOCK = 512  # rows of cosines at a time


class SharedNeighbours:
    """Adamic and Adar's number; `adjacency` (n, n) of ones."""

    names = ("shared neighbours",)

    def __init__(self, adjacency: sp.csr_array, degrees: IntArray) -> None:
        self._adjacency = adjacency
        self._each = 1 / np.log(np.maximum(degrees, 2))
        self._weighted = sp.csr_array(adjacency @ sp.diags_array(self._each))

    def rows(self, at: IntArray) -> FloatArray:
        """(b, n) of the vertices `at` with all."""
        return _log(_dense(self._weighted[at] @ self._adjacency), NO_SHARED)

    def without(self, at: IntArray, places: IntArray, queries: IntArray, others: IntArray) -> FloatArray:
        """(q, c) of i with its candidates (q, c), had j of each query (i, j) not been its neighbour.

        `at` (u,) are the ends of all queries, and `places` (q, 2) where those of each are among them.
        """
        total = _dense(self._weighted[at] @ self._adjacency)
        linked = _dense(self._adjacency[at])
        own, other = places[:, :1], places[:, 1:]
        lost = linked[other, others] * self._each[queries[:, 1:]] * linked[own, queries[:, 1:]]
        return _log(np.maximum(total[own, others] - lost, 0), NO_SHARED)


class Company:
    """Both numbers, from the likeness F (n, n) of `likest`."""

    names = ("company of j", "company of i")

    def __init__(self, adjacency: sp.csr_array, alike: sp.csr_array) -> None:
        # In double precision: what is left when a neighbour is taken off may be small beside it.
        self._adjacency, self.alike = adjacency, alike.astype(np.float64)
        self._back = sp.csr_array(self.alike.T)

    def rows(self, at: IntArray) -> FloatArray:
        """(b, n, 2) of the vertices `at` with all."""
        theirs = _dense(self.alike[at] @ self._adjacency)
        own = _dense(self._adjacency[at] @ self._back)
        return np.stack([_log(theirs, NO_COMPANY), _log(own, NO_COMPANY)], axis=-1)

    def without(self, at: IntArray, places: IntArray, queries: IntArray, others: IntArray) -> FloatArray:
        """(q, c, 2), as `SharedNeighbours.without`."""
        own, other = places[:, :1], places[:, 1:]
        theirs = _dense(self.alike[at] @ self._adjacency)[own, others]
        mine = _dense(self._adjacency[at] @ self._back)[own, others]
        linked = _dense(self._adjacency[at])[own, queries[:, 1:]]
        lost = _dense(self._back[at])[other, others] * linked
        mine = np.maximum(mine - lost, 0)
        return np.stack([_log(theirs, NO_COMPANY), _log(mine, NO_COMPANY)], axis=-1)


def likest(unit: Array, count: int = LIKEST) -> sp.csr_array:
    """F (n, n): of each row of unit vectors (n, d), the largest cosines to others, to the fourth power."""
    n = len(unit)
    count = min(count, n - 1)
    if count < 1:
        return sp.csr_array((n, n), dtype=np.float32)
    ids, values = np.empty((n, count), dtype=np.int64), np.empty((n, count), dtype=np.float32)
    for first in range(0, n, BLOCK):
        block = unit[first : first + BLOCK] @ unit.T
        at = np.arange(len(block))
        block[at, first + at] = -2
        chosen = np.sort(np.argpartition(block, n - count, axis=1)[:, n - count :], axis=1)
        ids[first : first + BLOCK] = chosen
        values[first : first + BLOCK] = np.maximum(np.take_along_axis(block, chosen, axis=1), 0) ** POWER
    start = np.arange(0, n * count + 1, count)
    out = sp.csr_array((values.ravel(), ids.ravel(), start), shape=(n, n))
    out.eliminate_zeros()
    return out


def _dense(rows: Any) -> FloatArray:
    return np.asarray(rows.toarray(), dtype=np.float64)


def _log(x: FloatArray, least: float) -> FloatArray:
    x += least
    return np.log(x, out=x)
