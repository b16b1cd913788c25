"""Hierarchical clustering on exact expected distances."""

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._checks import whole_number
from acvae.exceptions import OptionError
from acvae.posterior import Posterior

__all__ = ["cluster", "linkage"]


def linkage(posterior: Posterior) -> npt.NDArray[np.float64]:
    """SciPy linkage matrix (n − 1, 4) of complete linkage on the expected distances.

    The one place that needs all pairs at once: complete linkage takes n(n − 1)/2 numbers of memory.
    """
    from scipy.cluster import hierarchy

    n = posterior.n_vertices
    if n < 2:
        raise OptionError(f"clustering needs at least two vertices, got {n}.")
    condensed = np.empty(n * (n - 1) // 2, dtype=np.float64)
    inverse = np.empty(n, dtype=np.int64)
    for rows, columns, block in posterior.distance_blocks():
        inverse[columns] = np.arange(n)
        for row, i in zip(block, rows.tolist(), strict=True):
            start = i * n - i * (i + 1) // 2  # entries (i, i + 1) … (i, n − 1)
            condensed[start : start + n - 1 - i] = row[inverse[i + 1 :]]
    tree: npt.NDArray[Any] = hierarchy.linkage(condensed, method="complete")
    return tree


def cluster(posterior: Posterior, k: int = 5) -> npt.NDArray[np.int64]:
    """Labels (n,) in 0 … k−1: complete linkage on exact expected distances, cut into k clusters."""
    from scipy.cluster import hierarchy

    k = whole_number("k", k, minimum=1)
    if k > posterior.n_vertices:
        raise OptionError(f"cannot make {k} clusters of {posterior.n_vertices} vertices.")
    if k == 1 or posterior.n_vertices == 1:
        return np.zeros(posterior.n_vertices, dtype=np.int64)
    return hierarchy.cut_tree(linkage(posterior), n_clusters=k).ravel().astype(np.int64)
