"""Exact expected distances from one vertex to all, by a walk over the forest: for a few rows out of many.

Beside `distances`, which prepares tables for all pairs, this prepares next to nothing: the same numbers laid
out in the order of the walk, so that a row is one pass over memory.
"""

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae.forests.rooted import RootedForest

__all__ = ["ForestWalks"]

IntArray = npt.NDArray[np.int64]


class ForestWalks:
    """Rows of the matrix of distances in O(n·d) each, columns in the order of `columns`.

    Computed in float64 whatever the type of the tables, and rounded once. Memory: 3·n·d numbers.
    """

    def __init__(
        self,
        forest: RootedForest,
        correlation: npt.NDArray[Any],
        mean: npt.NDArray[Any],
        std: npt.NDArray[Any],
    ) -> None:
        self.columns = forest.vertex
        self._forest = forest
        self._depth = int(forest.depth.max(initial=0))
        self._tables = tuple(np.empty_like(mean) for _ in range(3))
        _lay_out(forest.vertex, forest.edge, mean, std, correlation, *self._tables)

    def blocks(self, rows: IntArray, block_rows: int) -> Iterator[tuple[IntArray, npt.NDArray[Any]]]:
        """Yield `(rows, distances)`, one row at a time and in the given order."""
        forest = self._forest
        n, d = self._tables[0].shape
        out = np.empty((1, n), dtype=self._tables[0].dtype)
        product = np.empty((self._depth + 1, d))
        for start in range(len(rows)):
            here = int(forest.position[rows[start]])
            first, last = np.searchsorted(forest.tree, [forest.tree[here], forest.tree[here] + 1])
            _row(here, first, last, forest.parent, forest.depth, *self._tables, product, out[0])
            yield rows[start : start + 1], out


@numba.njit(cache=True, nogil=True)
def _lay_out(
    vertex: Any, edge: Any, mean: Any, std: Any, values: Any, mean_out: Any, std_out: Any, rho_out: Any
) -> None:
    """Means, standard deviations and the correlation with the parent, by position."""
    for at in range(len(vertex)):
        v, e = vertex[at], edge[at]
        for k in range(mean.shape[1]):
            mean_out[at, k], std_out[at, k] = mean[v, k], std[v, k]
            rho_out[at, k] = values[e, k] if e >= 0 else 0


@numba.njit(cache=True, nogil=True)
def _row(
    here: int,
    first: int,
    last: int,
    parent: Any,
    depth: Any,
    mean: Any,
    std: Any,
    rho: Any,
    product: Any,
    out: Any,
) -> None:
    """Distances (n,) from the vertex at position `here`, whose tree is `first:last`.

    The layout is a depth-first one, so the parent of a vertex is the last one met one level above, and one
    product per level is all that has to be remembered.
    """
    n, d = mean.shape
    own_mean, own_std = mean[here].astype(np.float64), std[here].astype(np.float64)
    for at in range(n):
        if first <= at < last:
            continue
        total = 0.0
        for k in range(d):
            gap = own_mean[k] - mean[at, k]
            total += gap * gap + own_std[k] * own_std[k] + np.float64(std[at, k]) * std[at, k]
        out[at] = total
    # The way from `here` up to the root is met from below; its products wait until the walk comes by.
    level = depth[here]
    trunk = np.empty((level + 1, d))
    place = np.empty(level + 1, dtype=np.int64)
    at = here
    for k in range(d):
        trunk[level, k] = 1
    place[level] = here
    for above in range(level - 1, -1, -1):
        for k in range(d):
            trunk[above, k] = trunk[above + 1, k] * rho[at, k]
        at = parent[at]
        place[above] = at
    met = 0
    for at in range(first, last):
        now = product[depth[at]]
        if met <= level and at == place[met]:
            for k in range(d):
                now[k] = trunk[met, k]
            met += 1
        else:
            before = product[depth[at] - 1]
            for k in range(d):
                now[k] = before[k] * rho[at, k]
        total = 0.0
        for k in range(d):
            gap, spread = own_mean[k] - mean[at, k], own_std[k] - std[at, k]
            total += gap * gap + spread * spread + 2 * own_std[k] * std[at, k] * (1 - now[k])
        out[at] = total
    out[here] = 0
