"""The tree of all merges, in SciPy's form, and cuts through it."""

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae.clustering.merges import root_of

__all__ = ["cut", "linkage_matrix"]


def linkage_matrix(
    sides: npt.NDArray[np.integer], height: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """SciPy's linkage matrix of n − 1 merges, given by a vertex of either side (n − 1, 2) and their heights.

    The two sides of a merge come before it; among equal heights merges keep their order.
    """
    order = np.argsort(height, kind="stable")
    out = np.empty((len(height), 4))
    out[:, 2] = height[order]
    _number(sides[order].astype(np.int64), out)
    return out


def cut(tree: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.int64]:
    """Labels (n,) of the k clusters that all but the last k − 1 merges leave, by their smallest vertex.

    The same as SciPy's `cut_tree` to the label, among equal heights too, without its n² time.
    """
    made = np.argsort(-_breadth_first(tree), kind="stable")
    made = made[np.argsort(tree[made, 2], kind="stable")]
    return _labels(tree, made[: len(tree) + 1 - k])


@numba.njit(cache=True, nogil=True)
def _number(sides: Any, out: Any) -> None:
    """Fill in the numbers of both sides, the smaller first, and the size of each cluster."""
    n = len(sides) + 1
    parent = np.full(2 * n - 1, -1, dtype=np.int64)
    size = np.ones(2 * n - 1, dtype=np.int64)
    for t in range(n - 1):
        a, b = root_of(parent, sides[t, 0]), root_of(parent, sides[t, 1])
        parent[a] = parent[b] = n + t
        size[n + t] = size[a] + size[b]
        out[t, 0], out[t, 1], out[t, 3] = min(a, b), max(a, b), size[n + t]


@numba.njit(cache=True, nogil=True)
def _breadth_first(tree: Any) -> Any:
    """The place of each merge in a walk from the last one down, the right side before the left."""
    n = len(tree) + 1
    place = np.empty(n - 1, dtype=np.int64)
    queue = np.empty(n - 1, dtype=np.int64)
    queue[0] = n - 2
    filled = 1
    for t in range(n - 1):
        merge = queue[t]
        place[merge] = t
        for side in (1, 0):
            below = int(tree[merge, side]) - n
            if below >= 0:
                queue[filled] = below
                filled += 1
    return place


@numba.njit(cache=True, nogil=True)
def _labels(tree: Any, made: Any) -> Any:
    n = len(tree) + 1
    parent = np.full(2 * n - 1, -1, dtype=np.int64)
    for merge in made:
        for side in range(2):
            parent[int(tree[merge, side])] = n + merge
    label = np.full(2 * n - 1, -1, dtype=np.int64)
    out = np.empty(n, dtype=np.int64)
    found = 0
    for vertex in range(n):
        root = root_of(parent, vertex)
        if label[root] < 0:
            label[root] = found
            found += 1
        out[vertex] = label[root]
    return out
