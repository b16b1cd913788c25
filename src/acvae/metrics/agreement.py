"""How well clusters agree with labels."""

import numpy as np
import numpy.typing as npt

from acvae._util.checks import choice
from acvae.exceptions import InputError

__all__ = ["nmi"]


def nmi(labels: npt.ArrayLike, other: npt.ArrayLike, normalizer: str = "arithmetic") -> float:
    """Normalised mutual information of two labellings, by the arithmetic or the geometric mean."""
    from sklearn.metrics import normalized_mutual_info_score

    choice("normalizer", normalizer, ("arithmetic", "geometric"))
    a, b = np.asarray(labels), np.asarray(other)
    if a.ndim != 1 or a.shape != b.shape:
        raise InputError(f"two labellings of the same points are needed, got shapes {a.shape} and {b.shape}.")
    return float(normalized_mutual_info_score(a, b, average_method=normalizer))
