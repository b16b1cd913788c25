"""Pairs without an edge, under every joint: against a posterior that never had it."""

import numpy as np
import pytest

from acvae import Graph, Posterior, spanning_tree_probabilities
from acvae.exceptions import PosteriorError
from acvae.gaussian.graph.joint import GraphJoint
from acvae.gaussian.graph.scales import ScalesJoint
from acvae.gaussian.left_out import find_links, pairs_left_out
from acvae.gaussian.pairwise import PairwiseMarginals

N, D = 24, 3


def random_graph(rng):
    """With bridges, vertices of degree one and several components."""
    pairs = np.concatenate([rng.integers(0, 12, (18, 2)), [(12, 13), (13, 14), (12, 14), (14, 15), (16, 17)]])
    pairs = np.sort(pairs, axis=1)
    return Graph(N, np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0))


def marginals(rng):
    return rng.standard_normal((N, D)), rng.uniform(0.3, 2, (N, D))


def queries(graph, rng):
    ends = np.concatenate([graph.edges, graph.edges[:, ::-1], [(0, 20), (3, 3)]])
    return ends, rng.integers(0, N, (len(ends), 7))


def compare(posterior, without, ends, candidates):
    """`without(pair)` is the posterior that has everything but this edge."""
    left = pairs_left_out(posterior.joint, ends, candidates, posterior.mean, posterior.std)
    for q, (i, j) in enumerate(ends):
        other = without(tuple(sorted((int(i), int(j)))))
        rho = other.pair_correlation(i, candidates[q])
        np.testing.assert_allclose(left.correlation[q], rho, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(left.mean[q], other.mean[i], rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(left.std[q], other.std[i], rtol=1e-8)
        np.testing.assert_allclose(left.other_mean[q], other.mean[candidates[q]], rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(left.other_std[q], other.std[candidates[q]], rtol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_a_forest_falls_in_two(seed):
    rng = np.random.default_rng(seed)
    edges = np.array([(int(rng.integers(0, v)), v) for v in range(1, 20) if v % 7])
    rho, (mean, std) = rng.uniform(-0.9, 0.95, (len(edges), D)), marginals(rng)
    posterior = Posterior(mean, std, edges, rho, dtype="float64")

    def without(pair):
        kept = (np.sort(edges, axis=1) != pair).any(axis=1)
        return Posterior(mean, std, edges[kept], rho[kept], dtype="float64")

    ends, candidates = queries(Graph(N, np.sort(edges, axis=1)), rng)
    compare(posterior, without, ends, candidates)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_a_graph_by_a_rank_two_update(seed, known):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng)
    rho, (mean, std) = rng.uniform(-0.9, 0.95, (graph.n_edges, D)), marginals(rng)
    weights = spanning_tree_probabilities(graph)
    posterior = Posterior.on_graph(mean, std, graph, rho, weights, dtype="float64")
    if not known:  # as in files that do not tell the weights
        joint = posterior.joint
        own = GraphJoint(joint.links, joint.off_diagonal, joint.diagonal)
        posterior = Posterior.from_correlations(mean, std, own, dtype="float64")

    def without(pair):
        kept = (graph.edges != pair).any(axis=1)
        joint = GraphJoint.of_forests(N, graph.edges[kept], rho[kept], weights[kept])
        return Posterior.from_correlations(mean, std, joint, dtype="float64")

    compare(posterior, without, *queries(graph, rng))


@pytest.mark.parametrize("seed", range(2))
def test_scales_by_a_rank_one_update_and_means_follow(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng)
    strength, diagonal = rng.uniform(0.1, 3, (2, graph.n_edges)), rng.uniform(1, 2, (2, N))
    group, pull = np.array([0, 1, 0]), rng.standard_normal((N, D))

    def made(kept):
        joint = ScalesJoint(graph.edges[kept], strength[:, kept], diagonal, group)
        mean = np.stack([joint.gaussians[g].solve(pull[:, [k]])[:, 0] for k, g in enumerate(group)], axis=1)
        return Posterior.from_correlations(mean, joint.std, joint, dtype="float64")

    everything = np.ones(graph.n_edges, dtype=bool)
    compare(made(everything), lambda p: made((graph.edges != p).any(axis=1)), *queries(graph, rng))


def test_rows_that_are_known_in_part_are_refused():
    graph = random_graph(np.random.default_rng(0))
    ones = np.ones((1, graph.n_edges)), np.ones((1, N))
    joint = ScalesJoint(graph.edges, *ones, np.zeros(D, dtype=int), solver="local")
    ends, candidates = queries(graph, np.random.default_rng(1))
    with pytest.raises(PosteriorError, match="fit with solver='exact', or ask GraphGaussian's own links_"):
        pairs_left_out(joint, ends, candidates, np.zeros((N, D)), joint.std)


def test_what_holds_no_edge_stays():
    rng = np.random.default_rng(0)
    mean, std = marginals(rng)
    network = PairwiseMarginals(*rng.standard_normal((2, N, 5)), rng.standard_normal((5, D)), np.zeros(D))
    posterior = Posterior.from_correlations(mean, std, network, dtype="float64")
    compare(posterior, lambda pair: posterior, *queries(random_graph(rng), rng))


def test_links_are_found_in_either_order_and_in_any_order():
    links = np.array([(3, 4), (0, 2), (0, 1)])
    found = find_links(links, 5, np.array([(1, 0), (4, 3), (2, 0), (1, 2), (4, 4)]))
    np.testing.assert_array_equal(found, [2, 0, 1, -1, -1])
    np.testing.assert_array_equal(find_links(np.empty((0, 2), dtype=np.int64), 5, links), [-1, -1, -1])


def test_weights_are_stored_and_belief_in_them_is_checked():
    rng = np.random.default_rng(1)
    graph = random_graph(rng)
    mean, std = marginals(rng)
    posterior = Posterior.on_graph(mean, std, graph, np.full((graph.n_edges, D), 0.5))
    arrays = posterior.joint.pack()
    np.testing.assert_array_equal(GraphJoint.unpack(arrays, N, D).weights, posterior.joint.weights)
    for wrong in (arrays["weights"][1:], -arrays["weights"], arrays["weights"] * np.nan):
        with pytest.raises(ValueError, match="weights"):
            GraphJoint.unpack(arrays | {"weights": wrong}, N, D)
    assert posterior.condition({0: np.zeros(D)}).joint.weights is not None
