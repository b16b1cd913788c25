"""The joint on a whole graph, against the sum over all of its spanning forests and dense Gaussians."""

import copy
import pickle

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import oracles
from acvae import Graph, Posterior, cluster, metrics, spanning_tree_probabilities
from acvae.exceptions import PosteriorError
from acvae.gaussian.graph import joint as module

D = 3


def parts(n, m, seed=0):
    rng = np.random.default_rng(seed)
    graph = Graph(n, oracles.random_graph_edges(rng, n, m))
    rho = oracles.random_correlations(rng, graph.n_edges, D)
    return rng.normal(size=(n, D)), rng.uniform(0.2, 2, size=(n, D)), graph, rho


def make(n=30, m=60, seed=0, dtype="float64"):
    mean, std, graph, rho = parts(n, m, seed)
    return Posterior.on_graph(mean, std, graph, rho, dtype=dtype), graph, rho


def scaled(covariance):
    std = np.sqrt(covariance.diagonal())
    return covariance / np.outer(std, std)


def dense_correlation(graph, rho, weights):
    """(n, n, d) from the dense precision I + Σ w·K, written entry by entry."""
    planes = []
    for k in range(rho.shape[1]):
        precision = np.eye(graph.n_vertices)
        for (u, v), r, w in zip(graph.edges, rho[:, k], weights, strict=True):
            precision[[u, v], [u, v]] += w * r**2 / (1 - r**2)
            precision[[u, v], [v, u]] -= w * r / (1 - r**2)
        planes.append(scaled(np.linalg.inv(precision)))
    return np.stack(planes, axis=2)


def dense_gaussian(q, graph, rho, weights):
    """Mean (n·d,) and covariance of the joint, dimension after dimension."""
    correlation = dense_correlation(graph, rho, weights)
    n = q.n_vertices
    covariance = np.zeros((n * D, n * D))
    for k in range(D):
        part = slice(k * n, (k + 1) * n)
        covariance[part, part] = correlation[:, :, k] * np.outer(q.std[:, k], q.std[:, k])
    return q.mean.T.ravel(), covariance


@pytest.mark.parametrize(("n", "m"), [(2, 1), (5, 8), (6, 15), (7, 9)])
def test_it_is_the_mean_over_all_spanning_forests(n, m):
    q, graph, rho = make(n, m, seed=n)
    forests = oracles.all_spanning_forests(n, graph.edges.tolist())
    for k in range(D):
        total = sum(oracles.dense_precision(n, graph.edges[list(f)], rho[list(f), k]) for f in forests) / len(
            forests
        )
        i, j = np.indices((n, n))
        expected = scaled(np.linalg.inv(total.astype(np.float64)))
        np.testing.assert_allclose(q.pair_correlation(i, j)[:, :, k], expected, atol=1e-9)


@pytest.mark.parametrize(("n", "m"), [(30, 60), (80, 900), (90, 60), (300, 500)])
def test_correlations_and_distances(n, m):
    q, graph, rho = make(n, m)
    correlation = dense_correlation(graph, rho, spanning_tree_probabilities(graph))
    i, j = np.indices((n, n))
    np.testing.assert_allclose(q.pair_correlation(i, j), correlation, atol=1e-9)
    distance = oracles.dense_distances(q.mean, q.std, correlation)
    np.testing.assert_allclose(q.distances(np.arange(n)), distance, atol=1e-8)
    np.testing.assert_allclose(q.pair_distance(i, j), distance, atol=1e-8)
    u, v = graph.edges.T
    np.testing.assert_allclose(q.joint.along_links(), correlation[u, v], atol=1e-9)


def test_weights_of_zeros_and_ones_are_a_forest():
    rng = np.random.default_rng(2)
    mean, std, graph, rho = parts(40, 100)
    keep = np.zeros(graph.n_edges)
    seen = []
    for e in rng.permutation(graph.n_edges).tolist():
        if oracles.count_components(40, [*seen, graph.edges[e]]) < oracles.count_components(40, seen):
            seen.append(graph.edges[e])
            keep[e] = 1
    forest = keep > 0
    q = Posterior.on_graph(mean, std, graph, rho, keep, dtype="float64")
    p = Posterior(mean, std, graph.edges[forest], rho[forest], dtype="float64")
    rows = np.arange(40)
    np.testing.assert_allclose(q.distances(rows), p.distances(rows), atol=1e-9)
    assert q.entropy() == pytest.approx(p.entropy(), abs=1e-9)
    z = p.sample(4, seed=1)
    np.testing.assert_allclose(q.log_prob(z), p.log_prob(z), atol=1e-8)
    assert q.kl_divergence(p) == pytest.approx(0, abs=1e-8)
    assert p.kl_divergence(q) == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("block_rows", [1, 7, 30, 64])
