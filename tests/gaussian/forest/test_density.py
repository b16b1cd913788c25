import numpy as np
import pytest
from scipy.stats import multivariate_normal

import oracles
from acvae.forests.rooted import root_forest
from acvae.gaussian.forest.density import log_density, sample_from_noise


@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_noise_becomes_the_joint_exactly(shape):
    """Draws are linear in the noise: z = L·ε, and L·Lᵀ must be the inverse of the dense precision."""
    n, d = 25, 2
    rng = np.random.default_rng(0)
    edges = oracles.forest_edges(shape, n, rng)
    rho = oracles.random_correlations(rng, len(edges), d, nasty=0.3)
    unit = np.repeat(np.eye(n)[:, :, None], d, axis=2)  # one noise vector per unit direction
    columns = sample_from_noise(root_forest(n, edges), rho, unit.copy())
    covariance = np.einsum("sid,sjd->ijd", columns, columns)
    np.testing.assert_allclose(covariance, oracles.dense_correlation(n, edges, rho), rtol=0, atol=1e-9)


@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_density_of_the_dense_gaussian(shape):
    n, d = 20, 3
    rng = np.random.default_rng(1)
    edges = oracles.forest_edges(shape, n, rng)
    rho = oracles.random_correlations(rng, len(edges), d)
    correlation = oracles.dense_correlation(n, edges, rho)
    points = rng.normal(size=(6, n, d))
    expected = sum(
        multivariate_normal(np.zeros(n), correlation[:, :, k]).logpdf(points[:, :, k]) for k in range(d)
    )
    found = log_density(root_forest(n, edges), rho, points)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("rho", oracles.NASTY_CORRELATIONS)
def test_density_of_one_pair_at_the_edge(rho):
    x, y = 0.3, -0.2 if rho < 0 else 0.25
    left = (1 - rho) * (1 + rho)
    expected = -(x * x - 2 * rho * x * y + y * y) / (2 * left) - 0.5 * np.log(left) - np.log(2 * np.pi)
    forest = root_forest(2, np.array([[1, 0]]))
    found = log_density(forest, np.array([[rho]]), np.array([[[x], [y]]]))
    assert found[0] == pytest.approx(expected, rel=1e-9)
