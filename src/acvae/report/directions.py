"""What a page goes by where a model learns links: the directions of the means, not distances."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from acvae.clustering import directions as directions_of
from acvae.methods import METHODS
from acvae.report.entry import Entry
from acvae.runs.clusters import clusters_by

__all__ = ["directions"]


def directions(entry: Entry) -> npt.NDArray[np.float32] | None:
    """Unit vectors (n, d) of the centred means; None where distances are what the model goes by."""
    method = METHODS.get(entry.model)
    if method is None or clusters_by(method, entry.posterior) == "distance":
        return None
    return directions_of(entry.posterior)
