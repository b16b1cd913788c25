"""A learnt forest: weights move within the spanning-forest polytope, and the joint is on what is left."""

import numpy as np
import pytest
import torch

from acvae import Graph, spanning_forest
from acvae.families import FamilyState, ForestFamily
from acvae.nn import Autoencoder, as_features
from small_families import GRAPH, network_correlation, parts


def make_graph():
    # Two components, {0 … 5} dense and {6, 7, 8} a triangle, and the isolated vertex 9.
    dense = [(i, j) for i in range(6) for j in range(i)]
    return Graph(10, [*dense, (6, 7), (7, 8), (6, 8)])


def make_family(graph, **options):
    """A family whose networks have no part in the test: masses are given."""
    module = Autoencoder(2, latent_dim=1, hidden_dim=1, pair_hidden_dim=1)
    return ForestFamily(module, as_features(np.ones((graph.n_vertices, 2))), graph, **options)


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
    family = make_family(graph, maximum=maximum, step_size=0.1, seed=3)
    rng = np.random.default_rng(0)
    assert set(np.unique(family.weights)) == {0.0, 1.0}
    for _ in range(12):
        family.move_weights(rng.normal(size=graph.n_edges))
    assert_in_polytope(family.weights, graph)
    forest = family.forest(rng.normal(size=graph.n_edges))
    assert forest.sum() == 10 - 3
    assert spanning_forest(10, graph.edges, forest.astype(float)).tolist() == forest.tolist()


@pytest.mark.parametrize("maximum", [True, False])
def test_moves_to_the_lightest_or_the_heaviest_forest(maximum):
    graph = make_graph()
    masses = np.random.default_rng(1).normal(size=graph.n_edges)
    best = spanning_forest(10, graph.edges, masses, maximum)
    other = spanning_forest(10, graph.edges, masses, not maximum)
    family = make_family(graph, maximum=maximum, step_size=0.25, seed=0)
    start = family.weights.copy()
    family.move_weights(masses)
    np.testing.assert_allclose(family.weights, 0.75 * start + 0.25 * best)
    for _ in range(60):
        family.move_weights(masses)
    np.testing.assert_allclose(family.weights, best, atol=1e-6)
    assert family.forest(masses).tolist() == best.tolist() != other.tolist()
    assert family.settled == 1
    assert (masses[best].sum() > masses[other].sum()) == maximum


@pytest.mark.parametrize("maximum", [True, False])
def test_equal_weights_are_decided_by_mass(maximum):
    triangle = Graph(3, [(0, 1), (1, 2), (0, 2)])
    family = make_family(triangle, maximum=maximum, step_size=0.5, seed=0)
    family.restore(FamilyState({"weights": np.full(3, 2 / 3)}, {"step": 1}))
    masses = np.array([1.0, -5.0, 3.0])
    dropped = int(np.flatnonzero(~family.forest(masses))[0])
    assert dropped == (1 if maximum else 2)


def test_an_update_leaves_earlier_weights_as_they_were():
    family = make_family(make_graph(), maximum=True, step_size=0.1)
    before = family.weights
    copy = before.copy()
    family.move_weights(np.arange(len(before), dtype=float))
    np.testing.assert_array_equal(before, copy)
    assert family.weights is not before


def test_the_seed_decides_the_first_forest():
    graph = make_graph()
    a, b, c = (make_family(graph, maximum=True, step_size=0.1, seed=s).weights for s in (1, 1, 2))
    assert a.tolist() == b.tolist() != c.tolist()


@pytest.mark.parametrize("maximum", [True, False])
class TestPosterior:
    def test_is_on_the_forest_with_the_networks_correlations(self, maximum):
        family = ForestFamily(*parts(), GRAPH, maximum=maximum)
        q = family.posterior()
        np.testing.assert_array_equal(q.forest, GRAPH.edges[family.forest(family.edge_masses())])
        expected = network_correlation(family, *q.forest.T)
        np.testing.assert_allclose(q.joint.correlation, expected, atol=1e-6)
        np.testing.assert_allclose(q.pair_correlation(*q.forest.T), expected, atol=1e-6)

    def test_pair_by_pair_it_agrees_along_the_forest_only(self, maximum):
        family = ForestFamily(*parts(), GRAPH, maximum=maximum)
        joint, pairwise = family.posterior(), family.posterior(pairwise=True)
        assert not pairwise.has_joint
        np.testing.assert_allclose(
            pairwise.pair_correlation(*joint.forest.T), joint.joint.correlation, rtol=1e-5, atol=1e-6
        )
        everyone = np.arange(GRAPH.n_vertices)
        assert np.abs(pairwise.distances(everyone) - joint.distances(everyone)).max() > 1e-4

    def test_saturated_correlations_stay_inside_the_open_interval(self, maximum):
        family = ForestFamily(*parts(), GRAPH, maximum=maximum)
        with torch.no_grad():
            family.module.pair_encoder.output.bias.fill_(1e4)
        q = family.posterior()
        assert (np.abs(q.joint.correlation) < 1).all()
        assert np.isfinite(q.log_prob(q.mean))


def test_after_an_epoch_the_weights_have_moved_by_the_networks_masses():
    family, by_hand = (ForestFamily(*parts(), GRAPH, maximum=False, step_size=0.25) for _ in range(2))
    by_hand.move_weights(by_hand.edge_masses())
    assert family.after_epoch() == {"settled": family.settled}
    np.testing.assert_array_equal(family.weights, by_hand.weights)
    assert family.weight_state.step == 1


def test_a_state_holds_the_weights_as_they_were():
    family = make_family(make_graph(), maximum=True, step_size=0.1)
    state = family.state()
    before = family.weights.copy()
    family.move_weights(np.arange(len(before), dtype=float))
    assert not np.array_equal(family.weights, before)
    family.restore(state)
    np.testing.assert_array_equal(family.weights, before)
    assert family.weight_state.step == state.values["step"] == 0
