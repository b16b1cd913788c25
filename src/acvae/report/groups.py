"""Clusters by complete linkage or Ward's, one cut through their hierarchy, and numbers for small groups."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.clustering import linkage
from acvae.gaussian.posterior import Posterior

__all__ = ["Groups", "group", "legend"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

MOST_VERTICES = 12_000  # exact complete linkage on more would take longer than the rest of a page
LANDMARKS = 4_000
FEWEST_FIRST = (8, 10, 12, 14, 16)  # clusters, where nobody says how many
LARGEST = 1 / 3  # of all vertices: a cluster of more says little
SMALL = 200  # a group is small below one vertex in so many
MOST_IN_SMALL = 0.05  # share of the members that a cut may leave in small groups


class Groups(NamedTuple):
    """A hierarchy of clusters and one cut through it."""

    labels: IntArray  # (n,) cluster of each vertex by size, the largest is 0; small ones share the last
    small: int  # how many clusters share the last label; 0 if it is an ordinary one
    floor: int  # members that a cluster needs to be called by a number of its own
    cut: int  # nodes of the tree from this on lie above the cut
    members: IntArray  # vertices that the hierarchy was made of: all, or landmarks
    tree: FloatArray  # SciPy's linkage matrix of the members
    linkage: str = "complete"  # or "ward"


def group(
    posterior: Posterior,
    k: int | None = None,
    *,
    most: int = MOST_VERTICES,
    seed: int = 0,
    points: npt.NDArray[Any] | None = None,
) -> Groups:
    """Cut the hierarchy where k clusters are not small, or as many as there are.

    Without k the clusters are as few of 8 … 16 as leave none with more than a third of the vertices.

    Complete linkage often sets single vertices apart first; those would use up the colours of a map. In a
    small data set no cluster is small, and the cut is that of `acvae.cluster`. With more than `most` vertices
    the hierarchy is that of random landmarks, and each other vertex joins the cluster whose farthest landmark
    is nearest to it, as complete linkage would. With `points` (n, d) the clusters are Ward's of these, and
    others join the nearest mean.
    """
    n = posterior.n_vertices
    members = np.arange(n)
    most = most if points is None else min(most, LANDMARKS)
    if n > most:
        members = np.sort(np.random.default_rng(seed).choice(n, min(LANDMARKS, most), replace=False))
    if points is not None:
        tree = _ward(points[members])
    else:
        tree = linkage(posterior) if len(members) == n else _landmark_linkage(posterior, members)
    floor = max(1, len(members) // SMALL)
    for wanted in FEWEST_FIRST if k is None else (k,):
        pieces = _pieces(tree, wanted, floor)
        raw = _cut(tree, pieces)
        if np.bincount(raw).max() <= LARGEST * len(raw):
            break
    is_small = np.bincount(raw) < floor
    if len(members) < n:
        raw = (
            _join_nearest(posterior, members, raw)
            if points is None
            else _join_means(points, members, raw, is_small)
        )
    size = np.bincount(raw, minlength=pieces)
    order = np.lexsort((-size, is_small))  # the larger first, the small ones last
    rank = np.empty_like(order)
    rank[order] = np.minimum(np.arange(pieces), int((~is_small).sum()))
    how = "complete" if points is None else "ward"
    return Groups(rank[raw], int(is_small.sum()), floor, 2 * len(members) - pieces, members, tree, how)


def legend(
    groups: Groups, degrees: IntArray, names: list[str], words: list[list[str]] | None = None
) -> list[dict[str, Any]]:
    """Chief and size of each cluster, and the words for what its members share; small ones have no name."""
    found: list[dict[str, Any]] = []
    for label in range(int(groups.labels.max()) + 1):
        inside = np.flatnonzero(groups.labels == label)
        chief = names[inside[degrees[inside].argmax()]]
        found.append({"name": chief, "size": len(inside), "words": words[label] if words else []})
    if groups.small:
        found[-1] |= {"name": None, "words": []}
    return found


def _landmark_linkage(posterior: Posterior, members: IntArray) -> FloatArray:
    from scipy.cluster import hierarchy
    from scipy.spatial.distance import squareform

    distance = posterior.distances(members)[:, members].astype(np.float64)
    np.fill_diagonal(distance, 0)
    tree: FloatArray = hierarchy.linkage(squareform((distance + distance.T) / 2, checks=False), "complete")
    return tree


def _ward(points: npt.NDArray[Any]) -> FloatArray:
    from scipy.cluster import hierarchy

    tree: FloatArray = hierarchy.linkage(points.astype(np.float64), "ward")
    return tree


def _pieces(tree: FloatArray, k: int, floor: int) -> int:
    """In how many pieces to cut: the fewest with k that are not small, else those with most such."""
    n = len(tree) + 1
    best, most, large, in_small = 1, 1, 1, 0
    for pieces in range(2, n + 1):
        if most >= k or in_small > MOST_IN_SMALL * n:
            break
        left, right, _, size = tree[n - pieces]  # the merge to undo next
        halves = [1 if half < n else tree[int(half) - n, 3] for half in (left, right)]
        large += sum(half >= floor for half in halves) - int(size >= floor)
        in_small += sum(half for half in halves if half < floor) if size >= floor else 0
        if large > most:
            best, most = pieces, large
    return best


def _cut(tree: FloatArray, pieces: int) -> IntArray:
    """Labels after all merges but the last ones."""
    n = len(tree) + 1
    above = np.arange(2 * n - 1)
    for t in range(n - pieces):
        above[tree[t, :2].astype(int)] = n + t
    for node in range(2 * n - 2, -1, -1):  # from the top: what is above is settled already
        above[node] = above[above[node]]
    return np.unique(above[:n], return_inverse=True)[1].astype(np.int64)


def _join_nearest(posterior: Posterior, members: IntArray, labels: IntArray) -> IntArray:
    k = int(labels.max()) + 1
    of = dict(zip(members.tolist(), labels.tolist(), strict=True))
    farthest = np.zeros((k, posterior.n_vertices), np.float32)
    for rows, columns, block in posterior.distance_blocks(members):
        for row, i in zip(block, rows.tolist(), strict=True):
            farthest[of[i], columns] = np.maximum(farthest[of[i], columns], row)
    joined: IntArray = farthest.argmin(axis=0)
    joined[members] = labels
    return joined


def _join_means(
    points: npt.NDArray[Any], members: IntArray, labels: IntArray, is_small: npt.NDArray[np.bool_]
) -> IntArray:
    """Of every vertex the cluster, of those not small, whose members' mean is nearest; members stay."""
    k = len(is_small)
    size = np.bincount(labels, minlength=k)
    mean = np.zeros((k, points.shape[1]))
    np.add.at(mean, labels, points[members])
    mean /= np.maximum(size, 1)[:, None]
    squared = (mean**2).sum(axis=1) - 2 * points @ mean.T
    squared[:, is_small] = np.inf
    joined: IntArray = squared.argmin(axis=1).astype(np.int64)
    joined[members] = labels
    return joined
