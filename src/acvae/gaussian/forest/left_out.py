"""A forest without one of its edges: its tree falls in two, and nothing is correlated across the cut."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.threads import over_ranges
from acvae.forests.rooted import RootedForest

__all__ = ["products_without"]

IntArray = npt.NDArray[np.int64]


def products_without(
    forest: RootedForest, values: npt.NDArray[Any], ends: IntArray, candidates: IntArray
) -> npt.NDArray[np.float64]:
    """(q, c, d) products of `values` (m, d) on the paths from i to its candidates (q, c).

    Zero where the path takes the edge between the ends (i, j) of the query, if the forest has it.
    """
    out = np.zeros((*candidates.shape, values.shape[1]))
    given = (*(forest.position, forest.parent, forest.edge, forest.depth, forest.tree), values)
    over_ranges(lambda a, b: _products(*given, ends, candidates, out, a, b), len(ends), at_least=16)
    return out


@numba.njit(cache=True, nogil=True)
def _products(
    position: Any,
    parent: Any,
    edge: Any,
    depth: Any,
    tree: Any,
    values: Any,
    ends: Any,
    candidates: Any,
    out: Any,
    first: int,
    last: int,
) -> None:
    d = values.shape[1]
    for q in range(first, last):
        i, j = position[ends[q, 0]], position[ends[q, 1]]
        cut = -2  # what no edge is called
        if i != j and parent[i] == j:
            cut = edge[i]
        elif i != j and parent[j] == i:
            cut = edge[j]
        for c in range(candidates.shape[1]):
            a, b = i, position[candidates[q, c]]
            if tree[a] != tree[b]:
                continue
            out[q, c, :] = 1.0
            while a != b:
                if depth[a] < depth[b]:
                    a, b = b, a
                e = edge[a]
                if e == cut:
                    out[q, c, :] = 0.0
                    break
                for k in range(d):
                    out[q, c, k] *= values[e, k]
                a = parent[a]
