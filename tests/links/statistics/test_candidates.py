"""Candidates of a vertex: their numbers are those of the pairs, and the strongest of each are there."""

import numpy as np
import pytest

from acvae import Graph
from acvae.families.graph_gaussian import make_statistics
from acvae.gaussian.graph.solver import LocalSolver
from acvae.links.statistics.candidates import candidates

N = 150


def made(features=4):
    rng = np.random.default_rng(0)
    graph = Graph(N, rng.integers(0, N - 2, (3 * N, 2)))
    seen = np.full(N, features > 0)
    rows = rng.standard_normal((N, features))
    return make_statistics(graph, rows, seen, (2.0, 20.0), 1.0, LocalSolver(N, graph.edges))


@pytest.fixture(scope="module")
def statistics():
    return made()


def test_numbers_are_those_of_rows_and_pairs(statistics):
    at = np.array([3, 70, N - 1])
    found = candidates(statistics, at, each=5)
    rows = statistics.rows(at)
    for b, own in enumerate(at):
        part = slice(found.start[b], found.start[b + 1])
        ids = found.ids[part]
        assert (np.diff(ids) > 0).all()
        assert own not in ids
        np.testing.assert_allclose(found.statistics[part], rows[b, ids], atol=2e-5)
        pairs = statistics.pairs(np.full(len(ids), own), ids)
        np.testing.assert_allclose(found.statistics[part], pairs, atol=0.02)  # of the rows of both ends
        for f, name in enumerate(statistics.names):
            if "log correlation" in name or name == "log walk":  # others have equal values
                score = rows[b, :, f].copy()
                floor = score.min()
                score[own] = -np.inf
                best = np.argsort(-score)[:4]  # the vertex itself is one of the five
                assert set(best[score[best] > floor]) <= set(ids)


def test_without_evidence_there_is_no_company_to_look_in():
    bare = made(features=0)
    at = np.array([0, 70])
    found = candidates(bare, at, each=3)
    place = np.repeat([0, 1], np.diff(found.start))
    assert found.statistics.shape == (len(found.ids), bare.count)
    np.testing.assert_allclose(found.statistics, bare.rows(at)[place, found.ids], atol=2e-5)


def test_a_vertex_alone_has_none():
    found = candidates(made(features=0), np.array([N - 1]))
    assert found.start.tolist() == [0, 0]
    assert len(found.ids) == 0
