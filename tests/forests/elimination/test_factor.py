"""Factorised sparse matrices against dense inverses."""

import numpy as np
import pytest

from acvae.forests.elimination import order as elimination
from acvae.forests.elimination.factor import NotPositiveError, factorise
from acvae.forests.elimination.inverse import factorise_by_inverse
from acvae.forests.elimination.order import eliminate


def random_system(n, m, seed, dominance=1.0):
    """Edges, entries and diagonal of a diagonally dominant matrix on a random graph, and it as a table."""
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, n, (m, 2))
    edges = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
    off = rng.normal(size=len(edges))
    table = np.zeros((n, n))
    table[edges[:, 0], edges[:, 1]] = table[edges[:, 1], edges[:, 0]] = off
    diagonal = np.abs(table).sum(axis=0) * dominance + 0.1
    return edges, off, diagonal, table + np.diag(diagonal)


# Nothing eliminated but leaves, some of it, and all of it.
@pytest.fixture(params=[(0, 0.0), (3, 0.0), (8, 0.01), (1000, 1.0)], ids=str)
def how_far(request, monkeypatch):
    monkeypatch.setattr(elimination, "ALWAYS_ELIMINATE", request.param[0])
    monkeypatch.setattr(elimination, "DENSE_SHARE", request.param[1])
    return request.param


@pytest.mark.parametrize("make", [factorise, factorise_by_inverse])
@pytest.mark.parametrize(("n", "m"), [(1, 0), (5, 0), (6, 30), (40, 60), (60, 300), (200, 350)])
def test_against_dense(n, m, how_far, make):
    edges, off, diagonal, table = random_system(n, m, seed=n + m)
    order = eliminate(n, edges)
    factor = make(order, edges, off, diagonal)
    inverse = np.linalg.inv(table)
    place = order.vertex
    assert factor.log_determinant == pytest.approx(np.linalg.slogdet(table)[1], rel=1e-12)
    np.testing.assert_allclose(factor.variance, inverse.diagonal()[place], rtol=1e-10)
    np.testing.assert_allclose(factor.along, inverse[edges[:, 0], edges[:, 1]], rtol=1e-8, atol=1e-12)
    everything = factor.solve(np.eye(n))
    np.testing.assert_allclose(everything, inverse[np.ix_(place, place)], rtol=1e-8, atol=1e-12)
    # The map from noise to draws is a square root of the inverse.
    root = factor.correlate(np.eye(n))
    np.testing.assert_allclose(root @ root.T, inverse[np.ix_(place, place)], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("make", [factorise, factorise_by_inverse])
def test_solve_is_for_any_right_hand_side(make):
    edges, off, diagonal, table = random_system(50, 200, seed=3)
    order = eliminate(50, edges)
    x = np.random.default_rng(0).normal(size=(50, 40))
    solved = make(order, edges, off, diagonal).solve(x.copy())
    np.testing.assert_allclose(table[np.ix_(order.vertex, order.vertex)] @ solved, x, atol=1e-10)


@pytest.mark.parametrize("n", [2, 30])
def test_not_positive_definite(n, how_far):
    edges, off, diagonal, _ = random_system(n, 4 * n, seed=1)
    diagonal[edges[0, 0]] = -1.0
    with pytest.raises(NotPositiveError):
        factorise(eliminate(n, edges), edges, off, diagonal)
