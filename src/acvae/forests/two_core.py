"""The 2-core of a graph: what is left when vertices of degree one are taken away again and again."""

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

__all__ = ["adjacency", "two_core_edges"]


def adjacency(n_vertices: int, edges: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """`(indptr, neighbours)` of an undirected edge list, in 32 bits where they are enough."""
    u, v = edges.T
    ends = (np.concatenate([u, v]), np.concatenate([v, u]))
    matrix = sp.csr_array((np.ones(2 * len(u), dtype=np.int8), ends), shape=(n_vertices, n_vertices))
    return matrix.indptr, matrix.indices


def two_core_edges(n_vertices: int, edges: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Mask (m,) of the edges inside the 2-core; all others are on no cycle."""
    inside = _peel(*adjacency(n_vertices, edges))
    return inside[edges].all(axis=1)


@numba.njit(cache=True, nogil=True)
def _peel(indptr: Any, neighbours: Any) -> Any:
    n = len(indptr) - 1
    degree = indptr[1:] - indptr[:-1]
    inside = degree > 0
    for start in range(n):
        v = start
        while inside[v] and degree[v] <= 1:  # on to the neighbour, which may have become a leaf
            inside[v] = False
            for w in neighbours[indptr[v] : indptr[v + 1]]:
                if inside[w]:
                    degree[w] -= 1
                    v = w
                    break
    return inside
