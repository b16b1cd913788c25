"""Joints at the ends of what is promised: ρ up to 1 − 1e−6, σ from 1e−6 to 1e6, paths of 100,000 edges."""

import numpy as np
import pytest

from acvae import Graph, Posterior
from acvae.exceptions import PosteriorError
from acvae.gaussian.graph.scales import ScalesJoint

LONG, D = 100_000, 2
RHO = 1 - 1e-6
EDGES = np.stack([np.arange(LONG), np.arange(1, LONG + 1)], axis=1)


def wide_std(n, rng):
    return 10.0 ** rng.uniform(-6, 6, (n, D))


def on_path(dtype, rho):
    rng = np.random.default_rng(0)
    mean = 1e6 * rng.uniform(-1, 1, (LONG + 1, D))
    return Posterior(mean, wide_std(LONG + 1, rng), EDGES, np.full((LONG, D), rho), dtype=dtype)


def on_graph(dtype, rho):
    rng = np.random.default_rng(0)
    mean = 1e6 * rng.uniform(-1, 1, (LONG + 1, D))
    return Posterior.on_graph(
        mean, wide_std(LONG + 1, rng), Graph(LONG + 1, EDGES), np.full((LONG, D), rho), dtype=dtype
    )


@pytest.mark.parametrize(
    ("make", "rho", "dtype"),
    [(on_path, rho, dtype) for rho in (RHO, -RHO, 0.0) for dtype in ("float32", "float64")]
    + [(on_graph, RHO, "float64"), (on_graph, -RHO, "float32")],
)
def test_a_long_path(make, rho, dtype):
    q = make(dtype, rho)
    kept = float(np.asarray(rho, dtype=dtype)) if make is on_path else rho  # what the type can hold of ρ
    i, j = np.array([0, 0, 0, 500]), np.array([1, 10, LONG, 500])
    expected = kept ** np.abs(i - j).astype(float)
    tolerance = 1e-6 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(q.pair_correlation(i, j)[:, 0], expected, rtol=tolerance, atol=1e-12)
    assert np.isfinite(q.pair_distance(i, j)).all()
    assert (q.pair_distance(i, j) >= 0).all()
    rows = q.distances([0, LONG // 2])
    assert np.isfinite(rows).all()
    assert (rows >= 0).all()
    ids, distances = q.nearest([0], k=3)
    assert (ids >= 0).all()
    assert np.isfinite(distances).all()
    draws = q.sample(2)
    assert np.isfinite(draws).all()
    assert np.isfinite(q.entropy())
    assert abs(q.kl_divergence(q)) < 1e-3 * LONG * D
    left = q.condition({0: q.mean[0], LONG: q.mean[LONG] + q.std[LONG]})
    assert np.isfinite(left.mean).all()
    assert np.isfinite(left.std).all()
    assert (left.std > 0).all()


@pytest.mark.parametrize("rho", [RHO, -RHO, 0.5])
def test_density_of_a_long_path(rho):
    """Against the product of conditionals, written in one line."""
    q = on_path("float64", rho)
    z = np.stack([q.mean, q.mean + q.std, q.mean - 1e6 * q.std, q.mean + 1e140])
    standard = (z - q.mean) / q.std
    first, step = standard[:, :1], standard[:, 1:] - rho * standard[:, :-1]
    spread = (1 - rho) * (1 + rho)
    quadratic = (first**2).sum((1, 2)) + (step**2 / spread).sum((1, 2))
    constant = (LONG + 1) * D * np.log(2 * np.pi) + LONG * D * np.log(spread)
    expected = -0.5 * (quadratic + constant) - np.log(q.std).sum()
    np.testing.assert_allclose(q.log_prob(z), expected, rtol=1e-9)


@pytest.mark.parametrize("make", [on_path, on_graph])
def test_density_is_never_nan(make):
    """Beyond what a number can hold it is minus infinity, as its limit is."""
    q = make("float32", RHO)
    for size in (0.0, 1e-300, 1e6, 1e30, 1e100, 1e155, 1e308):
        for sign in (1.0, np.where(np.arange(LONG + 1) % 2, 1.0, -1.0)[:, None]):
            found = q.log_prob(np.full(q.mean.shape, size) * sign)
            assert not np.isnan(found)
            assert found < np.inf
            assert np.isfinite(found) or size > 1e100


def test_scales_of_any_strength():
    rng = np.random.default_rng(0)
    n = 2001
    edges = EDGES[: n - 1]
    strength = np.stack([np.full(n - 1, 1e-6), np.full(n - 1, 1e6)])
    joint = ScalesJoint(edges, strength, np.ones((2, n)), np.array([0, 1]))
    q = Posterior.from_correlations(rng.normal(size=(n, 2)), joint.std, joint)
    for found in (
        q.pair_correlation(0, np.arange(n)),
        q.distances([0, 5]),
        q.sample(2),
        q.log_prob(np.stack([q.mean, 1e12 + q.mean])),
        q.condition({3: q.mean[3]}).std,
        q.entropy(),
        q.kl_divergence(q),
    ):
        assert np.isfinite(found).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_squared_distances_have_to_fit_the_type(dtype):
    most = float(np.sqrt(np.finfo(dtype).max)) / 8
    q = Posterior([[most], [-most]], np.ones((2, 1)), dtype=dtype)
    assert np.isfinite(q.distances([0, 1])).all()
    with pytest.raises(PosteriorError, match=f"too large for {dtype}"):
        Posterior([[9 * most], [-9 * most]], np.ones((2, 1)), dtype=dtype)
    with pytest.raises(PosteriorError, match="std has values up to"):
        Posterior(np.zeros((2, 1)), np.full((2, 1), 9 * most), dtype=dtype)
