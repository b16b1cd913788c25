"""Encoder: features to marginals, and the initial values all networks share."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch.nn.functional import softplus

from acvae.nn import Autoencoder, Encoder, as_features
from acvae.nn.features import DenseFeatures


def test_is_two_layers_with_softplus_for_the_standard_deviation():
    encoder = Encoder(6, 4, 3, torch.Generator().manual_seed(0))
    x = torch.from_numpy(np.random.default_rng(0).poisson(1.0, (5, 6))).float()
    hidden = torch.relu(x @ encoder.hidden.weight + encoder.hidden.bias)
    out = hidden @ encoder.output.weight + encoder.output.bias
    mean, std = encoder(as_features(x).rows())
    torch.testing.assert_close(mean, out[:, :3])
    torch.testing.assert_close(std, softplus(out[:, 3:]))


def test_sparse_and_dense_rows_give_the_same():
    encoder = Encoder(40, 4, 3)
    x = sp.random_array((30, 40), density=0.1, random_state=np.random.default_rng(0), format="csr")
    dense = torch.from_numpy(x.toarray() + 0.0)
    ids = torch.arange(0, 30, 2)
    for sparse_out, dense_out in zip(
        encoder(as_features(x).rows(ids)), encoder(DenseFeatures(dense).rows(ids)), strict=True
    ):
        torch.testing.assert_close(sparse_out, dense_out)


def test_standard_deviation_never_reaches_zero():
    encoder = Encoder(1, 1, 2)
    with torch.no_grad():
        for p in encoder.parameters():
            p.zero_()
        encoder.output.bias[2:] = -1e4  # softplus underflows
    mean, std = encoder(as_features(np.ones((3, 1))).rows())
    assert (std > 0).all()
    (-std.log().sum() + mean.sum()).backward()
    assert all(torch.isfinite(p.grad).all() for p in encoder.parameters())


@pytest.mark.parametrize("likelihood", ["multinomial", "gaussian"])
def test_initial_weights_and_biases_are_truncated_normals(likelihood):
    module = Autoencoder(
        300,
        latent_dim=20,
        hidden_dim=200,
        pair_hidden_dim=200,
        likelihood=likelihood,
        generator=torch.Generator().manual_seed(0),
    )
    networks = [module.encoder, module.decoder, module.pair_encoder]
    named = [(name, p) for net in networks for name, p in net.named_parameters()]
    assert {name.rsplit(".", 1)[-1] for name, _ in named} == {"weight", "bias"}
    # Standard deviation of a standard normal truncated at two: √(1 − 2·2·φ(2)/(2Φ(2) − 1)) = 0.87963.
    phi = np.exp(-2) / np.sqrt(2 * np.pi)
    std = 0.1 * np.sqrt(1 - 4 * phi / 0.9544997361036416)
    for _, p in named:
        assert p.abs().max() <= 0.2
        assert p.std() > 0.04  # biases too, not zeros
    weights = torch.cat([p.detach().flatten() for _, p in named])
    assert len(weights) > 100_000
    assert weights.std().item() == pytest.approx(std, rel=0.02)
    assert abs(weights.mean().item()) < 0.002
    biases = torch.cat([p.detach().flatten() for name, p in named if name.endswith("bias")])
    assert biases.std().item() == pytest.approx(std, rel=0.1)
    assert biases.abs().max() > 0.15


def test_the_generator_fixes_the_initial_values():
    a, b, c = (Encoder(5, 4, 3, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
    assert all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters(), strict=True))
    assert not torch.equal(a.hidden.weight, c.hidden.weight)
