"""The core kept as its inverse: quick rows and long products say the same, and draws come from its root."""

import numpy as np
import pytest

from acvae.forests.elimination import inverse as module
from acvae.forests.elimination import order as elimination
from acvae.forests.elimination.factor import factorise
from acvae.forests.elimination.inverse import factorise_by_inverse
from acvae.forests.elimination.order import eliminate

N = 20


@pytest.fixture
def made(monkeypatch):
    """A matrix whose first fifteen vertices are a clique and the others a tail; only the tail goes."""
    monkeypatch.setattr(elimination, "ALWAYS_ELIMINATE", 2)
    monkeypatch.setattr(elimination, "DENSE_SHARE", 0.0)
    rng = np.random.default_rng(0)
    pairs = [(i, j) for j in range(15) for i in range(j)] + [(k, k + 1) for k in range(14, N - 1)]
    edges = np.array(pairs)
    off = rng.uniform(-1, 0, len(edges))
    table = np.zeros((N, N))
    table[tuple(edges.T)] = off
    table += table.T
    diagonal = -table.sum(axis=0) + 1
    order = eliminate(N, edges)
    assert order.core_size == 15
    return order, edges, off, diagonal, np.linalg.inv(table + np.diag(diagonal))


@pytest.mark.parametrize("dense", [-1.0, 2.0], ids=["a product", "row by row"])
def test_both_ways_to_solve(made, dense, monkeypatch):
    *given, covariance = made
    monkeypatch.setattr(module, "DENSE", dense)
    at = given[0].vertex
    found = factorise_by_inverse(*given).solve(np.eye(N))
    np.testing.assert_allclose(found, covariance[np.ix_(at, at)], atol=1e-12)


def test_what_it_says_is_what_the_factor_says(made):
    *given, covariance = made
    ours, plain = factorise_by_inverse(*given), factorise(*given)
    assert ours.log_determinant == pytest.approx(plain.log_determinant, rel=1e-12)
    assert ours.log_determinant == pytest.approx(-np.linalg.slogdet(covariance)[1], rel=1e-10)
    np.testing.assert_allclose(ours.variance, covariance.diagonal()[given[0].vertex], rtol=1e-10)
    np.testing.assert_allclose(ours.along, covariance[tuple(given[1].T)], rtol=1e-10)


def test_draws_have_the_covariance(made):
    *given, covariance = made
    at, factor = given[0].vertex, factorise_by_inverse(*given)
    for _ in range(2):  # the root is made once, and is there the second time
        root = factor.correlate(np.eye(N))
        np.testing.assert_allclose(root @ root.T, covariance[np.ix_(at, at)], atol=1e-12)


def test_solving_is_in_place(made):
    x = np.eye(N)
    assert factorise_by_inverse(*made[:-1]).solve(x) is x