def test_blocks_of_rows(block_rows):
    q, *_ = make(50, 90)
    rows = np.random.default_rng(0).permutation(50)[:33]
    whole = q.distances(np.arange(50))
    seen = []
    for at, columns, block in q.distance_blocks(rows, block_rows):
        np.testing.assert_allclose(block, whole[np.ix_(at, columns)], atol=1e-12)
        seen += at.tolist()
    assert sorted(seen) == sorted(rows.tolist())
    parts = np.concatenate([q.part_of_rows(rows, part, 3) for part in range(3)])
    assert sorted(parts.tolist()) == sorted(rows.tolist())


def test_more_rows_than_are_solved_for_at_once(monkeypatch):
    monkeypatch.setattr("acvae.gaussian.graph.distances.PANEL", 8)
    monkeypatch.setattr(module, "ROWS_AT_A_TIME", 8)
    q, graph, rho = make(45, 120)
    correlation = dense_correlation(graph, rho, spanning_tree_probabilities(graph))
    expected = oracles.dense_distances(q.mean, q.std, correlation)
    np.testing.assert_allclose(q.distances(np.arange(45)), expected, atol=1e-8)
    i, j = np.random.default_rng(0).integers(0, 45, (2, 500))
    np.testing.assert_allclose(q.pair_correlation(i, j), correlation[i, j], atol=1e-9)
    for at, columns, block in q.distance_blocks(np.arange(45), 20):
        np.testing.assert_allclose(block, expected[np.ix_(at, columns)], atol=1e-8)


def test_either_end_may_be_the_one_that_repeats():
    q, graph, rho = make(30, 60)
    correlation = dense_correlation(graph, rho, spanning_tree_probabilities(graph))
    everyone = np.arange(30)
    np.testing.assert_allclose(q.pair_correlation(4, everyone), correlation[4], atol=1e-9)
    np.testing.assert_allclose(q.pair_correlation(everyone, 4), correlation[4], atol=1e-9)
    assert q.pair_correlation([], []).shape == (0, D)


def test_correlations_next_to_one_are_kept_apart_from_it():
    n = 40
    path = Graph(n, [(i, i + 1) for i in range(n - 1)])
    q = Posterior.on_graph(
        np.zeros((n, 1)), np.ones((n, 1)), path, np.full((n - 1, 1), np.nextafter(1, 0)), dtype="float64"
    )
    np.testing.assert_allclose(q.pair_correlation(0, n - 1), 1 - (n - 1) * 1e-9, atol=1e-11)
    assert abs(q.kl_divergence(q)) < 1e-4


def test_copies_leave_out_what_can_be_computed_again():
    q, *_ = make(60, 400)
    before = len(pickle.dumps(q))
    row = q.distances([3])
    assert len(pickle.dumps(q)) == before
    np.testing.assert_array_equal(copy.deepcopy(q).distances([3]), row)


def test_float32():
    exact, *_ = make(60, 150)
    q, *_ = make(60, 150, dtype="float32")
    rows = np.arange(60)
    assert q.distances(rows).dtype == np.float32
    np.testing.assert_allclose(q.distances(rows), exact.distances(rows), rtol=1e-5, atol=1e-5)
    assert q.sample(2).dtype == np.float32


