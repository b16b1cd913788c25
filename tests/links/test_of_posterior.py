"""Links from any posterior: numbers of pairs under leave-one-out, against posteriors without the edge."""

import numpy as np
import pytest

from acvae import Graph, Posterior
from acvae.exceptions import GraphError
from acvae.gaussian.graph.joint import GraphJoint
from acvae.gaussian.pairwise import PairwiseMarginals
from acvae.links import of_posterior
from acvae.links.of_posterior import fit_links
from acvae.links.statistics.posterior import PosteriorStatistics, stretch

N, D = 40, 3


@pytest.fixture(scope="module")
def graph():
    rng = np.random.default_rng(0)
    pairs = np.sort(rng.integers(0, N - 2, (60, 2)), axis=1)
    return Graph(N, np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0))


def make(kind, graph, kept=None):
    """A posterior of some kind, on all edges or some of them."""
    rng = np.random.default_rng(1)
    mean, std = rng.standard_normal((N, D)), rng.uniform(0.3, 2, (N, D))
    rho = rng.uniform(-0.5, 0.95, (graph.n_edges, D))
    kept = np.ones(graph.n_edges, dtype=bool) if kept is None else kept
    if kind == "independent":
        return Posterior(mean, std, dtype="float64")
    if kind == "pairwise":
        net = PairwiseMarginals(*rng.standard_normal((2, N, 5)), rng.standard_normal((5, D)), np.zeros(D))
        return Posterior.from_correlations(mean, std, net, dtype="float64")
    if kind == "forest":
        tree, seen = np.zeros(graph.n_edges, dtype=bool), list(range(N))
        for e, (u, v) in enumerate(graph.edges):  # Kruskal's, by hand
            a, b = seen[u], seen[v]
            if a != b:
                tree[e], seen = True, [a if x == b else x for x in seen]
        kept = kept & tree
        return Posterior(mean, std, graph.edges[kept], rho[kept], dtype="float64")
    joint = GraphJoint.of_forests(N, graph.edges[kept], rho[kept], np.full(kept.sum(), 0.3))
    return Posterior.from_correlations(mean, std, joint, dtype="float64")


def by_hand(posterior, degrees, i, k):
    rho = posterior.pair_correlation(i, k)
    both = posterior.std[i] * posterior.std[k]
    a, b = posterior.mean[i], posterior.mean[k]
    return np.stack(
        [
            np.log(posterior.pair_distance(i, k)),
            stretch((both * rho).sum(-1) / both.sum(-1)),
            (a * b).sum(-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1),
            np.log1p(degrees[i]),
            np.log1p(degrees[k]),
        ],
        axis=-1,
    )


KINDS = ("independent", "pairwise", "forest", "graph")


