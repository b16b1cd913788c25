"""Parts of a forest to draw, and where their vertices stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.adjacency import adjacency
from acvae.exceptions import PosteriorError
from acvae.gaussian.posterior import Posterior
from acvae.gaussian.rankings import need_posterior

__all__ = ["branches", "grow", "largest_tree", "need_forest", "outline_layout", "sector_layout"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

SMALLEST_BRANCH = 0.02  # share of the leaves below which a branch has no colour of its own


def need_forest(posterior: Posterior) -> None:
    """Raise unless there is a forest to draw."""
    need_posterior("a drawing of a forest", posterior)
    if not getattr(posterior, "has_forest", False):
        raise PosteriorError("there is no learnt forest to draw; use the posterior of an ACVAE.")


def grow(
    posterior: Posterior, vertex: int, distance: npt.NDArray[Any], size: int, max_branches: int
) -> tuple[list[int], list[int], list[int]]:
    """Vertices from `vertex` outwards along the forest, nearest first, with each one's parent and edge."""
    indptr, neighbour, number = adjacency(posterior.n_vertices, posterior.forest)
    shown, parent, edge = [vertex], [-1], [-1]
    border: list[tuple[float, int, int, int]] = []
    seen = {vertex}
    while len(shown) < size:
        here = len(shown) - 1
        v = shown[here]
        around = range(indptr[v], indptr[v + 1])
        branches = [
            (float(distance[neighbour[t]]), int(neighbour[t]), here, int(number[t]))
            for t in around
            if int(neighbour[t]) not in seen
        ]
        border.extend(sorted(branches)[:max_branches])
        if not border:
            break
        border.sort(reverse=True)
        _, w, above, e = border.pop()
        seen.add(w)
        shown.append(w)
        parent.append(above)
        edge.append(e)
    return shown, parent, edge


def largest_tree(posterior: Posterior) -> tuple[IntArray, IntArray, IntArray]:
    """Vertices of the largest tree from its centroid outwards, with each one's parent (as index) and edge."""
    from acvae.forests.centroid import centroid_decomposition
    from acvae.forests.rooted import root_forest

    pieces = centroid_decomposition(root_forest(posterior.n_vertices, posterior.forest), posterior.forest)
    indptr, neighbour, number = adjacency(posterior.n_vertices, posterior.forest)
    shown, parent, edge = [int(pieces.vertex[0])], [-1], [-1]
    for at, v in enumerate(shown):  # grows while it is read: breadth first
        for t in range(indptr[v], indptr[v + 1]):
            if number[t] != edge[at]:
                shown.append(int(neighbour[t]))
                parent.append(at)
                edge.append(int(number[t]))
    return np.array(shown), np.array(parent), np.array(edge)


def sector_layout(parent: IntArray, length: FloatArray) -> tuple[FloatArray, IntArray, list[list[int]]]:
    """Places (k, 2) of a tree listed parents first, the first in the middle; leaves below, and children.

    Each subtree has a sector as wide as its number of leaves; a vertex stands in the middle of its sector,
    as far out as the edges on its way from the middle are long.
    """
    children: list[list[int]] = [[] for _ in parent]
    leaves = np.zeros(len(parent), dtype=np.int64)
    for k in range(len(parent) - 1, -1, -1):
        leaves[k] = max(1, leaves[k])
        if parent[k] >= 0:
            children[parent[k]].append(k)
            leaves[parent[k]] += leaves[k]
    place = np.zeros((len(parent), 2))
    start, radius = np.zeros(len(parent)), np.zeros(len(parent))
    for k in range(len(parent)):
        at = start[k]
        for c in sorted(children[k], key=lambda c: int(leaves[c])):
            start[c] = at
            width = 2 * np.pi * leaves[c] / leaves[0]
            angle = at + width / 2
            radius[c] = radius[k] + length[c]
            place[c] = radius[c] * np.array([np.cos(angle), np.sin(angle)])
            at += width
    return place, leaves, children


def branches(parent: IntArray, leaves: IntArray, count: int) -> IntArray:
    """Number of the branch of every vertex, -1 for the trunk and for twigs.

    The widest branch is cut at its foot until there are enough.
    """
    top: list[int] = [0] if count > 0 else []
    trunk: set[int] = set()
    below: dict[int, list[int]] = {}
    for k, above in enumerate(parent.tolist()):
        below.setdefault(above, []).append(k)
    while 0 < len(top) < count and any(below.get(k) for k in top):
        widest = max((k for k in top if below.get(k)), key=lambda k: int(leaves[k]))
        top.remove(widest)
        trunk.add(widest)
        top.extend(k for k in below[widest] if leaves[k] >= SMALLEST_BRANCH * leaves[0])
        top.sort(key=lambda k: -int(leaves[k]))
        del top[count:]
    branch = np.full(len(parent), -1, dtype=np.int64)
    for number, k in enumerate(top):
        branch[k] = number
    for k in range(len(parent)):
        if branch[k] < 0 and parent[k] >= 0 and k not in trunk:
            branch[k] = branch[parent[k]]
    return branch


def outline_layout(parent: IntArray) -> tuple[IntArray, IntArray]:
    """Depth (k,) and row (k,) of a tree listed parents first: depth first, smaller subtrees before larger."""
    children: list[list[int]] = [[] for _ in parent]
    size, depth = np.ones(len(parent), np.int64), np.zeros(len(parent), np.int64)
    for k in range(len(parent) - 1, 0, -1):
        children[parent[k]].append(k)
        size[parent[k]] += size[k]
    for k in range(1, len(parent)):
        depth[k] = depth[parent[k]] + 1
    row = np.empty(len(parent), np.int64)
    stack, at = [0], 0
    while stack:
        k = stack.pop()
        row[k] = at
        at += 1
        stack.extend(sorted(children[k], key=lambda c: (-int(size[c]), -c)))
    return depth, row
