"""Without an edge: against the precision made anew without it, and inverted."""

import numpy as np
import pytest

from acvae.exceptions import PosteriorError
from acvae.gaussian.graph.laplacian import LaplacianGaussian
from acvae.gaussian.graph.leave_one_out import (
    EdgesLeftOut,
    correlation_blocks,
    degrees_without,
    held_out_evidence,
    laplacian_blocks,
    leave_out,
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


@pytest.mark.parametrize("seed", range(4))
def test_laplacian_edges_against_refitting(seed):
    n, edges, rng = random_graph(seed)
    strength, diagonal = rng.uniform(0.1, 20, len(edges)), rng.uniform(0.5, 3, n)
    force = rng.standard_normal((n, 3))
    gaussian = LaplacianGaussian(diagonal, edges, strength)
    i, j = edges.T
    left = EdgesLeftOut.of(
        i, j, gaussian.rows(i), gaussian.rows(j), gaussian.variance, laplacian_blocks(strength)
    )
    rows, others, diagonals = left.rows(), left.rows("j"), left.diagonals()
    means = left.means(gaussian.solve(force))
    first, second = rng.integers(0, n, (2, len(edges), 4))
    entries = left.entries(first, second, gaussian.rows(np.arange(n))[first, second])
    for e in range(len(edges)):
        keep = np.arange(len(edges)) != e
        refit = np.linalg.inv(laplacian_precision(n, edges[keep], strength[keep], diagonal))
        np.testing.assert_allclose(rows[e], refit[i[e]], **CLOSE)
        np.testing.assert_allclose(others[e], refit[j[e]], **CLOSE)
        np.testing.assert_allclose(diagonals[e], refit.diagonal(), **CLOSE)
        np.testing.assert_allclose(means[e], refit @ force, **CLOSE)
        np.testing.assert_allclose(entries[e], refit[first[e], second[e]], **CLOSE)


@pytest.mark.parametrize("seed", range(4))
def test_correlation_edges_against_refitting(seed):
    n, edges, rng = random_graph(seed)
    rho, weight = rng.uniform(-0.9, 0.9, len(edges)), rng.uniform(0.05, 1, len(edges))
    blocks = correlation_blocks(rho, weight)

    def precision(kept):
        out = np.eye(n)
        for (a, b), r, w in zip(edges[kept], rho[kept], weight[kept], strict=True):
            out[np.ix_([a, b], [a, b])] += w / (1 - r**2) * np.array([[r**2, -r], [-r, r**2]])
        return out

    covariance = np.linalg.inv(precision(np.full(len(edges), True)))
    force = rng.standard_normal((n, 2))
    i, j = edges.T
    left = EdgesLeftOut.of(i, j, covariance[i], covariance[j], covariance.diagonal(), blocks)
    for e in range(len(edges)):
        refit = np.linalg.inv(precision(np.arange(len(edges)) != e))
        np.testing.assert_allclose(left.rows()[e], refit[i[e]], **CLOSE)
        np.testing.assert_allclose(left.diagonals()[e], refit.diagonal(), **CLOSE)
        np.testing.assert_allclose(left.means(covariance @ force)[e], refit @ force, **CLOSE)


def test_a_leaf_is_alone_without_its_edge():
    gaussian = LaplacianGaussian(np.array([1.0, 2.0]), np.array([[0, 1]]), np.array([5.0]))
    i, j = np.array([0]), np.array([1])
    left = EdgesLeftOut.of(
        i, j, gaussian.rows(i), gaussian.rows(j), gaussian.variance, laplacian_blocks(np.array([5.0]))
    )
    np.testing.assert_allclose(left.rows(), [[1.0, 0.0]], atol=1e-14)  # a few roundings of 1
    np.testing.assert_allclose(left.diagonals(), [[1.0, 0.5]])


def test_a_block_that_was_never_in_the_precision_is_refused():
    with pytest.raises(PosteriorError, match="positive definite"):
        leave_out(laplacian_blocks(np.array([3.0])), np.ones(1), np.ones(1), np.zeros(1))


def test_degrees():
    out = degrees_without(np.array([2, 1, 1]), np.array([0, 0]), np.array([1, 2]))
    np.testing.assert_array_equal(out, [[1, 0, 1], [1, 1, 0]])


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
