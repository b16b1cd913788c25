"""Divergence from a Gaussian on a forest, against the formula with dense matrices."""

import numpy as np
import pytest

import oracles
from acvae.forests.rooted import root_forest
from acvae.gaussian.forest.divergence import kl_divergence, log_one_minus_square


def standard(n, edges, rho):
    return np.linalg.inv(oracles.dense_precision(n, edges, rho).astype(np.float64))


def by_matrices(gap, scale, own, reference):
    """KL(N(δ, T·R_q·T) ‖ N(0, R_p)) of one dimension."""
    inverse, covariance = np.linalg.inv(reference), np.outer(scale, scale) * own
    logs = np.linalg.slogdet(reference)[1] - np.linalg.slogdet(covariance)[1]
    return 0.5 * (np.trace(inverse @ covariance) + gap @ inverse @ gap - len(gap) + logs)


@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_against_dense_matrices(shape):
    n, d, rng = 12, 2, np.random.default_rng(0)
    edges, others = oracles.forest_edges(shape, n, rng), oracles.forest_edges("random", n, rng)
    rho, other_rho = rng.uniform(-0.9, 0.9, (len(edges), d)), rng.uniform(-0.9, 0.9, (len(others), d))
    gap, scale = rng.standard_normal((n, d)), rng.uniform(0.3, 2, (n, d))
    own = [standard(n, others, other_rho[:, k]) for k in range(d)]
    along = np.stack([table[edges[:, 0], edges[:, 1]] for table in own], axis=1)
    found = kl_divergence(
        gap, scale, log_one_minus_square(other_rho).sum(), root_forest(n, edges), rho, along
    )
    expected = sum(
        by_matrices(gap[:, k], scale[:, k], own[k], standard(n, edges, rho[:, k])) for k in range(d)
    )
    assert found == pytest.approx(expected, rel=1e-9)


def test_one_edge_by_hand():
    forest, rho = root_forest(2, np.array([[0, 1]])), np.array([[0.6]])
    # Same correlation and spread, and the child's mean one standard deviation off: ½·1/(1 − 0.6²).
    found = kl_divergence(np.array([[0.0], [1]]), np.ones((2, 1)), float(np.log(1 - 0.36)), forest, rho, rho)
    assert found == pytest.approx(0.5 / 0.64)


@pytest.mark.parametrize("rho", [1 - 1e-9, -(1 - 1e-9), 0.0])
def test_of_itself_it_is_zero_even_next_to_one(rho):
    forest = root_forest(2, np.array([[0, 1]]))
    along = np.array([[rho]])
    found = kl_divergence(
        np.zeros((2, 1)), np.ones((2, 1)), float(log_one_minus_square(along).sum()), forest, along, along
    )
    assert found == pytest.approx(0, abs=1e-6)


def test_logarithm_next_to_one():
    tiny = 2.0**-40
    found = log_one_minus_square(np.array([0.5, 1 - tiny, tiny - 1]))
    expected = np.log([0.75, tiny * (2 - tiny), tiny * (2 - tiny)])
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    # In single precision ρ is what it is, but what is left is computed in double.
    assert log_one_minus_square(np.array([1 - 2.0**-20], dtype=np.float32)).dtype == np.float64
