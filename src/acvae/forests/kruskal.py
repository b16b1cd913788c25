"""Spanning forests of largest or smallest total weight, on an edge list with any real weights."""

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._checks import whole_number
from acvae.exceptions import GraphError

__all__ = ["find_cycle_edge", "spanning_forest"]


def spanning_forest(
    n_vertices: int,
    edges: npt.ArrayLike,
    weights: npt.ArrayLike,
    maximum: bool = True,
    *,
    ties: npt.ArrayLike | None = None,
) -> npt.NDArray[np.bool_]:
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
    n_vertices = whole_number("n_vertices", n_vertices, minimum=0)
    pairs = _check_edges(n_vertices, edges)
    order = _rank_edges(pairs, weights, maximum, ties)
    return _grow_forest(n_vertices, pairs, order)


def find_cycle_edge(n_vertices: int, edges: npt.NDArray[np.int64]) -> int | None:
    """Number of the first edge that closes a cycle with the edges before it, or None for a forest."""
    kept = _grow_forest(n_vertices, edges, np.arange(len(edges)))
    closing = np.flatnonzero(~kept)
    return int(closing[0]) if len(closing) else None


def _check_edges(n_vertices: int, edges: npt.ArrayLike) -> npt.NDArray[np.int64]:
    pairs = _as_array(edges)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
        raise GraphError(f"edges must be integers of shape (m, 2), got {pairs.dtype} {pairs.shape}.")
    if pairs.min() < 0 or pairs.max() >= n_vertices:
        raise GraphError(
            f"edge ids must lie in 0…{n_vertices - 1}, but they span {pairs.min()}…{pairs.max()}."
        )
    return np.ascontiguousarray(pairs, dtype=np.int64)


def _rank_edges(
    pairs: npt.NDArray[np.int64], weights: npt.ArrayLike, maximum: bool, ties: npt.ArrayLike | None
) -> npt.NDArray[np.int64]:
    """Edge numbers from best to worst; sorting is stable, so the edge order is the last criterion."""
    keys = [
        _check_key("weights", weights, len(pairs)),
        *([] if ties is None else [_check_key("ties", ties, len(pairs))]),
    ]
    if maximum:
        # For integers ~x = −x − 1 turns the order around and, unlike −x, cannot overflow.
        keys = [~key if np.issubdtype(key.dtype, np.integer) else -key for key in keys]
    return np.argsort(keys[0], kind="stable") if len(keys) == 1 else np.lexsort(keys[::-1])


def _check_key(name: str, values: npt.ArrayLike, m: int) -> npt.NDArray[Any]:
    key = _as_array(values)
    if key.shape != (m,):
        raise GraphError(f"{name} must have one number per edge: shape ({m},), got {key.shape}.")
    if key.dtype.kind not in "fiub":
        raise GraphError(f"{name} must be real numbers, got {key.dtype}.")
    if key.dtype.kind == "f" and np.isnan(key).any():
        raise GraphError(f"{name} has a NaN at edge {int(np.flatnonzero(np.isnan(key))[0])}.")
    return key.astype(np.int8) if key.dtype.kind == "b" else key


def _as_array(values: Any) -> npt.NDArray[Any]:
    return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)


@numba.njit(cache=True, nogil=True)
def _find(parent: Any, vertex: int) -> int:
    while parent[vertex] != vertex:
        parent[vertex] = parent[parent[vertex]]
        vertex = parent[vertex]
    return vertex


@numba.njit(cache=True, nogil=True)
def _grow_forest(n: int, edges: Any, order: Any) -> Any:
    """Kruskal's algorithm: take each edge, best first, that joins two trees."""
    parent = np.arange(n)
    size = np.ones(n, dtype=np.int64)
    chosen = np.zeros(len(edges), dtype=np.bool_)
    missing = n - 1
    for e in order:
        u, v = _find(parent, edges[e, 0]), _find(parent, edges[e, 1])
        if u == v:
            continue
        if size[u] < size[v]:
            u, v = v, u
        parent[v] = u
        size[u] += size[v]
        chosen[e] = True
        missing -= 1
        if missing == 0:
            break
    return chosen
