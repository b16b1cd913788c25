"""The 2-core of a graph: what is left when vertices of degree one are taken away again and again."""

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.adjacency import neighbour_lists

__all__ = ["two_core_edges"]


def two_core_edges(n_vertices: int, edges: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Mask (m,) of the edges inside the 2-core; all others are on no cycle."""
    inside = _peel(*neighbour_lists(n_vertices, edges, narrow=True))
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
