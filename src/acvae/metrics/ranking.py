"""Ranks of links within rows of distances: how many entries are not farther, counted exactly."""

from typing import Any

import numba
import numpy as np

__all__ = ["rank_block"]

# A row with fewer links than this is read once per four links, many entries at a time; others are read once,
# each entry counted in a bucket of distances.
FEW_LINKS = 300
BUCKETS = 4096


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
) -> int:
    """Write the train and test ranks of all links of the rows of a block of distances.

    `position[v]` is the column of vertex v. A rank counts the entries not farther than the link itself, the
    vertex's own left out, and for a test link also those of its train neighbours. Returns −1, or a vertex
    with a link whose distance is not a number, which has no rank.
    """
    count = np.empty((2, BUCKETS), dtype=np.int32)
    mixed = np.zeros(BUCKETS, dtype=np.uint8)
    near = np.empty(block.shape[1] + 1, dtype=block.dtype)
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
        if np.isnan(distance).any():
            return i
        order = np.argsort(distance, kind="mergesort")
        bound = distance[order]
        if links < FEW_LINKS:
            not_farther = _count_each(block[r], bound)
        else:
            not_farther = _count_by_buckets(block[r], bound, count, mixed, near)
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
    return -1


@numba.njit(cache=True, nogil=True)
def _count_each(row: Any, bound: Any) -> Any:
    """Entries not above each bound, a pass over the row for every four; the compiler vectorises the pass.

    Sums are kept to 32 bits, which numba would widen: twice as many fit an instruction.
    """
    links = len(bound)
    out = np.empty(links + 3, dtype=np.int64)
    for t in range(0, links, 4):
        last = links - 1
        a, b, c, d = bound[t], bound[min(t + 1, last)], bound[min(t + 2, last)], bound[min(t + 3, last)]
        n_a, n_b, n_c, n_d = np.int32(0), np.int32(0), np.int32(0), np.int32(0)
        for k in range(len(row)):
            x = row[k]
            n_a = np.int32(n_a + np.int32(x <= a))
            n_b = np.int32(n_b + np.int32(x <= b))
            n_c = np.int32(n_c + np.int32(x <= c))
            n_d = np.int32(n_d + np.int32(x <= d))
        out[t], out[t + 1], out[t + 2], out[t + 3] = n_a, n_b, n_c, n_d
    return out[:links]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _count_by_buckets(row: Any, bound: Any, count: Any, mixed: Any, near: Any) -> Any:
    """Entries not above each bound, in one pass: buckets are counted, and compared only where a bound is.

    `count`, `mixed` (zero, and left so) and `near` are scratch space: entries of each bucket, whether a bound
    lies in it, and the entries of buckets where one does.
    """
    last = len(mixed) - 1
    low = bound[0]
    scale = row.dtype.type((last - 2) / (bound[len(bound) - 1] - low))
    if not (np.isfinite(scale) and scale > 0):  # bounds next to each other, or infinitely far apart
        return np.searchsorted(np.sort(row), bound, side="right")
    count[:] = 0
    for t in range(len(bound)):
        mixed[_bucket(bound[t], low, scale, last)] = 1
    n_near = 0
    # Neighbouring entries are counted apart: adding to the same place twice in a row would wait.
    for c in range(0, len(row) - 1, 2):
        x, y = row[c], row[c + 1]
        a, b = _bucket(x, low, scale, last), _bucket(y, low, scale, last)
        count[0, a] += 1
        count[1, b] += 1
        near[n_near] = x
        n_near += mixed[a]
        near[n_near] = y
        n_near += mixed[b]
    if len(row) % 2:
        x = row[len(row) - 1]
        a = _bucket(x, low, scale, last)
        count[0, a] += 1
        near[n_near] = x
        n_near += mixed[a]
    ordered = np.sort(near[:n_near])
    before = np.zeros(len(bound), dtype=np.int64)  # entries in whole buckets below the bound's own
    total, b = 0, 0
    for t in range(len(bound)):
        own = _bucket(bound[t], low, scale, last)
        while b < own:
            if mixed[b] == 0:
                total += count[0, b] + count[1, b]
            b += 1
        before[t] = total
    out = np.empty(len(bound), dtype=np.int64)
    for t in range(len(bound)):
        out[t] = before[t] + np.searchsorted(ordered, bound[t], side="right")
    for t in range(len(bound)):
        mixed[_bucket(bound[t], low, scale, last)] = 0
    return out


@numba.njit(cache=True, nogil=True, inline="always")
def _bucket(x: Any, low: Any, scale: Any, last: int) -> int:
    """0 below `low`, then growing with x up to `last`."""
    y = (x - low) * scale + 1
    if not y < last:  # or not a number, which is farther than all
        return last
    return int(y) if y > 0 else 0
