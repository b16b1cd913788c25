import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from acvae import Graph, split_edges
from acvae.exceptions import GraphError, OptionError


def star(leaves):
    return Graph(leaves + 1, [[0, i] for i in range(1, leaves + 1)])


def random_graph(seed, n=60, m=200):
    return Graph(n, oracles.random_graph_edges(np.random.default_rng(seed), n, m))


@given(st.integers(2, 25), st.integers(0, 80), st.integers(0, 5), st.sampled_from([0.05, 0.3, 0.5, 1.0]))
@settings(max_examples=60, deadline=None)
def test_invariants(n, m, seed, fraction):
    graph = Graph(n, oracles.random_graph_edges(np.random.default_rng(seed), n, m))
    split = split_edges(graph, seed=seed, fraction=fraction)
    assert split.train.n_vertices == split.test.n_vertices == n
    assert split.train.n_edges + split.test.n_edges == graph.n_edges
    assert not split.train.has_edges(split.test.edges).any()
    assert Graph(n, np.concatenate([split.train.edges, split.test.edges])) == graph
    exact = Fraction(str(fraction))
    quota = [math.ceil(exact * int(degree)) for degree in graph.degrees]
    assert (split.test.degrees >= quota).all()
    # No more than every vertex choosing its own, each time an edge nobody else chose.
    assert split.test.n_edges <= sum(quota)
    if fraction == 1:
        assert split.test == graph


@pytest.mark.parametrize("leaves", [1, 19, 20, 21, 140])
def test_a_star_loses_everything(leaves):
    assert split_edges(star(leaves)).train.n_edges == 0


@pytest.mark.parametrize(("fraction", "degree"), [(0.05, 20), (0.05, 140), (0.05, 280), (0.07, 100)])
def test_quota_is_exact_where_floating_point_may_not_be(fraction, degree):
    """0.07·100 is 7.000000000000001 in floats; a vertex of degree 100 gives 7 edges, not 8."""
    quota = math.ceil(Fraction(str(fraction)) * degree)
    assert quota == Fraction(str(fraction)) * degree
    n = degree + 20
    graph = Graph(n, [[i, (i + s) % n] for i in range(n) for s in range(1, degree // 2 + 1)])
    assert (graph.degrees == degree).all()
    splits = [split_edges(graph, seed=seed, fraction=fraction) for seed in range(5)]
    assert all((split.test.degrees >= quota).all() for split in splits)
    # Each end chooses an edge with probability quota / degree, independently of the other end.
    expected, with_one_more = (
        graph.n_edges * (2 * q - q * q) for q in (quota / degree, (quota + 1) / degree)
    )
    sizes = [split.test.n_edges for split in splits]
    assert max(sizes) <= n * quota
    assert abs(np.mean(sizes) - expected) < (with_one_more - expected) / 4


def test_degree_one_vertices_lose_their_edge():
    for seed in range(5):
        graph = Graph(8, [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [0, 5], [6, 7]])
        split = split_edges(graph, seed=seed)
        assert split.test.has_edges([[3, 4], [0, 5], [6, 7]]).all()


def test_every_edge_of_a_vertex_is_equally_likely():
    graph = Graph(4, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
    runs = 4000
    counts = sum(
        split_edges(graph, seed=seed).test.has_edges(graph.edges).astype(int) for seed in range(runs)
    )
    # Each of the 4 vertices of K4 offers one of its 3 edges: an edge is held out unless both ends pass it by.
    p = 1 - (2 / 3) ** 2
    assert np.abs(counts / runs - p).max() < 5 * np.sqrt(p * (1 - p) / runs)


def test_same_seed_same_split():
    graph = random_graph(1)
    assert split_edges(graph, seed=3).test == split_edges(graph, seed=3).test
    assert split_edges(graph, seed=3).test != split_edges(graph, seed=4).test
    assert split_edges(graph).test == split_edges(graph, seed=0).test


def test_records_how_it_was_made_and_keeps_names():
    graph = Graph(3, [[0, 1], [1, 2]], ["a", "b", "c"])
    split = split_edges(graph, seed=7, fraction=0.2)
    assert (split.seed, split.fraction) == (7, 0.2)
    assert split.train.names.tolist() == split.test.names.tolist() == ["a", "b", "c"]


def test_a_tiny_fraction_still_takes_one_edge_of_every_vertex():
    graph = random_graph(2)
    split = split_edges(graph, fraction=1e-12)
    assert (split.test.degrees >= np.minimum(graph.degrees, 1)).all()


@pytest.mark.parametrize("n", [0, 1, 5])
def test_graphs_without_edges(n):
    split = split_edges(Graph(n, []))
    assert split.train == split.test == Graph(n, [])


@pytest.mark.parametrize("fraction", [0, -0.1, 1.5, float("nan"), "a lot", True])
def test_bad_fraction(fraction):
    with pytest.raises(OptionError, match=r"fraction must be a finite number above 0 and at most 1, not"):
        split_edges(Graph(2, [[0, 1]]), fraction=fraction)


@pytest.mark.parametrize("seed", [-1, 0.5, "zero"])
def test_bad_seed(seed):
    with pytest.raises(OptionError, match="seed must be a whole number of at least 0, not"):
        split_edges(Graph(2, [[0, 1]]), seed=seed)


def test_not_a_graph():
    with pytest.raises(GraphError, match=r"needs an acvae.Graph, not list"):
        split_edges([[0, 1]])