@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_pairs_are_what_the_posterior_says(graph, kind):
    statistics = PosteriorStatistics(make(kind, graph), graph.degrees)
    rng = np.random.default_rng(2)
    at = rng.permutation(N)[:9]
    i, k = (x.ravel() for x in np.broadcast_arrays(at[:, None], np.arange(N)))
    apart = i != k  # the distance of a vertex to itself has no logarithm
    expected = by_hand(make(kind, graph), graph.degrees, i[apart], k[apart])
    np.testing.assert_allclose(statistics.rows(at).reshape(-1, 5)[apart], expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(statistics.pairs(i[apart], k[apart]), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_every_candidate_is_seen_without_the_edge(graph, kind, monkeypatch):
    monkeypatch.setattr(of_posterior, "HELD_BYTES", 16 * N * 11)  # eleven queries at a time
    statistics = PosteriorStatistics(make(kind, graph), graph.degrees)
    rng = np.random.default_rng(3)
    ends = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    ends = ends[np.lexsort(ends.T[::-1])]
    queries = of_posterior._gather(statistics, graph, ends, np.ones(len(ends)), rng, removed=True)
    for q, (i, j) in enumerate(ends):
        kept = (graph.edges != sorted((i, j))).any(axis=1)
        degrees = np.bincount(graph.edges[kept].ravel(), minlength=N)
        real = np.isfinite(queries.log_weight[q])
        chosen = queries.candidates[q, real]
        assert chosen[0] == j
        expected = by_hand(make(kind, graph, kept), degrees, np.full(len(chosen), i), chosen)
        np.testing.assert_allclose(queries.statistics[q, real], expected, rtol=1e-5, atol=1e-5)


def test_word_of_how_far_it_is_comes_often(graph, monkeypatch):
    monkeypatch.setattr(of_posterior, "MOST_AT_A_TIME", 5)
    statistics, told = PosteriorStatistics(make("forest", graph), graph.degrees), []
    of_posterior._gather(
        statistics,
        graph,
        graph.edges[:12],
        np.ones(12),
        np.random.default_rng(0),
        removed=True,
        progress=told.append,
    )
    assert told == pytest.approx([5 / 12, 10 / 12, 1])


def test_the_nearest_that_are_no_neighbours_are_candidates(graph):
    posterior = make("forest", graph)
    statistics = PosteriorStatistics(posterior, graph.degrees)
    ends = np.stack([np.arange(5), np.arange(5)], axis=1)
    found = of_posterior._gather(statistics, graph, ends, np.ones(5), np.random.default_rng(0), removed=False)
    near, _ = posterior.nearest(np.arange(5), k=30, exclude=graph)
    for q in range(5):
        assert set(near[q][near[q] >= 0]) <= set(found.candidates[q])


@pytest.fixture(scope="module")
def fitted(graph):
    return fit_links(make("graph", graph), graph, seed=3)


class TestRanking:
    def test_it_has_the_face_of_a_posterior(self, fitted, graph):
        assert fitted.n_vertices == N
        rows = np.array([4, 2, 30])
        blocks = list(fitted.distance_blocks(rows, block_rows=2))
        assert [len(at) for at, _, _ in blocks] == [2, 1]
        whole = next(fitted.distance_blocks(rows))[2]
        np.testing.assert_allclose(np.concatenate([b for _, _, b in blocks]), whole, rtol=1e-5, atol=1e-6)

    def test_probabilities_are_the_same_both_ways_and_in_rows(self, fitted):
        i, j = np.array([0, 5, 7]), np.array([9, 1, 38])
        np.testing.assert_array_equal(fitted.log_odds(i, j), fitted.log_odds(j, i))
        for at, _, odds in fitted.log_odds_blocks(i):
            np.testing.assert_allclose(odds[np.arange(3), j], fitted.log_odds(at, j), atol=1e-4)

    def test_the_same_seed_gives_the_same_heads(self, fitted, graph):
        again = fit_links(make("graph", graph), graph, seed=3)
        for name, array in fitted.order.pack("").items():
            np.testing.assert_array_equal(array, again.order.pack("")[name])


def test_links_that_follow_the_means_are_found():
    rng = np.random.default_rng(5)
    place = rng.uniform(0, 30, (150, 1))
    close = np.abs(place - place.T) < 0.5
    u, v = np.nonzero(np.triu(close, 1))
    hidden = rng.random(len(u)) < 0.2
    edges = np.stack([u, v], axis=1)
    train = Graph(150, edges[~hidden])
    ranking = fit_links(Posterior(place, np.full((150, 1), 0.1)), train)
    linked = ranking.log_odds(u[hidden], v[hidden])
    i, j = rng.integers(0, 150, (2, 400))
    others = ranking.log_odds(i[~close[i, j]], j[~close[i, j]])
    assert (linked[:, None] > others).mean() > 0.95
    total = sum(
        float((1 / (1 + np.exp(-odds))).sum()) for _, _, odds in ranking.log_odds_blocks(np.arange(150))
    )
    assert 0.4 * train.n_edges < total / 2 < 2.5 * train.n_edges  # the graph's own density


def test_what_there_is_nothing_to_learn_from(graph):
    posterior = make("independent", graph)
    with pytest.raises(GraphError, match="the graph has 3 vertices"):
        fit_links(posterior, Graph(3, [(0, 1)]))
    with pytest.raises(GraphError, match="has none"):
        fit_links(posterior, Graph(N, []))
    with pytest.raises(GraphError, match="all pairs"):
        fit_links(Posterior(np.zeros((2, 1)), np.ones((2, 1))), Graph(2, [(0, 1)]))
