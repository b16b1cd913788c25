"""Five numbers of a pair under any posterior.

    log E‖z_i − z_k‖²,   mean correlation ρ̄_ik,   cosine of the means,   log(1 + degree) of both ends

ρ̄ = Σ σ_i·σ_k·ρ_ik/Σ σ_i·σ_k, over dimensions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.gaussian.distance_matrix import DistanceMatrix
from acvae.gaussian.left_out import pairs_left_out
from acvae.gaussian.posterior import Posterior

__all__ = ["PosteriorStatistics", "stretch"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[np.float32]

TINY = 1e-12  # of squared distances and lengths
SMALL = 1e-3  # correlations below this count as they are, those above by their logarithm
PAIRS_AT_A_TIME = 100_000


class PosteriorStatistics:
    """The five numbers of pairs under a posterior; `degrees` (n,) are those of the graph."""

    names = (
        "log expected distance",
        "mean correlation, log scale",
        "cosine of means",
        "log degree of i",
        "log degree of j",
    )
    kind = "posterior"
    directed = 1  # only the degrees tell the ends apart
    signs: tuple[float, ...] = (-1.0, 1.0, 1.0, 0.0, 1.0)  # which way each alone would rank; 0 cannot

    def __init__(self, posterior: Posterior, degrees: IntArray) -> None:
        self.posterior, self.degrees = posterior, degrees
        mean, std = posterior.mean, posterior.std
        # Distances do not change when all means move together; centred, less is lost to cancellation.
        self._centred = mean - mean.mean(axis=0)
        self._square = (self._centred**2).sum(axis=1)
        self._spread = (std**2).sum(axis=1)
        length = np.sqrt((mean.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
        self._unit = np.where(length**2 > TINY, mean / np.maximum(length, TINY), 0.0).astype(mean.dtype)
        # With means of zero, expected distances are what spreads and correlations make of them.
        self._around = DistanceMatrix(np.zeros_like(mean), std, posterior.joint)

    @property
    def n_vertices(self) -> int:
        """How many vertices there are."""
        return self.posterior.n_vertices

    @property
    def count(self) -> int:
        """F."""
        return len(self.names)

    def rows(self, at: IntArray) -> Array:
        """(b, n, F) of the vertices `at` with all."""
        around = self._around.all_columns(at)
        gap = self._square[at, None] + self._square - 2 * (self._centred[at] @ self._centred.T)
        std = self.posterior.std
        rho = (self._spread[at, None] + self._spread - around) / (2 * (std[at] @ std.T))
        out = np.empty((len(at), self.n_vertices, self.count), dtype=np.float32)
        out[:, :, 0] = np.log(np.maximum(np.maximum(gap, 0) + around, TINY))
        out[:, :, 1] = stretch(rho)
        out[:, :, 2] = self._unit[at] @ self._unit.T
        out[:, :, 3] = np.log1p(self.degrees[at])[:, None]
        out[:, :, 4] = np.log1p(self.degrees)
        return out

    def pairs(self, i: IntArray, j: IntArray) -> Array:
        """(k, F) of pairs."""
        out = np.empty((len(i), self.count), dtype=np.float32)
        mean, std = self.posterior.mean, self.posterior.std
        for first in range(0, len(i), PAIRS_AT_A_TIME):
            part = slice(first, first + PAIRS_AT_A_TIME)
            a, b = i[part], j[part]
            rho = self.posterior.pair_correlation(a, b)
            m_a, m_b, s_a, s_b = (t[at].astype(np.float64) for t in (mean, std) for at in (a, b))
            out[part, :3] = _of_marginals(m_a, m_b, s_a, s_b, rho)
        out[:, 3], out[:, 4] = np.log1p(self.degrees[i]), np.log1p(self.degrees[j])
        return out

    def without(self, ends: IntArray, candidates: IntArray, *, removed: bool) -> Array:
        """(q, c, F) of i with its candidates (q, c), had the edge of the `ends` (i, j) (q, 2) not been there.

        Without `removed`, all is as it is.
        """
        i, j = ends.T
        kept = ends if removed else np.stack([i, i], axis=1)
        left = pairs_left_out(self.posterior.joint, kept, candidates, self.posterior.mean, self.posterior.std)
        out = np.empty((*candidates.shape, self.count), dtype=np.float32)
        out[:, :, :3] = _of_marginals(
            left.mean[:, None], left.other_mean, left.std[:, None], left.other_std, left.correlation
        )
        less = int(removed)
        out[:, :, 3] = np.log1p(self.degrees[i] - less)[:, None]
        out[:, :, 4] = np.log1p(self.degrees[candidates] - less * (candidates == j[:, None]))
        return out


def stretch(correlation: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Correlations on a scale that is logarithmic but for the smallest, and keeps their sign."""
    return np.asarray(np.arcsinh(correlation / SMALL))


def _of_marginals(
    mean: FloatArray, other_mean: FloatArray, std: FloatArray, other_std: FloatArray, rho: FloatArray
) -> FloatArray:
    """(..., 3) of pairs from marginals and correlations (..., d)."""
    both = std * other_std
    distance = ((mean - other_mean) ** 2 + (std - other_std) ** 2 + 2 * both * (1 - rho)).sum(axis=-1)
    lengths = (mean**2).sum(axis=-1) * (other_mean**2).sum(axis=-1)
    told = ((mean**2).sum(axis=-1) > TINY) & ((other_mean**2).sum(axis=-1) > TINY)
    cosine = (mean * other_mean).sum(axis=-1) / np.sqrt(np.where(told, lengths, 1.0))
    correlation = (both * rho).sum(axis=-1) / both.sum(axis=-1)
    return np.stack(
        [np.log(np.maximum(distance, TINY)), stretch(correlation), np.where(told, cosine, 0.0)], axis=-1
    )
