"""The clusters of a run: by direction or by distance, whichever its model goes by."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from acvae.clustering import MEMORY, cluster, cluster_directions, have_directions
from acvae.gaussian.posterior import Posterior
from acvae.methods import Method

__all__ = ["clusters_by", "clusters_of"]


def clusters_by(method: Method, posterior: Posterior) -> str:
    """ "direction" for a model that learns links, if it has directions; else "distance"."""
    return "direction" if method.learns_links and have_directions(posterior) else "distance"


def clusters_of(
    posterior: Posterior, k: int, by: str, *, memory: int = MEMORY, progress: bool = False
) -> npt.NDArray[np.int64]:
    """Labels (n,); `memory` and `progress` are those of `acvae.cluster`."""
    if by == "direction":
        return cluster_directions(posterior, k)
    return cluster(posterior, k, memory=memory, progress=progress)
