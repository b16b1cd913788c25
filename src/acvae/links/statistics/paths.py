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

from acvae._util.threads import over_ranges
from acvae.links.statistics.degrees import entries

__all__ = ["Paths"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

NO_PATH = 1e-3  # ε


class Paths:
    """Both numbers; `adjacency` (n, n) of ones.

    Nothing as large as rows of three steps is kept: the last step is made from each candidate backwards.
    """

    names = ("paths of two steps", "paths of three steps")

    def __init__(self, adjacency: sp.csr_array, degrees: IntArray) -> None:
        self._adjacency, self._degrees = adjacency, degrees
        self._share = _inverse(degrees)
        step = self._share[adjacency.indices]
        self._step = sp.csr_array((step, adjacency.indices, adjacency.indptr), adjacency.shape)

    def sums(self, at: IntArray) -> sp.csr_array:
        """(b, n) of two steps, of the vertices `at` with all that these lead to."""
        return sp.csr_array(self._step[at] @ self._adjacency)

    def rows(self, at: IntArray) -> FloatArray:
        """(b, n, 2) of the vertices `at` with all."""
        two = np.asarray(self.sums(at).toarray(), dtype=np.float64)
        return _log(two, (self._adjacency @ (two * self._share).T).T)

    def of(self, sums: sp.csr_array, place: IntArray, others: IntArray) -> FloatArray:
        """(k, 2) of pairs, from the `sums` of the first ends and their places among these."""
        return _log(entries(sums, place, others), self._three(sums, place, others))

    def without(self, at: IntArray, places: IntArray, queries: IntArray, others: IntArray) -> FloatArray:
        """(q, c, 2) of i with its candidates (q, c), had j of each query (i, j) not been its neighbour.

        `at` (u,) are the ends of all queries, and `places` (q, 2) where those of each are among them.
        """
        sums, linked = self.sums(at), self._adjacency[at]
        (i, j), (own, other) = queries.T, places.T
        from_i, from_j = own[:, None], other[:, None]
        two, three = entries(sums, from_i, others), self._three(sums, from_i, others)
        edge = entries(linked, own, j)  # 0 where the two are the same: nothing is left out
        g_i, g_j = self._share[i] * edge, self._share[j] * edge
        left_i, left_j = (_inverse(self._degrees[v] - 1) * edge for v in (i, j))
        to_i, to_j = entries(linked, from_i, others), entries(linked, from_j, others)
        back = (entries(sums, own, i) - g_j)[:, None]
        three -= g_j[:, None] * entries(sums, from_j, others)
        three += (entries(sums, own, j) * (left_j - g_j))[:, None] * to_j
        three += back * (left_i[:, None] * (to_i - (others == j[:, None])) - g_i[:, None] * to_i)
        two -= g_j[:, None] * to_j
        return _log(np.maximum(two, 0), np.maximum(three, 0))

    def _three(self, sums: sp.csr_array, place: IntArray, others: IntArray) -> FloatArray:
        """Of three steps, at places among the rows of `sums` and vertices, which broadcast."""
        rows, columns = np.broadcast_arrays(place, others)
        flat, ends = rows.ravel(), columns.ravel()
        order = np.argsort(flat, kind="stable")
        found = np.empty(flat.size)
        two = sums.indptr, sums.indices, sums.data
        third = self._adjacency.indptr, self._adjacency.indices, self._share
        given = *two, *third, flat, ends, order, found
        over_ranges(lambda a, b: _last_step(*given, a, b), flat.size, at_least=20_000)
        return found.reshape(rows.shape)


@numba.njit(cache=True, nogil=True)
def _last_step(
    start: Any,
    ids: Any,
    values: Any,
    pointer: Any,
    neighbours: Any,
    share: Any,
    place: Any,
    ends: Any,
    order: Any,
    out: Any,
    first: int,
    last: int,
) -> None:
    """Places are in growing order of `order`; each row of two steps is laid out once."""
    row, held = np.zeros(len(share)), -1
    for x in range(first, last):
        q = order[x]
        if place[q] != held:
            if held >= 0:
                for e in range(start[held], start[held + 1]):
                    row[ids[e]] = 0.0
            held = place[q]
            for e in range(start[held], start[held + 1]):
                row[ids[e]] = values[e] * share[ids[e]]
        total = 0.0
        for e in range(pointer[ends[q]], pointer[ends[q] + 1]):
            total += row[neighbours[e]]
        out[q] = total


def _inverse(degrees: IntArray) -> FloatArray:
    return np.asarray((degrees > 0) / np.maximum(degrees, 1), dtype=np.float64)


def _log(two: FloatArray, three: FloatArray) -> FloatArray:
    out = np.stack([two, three], axis=-1)
    out += NO_PATH
    return np.log(out, out=out)
