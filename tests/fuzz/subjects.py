"""What is asked: small graphs, posteriors of every kind and fitted models, made once."""

from __future__ import annotations

from functools import cache

import numpy as np

import acvae

N = 6
EDGES = ((0, 1), (1, 2), (0, 2), (3, 4))
NAMES = ("ann", "bob", "cem", "dan", "eva", "fay")
TINY = {"latent_dim": 2, "hidden_dim": 3, "epochs": 1, "progress": False}


@cache
def graph(named=False):
    return acvae.Graph(N, EDGES, NAMES if named else None)


@cache
def features():
    x = np.random.default_rng(0).poisson(1.0, (N, 4)).astype(float)
    x[:, 0] += 1
    return x


@cache
def posterior(kind):
    rng = np.random.default_rng(1)
    mean, std = rng.normal(size=(N, 2)), rng.uniform(0.5, 2, (N, 2))
    if kind == "forest":
        return acvae.Posterior(mean, std, EDGES[:2], rng.uniform(-0.9, 0.9, (2, 2)))
    if kind == "independent":
        return acvae.Posterior(mean, std)
    if kind == "graph":
        return acvae.Posterior.on_graph(mean, std, graph(), rng.uniform(-0.9, 0.9, (4, 2)), dtype="float64")
    return model(kind).posterior_


POSTERIORS = ("forest", "independent", "graph", "graph-gaussian", "cvae")


@cache
def model(kind):
    pairs = TINY | {"pair_hidden_dim": 3}
    made = {
        "graph-gaussian": lambda: acvae.GraphGaussian(latent_dim=2, progress=False),
        "acvae": lambda: acvae.ACVAE(**pairs),
        "cvae": lambda: acvae.CVAE(**pairs),
        "cvae-graph": lambda: acvae.CVAE(posterior="graph", **pairs),
        "vae": lambda: acvae.VAE(**TINY),
        "graphsage": lambda: acvae.GraphSAGE(latent_dim=2, hidden_dim=3, epochs=1, progress=False),
    }[kind]()
    return made.fit(features(), graph(named=kind in ("acvae", "graph-gaussian")))


MODELS = ("graph-gaussian", "acvae", "cvae", "cvae-graph", "vae", "graphsage")
