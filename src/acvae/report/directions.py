"""What a page goes by where a model learns links: the directions of the means, not distances.

Such a model reads links from angles and correlations. Its expected distances are mostly variances, which are
small for hubs and large for the rest, so that everybody's nearest vertices would be the same hubs.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from acvae.methods import METHODS
from acvae.report.entry import Entry

__all__ = ["directions"]


def directions(entry: Entry) -> npt.NDArray[np.float32] | None:
    """Unit vectors (n, d) of the centred means; None where distances are what the model goes by."""
    method = METHODS.get(entry.model)
    if method is None or not method.learns_links:
        return None
    mean = entry.posterior.mean.astype(np.float64)
    mean = mean - mean.mean(axis=0)
    length = np.linalg.norm(mean, axis=1, keepdims=True)
    return np.asarray(mean / np.where(length > 0, length, 1), dtype=np.float32)
