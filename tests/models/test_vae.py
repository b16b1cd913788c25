"""VAE: features alone."""

import numpy as np
import pytest
import torch

from acvae import VAE, Graph
from acvae.nn import Likelihood

TINY = {"latent_dim": 2, "hidden_dim": 6, "progress": False}


def test_the_graph_is_kept_but_has_no_part():
    x = np.random.default_rng(0).poisson(1.0, (20, 5))
    graph = Graph(20, [(0, 1), (2, 3)])
    alone, beside = VAE(**TINY, epochs=3).fit(x), VAE(**TINY, epochs=3).fit(x, graph)
    np.testing.assert_array_equal(alone.posterior_.mean, beside.posterior_.mean)
    assert alone.graph_ is None
    assert beside.graph_ is graph
    assert beside.weights_ is None
    assert len(beside.posterior_.forest) == 0


def test_a_graph_without_edges_is_fine():
    x = np.random.default_rng(0).poisson(1.0, (6, 5))
    assert VAE(**TINY, epochs=1).fit(x, Graph(6, [])).posterior_.n_vertices == 6


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli", "poisson", "gaussian"])
def test_learns_two_groups_under_every_likelihood(likelihood):
    rng = np.random.default_rng(0)
    group = np.arange(60) % 2
    x = (rng.random((60, 10)) < np.where((np.arange(10) < 5) == group[:, None], 0.9, 0.05)).astype(float)
    model = VAE(**TINY, likelihood=likelihood, epochs=150, learning_rate=1e-2).fit(x)
    assert model.history_[-1]["elbo"] > model.history_[0]["elbo"] + 0.5
    z = model.posterior_.mean
    centre = np.stack([z[group == g].mean(0) for g in (0, 1)])
    nearest = ((z[:, None] - centre) ** 2).sum(-1).argmin(1)
    assert (nearest == group).mean() > 0.9


class StudentT(Likelihood):
    """A likelihood of a user's own, with a parameter to be learnt."""

    def __init__(self):
        super().__init__()
        self.log_scale = torch.nn.Parameter(torch.zeros(()))
        self.checked = 0

    def check(self, features):
        self.checked = features.n_rows

    def forward(self, outputs, rows):
        x = rows.times(torch.eye(outputs.shape[1], dtype=outputs.dtype))
        return torch.distributions.StudentT(3.0, outputs, self.log_scale.exp()).log_prob(x).sum(-1)


def test_a_likelihood_of_ones_own():
    x = np.random.default_rng(0).normal(size=(40, 4))
    own = StudentT()
    model = VAE(**TINY, likelihood=own, epochs=20, learning_rate=1e-2)
    first = model.fit(x).posterior_.mean
    assert model.module_.likelihood.checked == 40
    assert model.module_.likelihood.log_scale != 0  # learnt …
    assert own.log_scale == 0  # … and the one passed in is only a pattern, so that a second fit is the same
    np.testing.assert_array_equal(model.fit(x).posterior_.mean, first)


def test_unseen_rows_can_be_embedded():
    x = np.random.default_rng(0).poisson(1.0, (20, 5))
    model = VAE(**TINY, epochs=2).fit(x)
    both = model.transform(np.concatenate([x[:3], x[5:6]]))
    np.testing.assert_allclose(both, model.posterior_.mean[[0, 1, 2, 5]], rtol=1e-5, atol=1e-6)
