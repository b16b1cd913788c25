"""The numbers of a pair that its link is read from.

Per scale, a Gaussian on the graph: log correlation log(K_ik/√(K_ii·K_kk)), floored, and the cosine of the
means m_i and m_k. Beside them the log degrees of both ends, log(1 + degree).
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.threads import over_ranges
from acvae.gaussian.graph.laplacian import LaplacianGaussian

__all__ = ["FLOOR", "GraphStatistics", "Scale", "symmetric"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[np.float32]

FLOOR = 1e-5  # of correlations
TINY = 1e-12
# A vertex without evidence whose only edge is left out has a mean of zero. What rounding leaves of it points
# at the other end, and would tell the answer; so a squared length below this share of what it was is zero.
ROUNDING = 1e-16


class Scale(NamedTuple):
    """One group of dimensions: the Gaussian given the evidence, and its mean."""

    gaussian: LaplacianGaussian
    mean: FloatArray  # (n, d)


class GraphStatistics:
    """Statistics of pairs of vertices under one or several scales; F = 2·scales + 2 of them.

    `degrees` (n,) are those of the graph; they enter as log(1 + degree).
    """

    def __init__(
        self, scales: tuple[Scale, ...], degrees: IntArray, labels: tuple[str, ...] | None = None
    ) -> None:
        self.scales, self.degrees = scales, degrees
        self._unit = [_unit(scale.mean) for scale in scales]
        names = labels or tuple(str(s + 1) for s in range(len(scales)))
        kinds = ("log correlation", "cosine of means")
        own = [f"{kind}, scale {name}" for name in names for kind in kinds]
        self.names = (*own, "log degree of i", "log degree of j")

    @property
    def n_vertices(self) -> int:
        """How many vertices there are."""
        return len(self.degrees)

    @property
    def count(self) -> int:
        """F."""
        return 2 * len(self.scales) + 2

    def rows(self, at: IntArray) -> Array:
        """(b, n, F) of the vertices `at` with all."""
        out = np.empty((len(at), self.n_vertices, self.count), dtype=np.float32)
        for s, (scale, unit) in enumerate(zip(self.scales, self._unit, strict=True)):
            out[:, :, 2 * s] = _log_correlation(scale.gaussian.rows(at), scale.gaussian.variance, at)
            out[:, :, 2 * s + 1] = unit[at] @ unit.T
        out[:, :, -2] = np.log1p(self.degrees[at])[:, None]
        out[:, :, -1] = np.log1p(self.degrees)
        return out

    def pairs(self, i: IntArray, j: IntArray) -> Array:
        """(k, F) of pairs, with both degrees as they are."""
        out = np.empty((len(i), self.count), dtype=np.float32)
        for s, (scale, unit) in enumerate(zip(self.scales, self._unit, strict=True)):
            own = scale.gaussian.variance
            rho = scale.gaussian.entries(i, j) / np.sqrt(own[i] * own[j])
            out[:, 2 * s] = np.log(np.maximum(rho, FLOOR))
            out[:, 2 * s + 1] = (unit[i] * unit[j]).sum(axis=1)
        out[:, -2], out[:, -1] = np.log1p(self.degrees[i]), np.log1p(self.degrees[j])
        return out

    def scale_without(
        self,
        s: int,
        rows: FloatArray,
        at: IntArray,
        queries: IntArray,
        strength: FloatArray,
        candidates: IntArray,
    ) -> Array:
        """(q, c, 2) log correlation and cosine at scale s, without the edge of each query.

        Query (i, j) asks for i with its candidates (q, c), had the edge (i, j) of this strength (q,) not been
        there; a strength of zero leaves all as it is. `rows` (u, n) of K are those of the vertices `at` (u,),
        sorted, all ends of queries among them.
        """
        out = np.empty((*candidates.shape, 2), dtype=np.float32)
        scale = self.scales[s]
        places = np.searchsorted(at, queries)
        given = rows, places, queries, strength, candidates, scale.gaussian.variance, scale.mean, out
        over_ranges(lambda a, b: _without(*given, a, b), len(queries), at_least=32)
        return out

    def degrees_without(self, queries: IntArray, candidates: IntArray, removed: bool) -> Array:
        """(q, c, 2) log degrees of i and of each candidate, without the query's edge if `removed`."""
        out = np.empty((*candidates.shape, 2), dtype=np.float32)
        i, j = queries.T
        less = int(removed)
        out[:, :, 0] = np.log1p(self.degrees[i] - less)[:, None]
        out[:, :, 1] = np.log1p(self.degrees[candidates] - less * (candidates == j[:, None]))
        return out


def symmetric(x: Array) -> Array:
    """The same statistics for (i, j) and (j, i): sum and distance of the log degrees, the last two."""
    out = x.copy()
    out[..., -2] = x[..., -2] + x[..., -1]
    out[..., -1] = np.abs(x[..., -2] - x[..., -1])
    return out


def _unit(mean: FloatArray) -> Array:
    length = np.linalg.norm(mean, axis=1, keepdims=True)
    return np.where(length > TINY, mean / np.maximum(length, TINY), 0.0).astype(np.float32)


def _log_correlation(rows: FloatArray, variance: FloatArray, at: IntArray) -> Array:
    std = np.sqrt(variance)
    rows /= std[at, None]
    rows /= std
    rho = rows.astype(np.float32)
    np.maximum(rho, np.float32(FLOOR), out=rho)
    return np.log(rho, out=rho)


@numba.njit(cache=True, nogil=True)
def _without(
    rows: Any,
    places: Any,
    queries: Any,
    strength: Any,
    candidates: Any,
    variance: Any,
    mean: Any,
    out: Any,
    first: int,
    last: int,
) -> None:
    """Rank-one removal of an edge: K′ = K + s·u·uᵀ, m′ = m + s·u·(m_i − m_j), u = K_i − K_j."""
    d = mean.shape[1]
    own = np.empty(d)
    gap = np.empty(d)
    for q in range(first, last):
        i, j = queries[q, 0], queries[q, 1]
        row_i, row_j = rows[places[q, 0]], rows[places[q, 1]]
        a = strength[q]
        u_i, u_j = row_i[i] - row_j[i], row_i[j] - row_j[j]
        s = a / (1 - a * (u_i - u_j))
        var_i = row_i[i] + s * u_i * u_i
        length_i, before_i = 0.0, 0.0
        for x in range(d):
            before_i += mean[i, x] * mean[i, x]
            gap[x] = mean[i, x] - mean[j, x]
            own[x] = mean[i, x] + s * u_i * gap[x]
            length_i += own[x] * own[x]
        length_i = sqrt(length_i) if length_i > ROUNDING * before_i else 0.0
        for c in range(candidates.shape[1]):
            k = candidates[q, c]
            u_k = row_i[k] - row_j[k]
            rho = (row_i[k] + s * u_i * u_k) / sqrt(var_i * (variance[k] + s * u_k * u_k))
            out[q, c, 0] = log(max(rho, FLOOR))
            dot, length_k, before_k, shift = 0.0, 0.0, 0.0, s * u_k
            for x in range(d):
                before_k += mean[k, x] * mean[k, x]
                value = mean[k, x] + shift * gap[x]
                dot += value * own[x]
                length_k += value * value
            product = length_i * sqrt(length_k)
            out[q, c, 1] = dot / product if product > 0 and length_k > ROUNDING * before_k else 0.0
