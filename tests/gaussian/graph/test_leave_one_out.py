"""Without an edge: against the precision made anew without it, and inverted."""

import numpy as np
import pytest

from acvae.exceptions import PosteriorError
from acvae.gaussian.graph.laplacian import LaplacianGaussian
from acvae.gaussian.graph.leave_one_out import (
    CandidatesLeftOut,
    edge_energy,
    held_out_evidence,
    laplacian_blocks,
    leave_out,
    without_rounding,
)

CLOSE = {"rtol": 1e-8, "atol": 1e-12}


def random_graph(seed):
    """Two components, a cycle with chords, bridges, leaves, and an isolated vertex."""
    rng = np.random.default_rng(seed)
    edges = {(k, (k + 1) % 6) if k < 5 else (0, 5) for k in range(6)} | {(0, 3), (1, 4)}
    edges |= {(5, 6), (6, 7), (7, 8), (7, 9)}  # bridges and leaves
    edges |= {(10, 11), (11, 12), (10, 12), (12, 13)}  # another component; 14 is alone
    edges = np.array(sorted(tuple(sorted(e)) for e in edges))
    return 15, edges, rng


def laplacian_precision(n, edges, strength, diagonal):
    precision = np.diag(diagonal).astype(float)
    for (i, j), a in zip(edges, strength, strict=True):
        precision[np.ix_([i, j], [i, j])] += a * np.array([[1, -1], [-1, 1]])
    return precision


def check(covariance, edges, block, force, precision_without):
    """Every edge left out, asked of both its ends and all vertices: against the graph that never had it."""
    mean, everything = covariance @ force, np.arange(len(covariance))
    ends = np.concatenate([edges, edges[:, ::-1]])
    candidates = np.tile(everything, (len(ends), 1))
    at, places = np.unique(ends, return_inverse=True)
    given = covariance[at], places.reshape(ends.shape), ends, candidates, covariance.diagonal()
    left = CandidatesLeftOut.of(*given, np.concatenate([block, block[:, ::-1, ::-1]]))
    own, others = left.means(mean, ends, candidates)
    for q, (i, _) in enumerate(ends):
        refit = np.linalg.inv(precision_without(q % len(edges)))
        np.testing.assert_allclose(left.between[q], refit[i], **CLOSE)
        np.testing.assert_allclose(left.own[q], refit[i, i], **CLOSE)
        np.testing.assert_allclose(left.other[q], refit.diagonal(), **CLOSE)
        np.testing.assert_allclose(own[q], refit[i] @ force, **CLOSE)
        np.testing.assert_allclose(others[q], refit @ force, **CLOSE)


@pytest.mark.parametrize("seed", range(4))
def test_laplacian_edges_against_refitting(seed):
    n, edges, rng = random_graph(seed)
    strength, diagonal = rng.uniform(0.1, 20, len(edges)), rng.uniform(0.5, 3, n)

    def without(e):
        keep = np.arange(len(edges)) != e
        return laplacian_precision(n, edges[keep], strength[keep], diagonal)

    covariance = LaplacianGaussian(diagonal, edges, strength).rows(np.arange(n))
    check(covariance, edges, laplacian_blocks(strength), rng.standard_normal((n, 3)), without)


@pytest.mark.parametrize("seed", range(4))
def test_correlation_edges_against_refitting(seed):
    n, edges, rng = random_graph(seed)
    rho, weight = rng.uniform(-0.9, 0.9, len(edges)), rng.uniform(0.05, 1, len(edges))

    def without(e):
        out = np.eye(n)
        for k, ((a, b), r, w) in enumerate(zip(edges, rho, weight, strict=True)):
            out[np.ix_([a, b], [a, b])] += (k != e) * w / (1 - r**2) * np.array([[r**2, -r], [-r, r**2]])
        return out

    beside = -weight * rho / (1 - rho**2)
    own = edge_energy(beside, weight)
    np.testing.assert_allclose(own, weight * rho**2 / (1 - rho**2), rtol=1e-12)
    block = np.stack([own, beside, beside, own], axis=-1).reshape(-1, 2, 2)
    check(np.linalg.inv(without(-1)), edges, block, rng.standard_normal((n, 2)), without)


