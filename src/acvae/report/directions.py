"""What a page goes by where a model learns links: the directions of the means, not distances."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from acvae.clustering import directions as directions_of
from acvae.methods import METHODS
from acvae.report.entry import Entry

__all__ = ["directions"]


def directions(entry: Entry) -> npt.NDArray[np.float32] | None:
    """Unit vectors (n, d) of the centred means; None where distances are what the model goes by."""
    method = METHODS.get(entry.model)
    return None if method is None or not method.learns_links else directions_of(entry.posterior)
