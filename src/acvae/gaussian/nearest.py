"""The smallest entries of blocks of distances: which vertices are nearest."""

from collections.abc import Iterable
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae.graph import Graph

__all__ = ["nearest_of_blocks", "select_nearest"]

IntArray = npt.NDArray[np.int64]


def nearest_of_blocks(
    blocks: Iterable[tuple[IntArray, IntArray, npt.NDArray[Any]]],
    rows: IntArray,
    k: int,
    exclude: Graph,
    dtype: np.dtype[Any],
) -> tuple[IntArray, npt.NDArray[Any]]:
    """Ids and distances (r, k) of the nearest of each of the sorted `rows`; else −1 and infinity."""
    most = min(k, exclude.n_vertices)
    best = np.full((len(rows), k), -1, dtype=np.int64)
    distance = np.full((len(rows), k), np.inf, dtype=dtype)
    for at, columns, block in blocks:
        found, value = select_nearest(block, at, columns, *exclude.csr, most)
        slot = np.searchsorted(rows, at)
        best[slot, :most], distance[slot, :most] = found, value
    return best, distance


@numba.njit(cache=True, nogil=True)
def select_nearest(
    block: Any, rows: Any, columns: Any, indptr: Any, neighbour: Any, k: int
) -> tuple[Any, Any]:
    """The k smallest (distance, id) of each row of a block, by a heap with the worst on top."""
    ids = np.full((len(rows), k), -1, dtype=np.int64)
    best = np.full((len(rows), k), np.inf, dtype=block.dtype)
    hidden = np.zeros(len(columns), dtype=np.bool_)
    for r in range(len(rows)):
        i = rows[r]
        hidden[i] = True
        for t in range(indptr[i], indptr[i + 1]):
            hidden[neighbour[t]] = True
        size = 0
        for c in range(len(columns)):
            x, j = block[r, c], columns[c]
            if size == k and (x > best[r, 0] or (x == best[r, 0] and j > ids[r, 0])):
                continue
            if hidden[j]:
                continue
            if size < k:  # grow: sift the new entry up
                at = size
                size += 1
                while at > 0:
                    up = (at - 1) // 2
                    if best[r, up] > x or (best[r, up] == x and ids[r, up] > j):
                        break
                    best[r, at], ids[r, at] = best[r, up], ids[r, up]
                    at = up
            else:  # replace the worst: sift down
                at = 0
                while True:
                    child = 2 * at + 1
                    if child >= k:
                        break
                    other = child + 1
                    if other < k and (
                        best[r, other] > best[r, child]
                        or (best[r, other] == best[r, child] and ids[r, other] > ids[r, child])
                    ):
                        child = other
                    if x > best[r, child] or (x == best[r, child] and j > ids[r, child]):
                        break
                    best[r, at], ids[r, at] = best[r, child], ids[r, child]
                    at = child
            best[r, at], ids[r, at] = x, j
        for first in range(size):  # k is small: put the heap in order by selection
            least = first
            for t in range(first + 1, size):
                if best[r, t] < best[r, least] or (
                    best[r, t] == best[r, least] and ids[r, t] < ids[r, least]
                ):
                    least = t
            best[r, first], best[r, least] = best[r, least], best[r, first]
            ids[r, first], ids[r, least] = ids[r, least], ids[r, first]
        hidden[i] = False
        for t in range(indptr[i], indptr[i + 1]):
            hidden[neighbour[t]] = False
    return ids, best
