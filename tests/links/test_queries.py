"""Statistics under leave-one-out: against a graph that never had the edge."""

import numpy as np
import pytest
import scipy.sparse as sp

from acvae import Graph
from acvae.families.graph_gaussian import make_statistics
from acvae.gaussian.graph.solver import ExactSolver
from acvae.links.queries import gather, sample_edges
from acvae.links.statistics.scales import FLOOR
from acvae.links.statistics.symmetry import symmetric
from acvae.links.statistics.walk import FOLLOW


def problem(seed, n=30, m=45):
    rng = np.random.default_rng(seed)
    pairs = np.sort(rng.integers(0, n - 2, (m, 2)), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    graph = Graph(n, pairs, weights=rng.uniform(0.5, 2, len(pairs)) if seed % 2 else None)
    seen = rng.random(n) < 0.8
    rows = rng.standard_normal((n, 3)) * seen[:, None]
    made = make_statistics(graph, rows, seen, (2.0, 20.0), 1.0, ExactSolver(n, graph.edges))
    return graph, rows, seen, made, rng


def dense(graph, rows, seen, statistics, edges):
    """(n, n, F) from inverses of the precisions that have only these edges, and sums over all vertices."""
    n, out = graph.n_vertices, []
    for a in (scale.gaussian.strength for scale in statistics.scales):
        precision = np.diag(1.0 + seen)
        for (i, j), s in zip(graph.edges[edges], a[edges], strict=True):
            precision[np.ix_([i, j], [i, j])] += s * np.array([[1, -1], [-1, 1]])
        covariance = np.linalg.inv(precision)
        std = np.sqrt(covariance.diagonal())
        mean = covariance @ (seen[:, None] * rows)
        length = np.linalg.norm(mean, axis=1)
        product = np.maximum(np.outer(length, length), 1e-24)
        out += [np.log(np.maximum(covariance / np.outer(std, std), FLOOR)), mean @ mean.T / product]
    linked, weight = np.zeros((n, n)), np.zeros((n, n))
    kept = np.ones(graph.n_edges) if graph.weights is None else graph.weights / graph.weights.mean()
    for (i, j), w in zip(graph.edges[edges], kept[edges], strict=True):
        linked[i, j] = linked[j, i] = 1
        weight[i, j] = weight[j, i] = w
    walk = np.linalg.inv(np.eye(n) + np.diag(weight.sum(axis=0)) - FOLLOW * weight)
    # A common neighbour of i and k has lost neither, so its degree is that of the whole graph.
    shared = linked @ np.diag(1 / np.log(np.maximum(graph.degrees, 2))) @ linked
    degree = linked.sum(axis=0)
    share = np.diag(np.where(degree > 0, 1 / np.maximum(degree, 1), 0))
    two = linked @ share @ linked
    cosine = statistics.unit @ statistics.unit.T
    alike = np.maximum(cosine.astype(np.float64), 0) ** 4
    np.fill_diagonal(alike, 0)
    out += [np.log(np.maximum(walk, 1e-7)), np.log(1e-3 + shared)]
    out += [np.log(1e-3 + two), np.log(1e-3 + two @ share @ linked), cosine]
    out += [np.log(1e-4 + alike @ linked), np.log(1e-4 + linked @ alike.T)]
    for each in (share @ linked @ np.log1p(degree), np.log1p(degree)):
        out += [np.broadcast_to(each[:, None], (n, n)), np.broadcast_to(each, (n, n))]
    return np.stack(out, axis=-1)


@pytest.mark.parametrize("seed", range(3))
def test_every_statistic_of_every_candidate_is_that_of_the_graph_without_the_edge(seed):
    graph, rows, seen, statistics, rng = problem(seed)
    ends, weight = sample_edges(graph, 10**6, rng)
    queries = gather(statistics, graph, ends, weight, rng, removed=True)
    assert len(ends) == 2 * graph.n_edges
    assert (weight == 1).all()
    for q, (i, j) in enumerate(ends):
        edge = (graph.edges == np.sort([i, j])).all(axis=1)
        refit = dense(graph, rows, seen, statistics, ~edge)
        kept = np.isfinite(queries.log_weight[q])
        chosen = queries.candidates[q, kept]
        assert chosen[0] == j
        assert not graph.has_edges(np.stack([np.full(len(chosen) - 1, i), chosen[1:]], 1)).any()
        np.testing.assert_allclose(queries.statistics[q, kept], refit[i, chosen], rtol=2e-6, atol=2e-6)


def test_rows_and_pairs_against_dense():
    graph, rows, seen, statistics, rng = problem(5)
    everything = dense(graph, rows, seen, statistics, np.full(graph.n_edges, True))
    at = np.array([3, 29, 0])
    np.testing.assert_allclose(statistics.rows(at), everything[at], rtol=2e-6, atol=2e-6)
    i, j = rng.integers(0, 30, (2, 20))
    np.testing.assert_allclose(statistics.pairs(i, j), everything[i, j], rtol=2e-6, atol=2e-6)
    one, other = (symmetric(statistics.pairs(*ends), statistics.directed) for ends in ((i, j), (j, i)))
    np.testing.assert_array_equal(one, other)


def test_weights_of_candidates_stand_for_all_non_neighbours():
    rng = np.random.default_rng(0)
    n = 500
    graph = Graph(n, np.stack([np.arange(n - 1), np.arange(1, n)], axis=1))
    statistics = make_statistics(
        graph, np.zeros((n, 0)), np.zeros(n, bool), (2.0,), 1.0, ExactSolver(n, graph.edges)
    )
    ends, weight = sample_edges(graph, 100, rng)
    queries = gather(statistics, graph, ends, weight, rng, removed=True)
    others = np.exp(queries.log_weight[:, 1:]).sum(axis=1)
    np.testing.assert_allclose(others, n - 1 - graph.degrees[ends[:, 0]], rtol=1e-5)


def test_sampled_edges_are_weighted_back():
    hub = Graph(401, np.stack([np.zeros(400, int), np.arange(1, 401)], axis=1))
    totals = []
    for seed in range(200):
        ends, weight = sample_edges(hub, 420, np.random.default_rng(seed))
        assert (ends[:, 0] > 0).sum() == 400  # a leaf's only edge is always taken
        totals.append(weight.sum())
    assert abs(np.mean(totals) - 800) < 4 * np.std(totals) / np.sqrt(200)


def test_parts_that_fit_the_memory_give_the_same_and_tell_how_far_they_are(monkeypatch):
    graph, _, _, statistics, _ = problem(1)
    ends, weight = sample_edges(graph, 10_000, np.random.default_rng(0))

    def asked(told):
        rng = np.random.default_rng(0)
        return gather(statistics, graph, ends, weight, rng, removed=True, progress=told.append)

    whole, in_parts = [], []
    once = asked(whole)
    monkeypatch.setattr("acvae.links.queries.ROW_BYTES", 4 * statistics.scales[0].gaussian.row_bytes)
    again = asked(in_parts)
    assert whole == [1.0]
    assert len(in_parts) > 5
    assert in_parts == sorted(in_parts)
    assert in_parts[-1] == 1.0
    np.testing.assert_array_equal(again.candidates, once.candidates)
    np.testing.assert_allclose(again.statistics, once.statistics, rtol=1e-5, atol=1e-6)


def test_all_that_a_table_of_likest_has_are_candidates():
    graph, _, _, made, rng = problem(0)
    ends = np.array([[1, 1], [5, 5]])
    wanted = {i: [k for k in (20, 21, 25) if k not in graph.neighbors(i)] for i in (1, 5)}
    table = np.zeros((graph.n_vertices, graph.n_vertices))
    for i, chosen in wanted.items():
        table[i, chosen] = 1.0
    found = gather(made, graph, ends, np.ones(2), rng, removed=False, likest=sp.csr_array(table))
    for q, i in enumerate((1, 5)):
        assert set(wanted[i]) <= set(found.candidates[q, found.log_weight[q] == 0].tolist())
        real = np.isfinite(found.log_weight[q])
        total = np.exp(found.log_weight[q, real].astype(float)).sum()
        assert total == pytest.approx(graph.n_vertices - 1 - graph.degrees[i], rel=1e-5)
