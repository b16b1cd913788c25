"""How well clusters agree with labels."""

import numpy.typing as npt

from acvae._util.checks import as_labels, choice
from acvae.exceptions import InputError

__all__ = ["nmi"]


def nmi(labels: npt.ArrayLike, other: npt.ArrayLike, normalizer: str = "arithmetic") -> float:
    """Normalised mutual information of two labellings, by the arithmetic or the geometric mean."""
    from sklearn.metrics import normalized_mutual_info_score

    choice("normalizer", normalizer, ("arithmetic", "geometric"))
    a, b = as_labels("labels", labels), as_labels("other", other)
    if a.shape != b.shape or len(a) == 0:
        raise InputError(f"two labellings of the same points are needed, got shapes {a.shape} and {b.shape}.")
    return float(normalized_mutual_info_score(a, b, average_method=normalizer))
