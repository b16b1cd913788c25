"""Clusters by direction: for models that read links from angles and correlations, not from distances.

The expected distances of such a model are mostly variances, small for hubs and large for the rest. Complete
linkage on them cuts off single vertices, and everybody's nearest vertices are the same hubs. Where a mean
points to, seen from the middle of all, is what the vertices of a community have in common.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import whole_number
from acvae.exceptions import OptionError
from acvae.gaussian.posterior import Posterior
from acvae.gaussian.rankings import need_posterior

__all__ = ["cluster_directions", "directions"]

STARTS = 10  # of k-means, of which the best is taken


def directions(posterior: Posterior) -> npt.NDArray[np.float32]:
    """(n, d) unit vectors of the means, less the mean of all; zero where a vertex has none."""
    mean = posterior.mean.astype(np.float64)
    mean = mean - mean.mean(axis=0)
    length = np.linalg.norm(mean, axis=1, keepdims=True)
    return np.asarray(mean / np.where(length > 0, length, 1), dtype=np.float32)


def cluster_directions(posterior: Posterior, k: int = 5, *, seed: int = 0) -> npt.NDArray[np.int64]:
    """Labels (n,) in 0 … k−1: k-means on the directions of the means.

    Clusters are numbered by their smallest vertices, as those of `acvae.cluster` are.
    """
    need_posterior("clustering", posterior)
    k = whole_number("k", k, minimum=1)
    if k > posterior.n_vertices:
        raise OptionError(f"cannot make {k} clusters of {posterior.n_vertices} vertices.")
    points = directions(posterior)
    distinct = len(np.unique(points, axis=0))
    if k > distinct:
        raise OptionError(
            f"cannot make {k} clusters by direction: the embeddings have only {distinct} different ones. "
            "`acvae.cluster` goes by distance."
        )
    from sklearn.cluster import KMeans

    found: npt.NDArray[Any] = KMeans(k, n_init=STARTS, random_state=seed).fit_predict(points)
    _, first, label = np.unique(found, return_index=True, return_inverse=True)
    rank = np.empty(k, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(k)
    return rank[label]
