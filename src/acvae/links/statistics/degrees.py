"""How well linked both ends are, and those they are linked with.

    neighbours' log degree   mean of log(1 + degree) over the neighbours; zero without any     of i and of k
    log degree               log(1 + degree)                                                   of i and of k

Without the edge (i, j), i and j have a neighbour less, and a degree less for the neighbours that they keep.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.lookup import csr_entries

__all__ = ["Degrees"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


class Degrees:
    """The four numbers; `adjacency` (n, n) of ones."""

    names = (
        "neighbours' log degree of i",
        "neighbours' log degree of j",
        "log degree of i",
        "log degree of j",
    )
    signs = (0.0, 1.0, 0.0, 1.0)  # those of i are the same for all candidates
    directed = 2

    def __init__(self, adjacency: sp.csr_array, degrees: IntArray) -> None:
        self._adjacency, self._degrees = adjacency, degrees
        self._log = np.log1p(degrees)
        self._total: FloatArray = np.asarray(adjacency @ self._log, dtype=np.float64)
        self._mean = _mean(self._total, degrees)

    def rows(self, at: IntArray) -> FloatArray:
        """(b, n, 4) of the vertices `at` with all."""
        out = np.empty((len(at), len(self._degrees), 4))
        out[:, :, 0], out[:, :, 1] = self._mean[at, None], self._mean
        out[:, :, 2], out[:, :, 3] = self._log[at, None], self._log
        return out

    def pairs(self, i: IntArray, j: IntArray) -> FloatArray:
        """(k, 4) of pairs."""
        return np.stack([self._mean[i], self._mean[j], self._log[i], self._log[j]], axis=-1)

    def without(self, at: IntArray, places: IntArray, queries: IntArray, others: IntArray) -> FloatArray:
        """(q, c, 4) of i with its candidates (q, c), had j of each query (i, j) not been its neighbour.

        `at` (u,) are the ends of all queries, and `places` (q, 2) where those of each are among them.
        """
        linked = self._adjacency[at]
        (i, j), (own, other) = queries.T, places.T
        less = csr_entries(linked, own, j).astype(
            np.int64
        )  # 0 where the two are the same: nothing is left out
        answer = others == j[:, None]
        log_i, log_j = np.log1p(self._degrees[i] - less), np.log1p(self._degrees[j] - less)
        total = self._total[others] - answer * (less * self._log[i])[:, None]
        total += csr_entries(linked, other[:, None], others) * (log_j - self._log[j])[:, None]
        total += (csr_entries(linked, own[:, None], others) * ~answer) * (log_i - self._log[i])[:, None]
        degree = self._degrees[others] - answer * less[:, None]
        out = np.empty((*others.shape, 4))
        out[:, :, 0] = _mean(self._total[i] - less * self._log[j], self._degrees[i] - less)[:, None]
        out[:, :, 1] = _mean(total, degree)
        out[:, :, 2], out[:, :, 3] = log_i[:, None], np.log1p(degree)
        return out


def _mean(total: FloatArray, count: IntArray) -> FloatArray:
    return np.where(count > 0, total / np.maximum(count, 1), 0.0)
