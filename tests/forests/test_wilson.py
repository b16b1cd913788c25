import networkx as nx
import numpy as np
import pytest
from scipy.stats import chi2

import oracles
from acvae import Graph, sampled_spanning_tree_probabilities, spanning_tree_probabilities
from acvae._util.adjacency import neighbour_lists
from acvae._util.seeds import stream_seed
from acvae.exceptions import GraphError, OptionError
from acvae.forests import wilson

SMALL = {
    "complete": nx.complete_graph(4),
    "wheel": nx.wheel_graph(5),
    "bow tie": nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (2, 4)]),
    "house": nx.house_x_graph(),
    "two parts": nx.disjoint_union(nx.cycle_graph(4), nx.complete_graph(4)),
}


def draw(graph, seeds):
    """Edge numbers of the forests that Wilson's algorithm draws."""
    indptr, neighbours = neighbour_lists(graph.n_vertices, graph.edges, narrow=True)
    root = wilson._roots(indptr, neighbours)
    number = {tuple(edge): e for e, edge in enumerate(graph.edges.tolist())}
    for seed in seeds:
        parent = wilson.draw_forest(indptr, neighbours, root, seed)
        assert np.array_equal(parent == -1, root)
        yield tuple(sorted(number[min(v, p), max(v, p)] for v, p in enumerate(parent.tolist()) if p >= 0))


@pytest.mark.parametrize("kind", SMALL)
def test_all_spanning_forests_are_drawn_equally_often(kind):
    graph = Graph.from_networkx(SMALL[kind])
    forests = oracles.all_spanning_forests(graph.n_vertices, graph.edges.tolist())
    count = dict.fromkeys((tuple(sorted(forest)) for forest in forests), 0)
    n_draws = 200 * len(count)
    for forest in draw(graph, np.random.default_rng(0).integers(0, 2**63, n_draws, dtype=np.uint64)):
        count[forest] += 1  # a KeyError if it is no spanning forest
    statistic = sum((seen - 200) ** 2 / 200 for seen in count.values())
    assert chi2.sf(statistic, len(count) - 1) > 1e-3


