"""A joint on the whole graph: the pair network's correlations of the edges, by their weights."""

import numpy as np
import pytest

from acvae import Posterior
from acvae.exceptions import PosteriorError
from acvae.families import GraphFamily, PairwiseFamily
from acvae.families.graph import graph_posterior
from small_families import GRAPH, N, network_correlation, parts

WEIGHTS = np.linspace(0.1, 0.9, GRAPH.n_edges)


def test_every_edge_counts_by_its_weight():
    family = GraphFamily(*parts(), GRAPH, WEIGHTS)
    q = family.posterior()
    assert q.has_joint
    rho = network_correlation(family, *GRAPH.edges.T)
    by_hand = Posterior.on_graph(q.mean, q.std, GRAPH, rho, WEIGHTS)
    everyone = np.arange(N)
    np.testing.assert_allclose(q.distances(everyone), by_hand.distances(everyone), atol=1e-5)
    family.weights = np.full(GRAPH.n_edges, 0.5)  # the posterior is that of the weights as they are now
    other = family.posterior()
    assert np.abs(other.distances(everyone) - q.distances(everyone)).max() > 1e-3


def test_an_order_found_before_changes_nothing():
    family = GraphFamily(*parts(), GRAPH, WEIGHTS)
    anew = graph_posterior(family.inference, GRAPH, WEIGHTS)
    np.testing.assert_array_equal(family.posterior().distances([0, 3]), anew.distances([0, 3]))


def test_pair_by_pair_it_is_what_the_pairwise_family_says():
    family, pairwise = (kind(*parts(), GRAPH, WEIGHTS) for kind in (GraphFamily, PairwiseFamily))
    q = family.posterior(pairwise=True)
    assert not q.has_joint
    np.testing.assert_array_equal(q.distances([0, 3]), pairwise.posterior().distances([0, 3]))


def test_a_graph_too_large_for_the_memory_is_refused_at_once(monkeypatch):
    monkeypatch.setattr("acvae.forests.elimination.order.available_memory", lambda: 100)
    with pytest.raises(PosteriorError, match="the joint on this graph needs"):
        GraphFamily(*parts(), GRAPH, WEIGHTS)
