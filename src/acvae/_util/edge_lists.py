"""What users call edges and names, turned into arrays: checked, canonical, numbered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae.exceptions import GraphError, UnknownNameError, did_you_mean

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def as_pairs(edges: Any) -> IntArray:
    """Any edge array as int64 (m, 2); floats, booleans and other shapes are refused."""
    if hasattr(edges, "n_vertices") and hasattr(edges, "edges"):
        return edges.edges
    try:
        array = np.asarray(edges.detach().cpu() if hasattr(edges, "detach") else edges)
    except ValueError as error:  # rows of different lengths
        raise GraphError(f"edges must have shape (m, 2): {error}") from None
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise GraphError(f"edges must have shape (m, 2), got {array.shape}.")
    if not np.issubdtype(array.dtype, np.integer):
        raise GraphError(
            f"edges must be integers, got {array.dtype}; for ids or names of your own use Graph.from_edges."
        )
    return array.astype(np.int64, copy=False)


def canonical(n: int, pairs: IntArray) -> tuple[IntArray, int, int]:
    """Rows u < v, unique and sorted, with the number of self-loops and of duplicates removed."""
    pairs = np.ascontiguousarray(pairs)
    if _is_canonical(pairs):
        return pairs.copy(), 0, 0
    key = _keys(n, pairs)
    key.sort()
    edges = _distinct_pairs(n, key)
    return edges, len(pairs) - len(key), len(key) - len(edges)


@numba.njit(cache=True, nogil=True)
def _is_canonical(pairs: Any) -> bool:
    for e in range(len(pairs)):
        u, v = pairs[e]
        if u >= v:
            return False
        if e > 0 and (u < pairs[e - 1, 0] or (u == pairs[e - 1, 0] and v <= pairs[e - 1, 1])):
            return False
    return True


@numba.njit(cache=True, nogil=True)
def _keys(n: int, pairs: Any) -> Any:
    """One number for each pair that is no self-loop, whichever way round; sorting them sorts the pairs."""
    key = np.empty(len(pairs), dtype=np.int64)
    count = 0
    for e in range(len(pairs)):
        u, v = pairs[e]
        if u != v:
            key[count] = min(u, v) * n + max(u, v)
            count += 1
    return key[:count]


@numba.njit(cache=True, nogil=True)
def _distinct_pairs(n: int, key: Any) -> Any:
    """The pairs of sorted keys, each once."""
    count = 0
    for t in range(len(key)):
        if t == 0 or key[t] != key[t - 1]:
            count += 1
    edges = np.empty((count, 2), dtype=np.int64)
    at = 0
    for t in range(len(key)):
        if t == 0 or key[t] != key[t - 1]:
            edges[at, 0], edges[at, 1] = key[t] // n, key[t] % n
            at += 1
    return edges


@numba.njit(cache=True, nogil=True)
def list_starts(n: int, edges: Any) -> Any:
    """(n + 1,) where the list of each vertex's neighbours begins, if lists lie one after the other."""
    starts = np.zeros(n + 1, dtype=np.int64)
    for e in range(len(edges)):
        starts[edges[e, 0] + 1] += 1
        starts[edges[e, 1] + 1] += 1
    for v in range(n):
        starts[v + 1] += starts[v]
    return starts


@numba.njit(cache=True, nogil=True)
def neighbour_lists(n: int, edges: Any) -> Any:
    """CSR view `(indptr, neighbours)` of a canonical edge list, sorted as it is.

    In the order of the edges a vertex meets its smaller neighbours first, and both kinds by growing id.
    """
    indptr = list_starts(n, edges)
    fill = indptr[:-1].copy()
    neighbours = np.empty(2 * len(edges), dtype=np.int64)
    for e in range(len(edges)):
        u, v = edges[e]
        neighbours[fill[u]], neighbours[fill[v]] = v, u
        fill[u] += 1
        fill[v] += 1
    return indptr, neighbours


