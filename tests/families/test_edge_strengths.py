"""Strengths go by ratios of weights, however large or small these are."""

import numpy as np
import pytest

from acvae import Graph
from acvae.families.edge_strengths import mean_weight, over_mean, relative_weights, strength_of_one, strengths


def weighted(weights):
    """A path of as many edges."""
    pairs = np.arange(len(weights))[:, None] + [0, 1]
    return Graph(len(weights) + 1, pairs, weights=weights)


@pytest.mark.parametrize("power", [-1000, -3, 0, 900, 1019])
def test_units_of_weights_do_not_matter(power):
    weights = np.random.default_rng(0).uniform(1, 9, 40)
    one, other = weighted(weights), weighted(np.ldexp(weights, power))
    np.testing.assert_array_equal(relative_weights(other), weights / weights.mean())
    np.testing.assert_array_equal(strengths(other, 2.0, 1.0), strengths(one, 2.0, 1.0))
    assert mean_weight(other) == np.ldexp(weights.mean(), power)


def test_the_mean_of_the_largest_numbers_is_finite():
    assert mean_weight(weighted(np.full(7, np.finfo(float).max))) == np.finfo(float).max


def test_weights_of_another_graph_have_its_unit():
    graph, larger = weighted(np.array([1.0, 3.0])), weighted(np.array([1.0, 3.0, 1e6]))
    np.testing.assert_allclose(relative_weights(larger, graph), [0.5, 1.5, 5e5])
    np.testing.assert_allclose(over_mean(np.array([4.0]), graph), [2.0])
    np.testing.assert_allclose(
        strengths(larger, 2.0, 1.0, graph)[:2], strength_of_one(larger, 2.0, 1.0) * np.array([0.5, 1.5])
    )


def test_without_weights_all_edges_count_as_one():
    graph = Graph(5, [(0, 1), (1, 2)])  # of three vertices that have an edge, mean degree 4/3
    assert mean_weight(graph) == 1
    np.testing.assert_allclose(strengths(graph, 2.0, 1.0), 2 * 2 / (4 / 3))
