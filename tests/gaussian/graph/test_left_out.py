"""Entries and means without an edge, from the rows of both ends, against a Gaussian that never had it."""

import numpy as np
import pytest

from acvae.exceptions import PosteriorError
from acvae.gaussian.graph.leave_one_out import correlation_blocks, laplacian_blocks
from acvae.gaussian.graph.left_out import CandidatesLeftOut, edge_energy, without_rounding

N = 6
EDGES = np.array([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)])  # 5 is alone
RHO, WEIGHT = np.array([0.6, -0.4, 0.9, 0.5, -0.8]), np.array([0.7, 0.5, 0.8, 1.0, 1.0])
PULL = np.random.default_rng(0).standard_normal((N, 2))  # h of the means m = K·h


def covariance(blocks, kept=slice(None)):
    precision = np.eye(N)
    for (i, j), block in zip(EDGES[kept], blocks[kept], strict=True):
        precision[np.ix_([i, j], [i, j])] += block
    return np.linalg.inv(precision)


BLOCKS = {"correlation": correlation_blocks(RHO, WEIGHT), "laplacian": laplacian_blocks(2 * WEIGHT)}


@pytest.mark.parametrize("kind", list(BLOCKS))
@pytest.mark.parametrize("edge", range(len(EDGES)))
@pytest.mark.parametrize("turned", [False, True])
def test_against_a_gaussian_that_never_had_the_edge(kind, edge, turned):
    blocks = BLOCKS[kind]
    whole, rest = covariance(blocks), covariance(blocks, np.arange(len(EDGES)) != edge)
    ends = EDGES[[edge], ::-1] if turned else EDGES[[edge]]
    i, candidates = ends[0, 0], np.array([[5, 0, 1, 2, 3, 4]])
    left = CandidatesLeftOut.of(
        whole[ends[0]], np.array([[0, 1]]), ends, candidates, whole.diagonal(), blocks[[edge]]
    )
    k = candidates[0]
    np.testing.assert_allclose(left.own, rest[i, i])
    np.testing.assert_allclose(left.other[0], rest[k, k])
    np.testing.assert_allclose(left.between[0], rest[i, k], atol=1e-12)
    rho = rest[i, k] / np.sqrt(rest[i, i] * rest[k, k])
    np.testing.assert_allclose(left.correlation[0], rho, atol=1e-12)
    own, other = left.means(whole @ PULL, ends, candidates)
    np.testing.assert_allclose(own[0], (rest @ PULL)[i], atol=1e-12)
    np.testing.assert_allclose(other[0], (rest @ PULL)[k], atol=1e-12)


def test_where_nothing_is_taken_away_all_stays():
    whole = covariance(BLOCKS["correlation"])
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
    whole = covariance(BLOCKS["laplacian"])
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
