"""Weights of edges, and the order of vertices, through every way in and out of a graph."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from acvae import Graph, split_edges
from acvae.exceptions import GraphError, OptionError

PAIRS = [("b", "a"), ("c", "b"), ("d", "a")]
WEIGHTS = [0.5, 2.0, 3.0]


def weight_of(graph):
    """{frozenset of two names: weight}."""
    pairs = (frozenset((graph.name(u), graph.name(v))) for u, v in graph.edges.tolist())
    return dict(zip(pairs, graph.weights.tolist(), strict=True))


EXPECTED = {frozenset(pair): weight for pair, weight in zip(PAIRS, WEIGHTS, strict=True)}


class TestWeights:
    def test_follow_their_edges_into_canonical_order(self):
        graph = Graph(4, [[3, 1], [2, 2], [1, 0], [0, 2]], weights=[3, 9, 1, 2])
        assert graph.edges.tolist() == [[0, 1], [0, 2], [1, 3]]
        assert graph.weights.tolist() == [1.0, 2.0, 3.0]
        assert graph.weights.dtype == np.float64
        assert repr(graph) == "Graph(n_vertices=4, n_edges=3, weighted)"

    def test_none_unless_given(self):
        assert Graph(3, [[0, 1]]).weights is None
        assert Graph(3, [], weights=[]).weights.shape == (0,)

    def test_cannot_be_written_and_leave_the_input_alone(self):
        given_weights = np.array([1.0])
        graph = Graph(2, [[0, 1]], weights=given_weights)
        given_weights[0] = 5
        assert graph.weights.tolist() == [1.0]
        with pytest.raises(ValueError, match="read-only"):
            graph.weights[0] = 2

    @given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 9)), max_size=25))
    @settings(max_examples=60, deadline=None)
    def test_combined_as_asked(self, rows):
        found = {}
        for u, v, w in rows:
            if u != v:
                found.setdefault((min(u, v), max(u, v)), []).append(w)
        pairs = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
        weights = [row[2] for row in rows]
        for combine, by_hand in (("sum", sum), ("max", max), ("mean", np.mean)):
            graph = Graph(5, pairs, weights=weights, combine=combine)
            assert [tuple(e) for e in graph.edges.tolist()] == sorted(found)
            np.testing.assert_allclose(graph.weights, [by_hand(found[e]) for e in sorted(found)])
        if all(len(set(own)) == 1 for own in found.values()):
            graph = Graph(5, pairs, weights=weights)
            assert graph.weights.tolist() == [found[e][0] for e in sorted(found)]
        else:
            with pytest.raises(GraphError, match="given more than once, with the weights"):
                Graph(5, pairs, weights=weights)

    def test_contradictions_are_refused_with_what_to_do(self):
        with pytest.raises(GraphError) as told:
            Graph(3, [[0, 1], [1, 0], [1, 2]], weights=[1, 2, 1])
        assert str(told.value) == (
            "the edge (0, 1) is given more than once, with the weights 1.0 and 2.0. "
            "Say what to make of them: combine='sum', 'mean' or 'max'."
        )

    @pytest.mark.parametrize(
        ("weights", "telling"),
        [
            ([1], r"shape \(2,\), one per edge, got \(1,\)"),
            ([[1], [2]], r"got \(2, 1\)"),
            ([1, 0], r"positive and finite, but edge 1, \(1, 2\), has 0.0\. Leave out"),
            ([-1, -2], r"edge 0, \(0, 1\), has -1.0 \(2 edges are like that\)"),
            ([1, float("nan")], "has nan"),
            ([float("inf"), 1], "has inf"),
            (["a", "b"], "must be numbers, one per edge, got <U1"),
            ([True, False], "must be numbers, one per edge, got bool"),
            ([None, "x"], "must be numbers, one per edge"),
        ],
    )
    def test_bad_weights(self, weights, telling):
        with pytest.raises(GraphError, match=telling):
            Graph(3, [[0, 1], [1, 2]], weights=weights)

    def test_unknown_combination(self):
        with pytest.raises(OptionError, match="combine='add' is unknown; choose one of 'equal', 'sum'"):
            Graph(2, [[0, 1]], weights=[1], combine="add")

    def test_equality_looks_at_them(self):
        graph = Graph(3, [[0, 1], [1, 2]], weights=[1, 2])
        assert graph == Graph(3, [[2, 1], [0, 1]], weights=[2, 1])
        assert graph != Graph(3, [[0, 1], [1, 2]], weights=[2, 1])
        assert graph != Graph(3, [[0, 1], [1, 2]])

    def test_selection_and_split_keep_them(self):
        graph = Graph.from_edges(PAIRS, weights=WEIGHTS)
        assert weight_of(graph.with_edges([2, 0])) == {
            key: EXPECTED[key] for key in map(frozenset, [("a", "b"), ("b", "c")])
        }
        assert graph.with_edges([]).weights.shape == (0,)
        assert weight_of(graph.with_edges([False, True, False])) == {frozenset("ad"): 3.0}
        split = split_edges(graph, seed=1)
        assert weight_of(split.train) | weight_of(split.test) == EXPECTED
        assert split.train.mapped


class TestWaysInAndOut:
    def test_from_edges(self):
        assert weight_of(Graph.from_edges(PAIRS, weights=WEIGHTS)) == EXPECTED
        assert weight_of(Graph.from_edges(PAIRS, vertices=["d", "c", "b", "a"], weights=WEIGHTS)) == EXPECTED

    def test_networkx(self):
        source = nx.Graph()
        source.add_weighted_edges_from((u, v, w) for (u, v), w in EXPECTED.items())
        graph = Graph.from_networkx(source)
        assert weight_of(graph) == EXPECTED
        assert Graph.from_networkx(graph.to_networkx()) == graph
        assert Graph.from_networkx(source, weight=None).weights is None

    def test_networkx_attribute_of_another_name(self):
        source = nx.Graph()
        source.add_edge("a", "b", strength=4.0)
        source.add_edge("b", "c")  # counts as 1, as in NetworkX
        assert Graph.from_networkx(source).weights is None
        assert Graph.from_networkx(source, weight="strength").weights.tolist() == [4.0, 1.0]
        with pytest.raises(OptionError, match="no edge has the attribute 'strenght'"):
            Graph.from_networkx(source, weight="strenght")

    def test_networkx_multigraph(self):
        source = nx.MultiGraph()
        source.add_weighted_edges_from([("a", "b", 1), ("a", "b", 2)])
        with pytest.raises(GraphError, match="combine='sum'"):
            Graph.from_networkx(source)
        assert Graph.from_networkx(source, combine="sum").weights.tolist() == [3.0]

    @pytest.mark.parametrize("form", [sp.csr_array, sp.coo_matrix, sp.csc_array])
    def test_scipy(self, form):
        dense = np.zeros((4, 4))
        dense[0, 2] = dense[2, 0] = 0.5
        dense[3, 2] = 7  # one direction is enough
        graph = Graph.from_scipy(form(dense))
        assert graph.weights.tolist() == [0.5, 7.0]
        np.testing.assert_array_equal(graph.to_scipy().toarray(), np.maximum(dense, dense.T))
        assert graph.to_scipy(weighted=False).toarray().max() == 1
        assert Graph.from_scipy(graph.to_scipy()) == graph

    def test_scipy_of_ones_has_no_weights(self):
        ones = sp.csr_array(np.array([[0, 1], [1, 0]]))
        assert Graph.from_scipy(ones).weights is None
        assert Graph.from_scipy(ones.astype(bool)).weights is None

    def test_scipy_values_that_are_no_weights(self):
        matrix = sp.csr_array(np.array([[0, -1.0], [0, 0]]))
        with pytest.raises(GraphError, match=r"has -1.0\. .* without weights: weighted=False"):
            Graph.from_scipy(matrix)
        assert Graph.from_scipy(matrix, weighted=False) == Graph(2, [[0, 1]])
        both = sp.csr_array(np.array([[0, 2.0], [3.0, 0]]))
        with pytest.raises(GraphError, match=r"weights 2.0 and 3.0\. .* weighted=False"):
            Graph.from_scipy(both)
        assert Graph.from_scipy(both, combine="mean").weights.tolist() == [2.5]

    @pytest.mark.parametrize("shape", [(4,), (4, 1)])
    def test_pyg(self, shape):
        weights = torch.tensor([0.5, 0.5, 2.0, 2.0]).reshape(shape)
        data = Data(edge_index=torch.tensor([[0, 3, 1, 2], [3, 0, 2, 1]]), num_nodes=4, edge_weight=weights)
        graph = Graph.from_pyg(data)
        assert graph == Graph(4, [[0, 3], [1, 2]], weights=[0.5, 2])
        assert Graph.from_pyg(graph.to_pyg()) == graph
        assert Graph.from_pyg(data, weight=None).weights is None
        with pytest.raises(OptionError, match="no attribute 'strength'"):
            Graph.from_pyg(data, weight="strength")

    def test_pandas(self):
        table = pd.DataFrame(PAIRS, columns=["u", "v"]).assign(weight=WEIGHTS, strength=[1, 2, 3])
        assert weight_of(Graph.from_pandas(table)) == EXPECTED
        assert Graph.from_pandas(table, weight=None).weights is None
        assert sorted(Graph.from_pandas(table, weight="strength").weights.tolist()) == [1, 2, 3]
        graph = Graph.from_pandas(table)
        assert Graph.from_pandas(graph.to_pandas()) == graph
        with pytest.raises(OptionError, match="no column 'mass'; there are 'u', 'v', 'weight', 'strength'"):
            Graph.from_pandas(table, weight="mass")


class TestOrderOfVertices:
    """Which row of features belongs to which name: as documented, for every constructor."""

    def test_from_edges_sorts_text_letter_by_letter(self):
        graph = Graph.from_edges([("u10", "u2"), ("u1", "u0")])
        assert graph.names.tolist() == ["u0", "u1", "u10", "u2"]
        assert graph.mapped

    def test_from_edges_sorts_numbers_by_size(self):
        graph = Graph.from_edges([(10, 2), (1, 0)])
        assert graph.names.tolist() == [0, 1, 2, 10]
        assert graph.mapped

    def test_ids_that_are_names_already_are_not_mapped(self):
        assert not Graph.from_edges([(2, 0), (1, 0)]).mapped
        assert not Graph.from_networkx(nx.path_graph(4)).mapped
        assert not Graph(3, [[0, 1]], ["c", "a", "b"]).mapped
        assert not Graph.from_scipy(sp.csr_array((2, 2)), ["b", "a"]).mapped

    def test_names_that_do_not_compare_come_as_they_appear_ends_first(self):
        assert Graph.from_edges([("b", 2), (1, "a")]).names.tolist() == ["b", 1, 2, "a"]

    def test_vertices_given_are_kept(self):
        graph = Graph.from_edges([("u10", "u2")], vertices=["u2", "u10"])
        assert graph.names.tolist() == ["u2", "u10"]
        assert not graph.mapped

    def test_from_networkx_keeps_the_order_in_which_nodes_were_added(self):
        graph = Graph.from_networkx(nx.Graph([("c", "a"), ("b", "a")]))
        assert graph.names.tolist() == ["c", "a", "b"]
        assert graph.mapped
        assert Graph.from_networkx(nx.Graph([(1, 0)])).mapped  # row 0 would be vertex 1

    def test_from_pandas_sorts_too(self):
        graph = Graph.from_pandas(pd.DataFrame({"s": ["u10", "u1"], "t": ["u2", "u0"]}))
        assert graph.names.tolist() == ["u0", "u1", "u10", "u2"]
        assert graph.mapped
        named = Graph.from_pandas(pd.DataFrame({"s": ["b"], "t": ["a"]}), vertices=["b", "a"])
        assert named.names.tolist() == ["b", "a"]
        assert not named.mapped
