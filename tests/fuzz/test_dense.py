"""Small cases, with the dense Gaussian as the judge: every query of every joint against an inverse."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import acvae
import oracles
from acvae.exceptions import PosteriorError
from acvae.gaussian import PairwiseMarginals
from acvae.gaussian.graph.scales import ScalesJoint
from fuzz.outcomes import counts, share

KINDS = ("forest", "graph", "scales", "pairwise")


def _scaled(precision):
    """The correlation of a dense precision."""
    covariance = oracles.invert(np.asarray(precision, dtype=np.longdouble))
    std = np.sqrt(covariance.diagonal())
    return (covariance / np.outer(std, std)).astype(np.float64)


def _on_forest(draw, rng, n, d):
    shape = draw(st.sampled_from(oracles.SHAPES))
    edges = oracles.forest_edges(shape, n, rng)
    rho = oracles.random_correlations(rng, len(edges), d, nasty=0.3 * draw(st.booleans()))
    mean, std = rng.normal(size=(n, d)), np.exp(rng.uniform(-3, 3, (n, d)))
    return acvae.Posterior(mean, std, edges, rho, dtype="float64"), [
        oracles.dense_precision(n, edges, rho[:, k]) for k in range(d)
    ]


def _small_graph(draw, rng, n):
    m = draw(st.integers(0, 12))
    return acvae.Graph(n, oracles.random_graph_edges(rng, n, m) if m else [])


def _on_graph(draw, rng, n, d):
    graph = _small_graph(draw, rng, n)
    rho = oracles.random_correlations(rng, graph.n_edges, d)
    mean, std = rng.normal(size=(n, d)), np.exp(rng.uniform(-3, 3, (n, d)))
    weights = acvae.spanning_tree_probabilities(graph)
    precisions = []
    for k in range(d):
        own = np.eye(n)
        for edge, r, w in zip(graph.edges, rho[:, k : k + 1], weights, strict=True):
            own += w * (oracles.dense_precision(n, [edge], r).astype(np.float64) - np.eye(n))
        precisions.append(own)
    return acvae.Posterior.on_graph(mean, std, graph, rho, dtype="float64"), precisions


def _on_scales(draw, rng, n, d):
    graph = _small_graph(draw, rng, n)
    scales = draw(st.integers(1, 3))
    group = rng.integers(0, scales, d)
    strength, diagonal = rng.uniform(0.01, 20, (scales, graph.n_edges)), rng.uniform(0.5, 3, (scales, n))
    joint = ScalesJoint(graph.edges, strength, diagonal, group)
    planes = []
    for a, h in zip(strength, diagonal, strict=True):
        own = np.diag(h)
        for (u, v), s in zip(graph.edges, a, strict=True):
            own[[u, v], [u, v]] += s
            own[[u, v], [v, u]] -= s
        planes.append(own)
    q = acvae.Posterior.from_correlations(rng.normal(size=(n, d)), joint.std, joint, dtype="float64")
    return q, [planes[g] for g in group]


@st.composite
def small_joints(draw):
    """A posterior in double precision, the dense correlation (n, n, d) of its vertices, random numbers."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 3))
    q, precisions = draw(st.sampled_from([_on_forest, _on_graph, _on_scales]))(draw, rng, n, d)
    return q, np.stack([_scaled(p) for p in precisions], axis=2), rng


def _covariances(q, correlation):
    return [correlation[:, :, k] * np.outer(q.std[:, k], q.std[:, k]) for k in range(q.latent_dim)]


@share(0.08)
@given(small_joints())
def test_pairs_rows_and_neighbours(case):
    counts["judged"] += 1
    q, correlation, rng = case
    n = q.n_vertices
    i, j = np.indices((n, n))
    np.testing.assert_allclose(q.pair_correlation(i, j), correlation, atol=1e-9)
    expected = oracles.dense_distances(q.mean, q.std, correlation)
    scale = expected.max()
    np.testing.assert_allclose(q.pair_distance(i, j), expected, atol=1e-9 * scale)
    rows = rng.integers(0, n, 5)
    np.testing.assert_allclose(q.distances(rows), expected[rows], atol=1e-9 * scale)
    ids, found = q.nearest(rows, k=2)
    for row, own, nearest in zip(rows, ids, found, strict=True):
        others = np.sort(np.delete(expected[row], row))[:2]
        np.testing.assert_allclose(nearest[: len(others)], others, atol=1e-9 * scale)
        assert row not in own
    linkage = acvae.clustering.linkage(q)
    assert np.isfinite(linkage).all()
    assert (np.diff(linkage[:, 2]) >= -1e-9 * scale).all()


