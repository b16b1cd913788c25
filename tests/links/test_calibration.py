"""Calibration of probabilities that are known to be right, or wrong."""

import numpy as np
import pytest

import acvae
from acvae.exceptions import InputError
from acvae.links.calibration import HiddenPairs, calibration, hidden_pairs, platt


def drawn(seed, size=200_000):
    """Log-odds, and links drawn by them."""
    rng = np.random.default_rng(seed)
    f = rng.normal(-3, 2, size)
    link = rng.random(size) < 1 / (1 + np.exp(-f))
    return f, HiddenPairs(np.zeros(size, int), np.ones(size, int), link, np.ones(size))


def test_right_probabilities_have_no_error_and_lie_in_their_bands():
    f, pairs = drawn(0)
    found = calibration(f, pairs)
    inside = (found.low <= found.predicted) & (found.predicted <= found.high)
    assert found.error < 0.005
    assert inside.mean() > 0.8
    assert found.links[found.counted].sum() >= 0.99 * pairs.link.sum()


def test_wrong_ones_are_found_out():
    f, pairs = drawn(1)
    right, wrong = calibration(f, pairs), calibration(f + 2, pairs)
    assert wrong.error > 10 * right.error
    assert wrong.link_error > 10 * right.link_error
    assert wrong.log_loss > right.log_loss


def test_errors_are_counted_by_pairs_and_by_links():
    f = np.array([0.0, 0, 0, 0, -4, -4, -4, -4, -4, -4])  # predicted: 1/2, and 0.018
    link = np.array([1, 1, 1, 0, 1, 0, 0, 0, 0, 0], dtype=bool)  # observed: 3/4, and 1/6
    found = calibration(f, HiddenPairs(np.zeros(10, int), np.ones(10, int), link, np.ones(10)))
    first, second = 1 / 4, 1 / 6 - 1 / (1 + np.exp(4))
    np.testing.assert_allclose(found.error, (4 * first + 6 * second) / 10)
    np.testing.assert_allclose(found.link_error, (3 * first + 1 * second) / 4)


def test_log_odds_may_be_infinite_but_not_undefined():
    link = np.array([True, True, False, False, False])
    pairs = HiddenPairs(np.zeros(5, int), np.ones(5, int), link, np.ones(5))
    found = calibration([np.inf, 0.0, 0.0, -800.0, -np.inf], pairs)
    assert found.predicted.tolist() == [0, 0, 1 / 2, 1]
    assert found.observed.tolist() == [0, 0, 1 / 2, 1]
    assert found.pairs.tolist() == [1, 1, 2, 1]
    assert (np.diff(found.log_odds) > 0).all()
    assert found.error == found.link_error == 0
    np.testing.assert_allclose(found.log_loss, 2 * np.log(2) / 2)
    assert calibration([np.inf, -np.inf, 0.0, -800.0, 0.0], pairs).log_loss == np.inf  # a link that cannot be
    with pytest.raises(InputError, match="log-odds must be numbers, but that of pair 2 is NaN"):
        calibration([1.0, 0.0, np.nan, -1.0, np.nan], pairs)


def test_platt_finds_the_line():
    f, pairs = drawn(2)
    a, b = platt((f - 7) / 3, pairs.link, pairs.weight)
    np.testing.assert_allclose([a, b], [3, 7], rtol=0.05)


def test_hidden_pairs_stand_for_all_that_are_in_neither_graph():
    rng = np.random.default_rng(3)
    pairs = np.sort(rng.integers(0, 80, (300, 2)), axis=1)
    graph = acvae.Graph(80, np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0))
    split = acvae.split_edges(graph, seed=0)
    found = hidden_pairs(split.train, split.test, size=20_000)
    both = np.stack([found.i, found.j], axis=1)
    np.testing.assert_array_equal(both[found.link], split.test.edges)
    assert not split.train.has_edges(both).any()
    assert not split.test.has_edges(both[~found.link]).any()
    np.testing.assert_allclose(found.weight[~found.link].sum(), 80 * 79 / 2 - graph.n_edges, rtol=0.02)


def test_bad_input():
    f, pairs = drawn(4, 100)
    with pytest.raises(InputError, match="one a pair"):
        calibration(f[:-1], pairs)
    with pytest.raises(InputError, match="no hidden links"):
        calibration(f, pairs._replace(link=np.zeros(100, bool)))
