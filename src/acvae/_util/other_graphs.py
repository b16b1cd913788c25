"""Edges of graphs in other forms: NetworkX, SciPy, PyTorch Geometric, data frames; and back again.

None of the four is imported to read its objects, but SciPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import as_array, called, is_hashable, optional_import
from acvae._util.text import shown
from acvae.exceptions import GraphError, OptionError

if TYPE_CHECKING:
    import networkx
    import torch_geometric.data

__all__ = [
    "columns_of_pandas",
    "edges_of_networkx",
    "edges_of_pyg",
    "edges_of_scipy",
    "networkx_of_edges",
    "pyg_of_edges",
]

IntArray = npt.NDArray[np.int64]


def edges_of_networkx(graph: Any, weight: str | None) -> tuple[list[Any], IntArray, npt.NDArray[Any] | None]:
    """Nodes in the graph's order, edges (m, 2) by position among them, weights (m,) or None."""
    if not hasattr(graph, "nodes") or not hasattr(graph, "edges"):
        raise GraphError(f"from_networkx needs a NetworkX graph, not {type(graph).__name__}.")
    if weight is not None and not isinstance(weight, str):
        raise OptionError(f"weight must be the name of an attribute of edges, not {shown(weight)}.")
    try:
        nodes = list(graph.nodes)
        position = {node: i for i, node in enumerate(nodes)}
        ends, found = [], []
        for u, v, attributes in graph.edges(data=True):
            ends.append((position[u], position[v]))
            found.append(None if weight is None else attributes.get(weight))
    except Exception as error:  # it has the names of a graph's parts, not the parts
        raise GraphError(f"from_networkx needs a NetworkX graph, not {called(graph)}: {error}") from None
    weights = None
    if any(value is not None for value in found):
        weights = as_array("weights", [1 if value is None else value for value in found], GraphError)
    elif weight not in (None, "weight") and ends:
        raise OptionError(f"no edge has the attribute {weight!r}.")
    return nodes, np.array(ends, dtype=np.int64).reshape(-1, 2), weights


def edges_of_scipy(adjacency: Any, weighted: bool) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | None]:
    """Edges (m, 2) of a square sparse matrix, one for each non-zero, and its values unless all are one."""
    import scipy.sparse as sp  # takes a while to load, and most graphs do without

    if not sp.issparse(adjacency):
        raise GraphError(f"from_scipy needs a SciPy sparse matrix, not {type(adjacency).__name__}.")
    if len(adjacency.shape) != 2 or adjacency.shape[0] != adjacency.shape[1]:
        raise GraphError(f"an adjacency matrix is square, got shape {adjacency.shape}.")
    coo = sp.csr_array(adjacency).tocoo()  # by way of CSR: values stored twice are summed
    keep = coo.data != 0
    values = coo.data[keep]
    plain = not weighted or values.dtype.kind == "b" or bool((values == 1).all())
    return np.stack([coo.row[keep], coo.col[keep]], axis=1), None if plain else values


def edges_of_pyg(data: Any, weight: str | None) -> tuple[int, npt.NDArray[Any], Any]:
    """Number of nodes, edges (m, 2) and weights (m,) or None of a PyTorch Geometric `Data`."""
    edge_index = getattr(data, "edge_index", None)
    if edge_index is None:
        raise GraphError(f"from_pyg needs an object with an edge_index, not {type(data).__name__}.")
    try:
        n, ends = data.num_nodes, np.asarray(edge_index.detach().cpu()).T
    except Exception as error:
        raise GraphError(f"the Data object cannot be read: {error}") from None
    if n is None:
        raise GraphError("the Data object does not know its number of nodes; set data.num_nodes.")
    if weight is not None and not isinstance(weight, str):
        raise OptionError(f"weight must be the name of an attribute, not {shown(weight)}.")
    values = None if weight is None else getattr(data, weight, None)
    if values is None and weight not in (None, "edge_weight"):
        raise OptionError(f"the Data object has no attribute {weight!r}.")
    if values is not None and getattr(values, "ndim", 0) == 2 and values.shape[1] == 1:
        values = values[:, 0]
    return n, ends, values


def columns_of_pandas(
    table: Any, source: str | None, target: str | None, weight: str | None
) -> tuple[tuple[npt.NDArray[Any], npt.NDArray[Any]], npt.NDArray[Any] | None]:
    """The two columns of names of a data frame, and its column of weights or None."""
    if not (hasattr(table, "columns") and hasattr(table, "iloc")) or len(table.columns) < 2:
        raise GraphError("from_pandas needs a DataFrame with at least two columns.")
    for column in (source, target, weight):
        if not (column is None or is_hashable(column)):
            raise OptionError(f"a column is called by its name, not by {shown(column)}.")
    if not table.columns.is_unique:
        raise GraphError(f"columns of the same name: {', '.join(map(shown, table.columns))}.")
    chosen = [table.columns[i] if column is None else column for i, column in enumerate((source, target))]
    usual = isinstance(weight, str) and weight == "weight"
    if usual and (weight not in table.columns or weight in chosen):
        weight = None
    for column in chosen if weight is None else [*chosen, weight]:
        if column not in table.columns:
            raise OptionError(f"no column {shown(column)}; there are {', '.join(map(shown, table.columns))}.")
    if len(set(chosen)) < 2:
        raise OptionError(f"source and target are both {chosen[0]!r}; name two columns.")
    pairs = table[chosen]
    if pairs.isna().to_numpy().any():
        raise GraphError(f"the columns {chosen[0]!r} and {chosen[1]!r} have missing values.")
    ends = (pairs.iloc[:, 0].to_numpy(), pairs.iloc[:, 1].to_numpy())
    return ends, None if weight is None else table[weight].to_numpy()


def networkx_of_edges(names: list[Any], edges: IntArray, weights: npt.NDArray[Any] | None) -> networkx.Graph:
    """A NetworkX graph of these nodes; weights are the edge attribute `weight`."""
    networkx = optional_import("networkx", needed_for="Graph.to_networkx", install="networkx")
    graph = networkx.Graph()
    graph.add_nodes_from(names)
    ends = [(names[u], names[v]) for u, v in edges.tolist()]
    if weights is None:
        graph.add_edges_from(ends)
    else:
        graph.add_weighted_edges_from((u, v, w) for (u, v), w in zip(ends, weights.tolist(), strict=True))
    return graph


def pyg_of_edges(n: int, edges: IntArray, weights: npt.NDArray[Any] | None) -> torch_geometric.data.Data:
    """A PyTorch Geometric `Data` with both directions of every edge; weights are its `edge_weight`."""
    pyg = optional_import("torch_geometric.data", needed_for="Graph.to_pyg", install="'acvae[baselines]'")
    import torch

    both = np.concatenate([edges, edges[:, ::-1]])
    data = pyg.Data(edge_index=torch.from_numpy(np.ascontiguousarray(both.T)), num_nodes=n)
    if weights is not None:
        data.edge_weight = torch.tensor(np.tile(weights, 2), dtype=torch.get_default_dtype())
    return data
