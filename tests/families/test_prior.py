"""Priors: fixed weights stay, adaptive ones move within the spanning-forest polytope."""

import numpy as np
import pytest

from acvae import Graph, spanning_forest
from acvae.training import AdaptivePrior, FixedPrior


def make_graph():
    # Two components, {0 … 5} dense and {6, 7, 8} a triangle, and the isolated vertex 9.
    dense = [(i, j) for i in range(6) for j in range(i)]
    return Graph(10, [*dense, (6, 7), (7, 8), (6, 8)])


def assert_in_polytope(weights, graph):
    """Rank constraints of every vertex set: Σ of the weights inside S ≤ |S| − 1, equality on components."""
    assert weights.min() >= 0
    assert weights.max() <= 1 + 1e-12
    u, v = graph.edges.T
    for component in (range(6), range(6, 9)):
        inside = np.isin(u, list(component))
        assert weights[inside].sum() == pytest.approx(len(component) - 1, abs=1e-9)
    for subset in range(1 << 9):
        member = np.array([(subset >> i) & 1 for i in range(10)], dtype=bool)
        size = member.sum()
        if size >= 2:
            assert weights[member[u] & member[v]].sum() <= size - 1 + 1e-9


@pytest.mark.parametrize("maximum", [True, False])
def test_weights_stay_in_the_polytope_and_round_to_a_forest(maximum):
    graph = make_graph()
    prior = AdaptivePrior(graph, maximum=maximum, step_size=0.1, seed=3)
    rng = np.random.default_rng(0)
    assert set(np.unique(prior.weights)) == {0.0, 1.0}
    for _ in range(12):
        prior.update(rng.normal(size=graph.n_edges))
    assert_in_polytope(prior.weights, graph)
    forest = prior.forest(rng.normal(size=graph.n_edges))
    assert forest.sum() == 10 - 3
    assert spanning_forest(10, graph.edges, forest.astype(float)).tolist() == forest.tolist()


@pytest.mark.parametrize("maximum", [True, False])
def test_moves_to_the_lightest_or_the_heaviest_forest(maximum):
    graph = make_graph()
    masses = np.random.default_rng(1).normal(size=graph.n_edges)
    best = spanning_forest(10, graph.edges, masses, maximum)
    other = spanning_forest(10, graph.edges, masses, not maximum)
    prior = AdaptivePrior(graph, maximum=maximum, step_size=0.25, seed=0)
    start = prior.weights.copy()
    prior.update(masses)
    np.testing.assert_allclose(prior.weights, 0.75 * start + 0.25 * best)
    for _ in range(60):
        prior.update(masses)
    np.testing.assert_allclose(prior.weights, best, atol=1e-6)
    assert prior.forest(masses).tolist() == best.tolist() != other.tolist()
    assert prior.settled == 1
    assert (masses[best].sum() > masses[other].sum()) == maximum


@pytest.mark.parametrize("maximum", [True, False])
def test_equal_weights_are_decided_by_mass(maximum):
    triangle = Graph(3, [(0, 1), (1, 2), (0, 2)])
    prior = AdaptivePrior(triangle, maximum=maximum, step_size=0.5, seed=0)
    prior.state = prior.state._replace(weights=np.full(3, 2 / 3))
    masses = np.array([1.0, -5.0, 3.0])
    dropped = int(np.flatnonzero(~prior.forest(masses))[0])
    assert dropped == (1 if maximum else 2)


def test_an_update_leaves_earlier_weights_as_they_were():
    prior = AdaptivePrior(make_graph(), maximum=True, step_size=0.1)
    before = prior.weights
    copy = before.copy()
    prior.update(np.arange(len(before), dtype=float))
    np.testing.assert_array_equal(before, copy)
    assert prior.weights is not before


def test_the_seed_decides_the_first_forest():
    graph = make_graph()
    a, b, c = (AdaptivePrior(graph, maximum=True, step_size=0.1, seed=s).weights for s in (1, 1, 2))
    assert a.tolist() == b.tolist() != c.tolist()


def test_fixed_weights_stay():
    weights = np.array([0.5, 1.0, 0.0, 0.25])
    prior = FixedPrior(weights)
    prior.update(np.arange(4.0))
    assert prior.weights.tolist() == [0.5, 1.0, 0.0, 0.25]
    assert prior.settled == 0.5
    assert not prior.adaptive
