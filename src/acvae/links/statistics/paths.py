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

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

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
        return _log(*self._counts(at))

    def without(self, at: IntArray, places: IntArray, queries: IntArray, others: IntArray) -> FloatArray:
        """(q, c, 2) of i with its candidates (q, c), had j of each query (i, j) not been its neighbour.

        `at` (u,) are the ends of all queries, and `places` (q, 2) where those of each are among them.
        """
        counts = self._counts(at)
        linked = np.asarray(self._adjacency[at].toarray(), dtype=np.float64)
        (i, j), (own, other) = queries.T, places.T
        two, three = (rows[own[:, None], others] for rows in counts)
        edge = linked[own, j]  # 0 where the two are the same: nothing is left out
        g_i, g_j = _inverse(self._degrees[i]) * edge, _inverse(self._degrees[j]) * edge
        left_i, left_j = (_inverse(self._degrees[v] - 1) * edge for v in (i, j))
        to_i, to_j = linked[own[:, None], others], linked[other[:, None], others]
        back = (counts[0][own, i] - g_j)[:, None]
        three -= g_j[:, None] * counts[0][other[:, None], others]
        three += (counts[0][own, j] * (left_j - g_j))[:, None] * to_j
        three += back * (left_i[:, None] * (to_i - (others == j[:, None])) - g_i[:, None] * to_i)
        two -= g_j[:, None] * to_j
        return _log(np.maximum(two, 0), np.maximum(three, 0))

    def _counts(self, at: IntArray) -> tuple[FloatArray, FloatArray]:
        """(b, n) of two and of three steps."""
        near = self._step[at] @ self._adjacency
        two = _dense(near)
        if near.nnz > MANY * two.size:
            return two, np.ascontiguousarray((self._adjacency @ (two * self._share).T).T)
        return two, _dense((near * self._share) @ self._adjacency)


def _inverse(degrees: IntArray) -> FloatArray:
    return np.asarray((degrees > 0) / np.maximum(degrees, 1), dtype=np.float64)


def _dense(rows: Any) -> FloatArray:
    return np.asarray(rows.toarray(), dtype=np.float64)


def _log(two: FloatArray, three: FloatArray) -> FloatArray:
    out = np.stack([two, three], axis=-1)
    out += NO_PATH
    return np.log(out, out=out)
