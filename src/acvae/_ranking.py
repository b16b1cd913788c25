"""Ranks of links within rows of distances: how many entries are not farther, counted exactly."""

from typing import Any

import numba
import numpy as np

__all__ = ["rank_block"]

# A row with fewer links than this is read once per link, many entries at a time; others are read once, each
# entry finding its place among the links by bisection.
FEW_LINKS = 1000


@numba.njit(cache=True, nogil=True)
def rank_block(
    block: Any,
    rows: Any,
    position: Any,
    train_ptr: Any,
    train_nbr: Any,
    test_ptr: Any,
    test_nbr: Any,
    train_rank: Any,
    test_rank: Any,
) -> None:
    """Write the train and test ranks of all links of the rows of a block of distances.

    `position[v]` is the column of vertex v. A rank counts the entries not farther than the link itself, the
    vertex's own left out, and for a test link also those of its train neighbours.
    """
    for r in range(len(rows)):
        i = rows[r]
        n_train = train_ptr[i + 1] - train_ptr[i]
        n_test = test_ptr[i + 1] - test_ptr[i]
        links = n_train + n_test
        distance = np.empty(links, dtype=block.dtype)
        for t in range(n_train):
            distance[t] = block[r, position[train_nbr[train_ptr[i] + t]]]
        for t in range(n_test):
            distance[n_train + t] = block[r, position[test_nbr[test_ptr[i] + t]]]
        order = np.argsort(distance, kind="mergesort")
        bound = distance[order]
        if links < FEW_LINKS:
            not_farther = _count_each(block[r], bound)
        else:
            not_farther = _count_by_bisection(block[r], bound)
        own = block[r, position[i]]  # the vertex itself is no candidate
        t = 0
        known = 0  # train neighbours not farther than the current bound
        while t < links:
            last = t
            while last < links and bound[last] == bound[t]:
                if order[last] < n_train:
                    known += 1
                last += 1
            rank = not_farther[t] - (1 if own <= bound[t] else 0)
            for s in range(t, last):
                if order[s] < n_train:
                    train_rank[train_ptr[i] + order[s]] = rank
                else:
                    test_rank[test_ptr[i] + order[s] - n_train] = rank - known
            t = last


@numba.njit(cache=True, nogil=True)
def _count_each(row: Any, bound: Any) -> Any:
    """Entries not above each bound, a pass over the row for each; the compiler vectorises the pass."""
    out = np.empty(len(bound), dtype=np.int64)
    for t in range(len(bound)):
        limit = bound[t]
        count = np.int32(0)
        for c in range(len(row)):
            count += np.int32(row[c] <= limit)
        out[t] = count
    return out


@numba.njit(cache=True, nogil=True)
def _count_by_bisection(row: Any, bound: Any) -> Any:
    """Entries not above each bound, in one pass; at equal bounds only the first is right."""
    count = np.zeros(len(bound), dtype=np.int64)
    farthest = bound[len(bound) - 1]
    for c in range(len(row)):
        x = row[c]
        if x <= farthest:
            low, high = 0, len(bound) - 1  # first bound that is ≥ x
            while low < high:
                middle = (low + high) // 2
                if bound[middle] < x:
                    low = middle + 1
                else:
                    high = middle
            count[low] += 1
    return np.cumsum(count)
