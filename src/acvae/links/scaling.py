"""Scores turned to log-odds by what fits a convex loss of these best.

A line, a·s + b, is Platt's scaling. A rising line of pieces bends where the line would be wrong at both ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

__all__ = ["fit_curve", "fit_line", "merged"]

FloatArray = npt.NDArray[np.float64]
OfLogOdds = Callable[[FloatArray], npt.NDArray[Any]]

CELLS = 20_000  # between the smallest and the largest score, of which those in one count as their mean
CLOSE = 1e-8  # largest slope, relative to that at log-odds of zero, at which the line is good enough
FLATTEST = 0.01  # slope of a piece, relative to that of the line


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


def fit_curve(
    scores: npt.ArrayLike,
    weight: FloatArray,
    at: FloatArray,
    loss: OfLogOdds,
    slope: OfLogOdds,
) -> FloatArray:
    """Values (k,) at knots `at` (k,) of a line of pieces that rises everywhere, as `fit_line` for the rest.

    The pieces' slopes are bounded below by a share FLATTEST of the line's, which has to rise.
    """
    s = np.asarray(scores, dtype=np.float64)
    a, b = fit_line(s, weight, loss, slope)
    if not a > 0:
        raise ValueError("the scores do not rise with the log-odds.")
    knot = a * np.asarray(at, dtype=np.float64) + b  # in log-odds by the line, so that slopes are about 1
    z = a * s + b
    piece = np.clip(np.searchsorted(knot, z, side="right") - 1, 0, len(knot) - 2)
    beyond = z - knot[piece]
    width = np.diff(knot)
    size = float(weight @ np.abs(slope(np.zeros_like(z)))) or 1.0

    def values(part: FloatArray) -> FloatArray:
        return np.asarray(part[0] + np.concatenate([[0.0], np.cumsum(part[1:] * width)]))

    def total(part: FloatArray) -> tuple[float, FloatArray]:
        f = values(part)[piece] + part[1:][piece] * beyond
        down = weight * slope(f)
        by_piece = np.bincount(piece, down, len(width))
        after = by_piece.sum() - np.cumsum(by_piece)  # what lies beyond a piece moves by all its width
        own = np.bincount(piece, down * beyond, len(width))
        return float(weight @ loss(f)) / size, np.concatenate([[by_piece.sum()], own + after * width]) / size

    first = np.concatenate([knot[:1], np.ones(len(width))])
    bounds = [(None, None)] + [(FLATTEST, None)] * len(width)
    options = {"gtol": CLOSE, "ftol": 1e-14, "maxiter": 500, "maxcor": 20}
    return values(minimize(total, first, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x)


def merged(scores: npt.ArrayLike, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fewer scores that stand for many of one kind (k,), and their weights: what falls into a cell is one."""
    s = np.asarray(scores, dtype=np.float64)
    if len(s) <= CELLS:
        return s, weight
    low, high = s.min(), s.max()
    cell = ((s - low) * (CELLS / ((high - low) or 1.0))).astype(np.int64)
    total: FloatArray = np.bincount(cell, weight).astype(np.float64)
    some = total > 0
    return np.bincount(cell, weight * s)[some] / total[some], total[some]
