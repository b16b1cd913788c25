"""Pairwise marginals: fixed weights, and the pair network's word on every pair."""

import numpy as np

from acvae.families import PairwiseFamily
from small_families import GRAPH, N, network_correlation, parts

WEIGHTS = np.linspace(0, 1, GRAPH.n_edges)


def test_the_posterior_is_the_network_on_every_pair():
    family = PairwiseFamily(*parts(), GRAPH, WEIGHTS)
    q = family.posterior()
    assert not q.has_joint
    i, j = (a.ravel() for a in np.nonzero(~np.eye(N, dtype=bool)))
    expected = network_correlation(family, i, j)
    np.testing.assert_allclose(q.pair_correlation(i, j), expected, atol=1e-6)
    mean, std = family.inference.marginals()
    by_hand = ((mean[i] - mean[j]) ** 2 + std[i] ** 2 + std[j] ** 2 - 2 * std[i] * std[j] * expected).sum(1)
    np.testing.assert_allclose(q.distances(np.arange(N))[i, j], by_hand, rtol=1e-4, atol=1e-5)
    again = family.posterior(pairwise=True)
    np.testing.assert_array_equal(again.distances([0, 4]), q.distances([0, 4]))


def test_weights_stay():
    weights = np.array([0.5, 1.0, 0.0, *[0.25] * (GRAPH.n_edges - 3)])
    family = PairwiseFamily(*parts(), GRAPH, weights.copy())
    assert family.after_epoch() == {"settled": 2 / GRAPH.n_edges}
    np.testing.assert_array_equal(family.weights, weights)
