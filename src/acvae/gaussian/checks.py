"""The parts a posterior is made of, checked at the door: tables of numbers and a forest."""

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import as_array, called, is_mapping, seed_number
from acvae._util.memory import available_memory
from acvae._util.text import shown
from acvae.exceptions import OptionError, PosteriorError
from acvae.gaussian.joint import Joint
from acvae.graph import Graph

__all__ = [
    "check_correlations",
    "check_distances_fit",
    "check_dtype",
    "check_edges",
    "check_embeddings",
    "check_exclude",
    "check_forest",
    "check_ids",
    "check_joint",
    "check_marginals",
    "check_memory",
    "check_pairs",
    "check_points",
    "check_rows",
    "check_strategy",
    "check_table",
    "check_weights",
    "generator",
    "inside_unit_interval",
]

IntArray = npt.NDArray[np.int64]


def check_dtype(dtype: Any) -> np.dtype[Any]:
    try:
        kind = np.dtype(object if dtype is None else dtype)
    except Exception:
        kind = np.dtype(object)
    if kind not in (np.float32, np.float64):
        raise OptionError(f"dtype must be 'float32' or 'float64', not {shown(dtype)}.")
    return kind


def _as_array(name: str, values: Any) -> npt.NDArray[Any]:
    return as_array(name, values, PosteriorError, "a table of numbers")


def _is_real(values: npt.NDArray[Any]) -> bool:
    return np.issubdtype(values.dtype, np.floating) or np.issubdtype(values.dtype, np.integer)