@share(0.08)
@given(small_joints())
def test_density_entropy_divergence_and_draws(case):
    counts["judged"] += 1
    q, correlation, rng = case
    n, d = q.mean.shape
    covariance = _covariances(q, correlation)
    z = q.mean + q.std * rng.normal(size=(2, n, d))
    expected = np.zeros(2)
    entropy = 0.0
    for k, c in enumerate(covariance):
        precision = oracles.invert(c.astype(np.longdouble)).astype(np.float64)
        log_determinant = -_log_determinant(correlation[:, :, k]) - 2 * np.log(q.std[:, k]).sum()
        gap = z[:, :, k] - q.mean[:, k]
        expected += 0.5 * (
            log_determinant - n * np.log(2 * np.pi) - np.einsum("si,ij,sj->s", gap, precision, gap)
        )
        entropy += 0.5 * (n * (1 + np.log(2 * np.pi)) - log_determinant)
    np.testing.assert_allclose(q.log_prob(z), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(q.entropy(), entropy, rtol=1e-6, atol=1e-6)
    assert abs(q.kl_divergence(q)) < 1e-6
    assert np.isfinite(q.sample(3, seed=1)).all()


def _log_determinant(matrix):
    sign, value = np.linalg.slogdet(matrix)
    assert sign > 0
    return value


@share(0.08)
@given(small_joints())
def test_conditioning(case):
    counts["judged"] += 1
    q, correlation, rng = case
    n, d = q.mean.shape
    known = rng.permutation(n)[: rng.integers(1, n)]
    kept = np.setdiff1d(np.arange(n), known)
    values = q.mean[known] + q.std[known] * rng.normal(size=(len(known), d))
    left = q.condition(dict(zip(known.tolist(), values, strict=True)))
    np.testing.assert_array_equal(left.original_ids, kept)
    for k in range(d):
        own = correlation[:, :, k].astype(np.longdouble)
        gain = own[np.ix_(kept, known)] @ oracles.invert(own[np.ix_(known, known)])
        mean = gain @ ((values - q.mean[known]) / q.std[known])[:, k]
        spread = np.sqrt((own[np.ix_(kept, kept)] - gain @ own[np.ix_(known, kept)]).diagonal())
        standard = (left.mean[:, k] - q.mean[kept, k]) / q.std[kept, k]
        np.testing.assert_allclose(standard, mean.astype(float), atol=1e-5, rtol=1e-5)
        np.testing.assert_allclose(left.std[:, k] / q.std[kept, k], spread.astype(float), rtol=1e-4)


@share(0.02)
@given(st.integers(0, 2**32), st.integers(2, 7), st.integers(1, 3))
def test_pair_networks(seed, n, d):
    """Pair by pair, as the network says; there is no joint, and what needs one is refused."""
    counts["judged"] += 1
    rng = np.random.default_rng(seed)
    net = PairwiseMarginals(*(rng.normal(size=shape) for shape in ((n, 4), (n, 4), (4, d), (d,))))
    q = acvae.Posterior.from_correlations(
        rng.normal(size=(n, d)), rng.uniform(0.1, 2, (n, d)), net, dtype="float64"
    )
    assert len(q.part_of_rows([], 1, 2)) == 0
    expected = np.ones((n, n, d))
    for i in range(n):
        for j in range(n):
            if i != j:
                one = np.maximum(net.first[i] + net.second[j], 0) @ net.weight + net.bias
                other = np.maximum(net.first[j] + net.second[i], 0) @ net.weight + net.bias
                expected[i, j] = (1 - 1e-6) * np.tanh((one + other) / 4)
    i, j = np.indices((n, n))
    np.testing.assert_allclose(q.pair_correlation(i, j), expected, atol=1e-9)
    np.testing.assert_allclose(
        q.distances(np.arange(n)), oracles.dense_distances(q.mean, q.std, expected), atol=1e-8
    )
    for ask in (lambda: q.log_prob(q.mean), q.sample, lambda: q.condition({0: q.mean[0]})):
        try:
            ask()
        except PosteriorError:
            continue
        raise AssertionError("answered without a joint")
