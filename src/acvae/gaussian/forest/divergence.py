"""Divergence of a joint Gaussian from another, which is on a forest.

It is a sum over vertices and edges. The density of p factors along p's own forest, so KL(q ‖ p) asks q for
pairs that are edges of p only.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.forests.rooted import RootedForest

__all__ = ["kl_divergence", "log_one_minus_square"]

FloatArray = npt.NDArray[np.float64]


def log_one_minus_square(correlation: npt.NDArray[Any]) -> FloatArray:
    """log(1 − ρ²), without squaring a ρ that is close to one."""
    rho = correlation.astype(np.float64)
    return np.asarray(np.log1p(-rho) + np.log1p(rho))


def kl_divergence(
    gap: FloatArray,
    scale: FloatArray,
    own_log_determinant: float,
    forest: RootedForest,
    correlation: npt.NDArray[Any],
    own_along: npt.NDArray[Any],
) -> float:
    """KL(q ‖ p) in the coordinates in which every vertex is standard normal under p.

    With y = (z − μ_p)/σ_p, q has means δ = (μ_q − μ_p)/σ_p and standard deviations t = σ_q/σ_p, and

        KL = ½·Σ_roots (δ² + t² − 1) + ½·Σ_edges [E_q(y_c − ρ·y_a)²/(1 − ρ²) − 1 + log(1 − ρ²)]
             − Σ_i log t_i − ½·log det R_q

    over the roots and the edges (child c, parent a, correlation ρ) of p's forest.

    Parameters
    ----------
    gap, scale
        δ and t, (n, d).
    own_log_determinant
        log det R_q, of q's correlations, summed over dimensions.
    forest, correlation
        p's forest, and (m_p, d) along it.
    own_along
        (m_p, d) correlations that q has along p's edges.
    """
    root = forest.vertex[forest.parent < 0]
    below = np.flatnonzero(forest.parent >= 0)
    child, above, edge = forest.vertex[below], forest.vertex[forest.parent[below]], forest.edge[below]
    rho, r = correlation[edge].astype(np.float64), own_along[edge].astype(np.float64)
    size = np.abs(rho)
    # Var(t_c·u − ρ·t_a·v) with corr(u, v) = r, as a sum of terms that are not negative.
    spread = (scale[child] - size * scale[above]) ** 2
    spread += 2 * size * scale[child] * scale[above] * (1 - np.sign(rho) * r)
    square = ((gap[child] - rho * gap[above]) ** 2 + spread) / ((1 - rho) * (1 + rho))
    at_roots = (gap[root] ** 2 + scale[root] ** 2 - 1).sum()
    along_edges = (square - 1 + log_one_minus_square(rho)).sum()
    own = np.log(scale).sum() + 0.5 * own_log_determinant
    return float(0.5 * (at_roots + along_edges) - own)
