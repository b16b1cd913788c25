"""All numbers of a pair that GraphGaussian reads links from.

per scale: log correlation, cosine of the means           (`scales`)
log walk                                                  (`walk`)
shared neighbours                                         (`neighbourhood`)
paths of two and of three steps                           (`paths`)
cosine of the evidence; company of k, company of i        (where there is evidence)
mean of neighbours' log degrees, log degree, of i and of k (`degrees`)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.adjacency import adjacency
from acvae.gaussian.graph.rows import CovarianceRows
from acvae.gaussian.graph.solver import ExactSolver, Solver
from acvae.links.statistics.cosines import pair_cosines
from acvae.links.statistics.degrees import Degrees
from acvae.links.statistics.neighbourhood import Company, SharedNeighbours, likest
from acvae.links.statistics.paths import Paths
from acvae.links.statistics.scales import Scale, ScaleStatistics
from acvae.links.statistics.walk import Walk

__all__ = ["GraphStatistics"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[np.float32]

PANEL = 256  # rows held at a time where pairs are looked up in them, or queries


class GraphStatistics:
    """The F numbers of pairs of vertices.

    Parameters
    ----------
    scales, labels
        The Gaussians given the evidence, and what to call each.
    edges, weight
        (m, 2) and (m,) those of the graph; weights are one on average.
    unit
        (n, d) the evidence of all vertices as `unit_rows`; d may be zero.
    alike
        F of `neighbourhood.likest`, if it is known already.
    solver
        Makes the Gaussian that the graph's own walk needs; by default exact.
    """

    kind = "graph"

    def __init__(
        self,
        scales: tuple[Scale, ...],
        labels: tuple[str, ...],
        edges: IntArray,
        weight: FloatArray,
        unit: Array,
        *,
        alike: sp.csr_array | None = None,
        solver: Solver | None = None,
    ) -> None:
        n = scales[0].gaussian.n_vertices
        self.labels = labels
        self.degrees: IntArray = np.bincount(edges.ravel(), minlength=n)
        self.scale_statistics = tuple(
            ScaleStatistics(scale, label) for scale, label in zip(scales, labels, strict=True)
        )
        self.solver = ExactSolver(n, edges) if solver is None else solver
        self.walk = Walk(n, edges, weight, self.solver)
        linked = _linked(n, edges)
        self.shared = SharedNeighbours(linked, self.degrees)
        self.paths = Paths(linked, self.degrees)
        self.of_degrees = Degrees(linked, self.degrees)
        self.unit = unit
        self.company: Company | None = None
        if unit.shape[1]:
            self.company = Company(linked, likest(unit) if alike is None else alike)
        of_evidence = () if self.company is None else ("cosine of the evidence", *self.company.names)
        self.names = (
            *(name for each in self.scale_statistics for name in each.names),
            *self.walk.names,
            *self.shared.names,
            *self.paths.names,
            *of_evidence,
            *self.of_degrees.names,
        )
        # Which way each number alone would rank; 0 cannot.
        self.signs = (*[1.0] * (len(self.names) - 4), *self.of_degrees.signs)
        # How many pairs of numbers tell the ends apart.
        self.directed = self.of_degrees.directed + (self.company is not None)

    @property
    def scales(self) -> tuple[Scale, ...]:
        """The Gaussians given the evidence."""
        return tuple(each.scale for each in self.scale_statistics)

    @property
    def alike(self) -> sp.csr_array | None:
        """(n, n) how alike those are that are likest by their evidence; None where there is none."""
        return None if self.company is None else self.company.alike

    @property
    def n_vertices(self) -> int:
        """How many vertices there are."""
        return len(self.degrees)

    @property
    def count(self) -> int:
        """F."""
        return len(self.names)

    def rows(self, at: IntArray) -> Array:
        """(b, n, F) of the vertices `at` with all."""
        out = np.empty((len(at), self.n_vertices, self.count), dtype=np.float32)
        for s, each in enumerate(self.scale_statistics):
            out[:, :, 2 * s : 2 * s + 2] = each.rows(at)
        f = 2 * len(self.scale_statistics)
        out[:, :, f] = self.walk.rows(at)
        out[:, :, f + 1] = self.shared.rows(at)
        out[:, :, f + 2 : f + 4] = self.paths.rows(at)
        if self.company is not None:
            out[:, :, f + 4] = self.unit[at] @ self.unit.T
            out[:, :, f + 5 : f + 7] = self.company.rows(at)
        out[:, :, -4:] = self.of_degrees.rows(at)
        return out

    def pairs(self, i: IntArray, j: IntArray) -> Array:
        """(k, F) of pairs, with both degrees as they are."""
        out = np.empty((len(i), self.count), dtype=np.float32)
        for s, each in enumerate(self.scale_statistics):
            out[:, 2 * s : 2 * s + 2] = each.pairs(i, j)
        out[:, 2 * len(self.scale_statistics)] = self.walk.pairs(i, j)
        sources, which = np.unique(i, return_inverse=True)
        for first in range(0, len(sources), PANEL):
            here = np.flatnonzero((which >= first) & (which < first + PANEL))
            self._neighbourhood(
                sources[first : first + PANEL], which[here] - first, i[here], j[here], out, here
            )
        return out

    def of(self, at: IntArray, rows: list[CovarianceRows], place: IntArray, j: IntArray) -> Array:
        """(k, F) of the vertices at[place] with j, from the `rows` of K of all `at`.

        Rows are those of the scales, and those of the walk.
        """
        i = at[place]
        out = np.empty((len(j), self.count), dtype=np.float32)
        for s, (each, own) in enumerate(zip(self.scale_statistics, rows, strict=False)):
            out[:, 2 * s : 2 * s + 2] = each.of(own, place, i, j)
        out[:, 2 * len(self.scale_statistics)] = self.walk.of(rows[-1], place, j)
        self._neighbourhood(at, place, i, j, out, np.arange(len(j)))
        return out

    def _neighbourhood(
        self, at: IntArray, place: IntArray, i: IntArray, j: IntArray, out: Array, where: IntArray
    ) -> None:
        """Write all numbers but those of Gaussians to the rows `where` of `out`; i is at[place]."""
        f = 2 * len(self.scale_statistics) + 1
        out[where, f] = self.shared.of(self.shared.sums(at), place, j)
        out[where, f + 1 : f + 3] = self.paths.of(at, place, j)
        if self.company is not None:
            out[where, f + 3] = pair_cosines(self.unit, i, j)
            out[where, f + 4 : f + 6] = self.company.of(self.company.sums(at), place, j)
        out[where, -4:] = self.of_degrees.pairs(i, j)

    def without(
        self,
        at: IntArray,
        first_rows: CovarianceRows,
        queries: IntArray,
        edge: IntArray | None,
        candidates: IntArray,
        dtype: npt.DTypeLike = np.float32,
    ) -> npt.NDArray[Any]:
        """(q, c, F) of i with its candidates (q, c), had the edge (i, j) of each query not been there.

        Query q is (i, j), with its `edge` (q,) among the graph's; without edges, all is as it is. `at` (u,)
        are the ends of all queries, sorted, and `first_rows` their rows of K at the first scale. All
        but the cosine of the evidence, which knows no edge, is in double precision before it is `dtype`.
        """
        places = np.searchsorted(at, queries)
        out = np.empty((*candidates.shape, self.count), dtype=dtype)
        for s, each in enumerate(self.scale_statistics):
            gaussian = each.scale.gaussian
            rows = gaussian.some_rows(at) if s else first_rows
            strength = None if edge is None else gaussian.strength[edge]
            out[:, :, 2 * s : 2 * s + 2] = each.without(rows, places, queries, strength, candidates)
        first = 2 * len(self.scale_statistics)
        out[:, :, first:] = self.without_beside_scales(at, queries, edge, candidates, dtype)
        return out

    def without_beside_scales(
        self,
        at: IntArray,
        queries: IntArray,
        edge: IntArray | None,
        candidates: IntArray,
        dtype: npt.DTypeLike = np.float32,
    ) -> npt.NDArray[Any]:
        """(q, c, F − 2·scales) as `without`, but for the numbers of the scales."""
        places = np.searchsorted(at, queries)
        out = np.empty((*candidates.shape, self.count - 2 * len(self.scale_statistics)), dtype=dtype)
        rows = self.walk.gaussian.some_rows(at)
        out[:, :, 0] = self.walk.without(rows, places, queries, edge, candidates)
        out[:, :, 1] = self.shared.without(at, places, queries, candidates)
        out[:, :, 2:4] = self.paths.without(at, places, queries, candidates)
        if self.company is not None:
            for first in range(0, len(queries), PANEL):
                part = slice(first, first + PANEL)
                own = self.unit[queries[part, 0], :, None]
                out[part, :, 4] = np.matmul(self.unit[candidates[part]], own)[:, :, 0]
            out[:, :, 5:7] = self.company.without(at, places, queries, candidates)
        out[:, :, -4:] = self.of_degrees.without(at, places, queries, candidates)
        return out


def _linked(n: int, edges: IntArray) -> sp.csr_array:
    pointer, neighbours, _ = adjacency(n, edges)
    return sp.csr_array((np.ones(len(neighbours)), neighbours, pointer), shape=(n, n))
