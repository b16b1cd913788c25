"""Fits at the ends of what is promised: features up to 1e6, γ from 0 to 1e6, τ from 0 to 0.9999."""

import numpy as np
import pytest

import acvae

N = 30
GRAPH = acvae.Graph(N, [(i, (i * 7 + 1) % N) for i in range(N)] + [(0, i) for i in range(2, 20)])
TINY = {"latent_dim": 2, "hidden_dim": 4, "epochs": 3, "progress": False}
PAIRS = {"pair_hidden_dim": 4}


def check(model):
    q = model.posterior_
    rows = np.arange(N)
    for found in (q.mean, q.std, q.distances(rows), q.pair_correlation(0, rows)):
        assert np.isfinite(found).all()
    assert all(np.isfinite(value) for row in model.history_ for value in row.values())
    if q.has_joint:
        assert np.isfinite(q.log_prob(q.sample(2))).all()
    assert np.isfinite(model.link_probability(0, rows[1:])).all()


def wide(likelihood):
    """Values from 1e−6 to 1e6, as each likelihood takes them."""
    rng = np.random.default_rng(0)
    x = 10.0 ** rng.uniform(-6, 6, (N, 5))
    x[0], x[1] = 1e6, 1e-6
    if likelihood == "bernoulli":
        return (x > 1).astype(float)
    if likelihood == "gaussian":
        return x * rng.choice([-1, 1], x.shape)
    return np.ceil(x)


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli", "poisson", "gaussian"])
@pytest.mark.parametrize("name", ["VAE", "CVAE", "CVAE graph", "ACVAE"])
@pytest.mark.filterwarnings("ignore::acvae.exceptions.TrainingWarning")  # what is learnt may mean nothing
def test_features_of_every_size(name, likelihood):
    make = {
        "VAE": lambda **o: acvae.VAE(**o),
        "CVAE": lambda **o: acvae.CVAE(**o, **PAIRS),
        "CVAE graph": lambda **o: acvae.CVAE(posterior="graph", **o, **PAIRS),
        "ACVAE": lambda **o: acvae.ACVAE(**o, **PAIRS),
    }[name]
    check(make(**TINY, likelihood=likelihood).fit(wide(likelihood), GRAPH))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_features_of_models_without_a_likelihood(scale):
    x = wide("gaussian") * scale
    check(acvae.GraphGaussian(latent_dim=2, progress=False).fit(x, GRAPH))
    check(acvae.GraphSAGE(latent_dim=2, hidden_dim=4, epochs=3, progress=False).fit(x, GRAPH))


@pytest.mark.parametrize("gamma", [0.0, 1e-6, 1e6])
@pytest.mark.parametrize("tau", [0.0, 0.5, 0.9999])
@pytest.mark.parametrize("name", ["CVAE", "independent", "graph", "empirical-bayes", "saddle-point"])
def test_every_strength_of_the_prior(name, tau, gamma):
    options = TINY | PAIRS | {"tau": tau, "gamma": gamma}
    model = {
        "CVAE": lambda: acvae.CVAE(**options),
        "independent": lambda: acvae.CVAE(False, **options),
        "graph": lambda: acvae.CVAE(posterior="graph", **options),
        "empirical-bayes": lambda: acvae.ACVAE("empirical-bayes", **options),
        "saddle-point": lambda: acvae.ACVAE("saddle-point", **options),
    }[name]()
    check(model.fit(wide("poisson") % 10, GRAPH))


@pytest.mark.parametrize("scales", [[1e-6], [1e6], [1e-6, 1, 1e6]])
def test_every_scale_of_graph_gaussian(scales):
    check(acvae.GraphGaussian(latent_dim=4, scales=scales, progress=False).fit(wide("poisson"), GRAPH))
