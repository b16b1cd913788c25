"""Posteriors on random forests, and what dense algebra says of them."""

import numpy as np

import oracles
from acvae import Posterior


def parts(shape, n, d=3, *, seed=0, nasty=0.3):
    rng = np.random.default_rng(seed)
    edges = oracles.forest_edges(shape, n, rng)
    return (
        rng.normal(size=(n, d)),
        rng.uniform(0.1, 2, size=(n, d)),
        edges,
        oracles.random_correlations(rng, len(edges), d, nasty),
    )


def make(shape, n, d=3, *, seed=0, nasty=0.3, dtype="float64"):
    return Posterior(*parts(shape, n, d, seed=seed, nasty=nasty), dtype=dtype)


def dense(q):
    """(n, n) distances and (n, n, d) correlations from the inverse of the dense joint precision."""
    correlation = oracles.dense_correlation(q.n_vertices, q.forest, q.joint.correlation)
    mean, std = q.mean.astype(np.float64), q.std.astype(np.float64)
    return oracles.dense_distances(mean, std, correlation), correlation


ONES = np.ones((3, 2))


PATH = [[0, 1], [1, 2]]


HALF = np.full((2, 2), 0.5)


def dense_joint(q):
    """Per dimension the dense mean (n,) and covariance (n, n)."""
    _, correlation = dense(q)
    return [
        (q.mean[:, k].astype(float), correlation[:, :, k] * np.outer(q.std[:, k], q.std[:, k]))
        for k in range(q.latent_dim)
    ]
