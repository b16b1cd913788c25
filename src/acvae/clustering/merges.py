"""The merges made so far: a forest of nodes whose roots are the present clusters."""

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

__all__ = ["Merges", "root_of"]


class Merges:
    """Nodes 0 … n−1 are the vertices; each merge makes one more node of two that were roots.

    Attributes
    ----------
    parent
        (2n − 1,) node that a node was merged into, −1 for a root.
    size, first
        (2n − 1,) number of vertices of a node, and the smallest of them.
    sides, height
        (n − 1, 2) nodes that were merged, and (n − 1,) at which distance.
    nodes
        How many nodes there are by now.
    """

    def __init__(self, n: int) -> None:
        self.parent = np.full(2 * n - 1, -1, dtype=np.int32)
        self.size = np.ones(2 * n - 1, dtype=np.int32)
        self.first = np.arange(2 * n - 1, dtype=np.int32)
        self.sides = np.empty((n - 1, 2), dtype=np.int32)
        self.height = np.zeros(n - 1)
        self.nodes = n

    def join(self, a: int, b: int, height: float) -> int:
        """Merge two roots; returns the new node. Heights do not fall from a node to the one it goes into."""
        n, new = len(self.height) + 1, self.nodes
        self.parent[[a, b]] = new
        self.size[new] = self.size[a] + self.size[b]
        self.first[new] = min(self.first[a], self.first[b])
        self.sides[new - n] = a, b
        self.height[new - n] = max([height, *(self.height[side - n] for side in (a, b) if side >= n)])
        self.nodes += 1
        return new

    @property
    def left(self) -> int:
        """How many clusters there are now."""
        return len(self.parent) + 1 - self.nodes

    @property
    def roots(self) -> npt.NDArray[np.int64]:
        """The present clusters, by their smallest vertex."""
        roots = np.flatnonzero(self.parent[: self.nodes] < 0)
        return roots[np.argsort(self.first[roots])]

    def labels(self) -> npt.NDArray[np.int64]:
        """(n,) for each vertex the number of its cluster among `roots`."""
        number = np.empty(self.nodes, dtype=np.int64)
        roots = self.roots
        number[roots] = np.arange(len(roots))
        return number[_roots(self.parent, len(self.height) + 1)]


@numba.njit(cache=True, nogil=True)
def root_of(parent: Any, node: int) -> int:
    """The cluster a node is in now; paths are halved on the way."""
    while parent[node] >= 0:
        above = parent[node]
        if parent[above] >= 0:
            parent[node] = parent[above]
        node = above
    return node


@numba.njit(cache=True, nogil=True)
def _roots(parent: Any, n: int) -> Any:
    out = np.empty(n, dtype=np.int64)
    for vertex in range(n):
        out[vertex] = root_of(parent, vertex)
    return out
