"""Degrees of both ends and of their neighbours, by hand and against the graph without the edge."""

import numpy as np
import pytest
import scipy.sparse as sp

from acvae.links.statistics.degrees import Degrees

N = 6
EDGES = np.array([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)])  # a triangle with a tail; 5 is alone


def made(edges):
    table = np.zeros((N, N))
    table[tuple(edges.T)] = 1
    table += table.T
    return Degrees(sp.csr_array(table), table.sum(axis=0).astype(np.int64))


def test_by_hand():
    found = made(EDGES).pairs(np.array([0, 4, 5]), np.array([3, 2, 0]))
    two, three, four = np.log([2, 3, 4])  # log(1 + degree) of 4, of 0, 1 and 3, of 2
    near_0, near_2, near_3 = (three + four) / 2, three, (four + two) / 2
    expected = [[near_0, near_3, three, three], [three, near_2, two, four], [0, near_0, 0, three]]
    np.testing.assert_allclose(found, expected)


def test_rows_are_those_of_all_pairs():
    at, everyone = np.array([4, 0]), np.arange(N)
    rows = made(EDGES).rows(at)
    for b, i in enumerate(at):
        np.testing.assert_array_equal(rows[b], made(EDGES).pairs(np.full(N, i), everyone))


@pytest.mark.parametrize("edge", range(len(EDGES)))
@pytest.mark.parametrize("turned", [False, True])
def test_without_an_edge_is_the_graph_that_never_had_it(edge, turned):
    query = EDGES[[edge], ::-1] if turned else EDGES[[edge]]
    i = query[0, 0]
    at = np.unique(query)
    others = np.delete(np.arange(N), i)[None]
    found = made(EDGES).without(at, np.searchsorted(at, query), query, others)
    expected = made(np.delete(EDGES, edge, axis=0)).pairs(np.full(N - 1, i), others[0])
    np.testing.assert_allclose(found[0], expected, atol=1e-12)


def test_a_query_of_a_vertex_and_itself_takes_nothing_away():
    at = np.array([2])
    found = made(EDGES).without(at, np.array([[0, 0]]), np.array([[2, 2]]), np.arange(N)[None])
    np.testing.assert_allclose(found[0], made(EDGES).rows(at)[0], atol=1e-12)
