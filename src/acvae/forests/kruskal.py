"""Spanning forests of largest or smallest total weight, on an edge list with any real weights.

Kruskal's algorithm takes the edges from best to worst, but most edges need not be sorted: once the best few
per vertex are taken, nearly every other edge joins vertices that are joined already. So a front of the best
edges is sorted and taken, what it made superfluous is dropped, and the rest goes the same way (the filter
of Osipov, Sanders and Singler, 2009). The result is the one that a full sort gives.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.checks import as_array, flag
from acvae._util.edge_lists import vertex_count
from acvae._util.threads import over_ranges
from acvae.exceptions import GraphError
from acvae.forests.radix import sort_by_key

__all__ = ["find_cycle_edge", "spanning_forest"]

SMALL = 20_000  # edges that are sorted at once
FRONT_PER_VERTEX = 2  # edges in the first front; it doubles, so that there are few fronts whatever happens
SAMPLE = 4096  # edges from which the worst of a front is guessed
BLOCK = 1024  # edges whose ends are fetched together
THREAD_EDGES = 100_000  # a pass over fewer edges is not shared among threads

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def spanning_forest(
    n_vertices: int,
    edges: npt.ArrayLike,
    weights: npt.ArrayLike,
    maximum: bool = True,
    *,
    ties: npt.ArrayLike | None = None,
) -> BoolArray:
    """Edges of the maximum (or minimum) spanning forest, one spanning tree per connected component.

    Weights are real numbers of either sign; zero is a weight like any other and infinities are allowed.
    The result is deterministic: among equal weights the edge with the better `ties` value comes first, in
    the same direction as `maximum`, and then the earlier edge.

    Parameters
    ----------
    n_vertices
        Number of vertices; isolated ones are allowed.
    edges
        (m, 2) vertex ids. Self-loops are never chosen; parallel edges compete with each other.
    weights
        (m,) one number per edge.
    maximum
        Largest total weight, or smallest if false.
    ties
        (m,) second criterion among equal weights.

    Returns
    -------
    Boolean mask (m,) with `n_vertices` − (number of components) true entries.
    """
    n_vertices = vertex_count(n_vertices)
    maximum = flag("maximum", maximum)
    pairs = _check_edges(n_vertices, edges)
    keys = _sort_keys("weights", weights, len(pairs), maximum)
    if ties is not None:
        second = _sort_keys("ties", ties, len(pairs), maximum)
        return _take(n_vertices, pairs, np.lexsort((second, keys)))
    if len(pairs) <= SMALL:
        return _take(n_vertices, pairs, sort_by_key(np.arange(len(pairs)), keys))
    return _filtered(n_vertices, pairs, keys, FRONT_PER_VERTEX * n_vertices)


def find_cycle_edge(n_vertices: int, edges: IntArray) -> int | None:
    """Number of the first edge that closes a cycle with the edges before it, or None for a forest."""
    kept = _take(n_vertices, edges, np.arange(len(edges)))
    closing = np.flatnonzero(~kept)
    return int(closing[0]) if len(closing) else None


def _check_edges(n_vertices: int, edges: npt.ArrayLike) -> IntArray:
    pairs = as_array("edges", edges, GraphError)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
        raise GraphError(f"edges must be integers of shape (m, 2), got {pairs.dtype} {pairs.shape}.")
    if pairs.min() < 0 or pairs.max() >= n_vertices:
        raise GraphError(
            f"edge ids must lie in 0…{n_vertices - 1}, but they span {pairs.min()}…{pairs.max()}."
        )
    return np.ascontiguousarray(pairs, dtype=np.int64)


def _sort_keys(name: str, values: npt.ArrayLike, m: int, maximum: bool) -> IntArray:
    """int64 (m,) in the order of the values, or in the opposite order; equal where they are equal."""
    given = as_array(name, values, GraphError)
    if given.shape != (m,):
        raise GraphError(f"{name} must have one number per edge: shape ({m},), got {given.shape}.")
    kind, width = given.dtype.kind, given.dtype.itemsize
    if kind not in "fiub":
        raise GraphError(f"{name} must be real numbers, got {given.dtype}.")
    if kind == "f" and np.isnan(given).any():
        raise GraphError(f"{name} has a NaN at edge {int(np.flatnonzero(np.isnan(given))[0])}.")
    if width > 8:  # extended precision
        keys = np.unique(given, return_inverse=True)[1].astype(np.int64)
    elif kind == "f":
        keys = np.add(given, 0.0, dtype=np.float64).view(np.int64)  # −0.0 + 0.0 is 0.0
        _order_bits(keys)
    elif kind == "u" and width == 8:
        keys = (given ^ np.uint64(2**63)).view(np.int64)
    else:
        keys = given.astype(np.int64)
    # ~x = −x − 1 turns the order around and, unlike −x, cannot overflow.
    return np.invert(keys, out=keys) if maximum else keys


def _take(n: int, edges: IntArray, order: npt.NDArray[Any]) -> BoolArray:
    """Kruskal's algorithm on edges in a given order."""
    chosen = np.zeros(len(edges), dtype=np.bool_)
    _join(_singletons(n), edges, order, chosen)
    return chosen


