"""A Gaussian on a graph without one of its edges, exactly, for a batch of edges at once.

An edge (i, j) adds to the precision J a symmetric 2×2 block Δ on S = (i, j). Without it

    K′ = K + K_·S·U·K_S·,   U = (I − Δ·K_SS)⁻¹·Δ,   m′ = m + K_·S·U·m_S,

as h in m = K·h does not know of the edge. Rows i and j of K are all that is needed. Two kinds of edges:

    Laplacian, strength a:    Δ = a·[[1, −1], [−1, 1]]                         (rank one)
    correlation ρ, weight w:  Δ = w/(1 − ρ²)·[[ρ², −ρ], [−ρ, ρ²]]              (rank two)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.exceptions import PosteriorError

__all__ = [
    "EdgesLeftOut",
    "HeldOut",
    "correlation_blocks",
    "degrees_without",
    "held_out_evidence",
    "laplacian_blocks",
    "leave_out",
]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def laplacian_blocks(strength: FloatArray) -> FloatArray:
    """(b, 2, 2) what Laplacian edges of these strengths (b,) add to J."""
    return strength[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]])


def correlation_blocks(correlation: FloatArray, weight: FloatArray) -> FloatArray:
    """(b, 2, 2) what the paper's edges of correlations and weights (b,) add to J."""
    rho = correlation
    own = np.stack([rho**2, -rho, -rho, rho**2], axis=-1).reshape(-1, 2, 2)
    return np.asarray((weight / ((1 - rho) * (1 + rho)))[:, None, None] * own)


def leave_out(block: FloatArray, own: FloatArray, other: FloatArray, between: FloatArray) -> FloatArray:
    """(b, 2, 2) U of each edge, from Δ (b, 2, 2) and K_ii, K_jj, K_ij (b,)."""
    inside = np.stack([own, between, between, other], axis=-1).reshape(-1, 2, 2)
    left = np.eye(2) - block @ inside
    if not (np.linalg.det(left) > 0).all():
        raise PosteriorError("without one of these edges the precision is not positive definite.")
    update = np.linalg.solve(left, block)
    return (update + update.transpose(0, 2, 1)) / 2


class EdgesLeftOut(NamedTuple):
    """b times the same Gaussian, each time without one edge (i, j).

    Made of rows i and j of K (b, n), the diagonal of K (n,), and U (b, 2, 2) of `leave_out`.
    """

    i: IntArray
    j: IntArray
    row_i: FloatArray
    row_j: FloatArray
    variance: FloatArray
    update: FloatArray

    @classmethod
    def of(
        cls,
        i: IntArray,
        j: IntArray,
        row_i: FloatArray,
        row_j: FloatArray,
        variance: FloatArray,
        block: FloatArray,
    ) -> EdgesLeftOut:
        """From the blocks Δ (b, 2, 2) that the edges add to J."""
        update = leave_out(block, variance[i], variance[j], row_i[np.arange(len(i)), j])
        return cls(i, j, row_i, row_j, variance, update)

    def rows(self, of: str = "i") -> FloatArray:
        """(b, n) row i (or j) of each K′."""
        b = np.arange(len(self.i))
        base, at = (self.row_i, self.i) if of == "i" else (self.row_j, self.j)
        share = np.stack([self.row_i[b, at], self.row_j[b, at]], axis=1)  # K_aS
        share = (share[:, None, :] @ self.update)[:, 0]
        return np.asarray(base + share[:, :1] * self.row_i + share[:, 1:] * self.row_j)

    def diagonals(self) -> FloatArray:
        """(b, n) diagonal of each K′."""
        u, x, y = self.update, self.row_i, self.row_j
        change = u[:, 0, 0, None] * x * x + 2 * u[:, 0, 1, None] * x * y + u[:, 1, 1, None] * y * y
        return np.asarray(self.variance + change)

    def entries(self, first: IntArray, second: IntArray, covariance: FloatArray) -> FloatArray:
        """(b, c) entries of each K′ at its pairs (b, c), from the `covariance` (b, c) that K has there."""
        b = np.arange(len(self.i))[:, None]
        left = np.stack([self.row_i[b, first], self.row_j[b, first]], axis=-1)
        right = np.stack([self.row_i[b, second], self.row_j[b, second]], axis=-1)
        return np.asarray(covariance + ((left @ self.update) * right).sum(axis=-1))

    def means(self, mean: FloatArray) -> FloatArray:
        """(b, n, d) each m′, from m (n, d)."""
        at_ends = np.stack([mean[self.i], mean[self.j]], axis=1)  # (b, 2, d)
        pull = self.update @ at_ends
        return np.asarray(
            mean + self.row_i[:, :, None] * pull[:, None, 0] + self.row_j[:, :, None] * pull[:, None, 1]
        )


def degrees_without(degrees: IntArray, i: IntArray, j: IntArray) -> IntArray:
    """(b, n) degrees without each edge."""
    out = np.tile(degrees, (len(i), 1))
    b = np.arange(len(i))
    out[b, i] -= 1
    out[b, j] -= 1
    return out


class HeldOut(NamedTuple):
    """What all the rest says of each vertex's evidence: N(mean, variance·I)."""

    mean: FloatArray  # (n, d)
    variance: FloatArray  # (n,)
    log_density: FloatArray  # (n,) of the evidence that was held out; 0 where there is none


def held_out_evidence(
    mean: FloatArray, variance: FloatArray, evidence: FloatArray, precision: FloatArray
) -> HeldOut:
    """Predictive density of each vertex's evidence r_i (n, d) without it.

    From the posterior mean m (n, d), K_ii (n,) and the precisions c (n,) of the evidence: without r_i,

        z_i ~ N((m_i − K_ii·c_i·r_i)/(1 − c_i·K_ii), K_ii/(1 − c_i·K_ii)),   r_i ~ N(z_i, 1/c_i).
    """
    rest = 1 - precision * variance
    without = (mean - (variance * precision)[:, None] * evidence) / rest[:, None]
    seen = precision > 0
    spread = variance / rest + np.divide(1, precision, out=np.zeros_like(variance), where=seen)
    square = ((evidence - without) ** 2).sum(axis=1) / spread
    density = -0.5 * (square + mean.shape[1] * np.log(2 * np.pi * spread))
    return HeldOut(without, spread, np.where(seen, density, 0.0))
