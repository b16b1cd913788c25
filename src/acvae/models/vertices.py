"""Which vertices a user means: by id, by name, and whole numbers that could be either."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import as_array
from acvae.exceptions import GraphError
from acvae.gaussian.checks import check_ids
from acvae.graph import Graph

__all__ = ["names_of", "vertex_ids"]

IntArray = npt.NDArray[np.int64]


def vertex_ids(vertices: Any, n: int, graph: Graph | None) -> IntArray:
    """Ids of vertices that are given by id or by name, one or an array of any shape.

    Where names are tuples, a tuple is one of them. Where names are whole numbers too, an array of NumPy holds
    ids. Others are read as what all of them can be; if that is both, and not the same vertices, they are
    refused.
    """
    names = None if graph is None else graph.names
    if graph is not None and names is not None and _has_tuples(names):
        if isinstance(vertices, tuple):
            return np.array(graph.index(vertices), dtype=np.int64)
        if isinstance(vertices, list) and any(isinstance(vertex, tuple) for vertex in vertices):
            return np.array([graph.index(vertex) for vertex in vertices], dtype=np.int64)
    array = as_array("vertices", vertices, GraphError)
    if graph is None or names is None:
        return check_ids(array, n)
    if array.dtype.kind in "iu":
        numbers = (
            [] if names.dtype.kind in "US" else [name for name in names.tolist() if isinstance(name, int)]
        )
        if not numbers:
            return check_ids(array, n)
        return _whole_numbers(array, isinstance(vertices, np.ndarray), n, graph, set(numbers))
    if array.dtype.kind not in "UOST":
        return check_ids(array, n)
    return _by_name(array, graph)


def _has_tuples(names: npt.NDArray[Any]) -> bool:
    return names.dtype.kind == "O" and len(names) > 0 and isinstance(names[0], tuple)


def _by_name(array: npt.NDArray[Any], graph: Graph) -> IntArray:
    found = [graph.index(name) for name in array.ravel().tolist()]
    return np.array(found, dtype=np.int64).reshape(array.shape)


def _whole_numbers(
    array: npt.NDArray[Any], is_array: bool, n: int, graph: Graph, numbers: set[int]
) -> IntArray:
    given = array.ravel().tolist()
    may_be_ids, may_be_names = all(0 <= v < n for v in given), all(v in numbers for v in given)
    if may_be_ids and (is_array or not may_be_names):
        return check_ids(array, n)
    found = _by_name(array, graph)
    if may_be_ids and not np.array_equal(found, array):
        other = next(v for v, at in zip(given, found.ravel().tolist(), strict=True) if v != at)
        raise GraphError(
            f"{other} is the name of a vertex and the id of another: names of this graph are whole numbers. "
            f"For the one called {other} give graph.index({other}) in an array, numpy.array([…]); for the "
            f"id {other} give numpy.array([{other}])."
        )
    return found


def names_of(ids: IntArray, graph: Graph | None) -> npt.NDArray[Any]:
    """The names (…) of ids (…), None for −1; the ids themselves where there are no names."""
    if graph is None or graph.names is None:
        return ids
    found = np.full(ids.shape, None, dtype=object)
    found[ids >= 0] = graph.names[ids[ids >= 0]]
    return found
