"""Two numbers a scale, which is a Gaussian on the graph given the evidence.

Log correlation log(K_ik/√(K_ii·K_kk)), floored, and the cosine of the means m_i and m_k.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.threads import over_ranges
from acvae.gaussian.graph.leave_one_out import laplacian_blocks
from acvae.gaussian.graph.rows import CovarianceRows
from acvae.gaussian.graph.solver import Gaussian
from acvae.links.statistics.cosines import pair_cosines

__all__ = ["FLOOR", "Scale", "ScaleStatistics", "unit_rows"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[np.float32]

FLOOR = 1e-5  # of correlations
TINY = 1e-12


class Scale(NamedTuple):
    """One group of dimensions: the Gaussian given the evidence, and its mean."""

    gaussian: Gaussian
    mean: FloatArray  # (n, d)


class ScaleStatistics:
    """Both numbers of pairs under one scale."""

    def __init__(self, scale: Scale, label: str) -> None:
        self.scale = scale
        self.unit = unit_rows(scale.mean)
        self.names = f"log correlation, scale {label}", f"cosine of means, scale {label}"

    def rows(self, at: IntArray) -> Array:
        """(b, n, 2) of the vertices `at` with all."""
        gaussian = self.scale.gaussian
        correlation = _log_correlation(gaussian.rows(at), gaussian.variance, at)
        return np.stack([correlation, self.unit[at] @ self.unit.T], axis=-1)

    def pairs(self, i: IntArray, j: IntArray) -> Array:
        """(k, 2) of pairs."""
        return self._of_entries(self.scale.gaussian.entries(i, j), i, j)

    def of(self, rows: CovarianceRows, place: IntArray, i: IntArray, j: IntArray) -> Array:
        """(k, 2) of pairs, from the `rows` of the first ends and their places among these."""
        return self._of_entries(rows[place, j], i, j)

    def _of_entries(self, covariance: FloatArray, i: IntArray, j: IntArray) -> Array:
        own = self.scale.gaussian.variance
        rho = covariance / np.sqrt(own[i] * own[j])
        cosine = pair_cosines(self.unit, i, j)
        return np.stack([np.log(np.maximum(rho, FLOOR)), cosine], axis=-1).astype(np.float32)

    def without(
        self,
        rows: CovarianceRows,
        places: IntArray,
        queries: IntArray,
        strength: FloatArray | None,
        others: IntArray,
    ) -> FloatArray:
        """(q, c, 2) of i with its candidates (q, c), without the edge (i, j) of each query.

        That edge has this `strength` (q,); without one all is as it is. Rows of K are those of the queries'
        ends, at `places` (q, 2).
        """
        out = np.empty((*others.shape, 2))
        gaussian, mean = self.scale
        ends = rows.ends(places, queries)
        answer = others == queries[:, 1:]
        row_i = np.where(answer, ends[:, 1:2], rows[places[:, :1], others])
        row_j = np.where(answer, ends[:, 2:], rows[places[:, 1:], others])
        between, s = row_i, np.zeros(len(queries))
        if strength is not None:
            between = gaussian.without(rows, places, queries, laplacian_blocks(strength), others)
            s = strength / gaussian.rest_without(ends, queries, strength)
        change = row_i - row_j
        given = between, change, ends, queries, s, others, gaussian.variance, mean, gaussian.rounding, out
        over_ranges(lambda a, b: _without(*given, a, b), len(queries), at_least=32)
        return out


def unit_rows(mean: FloatArray) -> Array:
    """Rows (n, d) scaled to length one; zero stays zero."""
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
    between: Any,
    change: Any,
    ends: Any,
    queries: Any,
    update: Any,
    candidates: Any,
    variance: Any,
    mean: Any,
    rounding: float,
    out: Any,
    first: int,
    last: int,
) -> None:
    """Rank-one removal of an edge: K′ = K + s·u·uᵀ, m′ = m + s·u·(m_i − m_j), u = K_i − K_j.

    `between` (q, c) are K′_ik, `change` (q, c) u_k, `update` (q,) s = a/(1 − a·(u_i − u_j)).
    """
    d = mean.shape[1]
    own = np.empty(d)
    gap = np.empty(d)
    for q in range(first, last):
        i, j = queries[q, 0], queries[q, 1]
        s, u_i = update[q], ends[q, 0] - ends[q, 1]
        var_i = ends[q, 0] + s * u_i * u_i
        length_i, before_i = 0.0, 0.0
        for x in range(d):
            before_i += mean[i, x] * mean[i, x]
            gap[x] = mean[i, x] - mean[j, x]
            own[x] = mean[i, x] + s * u_i * gap[x]
            length_i += own[x] * own[x]
        length_i = sqrt(length_i) if length_i > rounding * before_i else 0.0
        for c in range(candidates.shape[1]):
            k = candidates[q, c]
            u_k = change[q, c]
            rho = between[q, c] / sqrt(var_i * (variance[k] + s * u_k * u_k))
            out[q, c, 0] = log(max(rho, FLOOR))
            dot, length_k, before_k, shift = 0.0, 0.0, 0.0, s * u_k
            for x in range(d):
                before_k += mean[k, x] * mean[k, x]
                value = mean[k, x] + shift * gap[x]
                dot += value * own[x]
                length_k += value * value
            product = length_i * sqrt(length_k)
            out[q, c, 1] = dot / product if product > 0 and length_k > rounding * before_k else 0.0
