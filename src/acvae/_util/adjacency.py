"""Neighbour lists (CSR) of an undirected edge list, for all that walk on a graph or a forest."""

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

__all__ = ["adjacency", "neighbour_lists"]

IntArray = npt.NDArray[np.int64]


def adjacency(n_vertices: int, edges: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """`(indptr, neighbour, edge number)`: vertex v meets `neighbour[t]` by edge `number[t]`, t in its list.

    The lists lie one after the other, that of v from `indptr[v]` to `indptr[v + 1]`. Each is in the order of
    the edges; for canonical edges (u < v, sorted) that is by growing id.
    """
    number = np.empty(2 * len(edges), dtype=np.int64)
    indptr, neighbours = _lists(n_vertices, edges, np.int64, number)
    return indptr, neighbours, number


def neighbour_lists(
    n_vertices: int, edges: IntArray, *, narrow: bool = False
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """`(indptr, neighbour)`, as `adjacency`; `narrow` makes them int32 where that is enough."""
    small = narrow and max(n_vertices, 2 * len(edges)) <= np.iinfo(np.int32).max
    return _lists(n_vertices, edges, np.int32 if small else np.int64, np.empty(0, dtype=np.int64))


def _lists(
    n: int, edges: IntArray, dtype: Any, number: IntArray
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    pairs = np.ascontiguousarray(edges)
    indptr = np.zeros(n + 1, dtype=dtype)
    np.cumsum(np.bincount(pairs.ravel(), minlength=n), out=indptr[1:])
    neighbours = np.empty(2 * len(pairs), dtype=dtype)
    _fill(pairs, indptr[:-1].copy(), neighbours, number)
    return indptr, neighbours


@numba.njit(cache=True, nogil=True)
def _fill(edges: Any, fill: Any, neighbours: Any, number: Any) -> None:
    for e in range(len(edges)):
        u, v = edges[e, 0], edges[e, 1]
        neighbours[fill[u]], neighbours[fill[v]] = v, u
        if len(number):
            number[fill[u]], number[fill[v]] = e, e
        fill[u] += 1
        fill[v] += 1
