"""Products of edge correlations along the paths of a forest.

On a forest, corr(z_i, z_j) in one latent dimension is the product of the correlations of the edges on the
path from i to j, and 0 when there is no path (belief propagation for Gaussians with normalised marginals).
Nothing is ever divided: quotients of root products are wrong beyond ancestors and blow up near zero.
"""

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae.forests.rooted import RootedForest

__all__ = ["pair_products", "row_products"]


def pair_products(
    forest: RootedForest,
    edge_values: npt.NDArray[Any],
    i: npt.NDArray[np.int64],
    j: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    """(k, d) product over the path i[t] … j[t] of `edge_values` (m, d); 1 for i = j, 0 without a path.

    Walks up from both ends: time in the length of the path, no tables.
    """
    return _pair_products(
        forest.position, forest.parent, forest.edge, forest.depth, forest.tree, edge_values, i, j
    )


def row_products(
    forest: RootedForest, edge_values: npt.NDArray[Any], vertex: int, dtype: npt.DTypeLike = np.float64
) -> npt.NDArray[Any]:
    """(n, d) product over the path from `vertex` to every vertex, in O(n·d)."""
    out = np.zeros((len(forest.vertex), edge_values.shape[1]), dtype=dtype)
    _row_products(
        forest.vertex, forest.position, forest.parent, forest.edge, forest.tree, edge_values, vertex, out
    )
    return out


@numba.njit(cache=True, nogil=True, parallel=False)
def _pair_products(
    position: Any, parent: Any, edge: Any, depth: Any, tree: Any, values: Any, i: Any, j: Any
) -> Any:
    d = values.shape[1]
    out = np.zeros((len(i), d), dtype=np.float64)
    for t in range(len(i)):
        a, b = position[i[t]], position[j[t]]
        if tree[a] != tree[b]:
            continue
        out[t, :] = 1.0
        while a != b:
            if depth[a] < depth[b]:
                a, b = b, a
            e = edge[a]
            for k in range(d):
                out[t, k] *= values[e, k]
            a = parent[a]
    return out


@numba.njit(cache=True, nogil=True)
def _row_products(
    vertex: Any, position: Any, parent: Any, edge: Any, tree: Any, values: Any, start: int, out: Any
) -> None:
    n, d = out.shape
    here = position[start]
    number = tree[here]
    first, last = here, here
    while first > 0 and tree[first - 1] == number:
        first -= 1
    while last + 1 < n and tree[last + 1] == number:
        last += 1
    # Vertices on the way from `start` up to the root are reached from below, all others from their parent.
    done = np.zeros(last - first + 1, dtype=np.bool_)
    out[start, :] = 1.0
    done[here - first] = True
    at = here
    while parent[at] >= 0:
        up, e = parent[at], edge[at]
        for k in range(d):
            out[vertex[up], k] = out[vertex[at], k] * values[e, k]
        done[up - first] = True
        at = up
    for at in range(first, last + 1):
        if done[at - first]:
            continue
        above, e = vertex[parent[at]], edge[at]
        for k in range(d):
            out[vertex[at], k] = out[above, k] * values[e, k]
