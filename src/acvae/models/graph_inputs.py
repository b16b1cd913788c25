"""What users call a graph, as an `acvae.Graph` on the rows of their features."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.checks import as_array
from acvae._util.edge_lists import IntArray, split_columns
from acvae._util.frames import is_frame
from acvae._util.text import counted
from acvae._util.vertex_names import examples, id_text
from acvae.exceptions import GraphError
from acvae.graph import Graph

__all__ = ["GraphInput", "as_graph", "is_networkx", "is_pyg"]


class GraphInput(NamedTuple):
    """A graph, and whether its source had weights (which it has too, if they were asked for)."""

    graph: Graph
    weighted: bool


def is_networkx(value: Any) -> bool:
    """A graph of NetworkX, without importing it."""
    return hasattr(value, "nodes") and hasattr(value, "edges") and hasattr(value, "is_directed")


def is_pyg(value: Any) -> bool:
    """A `Data` of PyTorch Geometric, without importing it."""
    known = hasattr(type(value), "num_nodes") or "num_nodes" in getattr(value, "__dict__", {})
    return known and hasattr(value, "edge_index")  # an empty one warns when it is asked for its nodes


def as_graph(
    graph: Any, n_rows: int | None, row_names: npt.NDArray[Any] | None, *, weighted: bool
) -> GraphInput:
    """Any form of a graph on `n_rows` rows, which may have names; `weighted` asks for weights.

    Names in a list of edges are looked up among `row_names`. Without those, whole numbers below `n_rows` are
    numbers of rows, and other names are mapped as by `Graph.from_edges`. Without rows, so are all.
    """
    if isinstance(graph, Graph):
        return GraphInput(graph, _tell(graph.weights))
    if hasattr(graph, "graph") and isinstance(graph.graph, Graph):  # a Dataset
        return GraphInput(graph.graph, _tell(graph.graph.weights))
    if is_networkx(graph):
        present = any(weight is not None for _, _, weight in graph.edges(data="weight"))
        return GraphInput(Graph.from_networkx(graph, "weight" if weighted else None), present)
    if is_pyg(graph):
        given = getattr(graph, "edge_weight", None)
        made = Graph.from_pyg(graph, weight="edge_weight" if weighted else None)
        return GraphInput(made, given is not None and _tell(as_array("edge_weight", given)))
    if sp.issparse(graph):
        if n_rows is not None and graph.shape != (n_rows, n_rows):
            raise GraphError(
                f"a sparse matrix given as graph is an adjacency matrix ({n_rows}, {n_rows}) on the "
                f"{n_rows} rows of features, got shape {graph.shape}."
            )
        return GraphInput(Graph.from_scipy(graph, weighted=weighted), _tell(graph.tocoo().data))
    if is_frame(graph):
        ends, weights = _frame_columns(graph)
    else:
        ends, weights = _array_columns(graph), None
    made = _on_rows(ends, weights if weighted else None, n_rows, row_names)
    return GraphInput(made, _tell(weights))


def _tell(weights: Any) -> bool:
    """Whether weights say anything: ones alone do not."""
    return weights is not None and bool((np.asarray(weights) != 1).any())


def _frame_columns(table: Any) -> tuple[tuple[npt.NDArray[Any], npt.NDArray[Any]], npt.NDArray[Any] | None]:
    """The columns source and target (by these names, else the first two), and weight where there is one."""
    columns = list(table.columns)
    if len(columns) < 2:
        raise GraphError(
            "a data frame given as graph has one edge a row and at least two columns, source and target."
        )
    named = "source" in columns and "target" in columns
    chosen = ["source", "target"] if named else columns[:2]
    pairs = table[chosen]
    if pairs.isna().to_numpy().any():
        raise GraphError(f"the columns {chosen[0]!r} and {chosen[1]!r} of the edges have missing values.")
    first, second = (_whole(pairs.iloc[:, i].to_numpy()) for i in (0, 1))
    weight = "weight" in columns and "weight" not in chosen
    return (first, second), table["weight"].to_numpy() if weight else None


def _array_columns(edges: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The two ends of an edge array (m, 2), of an edge index (2, m) with m ≠ 2, or of a list of pairs."""
    if hasattr(edges, "detach"):
        edges = as_array("edges", edges, GraphError)
    array = edges if isinstance(edges, np.ndarray) else None
    if array is not None and array.ndim == 2 and array.shape[0] == 2 != array.shape[1]:
        array = edges = array.T
    if array is not None and (array.ndim != 2 or array.shape[1] != 2) and array.size:
        labels = " Labels of vertices are not a graph." if array.ndim == 1 else ""
        raise GraphError(
            f"an array given as graph holds edges, shape (m, 2), got {array.shape}.{labels} An adjacency "
            "matrix has to be sparse: scipy.sparse.csr_array(matrix)."
        )
    if isinstance(edges, (str, bytes, dict)) or not hasattr(edges, "__iter__"):
        raise GraphError(
            f"graph cannot be {type(edges).__name__}; it may be an acvae.Graph, a graph of NetworkX, a SciPy "
            "sparse adjacency matrix, a Data of PyTorch Geometric, an array of edges (m, 2), or a data frame "
            "with the columns source and target. See also Graph.from_edges."
        )
    if array is not None and array.dtype.kind == "f" and array.ndim == 2 and array.shape[1] == 2:
        edges = np.stack([_whole(array[:, 0]), _whole(array[:, 1])], axis=1)
    return split_columns(edges)


def _whole(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers stored as floats (1282.0) as the integers they are."""
    if column.dtype.kind == "f" and np.isfinite(column).all() and (column == np.floor(column)).all():
        return column.astype(np.int64)
    return column


def _on_rows(
    ends: tuple[npt.NDArray[Any], npt.NDArray[Any]],
    weights: npt.NDArray[Any] | None,
    n_rows: int | None,
    row_names: npt.NDArray[Any] | None,
) -> Graph:
    if n_rows is None:
        return Graph.from_edges(ends, weights=weights)
    numbers = all(c.dtype.kind in "iu" and _within(c, n_rows) for c in ends)
    if row_names is None:
        if numbers:
            return Graph(n_rows, np.stack(ends, axis=1), weights=weights)
        return Graph.from_edges(ends, weights=weights)
    for as_text in (False, True):
        known = {id_text(x) if as_text else x: i for i, x in enumerate(row_names.tolist())}
        if len(known) < len(row_names):
            continue
        rows = [_positions(known, column, as_text) for column in ends]
        if all((found >= 0).all() for found in rows):
            return Graph(n_rows, np.stack(rows, axis=1), row_names, weights)
    if numbers and row_names.dtype.kind not in "iuf":
        return Graph(n_rows, np.stack(ends, axis=1), row_names, weights)
    named = dict.fromkeys(x for column in ends for x in column.tolist())
    strange = [x for x in named if id_text(x) not in {id_text(y) for y in row_names.tolist()}]
    raise GraphError(
        f"the edges name {counted(len(strange), 'vertex', 'vertices')} without a row of features: "
        f"{examples(strange)}. Rows of features are called {examples(row_names)}. Leave these edges out, or "
        "add rows for them."
    )


def _within(column: IntArray, n: int) -> bool:
    return not column.size or bool(column.min() >= 0 and column.max() < n)


def _positions(known: dict[Any, int], column: npt.NDArray[Any], as_text: bool) -> IntArray:
    listed = map(id_text, column.tolist()) if as_text else column.tolist()
    return np.array([known.get(x, -1) for x in listed], dtype=np.int64)
