"""Log covariances of the walk, by hand on two vertices and against the dense inverse."""

import numpy as np
import pytest

from acvae.gaussian.graph.solver import ExactSolver
from acvae.links.statistics.walk import FLOOR, FOLLOW, Walk

EDGES = np.array([(0, 1), (1, 2), (0, 2), (2, 3)])  # 4 is alone
WEIGHT = np.array([0.5, 2.0, 1.0, 0.5])


def made(edges=EDGES, weight=WEIGHT, n=5):
    return Walk(n, edges, weight, ExactSolver(n, edges))


def dense(edges=EDGES, weight=WEIGHT):
    table = np.zeros((5, 5))
    table[tuple(edges.T)] = weight
    table += table.T
    covariance = np.linalg.inv(np.eye(5) + np.diag(table.sum(axis=0)) - FOLLOW * table)
    return np.log(np.maximum(covariance, FLOOR))


def test_two_vertices_by_hand():
    walk = made(np.array([[0, 1]]), np.array([1.0]), 2)
    # J = [[2, −c], [−c, 2]], so K = [[2, c], [c, 2]]/(4 − c²).
    expected = np.log(np.array([2, FOLLOW]) / (4 - FOLLOW**2))
    np.testing.assert_allclose(walk.pairs(np.array([0, 0]), np.array([0, 1])), expected)


def test_rows_pairs_and_lookups_against_dense():
    at, (i, j) = np.array([3, 0]), np.indices((5, 5)).reshape(2, -1)
    np.testing.assert_allclose(made().rows(at), dense()[at], atol=1e-12)
    np.testing.assert_allclose(made().pairs(i, j), dense()[i, j], atol=1e-12)
    place, others = np.array([1, 0, 1]), np.array([2, 4, 1])
    found = made().of(made().gaussian.some_rows(at), place, others)
    np.testing.assert_allclose(found, dense()[at[place], others], atol=1e-12)


def test_where_no_walk_leads():
    assert made().pairs(np.array([4]), np.array([0])) == pytest.approx(np.log(FLOOR))


@pytest.mark.parametrize("edge", range(len(EDGES)))
@pytest.mark.parametrize("turned", [False, True])
def test_without_an_edge_is_the_graph_that_never_had_it(edge, turned):
    query = EDGES[[edge], ::-1] if turned else EDGES[[edge]]
    at, everyone = np.unique(query), np.arange(5)[None]
    rows, places = made().gaussian.some_rows(at), np.searchsorted(at, query)
    found = made().without(rows, places, query, np.array([edge]), everyone)
    expected = dense(np.delete(EDGES, edge, axis=0), np.delete(WEIGHT, edge))
    np.testing.assert_allclose(found[0], expected[query[0, 0]], atol=1e-9)
    as_it_is = made().without(rows, places, query, None, everyone)
    np.testing.assert_allclose(as_it_is[0], dense()[query[0, 0]], atol=1e-12)
