"""A line through scores, a·s + b, that fits a convex loss of log-odds best: Platt's scaling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

__all__ = ["fit_line"]

FloatArray = npt.NDArray[np.float64]
OfLogOdds = Callable[[FloatArray], npt.NDArray[Any]]

CLOSE = 1e-8  # largest slope, relative to that at log-odds of zero, at which the line is good enough


def fit_line(
    scores: npt.ArrayLike, weight: FloatArray, loss: OfLogOdds, slope: OfLogOdds
) -> tuple[float, float]:
    """a and b for scores (k,) that weigh `weight` (k,), from a loss of log-odds (k,) and its derivative."""
    s = np.asarray(scores, dtype=np.float64)
    centre, spread = float(s.mean()), float(s.std()) or 1.0
    f = (s - centre) / spread  # a and b do not get into each other's way
    size = float(weight @ np.abs(slope(np.zeros_like(f)))) or 1.0

    def total(line: FloatArray) -> tuple[float, FloatArray]:
        z = line[0] * f + line[1]
        down = weight * slope(z)
        return float(weight @ loss(z)) / size, np.array([down @ f, down.sum()]) / size

    starts = (np.array([spread, centre]), np.zeros(2))  # the scores as they are, and none
    first = min(starts, key=lambda line: total(line)[0])
    a, b = minimize(total, first, jac=True, method="BFGS", options={"gtol": CLOSE, "maxiter": 200}).x
    return float(a) / spread, float(b) - float(a) * centre / spread
