"""Complete linkage in as much memory as is allowed, exact whatever that is.

What fits is merged in memory. Otherwise each cluster gets a list of its nearest, all merges that these make
certain are made, and so on with the fewer clusters that are left, until their distances fit. Complete linkage
may be done in this order, because a merge only makes distances grow: two clusters nearest to each other stay
so until they are merged.
"""

import numpy as np
import numpy.typing as npt

from acvae._linkage.candidates import merge_certain, nearest_lists
from acvae._linkage.condensed import merge_condensed
from acvae._linkage.merges import Merges
from acvae._linkage.rows import ClusterDistances
from acvae._linkage.tree import linkage_matrix
from acvae.posterior import Posterior

__all__ = ["complete_linkage", "condensed_bytes"]

LEAST_NEAREST, MOST_NEAREST = 16, 1024  # length of a list: longer ones cost more than another round


def condensed_bytes(m: int, dtype: np.dtype[np.floating]) -> int:
    """Memory that the distances of all pairs among m take."""
    return m * (m - 1) // 2 * dtype.itemsize


def complete_linkage(posterior: Posterior, memory: int, *, progress: bool = False) -> npt.NDArray[np.float64]:
    """SciPy linkage matrix of two vertices or more, with at most `memory` bytes of distances at a time.

    However little is allowed, 16 nearest clusters of each vertex are held.
    """
    n, dtype = posterior.n_vertices, posterior.mean.dtype
    entry = dtype.itemsize + 4  # a distance and a number
    memory = max(memory, n * LEAST_NEAREST * entry)
    merges = Merges(n)
    while True:
        roots = merges.roots
        m = len(roots)
        clusters = ClusterDistances(posterior, merges.labels(), m)
        if condensed_bytes(m, dtype) <= memory:
            break
        length = min(memory // (m * entry), MOST_NEAREST)
        merge_certain(merges, nearest_lists(clusters, roots, length, progress=progress))
    made = merges.nodes - n
    sides, height = merges.first[merges.sides[:made]], merges.height[:made]
    rest, heights = merge_condensed(clusters.condensed(progress=progress), m, progress=progress)
    return linkage_matrix(
        np.concatenate([sides, merges.first[roots][rest]]), np.concatenate([height, heights])
    )