def as_names(names: Iterable[Any], n: int | None = None) -> npt.NDArray[Any]:
    """Names as a one-dimensional array: integers and strings natively, all else as objects."""
    if isinstance(names, (str, bytes)):
        raise GraphError("names must be a sequence with one name per vertex, not a single string.")
    if isinstance(names, np.ndarray):
        array = names.copy()
    else:
        listed = list(names)
        array = np.asarray(listed) if is_uniform(listed) else object_array(listed)
    if array.ndim != 1:
        raise GraphError(f"names must be one-dimensional, got shape {array.shape}.")
    if n is not None and len(array) != n:
        raise GraphError(f"{len(array)} names were given for {n} vertices.")
    if len(lookup_table(array)) != len(array):
        seen: set[Any] = set()
        repeated = next(x for x in array.tolist() if x in seen or seen.add(x))  # type: ignore[func-returns-value]
        raise GraphError(f"names must be distinct, but {repeated!r} occurs more than once.")
    array.flags.writeable = False
    return array


def is_uniform(values: list[Any]) -> bool:
    """Whether all are strings or all integers, so that NumPy keeps them as they are."""
    kinds = {type(v) for v in values}
    return kinds <= {str, np.str_} or kinds <= {int, np.int64, np.int32}


def object_array(values: list[Any]) -> npt.NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def split_columns(pairs: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The two columns of anything that holds pairs; a tuple of two arrays is taken as the columns."""
    if hasattr(pairs, "detach"):
        pairs = pairs.detach().cpu().numpy()
    if isinstance(pairs, tuple) and len(pairs) == 2 and all(isinstance(c, np.ndarray) for c in pairs):
        first, second = pairs
    elif isinstance(pairs, np.ndarray):
        if pairs.size == 0:
            pairs = pairs.reshape(0, 2)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise GraphError(f"pairs must have shape (m, 2), got {pairs.shape}.")
        first, second = pairs[:, 0], pairs[:, 1]
    else:
        first, second = columns_of_list(pairs)
    if len(first) != len(second):
        raise GraphError(f"the two columns of edges differ in length: {len(first)} and {len(second)}.")
    if len(first) == 0:  # NumPy calls an empty list float
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    for column in (first, second):
        refuse_floats(column)
    return first, second


def columns_of_list(pairs: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    if not isinstance(pairs, Iterable):
        raise GraphError(f"edges must be given as pairs of ids or names, not {type(pairs).__name__}.")
    listed = [tuple(p) if isinstance(p, Iterable) else p for p in pairs]
    wrong = next((i for i, p in enumerate(listed) if not isinstance(p, tuple) or len(p) != 2), None)
    if wrong is not None:
        raise GraphError(f"each edge is a pair of two ids, but number {wrong} is {listed[wrong]!r}.")
    ends = [p[0] for p in listed] + [p[1] for p in listed]
    joined = np.asarray(ends) if is_uniform(ends) else object_array(ends)
    return joined[: len(listed)], joined[len(listed) :]


def refuse_floats(column: npt.NDArray[Any]) -> None:
    if np.issubdtype(column.dtype, np.floating):
        raise GraphError(f"edge ids must be integers or names, got {column.dtype}.")
    if column.dtype == object:
        wrong = next((x for x in column if isinstance(x, (float, np.floating))), None)
        if wrong is not None:
            raise GraphError(f"edge ids must be integers or names, got {wrong!r}.")


def join(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """One column after the other. NumPy alone would make 1 beside "a" a string, and mixed signs floats."""
    if first.dtype.kind != second.dtype.kind:
        first, second = first.astype(object), second.astype(object)
    return np.concatenate([first, second])


def factorize(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], IntArray]:
    """Distinct values and each entry's position among them; sorted where the values compare."""
    try:
        names, ids = np.unique(values, return_inverse=True)
        return names, ids.reshape(-1)
    except TypeError:
        names = object_array(list(dict.fromkeys(hashable(values))))
        return names, positions_of(lookup_table(names), values)


def hashable(names: npt.NDArray[Any]) -> list[Any]:
    listed = names.tolist()
    try:
        set(listed)
    except TypeError as error:
        raise GraphError(f"names must be hashable: {error}.") from None
    return listed


def lookup_table(names: npt.NDArray[Any]) -> dict[Any, int]:
    return {name: i for i, name in enumerate(hashable(names))}


def positions_of(lookup: Mapping[Any, int], values: npt.NDArray[Any]) -> IntArray:
    try:
        return np.array([lookup[v] for v in values.tolist()], dtype=np.int64)
    except KeyError as error:
        missing = error.args[0]
        raise UnknownNameError(
            f"an edge names {missing!r}, which is not among the vertices.{did_you_mean(missing, lookup)}"
        ) from None
