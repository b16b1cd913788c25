"""The joint Gaussian on a forest in standardised coordinates: ancestral sampling and density.

A root is standard normal; a child given its parent is N(ρ·parent, 1 − ρ²), in each latent dimension.
"""

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae.forests.rooted import RootedForest

__all__ = ["log_density", "sample_from_noise"]


def sample_from_noise(
    forest: RootedForest, correlation: npt.NDArray[Any], noise: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """Turn independent standard normals (size, n, d) into draws from the joint, in place."""
    _correlate(forest.vertex, forest.parent, forest.edge, correlation, noise)
    return noise


def log_density(
    forest: RootedForest, correlation: npt.NDArray[Any], standard: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """(size,) log density of standardised points (size, n, d)."""
    n, d = standard.shape[1:]
    quadratic = _quadratic(forest.vertex, forest.parent, forest.edge, correlation, standard)
    rho = correlation.astype(np.float64)
    log_determinant = float(np.log1p(-rho).sum() + np.log1p(rho).sum())
    return -0.5 * (quadratic + log_determinant + n * d * np.log(2 * np.pi))


@numba.njit(cache=True, nogil=True)
def _correlate(vertex: Any, parent: Any, edge: Any, rho: Any, z: Any) -> None:
    d = z.shape[2]
    for s in range(len(z)):
        for at in range(len(vertex)):
            if parent[at] < 0:
                continue
            child, above, e = vertex[at], vertex[parent[at]], edge[at]
            for k in range(d):
                r = rho[e, k]
                z[s, child, k] = r * z[s, above, k] + np.sqrt((1 - r) * (1 + r)) * z[s, child, k]


@numba.njit(cache=True, nogil=True)
def _quadratic(vertex: Any, parent: Any, edge: Any, rho: Any, z: Any) -> Any:
    d = z.shape[2]
    out = np.zeros(len(z), dtype=np.float64)
    for s in range(len(z)):
        for at in range(len(vertex)):
            child = vertex[at]
            for k in range(d):
                if parent[at] < 0:
                    out[s] += z[s, child, k] ** 2
                else:
                    r = np.float64(rho[edge[at], k])
                    residual = z[s, child, k] - r * z[s, vertex[parent[at]], k]
                    out[s] += residual**2 / ((1 - r) * (1 + r))
    return out
