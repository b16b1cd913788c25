from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

import oracles
from acvae.forests.rooted import root_forest
from acvae.gaussian.forest.path_products import pair_products, row_products


def networkx_products(n, edges, values):
    """(n, n, d) by multiplying along NetworkX's paths."""
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    number = {frozenset(pair): e for e, pair in enumerate(edges.tolist())}
    graph.add_edges_from(edges.tolist())
    out = np.zeros((n, n, values.shape[1]))
    for i, paths in nx.all_pairs_shortest_path(graph):
        for j, path in paths.items():
            on_path = [number[frozenset(step)] for step in pairwise(path)]
            out[i, j] = np.prod(values[on_path], axis=0)
    return out


@pytest.mark.parametrize("n", [1, 2, 30])
@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_all_pairs_along_networkx_paths(shape, n):
    rng = np.random.default_rng(n)
    edges = oracles.forest_edges(shape, n, rng)
    values = oracles.random_correlations(rng, len(edges), 3, nasty=0.3)
    expected = networkx_products(n, edges, values)
    forest = root_forest(n, edges)
    i, j = (a.ravel() for a in np.indices((n, n)))
    found = pair_products(forest, values, i, j).reshape(n, n, 3)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)
    for vertex in range(n):
        np.testing.assert_allclose(
            row_products(forest, values, vertex), expected[vertex], rtol=1e-12, atol=1e-300
        )


def test_itself_and_elsewhere_are_exact():
    forest = root_forest(4, np.array([[0, 1], [2, 3]]))
    values = np.array([[0.0], [0.7]])
    found = pair_products(forest, values, np.array([1, 0, 0, 3]), np.array([1, 1, 2, 2]))
    assert found.ravel().tolist() == [1.0, 0.0, 0.0, 0.7]
    assert row_products(forest, values, 3).ravel().tolist() == [0.0, 0.0, 0.7, 1.0]


def test_float32_values_are_multiplied_in_float64():
    n = 60
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    values = np.full((n - 1, 1), 0.9, dtype=np.float32)
    found = pair_products(root_forest(n, edges), values, np.array([0]), np.array([n - 1]))
    assert found.dtype == np.float64
    assert found[0, 0] == pytest.approx(float(np.float32(0.9)) ** (n - 1), rel=1e-13)
    assert row_products(root_forest(n, edges), values, 0, np.float32).dtype == np.float32


def test_no_pairs():
    forest = root_forest(2, np.array([[0, 1]]))
    nothing = np.empty(0, dtype=np.int64)
    assert pair_products(forest, np.array([[0.5, 0.5]]), nothing, nothing).shape == (0, 2)