@pytest.mark.parametrize("kind", SMALL)
def test_what_a_forest_tells_of_an_edge(kind):
    """Given where all other vertices point, v points to each neighbour that closes no cycle alike."""
    graph = Graph.from_networkx(SMALL[kind])
    n = graph.n_vertices
    indptr, neighbours = neighbour_lists(n, graph.edges, narrow=True)
    root = wilson._roots(indptr, neighbours)
    for seed in np.arange(20, dtype=np.uint64):
        parent = wilson.draw_forest(indptr, neighbours, root, seed)
        expected = dict.fromkeys(map(tuple, graph.edges.tolist()), 0.0)
        for v in np.flatnonzero(~root).tolist():
            others = [(w, p) for w, p in enumerate(parent.tolist()) if p >= 0 and w != v]
            label = oracles.component_labels(n, np.array(others).reshape(-1, 2))
            allowed = [w for w in graph.neighbors(v).tolist() if label[w] != label[v]]
            for w in allowed:
                expected[min(v, w), max(v, w)] += 1 / len(allowed)
        records = np.empty((n, 1, wilson.RECORD), dtype=np.int32)
        wilson._describe(indptr, neighbours, parent, records[:, 0])
        total, squares = np.zeros(graph.n_edges), np.zeros(graph.n_edges)
        wilson._add(graph.edges, records, total, squares)
        np.testing.assert_allclose(total, list(expected.values()), atol=1e-15)
        np.testing.assert_allclose(squares, total**2, atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_within_four_standard_errors_of_exact(seed):
    rng = np.random.default_rng(seed)
    blocks = [oracles.random_graph_edges(rng, 60, 150) + 60 * b for b in range(3)]  # disconnected
    graph = Graph(190, rng.permutation(190)[np.concatenate(blocks)])
    exact = spanning_tree_probabilities(graph)
    found, error = sampled_spanning_tree_probabilities(graph, 1000, seed)
    assert (np.abs(found - exact) <= 4 * error + 1e-12).all()
    certain = exact > 1 - 1e-12
    assert certain.any()
    assert (found[certain] == 1).all()
    assert (error[certain] == 0).all()
    # The standard error is neither too small nor too large, and smaller than that of counting edges.
    z = (found - exact)[~certain] / error[~certain]
    assert 0.8 < z.std() < 1.2
    assert np.mean(error**2) < 0.3 * np.mean(exact * (1 - exact)) / 1000


@pytest.mark.parametrize("n_trees", [2, 3, 50])
def test_probabilities_whatever_the_number_of_trees(n_trees):
    rng = np.random.default_rng(1)
    graph = Graph(300, oracles.random_graph_edges(rng, 300, 900))
    found, error = sampled_spanning_tree_probabilities(graph, n_trees)
    assert ((found > 0) & (found <= 1)).all()
    assert (error >= 0).all()
    assert found.sum() == pytest.approx(300 - graph.n_components, abs=1e-9)


@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_trees_are_exact(shape):
    graph = Graph(60, oracles.forest_edges(shape, 60, np.random.default_rng(0)))
    found, error = sampled_spanning_tree_probabilities(graph, 2)
    assert (found == 1).all()
    assert (error == 0).all()


def test_bridges_that_peeling_cannot_reach_are_exact():
    graph = Graph(8, [[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 4], [7, 0]])
    found, error = sampled_spanning_tree_probabilities(graph, 20)
    for e, edge in enumerate(graph.edges.tolist()):
        bridge = edge in [[2, 3], [3, 4], [0, 7]]
        assert (found[e] == 1) == bridge
        assert (error[e] == 0) == bridge


def test_mean_and_standard_error_of_the_single_forests():
    graph = Graph.from_networkx(SMALL["wheel"])
    indptr, neighbours = neighbour_lists(5, graph.edges, narrow=True)
    seeds = np.random.SeedSequence(stream_seed(3, "spanning trees")).generate_state(7, np.uint64)
    values = np.zeros((7, graph.n_edges))
    for seed, value in zip(seeds, values, strict=True):
        parent = wilson.draw_forest(indptr, neighbours, wilson._roots(indptr, neighbours), seed)
        records = np.empty((5, 1, wilson.RECORD), dtype=np.int32)
        wilson._describe(indptr, neighbours, parent, records[:, 0])
        wilson._add(graph.edges, records, value, np.zeros(graph.n_edges))
    found, error = sampled_spanning_tree_probabilities(graph, 7, seed=3)
    np.testing.assert_allclose(found, values.mean(axis=0))
    np.testing.assert_allclose(error, values.std(axis=0, ddof=1) / np.sqrt(7), atol=1e-8)


def test_same_seed_same_numbers_whatever_the_threads_and_batches(monkeypatch):
    rng = np.random.default_rng(2)
    graph = Graph(200, oracles.random_graph_edges(rng, 200, 600))
    first = sampled_spanning_tree_probabilities(graph, 30, seed=1)
    monkeypatch.setattr(wilson, "BATCH_BYTES", 1)
    monkeypatch.setattr(wilson, "THREAD_EDGES", 10)
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        again = sampled_spanning_tree_probabilities(graph, 30, seed=1)
        assert np.array_equal(again.probabilities, first.probabilities)
        assert np.array_equal(again.standard_error, first.standard_error)
    other = sampled_spanning_tree_probabilities(graph, 30, seed=2)
    assert not np.array_equal(other.probabilities, first.probabilities)


def test_random_numbers_below_a_bound_are_uniform():
    for bound in (1, 3, 7, 2**31 - 1):
        state, drawn = np.uint64(5), []
        for _ in range(3000):
            value, state = wilson._below(bound, np.uint64(state))
            drawn.append(value)
        assert 0 <= min(drawn) <= max(drawn) < bound
        bins = min(bound, 10)
        seen = np.bincount([value * bins // bound for value in drawn], minlength=bins)
        expected = 3000 / bins
        assert bound == 1 or chi2.sf(((seen - expected) ** 2 / expected).sum(), bins - 1) > 1e-3


@pytest.mark.parametrize("n", [0, 1, 3])
def test_no_edges(n):
    found = sampled_spanning_tree_probabilities(Graph(n, []), 2)
    assert found.probabilities.shape == found.standard_error.shape == (0,)


def test_bad_input():
    with pytest.raises(GraphError, match=r"needs an acvae.Graph, not ndarray"):
        sampled_spanning_tree_probabilities(np.array([[0, 1]]))
    graph = Graph(3, [[0, 1]])
    with pytest.raises(OptionError, match="n_trees must be a whole number of at least 2, not 1"):
        sampled_spanning_tree_probabilities(graph, 1)
    with pytest.raises(OptionError, match="seed must be a whole number of at least 0"):
        sampled_spanning_tree_probabilities(graph, 2, seed=-1)
