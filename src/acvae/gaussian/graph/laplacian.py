"""A Gaussian whose precision is a weighted graph Laplacian and a positive diagonal.

    J = diag(h) + Σ_e a_e·b_e·b_eᵀ,   b_e = e_i − e_j,   K = J⁻¹

Of K, which is dense, only what is asked for is computed: its diagonal and its entries at edges by selected
inversion, its rows by a solve each, a block of rows at a time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from acvae.exceptions import PosteriorError
from acvae.forests.elimination import (
    Elimination,
    NotPositiveError,
    TooLargeError,
    eliminate,
    factorise_by_inverse,
)
from acvae.gaussian.graph.leave_one_out import ROUNDING, leave_out
from acvae.gaussian.graph.rows import CovarianceRows, DenseCovariance

__all__ = ["LaplacianGaussian", "diagonal_with", "elimination_of", "energy"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

PANEL = 256  # rows solved for at a time


class LaplacianGaussian:
    """N(0, J⁻¹), factorised.

    Parameters
    ----------
    diagonal
        (n,) the h of the precision.
    edges, strength
        (m, 2) and (m,) the pairs and their a. The precision is positive definite where all h and a are
        positive, and may be elsewhere.
    order
        The `elimination_of` the edges, if it is known already; it is the same for all strengths.

    Attributes
    ----------
    variance, along
        (n,) diagonal of K, and (m,) its entries at the edges.
    """

    rounding = ROUNDING

    def __init__(
        self,
        diagonal: FloatArray,
        edges: IntArray,
        strength: FloatArray,
        order: Elimination | None = None,
    ) -> None:
        self.diagonal, self.edges, self.strength = diagonal, edges, strength
        self.order = elimination_of(len(diagonal), edges) if order is None else order
        total = diagonal_with(diagonal, edges, strength)
        try:
            self._factor = factorise_by_inverse(self.order, edges, -strength, total)
        except NotPositiveError:
            raise PosteriorError(
                "the strengths and the diagonal belong to no joint distribution: the precision is not "
                "positive definite. It is where all strengths and the diagonal are above 0."
            ) from None
        self.variance: FloatArray = self._factor.variance[self.order.position]
        self.along: FloatArray = self._factor.along

    @property
    def n_vertices(self) -> int:
        """How many vertices there are."""
        return len(self.diagonal)

    @property
    def row_bytes(self) -> int:
        """How much memory a row of `some_rows` takes."""
        return 8 * self.n_vertices

    @property
    def log_determinant(self) -> float:
        """log det J."""
        return self._factor.log_determinant

    def solve(self, x: FloatArray) -> FloatArray:
        """K·x for the columns of x (n, b)."""
        return self._factor.solve(x[self.order.vertex])[self.order.position]

    def rows(self, at: IntArray) -> FloatArray:
        """(b, n) rows of K."""
        out = np.empty((len(at), self.n_vertices))
        for first in range(0, len(at), PANEL):
            own = at[first : first + PANEL]
            unit = np.zeros((self.n_vertices, len(own)))
            unit[self.order.position[own], np.arange(len(own))] = 1
            out[first : first + len(own), self.order.vertex] = self._factor.solve(unit).T
        return out

    def some_rows(self, at: IntArray) -> DenseCovariance:
        """Rows of K to look entries up in."""
        return DenseCovariance(self.rows(at))

    def without(
        self, rows: CovarianceRows, places: IntArray, queries: IntArray, block: FloatArray, others: IntArray
    ) -> FloatArray:
        """(q, c) entries K′_ik at candidates, of the Gaussian without the edge (i, j) of each query.

        From rows i and j of K, which are at `places` (q, 2) among `rows`; `block` (q, 2, 2) is what the edges
        add to J.
        """
        here, between, there = rows.ends(places, queries).T
        update = leave_out(block, here, there, between)
        share = (np.stack([here, between], axis=1)[:, None, :] @ update)[:, 0]
        row_i, row_j = rows[places[:, :1], others], rows[places[:, 1:], others]
        return row_i + share[:, :1] * row_i + share[:, 1:] * row_j

    def rest_without(self, ends: FloatArray, queries: IntArray, strength: FloatArray) -> FloatArray:
        """(q,) 1 − a·b_eᵀ·K·b_e of the edge e of each query, from K_ii, K_ij, K_jj (q, 3) and a (q,)."""
        here, between, there = ends.T
        return np.asarray(1 - strength * ((here - between) - (between - there)))

    def without_each(self, i: int, j: int, edges: IntArray) -> tuple[float, FloatArray]:
        """K_ij, and (k,) what it is without each of these edges, which are i's or j's, in turn.

        K′_ij = K_ij + s·c_i·c_j with c = K·b_e, s = a/(1 − a·b_eᵀ·c): from the rows of i and j, and the
        diagonal.
        """
        rows = self.rows(np.array([i, j]))
        u, v = self.edges[edges].T
        a, change = self.strength[edges], rows[:, u] - rows[:, v]  # c_i, c_j
        own = np.where((u == i) | (v == i), 0, 1)  # whose edge it is
        by = u + v - np.array([i, j])[own]
        spread = self.variance[u] + self.variance[v] - 2 * rows[own, by]
        covariance = float(rows[0, j])
        return covariance, covariance + a / (1 - a * spread) * change[0] * change[1]

    def variances(self, at: IntArray) -> tuple[FloatArray, FloatArray]:
        """(b,) entries of the diagonal of K, and by how much each may be off: not at all."""
        return self.variance[at], np.zeros(len(at))

    def entries(self, i: IntArray, j: IntArray) -> FloatArray:
        """(k,) entries of K at pairs, by a solve for every distinct vertex on the side that has fewer."""
        if len(np.unique(j)) < len(np.unique(i)):
            i, j = j, i
        sources, which = np.unique(i, return_inverse=True)
        out = np.empty(len(i))
        for first in range(0, len(sources), PANEL):
            rows = self.rows(sources[first : first + PANEL])
            here = np.flatnonzero((which >= first) & (which < first + len(rows)))
            out[here] = rows[which[here] - first, j[here]]
        return out

    def correlate(self, noise: FloatArray) -> FloatArray:
        """Draws (n, b) made of standard normals (n, b)."""
        return self._factor.correlate(np.ascontiguousarray(noise))[self.order.position]

    def energy(self, x: FloatArray) -> FloatArray:
        """(b,) xᵀ·J·x of the columns of x (n, b)."""
        return energy(self.diagonal, self.edges, self.strength, x)


def diagonal_with(diagonal: FloatArray, edges: IntArray, strength: FloatArray) -> FloatArray:
    """(n,) the whole diagonal of J: h, and the strengths of the edges at each vertex."""
    total = diagonal.astype(np.float64)
    for end in edges.T:
        total += np.bincount(end, strength, len(diagonal))
    return total


def energy(diagonal: FloatArray, edges: IntArray, strength: FloatArray, x: FloatArray) -> FloatArray:
    """(b,) xᵀ·J·x of the columns of x (n, b)."""
    i, j = edges.T
    own = (diagonal[:, None] * x**2).sum(axis=0)
    return np.asarray(own + (strength[:, None] * (x[i] - x[j]) ** 2).sum(axis=0))


def elimination_of(n_vertices: int, edges: IntArray) -> Elimination:
    """An order for the graph; refused before it takes memory that there is not."""
    try:
        return eliminate(n_vertices, edges, matrices=2)
    except TooLargeError as error:
        raise PosteriorError(
            f"the exact joint on this graph needs {error.need / 1e9:.1f} GB of memory, and "
            f"{error.free / 1e9:.1f} GB are free: its dense core has {error.core_size:,} vertices. Use fewer "
            "vertices or edges, more memory, or GraphGaussian's solver='local', which keeps no such matrix."
        ) from None
