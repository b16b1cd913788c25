"""What the neighbours of both ends say, by count and by likeness.

    shared neighbours   log(ε + Σ_w A_iw·A_kw/log(degree of w))             (Adamic and Adar, 2003)
    company of k        log(ε + Σ_w F_iw·A_wk)    does i look like those whom k is linked with?
    company of i        log(ε + Σ_w A_iw·F_kw)    does k look like those whom i is linked with?

F_iw is the fourth power of the cosine of the evidence of i and w, for the vertices w that are likest i, else
zero. Without the edge (i, j), j is no neighbour of i; i itself is never counted, as F_ii = 0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.lookup import csr_entries
from acvae.links.statistics.cells import likest_in_cells

__all__ = ["Company", "SharedNeighbours", "likest"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[np.float32]

LIKEST, POWER = 50, 4
NO_SHARED, NO_COMPANY = 1e-3, 1e-4  # ε
BLOCK = 512  # rows of cosines at a time
MOST_COMPARED, LIKEST_OF_MANY = (
    60_000,
    20,
)  # rows that are all compared with all, and likest where they are not


class SharedNeighbours:
    """Adamic and Adar's number; `adjacency` (n, n) of ones."""

    names = ("shared neighbours",)

    def __init__(self, adjacency: sp.csr_array, degrees: IntArray) -> None:
        self._adjacency = adjacency
        self._each = 1 / np.log(np.maximum(degrees, 2))
        weighted = self._each[adjacency.indices]
        self._weighted = sp.csr_array((weighted, adjacency.indices, adjacency.indptr), adjacency.shape)

    def sums(self, at: IntArray) -> sp.csr_array:
        """(b, n) what the logarithm is taken of, of the vertices `at` with all that they share any with."""
        return sp.csr_array(self._weighted[at] @ self._adjacency)

    def rows(self, at: IntArray) -> FloatArray:
        """(b, n) of the vertices `at` with all."""
        return _log(self.sums(at).toarray(), NO_SHARED)

    def of(self, sums: sp.csr_array, place: IntArray, others: IntArray) -> FloatArray:
        """(k,) of pairs, from the `sums` of the first ends and their places among these."""
        return _log(csr_entries(sums, place, others), NO_SHARED)

    def without(self, at: IntArray, places: IntArray, queries: IntArray, others: IntArray) -> FloatArray:
        """(q, c) of i with its candidates (q, c), had j of each query (i, j) not been its neighbour.

        `at` (u,) are the ends of all queries, and `places` (q, 2) where those of each are among them.
        """
        linked = self._adjacency[at]
        own, other = places[:, :1], places[:, 1:]
        lost = (
            csr_entries(linked, other, others)
            * self._each[queries[:, 1:]]
            * csr_entries(linked, own, queries[:, 1:])
        )
        return _log(np.maximum(csr_entries(self.sums(at), own, others) - lost, 0), NO_SHARED)


class Company:
    """Both numbers, from the likeness F (n, n) of `likest`."""

    names = ("company of j", "company of i")

    def __init__(self, adjacency: sp.csr_array, alike: sp.csr_array) -> None:
        # In double precision: what is left when a neighbour is taken off may be small beside it.
        self._adjacency, self.alike = adjacency, alike.astype(np.float64)
        self._back = sp.csr_array(self.alike.T)

    def sums(self, at: IntArray) -> tuple[sp.csr_array, sp.csr_array]:
        """Two (b, n) that the logarithms are taken of, of the vertices `at` with all."""
        return sp.csr_array(self.alike[at] @ self._adjacency), sp.csr_array(self._adjacency[at] @ self._back)

    def rows(self, at: IntArray) -> FloatArray:
        """(b, n, 2) of the vertices `at` with all."""
        return np.stack([_log(each.toarray(), NO_COMPANY) for each in self.sums(at)], axis=-1)

    def of(self, sums: tuple[sp.csr_array, sp.csr_array], place: IntArray, others: IntArray) -> FloatArray:
        """(k, 2) of pairs, from the `sums` of the first ends and their places among these."""
        return np.stack([_log(csr_entries(each, place, others), NO_COMPANY) for each in sums], axis=-1)

    def without(self, at: IntArray, places: IntArray, queries: IntArray, others: IntArray) -> FloatArray:
        """(q, c, 2), as `SharedNeighbours.without`."""
        own, other = places[:, :1], places[:, 1:]
        theirs, mine = (csr_entries(each, own, others) for each in self.sums(at))
        linked = csr_entries(self._adjacency[at], own, queries[:, 1:])
        lost = csr_entries(self._back[at], other, others) * linked
        mine = np.maximum(mine - lost, 0)
        return np.stack([_log(theirs, NO_COMPANY), _log(mine, NO_COMPANY)], axis=-1)


def likest(unit: Array, count: int = LIKEST) -> sp.csr_array:
    """F (n, n): of each row of unit vectors (n, d), the largest cosines to others, to the fourth power.

    Above `MOST_COMPARED` rows they are looked for in the same cells only (`likest_in_cells`).
    """
    n = len(unit)
    count = min(count, n - 1)
    if count < 1:
        return sp.csr_array((n, n), dtype=np.float32)
    if n > MOST_COMPARED:
        ids, cosines = likest_in_cells(unit, min(count, LIKEST_OF_MANY))
        return _table(ids, np.maximum(cosines, 0) ** POWER)
    ids, values = np.empty((n, count), dtype=np.int64), np.empty((n, count), dtype=np.float32)
    for first in range(0, n, BLOCK):
        block = unit[first : first + BLOCK] @ unit.T
        at = np.arange(len(block))
        block[at, first + at] = -2
        chosen = np.sort(np.argpartition(block, n - count, axis=1)[:, n - count :], axis=1)
        ids[first : first + BLOCK] = chosen
        values[first : first + BLOCK] = np.maximum(np.take_along_axis(block, chosen, axis=1), 0) ** POWER
    return _table(ids, values)


def _table(ids: IntArray, values: Array) -> sp.csr_array:
    """(n, n) with `values` (n, c) at the columns `ids` (n, c), each once a row but for zeros."""
    n, count = ids.shape
    out = sp.csr_array((values.ravel(), ids.ravel(), np.arange(0, n * count + 1, count)), shape=(n, n))
    out.eliminate_zeros()
    return out


def _log(x: FloatArray, least: float) -> FloatArray:
    x += least
    return np.log(x, out=x)
