"""Graph: who is related to whom, as one canonical undirected edge list."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acvae._util.adjacency import adjacency, neighbour_lists
from acvae._util.checks import as_array, choice, flag, optional_import
from acvae._util.edge_lists import (
    COMBINE,
    BoolArray,
    IntArray,
    as_pairs,
    as_weights,
    canonical,
    join,
    split_columns,
    vertex_count,
)
from acvae._util.other_graphs import (
    columns_of_pandas,
    edges_of_networkx,
    edges_of_pyg,
    edges_of_scipy,
    networkx_of_edges,
    pyg_of_edges,
)
from acvae._util.text import shown
from acvae._util.vertex_names import as_names, factorize, is_range, lookup_table, positions_of
from acvae.exceptions import GraphError, UnknownNameError, did_you_mean

if TYPE_CHECKING:
    import networkx
    import pandas
    import scipy.sparse as sp
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
    weights
        One positive, finite number per given edge. More than one for the same edge, in either direction, have
        to be equal, unless `combine` says what to make of them.
    combine
        `"equal"`, `"sum"`, `"mean"` or `"max"`. A symmetric matrix has every edge twice: there `"sum"` would
        double the weights.

    Attributes
    ----------
    edges
        int64 (m, 2), each row u < v, rows unique and sorted.
    weights
        float64 (m,), that of each of `edges`, or None.
    mapped
        Whether names were mapped to ids in an order of this package's or of NetworkX's choosing: by
        `from_edges`, `from_pandas` and `from_networkx`, unless `vertices` gives the order or the names are
        0 … n-1. Rows of features without names may then be in another order.
    """

    def __init__(
        self,
        n_vertices: int,
        edges: npt.ArrayLike,
        names: Iterable[Any] | None = None,
        weights: npt.ArrayLike | None = None,
        *,
        combine: str = "equal",
    ) -> None:
        n = vertex_count(n_vertices)
        choice("combine", combine, COMBINE)
        pairs = as_pairs(edges)
        if pairs.size and (pairs.min() < 0 or pairs.max() >= n):
            bad = int(np.flatnonzero((pairs < 0).any(1) | (pairs >= n).any(1))[0])
            raise GraphError(
                f"edge {bad} is ({pairs[bad, 0]}, {pairs[bad, 1]}), but vertex ids must lie in 0…{n - 1}. "
                "For ids or names of your own use Graph.from_edges."
            )
        given = None if weights is None else as_weights(weights, pairs)
        self.n_vertices = n
        self.names = None if names is None else as_names(names, n)
        self.edges, self.weights, self.dropped_self_loops, self.merged_duplicates = canonical(
            n, pairs, given, combine, self.names
        )
        _fixed(self.edges)
        if self.weights is not None:
            _fixed(self.weights)
        self.mapped = False

    # ------------------------------------------------------------------ other ways in

    @classmethod
    def from_edges(
        cls,
        pairs: Any,
        vertices: Iterable[Any] | None = None,
        weights: npt.ArrayLike | None = None,
        *,
        combine: str = "equal",
    ) -> Graph:
        """Build from pairs of any ids or names, with one weight per pair.

        Vertex order: names sorted, numbers by size and text letter by letter, so u0, u1, u10, u2 (not u2
        before u10). Names that do not compare (1 beside "a") come in order of appearance, first all first
        ends, then all second ends. `vertices` fixes the order instead and may add isolated vertices; then
        every end of an edge must be in it.
        """
        columns = split_columns(pairs)
        if vertices is None:
            names, ids = factorize(join(*columns))
            graph = cls(len(names), ids.reshape(2, -1).T, names, weights, combine=combine)
            graph.mapped = not is_range(graph.names)
            return graph
        order = as_names(vertices)
        lookup = lookup_table(order)
        ends = np.stack([positions_of(lookup, c) for c in columns], axis=1)
        return cls(len(order), ends, order, weights, combine=combine)

    @classmethod
    def from_networkx(
        cls, graph: networkx.Graph, weight: str | None = "weight", *, combine: str = "equal"
    ) -> Graph:
        """Build from any NetworkX graph; its nodes become the names.

        Vertex order: that of `graph.nodes`, in which nodes were added. A graph built from an edge list has
        them as the edges first name them, which is seldom the order of a table.

        `weight` names the edge attribute to read as weights, None reads none. A missing one counts as 1, as
        in NetworkX; where no edge has it, the graph has no weights.
        """
        nodes, edges, weights = edges_of_networkx(graph, weight)
        made = cls(len(nodes), edges, nodes, weights, combine=combine)
        made.mapped = not is_range(made.names)
        return made

    @classmethod
    def from_scipy(
        cls,
        adjacency: Any,
        names: Iterable[Any] | None = None,
        *,
        weighted: bool = True,
        combine: str = "equal",
    ) -> Graph:
        """Build from a square SciPy sparse matrix; every non-zero is an edge and its value the weight.

        Vertex order: that of the rows. A matrix of ones or booleans, or `weighted=False`, gives no weights.
        Entries (u, v) and (v, u) are one edge.
        """
        edges, values = edges_of_scipy(adjacency, flag("weighted", weighted))
        try:
            return cls(adjacency.shape[0], edges, names, values, combine=combine)
        except GraphError as error:
            hint = "" if values is None else " To take the entries as edges without weights: weighted=False."
            raise GraphError(f"{error}{hint}") from None

    @classmethod
    def from_pyg(
        cls,
        data: torch_geometric.data.Data,
        names: Iterable[Any] | None = None,
        *,
        weight: str | None = "edge_weight",
        combine: str = "equal",
    ) -> Graph:
        """Build from a PyTorch Geometric `Data` object (its `edge_index` and `num_nodes`).

        Vertex order: that of its nodes. `weight` names the attribute with one weight per edge, where there
        is one; None reads none.
        """
        n, ends, values = edges_of_pyg(data, weight)
        return cls(n, ends, names, values, combine=combine)

    @classmethod
    def from_pandas(
        cls,
        table: pandas.DataFrame,
        source: str | None = None,
        target: str | None = None,
        vertices: Iterable[Any] | None = None,
        weight: str | None = "weight",
        *,
        combine: str = "equal",
    ) -> Graph:
        """Build from two columns of a data frame: `source` and `target`, by default its first two.

        Vertex order: as `from_edges`, names sorted, or as `vertices` says. `weight` names the column of
        weights, by default the one called "weight" where there is one; None reads none.
        """
        ends, weights = columns_of_pandas(table, source, target, weight)
        return cls.from_edges(ends, vertices, weights, combine=combine)

    # ------------------------------------------------------------------ what it knows

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    @cached_property
    def degrees(self) -> IntArray:
        """(n,) number of neighbours of every vertex."""
        return _fixed(np.bincount(self.edges.ravel(), minlength=self.n_vertices))

    @cached_property
    def csr(self) -> tuple[IntArray, IntArray]:
        """`(indptr, neighbours)`: the neighbours of v, sorted, are `neighbours[indptr[v]:indptr[v + 1]]`."""
        indptr, neighbours = neighbour_lists(self.n_vertices, self.edges)
        return _fixed(indptr), _fixed(neighbours)

    def neighbors(self, vertex: int) -> IntArray:
        """Sorted ids of the vertices joined to `vertex`."""
        v = self._vertex(vertex)
        indptr, neighbours = self.csr
        return neighbours[indptr[v] : indptr[v + 1]]

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
        from scipy.sparse.csgraph import connected_components

        count, labels = connected_components(self.to_scipy(weighted=False), directed=False)
        return int(count), _fixed(labels.astype(np.int64))

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
        index = as_array("the selection of edges", chosen, GraphError)
        if index.ndim != 1 or (index.size and index.dtype.kind not in "biu"):
            raise GraphError(
                f"a selection of edges is a mask ({self.n_edges},) or a list of edge numbers, not "
                f"{index.dtype} of shape {index.shape}."
            )
        index = index if index.size else index.astype(np.int64)
        try:
            edges = self.edges[index]
        except IndexError as error:
            raise GraphError(f"no such selection of {self.n_edges} edges: {error}.") from None
        weights = None if self.weights is None else self.weights[index]
        part = Graph(self.n_vertices, edges, self.names, weights)
        part.mapped = self.mapped
        return part

    # ------------------------------------------------------------------ names

    def name(self, vertex: int) -> Any:
        """The name of a vertex, or its id when the graph has no names."""
        v = self._vertex(vertex)
        return v if self.names is None else self.names[v]

    def index(self, name: Any) -> int:
        """The id of the vertex called `name`."""
        if self.names is None:
            if isinstance(name, (int, np.integer)) and 0 <= name < self.n_vertices:
                return int(name)
            raise UnknownNameError(
                f"no vertex {shown(name)}; this graph has no names, its ids are 0…{self.n_vertices - 1}."
            )
        try:
            return self._positions[name]
        except Exception:  # also what cannot be looked up, such as a list
            raise UnknownNameError(
                f"no vertex is called {shown(name)}.{did_you_mean(name, self._positions)}"
            ) from None

    def _vertex(self, vertex: Any) -> int:
        try:
            v = -1 if isinstance(vertex, (bool, np.bool_)) else operator.index(vertex)
        except Exception:
            v = -1
        if not 0 <= v < self.n_vertices:
            raise GraphError(f"there is no vertex {shown(vertex)}; ids lie in 0…{self.n_vertices - 1}.")
        return v

    @cached_property
    def _positions(self) -> dict[Any, int]:
        return {} if self.names is None else lookup_table(self.names)

    # ------------------------------------------------------------------ ways out

    def to_scipy(self, *, weighted: bool = True) -> sp.csr_array:
        """Symmetric adjacency matrix (n, n) in CSR form: the weights, or int8 ones where there are none."""
        import scipy.sparse as sp

        indptr, neighbours, number = adjacency(self.n_vertices, self.edges)
        if self.weights is None or not weighted:
            values: npt.NDArray[Any] = np.ones(len(neighbours), dtype=np.int8)
        else:
            values = self.weights[number]
        return sp.csr_array((values, neighbours, indptr), shape=(self.n_vertices, self.n_vertices))

    def to_networkx(self) -> networkx.Graph:
        """A NetworkX graph whose nodes are the names; weights are the edge attribute `weight`."""
        return networkx_of_edges([self.name(v) for v in range(self.n_vertices)], self.edges, self.weights)

    def to_pyg(self) -> torch_geometric.data.Data:
        """A PyTorch Geometric `Data` with both directions of every edge; weights are its `edge_weight`."""
        return pyg_of_edges(self.n_vertices, self.edges, self.weights)

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with the columns `source` and `target`, by name, and `weight` where there are any."""
        pandas = optional_import("pandas", needed_for="Graph.to_pandas", install="'acvae[tables]'")
        source, target = (c if self.names is None else self.names[c] for c in self.edges.T)
        table = pandas.DataFrame({"source": source, "target": target})
        return table if self.weights is None else table.assign(weight=self.weights)

    # ------------------------------------------------------------------ Python's own

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        if self.n_vertices != other.n_vertices or not np.array_equal(self.edges, other.edges):
            return False
        return _same(self.names, other.names) and _same(self.weights, other.weights)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else ", weighted"
        return f"Graph(n_vertices={self.n_vertices:,}, n_edges={self.n_edges:,}{weighted})"


def _fixed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same array, which can no longer be written to."""
    array.flags.writeable = False
    return array


def _same(one: npt.NDArray[Any] | None, other: npt.NDArray[Any] | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)