def test_a_leaf_is_alone_without_its_edge():
    covariance = LaplacianGaussian(np.array([1.0, 2.0]), np.array([[0, 1]]), np.array([5.0])).rows(
        np.arange(2)
    )
    ends = np.array([[0, 1]])
    block = laplacian_blocks(np.array([5.0]))
    left = CandidatesLeftOut.of(covariance, ends, ends, ends, covariance.diagonal(), block)
    np.testing.assert_allclose(left.between, [[1.0, 0.0]], atol=1e-14)  # a few roundings of 1
    np.testing.assert_allclose(left.other, [[1.0, 0.5]])
    np.testing.assert_allclose(left.correlation, [[1.0, 0.0]], atol=1e-14)


def test_a_block_that_was_never_in_the_precision_is_refused():
    with pytest.raises(PosteriorError, match="positive definite"):
        leave_out(laplacian_blocks(np.array([3.0])), np.ones(1), np.ones(1), np.zeros(1))


def test_held_out_evidence_against_the_posterior_without_it():
    n, edges, rng = random_graph(7)
    strength, seen = rng.uniform(0.5, 3, len(edges)), rng.random(n) < 0.7
    precision = np.where(seen, rng.uniform(0.5, 4, n), 0.0)
    evidence = rng.standard_normal((n, 2))
    prior = laplacian_precision(n, edges, strength, np.ones(n))
    covariance = np.linalg.inv(prior + np.diag(precision))
    mean = covariance @ (precision[:, None] * evidence)
    got = held_out_evidence(mean, covariance.diagonal(), evidence, precision)
    for v in range(n):
        rest = np.where(np.arange(n) == v, 0.0, precision)
        without = np.linalg.inv(prior + np.diag(rest))
        expected = without[v] @ (rest[:, None] * evidence)
        np.testing.assert_allclose(got.mean[v], expected, **CLOSE)
        if not seen[v]:
            assert got.log_density[v] == 0
            continue
        spread = without[v, v] + 1 / precision[v]
        np.testing.assert_allclose(got.variance[v], spread, rtol=1e-8)
        density = -0.5 * ((evidence[v] - expected) ** 2 / spread + np.log(2 * np.pi * spread)).sum()
        np.testing.assert_allclose(got.log_density[v], density, rtol=1e-8)


def small_covariance():
    """Of six vertices, of which the last is alone."""
    edges = np.array([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)])
    return np.linalg.inv(laplacian_precision(6, edges, np.array([1.4, 1.0, 1.6, 2.0, 2.0]), np.ones(6)))


def test_where_nothing_is_taken_away_all_stays():
    whole = small_covariance()
    ends, candidates = np.array([[2, 2], [0, 5]]), np.array([[0, 4], [1, 3]])
    left = CandidatesLeftOut.of(
        whole[[2, 0, 5]],
        np.array([[0, 0], [1, 2]]),
        ends,
        candidates,
        whole.diagonal(),
        np.zeros((2, 2, 2)),
    )
    np.testing.assert_array_equal(left.own, whole.diagonal()[[2, 0]])
    np.testing.assert_array_equal(left.between, [whole[2, [0, 4]], whole[0, [1, 3]]])
    assert not left.pull.any()


def test_an_edge_that_was_not_there_cannot_be_taken():
    whole = small_covariance()
    with pytest.raises(PosteriorError, match="not positive definite"):
        CandidatesLeftOut.of(
            whole[[0, 5]],
            np.array([[0, 1]]),
            np.array([[0, 5]]),
            np.array([[1]]),
            whole.diagonal(),
            laplacian_blocks(np.array([50.0])),
        )


@pytest.mark.parametrize("rho", [0.5, -0.99, 1 - 1e-9, 1e-9])
@pytest.mark.parametrize("weight", [1.0, 1e-3])
def test_energy_from_what_is_beside_the_diagonal(rho, weight):
    left = (1 - rho) * (1 + rho)
    found = edge_energy(np.array([-weight * rho / left]), np.array([weight]))
    assert found[0] == pytest.approx(weight * rho**2 / left, rel=1e-6)


def test_an_edge_without_weight_has_no_energy_but_what_is_beside():
    assert edge_energy(np.array([0.0]), np.array([1.0])).tolist() == [0]
    assert edge_energy(np.array([-3.0]), np.array([0.0])).tolist() == [3]  # (√(4·o²) − 0)/2


def test_rounding_is_no_mean():
    before = np.array([[3.0, 4.0]] * 3)
    after = np.array([[3e-9, 4e-9], [3e-7, 0], [-3, 4]])
    assert without_rounding(after, before).tolist() == [[0, 0], [3e-7, 0], [-3, 4]]
