"""Confidence intervals of shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["wilson"]

FloatArray = npt.NDArray[np.float64]

Z_95 = 1.959963984540054  # two-sided 95% of a normal


def wilson(hits: npt.NDArray[Any], total: npt.NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """95% interval of a share: the binomial probabilities whose score test does not reject it."""
    share, z2 = hits / total, Z_95**2
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = Z_95 / (1 + z2 / total) * np.sqrt(share * (1 - share) / total + z2 / (4 * total**2))
    return np.maximum(middle - half, 0), np.minimum(middle + half, 1)
