"""Graphs of other libraries, through the ways in and out of `Graph` that read and write them."""

import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from torch_geometric.data import Data

import oracles
from acvae import Graph
from acvae.exceptions import GraphError, MissingDependencyError, OptionError


def edge_set(graph):
    return {frozenset((graph.name(u), graph.name(v))) for u, v in graph.edges.tolist()}


class TestOtherLibraries:
    def test_networkx(self):
        source = nx.Graph([("b", "a"), ("a", "c"), ("c", "c")])
        source.add_node("alone")
        graph = Graph.from_networkx(source)
        assert graph.names.tolist() == list(source.nodes)
        assert edge_set(graph) == {frozenset("ab"), frozenset("ac")}
        assert graph.dropped_self_loops == 1
        back = graph.to_networkx()
        assert list(back.nodes) == list(source.nodes)
        assert {frozenset(e) for e in back.edges} == edge_set(graph)

    def test_networkx_directed_multigraph(self):
        graph = Graph.from_networkx(nx.MultiDiGraph([(1, 2), (2, 1), (1, 2), (5, 1)]))
        assert edge_set(graph) == {frozenset((1, 2)), frozenset((1, 5))}
        assert graph.merged_duplicates == 2

    def test_networkx_nodes_that_are_tuples(self):
        source = nx.grid_2d_graph(3, 4)
        graph = Graph.from_networkx(source)
        assert nx.utils.graphs_equal(graph.to_networkx(), source)
        assert graph.index((2, 3)) == list(source.nodes).index((2, 3))

    def test_networkx_without_nodes(self):
        assert Graph.from_networkx(nx.Graph()).n_vertices == 0

    @pytest.mark.parametrize("form", [sp.csr_array, sp.coo_matrix, sp.csc_matrix, sp.lil_array])
    def test_scipy(self, form):
        dense = np.zeros((4, 4))
        dense[0, 2] = dense[2, 0] = 0.5
        dense[3, 2] = -1
        dense[1, 1] = 7
        graph = Graph.from_scipy(form(dense), names=list("abcd"), weighted=False)
        assert graph == Graph(4, [[0, 2], [2, 3]], list("abcd"))
        assert (graph.dropped_self_loops, graph.merged_duplicates) == (1, 1)
        expected = np.zeros((4, 4))
        expected[[0, 2, 2, 3], [2, 0, 3, 2]] = 1
        assert np.array_equal(graph.to_scipy().toarray(), expected)
        assert Graph.from_scipy(graph.to_scipy(), graph.names) == graph

    def test_scipy_stored_zeros_are_no_edges(self):
        stored = sp.coo_array((np.array([0.0, 1.0]), ([0, 1], [1, 2])), shape=(3, 3))
        assert Graph.from_scipy(stored).edges.tolist() == [[1, 2]]

    def test_pyg(self):
        data = Data(edge_index=torch.tensor([[0, 3, 1, 1], [3, 0, 1, 2]]), num_nodes=5)
        graph = Graph.from_pyg(data)
        assert graph == Graph(5, [[0, 3], [1, 2]])
        assert (graph.dropped_self_loops, graph.merged_duplicates) == (1, 1)
        back = graph.to_pyg()
        assert back.num_nodes == 5
        assert back.is_undirected()
        assert back.edge_index.shape == (2, 2 * graph.n_edges)
        assert Graph.from_pyg(back) == graph

    def test_pandas(self):
        table = pd.DataFrame({"year": [1.0, 2.0], "to": ["x", "y"], "from": ["y", "z"]})
        graph = Graph.from_pandas(table, "from", "to")
        assert edge_set(graph) == {frozenset("xy"), frozenset("yz")}
        back = graph.to_pandas()
        assert list(back.columns) == ["source", "target"]
        assert Graph.from_pandas(back, vertices=graph.names) == graph

    def test_pandas_takes_the_first_two_columns_by_default(self):
        graph = Graph.from_pandas(pd.DataFrame({"a": [10, 20], "b": [20, 30], "c": [0, 0]}))
        assert graph.names.tolist() == [10, 20, 30]
        assert graph.edges.tolist() == [[0, 1], [1, 2]]
        assert Graph(3, [[0, 2]]).to_pandas().to_numpy().tolist() == [[0, 2]]

    def test_pandas_categories(self):
        table = pd.DataFrame({"a": ["x", "y"], "b": ["y", "x"]}, dtype="category")
        graph = Graph.from_pandas(table)
        assert graph.names.tolist() == ["x", "y"]
        assert graph.merged_duplicates == 1

    @pytest.mark.parametrize("seed", range(3))
    def test_round_trips(self, seed):
        rng = np.random.default_rng(seed)
        graph = Graph(12, oracles.random_graph_edges(rng, 12, 15), [f"v{i:02}" for i in range(12)])
        assert Graph.from_networkx(graph.to_networkx()) == graph
        assert Graph.from_scipy(graph.to_scipy(), graph.names) == graph
        assert Graph.from_pyg(graph.to_pyg(), graph.names) == graph
        assert Graph.from_pandas(graph.to_pandas(), vertices=graph.names) == graph
        assert Graph.from_edges(graph.names[graph.edges], vertices=graph.names) == graph

    @pytest.mark.parametrize(
        ("build", "error", "telling"),
        [
            (lambda: Graph.from_networkx([(0, 1)]), GraphError, "needs a NetworkX graph, not list"),
            (lambda: Graph.from_scipy(np.eye(2)), GraphError, "needs a SciPy sparse matrix, not ndarray"),
            (lambda: Graph.from_scipy(sp.csr_array((2, 3))), GraphError, r"square, got shape \(2, 3\)"),
            (lambda: Graph.from_pyg(object()), GraphError, "edge_index, not object"),
            (lambda: Graph.from_pandas(pd.DataFrame({"a": [1]})), GraphError, "at least two columns"),
            (
                lambda: Graph.from_pandas(pd.DataFrame({"a": [1], "b": [2]}), "a", "z"),
                OptionError,
                "no column 'z'; there are 'a', 'b'",
            ),
            (
                lambda: Graph.from_pandas(pd.DataFrame({"a": ["x", None], "b": ["y", "z"]})),
                GraphError,
                "'a' and 'b' have missing values",
            ),
            (
                lambda: Graph.from_pandas(pd.DataFrame({"a": [1], "b": [2]}), source="b"),
                OptionError,
                "source and target are both 'b'",
            ),
        ],
    )
    def test_bad_sources(self, build, error, telling):
        with pytest.raises(error, match=telling):
            build()

    @pytest.mark.parametrize(
        ("module", "way_out"),
        [("networkx", "to_networkx"), ("pandas", "to_pandas"), ("torch_geometric.data", "to_pyg")],
    )
    def test_missing_package_is_named(self, module, way_out, monkeypatch):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingDependencyError, match=rf"'{module.split('.')[0]}': pip install"):
            getattr(Graph(2, [[0, 1]]), way_out)()
