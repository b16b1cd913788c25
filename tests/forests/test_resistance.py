import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from acvae import Graph, spanning_tree_probabilities
from acvae.exceptions import GraphError
from acvae.forests.elimination import order as elimination


def by_enumeration(graph):
    """Share of all spanning forests that hold each edge."""
    forests = oracles.all_spanning_forests(graph.n_vertices, graph.edges.tolist())
    return np.bincount(np.concatenate(forests).astype(int), minlength=graph.n_edges) / len(forests)


def by_pseudo_inverse(graph):
    adjacency = graph.to_scipy().toarray().astype(float)
    inverse = np.linalg.pinv(np.diag(adjacency.sum(axis=1)) - adjacency, hermitian=True)
    u, v = graph.edges.T
    return inverse[u, u] + inverse[v, v] - 2 * inverse[u, v]


@given(st.integers(2, 7), st.integers(1, 12), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_all_spanning_forests_enumerated(n, m, seed):
    graph = Graph(n, oracles.random_graph_edges(np.random.default_rng(seed), n, m))
    probability = spanning_tree_probabilities(graph)
    np.testing.assert_allclose(probability, by_enumeration(graph), rtol=0, atol=1e-12)
    assert probability.sum() == pytest.approx(n - graph.n_components, abs=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_pseudo_inverse_of_larger_graphs(seed):
    rng = np.random.default_rng(seed)
    blocks = [oracles.random_graph_edges(rng, 40, 90) + 40 * b for b in range(3)]  # disconnected
    graph = Graph(130, rng.permutation(130)[np.concatenate(blocks)])
    probability = spanning_tree_probabilities(graph)
    np.testing.assert_allclose(probability, by_pseudo_inverse(graph), rtol=0, atol=1e-10)
    for c in range(graph.n_components):
        inside = graph.components[graph.edges[:, 0]] == c
        vertices = (graph.components == c).sum()
        assert probability[inside].sum() == pytest.approx(vertices - 1, abs=1e-10)


def test_closed_forms():
    complete = Graph.from_networkx(nx.complete_graph(9))
    np.testing.assert_allclose(spanning_tree_probabilities(complete), 2 / 9, atol=1e-13)
    cycle = Graph.from_networkx(nx.cycle_graph(50))
    np.testing.assert_allclose(spanning_tree_probabilities(cycle), 49 / 50, atol=1e-13)
    bipartite = Graph.from_networkx(nx.complete_bipartite_graph(4, 6))
    np.testing.assert_allclose(spanning_tree_probabilities(bipartite), (4 + 6 - 1) / 24, atol=1e-13)


@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_forest_edges_are_certain(shape):
    graph = Graph(60, oracles.forest_edges(shape, 60, np.random.default_rng(0)))
    assert (spanning_tree_probabilities(graph) == 1).all()


def test_bridges_between_cycles():
    # Two triangles joined by a path that peeling cannot reach; its edges are in every spanning tree.
    graph = Graph(8, [[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 4], [7, 0]])
    probability = dict(zip(map(tuple, graph.edges.tolist()), spanning_tree_probabilities(graph), strict=True))
    for edge in [(2, 3), (3, 4), (0, 7)]:
        assert probability[edge] == pytest.approx(1, abs=1e-12)
    for edge in [(0, 1), (1, 2), (0, 2), (4, 5), (5, 6), (4, 6)]:
        assert probability[edge] == pytest.approx(2 / 3, abs=1e-12)


def test_values_are_probabilities():
    rng = np.random.default_rng(5)
    graph = Graph(300, oracles.random_graph_edges(rng, 300, 700))
    probability = spanning_tree_probabilities(graph)
    assert probability.dtype == np.float64
    assert ((probability > 0) & (probability <= 1)).all()
    assert probability.sum() == pytest.approx(300 - graph.n_components, abs=1e-9)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_no_edges(n):
    assert spanning_tree_probabilities(Graph(n, [])).shape == (0,)


def test_not_a_graph():
    with pytest.raises(GraphError, match=r"needs an acvae.Graph, not ndarray"):
        spanning_tree_probabilities(np.array([[0, 1]]))


def test_a_graph_too_large_for_memory_is_refused_with_a_way_out(monkeypatch):
    rng = np.random.default_rng(6)
    graph = Graph(300, oracles.random_graph_edges(rng, 300, 3000))
    expected = spanning_tree_probabilities(graph)
    refusal = r"do not fit.*sampled_spanning_tree_probabilities\(graph\).*edge_weights='sampled'"
    for room in (1000, 10**6):  # at once, and in the middle of elimination
        monkeypatch.setattr(elimination, "available_memory", lambda room=room: room)
        with pytest.raises(GraphError, match=refusal):
            spanning_tree_probabilities(graph)
    for room in (10**8, None):  # enough, and unknown
        monkeypatch.setattr(elimination, "available_memory", lambda room=room: room)
        np.testing.assert_array_equal(spanning_tree_probabilities(graph), expected)
