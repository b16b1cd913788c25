"""From networks to a posterior: each model gets the correlations its own strategy says."""

import numpy as np
import pytest
import torch

from acvae import Graph, objectives
from acvae.exceptions import OptionError
from acvae.families import inference
from acvae.nn import Autoencoder, as_features
from acvae.training import AdaptivePrior, FixedPrior, Problem

N = 9


def make_problem(pairs=True, graph=True):
    x = np.random.default_rng(0).poisson(0.8, (N, 5)).astype(float)
    module = Autoencoder(
        5,
        latent_dim=3,
        hidden_dim=4,
        pair_hidden_dim=6 if pairs else None,
        generator=torch.Generator().manual_seed(0),
    )
    edges = Graph(N, [(i, (i * 3 + 1) % N) for i in range(N)] + [(0, 5), (2, 8)]) if graph else None
    return Problem(module, as_features(x), edges, 0.9, 0.1, torch.device("cpu"))


def network_correlation(problem, i, j):
    net = problem.module.pair_encoder
    c = net.pairs(net.halves(problem.features.rows()), torch.as_tensor(i), torch.as_tensor(j))
    return objectives.correlation(c.detach()).numpy()


def test_independent_without_a_pair_network():
    problem = make_problem(pairs=False)
    q = inference.posterior(problem, FixedPrior(np.ones(problem.graph.n_edges)))
    assert q.has_joint
    assert len(q.forest) == 0
    mean, std = problem.marginals()
    np.testing.assert_array_equal(q.mean, mean)
    np.testing.assert_array_equal(q.std, std)


@pytest.mark.parametrize("maximum", [True, False])
def test_forest_of_an_adaptive_prior_with_the_networks_correlations(maximum):
    problem = make_problem()
    prior = AdaptivePrior(problem.graph, maximum=maximum, step_size=0.1)
    q = inference.posterior(problem, prior)
    np.testing.assert_array_equal(q.forest, problem.graph.edges[prior.forest(problem.edge_masses())])
    expected = network_correlation(problem, *q.forest.T)
    np.testing.assert_allclose(q.joint.correlation, expected, atol=1e-6)
    np.testing.assert_allclose(q.pair_correlation(*q.forest.T), expected, atol=1e-6)


def test_pairwise_with_fixed_weights_is_the_network_on_every_pair():
    problem = make_problem()
    q = inference.posterior(problem, FixedPrior(np.ones(problem.graph.n_edges)))
    assert not q.has_joint
    i, j = (a.ravel() for a in np.nonzero(~np.eye(N, dtype=bool)))
    expected = network_correlation(problem, i, j)
    np.testing.assert_allclose(q.pair_correlation(i, j), expected, atol=1e-6)
    mean, std = problem.marginals()
    by_hand = ((mean[i] - mean[j]) ** 2 + std[i] ** 2 + std[j] ** 2 - 2 * std[i] * std[j] * expected).sum(1)
    np.testing.assert_allclose(q.distances(np.arange(N))[i, j], by_hand, rtol=1e-4, atol=1e-5)


def test_pairwise_needs_a_pair_network():
    with pytest.raises(OptionError, match="pair encoder"):
        inference.pairwise_posterior(make_problem(pairs=False))


def test_saturated_correlations_stay_inside_the_open_interval():
    problem = make_problem()
    with torch.no_grad():
        problem.module.pair_encoder.output.bias.fill_(1e4)
    prior = AdaptivePrior(problem.graph, maximum=False, step_size=0.1)
    q = inference.forest_posterior(problem, prior)
    assert (np.abs(q.joint.correlation) < 1).all()
    assert np.isfinite(q.log_prob(q.mean))
