"""Centroid decomposition: a forest cut into a shallow hierarchy of contiguous pieces.

Removing a centroid from a tree leaves pieces of at most half its size. Doing so again and again, down to
small leaves, and numbering vertices so that every piece is one run of positions, gives a layout in which
"all pairs separated by this centroid" are blocks of a matrix. It depends on the forest alone, not on any
values on its edges.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.adjacency import adjacency
from acvae.forests.rooted import RootedForest

__all__ = ["CentroidDecomposition", "centroid_decomposition", "centroid_products"]

IntArray = npt.NDArray[np.int64]


class CentroidDecomposition(NamedTuple):
    """Pieces of a forest, each the positions `start[c]:stop[c]`, parents before children.

    An inner piece has its centroid at `start[c]`, then its children by growing size. A leaf is not cut any
    further. The largest tree stands at level 0, every other tree at level 1, as if a vertex joined to
    nothing had separated them.
    """

    vertex: IntArray  # (n,) vertex id at each position
    position: IntArray  # (n,) position of each vertex id
    start: IntArray  # (pieces,)
    stop: IntArray  # (pieces,)
    level: IntArray  # (pieces,)
    is_leaf: npt.NDArray[np.bool_]  # (pieces,)
    parent: IntArray  # (pieces,) number of the piece it was cut from, -1 for a whole tree

    @property
    def n_levels(self) -> int:
        """Number of levels on which a centroid was removed."""
        inner = self.level[~self.is_leaf]
        return int(inner.max()) + 1 if len(inner) else 0


def centroid_decomposition(
    forest: RootedForest, edges: IntArray, *, leaf_size: int = 1
) -> CentroidDecomposition:
    """Decompose a forest (`edges` as it was rooted with) down to pieces of at most `leaf_size` vertices."""
    n = len(forest.vertex)
    sizes = np.bincount(forest.tree)
    roots = forest.vertex[np.searchsorted(forest.tree, np.argsort(-sizes, kind="stable"))]
    return CentroidDecomposition(*_decompose(n, *adjacency(n, edges), roots, leaf_size))


def centroid_products(
    pieces: CentroidDecomposition,
    edges: IntArray,
    edge_values: npt.NDArray[Any],
    dtype: npt.DTypeLike = np.float64,
) -> npt.NDArray[Any]:
    """(levels, n, d): product of `edge_values` (m, d) from the level's centroid to each position.

    Zero where no centroid is removed around the position on that level, so that on level 0 the product of
    two positions in different trees is zero, as their correlation is.
    """
    n = len(pieces.vertex)
    out = np.zeros((pieces.n_levels, n, edge_values.shape[1]), dtype=dtype)
    inner = ~pieces.is_leaf
    _products(
        pieces.vertex,
        pieces.position,
        pieces.start[inner],
        pieces.stop[inner],
        pieces.level[inner],
        *adjacency(n, edges),
        edge_values,
        out,
    )
    return out


@numba.njit(cache=True, nogil=True)
def _decompose(n: int, indptr: Any, neighbour: Any, number: Any, roots: Any, leaf_size: int) -> Any:
    vertex = np.empty(n, dtype=np.int64)
    position = np.empty(n, dtype=np.int64)
    start = np.empty(n, dtype=np.int64)
    stop = np.empty(n, dtype=np.int64)
    level = np.empty(n, dtype=np.int64)
    is_leaf = np.zeros(n, dtype=np.bool_)
    parent = np.empty(n, dtype=np.int64)
    removed = np.zeros(n, dtype=np.bool_)
    above = np.empty(n, dtype=np.int64)  # scratch: parent within the piece being searched
    size = np.empty(n, dtype=np.int64)  # scratch: size of the subtree below a vertex
    queue = np.empty(n, dtype=np.int64)
    todo = np.empty((n, 4), dtype=np.int64)  # a vertex of the piece, its start, its level, its parent piece
    pieces, filled = 0, 0
    for t in range(len(roots)):
        todo[0] = (roots[t], filled, 0 if t == 0 else 1, -1)
        top = 1
        while top > 0:
            top -= 1
            seed, first, depth, cut_from = todo[top]
            total = _collect(seed, indptr, neighbour, removed, above, size, queue)
            piece = pieces
            pieces += 1
            start[piece], stop[piece], level[piece], parent[piece] = first, first + total, depth, cut_from
            if depth == 0 or cut_from < 0:
                filled += total
            if total <= leaf_size:
                is_leaf[piece] = True
                for k in range(total):
                    vertex[first + k] = queue[k]
                    position[queue[k]] = first + k
                    removed[queue[k]] = True
                continue
            centre = seed
            moved = True
            while moved:  # walk towards the child whose subtree holds more than half
                moved = False
                for k in range(indptr[centre], indptr[centre + 1]):
                    w = neighbour[k]
                    if not removed[w] and w != above[centre] and 2 * size[w] > total:
                        centre, moved = w, True
                        break
            vertex[first], position[centre], removed[centre] = centre, first, True
            children = np.empty(indptr[centre + 1] - indptr[centre], dtype=np.int64)
            weight = np.empty(len(children), dtype=np.int64)
            count = 0
            for k in range(indptr[centre], indptr[centre + 1]):
                w = neighbour[k]
                if not removed[w]:
                    children[count] = w
                    weight[count] = total - size[centre] if w == above[centre] else size[w]
                    count += 1
            at = first + 1
            for c in np.argsort(weight[:count], kind="mergesort"):
                todo[top] = (children[c], at, depth + 1, piece)
                top += 1
                at += weight[c]
    return vertex, position, start[:pieces], stop[:pieces], level[:pieces], is_leaf[:pieces], parent[:pieces]


@numba.njit(cache=True, nogil=True)
def _collect(seed: int, indptr: Any, neighbour: Any, removed: Any, above: Any, size: Any, queue: Any) -> int:
    """Breadth-first list of the piece around `seed`, with parents and subtree sizes; returns its length."""
    queue[0], above[seed], total, at = seed, -1, 1, 0
    while at < total:
        v = queue[at]
        size[v] = 1
        at += 1
        for k in range(indptr[v], indptr[v + 1]):
            w = neighbour[k]
            if not removed[w] and w != above[v]:
                above[w] = v
                queue[total] = w
                total += 1
    for k in range(total - 1, 0, -1):
        size[above[queue[k]]] += size[queue[k]]
    return total


@numba.njit(cache=True, nogil=True)
def _products(
    vertex: Any,
    position: Any,
    start: Any,
    stop: Any,
    level: Any,
    indptr: Any,
    neighbour: Any,
    number: Any,
    values: Any,
    out: Any,
) -> None:
    d = values.shape[1]
    queue = np.empty(len(vertex), dtype=np.int64)
    came_from = np.empty(len(vertex), dtype=np.int64)
    for piece in range(len(start)):
        low, high, depth = start[piece], stop[piece], level[piece]
        queue[0], came_from[0] = low, -1
        at, total = 0, 1
        for k in range(d):
            out[depth, low, k] = 1
        while at < total:
            p = queue[at]
            v = vertex[p]
            for t in range(indptr[v], indptr[v + 1]):
                w = position[neighbour[t]]
                if w < low or w >= high or w == came_from[at]:
                    continue
                for k in range(d):
                    out[depth, w, k] = out[depth, p, k] * values[number[t], k]
                queue[total], came_from[total] = w, p
                total += 1
            at += 1