class TestTheJoint:
    def test_density_and_entropy(self):
        q, graph, rho = make(12, 25)
        mean, covariance = dense_gaussian(q, graph, rho, spanning_tree_probabilities(graph))
        normal = multivariate_normal(mean, covariance)
        z = np.random.default_rng(0).normal(size=(5, 12, D))
        flat = z.transpose(0, 2, 1).reshape(5, -1)
        np.testing.assert_allclose(q.log_prob(z), normal.logpdf(flat), rtol=1e-9)
        assert q.entropy() == pytest.approx(normal.entropy(), abs=1e-8)

    def test_samples_have_the_covariance(self):
        q, graph, rho = make(6, 10)
        mean, covariance = dense_gaussian(q, graph, rho, spanning_tree_probabilities(graph))
        z = q.sample(200_000, seed=3).transpose(0, 2, 1).reshape(200_000, -1)
        np.testing.assert_allclose(z.mean(axis=0), mean, atol=0.03)
        np.testing.assert_allclose(np.cov(z.T), covariance, atol=0.06)
        np.testing.assert_array_equal(q.sample(3, seed=3), q.sample(3, seed=3))

    @pytest.mark.parametrize("other_is", ["graph", "forest"])
    def test_divergence(self, other_is):
        q, graph, rho = make(10, 20, seed=1)
        w = spanning_tree_probabilities(graph)
        if other_is == "graph":
            p, other, other_rho = make(10, 14, seed=2)
            other_w = spanning_tree_probabilities(other)
        else:
            rng = np.random.default_rng(5)
            mean, std, _, _ = parts(10, 9, seed=2)
            other = Graph(10, oracles.forest_edges("random", 10, rng))
            other_rho = oracles.random_correlations(rng, other.n_edges, D)
            other_w = np.ones(other.n_edges)
            p = Posterior(mean, std, other.edges, other_rho, dtype="float64")
        mean_q, cov_q = dense_gaussian(q, graph, rho, w)
        mean_p, cov_p = dense_gaussian(p, other, other_rho, other_w)

        def kl(m0, c0, m1, c1):
            inverse = np.linalg.inv(c1)
            logs = np.linalg.slogdet(c1)[1] - np.linalg.slogdet(c0)[1]
            return 0.5 * (np.trace(inverse @ c0) + (m1 - m0) @ inverse @ (m1 - m0) - len(m0) + logs)

        assert q.kl_divergence(p) == pytest.approx(kl(mean_q, cov_q, mean_p, cov_p), rel=1e-8)
        assert p.kl_divergence(q) == pytest.approx(kl(mean_p, cov_p, mean_q, cov_q), rel=1e-8)
        assert q.kl_divergence(q) == pytest.approx(0, abs=1e-9)

    def test_conditioning(self):
        q, graph, rho = make(14, 30)
        mean, covariance = dense_gaussian(q, graph, rho, spanning_tree_probabilities(graph))
        rng = np.random.default_rng(0)
        seen = {3: rng.normal(size=D), 7: rng.normal(size=D), 12: rng.normal(size=D)}
        found = q.condition(seen)
        known = np.concatenate([np.array(list(seen)) + k * 14 for k in range(D)])
        value = np.array(list(seen.values())).T.ravel()
        rest = np.setdiff1d(np.arange(14 * D), known)
        gain = covariance[np.ix_(rest, known)] @ np.linalg.inv(covariance[np.ix_(known, known)])
        left_mean = mean[rest] + gain @ (value - mean[known])
        left = covariance[np.ix_(rest, rest)] - gain @ covariance[np.ix_(known, rest)]
        assert found.original_ids.tolist() == [v for v in range(14) if v not in seen]
        np.testing.assert_allclose(found.mean.T.ravel(), left_mean, atol=1e-8)
        np.testing.assert_allclose(found.std.T.ravel(), np.sqrt(left.diagonal()), atol=1e-8)
        i, j = np.indices((11, 11))
        for k in range(D):
            part = slice(k * 11, (k + 1) * 11)
            np.testing.assert_allclose(
                found.pair_correlation(i, j)[:, :, k], scaled(left[part, part]), atol=1e-8
            )
        z = rng.normal(size=(14, D))
        z[list(seen)] = list(seen.values())
        others = [v for v in range(14) if v not in seen]
        marginal = multivariate_normal(mean[known], covariance[np.ix_(known, known)]).logpdf(value)
        assert found.log_prob(z[others]) == pytest.approx(q.log_prob(z) - marginal, abs=1e-7)

    def test_nothing_and_everything_observed(self):
        q, *_ = make(8, 12)
        np.testing.assert_allclose(q.condition({}).distances([0]), q.distances([0]), atol=1e-9)
        assert q.condition({v: q.mean[v] for v in range(8)}).n_vertices == 0


