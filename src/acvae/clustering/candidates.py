"""Merges that are certain from a few nearest clusters of each, without all distances in memory.

Each cluster holds a list of clusters with exact distances, and a bound: whatever is not wholly in the list is
at least so far away. Merges only make distances grow, so that bounds stay true:

- of a cluster C that is made of several in the list of A, the distance is the largest of theirs;
- of C of which a part is not in the list, the distance is at least the bound;
- A ∪ B keeps what both lists hold, at the larger of both distances; for the rest the larger of what is known
  of either side, a distance or a bound, is a new bound.

The nearest in a list is the nearest of all as long as it is not beyond the bound. Chains of such neighbours
end in merges, as in `condensed`, or at a cluster whose list has nothing left to say; that one and the whole
chain then wait for new lists.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.threads import over_ranges
from acvae.clustering.cluster_distances import ClusterDistances
from acvae.clustering.merges import Merges, root_of

__all__ = ["NearestLists", "merge_certain", "nearest_lists"]

NODES_AT_A_TIME = 1024  # chains begun before Ctrl-C is heard
SAMPLE = 256  # entries of a row from which to guess which are its smallest
ROWS_AT_A_TIME = 512  # lists renumbered at a time


class NearestLists(NamedTuple):
    """Lists of m clusters: nodes of `Merges` (m, length) and distances to them, how many, and bounds (m,)."""

    nodes: npt.NDArray[np.int32]
    distances: npt.NDArray[Any]
    held: npt.NDArray[np.int64]
    bound: npt.NDArray[Any]


def nearest_lists(
    clusters: ClusterDistances, roots: npt.NDArray[np.int64], length: int, *, progress: bool = False
) -> NearestLists:
    """The nearest clusters of each, up to `length` of them; `roots` (m,) are the clusters' nodes."""
    m = clusters.m
    length = min(length, m - 1)
    nearest = np.empty((m, length), dtype=np.int32)
    distances = np.empty((m, length), dtype=clusters.dtype)
    bound = np.empty(m, dtype=clusters.dtype)
    for group, rows in clusters.rows(progress=progress):

        def select(a: int, b: int, group: Any = group, rows: Any = rows) -> None:
            _select(rows[a:b], group[a:b], nearest, distances, bound)

        over_ranges(select, len(group))
    over_ranges(lambda a, b: _agree(nearest, distances, a, b), m, at_least=64)
    for start in range(0, m, ROWS_AT_A_TIME):
        part = nearest[start : start + ROWS_AT_A_TIME]
        part[:] = roots[part]
    return NearestLists(nearest, distances, np.full(m, length), bound)


def merge_certain(merges: Merges, lists: NearestLists) -> None:
    """Make all merges that are certain; `lists` are those of the roots of `merges`, in order, and used up."""
    slot = np.full(len(merges.parent), -1, dtype=np.int32)  # the list of a node
    slot[merges.roots] = np.arange(len(lists.held))
    waiting = np.zeros(len(slot), dtype=np.bool_)
    place = np.full(len(slot), -1, dtype=np.int32)
    begin = 0
    while begin < merges.nodes:
        end = min(begin + NODES_AT_A_TIME, merges.nodes)
        merges.nodes = _follow_chains(
            begin,
            end,
            merges.parent,
            merges.size,
            merges.first,
            merges.sides,
            merges.height,
            merges.nodes,
            *lists,
            slot,
            waiting,
            place,
        )
        begin = end


