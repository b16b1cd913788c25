"""Density, divergence and conditioning of one joint Gaussian over all embeddings.

The joint has unit variances; means and standard deviations (n, d) are put in here.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.gaussian.far_points import log_density_anywhere
from acvae.gaussian.joint import Joint

__all__ = ["condition", "entropy", "expected_square", "kl_divergence", "log_prob"]

Array = npt.NDArray[Any]


def log_prob(joint: Joint, mean: Array, std: Array, points: Array) -> npt.NDArray[np.float64]:
    """Log density (...) at points (..., n, d)."""
    scale, shape = std.astype(np.float64), points.shape[:-2]
    with np.errstate(over="ignore"):
        standard = ((points - mean) / scale).reshape(math.prod(shape), *mean.shape)
    log_density = log_density_anywhere(joint, standard) - np.log(scale).sum()
    return log_density.reshape(shape)


def entropy(joint: Joint, std: Array) -> float:
    """½·log det(2πe·Σ), in nats."""
    own = 0.5 * std.size * (1 + math.log(2 * math.pi)) + np.log(std.astype(np.float64)).sum()
    return float(own + 0.5 * joint.log_determinant())


def kl_divergence(
    joint: Joint, mean: Array, std: Array, reference: Joint, of_mean: Array, of_std: Array
) -> float:
    """KL(joint ‖ reference); of the first only correlations along the second's links are needed."""
    scale = of_std.astype(np.float64)
    same = np.array_equal(joint.links, reference.links)
    along = joint.along_links() if same else joint.pairs(*np.ascontiguousarray(reference.links.T))
    gap = (mean.astype(np.float64) - of_mean) / scale
    return reference.divergence(gap, std / scale, along, joint.log_determinant())


def condition(
    joint: Joint, mean: Array, std: Array, ids: npt.NDArray[np.int64], points: Array
) -> tuple[npt.NDArray[np.int64], Array, Array, Any]:
    """Ids, means, standard deviations and joint of all other vertices, given the points (k, d) of some."""
    known = np.zeros(len(mean), dtype=np.bool_)
    known[ids] = True
    mean, std = mean.astype(np.float64), std.astype(np.float64)
    standard = np.zeros(mean.shape)
    standard[ids] = (points - mean[ids]) / std[ids]
    left_mean, left_std, left = joint.condition(known, standard)
    kept = np.flatnonzero(~known)
    return kept, mean[kept] + std[kept] * left_mean, std[kept] * left_std, left


def expected_square(gap: Array, si: Array, sj: Array, rho: Array) -> Array:
    """Σ_k gap² + σ_i² + σ_j² − 2·σ_i·σ_j·ρ over the last axis, written so that nothing large cancels."""
    distance: Array = (gap**2 + (si - sj) ** 2 + 2 * si * sj * (1 - rho)).sum(axis=-1)
    return distance
