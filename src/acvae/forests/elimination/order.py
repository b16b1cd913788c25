"""In which order the variables of a sparse symmetric system are eliminated, and what that fills in.

Vertices of least degree go first, as long as they are cheap; eliminating one joins its neighbours to one
another. What is then left, the core, is treated as dense. This depends on the graph alone, not on numbers. A
graph whose core does not fit into memory is refused before it takes it.
"""

from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from acvae._util.memory import available_memory

__all__ = ["Elimination", "TooLargeError", "eliminate"]

IntArray = npt.NDArray[np.int64]

# Eliminating a vertex of degree k fills k² entries and saves a row of the dense core: worth it while k is
# below this share of what is left.
DENSE_SHARE = 0.03
ALWAYS_ELIMINATE = 8
ENTRY_BYTES = 64  # of a neighbour in a set
# Elimination that takes this share of the memory, while what is left is still too large, would go on to take
# all of it.
SETS_SHARE = 0.25


class TooLargeError(Exception):
    """The core needs more bytes of memory than there are."""

    def __init__(self, core_size: int, need: int, free: int) -> None:
        super().__init__(core_size, need, free)
        self.core_size, self.need, self.free = core_size, need, free


class Elimination(NamedTuple):
    """An order of n vertices, of which the last are the core.

    A position is a place in that order. Column c, one of those eliminated, is joined to the positions
    below[start[c]:start[c + 1]], all later than c and in growing order.
    """

    vertex: IntArray  # (n,) by position
    position: IntArray  # (n,) by vertex
    start: IntArray  # (eliminated + 1,)
    below: IntArray  # (entries,)

    @property
    def n_eliminated(self) -> int:
        """How many come before the core."""
        return len(self.start) - 1

    @property
    def core_size(self) -> int:
        """How many are left for the core."""
        return len(self.vertex) - self.n_eliminated


def eliminate(
    n_vertices: int, edges: IntArray, matrices: int = 1, most_joined: int | None = None
) -> Elimination:
    """An order for the graph of `edges` (m, 2), if so many dense matrices of its core fit into memory.

    Eliminating a vertex joins its k neighbours, which takes k² time; with `most_joined`, a graph for which
    all of that is more is too large as well.
    """
    free = available_memory()
    held = 2 * len(edges)  # neighbours in sets, those of eliminated vertices included
    joins = 0

    def check(left: int, share: float) -> None:
        sets, dense = ENTRY_BYTES * held, 8 * matrices * left**2
        if free is not None and sets + dense > free and sets > share * free:
            raise TooLargeError(left, sets + dense, free)

    check(n_vertices, SETS_SHARE)
    around: list[set[int]] = [set() for _ in range(n_vertices)]
    for u, v in edges.tolist():
        around[u].add(v)
        around[v].add(u)
    queue = [(len(near), v) for v, near in enumerate(around)]
    heapify(queue)
    order: list[int] = []
    joined: list[set[int]] = []
    gone = np.zeros(n_vertices, dtype=np.bool_)
    while queue:
        degree, v = heappop(queue)
        if gone[v] or degree != len(around[v]):
            continue  # an entry from before its degree changed
        if degree > max(ALWAYS_ELIMINATE, DENSE_SHARE * (n_vertices - len(order))):
            break
        near = around[v]
        joins += degree**2
        if most_joined is not None and joins > most_joined:
            left = n_vertices - len(order)
            raise TooLargeError(left, 8 * matrices * left**2, free or 0)
        for a in near:
            others = around[a]
            held -= len(others)
            others |= near
            others.discard(a)
            others.discard(v)
            held += len(others)
            heappush(queue, (len(others), a))
        around[v] = set()
        gone[v] = True
        order.append(v)
        joined.append(near)
        check(n_vertices - len(order), SETS_SHARE)
    check(n_vertices - len(order), 0.0)
    vertex = np.concatenate([np.array(order, dtype=np.int64), np.flatnonzero(~gone)])
    position = np.empty(n_vertices, dtype=np.int64)
    position[vertex] = np.arange(n_vertices)
    columns = [np.sort(position[np.fromiter(near, np.int64, len(near))]) for near in joined]
    start = np.cumsum([0, *map(len, columns)])
    return Elimination(vertex, position, start, np.concatenate([np.empty(0, dtype=np.int64), *columns]))