def _filtered(n: int, edges: IntArray, keys: IntArray, front_size: int) -> BoolArray:
    """Kruskal's algorithm in the order of (key, edge number), front by front."""
    chosen = np.zeros(len(edges), dtype=np.bool_)
    parent = _singletons(n)
    rest = np.arange(len(edges), dtype=_index_type(len(edges)))
    draw = np.random.default_rng(0)
    while len(rest) > 2 * front_size:
        sample = rest[draw.integers(0, len(rest), SAMPLE)]
        sample = sample[np.lexsort((sample, keys[sample]))]
        last = sample[SAMPLE * front_size // len(rest)]  # about the worst of the best `front_size`
        front = _compress(lambda *where: _better(keys, last, *where), rest)  # noqa: B023 (called at once)
        _join(parent, edges, sort_by_key(front, keys), chosen)
        _flatten(parent)
        rest = _compress(lambda *where: _worse_unjoined(keys, last, edges, parent, *where), rest)  # noqa: B023
        front_size *= 2
    _join(parent, edges, sort_by_key(rest, keys), chosen)
    return chosen


def _compress(select: Callable[..., int], some: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Edge numbers that `select(some, start, stop, out)` copies to the start of `out`, in their order."""
    out = np.empty_like(some)
    pieces: list[tuple[int, int]] = []

    def work(start: int, stop: int) -> None:
        pieces.append((start, select(some, start, stop, out[start:stop])))

    over_ranges(work, len(some), at_least=THREAD_EDGES)
    return np.concatenate([out[start : start + count] for start, count in sorted(pieces)])


def _singletons(n: int) -> npt.NDArray[Any]:
    return np.arange(n, dtype=_index_type(n))


def _index_type(count: int) -> Any:
    return np.int32 if count < 2**31 else np.int64


@numba.njit(cache=True, nogil=True)
def _order_bits(keys: Any) -> None:
    """Bits of floats, read as whole numbers, into their order: those of negative floats run backwards."""
    for i in range(len(keys)):
        if keys[i] < 0:
            keys[i] ^= 0x7FFF_FFFF_FFFF_FFFF


@numba.njit(cache=True, nogil=True)
def _better(keys: Any, last: int, some: Any, start: int, stop: int, out: Any) -> int:
    """Edges up to the `last` one, itself included."""
    count = 0
    for i in range(start, stop):
        e = some[i]
        out[count] = e
        count += keys[e] < keys[last] or (keys[e] == keys[last] and e <= last)
    return count


@numba.njit(cache=True, nogil=True)
def _worse_unjoined(
    keys: Any, last: int, edges: Any, root: Any, some: Any, start: int, stop: int, out: Any
) -> int:
    """Edges after the `last` one whose ends are in different trees."""
    count = 0
    for i in range(start, stop):
        e = some[i]
        out[count] = e
        after = keys[e] > keys[last] or (keys[e] == keys[last] and e > last)
        count += after and root[edges[e, 0]] != root[edges[e, 1]]
    return count


@numba.njit(cache=True, nogil=True)
def _flatten(parent: Any) -> None:
    """Point every vertex at its root; parents are never smaller than their children."""
    for v in range(len(parent) - 1, -1, -1):
        parent[v] = parent[parent[v]]


@numba.njit(cache=True, nogil=True)
def _join(parent: Any, edges: Any, order: Any, chosen: Any) -> None:
    """Take each edge, in order, that joins two trees (Rem's union-find: the larger root wins)."""
    ends = np.empty((BLOCK, 2), dtype=parent.dtype)
    for start in range(0, len(order), BLOCK):
        some = order[start : start + BLOCK]
        for i in range(len(some)):  # all at once: loads that do not wait for one another
            ends[i, 0], ends[i, 1] = edges[some[i], 0], edges[some[i], 1]
        for i in range(len(some)):
            u, v = ends[i, 0], ends[i, 1]
            while parent[u] != parent[v]:
                if parent[u] > parent[v]:
                    u, v = v, u
                above = parent[u]
                parent[u] = parent[v]
                if above == u:
                    chosen[some[i]] = True
                    break
                u = above
