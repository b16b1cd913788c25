"""Small families on one small graph, for the tests of this folder."""

import numpy as np
import torch

from acvae import Graph, objectives
from acvae.nn import Autoencoder, as_features

N = 9
GRAPH = Graph(N, [(i, (i * 3 + 1) % N) for i in range(N)] + [(0, 5), (2, 8)])


def parts(pairs=True):
    """Networks and features."""
    x = np.random.default_rng(0).poisson(0.8, (N, 5)).astype(float)
    module = Autoencoder(
        5,
        latent_dim=3,
        hidden_dim=4,
        pair_hidden_dim=6 if pairs else None,
        generator=torch.Generator().manual_seed(0),
    )
    return module, as_features(x)


def network_correlation(family, i, j):
    """ρ (k, d) by the pair encoder itself."""
    net = family.module.pair_encoder
    c = net.pairs(net.halves(family.features.rows()), torch.tensor(i), torch.tensor(j))
    return objectives.correlation(c.detach()).numpy()
