"""A Gaussian on a graph without one of its edges, exactly, for a batch of edges at once.

An edge (i, j) adds to the precision J a symmetric 2×2 block Δ on S = (i, j). Without it

    K′ = K + K_·S·U·K_S·,   U = (I − Δ·K_SS)⁻¹·Δ,   m′ = m + K_·S·U·m_S,

as h in m = K·h does not know of the edge. Rows i and j of K are all that is needed: with all vertices as
candidates, whole rows of K′ and its whole diagonal. Two kinds of edges:

    Laplacian, strength a:    Δ = a·[[1, −1], [−1, 1]]                         (rank one)
    correlation ρ, weight w:  Δ = w/(1 − ρ²)·[[ρ², −ρ], [−ρ, ρ²]]              (rank two)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.exceptions import PosteriorError

__all__ = [
    "ROUNDING",
    "CandidatesLeftOut",
    "HeldOut",
    "edge_energy",
    "held_out_evidence",
    "laplacian_blocks",
    "leave_out",
    "without_rounding",
]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

# A mean that an edge alone made, as of a vertex without evidence, is zero without it. What rounding leaves of
# it points at the other end, and would tell the answer: a squared length below this share of what it was is
# zero.
ROUNDING = 1e-16


def laplacian_blocks(strength: FloatArray) -> FloatArray:
    """(b, 2, 2) what Laplacian edges of these strengths (b,) add to J."""
    return strength[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]])


def edge_energy(off_diagonal: FloatArray, weight: FloatArray) -> FloatArray:
    """What edges of weights w add to the diagonal of J, from what they add beside it.

    With o = −w·ρ/(1 − ρ²), w·ρ²/(1 − ρ²) = (√(w² + 4·o²) − w)/2, written so that nothing cancels.
    """
    return np.asarray(2 * off_diagonal**2 / (np.hypot(weight, 2 * off_diagonal) + weight))


def leave_out(block: FloatArray, own: FloatArray, other: FloatArray, between: FloatArray) -> FloatArray:
    """(b, 2, 2) U of each edge, from Δ (b, 2, 2) and K_ii, K_jj, K_ij (b,)."""
    inside = np.stack([own, between, between, other], axis=-1).reshape(-1, 2, 2)
    left = np.eye(2) - block @ inside
    if not (np.linalg.det(left) > 0).all():
        raise PosteriorError("without one of these edges the precision is not positive definite.")
    update = np.linalg.solve(left, block)
    return (update + update.transpose(0, 2, 1)) / 2


class CandidatesLeftOut(NamedTuple):
    """Of q times the same Gaussian, each without the edge (i, j) of a query, at c candidates k each."""

    own: FloatArray  # (q,) K′_ii
    other: FloatArray  # (q, c) K′_kk
    between: FloatArray  # (q, c) K′_ik
    own_pull: FloatArray  # (q, 2) K_iS·U, by which the mean of i moves with those of the ends
    pull: FloatArray  # (q, c, 2) K_kS·U

    @classmethod
    def of(
        cls,
        rows: FloatArray,
        places: IntArray,
        ends: IntArray,
        candidates: IntArray,
        variance: FloatArray,
        block: FloatArray,
    ) -> CandidatesLeftOut:
        """From rows (u, n) of K, the `places` (q, 2) of the ends' among them, and Δ (q, 2, 2) of each edge.

        Δ may be zero, and both ends the same: then nothing is taken away.
        """
        i, j = ends.T
        at_i, at_j = places.T
        update = np.zeros(block.shape)
        real = np.flatnonzero(block.any(axis=(1, 2)))
        between = rows[at_i[real], j[real]]
        update[real] = leave_out(block[real], variance[i[real]], variance[j[real]], between)
        to_ends = np.stack([rows[at_i, i], rows[at_j, i]], axis=-1)  # K_iS
        others = np.stack([rows[at_i[:, None], candidates], rows[at_j[:, None], candidates]], axis=-1)
        own_pull = (to_ends[:, None, :] @ update)[:, 0]
        pull = others @ update
        return cls(
            variance[i] + (own_pull * to_ends).sum(axis=-1),
            variance[candidates] + (pull * others).sum(axis=-1),
            others[..., 0] + (others * own_pull[:, None, :]).sum(axis=-1),
            own_pull,
            pull,
        )

    @property
    def correlation(self) -> FloatArray:
        """(q, c) of i and each k."""
        rho = self.between / np.sqrt(self.own[:, None] * self.other)
        return np.clip(rho, -1.0, 1.0)

    def means(self, mean: FloatArray, ends: IntArray, candidates: IntArray) -> tuple[FloatArray, FloatArray]:
        """(q, d) and (q, c, d) means of i and each k without the edge, from m (n, d): m′ = m + K_·S·U·m_S."""
        at_ends = mean[ends]  # (q, 2, d)
        own = mean[ends[:, 0]] + (self.own_pull[:, None, :] @ at_ends)[:, 0]
        other = mean[candidates] + self.pull @ at_ends
        return own, other


def without_rounding(after: FloatArray, before: FloatArray) -> FloatArray:
    """Means (..., d) `after`, zero where they are nothing but rounding of those `before`."""
    left = (after**2).sum(axis=-1, keepdims=True) > ROUNDING * (before**2).sum(axis=-1, keepdims=True)
    return np.where(left, after, 0.0)


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
