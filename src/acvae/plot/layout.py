"""Places on a map for every vertex, from the exact distances or from the means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import choice, real_array, seed_number, whole_number
from acvae.exceptions import InputError
from acvae.gaussian.posterior import Posterior
from acvae.gaussian.rankings import checked_blocks, need_posterior

__all__ = ["LANDMARKS", "map_coordinates"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Block = tuple[IntArray, IntArray, npt.NDArray[Any]]

LANDMARKS = 2_500
BLOCK_ROWS = 256
NEAREST = 5  # landmarks between which another vertex is placed


def map_coordinates(
    posterior: Posterior,
    method: str = "tsne",
    seed: int = 0,
    *,
    landmarks: int = LANDMARKS,
    points: npt.NDArray[Any] | None = None,
    advance: Callable[[float], None] = lambda share: None,
) -> FloatArray:
    """Two-dimensional coordinates (n, 2): "tsne" of the expected distances, or "pca" of the means.

    With more than `landmarks` vertices, t-SNE lays out so many drawn at random, and every other vertex is
    placed among the landmarks nearest to it. With `points` (n, p) t-SNE goes by their squared distances
    instead, and PCA by their coordinates. `advance` is told the share of the work that was done since.
    """
    choice("method", method, ("tsne", "pca"))
    landmarks = whole_number("landmarks", landmarks, minimum=5)
    n = need_posterior("a map", posterior).n_vertices
    if points is not None:
        points = real_array("points", points)
        if points.ndim != 2 or len(points) != n:
            raise InputError(f"points must have shape ({n}, p), got {points.shape}.")
    if method == "pca" or n < 5:
        place = principal_components(posterior.mean if points is None else points)
        advance(1.0)
        return place
    from acvae.plot.tsne import tsne

    rng = np.random.default_rng(seed_number("seed", seed))
    members = np.arange(n) if n <= landmarks else np.sort(rng.choice(n, landmarks, replace=False))
    blocks = checked_blocks(posterior, members) if points is None else _squared_blocks(points, members)
    squared, nearest, distance = _to_landmarks(n, members, blocks, lambda share: advance(0.2 * share))
    start = classical_scaling(squared) + 1e-6 * rng.standard_normal((len(members), 2)) * np.sqrt(
        squared.max()
    )
    known = tsne(squared, start, advance=lambda share: advance(0.8 * share))
    if len(members) == n:
        return known
    return _place_among(known, members, nearest, distance, rng)


def principal_components(mean: npt.NDArray[Any]) -> FloatArray:
    """The first two principal components (n, 2); zeros where there are fewer."""
    centred = mean.astype(np.float64) - mean.mean(axis=0, dtype=np.float64)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    first = vectors[:, ::-1][:, :2]
    first = first * np.where(first[np.abs(first).argmax(axis=0), range(first.shape[1])] < 0, -1, 1)
    place = np.zeros((len(mean), 2))
    place[:, : first.shape[1]] = centred @ first
    return place


def classical_scaling(squared: FloatArray) -> FloatArray:
    """Torgerson's scaling (m, 2) of squared distances: their own principal components."""
    from scipy.sparse.linalg import eigsh

    m = len(squared)
    row = squared.mean(axis=1, keepdims=True)
    product = -0.5 * (squared - row - row.T + squared.mean())
    if not product.any():  # no two are apart
        return np.zeros((m, 2))
    if m < 5:
        values, vectors = np.linalg.eigh(product)
        values, vectors = values[-2:], vectors[:, -2:]
    else:
        begin = np.cos(np.arange(m, dtype=np.float64))  # the same every time
        values, vectors = eigsh(product, 2, which="LA", v0=begin, tol=1e-4)
    order = np.argsort(-values)
    place: FloatArray = vectors[:, order] * np.sqrt(np.maximum(values[order], 0))
    return place


def _squared_blocks(points: npt.NDArray[Any], members: IntArray) -> Iterator[Block]:
    """As `Posterior.distance_blocks` has them: rows, columns and squared distances of points."""
    columns, square = np.arange(len(points)), (points**2).sum(axis=1)
    for start in range(0, len(members), BLOCK_ROWS):
        rows = members[start : start + BLOCK_ROWS]
        block = square[rows, None] + square - 2 * points[rows] @ points.T
        yield rows, columns, np.maximum(block, 0)


def _to_landmarks(
    n: int, members: IntArray, blocks: Iterator[Block], advance: Callable[[float], None]
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Distances (m, m) between landmarks, and of every vertex the nearest of them (n, k) with distances."""
    m = len(members)
    k = min(NEAREST, m)
    slot = np.full(n, -1)
    slot[members] = np.arange(m)
    squared = np.zeros((m, m))
    nearest, distance = np.zeros((k, n), np.int64), np.full((k, n), np.inf, np.float32)
    for rows, columns, block in blocks:
        inside = slot[columns] >= 0
        squared[np.ix_(slot[rows], slot[columns[inside]])] = block[:, inside]
        if m < n:
            both = np.concatenate([distance[:, columns], block])
            who = np.concatenate([nearest[:, columns], np.repeat(slot[rows][:, None], len(columns), axis=1)])
            best = np.argpartition(both, k - 1, axis=0)[:k]
            distance[:, columns] = np.take_along_axis(both, best, axis=0)
            nearest[:, columns] = np.take_along_axis(who, best, axis=0)
        advance(len(rows) / m)
    np.fill_diagonal(squared, 0)
    return (squared + squared.T) / 2, nearest.T, distance.T.astype(np.float64)


def _place_among(
    known: FloatArray, members: IntArray, nearest: IntArray, distance: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Every other vertex at the weighted mean of its nearest landmarks, moved a little so that none hides."""
    from scipy.spatial import KDTree

    gap = distance - distance.min(axis=1, keepdims=True)
    typical = np.maximum(gap.mean(axis=1, keepdims=True), 1e-300)
    weight = np.exp(-gap / typical)
    # Landmarks near in distance can be far apart on the map; the middle of them would be nowhere. The others
    # count the less the farther they are from the nearest one.
    first = known[nearest[np.arange(len(nearest)), distance.argmin(axis=1)]]
    spacing = float(np.median(KDTree(known).query(known, k=2)[0][:, 1]))
    away = ((known[nearest] - first[:, None]) ** 2).sum(axis=2)
    weight = weight / (1 + away / max(10 * spacing, 1e-12) ** 2)
    weight /= weight.sum(axis=1, keepdims=True)
    place: FloatArray = (weight[:, :, None] * known[nearest]).sum(axis=1)
    place += 0.6 * spacing * rng.standard_normal(place.shape)
    place[members] = known
    return place
