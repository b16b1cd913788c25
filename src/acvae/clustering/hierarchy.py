"""Hierarchical clustering on exact expected distances, in bounded memory."""

import numpy as np
import numpy.typing as npt

from acvae._util.checks import whole_number
from acvae._util.memory import available_memory
from acvae.clustering.complete import complete_linkage
from acvae.clustering.tree import cut
from acvae.exceptions import ClusterMemoryError, OptionError
from acvae.gaussian.posterior import Posterior
from acvae.gaussian.rankings import need_posterior

__all__ = ["cluster", "linkage"]

MEMORY = 1_000_000_000


def linkage(posterior: Posterior, *, memory: int = MEMORY, progress: bool = False) -> npt.NDArray[np.float64]:
    """SciPy linkage matrix (n − 1, 4) of complete linkage on the expected distances, exact.

    Where the n(n − 1)/2 distances are more than `memory` bytes, they are streamed several times, and at most
    so many bytes of them are held at once; blocks of 64 MB and what the posterior itself needs come on top.
    Only among equal distances, or distances that differ by rounding, can the tree depend on `memory`.

    Parameters
    ----------
    memory
        Bytes for distances, 1 GB unless told: enough for 22,361 vertices at once in single precision.
    progress
        Whether to show it on standard error.
    """
    n = need_posterior("clustering", posterior).n_vertices
    if n < 2:
        raise OptionError(f"clustering needs at least two vertices, got {n}.")
    memory = whole_number("memory", memory, minimum=1)
    needed = min(memory, n * (n - 1) // 2 * posterior.mean.dtype.itemsize)
    free = available_memory()
    if free is not None and needed > free:
        raise ClusterMemoryError(
            f"clustering would take {needed / 1e9:.1f} GB of memory for distances, but {free / 1e9:.1f} GB "
            "are free; allow it less by memory= in bytes."
        )
    return complete_linkage(posterior, memory, progress=progress)


def cluster(
    posterior: Posterior, k: int = 5, *, memory: int = MEMORY, progress: bool = False
) -> npt.NDArray[np.int64]:
    """Labels (n,) in 0 … k−1: complete linkage on exact expected distances, cut into k clusters.

    Clusters are numbered by their smallest vertices. `memory` and `progress` are those of
    `acvae.clustering.linkage`.
    """
    need_posterior("clustering", posterior)
    k = whole_number("k", k, minimum=1)
    memory = whole_number("memory", memory, minimum=1)
    if k > posterior.n_vertices:
        raise OptionError(f"cannot make {k} clusters of {posterior.n_vertices} vertices.")
    if k == 1 or posterior.n_vertices == 1:
        return np.zeros(posterior.n_vertices, dtype=np.int64)
    return cut(linkage(posterior, memory=memory, progress=progress), k)
