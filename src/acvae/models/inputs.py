"""The door of `fit`: whatever form features and graph come in, row i ends up describing vertex i."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.checks import as_array
from acvae._util.edge_lists import BoolArray
from acvae._util.frames import frame_values, is_frame
from acvae._util.matrices import as_matrix, blank_rows, own_copy
from acvae._util.vertex_names import examples, is_range, order_of
from acvae.datasets.missing import fill_missing
from acvae.exceptions import AlignmentWarning, FeatureError, GraphError, IgnoredWeightsWarning
from acvae.graph import Graph
from acvae.models.graph_inputs import as_graph, is_networkx, is_pyg

__all__ = ["Inputs", "prepare"]

_WITHOUT = "take GraphGaussian, where observed= says which vertices have features"


class Inputs(NamedTuple):
    """What `fit` works with: row i of all arrays belongs to vertex i of the graph.

    Attributes
    ----------
    features
        (n, D), sparse or dense, without NaN; what `acvae.nn.as_features` takes. Rows that are not observed
        are zeros, but for those of a matrix on disk.
    graph
        With the names where they are known; None where none was given.
    names
        (n,) names of the vertices, from the graph or from the index of a data frame, or None.
    feature_names
        (D,) columns of a data frame, or None.
    observed
        Mask (n,): which vertices have features at all; None where all have.
    notes
        What was warned of, as sentences.
    """

    features: Any
    graph: Graph | None
    names: npt.NDArray[Any] | None
    feature_names: npt.NDArray[Any] | None
    observed: BoolArray | None
    notes: tuple[str, ...]


def prepare(
    features: Any,
    graph: Any = None,
    *,
    observed: Any = None,
    missing: str = "error",
    uses_weights: bool = False,
    own: bool = False,
    takes_observed: bool = False,
    model: str = "this model",
    stacklevel: int = 3,
) -> Inputs:
    """Check and align what was given to `fit`.

    Parameters
    ----------
    features
        Matrix (n, D): SciPy sparse, array, tensor or data frame, whose index names the vertices unless it is
        0 … n-1. Also a `Data` of PyTorch Geometric (its `x`) or a `Dataset`, which bring their graph along.
    graph
        An `acvae.Graph`, a graph of NetworkX, a SciPy sparse adjacency matrix, a `Data` of PyTorch Geometric,
        edges as an array (m, 2), or a data frame with the columns source, target and perhaps weight.
    observed
        Mask (n,) of the rows given: which have features at all. What stands in the others is not looked at.
    missing
        What to do about NaN, as in `acvae.datasets.missing.fill_missing`.
    uses_weights
        Whether the model uses weights of edges; if not and there are some, a warning says so.
    own
        Whether the features are kept, and so must not change when the caller's do. Those on disk stay there.
    takes_observed
        Whether the caller takes `observed`, so that messages may say so.
    model
        What to call the model in messages.
    stacklevel
        Of the warnings: 3 is the caller of the function that calls `prepare`.
    """
    features, graph = _unpack(features, graph)
    given, row_names, columns = _values(features)
    matrix = given
    rows = matrix.shape[0]
    mask = _mask(observed, rows, row_names)
    notes: list[tuple[type[Warning], str]] = []

    made = None
    if graph is not None:
        made, weighted = as_graph(graph, rows, row_names, weighted=uses_weights)
        if weighted and not uses_weights:
            notes.append((IgnoredWeightsWarning, f"{model} does not use the weights of edges."))
        order, note = _order(made, rows, row_names)
        if note is not None:
            notes.append((AlignmentWarning, note))
        if order is not None:
            matrix, mask = matrix[order], None if mask is None else mask[order]
        elif row_names is not None and made.names is None:
            made = Graph(made.n_vertices, made.edges, row_names, made.weights)

    if mask is not None:
        matrix = blank_rows(matrix, mask)
    count = None if mask is None else int(mask.sum())
    advice = "say by observed= which vertices have features" if takes_observed else _WITHOUT
    matrix, complete = fill_missing(
        matrix, missing, count=count, advice=f"Fill the gaps yourself, or {advice}."
    )
    if complete is not None:
        mask = complete if mask is None else mask & complete
    if own:
        matrix = own_copy(matrix, given)
    if mask is not None and mask.all():
        mask = None
    for category, text in notes:
        warnings.warn(text, category, stacklevel=stacklevel)
    names = row_names if made is None else made.names
    return Inputs(matrix, made, names, columns, mask, tuple(text for _, text in notes))


def _unpack(features: Any, graph: Any) -> tuple[Any, Any]:
    """Features and graph, where one object brings both; a graph in the place of features is refused."""
    if isinstance(features, Graph) or is_networkx(features):
        told = "The arguments are swapped" if graph is not None else "Features are missing"
        raise FeatureError(
            f"fit(features, graph) takes the features first, but the first argument is a graph "
            f"({type(features).__name__}). {told}: write fit(features, graph)."
        )
    if isinstance(getattr(features, "graph", None), Graph) and hasattr(features, "features"):  # a Dataset
        return features.features, features.graph if graph is None else graph
    if is_pyg(features):
        if getattr(features, "x", None) is None:
            raise FeatureError(
                "the Data object has no features: its x is None. Set data.x, or call fit(features, data)."
            )
        return features.x, features if graph is None else graph
    shape: Any = getattr(features, "shape", ())
    other: Any = getattr(graph, "shape", ())
    if sp.issparse(features) and isinstance(other, tuple) and len(other) == 2 and not is_frame(graph):
        square, matrix = shape[0] == shape[1], other[0] == shape[0] and other[1] not in (2, other[0])
        if square and matrix:
            raise FeatureError(
                f"the arguments seem swapped: the first is square, {shape}, as an adjacency matrix is, and "
                f"the second, {other}, is not. Write fit(features, graph)."
            )
    return features, graph


def _values(features: Any) -> tuple[Any, npt.NDArray[Any] | None, npt.NDArray[Any] | None]:
    """The matrix (CSR or array), the names of its rows and of its columns."""
    if is_frame(features):
        index = np.asarray(features.index)
        names = list(features.columns)
        columns = np.array(names, dtype=object) if all(isinstance(c, str) for c in names) else None
        if len(set(index.tolist())) < len(index):
            repeated = features.index[features.index.duplicated()].unique()
            raise FeatureError(
                f"the index of the features names vertices, but some more than once: {examples(repeated)}. "
                "Drop or merge these rows, or take a plain index with reset_index(drop=True)."
            )
        return frame_values(features), None if is_range(index) else index, columns
    return as_matrix(features), None, None


def _mask(observed: Any, rows: int, row_names: npt.NDArray[Any] | None) -> BoolArray | None:
    if observed is None:
        return None
    if row_names is not None and hasattr(observed, "reindex") and hasattr(observed, "index"):
        order = order_of(np.asarray(observed.index), row_names)
        if order is None:
            raise FeatureError("the index of observed names other vertices than that of the features.")
        observed = observed.iloc[order]
    mask = as_array("observed", observed, FeatureError)
    if mask.dtype != np.bool_ or mask.shape != (rows,):
        raise FeatureError(
            f"observed must be a boolean mask ({rows},), true where a vertex has features, got {mask.dtype} "
            f"of shape {mask.shape}."
        )
    return mask


def _order(
    graph: Graph, rows: int, row_names: npt.NDArray[Any] | None
) -> tuple[npt.NDArray[np.int64] | None, str | None]:
    """Which row belongs to each vertex (None: they are in order), and what the user should know."""
    if graph.n_vertices != rows:
        if graph.names is not None and row_names is not None:
            _refuse(graph.names, row_names)
        told = "" if graph.names is None else f" The vertices are called {examples(graph.names)}."
        raise FeatureError(
            f"there are {rows} rows of features but {graph.n_vertices} vertices; "
            f"row i must describe vertex i.{told}"
        )
    if row_names is None:
        if not graph.mapped or graph.names is None:
            return None, None
        return None, (
            "features without names meet a graph whose names were put in an order of its own: row 0 is taken "
            f"to describe {examples(graph.names[:1])}, and so on in the order {examples(graph.names, 5)} "
            "(graph.names). To be sure, give features as a data frame indexed by name, or make the graph by "
            "Graph.from_edges(pairs, vertices=…) with the names in the order of the rows."
        )
    wanted = np.arange(rows) if graph.names is None else graph.names
    order = order_of(row_names, wanted)
    if order is not None:
        return (None if is_range(order) else order), None
    if graph.names is not None:
        _refuse(graph.names, row_names)
    if row_names.dtype.kind in "iuf":
        return None, (
            f"the index of the features ({examples(row_names)}) is not 0…{rows - 1}, the vertices of a graph "
            "without names: rows are taken by position. To match by name, give the graph the same names."
        )
    return None, None


def _refuse(vertices: npt.NDArray[Any], rows: npt.NDArray[Any]) -> None:
    """Name what one side has and the other has not."""
    no_row, no_vertex = (
        [name for name in one.tolist() if name not in other]
        for one, other in ((vertices, set(rows.tolist())), (rows, set(vertices.tolist())))
    )
    raise GraphError(
        "the index of the features and the names of the graph contradict each other: "
        f"{_example(no_row, 'vertices')} without a row, {_example(no_vertex, 'rows')} without a vertex. "
        f"Give both the same names, or features without an index "
        "(reset_index(drop=True)) in the order of graph.names."
    )


def _example(names: list[Any], what: str) -> str:
    return f"{len(names):,} {what}" + (f" (such as {examples(names)})" if names else "")
