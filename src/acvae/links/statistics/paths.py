"""Paths of two and three steps between i and k, each divided by the degrees of the vertices that it passes.

    two steps     log(ε + Σ_a A_ia·A_ak/d_a)                     (resource allocation, Zhou et al., 2009)
    three steps   log(ε + Σ_ab A_ia·A_ab·A_bk/(d_a·d_b))

Without the edge (i, j), g = 1/d, and g′ those of the degrees that are left, zero where none is:

    two′_ik   = two_ik − g_j·A_jk
    three′_ik = three_ik − g_j·two_jk + two_ij·(g′_j − g_j)·A_jk
                + (two_ii − g_j)·(g′_i·(A_ik − [k = j]) − g_i·A_ik)
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.lookup import csr_entries, in_order, lay_out
from acvae._util.threads import over_ranges

__all__ = ["Paths"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

NO_PATH = 1e-3  # ε
MANY = 0.05  # share of pairs that two steps join, above which a third is faster on dense rows


class Paths:
    """Both numbers; `adjacency` (n, n) of ones."""

    names = ("paths of two steps", "paths of three steps")

    def __init__(self, adjacency: sp.csr_array, degrees: IntArray) -> None:
        self._adjacency, self._degrees = adjacency, degrees
        self._share = _inverse(degrees)
        self._step = sp.csr_array(adjacency @ sp.diags_array(self._share))

    def rows(self, at: IntArray) -> FloatArray:
        """(b, n, 2) of the vertices `at` with all."""
        near = self._two(at)
        two = near.toarray()
        if near.nnz > MANY * two.size:
            return _log(two, np.ascontiguousarray((self._adjacency @ (two * self._share).T).T))
        return _log(two, ((near * self._share) @ self._adjacency).toarray())

    def of(self, at: IntArray, place: IntArray, others: IntArray) -> FloatArray:
        """(k, 2) of the vertices at[place] with others."""
        two = self._two(at)
        return _log(csr_entries(two, place, others), self._three(two, place, others))

    def without(self, at: IntArray, places: IntArray, queries: IntArray, others: IntArray) -> FloatArray:
        """(q, c, 2) of i with its candidates (q, c), had j of each query (i, j) not been its neighbour.

        `at` (u,) are the ends of all queries, and `places` (q, 2) where those of each are among them.
        """
        counts, linked = self._two(at), self._adjacency[at]
        (i, j), (own, other) = queries.T, places.T
        two, three = csr_entries(counts, own[:, None], others), self._three(counts, own[:, None], others)
        edge = csr_entries(linked, own, j)  # 0 where the two are the same: nothing is left out
        g_i, g_j = _inverse(self._degrees[i]) * edge, _inverse(self._degrees[j]) * edge
        left_i, left_j = (_inverse(self._degrees[v] - 1) * edge for v in (i, j))
        to_i, to_j = (csr_entries(linked, end[:, None], others) for end in (own, other))
        back = (csr_entries(counts, own, i) - g_j)[:, None]
        three -= g_j[:, None] * csr_entries(counts, other[:, None], others)
        three += (csr_entries(counts, own, j) * (left_j - g_j))[:, None] * to_j
        three += back * (left_i[:, None] * (to_i - (others == j[:, None])) - g_i[:, None] * to_i)
        two -= g_j[:, None] * to_j
        return _log(np.maximum(two, 0), np.maximum(three, 0))

    def _two(self, at: IntArray) -> sp.csr_array:
        """(b, n) of two steps."""
        return sp.csr_array(self._step[at] @ self._adjacency)

    def _three(self, two: sp.csr_array, place: IntArray, column: IntArray) -> FloatArray:
        """Of three steps, at places among the rows of `two` and columns that broadcast."""
        rows, columns = np.broadcast_arrays(place, column)
        linked, shared = self._adjacency, two.data * self._share[two.indices]
        given = two.indptr, two.indices, shared, linked.indptr, linked.indices

        def sums(asked: IntArray, wanted: IntArray) -> FloatArray:
            found = np.empty(len(asked))
            over_ranges(
                lambda a, b: _over_neighbours(*given, asked, wanted, found, a, b), len(found), at_least=2048
            )
            return found

        return in_order(sums, rows, columns)


@numba.njit(cache=True, nogil=True)
def _over_neighbours(
    start: Any,
    ids: Any,
    values: Any,
    pointer: Any,
    neighbour: Any,
    place: Any,
    column: Any,
    out: Any,
    first: int,
    last: int,
) -> None:
    """Sums of a row's values over the neighbours of a column; places are in growing order."""
    row, held = np.zeros(len(pointer) - 1), -1
    for q in range(first, last):
        p, k = place[q], column[q]
        held = lay_out(start, ids, values, p, held, row)
        out[q] = 0.0
        for t in range(pointer[k], pointer[k + 1]):
            out[q] += row[neighbour[t]]


def _inverse(degrees: IntArray) -> FloatArray:
    return np.asarray((degrees > 0) / np.maximum(degrees, 1), dtype=np.float64)


def _log(two: FloatArray, three: FloatArray) -> FloatArray:
    out = np.stack([two, three], axis=-1)
    out += NO_PATH
    return np.log(out, out=out)