def check_marginals(mean: Any, std: Any, dtype: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Means and positive standard deviations, both (n, d) of the given type."""
    kind = check_dtype(dtype)
    means, stds = check_table("mean", mean, kind), check_table("std", std, kind)
    if means.shape != stds.shape:
        raise PosteriorError(f"mean has shape {means.shape} but std {stds.shape}.")
    check_distances_fit(means, stds)
    if not (stds > 0).all():
        row, column = np.argwhere(~(stds > 0))[0]
        raise PosteriorError(
            f"std must be positive, but vertex {row} has {stds[row, column]} in dimension {column}."
        )
    return means, stds


def check_table(name: str, values: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """A finite table (rows, d) of the given type, never the caller's own array."""
    table = _as_array(name, values)
    if table.ndim != 2 or table.shape[1] == 0:
        raise PosteriorError(f"{name} must have shape (n, d), got {table.shape}.")
    if not _is_real(table):
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


def check_distances_fit(mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> None:
    """Refuse what has distances too large for its own type."""
    largest = float(np.finfo(mean.dtype).max)
    for name, table in (("mean", mean), ("std", std)):
        value = float(np.abs(table).max(initial=0))
        if 16 * mean.shape[1] * value**2 > largest if value < 1e154 else True:
            raise PosteriorError(
                f"{name} has values up to {value:.3g}, whose squared distances are too large for "
                f"{mean.dtype}; rescale them{', or use dtype=float64' if mean.dtype == np.float32 else ''}."
            )


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
    if len(edges) == 0 and _as_array("correlation", [] if correlation is None else correlation).size == 0:
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
    if values.shape != (m,) or not _is_real(values):
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
    array = as_array("vertex ids", ids, PosteriorError, "a whole number or an array of such")
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.int64)
    if array.dtype == object and all(type(x) is int for x in array.flat):  # beyond 64 bits
        array = np.where(array < 0, -1, n)
    if not np.issubdtype(array.dtype, np.integer):
        given = f"a {type(ids).__name__}" if array.dtype == object else str(array.dtype)
        advice = {"b": "for a mask use np.flatnonzero", "f": "cast them with astype(int)"}
        raise PosteriorError(
            f"vertex ids must be integers, got {given}; "
            f"{advice.get(array.dtype.kind, 'for names use graph.index')}."
        )
    if array.min() < 0 or array.max() >= n:
        raise PosteriorError(f"vertex ids must lie in 0…{n - 1}, got {array.min()}…{array.max()}.")
    return array.astype(np.int64)


def check_rows(rows: Any, n: int) -> IntArray:
    """One vertex id or a list of them, as a list."""
    ids = np.atleast_1d(check_ids(rows, n))
    if ids.ndim != 1:
        raise PosteriorError(f"rows must be a list of vertex ids, got shape {ids.shape}.")
    return ids


def check_pairs(i: Any, j: Any, n: int) -> tuple[IntArray, IntArray]:
    """Ids of both ends of pairs, which broadcast."""
    a, b = check_ids(i, n), check_ids(j, n)
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        raise PosteriorError(f"ids of shapes {a.shape} and {b.shape} do not broadcast to pairs.") from None
    first, second = (ids if ids.shape == shape else np.broadcast_to(ids, shape).copy() for ids in (a, b))
    return first, second


def check_points(name: str, values: Any, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Finite numbers of shape (..., *shape)."""
    points = _as_array(name, values)
    if not _is_real(points):
        raise PosteriorError(f"{name} must be numbers, got {points.dtype}.")
    if points.shape[-len(shape) :] != shape:
        raise PosteriorError(
            f"{name} must have shape (..., {', '.join(map(str, shape))}), got {points.shape}."
        )
    if not np.isfinite(points).all():
        where = tuple(np.argwhere(~np.isfinite(points))[0].tolist())
        raise PosteriorError(f"{name} must be finite, but has {points[where]} at {where}.")
    return points.astype(np.float64)


def check_exclude(exclude: Any, n: int) -> Graph:
    """The graph of pairs that do not count, by default without any."""
    if exclude is None:
        return Graph(n, np.empty((0, 2), dtype=np.int64))
    if not isinstance(exclude, Graph):
        raise PosteriorError(f"exclude must be an acvae.Graph, not {type(exclude).__name__}.")
    if exclude.n_vertices != n:
        raise PosteriorError(f"the graph to exclude has {exclude.n_vertices} vertices, the posterior {n}.")
    return exclude


def check_strategy(joint: Any, shape: tuple[int, ...]) -> Any:
    """Something that a posterior of n vertices in d dimensions can ask for correlations.

    One that tells its own `shape` (n, d) must have the same.
    """
    missing = [name for name in ("pairs", "distance_blocks") if not callable(getattr(joint, name, None))]
    if missing or isinstance(joint, type):
        raise PosteriorError(
            "a posterior asks an object for correlations, by pairs(i, j) and distance_blocks(mean, std); "
            f"{called(joint)} does not answer."
        )
    own = getattr(joint, "shape", shape)
    if own != shape:
        raise PosteriorError(f"mean has shape {shape}, but the correlations are for {shown(own)}.")
    return joint


def check_memory(what: str, needed: int, advice: str) -> None:
    """Refuse what memory cannot hold."""
    free = available_memory()
    if free is not None and needed > free:
        raise OptionError(
            f"{what} would take {needed / 1e9:,.1f} GB of memory, and {free / 1e9:,.1f} GB are free: "
            f"{advice}."
        )


def generator(seed: Any) -> np.random.Generator:
    """Random numbers from a seed, or the user's own."""
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(seed_number("seed", seed))


def check_embeddings(observed: Any, d: int) -> npt.NDArray[np.float64]:
    """Embeddings (k, d) that are the values of a mapping from vertices."""
    if not is_mapping(observed):
        raise PosteriorError(
            f"condition needs a dict from vertex ids to embeddings, not {type(observed).__name__}."
        )
    points = np.zeros((len(observed), d))
    for point, (vertex, value) in zip(points, observed.items(), strict=True):
        what = f"the embedding of vertex {shown(vertex)}"
        given = check_table(what, [value], points.dtype)
        if given.shape != (1, d):
            raise PosteriorError(f"{what} must be {d} numbers, got {given.size}.")
        point[:] = given[0]
    return points


def check_joint(joint: Any, what: str) -> Joint:
    """A joint distribution, which `what` needs."""
    if isinstance(joint, Joint):
        return joint
    raise PosteriorError(
        f"{what} needs a joint distribution, but here are only approximations for each pair, as a CVAE's "
        'pair network has them; use ACVAE, CVAE(posterior="graph"), or VAE for independent embeddings.'
    )
