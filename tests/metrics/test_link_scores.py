import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric import metrics as peers

import oracles
from acvae import Graph, Posterior, metrics, split_edges
from acvae.exceptions import GraphError, OptionError


def random_split(rng, n, m_train, m_test):
    edges = rng.permutation(oracles.random_graph_edges(rng, n, m_train + m_test))
    return Graph(n, edges[:m_train]), Graph(n, edges[m_train:])


def forest_posterior(seed, n, d=3, dtype="float64"):
    rng = np.random.default_rng(seed)
    edges = oracles.forest_edges("many trees", n, rng)
    rho = oracles.random_correlations(rng, len(edges), d)
    return Posterior(rng.normal(size=(n, d)), rng.uniform(0.2, 1, (n, d)), edges, rho, dtype=dtype)


def tied_posterior(rng, n, d=2, values=3):
    """Vertices on a small grid and their exact distances.

    Whole numbers and, for n a power of two, their mean are exact in float32, so that distances that are
    equal on paper are equal in the machine, whichever way they are computed.
    """
    assert n & (n - 1) == 0
    mean = rng.integers(0, values, size=(n, d)).astype(float)
    q = Posterior(mean, np.ones((n, d)))
    return q, oracles.dense_distances(mean, np.ones((n, d)), np.eye(n)[:, :, None])


def assert_scores(q, distances, train, test, k=3):
    train_rank, test_rank = oracles.link_ranks(distances, train, test)
    scores = metrics.evaluate(q, train, test, k=k)
    assert scores.k == k
    for name, by_hand in [
        ("ncrr", oracles.ncrr),
        ("mrr", oracles.mrr),
        ("hits", lambda ranks: oracles.hits(ranks, k)),
    ]:
        score = getattr(scores, name)
        assert score.train == pytest.approx(by_hand(train_rank), rel=1e-12)
        assert score.test == pytest.approx(by_hand(test_rank), rel=1e-12)
    assert metrics.ncrr(q, train, test) == scores.ncrr
    assert metrics.mrr(q, train, test) == scores.mrr
    assert metrics.hits_at(q, train, test, k) == scores.hits


class TestAgainstADoubleLoop:
    @pytest.mark.parametrize("k", [1, 3, 10, 100])
    @pytest.mark.parametrize("seed", range(3))
    def test_distinct_distances(self, seed, k):
        q = forest_posterior(seed, 40)
        train, test = random_split(np.random.default_rng(seed), 40, 60, 25)
        assert_scores(q, q.distances(np.arange(40)), train, test, k)

    @pytest.mark.parametrize("values", [1, 2, 4])  # with one value all distances are equal
    @pytest.mark.parametrize("n", [8, 32, 64])
    def test_ties(self, n, values):
        rng = np.random.default_rng(n + values)
        q, distances = tied_posterior(rng, n, values=values)
        assert len(np.unique(distances)) < n * (n - 1) / 2  # fewer values than pairs
        train, test = random_split(rng, n, n, n // 2)
        assert_scores(q, distances, train, test)

    @given(st.data())
    @settings(max_examples=40, deadline=None)
    def test_any_ties_and_any_links(self, data):
        n = 8
        places = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
        pairs = [(i, j) for i in range(n) for j in range(i)]
        kinds = data.draw(st.lists(st.sampled_from("-rt"), min_size=len(pairs), max_size=len(pairs)))
        kinds[0], kinds[1] = "r", "t"  # at least one of each
        train = Graph(n, [p for p, kind in zip(pairs, kinds, strict=True) if kind == "r"])
        test = Graph(n, [p for p, kind in zip(pairs, kinds, strict=True) if kind == "t"])
        mean = np.array(places, dtype=float)[:, None]
        assert_scores(Posterior(mean, np.ones((n, 1))), (mean - mean.T) ** 2 + 2, train, test, k=2)

    def test_many_blocks(self, monkeypatch):
        monkeypatch.setattr("acvae.gaussian.distance_matrix.BLOCK_BYTES", 1)  # blocks of the smallest size
        q = forest_posterior(5, 90)
        train, test = random_split(np.random.default_rng(5), 90, 200, 60)
        assert_scores(q, q.distances(np.arange(90)), train, test)


class TestByHand:
    """Four vertices on a line at 0, 1, 3, 4: from 0 the others are met in the order 1, 2, 3."""

    q = Posterior([[0.0], [1.0], [3.0], [4.0]], np.ones((4, 1)))

    def test_scores(self):
        train, test = Graph(4, [[0, 1]]), Graph(4, [[0, 2], [0, 3]])
        scores = metrics.evaluate(self.q, train, test, k=1)
        assert scores.ncrr.train == 1
        assert scores.ncrr.test == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)
        assert scores.mrr.test == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)
        assert scores.hits.test == pytest.approx(1 / 3)
        # Random order: vertex 0 has both its candidates as links; 2 and 3 have one link among three.
        third = (1 + 1 / 2 + 1 / 3) / 3
        assert scores.ncrr.random == pytest.approx((1 + third + third) / 3)
        assert scores.mrr.random == pytest.approx((1 + third + third) / 3)
        assert scores.hits.random == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)


