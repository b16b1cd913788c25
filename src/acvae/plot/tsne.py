"""t-SNE of some hundred to a few thousand points from their squared distances, exact, in compiled code.

The gradient is van der Maaten and Hinton's (2008) with all pairs repelling one another; affinities are kept
to the nearest three perplexities of each point, as van der Maaten (2014) has them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

__all__ = ["affinities", "tsne"]

FloatArray = npt.NDArray[np.float64]

ITERATIONS = 500
EARLY = 150  # iterations in which affinities are exaggerated
EXAGGERATION = 12.0
STEPS_BETWEEN_NEWS = 10


def tsne(
    squared: npt.NDArray[Any],
    start: FloatArray,
    *,
    perplexity: float = 30.0,
    iterations: int = ITERATIONS,
    advance: Callable[[float], None] = lambda share: None,
) -> FloatArray:
    """Places (m, 2) from squared distances (m, m) and a start (m, 2).

    `advance` is told the share of the work that was done since.
    """
    m = len(squared)
    perplexity = min(perplexity, (m - 1) / 3)
    p = affinities(squared, perplexity)
    place = start - start.mean(axis=0)
    place *= 1e-2 / max(float(place.std()), 1e-300)
    place = np.ascontiguousarray(place, dtype=np.float32)
    velocity, gain = np.zeros_like(place), np.ones_like(place)
    rate = max(m / EXAGGERATION / 4, 50.0)  # as Belkina and others (2019) advise
    for first in range(0, iterations, STEPS_BETWEEN_NEWS):
        steps = min(STEPS_BETWEEN_NEWS, iterations - first)
        exaggeration, momentum = (EXAGGERATION, 0.5) if first < EARLY else (1.0, 0.8)
        _descend(
            place, velocity, gain, p.indptr, p.indices, p.data.astype(np.float32),
            np.float32(exaggeration), np.float32(momentum), np.float32(rate), steps,
        )  # fmt: skip
        advance(steps / iterations)
    return place.astype(np.float64)


def affinities(squared: npt.NDArray[Any], perplexity: float) -> sp.csr_array:
    """Symmetric joint affinities (m, m) that sum to one.

    Row i is a softmax of −β_i·squared over its nearest 3·perplexity, with β_i such that its entropy is
    log perplexity.
    """
    m = len(squared)
    k = max(1, min(m - 1, round(3 * perplexity)))
    distance = np.array(squared, dtype=np.float64)
    np.fill_diagonal(distance, np.inf)
    near = np.argpartition(distance, k - 1, axis=1)[:, :k]
    gap = np.take_along_axis(distance, near, axis=1)
    gap -= gap.min(axis=1, keepdims=True)  # a constant in a row changes nothing
    weight = _calibrate(gap, np.log(perplexity))
    p = sp.csr_array((weight.ravel(), near.ravel(), np.arange(0, m * k + 1, k)), shape=(m, m))
    both = sp.csr_array(p + p.T)
    both.data /= both.data.sum()
    both.sort_indices()
    return both


def _calibrate(gap: FloatArray, entropy: float) -> FloatArray:
    """Softmax weights (m, k) of each row at the temperature that gives it the entropy, by bisection."""
    scale = np.maximum(gap.mean(axis=1), 1e-300)
    low, high = np.full(len(gap), -30.0), np.full(len(gap), 30.0)  # of log β·scale
    for _ in range(50):
        middle = (low + high) / 2
        weight = np.exp(-np.exp(middle)[:, None] * (gap / scale[:, None]))
        weight /= weight.sum(axis=1, keepdims=True)
        found = -(weight * np.log(np.maximum(weight, 1e-300))).sum(axis=1)
        too_flat = found > entropy
        low, high = np.where(too_flat, middle, low), np.where(too_flat, high, middle)
    return weight


@numba.njit(cache=True, nogil=True, fastmath=True)
def _descend(
    place: Any,
    velocity: Any,
    gain: Any,
    indptr: Any,
    indices: Any,
    affinity: Any,
    exaggeration: Any,
    momentum: Any,
    rate: Any,
    steps: int,
) -> None:
    """Gradient steps with momentum and gains, in place."""
    m = len(place)
    one, zero = np.float32(1), np.float32(0)
    x, y = place[:, 0].copy(), place[:, 1].copy()
    push = np.empty((m, 2), dtype=np.float32)
    for _ in range(steps):
        z = 0.0
        for i in range(m):
            xi, yi, fx, fy, zi = x[i], y[i], zero, zero, zero
            for j in range(m):
                dx, dy = xi - x[j], yi - y[j]
                q = one / (one + dx * dx + dy * dy)
                zi += q
                q *= q
                fx += q * dx
                fy += q * dy
            z += float(zi) - 1.0  # but itself
            push[i, 0], push[i, 1] = fx, fy
        share = np.float32(1 / z)
        for i in range(m):
            ax, ay = zero, zero
            for t in range(indptr[i], indptr[i + 1]):
                dx, dy = x[i] - x[indices[t]], y[i] - y[indices[t]]
                q = affinity[t] / (one + dx * dx + dy * dy)
                ax += q * dx
                ay += q * dy
            for c in range(2):
                pull = ax if c == 0 else ay
                slope = np.float32(4) * (exaggeration * pull - share * push[i, c])
                if (slope > 0) == (velocity[i, c] > 0):
                    gain[i, c] = max(gain[i, c] * np.float32(0.8), np.float32(0.01))
                else:
                    gain[i, c] += np.float32(0.2)
                velocity[i, c] = momentum * velocity[i, c] - rate * gain[i, c] * slope
        for i in range(m):
            x[i] += velocity[i, 0]
            y[i] += velocity[i, 1]
    place[:, 0], place[:, 1] = x - x.mean(), y - y.mean()
