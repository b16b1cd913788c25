"""A forest laid out from its roots, so that every vertex comes after its parent."""

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.adjacency import adjacency
from acvae.exceptions import PosteriorError
from acvae.forests.kruskal import find_cycle_edge

__all__ = ["RootedForest", "root_forest"]

IntArray = npt.NDArray[np.int64]


class RootedForest(NamedTuple):
    """Depth-first layout of a forest on n vertices.

    All arrays but `position` are indexed by position in the layout, in which a parent precedes its children
    and every tree is one contiguous run.
    """

    vertex: IntArray  # (n,) vertex id at each position
    position: IntArray  # (n,) position of each vertex id
    parent: IntArray  # (n,) position of the parent, -1 at a root
    edge: IntArray  # (n,) number of the edge to the parent, -1 at a root
    depth: IntArray  # (n,) edges from the root
    tree: IntArray  # (n,) number of the tree


def root_forest(n_vertices: int, edges: IntArray) -> RootedForest:
    """Lay out the forest with the given edges (n − trees, 2); a cycle is an error that names its edge."""
    closing = find_cycle_edge(n_vertices, edges)
    if closing is not None:
        u, v = edges[closing]
        raise PosteriorError(
            f"the forest has a cycle: edge {closing}, ({u}, {v}), joins vertices already joined."
        )
    return RootedForest(*_depth_first(n_vertices, *adjacency(n_vertices, edges)))


@numba.njit(cache=True, nogil=True)
def _depth_first(n: int, indptr: Any, neighbour: Any, number: Any) -> Any:
    vertex = np.empty(n, dtype=np.int64)
    position = np.full(n, -1, dtype=np.int64)
    parent = np.full(n, -1, dtype=np.int64)
    edge = np.full(n, -1, dtype=np.int64)
    depth = np.zeros(n, dtype=np.int64)
    tree = np.empty(n, dtype=np.int64)
    stack = np.empty(n, dtype=np.int64)  # a vertex is pushed once: by its parent, or as a root
    above = np.full(n, -1, dtype=np.int64)  # by vertex id: position of the parent, known when pushed
    via = np.full(n, -1, dtype=np.int64)
    at, trees = 0, 0
    for root in range(n):
        if position[root] >= 0:
            continue
        stack[0], top = root, 1
        while top > 0:
            top -= 1
            v = stack[top]
            p = above[v]
            vertex[at], position[v], parent[at], edge[at], tree[at] = v, at, p, via[v], trees
            if p >= 0:
                depth[at] = depth[p] + 1
            for k in range(indptr[v], indptr[v + 1]):
                w = neighbour[k]
                if position[w] < 0:
                    above[w], via[w] = at, number[k]
                    stack[top] = w
                    top += 1
            at += 1
        trees += 1
    return vertex, position, parent, edge, depth, tree