class TestRandomRanking:
    def test_against_monte_carlo(self):
        rng = np.random.default_rng(0)
        train, test = random_split(rng, 16, 20, 24)
        q = forest_posterior(0, 16)
        k, draws = 3, []
        for _ in range(400):
            order = rng.random((16, 16))  # an independent random order for every vertex
            _, ranks = oracles.link_ranks(order, train, test)
            draws.append((oracles.ncrr(ranks), oracles.mrr(ranks), oracles.hits(ranks, k)))
        draws = np.array(draws)
        error = draws.std(axis=0) / np.sqrt(len(draws))
        scores = metrics.evaluate(q, train, test, k=k)
        exact = np.array([scores.ncrr.random, scores.mrr.random, scores.hits.random])
        assert (np.abs(draws.mean(axis=0) - exact) <= 5 * error).all()

    def test_large_counts(self):
        # One link among N candidates: E[1/rank] = H(N)/N and P(rank ≤ k) = k/N.
        n = 3000
        q = Posterior(np.zeros((n, 1)), np.ones((n, 1)))
        scores = metrics.evaluate(q, Graph(n, []), Graph(n, [[0, 1]]), k=10)
        expected = (1 / np.arange(1, n)).sum() / (n - 1)
        assert scores.ncrr.random == pytest.approx(expected, rel=1e-12)
        assert scores.mrr.random == pytest.approx(expected, rel=1e-9)
        assert scores.hits.random == pytest.approx(10 / (n - 1), rel=1e-12)

    def test_k_beyond_all_candidates_is_a_sure_hit(self):
        q = forest_posterior(1, 20)
        train, test = random_split(np.random.default_rng(1), 20, 20, 10)
        score = metrics.hits_at(q, train, test, k=10**9)
        assert score == (1, 1, 1)


class TestAgainstPyTorchGeometric:
    @pytest.mark.parametrize("k", [1, 5, 10])
    def test_mrr_and_hits(self, k):
        n = 80
        q = forest_posterior(3, n)
        graph = Graph(n, oracles.random_graph_edges(np.random.default_rng(3), n, 200))
        split = split_edges(graph)
        queries = np.flatnonzero(split.test.degrees)
        ranking, _ = q.nearest(queries, n, exclude=split.train)
        # Places after the last candidate hold -1, which is no test neighbour.
        label = np.array(
            [(row, j) for row, i in enumerate(queries) for j in split.test.neighbors(i).tolist()]
        )
        scores = metrics.evaluate(q, split.train, split.test, k=k)
        for peer, depth, own in [
            ("LinkPredMRR", n, scores.mrr.test),
            ("LinkPredHitRatio", k, scores.hits.test),
        ]:
            if not hasattr(peers, peer):  # PyTorch Geometric has it from 2.7 on
                continue
            metric = getattr(peers, peer)(k=depth)
            metric.update(torch.from_numpy(ranking[:, :depth]), torch.from_numpy(label.T))
            assert float(metric.compute()) == pytest.approx(own, rel=1e-5)


class TestEdgeCases:
    def test_no_links_on_one_side(self):
        q = forest_posterior(0, 10)
        graph = Graph(10, [[0, 1], [2, 3]])
        nothing = Graph(10, [])
        scores = metrics.evaluate(q, graph, nothing)
        assert np.isnan([s.test for s in scores[:3]]).all()
        assert np.isnan([s.random for s in scores[:3]]).all()
        assert not np.isnan([s.train for s in scores[:3]]).any()
        scores = metrics.evaluate(q, nothing, graph)
        assert np.isnan([s.train for s in scores[:3]]).all()
        assert not np.isnan([s.test for s in scores[:3]]).any()

    def test_perfect_ranking(self):
        mean = np.repeat(np.arange(10.0) * 100, 2)[:, None]
        pairs = Graph(20, np.arange(20).reshape(-1, 2))
        # The rest of each pair is its nearest; with a spread of 0.1 no other pair comes near.
        q = Posterior(mean, np.full((20, 1), 0.1), dtype="float64")
        assert metrics.ncrr(q, pairs, Graph(20, [])).train == 1
        assert metrics.ncrr(q, Graph(20, []), pairs).test == 1

    def test_nothing_n_by_n_is_held(self):
        n = 6000
        rng = np.random.default_rng(0)
        q = forest_posterior(0, n, d=10, dtype="float32")
        edges = np.unique(np.sort(rng.integers(0, n, size=(30_000, 2)), axis=1), axis=0)
        split = split_edges(Graph(n, edges))
        assert oracles.peak_memory(lambda: metrics.ncrr(q, split.train, split.test)) < n**2 * 4 / 4


class TestBadInput:
    q = Posterior(np.zeros((4, 1)), np.ones((4, 1)))

    @pytest.mark.parametrize(
        ("train", "test", "telling"),
        [
            (Graph(5, []), Graph(4, []), "train graph has 5 vertices, the posterior 4"),
            (Graph(4, []), Graph(3, []), "test graph has 3 vertices, the posterior 4"),
            (Graph(4, [[0, 1]]), Graph(4, [[1, 0]]), "test edges are train edges too"),
            ([[0, 1]], Graph(4, []), "train links must be an acvae.Graph, not list"),
        ],
    )
    def test_graphs(self, train, test, telling):
        for metric in (metrics.ncrr, metrics.mrr, metrics.hits_at, metrics.evaluate):
            with pytest.raises(GraphError, match=telling):
                metric(self.q, train, test)

    @pytest.mark.parametrize("k", [0, -1, 2.5, "ten", True])
    def test_k(self, k):
        for metric in (metrics.hits_at, metrics.evaluate):
            with pytest.raises(OptionError, match="k must be a whole number of at least 1, not"):
                metric(self.q, Graph(4, []), Graph(4, []), k=k)
