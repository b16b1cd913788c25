"""Graph: who is related to whom, as one canonical undirected edge list."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.checks import optional_import
from acvae._util.edge_lists import (
    BoolArray,
    IntArray,
    as_names,
    as_pairs,
    canonical,
    factorize,
    join,
    lookup_table,
    neighbour_lists,
    positions_of,
    split_columns,
)
from acvae.exceptions import GraphError, OptionError, UnknownNameError, did_you_mean

if TYPE_CHECKING:
    import networkx
    import pandas
    import torch_geometric.data

__all__ = ["Graph"]


class Graph:
    """An undirected simple graph on the vertices 0 … n-1, which may carry names.

    Whatever is given, self-loops are dropped, directions forgotten and duplicates merged; what was removed
    is counted in `dropped_self_loops` and `merged_duplicates`. A graph is never changed after it is made.

    Parameters
    ----------
    n_vertices
        Number of vertices; isolated ones are allowed.
    edges
        Integer array (m, 2) of vertex ids below `n_vertices`, in any order and direction.
    names
        One distinct, hashable name per vertex; without it the ids are the names.

    Attributes
    ----------
    edges
        int64 (m, 2), each row u < v, rows unique and sorted.
    """

    def __init__(self, n_vertices: int, edges: npt.ArrayLike, names: Iterable[Any] | None = None) -> None:
        try:
            n = int(np.asarray(n_vertices).astype(np.int64, casting="same_kind"))
        except TypeError:
            raise GraphError(f"n_vertices must be a whole number, not {n_vertices!r}.") from None
        if n < 0:
            raise GraphError(f"n_vertices must not be negative, got {n}.")
        pairs = as_pairs(edges)
        if pairs.size and (pairs.min() < 0 or pairs.max() >= n):
            bad = int(np.flatnonzero((pairs < 0).any(1) | (pairs >= n).any(1))[0])
            raise GraphError(
                f"edge {bad} is ({pairs[bad, 0]}, {pairs[bad, 1]}), but vertex ids must lie in 0…{n - 1}. "
                "For ids or names of your own use Graph.from_edges."
            )
        self.n_vertices = n
        self.edges, self.dropped_self_loops, self.merged_duplicates = canonical(n, pairs)
        self.edges.flags.writeable = False
        self.names = None if names is None else as_names(names, n)

    # ------------------------------------------------------------------ other ways in

    @classmethod
    def from_edges(cls, pairs: Any, vertices: Iterable[Any] | None = None) -> Graph:
        """Build from pairs of any ids or names.

        Vertices are numbered in sorted order of their names (first appearance, where names do not compare).
        `vertices` fixes the order instead and may add isolated vertices; then every end of an edge must be in
        it.
        """
        columns = split_columns(pairs)
        if vertices is None:
            names, ids = factorize(join(*columns))
            return cls(len(names), ids.reshape(2, -1).T, names)
        order = as_names(vertices)
        lookup = lookup_table(order)
        return cls(len(order), np.stack([positions_of(lookup, c) for c in columns], axis=1), order)

    @classmethod
    def from_networkx(cls, graph: networkx.Graph) -> Graph:
        """Build from any NetworkX graph; its nodes become the names, in its order."""
        if not hasattr(graph, "nodes") or not hasattr(graph, "edges"):
            raise GraphError(f"from_networkx needs a NetworkX graph, not {type(graph).__name__}.")
        nodes = list(graph.nodes)
        position = {node: i for i, node in enumerate(nodes)}
        edges = [(position[e[0]], position[e[1]]) for e in graph.edges]
        return cls(len(nodes), np.array(edges, dtype=np.int64).reshape(-1, 2), nodes)

    @classmethod
    def from_scipy(cls, adjacency: Any, names: Iterable[Any] | None = None) -> Graph:
        """Build from a square SciPy sparse matrix; every stored non-zero is an edge."""
        if not sp.issparse(adjacency):
            raise GraphError(f"from_scipy needs a SciPy sparse matrix, not {type(adjacency).__name__}.")
        if adjacency.shape[0] != adjacency.shape[1]:
            raise GraphError(f"an adjacency matrix is square, got shape {adjacency.shape}.")
        coo = adjacency.tocoo()
        keep = coo.data != 0
        return cls(adjacency.shape[0], np.stack([coo.row[keep], coo.col[keep]], axis=1), names)

    @classmethod
    def from_pyg(cls, data: torch_geometric.data.Data, names: Iterable[Any] | None = None) -> Graph:
        """Build from a PyTorch Geometric `Data` object (its `edge_index` and `num_nodes`)."""
        edge_index = getattr(data, "edge_index", None)
        if edge_index is None:
            raise GraphError(f"from_pyg needs an object with an edge_index, not {type(data).__name__}.")
        n = data.num_nodes
        if n is None:
            raise GraphError("the Data object does not know its number of nodes; set data.num_nodes.")
        return cls(int(n), edge_index.detach().cpu().numpy().T, names)

    @classmethod
    def from_pandas(
        cls,
        table: pandas.DataFrame,
        source: str | None = None,
        target: str | None = None,
        vertices: Iterable[Any] | None = None,
    ) -> Graph:
        """Build from two columns of a data frame: `source` and `target`, by default its first two."""
        if not hasattr(table, "columns") or len(table.columns) < 2:
            raise GraphError("from_pandas needs a DataFrame with at least two columns.")
        chosen = [table.columns[i] if column is None else column for i, column in enumerate((source, target))]
        for column in chosen:
            if column not in table.columns:
                raise OptionError(f"no column {column!r}; there are {', '.join(map(repr, table.columns))}.")
        if chosen[0] == chosen[1]:
            raise OptionError(f"source and target are both {chosen[0]!r}; name two columns.")
        pairs = table[chosen]
        if pairs.isna().to_numpy().any():
            raise GraphError(f"the columns {chosen[0]!r} and {chosen[1]!r} have missing values.")
        return cls.from_edges((pairs.iloc[:, 0].to_numpy(), pairs.iloc[:, 1].to_numpy()), vertices)

    # ------------------------------------------------------------------ what it knows

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    @cached_property
    def degrees(self) -> IntArray:
        """(n,) number of neighbours of every vertex."""
        return np.bincount(self.edges.ravel(), minlength=self.n_vertices)

    @cached_property
    def csr(self) -> tuple[IntArray, IntArray]:
        """`(indptr, neighbours)`: the neighbours of v, sorted, are `neighbours[indptr[v]:indptr[v + 1]]`."""
        indptr, neighbours = neighbour_lists(self.n_vertices, self.edges)
        return indptr, neighbours

    def neighbors(self, vertex: int) -> IntArray:
        """Sorted ids of the vertices joined to `vertex`."""
        self._check_vertex(vertex)
        indptr, neighbours = self.csr
        return neighbours[indptr[vertex] : indptr[vertex + 1]]

    @cached_property
    def components(self) -> IntArray:
        """(n,) number of the connected component of every vertex, 0 … n_components-1."""
        return self._components[1]

    @property
    def n_components(self) -> int:
        """Number of connected components, isolated vertices counted."""
        return self._components[0]

    @cached_property
    def _components(self) -> tuple[int, IntArray]:
        count, labels = sp.csgraph.connected_components(self.to_scipy(), directed=False)
        return int(count), labels.astype(np.int64)

    def has_edges(self, pairs: npt.ArrayLike) -> BoolArray:
        """Whether each pair (k, 2), in either direction, is an edge."""
        wanted = as_pairs(pairs)
        low, high = wanted.min(axis=1, initial=self.n_vertices), wanted.max(axis=1, initial=0)
        key = low * self.n_vertices + high
        own = self.edges[:, 0] * self.n_vertices + self.edges[:, 1]  # sorted, since the edges are
        position = np.minimum(np.searchsorted(own, key), max(len(own) - 1, 0))
        inside = (low >= 0) & (high < self.n_vertices)
        return inside & (own[position] == key) if len(own) else np.zeros(len(wanted), dtype=bool)

    def with_edges(self, chosen: npt.ArrayLike) -> Graph:
        """The same vertices with a selection of the edges (boolean mask (m,) or edge numbers)."""
        index = np.asarray(chosen)
        try:
            edges = self.edges[index if index.size else index.astype(np.int64)]
        except IndexError as error:
            raise GraphError(f"no such selection of {self.n_edges} edges: {error}.") from None
        return Graph(self.n_vertices, edges, self.names)

    # ------------------------------------------------------------------ names

    def name(self, vertex: int) -> Any:
        """The name of a vertex, or its id when the graph has no names."""
        self._check_vertex(vertex)
        return int(vertex) if self.names is None else self.names[vertex]

    def index(self, name: Any) -> int:
        """The id of the vertex called `name`."""
        if self.names is None:
            if isinstance(name, (int, np.integer)) and 0 <= name < self.n_vertices:
                return int(name)
            raise UnknownNameError(
                f"no vertex {name!r}; this graph has no names, its ids are 0…{self.n_vertices - 1}."
            )
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            raise UnknownNameError(
                f"no vertex is called {name!r}.{did_you_mean(name, self._positions)}"
            ) from None

    def _check_vertex(self, vertex: int) -> None:
        if not 0 <= vertex < self.n_vertices:
            raise GraphError(f"there is no vertex {vertex}; ids lie in 0…{self.n_vertices - 1}.")

    @cached_property
    def _positions(self) -> dict[Any, int]:
        return {} if self.names is None else lookup_table(self.names)

    # ------------------------------------------------------------------ ways out

    def to_scipy(self) -> sp.csr_array:
        """Symmetric 0/1 adjacency matrix (n, n) in CSR form."""
        u, v = self.edges.T
        ones = np.ones(2 * len(u), dtype=np.int8)
        shape = (self.n_vertices, self.n_vertices)
        return sp.csr_array((ones, (np.concatenate([u, v]), np.concatenate([v, u]))), shape=shape)

    def to_networkx(self) -> networkx.Graph:
        """A NetworkX graph whose nodes are the names."""
        networkx = optional_import("networkx", needed_for="Graph.to_networkx", install="networkx")
        graph = networkx.Graph()
        graph.add_nodes_from(self.name(v) for v in range(self.n_vertices))
        graph.add_edges_from((self.name(u), self.name(v)) for u, v in self.edges.tolist())
        return graph

    def to_pyg(self) -> torch_geometric.data.Data:
        """A PyTorch Geometric `Data` with both directions of every edge."""
        pyg = optional_import("torch_geometric.data", needed_for="Graph.to_pyg", install="'acvae[baselines]'")
        import torch

        both = np.concatenate([self.edges, self.edges[:, ::-1]])
        return pyg.Data(edge_index=torch.from_numpy(np.ascontiguousarray(both.T)), num_nodes=self.n_vertices)

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with the columns `source` and `target`, by name."""
        pandas = optional_import("pandas", needed_for="Graph.to_pandas", install="'acvae[tables]'")
        source, target = (c if self.names is None else self.names[c] for c in self.edges.T)
        return pandas.DataFrame({"source": source, "target": target})

    # ------------------------------------------------------------------ Python's own

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        same_names = (self.names is None) == (other.names is None) and (
            self.names is None or other.names is None or np.array_equal(self.names, other.names)
        )
        return self.n_vertices == other.n_vertices and same_names and np.array_equal(self.edges, other.edges)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Graph(n_vertices={self.n_vertices:,}, n_edges={self.n_edges:,})"
