"""Common neighbours, of given pairs and of a vertex with all others, by compiled loops over sorted lists."""

from typing import Any

import numba
import numpy as np

__all__ = ["common_in_row", "common_of_pairs"]


@numba.njit(cache=True)
def common_of_pairs(indptr: Any, neighbours: Any, pairs: Any) -> Any:
    """`(number, vertex)`: for each common neighbour of a pair (k, 2), the pair's number and the neighbour."""
    capacity = 0
    for k in range(len(pairs)):
        i, j = pairs[k]
        capacity += min(indptr[i + 1] - indptr[i], indptr[j + 1] - indptr[j])
    number, vertex = np.empty(capacity, dtype=np.int64), np.empty(capacity, dtype=np.int64)
    count = 0
    for k in range(len(pairs)):
        i, j = pairs[k]
        a, b = indptr[i], indptr[j]
        while a < indptr[i + 1] and b < indptr[j + 1]:
            if neighbours[a] == neighbours[b]:
                number[count], vertex[count] = k, neighbours[a]
                count += 1
                a += 1
                b += 1
            elif neighbours[a] < neighbours[b]:
                a += 1
            else:
                b += 1
    return number[:count], vertex[:count]


@numba.njit(cache=True)
def common_in_row(indptr: Any, neighbours: Any, table: Any, row: int) -> Any:
    """`(ids, sums)`: all vertices with a neighbour in common with `row`, and Σ table[u] over those u.

    The vertex itself is left out. Costs the number of paths of two steps from it.
    """
    place = np.full(len(table), -1, dtype=np.int64)
    ids = np.empty(len(table), dtype=np.int64)
    count = 0
    for a in range(indptr[row], indptr[row + 1]):
        u = neighbours[a]
        for b in range(indptr[u], indptr[u + 1]):
            k = neighbours[b]
            if k != row and place[k] < 0:
                place[k], ids[count] = count, k
                count += 1
    sums = np.zeros((count, table.shape[1]), dtype=table.dtype)
    for a in range(indptr[row], indptr[row + 1]):
        u = neighbours[a]
        for b in range(indptr[u], indptr[u + 1]):
            k = neighbours[b]
            if k != row:
                for d in range(table.shape[1]):
                    sums[place[k], d] += table[u, d]
    return ids[:count], sums
