"""How likely a walk from i that stops at random passes k: PageRank's form of a Gaussian on a graph.

    J = I + D − c·A,   K = J⁻¹,   the number is log K_ik, floored

D and A are weighted degrees and weights. As D − c·A = (1 − c)·D + c·L, it is a Laplacian of strength c with
degrees on the diagonal: a vertex of many neighbours hears each of them less. An edge of weight w adds
w·[[1, −c], [−c, 1]] to J, so leaving it out is an update of rank two.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from acvae.gaussian.graph.rows import CovarianceRows
from acvae.gaussian.graph.solver import Solver

__all__ = ["FOLLOW", "Walk"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

FOLLOW = 0.85  # c
FLOOR = 1e-7


class Walk:
    """The Gaussian, and log covariances under it; `weight` (m,) of the edges (m, 2) is one on average."""

    names = ("log walk",)

    def __init__(self, n_vertices: int, edges: IntArray, weight: FloatArray, solver: Solver) -> None:
        degree: FloatArray = np.bincount(edges.ravel(), np.repeat(weight, 2), n_vertices).astype(np.float64)
        self.weight = weight
        self.gaussian = solver.gaussian(1 + (1 - FOLLOW) * degree, FOLLOW * weight)

    def rows(self, at: IntArray) -> FloatArray:
        """(b, n) of the vertices `at` with all."""
        return _log(self.gaussian.rows(at))

    def pairs(self, i: IntArray, j: IntArray) -> FloatArray:
        """(k,) of pairs."""
        return _log(self.gaussian.entries(i, j))

    def of(self, rows: CovarianceRows, place: IntArray, others: IntArray) -> FloatArray:
        """(k,) of pairs, from the `rows` of the first ends and their places among these."""
        return _log(rows[place, others])

    def without(
        self,
        rows: CovarianceRows,
        places: IntArray,
        queries: IntArray,
        edge: IntArray | None,
        others: IntArray,
    ) -> FloatArray:
        """(q, c) of i with its candidates (q, c), had the `edge` (q,) of each query (i, j) not been there.

        Rows of K hold those of the queries' ends, at `places` (q, 2). Without edges, all is as it is.
        """
        if edge is None:
            return _log(rows[places[:, :1], others])
        w, c = self.weight[edge], FOLLOW
        block = w[:, None, None] * np.array([[1.0, -c], [-c, 1.0]])
        return _log(self.gaussian.without(rows, places, queries, block, others))


def _log(covariance: FloatArray) -> FloatArray:
    return np.asarray(np.log(np.maximum(covariance, FLOOR)))
