"""Five numbers of pairs under a posterior, by hand; of_posterior's tests ask them of every kind of joint."""

import numpy as np
import pytest

from acvae import Posterior
from acvae.links.statistics.posterior import SMALL, PosteriorStatistics, stretch

DEGREES = np.array([2, 1, 1, 0])


def tree():
    mean = np.array([[1.0, 0], [1, 1], [0, 2], [0, 0]])
    std = np.array([[1.0, 2], [1, 1], [2, 1], [1, 1]])
    return Posterior(mean, std, [(0, 1), (0, 2)], [[0.5, 0.8], [-0.4, 0.0]], dtype="float64")


def test_a_pair_by_hand():
    found = PosteriorStatistics(tree(), DEGREES).pairs(np.array([0, 0, 1]), np.array([1, 2, 2]))
    # E‖z_i − z_k‖² = Σ (μ_i − μ_k)² + σ_i² + σ_k² − 2·ρ·σ_i·σ_k
    distance = np.array(
        [1 + (1 + 1 - 1.0) + (4 + 1 - 3.2), 5 + (1 + 4 + 1.6) + (4 + 1), 2 + (1 + 4 + 0.8) + (1 + 1)]
    )
    rho = np.array([(0.5 + 2 * 0.8) / 3, (2 * -0.4) / 4, (2 * -0.2) / 3])
    cosine = [np.sqrt(0.5), 0, np.sqrt(0.5)]
    expected = [np.log(distance), np.arcsinh(rho / SMALL), cosine, np.log1p([2, 2, 1]), np.log1p([1, 1, 1])]
    np.testing.assert_allclose(found, np.transpose(expected), rtol=1e-6, atol=1e-7)


def test_rows_are_those_of_all_pairs():
    statistics = PosteriorStatistics(tree(), DEGREES)
    i, k = np.nonzero(~np.eye(4, dtype=bool))  # the distance to itself is zero
    np.testing.assert_allclose(
        statistics.rows(np.arange(4))[i, k], statistics.pairs(i, k), rtol=1e-5, atol=1e-5
    )


def test_a_mean_of_zero_has_no_direction():
    found = PosteriorStatistics(tree(), DEGREES).pairs(np.array([3, 3]), np.array([0, 3]))
    assert found[:, 2].tolist() == [0, 0]


def test_without_the_edge_its_two_sides_are_independent():
    statistics = PosteriorStatistics(tree(), DEGREES)
    ends, candidates = np.array([[0, 1]]), np.array([[1, 2, 3]])
    found = statistics.without(ends, candidates, removed=True)[0]
    assert found[0, 1] == 0
    np.testing.assert_allclose(np.exp(found[0, 0]), 1 + 1 + 1 + 4 + 1, rtol=1e-6)
    np.testing.assert_allclose(np.exp(found[:, 3]), 1 + 1)  # 0 has a neighbour less
    np.testing.assert_allclose(np.exp(found[:, 4]), [1, 2, 1])  # and so has 1
    kept = statistics.without(ends, candidates, removed=False)[0]
    np.testing.assert_allclose(kept, statistics.pairs(np.zeros(3, dtype=int), candidates[0]), atol=1e-6)
    np.testing.assert_allclose(found[1, :3], kept[1, :3], atol=1e-6)  # the other edge stays


def test_long_lists_are_cut(monkeypatch):
    i, k = np.indices((4, 4)).reshape(2, -1)
    whole = PosteriorStatistics(tree(), DEGREES).pairs(i, k)
    monkeypatch.setattr("acvae.links.statistics.posterior.PAIRS_AT_A_TIME", 5)
    np.testing.assert_array_equal(PosteriorStatistics(tree(), DEGREES).pairs(i, k), whole)


def test_stretch_keeps_signs_and_is_logarithmic_but_for_small_ones():
    assert stretch(np.array([0.0, 0.5, -0.5])).tolist() == pytest.approx(
        [0, np.arcsinh(500), -np.arcsinh(500)]
    )
    ten_times = stretch(np.array([0.5])) - stretch(np.array([0.05]))
    assert ten_times == pytest.approx(np.log(10), abs=1e-3)
