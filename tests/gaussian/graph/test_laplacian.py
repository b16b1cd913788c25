"""Against the dense inverse."""

import numpy as np
import pytest

from acvae.exceptions import PosteriorError
from acvae.gaussian.graph import laplacian
from acvae.gaussian.graph.laplacian import LaplacianGaussian


def problem(seed, n=40, m=70):
    rng = np.random.default_rng(seed)
    pairs = np.sort(rng.integers(0, n - 3, (m, 2)), axis=1)  # the last three are isolated
    edges = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    strength, diagonal = rng.uniform(0.1, 5, len(edges)), rng.uniform(0.5, 2, n)
    precision = np.diag(diagonal)
    for (i, j), a in zip(edges, strength, strict=True):
        precision[np.ix_([i, j], [i, j])] += a * np.array([[1, -1], [-1, 1]])
    return LaplacianGaussian(diagonal, edges, strength), precision, np.linalg.inv(precision), rng


@pytest.mark.parametrize("seed", range(3))
def test_rows_entries_and_determinant(seed):
    gaussian, precision, covariance, rng = problem(seed)
    n = len(precision)
    np.testing.assert_allclose(gaussian.rows(np.arange(n)), covariance, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(gaussian.variance, covariance.diagonal(), rtol=1e-10)
    i, j = gaussian.edges.T
    np.testing.assert_allclose(gaussian.along, covariance[i, j], rtol=1e-9)
    a, b = rng.integers(0, n, (2, 30))
    np.testing.assert_allclose(gaussian.entries(a, b), covariance[a, b], rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(gaussian.log_determinant, np.linalg.slogdet(precision)[1], rtol=1e-12)
    x = rng.standard_normal((n, 3))
    np.testing.assert_allclose(gaussian.solve(x), covariance @ x, rtol=1e-9, atol=1e-12)


def test_energy():
    gaussian, precision, _, rng = problem(5)
    x = rng.standard_normal((len(precision), 2))
    np.testing.assert_allclose(gaussian.energy(x), [v @ precision @ v for v in x.T], rtol=1e-10)


def test_samples_have_the_covariance():
    gaussian, _, covariance, rng = problem(6)
    draws = gaussian.correlate(rng.standard_normal((len(covariance), 40_000)))
    error = np.abs(draws @ draws.T / draws.shape[1] - covariance)
    scale = np.sqrt(np.outer(covariance.diagonal(), covariance.diagonal()) + covariance**2)
    assert (error < 6 * scale / np.sqrt(draws.shape[1])).all()


def test_rows_and_entries_of_several_panels(monkeypatch):
    monkeypatch.setattr(laplacian, "PANEL", 2)
    gaussian, _, covariance, rng = problem(7)
    at, other = np.array([5, 0, 39, 8, 2]), rng.integers(0, 40, 5)
    np.testing.assert_allclose(gaussian.rows(at), covariance[at], atol=1e-12)
    np.testing.assert_allclose(gaussian.entries(at, other), covariance[at, other], atol=1e-12)


def test_an_entry_without_each_edge_is_that_of_the_graph_without_it():
    gaussian, precision, covariance, rng = problem(8)
    for i, j in [*rng.permutation(37)[:16].reshape(8, 2), gaussian.edges[0]]:
        edges = np.flatnonzero(np.isin(gaussian.edges, [i, j]).any(axis=1))
        whole, found = gaussian.without_each(i, j, edges)
        assert whole == pytest.approx(covariance[i, j], abs=1e-12)
        for e, left in zip(edges, found, strict=True):
            cut = precision.copy()
            ends = np.ix_(gaussian.edges[e], gaussian.edges[e])
            cut[ends] -= gaussian.strength[e] * np.array([[1, -1], [-1, 1]])
            assert left == pytest.approx(np.linalg.inv(cut)[i, j], abs=1e-10)


def test_too_large_is_told(monkeypatch):
    monkeypatch.setattr("acvae.forests.elimination.order.available_memory", lambda: 1000)
    n = 60
    edges = np.array([(i, j) for i in range(n) for j in range(i + 1, n)])
    with pytest.raises(PosteriorError, match="dense core"):
        laplacian.elimination_of(n, edges)