@numba.njit(cache=True, nogil=True)
def _select(rows: Any, numbers: Any, nearest: Any, distances: Any, bound: Any) -> None:
    """Write the nearest clusters of each row into the list of its number, in the order of their numbers.

    Of clusters equally far at the end of the list those are taken whose numbers are next to the row's own, so
    that among many equals lists differ.
    """
    m, length = rows.shape[1], nearest.shape[1]
    near, number = np.empty(m, dtype=rows.dtype), np.empty(m, dtype=np.int64)
    sample = np.empty(min(SAMPLE, m), dtype=rows.dtype)
    share = len(sample) * length / m
    likely = min(len(sample) - 1, int(share + 3 * np.sqrt(share)) + 2)
    for r in range(len(rows)):
        row, own = rows[r], numbers[r]
        row[own] = np.inf
        for t in range(len(sample)):
            sample[t] = row[t * m // len(sample)]
        guess = np.partition(sample, likely)[likely]
        found = _up_to(row, guess, near, number)
        if found <= length:
            found = _up_to(row, np.inf, near, number)
        limit = np.partition(near[:found], length)[length]  # of the first one that is left out
        below, equal, before = 0, 0, 0
        for t in range(found):
            below += near[t] < limit
            if near[t] == limit and number[t] != own:
                equal += 1
                before += number[t] < own
        wanted = length - below
        skip = max(0, min(before - wanted // 2, equal - wanted))
        held, seen = 0, 0
        for t in range(found):
            if near[t] > limit or number[t] == own:
                continue
            if near[t] == limit:
                seen += 1
                if seen <= skip or seen > skip + wanted:
                    continue
            nearest[own, held], distances[own, held] = number[t], near[t]
            held += 1
        bound[own] = limit


@numba.njit(cache=True, nogil=True)
def _up_to(row: Any, limit: Any, near: Any, number: Any) -> int:
    """Copy the entries of a row that are not above a limit, and their numbers; returns how many."""
    found = 0
    for c in range(len(row)):
        near[found], number[found] = row[c], c
        found += row[c] <= limit
    return found


@numba.njit(cache=True, nogil=True)
def _agree(nearest: Any, distances: Any, first: int, last: int) -> None:
    """Where two clusters list each other, both take the distance from the row of the smaller number."""
    length = nearest.shape[1]
    for c in range(first, last):
        for t in range(length):
            other = nearest[c, t]
            if other > c:
                break
            at = np.searchsorted(nearest[other], c)
            if at < length and nearest[other, at] == c:
                distances[c, t] = distances[other, at]


@numba.njit(cache=True, nogil=True)
def _follow_chains(
    begin: int,
    end: int,
    parent: Any,
    size: Any,
    first: Any,
    sides: Any,
    height: Any,
    nodes: int,
    nearest: Any,
    distances: Any,
    count: Any,
    bound: Any,
    slot: Any,
    waiting: Any,
    place: Any,
) -> int:
    """Follow chains from the nodes begin … end − 1; returns how many nodes there are afterwards."""
    n = len(height) + 1
    chain = np.empty(n, dtype=np.int64)
    reached = np.empty(n, dtype=distances.dtype)  # from each in the chain to the next
    in_chain = np.zeros(len(parent), dtype=np.bool_)
    covered = np.empty(nearest.shape[1], dtype=np.int64)
    for node in range(begin, end):
        if parent[node] >= 0 or waiting[node]:
            continue
        chain[0], in_chain[node] = node, True
        length = 1
        while length > 0:
            x = chain[length - 1]
            before = chain[length - 2] if length > 1 else -1
            own = slot[x]
            _bring_up_to_date(own, nearest, distances, count, parent, size, place, covered)
            y, distance = _nearest(own, nearest, distances, count, before)
            if y < 0 or distance > bound[own] or waiting[y]:
                for t in range(length):
                    waiting[chain[t]] = True
                    in_chain[chain[t]] = False
                break
            if not in_chain[y]:
                reached[length - 1] = distance
                chain[length], in_chain[y] = y, True
                length += 1
                continue
            # y is the one before; if it is an earlier one, that and the one before are equally far up to
            # rounding, since distances along a chain do not grow.
            y = before
            new = nodes
            nodes += 1
            sides[new - n, 0], sides[new - n, 1] = x, y
            high = np.float64(distance if first[x] < first[y] else reached[length - 2])
            for side in (x, y):
                if side >= n:
                    high = max(high, height[side - n])
            height[new - n] = high
            size[new], first[new] = size[x] + size[y], min(first[x], first[y])
            parent[x], parent[y] = new, new
            for side in (x, y):
                _bring_up_to_date(slot[side], nearest, distances, count, parent, size, place, covered)
                in_chain[side] = False
            slot[new] = own
            _unite(own, slot[y], nearest, distances, count, bound, place)
            length -= 2
            if length == 0:
                chain[0], in_chain[new] = new, True
                length = 1
    return nodes


@numba.njit(cache=True, nogil=True)
def _bring_up_to_date(
    own: int, nearest: Any, distances: Any, count: Any, parent: Any, size: Any, place: Any, covered: Any
) -> None:
    """Replace what is in a list by the clusters of now, where all of a cluster is there.

    `place` is −1 for every node, and left so; `covered` is scratch space.
    """
    nodes, distance = nearest[own], distances[own]
    found = 0
    for t in range(count[own]):
        node = nodes[t]
        root = root_of(parent, node)
        at = place[root]
        if at < 0:
            place[root] = found
            nodes[found], distance[found], covered[found] = root, distance[t], size[node]
            found += 1
        else:
            distance[at] = max(distance[at], distance[t])
            covered[at] += size[node]
    kept = 0
    for t in range(found):
        root = nodes[t]
        place[root] = -1
        if covered[t] == size[root]:
            nodes[kept], distance[kept] = root, distance[t]
            kept += 1
    count[own] = kept


@numba.njit(cache=True, nogil=True)
def _nearest(own: int, nearest: Any, distances: Any, count: Any, before: int) -> tuple[int, Any]:
    """The nearest in a list: among equals the one before in the chain, else the smallest node."""
    y, least = -1, distances.dtype.type(np.inf)
    for t in range(count[own]):
        other, distance = nearest[own, t], distances[own, t]
        if distance < least or (distance == least and y != before and (other < y or other == before)):
            y, least = other, distance
    return y, least


@numba.njit(cache=True, nogil=True)
def _unite(a: int, b: int, nearest: Any, distances: Any, count: Any, bound: Any, place: Any) -> None:
    """Make the list a that of both clusters; both are up to date."""
    limit = max(bound[a], bound[b])
    for t in range(count[b]):
        place[nearest[b, t]] = t
    kept = 0
    for t in range(count[a]):
        node = nearest[a, t]
        at = place[node]
        if at >= 0:
            place[node] = -1
            nearest[a, kept], distances[a, kept] = node, max(distances[a, t], distances[b, at])
            kept += 1
        else:
            limit = min(limit, max(distances[a, t], bound[b]))
    for t in range(count[b]):
        if place[nearest[b, t]] >= 0:
            place[nearest[b, t]] = -1
            limit = min(limit, max(distances[b, t], bound[a]))
    count[a], bound[a] = kept, limit
