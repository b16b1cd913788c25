"""The parts a posterior is made of, checked at the door: tables of numbers and a forest."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.exceptions import OptionError, PosteriorError
from acvae.graph import Graph

__all__ = [
    "check_correlations",
    "check_dtype",
    "check_edges",
    "check_embeddings",
    "check_forest",
    "check_ids",
    "check_table",
    "check_weights",
    "inside_unit_interval",
]

IntArray = npt.NDArray[np.int64]


def check_dtype(dtype: Any) -> np.dtype[Any]:
    try:
        kind = np.dtype(dtype)
    except TypeError:
        kind = np.dtype(object)
    if kind not in (np.float32, np.float64):
        raise OptionError(f"dtype must be 'float32' or 'float64', not {dtype!r}.")
    return kind


def _as_array(name: str, values: Any) -> npt.NDArray[Any]:
    try:
        return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
    except ValueError as error:  # rows of different lengths
        raise PosteriorError(f"{name} must be a table: {error}") from None


def check_table(name: str, values: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """A finite table (rows, d) of the given type, never the caller's own array."""
    table = _as_array(name, values)
    if table.ndim != 2 or table.shape[1] == 0:
        raise PosteriorError(f"{name} must have shape (n, d), got {table.shape}.")
    if not (np.issubdtype(table.dtype, np.floating) or np.issubdtype(table.dtype, np.integer)):
        raise PosteriorError(f"{name} must be numbers, got {table.dtype}.")
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise PosteriorError(f"{name} has {table[row, column]} in row {row}, dimension {column}.")
    with np.errstate(over="ignore"):
        cast = table.astype(dtype)
    if not np.isfinite(cast).all():
        row, column = np.argwhere(~np.isfinite(cast))[0]
        raise PosteriorError(
            f"{name} has {table[row, column]} in row {row}, dimension {column}, too large for {dtype}."
        )
    return cast


def check_edges(forest: Any, n: int) -> IntArray:
    """Edges int64 (m, 2) among n vertices, never the caller's own array; cycles are found elsewhere."""
    edges = _as_array("forest", forest)
    if edges.size == 0:
        edges = np.empty((0, 2), dtype=np.int64)
    if edges.ndim != 2 or edges.shape[1] != 2 or not np.issubdtype(edges.dtype, np.integer):
        raise PosteriorError(f"forest must be integers of shape (m, 2), got {edges.dtype} {edges.shape}.")
    if edges.size and (edges.min() < 0 or edges.max() >= n):
        raise PosteriorError(f"forest edges must lie in 0…{n - 1}, got {edges.min()}…{edges.max()}.")
    return np.array(edges, dtype=np.int64, order="C")


def check_forest(forest: Any, correlation: Any, n: int, d: int) -> tuple[IntArray, npt.NDArray[Any]]:
    """Edges int64 (m, 2) and correlations (m, d) of a forest, or none of either."""
    if (forest is None) != (correlation is None):
        raise PosteriorError("forest and correlation belong together: give both or neither.")
    edges = check_edges(forest if forest is not None else [], n)
    if len(edges) == 0 and np.asarray(correlation if correlation is not None else []).size == 0:
        return edges, np.empty((0, d))
    return edges, check_correlations(correlation, len(edges), d)


def check_correlations(correlation: Any, m: int, d: int) -> npt.NDArray[np.float64]:
    """Correlations (m, d) of edges."""
    if m == 0 and _as_array("correlation", correlation).size == 0:
        return np.empty((0, d))
    if correlation is None:
        raise PosteriorError(f"correlation must have shape ({m}, {d}), and is missing.")
    values = check_table("correlation", correlation, np.dtype(np.float64))
    if values.shape != (m, d):
        raise PosteriorError(f"correlation must have shape ({m}, {d}), got {values.shape}.")
    if not (np.abs(values) < 1).all():
        row, column = np.argwhere(~(np.abs(values) < 1))[0]
        raise PosteriorError(
            f"correlations must lie strictly between -1 and 1, but edge {row} has {values[row, column]}."
        )
    return values


def check_weights(weights: Any, graph: Graph) -> npt.NDArray[np.float64]:
    """Probabilities (m,) of a graph's edges in a random spanning forest, as far as that is easily seen."""
    m = graph.n_edges
    values = _as_array("weights", weights)
    real = np.issubdtype(values.dtype, np.floating) or np.issubdtype(values.dtype, np.integer)
    if values.shape != (m,) or not real:
        raise PosteriorError(f"weights must be {m} numbers, one per edge, got {values.dtype} {values.shape}.")
    inside = (values >= 0) & (values <= 1)
    if not inside.all():
        edge = int(np.flatnonzero(~inside)[0])
        raise PosteriorError(f"weights must lie in 0…1, but edge {edge} has {values[edge]}.")
    total, most = float(values.sum()), graph.n_vertices - graph.n_components
    if total > most * (1 + 1e-6):
        raise PosteriorError(
            f"weights sum to {total:.6g}, but a spanning forest of this graph has {most} edges: they must be "
            "the probabilities of edges in a random one, such as spanning_tree_probabilities gives."
        )
    return values.astype(np.float64)


def inside_unit_interval(values: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Cast, keeping values that round to ±1 strictly inside."""
    limit = np.nextafter(dtype.type(1), dtype.type(0))
    return np.ascontiguousarray(np.clip(values.astype(dtype), -limit, limit))


def check_ids(ids: Any, n: int) -> IntArray:
    """Vertex ids among 0 … n−1, of any shape."""
    array = np.asarray(ids)
    if array.size == 0:
        return array.astype(np.int64)
    if not np.issubdtype(array.dtype, np.integer):
        raise PosteriorError(f"vertex ids must be integers, got {array.dtype}; for names use graph.index.")
    if array.min() < 0 or array.max() >= n:
        raise PosteriorError(f"vertex ids must lie in 0…{n - 1}, got {array.min()}…{array.max()}.")
    return array.astype(np.int64)


def check_embeddings(observed: Any, d: int) -> npt.NDArray[np.float64]:
    """Embeddings (k, d) that are the values of a mapping from vertices."""
    if not isinstance(observed, Mapping):
        raise PosteriorError(
            f"condition needs a dict from vertex ids to embeddings, not {type(observed).__name__}."
        )
    points = np.zeros((len(observed), d))
    for point, (vertex, value) in zip(points, observed.items(), strict=True):
        given = check_table(f"the embedding of vertex {vertex!r}", [value], points.dtype)
        if given.shape != (1, d):
            raise PosteriorError(f"the embedding of vertex {vertex!r} must be {d} numbers, got {given.size}.")
        point[:] = given[0]
    return points