def test_scores_and_clusters_work_on_it():
    q, graph, _ = make(40, 80)
    train, test = graph.with_edges(np.arange(60)), graph.with_edges(np.arange(60, 80))
    distance = q.distances(np.arange(40))
    _, ranks = oracles.link_ranks(distance, train, test)
    assert metrics.ncrr(q, train, test).test == pytest.approx(oracles.ncrr(ranks))
    assert set(cluster(q, k=4).tolist()) == {0, 1, 2, 3}
    ids, near = q.nearest([5], k=3)
    others = np.delete(np.arange(40), 5)
    order = others[np.argsort(distance[5, others], kind="stable")][:3]
    assert ids[0].tolist() == order.tolist()
    np.testing.assert_allclose(near[0], distance[5, order])


def test_what_it_says_of_itself():
    q, *_ = make(9, 12)
    assert q.has_joint
    assert not q.has_forest
    with pytest.raises(PosteriorError, match="no forest: this posterior has 12 edges of a graph"):
        q.forest  # noqa: B018
    assert repr(q) == "Posterior(n_vertices=9, latent_dim=3, 12 edges of a graph)"
    with pytest.raises(PosteriorError, match="to_torch needs a joint on a forest"):
        q.to_torch()


class TestBadInput:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"graph": "edges"}, "on_graph needs an acvae.Graph, not str"),
            ({"graph": Graph(4, [(0, 1)])}, "the graph has 4 vertices, but mean has 5 rows"),
            ({"correlation": np.zeros((2, D))}, r"correlation must have shape \(4, 3\), got \(2, 3\)"),
            ({"correlation": np.ones((4, D))}, "strictly between -1 and 1, but edge 0 has 1.0"),
            ({"weights": [0.5]}, r"weights must be 4 numbers, one per edge, got float64 \(1,\)"),
            ({"weights": [0, 0.5, 1.5, 1]}, "weights must lie in 0…1, but edge 2 has 1.5"),
            ({"weights": [0, np.nan, 1, 1]}, "weights must lie in 0…1, but edge 1 has nan"),
            ({"weights": ["a"] * 4}, "weights must be 4 numbers"),
        ],
    )
    def test_messages(self, change, message):
        given = {
            "mean": np.zeros((5, D)),
            "std": np.ones((5, D)),
            "graph": Graph(5, [(0, 1), (1, 2), (0, 2), (3, 4)]),
            "correlation": np.full((4, D), 0.5),
        }
        with pytest.raises(PosteriorError, match=message):
            Posterior.on_graph(**{**given, **change})

    def test_weights_that_sum_to_more_than_a_forest_has(self):
        complete = Graph(6, [(i, j) for i in range(6) for j in range(i)])
        with pytest.raises(PosteriorError, match=r"weights sum to 15, but a spanning forest .* has 5 edges"):
            Posterior.on_graph(
                np.zeros((6, 1)), np.ones((6, 1)), complete, np.full((15, 1), 0.9), np.ones(15)
            )

    def test_weights_that_are_no_probabilities_of_forests(self):
        inside = [(i, j) for i in range(6) for j in range(i)]
        graph = Graph(40, inside + [(i, i + 1) for i in range(5, 39)])
        weights = (graph.edges < 6).all(axis=1).astype(float)  # all in the clique, none on the path
        q = Posterior.on_graph(
            np.zeros((40, 1)), np.ones((40, 1)), graph, np.full((graph.n_edges, 1), 0.9), weights
        )
        with pytest.raises(PosteriorError, match="Weights must be probabilities of the edges"):
            q.distances([0])

    def test_a_missing_correlation(self):
        with pytest.raises(PosteriorError, match=r"correlation must have shape \(1, 2\), and is missing"):
            Posterior.on_graph(np.zeros((2, 2)), np.ones((2, 2)), Graph(2, [(0, 1)]), None)

    def test_too_large_a_core(self, monkeypatch):
        q, *_ = make(40, 300)
        monkeypatch.setattr("acvae.forests.elimination.order.available_memory", lambda: 1000)
        with pytest.raises(PosteriorError, match=r"its dense core has .* vertices\. Use fewer dimensions"):
            q.sample()

    def test_no_edges(self):
        q = Posterior.on_graph(np.zeros((3, 2)), np.ones((3, 2)), Graph(3, []), np.empty((0, 2)))
        np.testing.assert_allclose(q.distances([0]), [[0, 4, 4]])
        assert q.log_prob(np.zeros((3, 2))) == pytest.approx(-3 * np.log(2 * np.pi))
