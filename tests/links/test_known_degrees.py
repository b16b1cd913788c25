"""Degrees of left-out links, against what vertices of the graph have."""

import numpy as np
import pytest

from acvae import Graph
from acvae.links.known_degrees import degrees_had, with_known_degrees
from acvae.links.queries import Queries


def ring(n, reach):
    """Every vertex linked with the `reach` next ones: all have 2·reach links."""
    i = np.repeat(np.arange(n), reach)
    return Graph(n, np.stack([i, (i + np.tile(np.arange(1, reach + 1), n)) % n], axis=1))


def asked(graph, candidates=3):
    """Every edge either way, as if left out: the last numbers are log degrees without it."""
    ends = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    shape = (len(ends), candidates)
    statistics = np.zeros((*shape, 4), dtype=np.float32)
    statistics[..., -2] = np.log1p(graph.degrees[ends[:, :1]] - 1)
    statistics[..., -1] = 5
    statistics[:, 0, -1] = np.log1p(graph.degrees[ends[:, 1]] - 1)
    nothing = np.zeros(shape)
    return Queries(ends, np.ones(len(ends)), nothing.astype(np.int64), nothing.astype(np.float32), statistics)


def test_no_vertex_of_a_regular_graph_has_a_link_less():
    assert degrees_had(ring(12, 2).degrees).tolist() == [0, 0, 0, 0, 1]


def test_as_many_vertices_as_come_to_a_degree_are_enough():
    degrees = np.array([0, 0, 0, 1, 1, 1, 1])  # four would come to have none, three have
    assert degrees_had(degrees)[0] == 1
    assert degrees_had(degrees[2:])[0] == 0.5  # one, where two would be enough


def test_degrees_that_are_near_each_other_count_as_one():
    spread = np.array([1, 3, 10, 30, 101, 101, 101])  # none has 100
    assert degrees_had(spread)[100] == 1
    assert degrees_had(np.full(7, 101))[100] == 0


def test_ends_of_a_regular_graph_get_their_degrees_back():
    graph = ring(12, 2)
    queries = asked(graph)
    found, known = with_known_degrees(graph, queries, seed=0)
    assert (known == 1).all()
    np.testing.assert_allclose(found.statistics[..., -2], np.log(5), rtol=1e-6)
    np.testing.assert_allclose(found.statistics[:, 0, -1], np.log(5), rtol=1e-6)
    assert (found.statistics[:, 1:, -1] == 5).all()  # of other candidates nothing is changed
    np.testing.assert_allclose(queries.statistics[..., -2], np.log(4), rtol=1e-6)


def test_where_the_degrees_are_there_nothing_is_changed():
    graph = Graph(9, [(0, 1), (2, 3), (3, 4)])  # of degree 0 four, of 1 four, of 2 one
    queries = asked(graph)
    found, known = with_known_degrees(graph, queries, seed=0)
    assert found is queries
    assert (known == 1).all()


def test_ends_without_another_link_are_not_known_where_no_vertex_is_without():
    graph = Graph(6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)])  # a path: its ends would be alone
    _, known = with_known_degrees(graph, asked(graph), seed=0)
    ends = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    np.testing.assert_array_equal(known == 0, np.isin(ends, [0, 5]))


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_by_seed(seed):
    graph = Graph(7, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 0), (0, 3), (1, 4)])
    one, two = (with_known_degrees(graph, asked(graph), seed).queries.statistics for _ in range(2))
    np.testing.assert_array_equal(one, two)
