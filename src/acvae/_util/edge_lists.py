"""What users call edges, turned into arrays: checked, canonical, with one weight each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from acvae._util.checks import LARGEST, as_array, as_list, whole_number
from acvae._util.memory import available_memory
from acvae._util.options import setting
from acvae._util.text import shown
from acvae._util.vertex_names import array_of_names
from acvae.exceptions import GraphError, OptionError

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

SURELY_FITS = 1_000_000
BYTES_A_VERTEX = 8  # a number for each, which everything that goes through them needs

COMBINE = ("equal", "sum", "mean", "max")
"""What to make of the weights of an edge that is given more than once."""


def vertex_count(n_vertices: Any) -> int:
    """The number of vertices: whole, and not more than memory has room to number."""
    try:
        n = whole_number("n_vertices", n_vertices, minimum=0)
    except OptionError as error:
        raise GraphError(str(error)) from None
    free = available_memory() if n > SURELY_FITS else None
    if free is not None and BYTES_A_VERTEX * n > free:
        raise GraphError(
            f"{n:,} vertices take {BYTES_A_VERTEX * n / 1e9:,.0f} GB of memory, and {free / 1e9:,.0f} GB are "
            "free."
        )
    return n


def as_pairs(edges: Any) -> IntArray:
    """Any edge array as int64 (m, 2); floats, booleans and other shapes are refused."""
    if hasattr(edges, "n_vertices") and hasattr(edges, "edges"):
        return as_pairs(edges.edges)
    array = as_array("edges", edges, GraphError, "of shape (m, 2)")
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise GraphError(f"edges must have shape (m, 2), got {array.shape}.")
    if not np.issubdtype(array.dtype, np.integer):
        raise GraphError(
            f"edges must be integers, got {array.dtype}; for ids or names of your own use Graph.from_edges."
        )
    if array.dtype == np.uint64 and array.max() > LARGEST:
        raise GraphError(f"edges must be numbers of vertices, but there is {array.max()}.")
    return array.astype(np.int64, copy=False)


def canonical(
    n: int,
    pairs: IntArray,
    weights: FloatArray | None = None,
    combine: str = "equal",
    names: npt.NDArray[Any] | None = None,
) -> tuple[IntArray, FloatArray | None, int, int]:
    """Rows u < v, unique and sorted, their weights, and the number of self-loops and duplicates removed.

    `names` are what messages call the vertices.
    """
    pairs = np.ascontiguousarray(pairs)
    if _is_canonical(pairs):
        return pairs.copy(), None if weights is None else weights.copy(), 0, 0
    key = _keys(n, pairs)
    if weights is None:
        key.sort()
    else:
        order = np.argsort(key, kind="stable")
        key, weights = key[order], weights[pairs[:, 0] != pairs[:, 1]][order]
    edges = _distinct_pairs(n, key)
    if weights is not None:
        weights = _combined(key, weights, edges, combine, names)
    return edges, weights, len(pairs) - len(key), len(key) - len(edges)


def as_weights(weights: Any, pairs: IntArray) -> FloatArray:
    """Weights as float64 (m,): one per pair, finite and positive where the pair is no self-loop."""
    array = as_array("weights", weights, GraphError)
    try:
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except Exception:
        raise GraphError("weights must be numbers, one per edge.") from None
    if array.dtype.kind not in "iuf":
        raise GraphError(f"weights must be numbers, one per edge, got {array.dtype}.")
    if array.shape != (len(pairs),):
        raise GraphError(f"weights must have shape ({len(pairs)},), one per edge, got {array.shape}.")
    with np.errstate(over="ignore"):
        values = array.astype(np.float64)
    bad = np.flatnonzero(~(np.isfinite(values) & (values > 0)) & (pairs[:, 0] != pairs[:, 1]))
    if len(bad):
        u, v = pairs[bad[0]]
        others = f" ({len(bad):,} edges are like that)" if len(bad) > 1 else ""
        raise GraphError(
            f"weights must be positive and finite, but edge {bad[0]}, ({u}, {v}), has {values[bad[0]]}"
            f"{others}. Leave out edges that do not count."
        )
    return values


def _combined(
    key: IntArray, weights: FloatArray, edges: IntArray, combine: str, names: npt.NDArray[Any] | None
) -> FloatArray:
    """Weights (m,) of the distinct edges from those of all rows, both sorted by edge."""
    if len(key) == len(edges):
        return weights
    start = np.flatnonzero(np.diff(key, prepend=-1))
    lowest, highest = (f.reduceat(weights, start) for f in (np.minimum, np.maximum))
    if combine == "max":
        return highest
    if combine in ("sum", "mean"):
        total: FloatArray = np.add.reduceat(weights, start)
        return total if combine == "sum" else total / np.diff(start, append=len(key))
    differ = np.flatnonzero(lowest != highest)
    if len(differ):
        u, v = edges[differ[0]].tolist() if names is None else names[edges[differ[0]]].tolist()
        others = f" ({len(differ):,} edges are like that)" if len(differ) > 1 else ""
        raise GraphError(
            f"the edge ({shown(u)}, {shown(v)}) is given more than once, with the weights "
            f"{lowest[differ[0]]} and {highest[differ[0]]}{others}. Say what to make of them: "
            f"{setting('combine', 'sum')}, 'mean' or 'max'."
        )
    return highest


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


def split_columns(pairs: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The two columns of anything that holds pairs; a tuple of two arrays is taken as the columns."""
    if hasattr(pairs, "detach"):
        pairs = as_array("edges", pairs, GraphError)
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
    listed = [_pair(p) for p in as_list("edges", pairs, GraphError, "given as pairs of ids or names")]
    wrong = next((i for i, p in enumerate(listed) if not isinstance(p, tuple) or len(p) != 2), None)
    if wrong is not None:
        raise GraphError(f"each edge is a pair of two ids, but number {wrong} is {shown(listed[wrong])}.")
    ends = [p[0] for p in listed] + [p[1] for p in listed]
    joined = array_of_names(ends)
    return joined[: len(listed)], joined[len(listed) :]


def _pair(given: Any) -> Any:
    try:
        return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else given
    except Exception:  # it said that it could be gone through
        return given


def refuse_floats(column: npt.NDArray[Any]) -> None:
    if np.issubdtype(column.dtype, np.floating):
        raise GraphError(f"edge ids must be integers or names, got {column.dtype}.")
    if column.dtype == object:
        wrong = next((x for x in column if isinstance(x, (float, np.floating))), None)
        if wrong is not None:
            raise GraphError(f"edge ids must be integers or names, got {shown(wrong)}.")


def join(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """One column after the other. NumPy alone would make 1 beside "a" a string, and mixed signs floats."""
    if first.dtype.kind != second.dtype.kind:
        first, second = first.astype(object), second.astype(object)
    return np.concatenate([first, second])
