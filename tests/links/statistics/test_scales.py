"""Two numbers of one scale, by hand on two vertices and against a Gaussian that never had the edge."""

import numpy as np
import pytest

from acvae.gaussian.graph.laplacian import LaplacianGaussian
from acvae.gaussian.graph.local import LocalGaussian
from acvae.links.statistics.scales import FLOOR, Scale, ScaleStatistics, unit_rows

EDGES = np.array([(0, 1), (1, 2), (0, 2), (2, 3)])  # 4 is alone
STRENGTH = np.array([2.0, 0.5, 1.0, 4.0])
EVIDENCE = np.random.default_rng(0).standard_normal((5, 3))


def made(edges=EDGES, strength=STRENGTH):
    gaussian = LaplacianGaussian(np.full(5, 2.0), edges, strength)
    return ScaleStatistics(Scale(gaussian, gaussian.solve(EVIDENCE)), "2")


def dense(edges=EDGES, strength=STRENGTH):
    """(n, n, 2) from the inverse of the precision."""
    precision = np.diag(np.full(5, 2.0))
    for (i, j), a in zip(edges, strength, strict=True):
        precision[np.ix_([i, j], [i, j])] += a * np.array([[1, -1], [-1, 1]])
    covariance = np.linalg.inv(precision)
    std, mean = np.sqrt(covariance.diagonal()), covariance @ EVIDENCE
    length = np.linalg.norm(mean, axis=1)
    rho = np.maximum(covariance / np.outer(std, std), FLOOR)
    return np.stack([np.log(rho), mean @ mean.T / np.outer(length, length)], axis=-1)


def test_two_vertices_by_hand():
    gaussian = LaplacianGaussian(np.ones(2), np.array([[0, 1]]), np.array([3.0]))
    found = ScaleStatistics(Scale(gaussian, np.array([[3.0, 0], [4, 4]])), "3").pairs(
        np.array([0]), np.array([1])
    )
    # J = [[4, −3], [−3, 4]], so K_01/√(K_00·K_11) = 3/4; means at 45°.
    np.testing.assert_allclose(found, [[np.log(3 / 4), np.sqrt(0.5)]], rtol=1e-6)


def test_names_say_which_scale():
    assert made().names == ("log correlation, scale 2", "cosine of means, scale 2")


def test_rows_pairs_and_lookups_against_dense():
    at, (i, j) = np.array([3, 0]), np.indices((5, 5)).reshape(2, -1)
    np.testing.assert_allclose(made().rows(at), dense()[at], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(made().pairs(i, j), dense()[i, j], rtol=1e-5, atol=1e-6)
    rows, place, others = made().scale.gaussian.some_rows(at), np.array([1, 0]), np.array([2, 4])
    found = made().of(rows, place, at[place], others)
    np.testing.assert_allclose(found, dense()[at[place], others], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("edge", range(len(EDGES)))
@pytest.mark.parametrize("turned", [False, True])
def test_without_an_edge_is_the_gaussian_that_never_had_it(edge, turned):
    query = EDGES[[edge], ::-1] if turned else EDGES[[edge]]
    i = query[0, 0]
    at, others = np.unique(query), np.delete(np.arange(5), i)[None]
    rows = made().scale.gaussian.some_rows(at)
    found = made().without(rows, np.searchsorted(at, query), query, STRENGTH[[edge]], others)
    expected = dense(np.delete(EDGES, edge, axis=0), np.delete(STRENGTH, edge))
    np.testing.assert_allclose(found[0], expected[i, others[0]], atol=1e-9)


@pytest.mark.parametrize("strong", [1e3, 3e3, 1e4])
def test_an_edge_so_strong_that_a_push_ends_on_it_does_not_tell_itself(strong):
    edges, strength, h = np.array([(0, 1), (2, 3)]), np.array([strong, 1.0]), np.ones(4)
    evidence = np.array([[1.0, 0], [0, 1], [1, 0], [0, 1]])
    gaussian = LocalGaussian(h, edges, strength)
    statistics = ScaleStatistics(Scale(gaussian, gaussian.solve(evidence)), "2")
    query = np.array([[0, 1]])
    found = statistics.without(gaussian.some_rows(np.arange(4)), query, query, strength[:1], np.array([[1]]))
    # Alone, 0 and 1 have the means (1, 0) and (0, 1), and nothing in common.
    np.testing.assert_allclose(found[0, 0, 0], np.log(FLOOR))
    assert abs(found[0, 0, 1]) < 0.1


def test_without_a_strength_all_is_as_it_is():
    query = np.array([[1, 1]])
    rows = made().scale.gaussian.some_rows(np.array([1]))
    found = made().without(rows, np.zeros((1, 2), dtype=int), query, None, np.array([[0, 2, 3, 4]]))
    np.testing.assert_allclose(found[0], dense()[1, [0, 2, 3, 4]], atol=1e-9)


def test_unit_rows():
    found = unit_rows(np.array([[3.0, 4.0], [0, 0], [0, -2e-5]]))
    np.testing.assert_allclose(found, [[0.6, 0.8], [0, 0], [0, -1]])
    assert found.dtype == np.float32
