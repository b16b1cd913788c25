"""Leave-one-out of every number, in double precision, against a fit to the graph without the edge."""

import numpy as np
import pytest

from acvae import Graph
from acvae.families.edge_strengths import relative_weights
from acvae.families.graph_gaussian import make_statistics
from acvae.gaussian.graph.laplacian import LaplacianGaussian
from acvae.gaussian.graph.solver import ExactSolver
from acvae.links.statistics import graph as module
from acvae.links.statistics import paths
from acvae.links.statistics.graph import GraphStatistics
from acvae.links.statistics.scales import Scale

SCALES = (1.5, 15.0, 60.0)
SHAPES = {
    "cycles, bridges, leaves, two components, an isolated vertex": [
        *[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5), (0, 3), (1, 4)],
        *[(5, 6), (6, 7), (7, 8), (7, 9)],
        *[(10, 11), (11, 12), (10, 12), (12, 13)],
    ],
    "a star": [(0, k) for k in range(1, 13)],
    "a path": [(k, k + 1) for k in range(13)],
    "pairs": [(2 * k, 2 * k + 1) for k in range(6)],
    "all but one pair": [(i, j) for i in range(8) for j in range(i + 1, 8) if (i, j) != (3, 6)],
}
N = 15


def problem(shape, weighted, features, seed=0):
    rng = np.random.default_rng(seed)
    edges = np.array(sorted(SHAPES[shape]))
    graph = Graph(N, edges, weights=rng.uniform(0.2, 4, len(edges)) if weighted else None)
    width = {"none": 0, "some": 4, "all": 4}[features]
    seen = np.zeros(N, bool) if features == "none" else np.ones(N, bool)
    if features == "some":
        seen = rng.random(N) < 0.5
    rows = rng.standard_normal((N, width)) * seen[:, None]
    return graph, rows, seen, make_statistics(graph, rows, seen, SCALES, 1.0, ExactSolver(N, graph.edges))


def refit(statistics, graph, rows, seen, kept):
    """The same numbers of a graph that has only the edges `kept` (m,), with the strengths they had."""
    own = seen.astype(np.float64)
    edges = graph.edges[kept]
    scales = []
    for scale in statistics.scales:
        gaussian = LaplacianGaussian(1 + own, edges, scale.gaussian.strength[kept])
        scales.append(Scale(gaussian, gaussian.solve(own[:, None] * rows)))
    alike = None if statistics.company is None else statistics.company.alike
    weight = relative_weights(graph)[kept]
    return GraphStatistics(tuple(scales), statistics.labels, edges, weight, statistics.unit, alike=alike)


def asked(statistics, queries, edge, candidates):
    at = np.unique(queries)
    first = statistics.scales[0].gaussian.some_rows(at)
    return statistics.without(at, first, queries, edge, candidates, dtype=np.float64)


@pytest.mark.parametrize("features", ["all", "some", "none"])
@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("shape", list(SHAPES))
def test_without_an_edge_is_a_fit_without_it(shape, weighted, features):
    graph, rows, seen, statistics = problem(shape, weighted, features)
    everyone = np.arange(N)
    for e in range(graph.n_edges):
        without = refit(statistics, graph, rows, seen, np.arange(graph.n_edges) != e)
        for query in (graph.edges[[e]], graph.edges[[e], ::-1]):
            i = query[0, 0]
            others = everyone[everyone != i][None]
            found = asked(statistics, query, np.array([e]), others)
            expected = asked(without, np.array([[i, i]]), None, others)
            np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("features", ["all", "none"])
def test_queries_of_many_edges_at_once_are_those_of_each_alone(features):
    graph, *_, statistics = problem(next(iter(SHAPES)), True, features)
    rng = np.random.default_rng(1)
    candidates = rng.integers(0, N, (graph.n_edges, 5))
    together = asked(statistics, graph.edges, np.arange(graph.n_edges), candidates)
    for e in range(graph.n_edges):
        alone = asked(statistics, graph.edges[[e]], np.array([e]), candidates[[e]])
        np.testing.assert_allclose(together[[e]], alone, rtol=1e-12, atol=1e-12)


def test_candidates_as_all_is_are_the_rows():
    statistics = problem(next(iter(SHAPES)), True, "some")[-1]
    i = np.arange(N)
    candidates = np.tile(i, (N, 1))
    found = asked(statistics, np.stack([i, i], axis=1), None, candidates)
    np.testing.assert_allclose(found, statistics.rows(i), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("shape", list(SHAPES))
def test_a_third_step_on_sparse_rows_is_that_on_dense_ones(shape, monkeypatch):
    statistics = problem(shape, False, "none")[-1]
    found = []
    for share in (-1.0, 2.0):
        monkeypatch.setattr(paths, "MANY", share)
        found.append(statistics.paths.rows(np.arange(N)))
    np.testing.assert_allclose(*found, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("features", "count"), [("all", 6 + 1 + 1 + 2 + 3 + 4), ("none", 6 + 1 + 1 + 2 + 4)])
def test_numbers_have_a_name_and_a_sign_each(features, count):
    statistics = problem("a star", False, features)[-1]
    assert statistics.count == len(set(statistics.names)) == len(statistics.signs) == count
    assert statistics.names[:2] == ("log correlation, scale 1.5", "cosine of means, scale 1.5")
    assert statistics.names[-2:] == ("log degree of i", "log degree of j")
    assert set(statistics.signs[:-4]) == {1.0}
    # Company and degrees tell the ends apart; without evidence there is no company.
    assert statistics.directed == (3 if features == "all" else 2)


@pytest.mark.parametrize("features", ["all", "none"])
def test_pairs_and_lookups_are_entries_of_the_rows(features, monkeypatch):
    monkeypatch.setattr(module, "PANEL", 4)  # of fifteen vertices
    statistics = problem(next(iter(SHAPES)), True, features)[-1]
    at = np.array([3, 0, 13])
    rows = statistics.rows(at)
    place, others = np.divmod(np.arange(3 * N), N)
    np.testing.assert_allclose(statistics.pairs(at[place], others), rows[place, others], atol=2e-6)
    gaussians = [scale.gaussian for scale in statistics.scales] + [statistics.walk.gaussian]
    held = [gaussian.some_rows(at) for gaussian in gaussians]
    np.testing.assert_allclose(statistics.of(at, held, place, others), rows[place, others], atol=2e-6)
