"""Complete linkage in as much memory as is allowed, exact whatever that is.

What fits is merged in memory. Otherwise each cluster gets a list of its nearest, all merges that these make
certain are made, and so on with the fewer clusters that are left, until their distances fit. Complete linkage
may be done in this order, because a merge only makes distances grow: two clusters nearest to each other stay
so until they are merged. After lists that made few merges certain, rows of distances are asked for one by one
for a while.
"""

from math import isqrt

import numpy as np
import numpy.typing as npt

from acvae.clustering.candidates import merge_certain, nearest_lists
from acvae.clustering.cluster_distances import ClusterDistances
from acvae.clustering.condensed import merge_condensed
from acvae.clustering.merges import Merges
from acvae.clustering.on_demand import merge_on_demand
from acvae.clustering.tree import linkage_matrix
from acvae.gaussian.posterior import Posterior

__all__ = ["complete_linkage"]

LEAST_NEAREST, MOST_NEAREST = 16, 1024  # length of a list: longer ones cost more than another round
FEW_MERGES = 0.25  # of the clusters: lists that make fewer certain are not worth another round


def complete_linkage(posterior: Posterior, memory: int, *, progress: bool = False) -> npt.NDArray[np.float64]:
    """SciPy linkage matrix of two vertices or more, with at most `memory` bytes of distances at a time.

    However little is allowed, 16 nearest clusters of each vertex are held.
    """
    n, bytes_each = posterior.n_vertices, posterior.mean.dtype.itemsize
    entry = bytes_each + 4  # of a list: a distance and a number
    memory = max(memory, n * LEAST_NEAREST * entry)
    fitting = (1 + isqrt(1 + 8 * (memory // bytes_each))) // 2  # the largest m with m(m − 1)/2 distances
    merges = Merges(n)
    few = False
    while merges.left > fitting:
        m = merges.left
        clusters = ClusterDistances(posterior, merges.labels(), m)
        if few:
            merge_on_demand(merges, clusters, fitting, n, memory, progress=progress)
            few = False
        else:
            length = min(memory // (m * entry), MOST_NEAREST)
            merge_certain(merges, nearest_lists(clusters, merges.roots, length, progress=progress))
            few = m - merges.left < FEW_MERGES * m
    roots = merges.roots
    clusters = ClusterDistances(posterior, merges.labels(), len(roots))
    pairs, heights = merge_condensed(clusters.condensed(progress=progress), len(roots), progress=progress)
    made = merges.nodes - n
    return linkage_matrix(
        np.concatenate([merges.first[merges.sides[:made]], merges.first[roots][pairs]]),
        np.concatenate([merges.height[:made], heights]),
    )
