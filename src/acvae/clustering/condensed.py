"""Complete linkage of clusters whose distances are all in memory, by chains of nearest neighbours.

A chain goes from a cluster to its nearest, on to the nearest of that, until two are nearest to each other;
these are merged, and the rest of the chain stays valid, because merges only make distances grow. Ties are
broken as SciPy breaks them: for the one before in the chain, else for the smallest number.
"""

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.progress import Progress

__all__ = ["merge_condensed"]

MERGES_AT_A_TIME = 256  # between these, progress is shown and Ctrl-C is heard


def merge_condensed(
    distances: npt.NDArray[Any], m: int, *, progress: bool = False
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Merge m clusters into one: pairs (m − 1, 2) of numbers of clusters and heights (m − 1,), in order.

    The merged cluster goes by the larger number of the two. `distances` is the upper triangle, row after row,
    and is overwritten.
    """
    pairs = np.empty((m - 1, 2), dtype=np.int64)
    height = np.empty(m - 1)
    alive = np.ones(m, dtype=np.bool_)
    chain = np.empty(m, dtype=np.int64)
    length = 0
    with Progress(m - 1, "merges", show=progress) as shown:
        for start in range(0, m - 1, MERGES_AT_A_TIME):
            stop = min(start + MERGES_AT_A_TIME, m - 1)
            left = np.flatnonzero(alive)
            length = _merge(distances, m, alive, left, chain, length, pairs[start:stop], height[start:stop])
            shown.advance(stop - start)
    return pairs, height


@numba.njit(cache=True, nogil=True, inline="always")
def _place(m: int, i: int, j: int) -> int:
    """Where the pair i < j stands in the upper triangle of m rows."""
    return i * m - i * (i + 1) // 2 + j - i - 1


@numba.njit(cache=True, nogil=True)
def _merge(
    distances: Any, m: int, alive: Any, left: Any, chain: Any, length: int, pairs: Any, height: Any
) -> int:
    """As many merges as there is room for in `pairs`; `left` holds all that are alive, in order."""
    for t in range(len(pairs)):
        if length == 0:
            for i in left:
                if alive[i]:
                    chain[0] = i
                    length = 1
                    break
        while True:
            x = chain[length - 1]
            y, nearest = -1, distances.dtype.type(np.inf)
            if length > 1:
                y = chain[length - 2]
                nearest = distances[_place(m, min(x, y), max(x, y))]
            for i in left:
                if alive[i] and i != x:
                    distance = distances[_place(m, min(x, i), max(x, i))]
                    if distance < nearest:
                        y, nearest = i, distance
            if length > 1 and y == chain[length - 2]:
                break
            chain[length] = y
            length += 1
        length -= 2
        x, y = min(x, y), max(x, y)
        pairs[t, 0], pairs[t, 1], height[t] = x, y, nearest
        alive[x] = False
        for i in left:
            if alive[i] and i != y:
                gone = distances[_place(m, min(x, i), max(x, i))]
                at = _place(m, min(y, i), max(y, i))
                distances[at] = max(distances[at], gone)
    return length
