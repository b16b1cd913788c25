"""Clusters by direction: for models that read links from angles and correlations, not from distances.

The expected distances of such a model are mostly variances, small for hubs and large for the rest. Complete
linkage on them cuts off single vertices, and everybody's nearest vertices are the same hubs. Where a mean
points to, seen from the middle of all, is what the vertices of a community have in common. Without features
all means are the same; then draws from the joint take their place, which go together where vertices are
correlated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import seed_number, whole_number
from acvae.exceptions import OptionError
from acvae.gaussian.joint import Joint
from acvae.gaussian.posterior import Posterior
from acvae.gaussian.rankings import need_posterior

__all__ = ["cluster_directions", "directions", "have_directions"]

Points = npt.NDArray[np.float32]

STARTS, MOST_ROUNDS = 10, 100  # of k-means; the best of the starts is taken
DRAWS, COMPONENTS = 256, 32  # from the joint, and what is kept of them


def have_directions(posterior: Posterior) -> bool:
    """Whether its means point anywhere, or draws do."""
    return _differ(posterior.mean) or _correlated(posterior)


def directions(posterior: Posterior) -> npt.NDArray[np.float32]:
    """(n, d) unit vectors of the means, less the mean of all; zero where a vertex has none.

    Where all means are the same, of the leading principal components of draws from the joint.
    """
    points = posterior.mean.astype(np.float64)
    if not _differ(points) and _correlated(posterior):
        points = _components(posterior)
    points = points - points.mean(axis=0)
    length = np.linalg.norm(points, axis=1, keepdims=True)
    return np.asarray(points / np.where(length > 0, length, 1), dtype=np.float32)


def _differ(mean: npt.NDArray[Any]) -> bool:
    return bool(np.ptp(mean, axis=0).max(initial=0) > 0)


def _correlated(posterior: Posterior) -> bool:
    """Whether there is a joint that can be drawn from, in which anything goes together."""
    joint = posterior.joint
    return isinstance(joint, Joint) and len(joint.links) > 0 and bool(getattr(joint, "can_draw", True))


def _components(posterior: Posterior) -> npt.NDArray[np.float64]:
    """(n, c) principal components of draws, in which every dimension of the joint counts the same."""
    draws = (posterior.sample(DRAWS) - posterior.mean) / posterior.std
    table = np.moveaxis(draws, 1, 0).reshape(posterior.n_vertices, -1).astype(np.float64)
    table -= table.mean(axis=0)
    _, vectors = np.linalg.eigh(table.T @ table)
    return np.asarray(table @ vectors[:, ::-1][:, :COMPONENTS])


def cluster_directions(posterior: Posterior, k: int = 5, *, seed: int = 0) -> npt.NDArray[np.int64]:
    """Labels (n,) in 0 … k−1: k-means on the directions of the means, or of draws where these are all alike.

    Clusters are numbered by their smallest vertices, as those of `acvae.cluster` are.
    """
    need_posterior("clustering", posterior)
    k = whole_number("k", k, minimum=1)
    seed = seed_number("seed", seed)
    if k > posterior.n_vertices:
        raise OptionError(f"cannot make {k} clusters of {posterior.n_vertices} vertices.")
    points = directions(posterior)
    distinct = len(np.unique(points, axis=0))
    if k > distinct:
        raise OptionError(
            f"cannot make {k} clusters by direction: the embeddings have only {distinct} different ones. "
            "`acvae.cluster` goes by distance."
        )
    rng = np.random.default_rng(seed)
    tried = [_lloyd(points, _apart(points, k, rng)) for _ in range(STARTS)]
    found = min(tried, key=lambda one: one[1])[0]
    _, first, label = np.unique(found, return_index=True, return_inverse=True)
    rank = np.empty(k, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(k)
    return rank[label]


def _apart(points: Points, k: int, rng: np.random.Generator) -> Points:
    """(k, d) points to start from, each drawn by its squared distance from those before (k-means++)."""
    chosen = [int(rng.integers(len(points)))]
    nearest = _squared(points, points[chosen])[:, 0]
    while len(chosen) < k:
        far = nearest.astype(np.float64)
        far[chosen] = 0
        chosen.append(int(rng.choice(len(points), p=far / far.sum())))
        nearest = np.minimum(nearest, _squared(points, points[chosen[-1:]])[:, 0])
    return points[chosen]


def _lloyd(points: Points, centres: Points) -> tuple[npt.NDArray[np.int64], float]:
    """Labels (n,) of k-means from these centres, every one of them in use, and the sum of squares."""
    k = len(centres)
    labels = np.full(len(points), -1)
    for _ in range(MOST_ROUNDS):
        squared = _squared(points, centres)
        now = squared.argmin(axis=1)
        own = squared[np.arange(len(points)), now]
        for empty in np.flatnonzero(np.bincount(now, minlength=k) == 0):  # takes the point that fits worst
            alone = np.bincount(now, minlength=k)[now] == 1
            worst = int(np.where(alone, -1, own).argmax())
            now[worst], own[worst] = empty, 0
        if (now == labels).all():
            break
        labels = now
        member = (labels[:, None] == np.arange(k)).astype(points.dtype)
        centres = (member.T @ points) / member.sum(axis=0)[:, None]
    return labels.astype(np.int64), float(own.sum(dtype=np.float64))


def _squared(points: Points, centres: Points) -> Points:
    """(n, k) squared distances."""
    squared = (points**2).sum(axis=1)[:, None] - 2 * (points @ centres.T) + (centres**2).sum(axis=1)
    return np.maximum(squared, 0)
