"""What trained networks say of all vertices and of many pairs, whole or in chunks."""

import numpy as np
import pytest
import torch

from acvae import Graph, objectives
from acvae.engine.batches import random_pairs
from acvae.exceptions import OptionError, TrainingError
from acvae.families.amortized import AmortizedInference
from acvae.nn import Autoencoder, as_features

N = 12
EDGES = Graph(N, [(i, (i * 5 + 1) % N) for i in range(N)] + [(0, 5), (2, 8)]).edges
PAIRS = random_pairs(N, 50, np.random.default_rng(0)).T


def make_inference(pairs=True):
    x = np.random.default_rng(0).poisson(0.6, (N, 6)).astype(float)
    module = Autoencoder(
        6,
        latent_dim=2,
        hidden_dim=4,
        pair_hidden_dim=5 if pairs else None,
        generator=torch.Generator().manual_seed(0),
    )
    with torch.no_grad():  # livelier than the initial values
        for p in module.parameters():
            p.mul_(4)
    return AmortizedInference(module, as_features(x), torch.device("cpu"))


def network_logits(inference, pairs):
    net = inference.module.pair_encoder
    i, j = torch.from_numpy(np.ascontiguousarray(pairs.T))
    return net.pairs(net.halves(inference.features.rows()), i, j).detach()


def test_marginals_are_the_encoders():
    inference = make_inference()
    mean, std = inference.marginals()
    expected = inference.module.encoder(inference.features.rows())
    np.testing.assert_allclose(mean, expected[0].detach(), rtol=1e-6)
    np.testing.assert_allclose(std, expected[1].detach(), rtol=1e-6)


def test_logits_and_correlations_are_the_pair_networks():
    inference = make_inference()
    expected = network_logits(inference, PAIRS)
    np.testing.assert_allclose(inference.pair_logits(PAIRS), expected, rtol=1e-5, atol=1e-6)
    rho = objectives.correlation(expected.double())
    np.testing.assert_allclose(inference.correlations(PAIRS), rho, rtol=1e-5, atol=1e-6)


def test_halves_are_the_first_layer_with_its_bias_in_the_first():
    inference = make_inference()
    net = inference.module.pair_encoder
    a, b = net.halves(inference.features.rows()).detach().split(5, dim=1)
    first, second = inference.pair_halves()
    np.testing.assert_allclose(first, a + net.bias.detach(), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(second, b, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("pairs", [True, False])
def test_edge_masses_are_the_objectives(pairs):
    inference = make_inference(pairs)
    mean, std = map(torch.from_numpy, inference.marginals())
    i, j = torch.from_numpy(EDGES.T.copy())
    c = network_logits(inference, EDGES) if pairs else None
    expected = objectives.edge_mass(mean[i], std[i], mean[j], std[j], c, 0.9)
    np.testing.assert_allclose(inference.edge_masses(EDGES, 0.9), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("table_bytes", [0, 1 << 20], ids=["by chunks", "by a table of all vertices"])
def test_chunks_do_not_change_the_result(monkeypatch, table_bytes):
    inference = make_inference()

    def everything():
        return [
            *inference.marginals(),
            inference.edge_masses(EDGES, 0.9),
            inference.pair_logits(PAIRS),
            *inference.pair_halves(),
        ]

    whole = everything()
    monkeypatch.setattr("acvae.families.amortized.ROWS_AT_A_TIME", 5)
    monkeypatch.setattr("acvae.families.amortized.PAIRS_AT_A_TIME", 3)
    monkeypatch.setattr("acvae.families.amortized.TABLE_BYTES", table_bytes)
    assert inference._table_pays(len(EDGES), 10) == bool(table_bytes)
    for a, b in zip(whole, everything(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_networks_that_blew_up_are_reported_as_a_training_error():
    inference = make_inference()
    with torch.no_grad():
        inference.module.encoder.output.weight.fill_(torch.nan)
    for call in (inference.marginals, lambda: inference.edge_masses(EDGES, 0.9)):
        with pytest.raises(TrainingError, match="not finite; use a smaller learning_rate"):
            call()


def test_pairs_need_a_pair_network():
    inference = make_inference(pairs=False)
    for call in (inference.pairwise_posterior, inference.pair_halves, lambda: inference.correlations(PAIRS)):
        with pytest.raises(OptionError, match="pair encoder"):
            call()


def test_a_posterior_stays_what_it_was_when_training_goes_on():
    inference = make_inference()
    q = inference.pairwise_posterior()
    before = q.distances(np.arange(N)).copy()
    with torch.no_grad():
        for p in inference.module.parameters():
            p.add_(1)
    np.testing.assert_array_equal(q.distances(np.arange(N)), before)
