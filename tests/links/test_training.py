"""What heads learn, where it is known what there is to learn."""

import numpy as np
import pytest

from acvae.links import training
from acvae.links.statistics.symmetry import symmetric
from acvae.links.training import (
    APART,
    FOLDS,
    KNOTS,
    PAIR_PASSES,
    PASSES,
    _knots,
    _passes,
    fit_probability,
)


def population(size, seed):
    """One telling number of a pair in −2 … 2, two that are the same for all, and which pairs are links."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, size)
    statistics = np.stack([x, np.zeros(size), np.zeros(size)], axis=1).astype(np.float32)
    return statistics, rng.random(size) < chance(x)


def chance(x):
    return 1 / (1 + np.exp(1 - 3 * x))  # nearly certain at 2


def test_probabilities_are_those_of_missing_links_among_pairs_that_are_not_known():
    """Known links stand for the missing ones, which are among the pairs: neither are counted against them."""
    pairs, missing = population(40_000, 0)
    known, linked = population(20_000, 1)
    known = known[linked]
    weight = np.full(len(known), missing.sum() / len(known))
    head = fit_probability(known, weight, pairs, np.ones(len(pairs)), seed=0)
    x = np.linspace(-1.8, 1.8, 25)
    rows = np.stack([x, np.zeros(25), np.zeros(25)], axis=1).astype(np.float32)
    found = 1 / (1 + np.exp(-head(symmetric(rows, 1)).astype(np.float64)))
    np.testing.assert_allclose(found, chance(x), atol=0.1)
    assert abs(chance(1.8) / (1 + chance(1.8)) - chance(1.8)) > 0.4  # what they would be otherwise
    everywhere = 1 / (1 + np.exp(-head(symmetric(pairs, 1)).astype(np.float64)))
    np.testing.assert_allclose(everywhere.sum(), missing.sum(), rtol=0.03)


def test_more_known_links_than_pairs_do_not_run_away():
    """Where more links are said to be missing than there are pairs, the odds stay finite."""
    pairs, linked = population(2000, 2)
    head = fit_probability(pairs[linked], np.full(linked.sum(), 50.0), pairs[:200], np.ones(200), seed=0)
    scores = head(symmetric(pairs, 1))
    assert np.isfinite(scores).all()
    assert scores.max() < 200


@pytest.mark.parametrize("link", [0.0, 1.0])
def test_the_slope_is_the_derivative_of_the_loss(link):
    f = np.linspace(-5, training.CERTAIN - 0.1, 11)
    step = 1e-6

    def loss(f):
        return -f if link else np.logaddexp(0, f)

    numeric = (loss(f + step) - loss(f - step)) / (2 * step)
    found = training._slope(f, np.full(11, link, dtype=np.float32))
    np.testing.assert_allclose(found, numeric, atol=1e-6)


def test_what_few_links_have_in_common_may_be_chance():
    """The same few links told over and over make other pairs less likely than when they are told once."""
    rng = np.random.default_rng(3)
    x = rng.uniform(-2, 2, 3000)
    pairs = np.stack([x, np.zeros(3000), np.zeros(3000)], axis=1).astype(np.float32)
    shares = []
    for count in (5, 90):
        known = np.tile(np.array([1.9, 0, 0], np.float32), (count, 1))
        head = fit_probability(known, np.full(count, 30 / count), pairs, np.ones(3000), seed=0)
        chances = 1 / (1 + np.exp(-head(symmetric(pairs, 1)).astype(np.float64)))
        assert chances.sum() == pytest.approx(30, rel=0.05)
        shares.append(chances[x < 0].sum())
    assert shares[0] > 2 * shares[1]


def test_small_data_are_gone_over_more_often_unless_there_are_next_to_no_links():
    assert _passes(20_000, 100) == PAIR_PASSES
    assert _passes(400, 2) == 45
    assert _passes(400, 1) == 60
    assert _passes(20, 1) == PASSES


def test_knots_share_the_links_between_them():
    rng = np.random.default_rng(5)
    log_odds, weight = rng.normal(-3, 2, 5000), rng.uniform(0.1, 3, 5000)
    knots = _knots(log_odds, weight)
    assert len(knots) == KNOTS
    held = np.histogram(log_odds, knots, weights=weight)[0] / weight.sum()
    np.testing.assert_allclose(held, 1 / (KNOTS - 1), atol=0.003)
    assert len(_knots(log_odds[:450], weight[:450])) == 4
    assert len(_knots(log_odds[:250], weight[:250])) == 0  # a line does
    assert len(_knots(np.zeros(5000), weight)) == 1
    assert (np.diff(_knots(np.round(log_odds / 3) * 3, weight)) > APART).all()


def test_the_curve_is_fitted_to_what_a_network_says_of_pairs_that_it_did_not_learn_from(monkeypatch):
    """Noise, that networks can learn by heart, would make probabilities too sure of themselves."""
    monkeypatch.setattr(training, "PAIR_PASSES", 150)
    monkeypatch.setattr(training, "PAIR_BATCH", 128)
    rng = np.random.default_rng(6)
    known, pairs = rng.standard_normal((2, 400, 7)).astype(np.float32)
    weight = np.full(400, 0.2)
    fold = rng.integers(FOLDS, size=800)
    spread = []
    for folds in (None, fold):
        head = fit_probability(known, weight, pairs, np.ones(400), 0, 0, folds)
        fresh = rng.standard_normal((3000, 7)).astype(np.float32)
        spread.append(head(symmetric(fresh, 0)).std())
    assert spread[1] < 0.5 * spread[0]


def test_a_curve_mends_what_a_line_leaves(monkeypatch):
    """Where chances bend sharply in what the networks say, the share of links is right all along."""
    monkeypatch.setattr(training, "HIDDEN", 1)  # networks that can hardly bend
    pairs, missing = population(40_000, 7)
    known, linked = population(40_000, 8)
    known, weight = known[linked], np.full(linked.sum(), missing.sum() / linked.sum())
    head = fit_probability(known, weight, pairs, np.ones(len(pairs)), 0)
    assert head.curve is not None
    found = 1 / (1 + np.exp(-head(symmetric(pairs, 1)).astype(np.float64)))
    line = head._replace(curve=None)(symmetric(pairs, 1))
    assert (np.diff(found[np.argsort(line)]) >= 0).all()
    for low in (-2.0, -1.0, 0.0, 1.0):
        inside = (pairs[:, 0] >= low) & (pairs[:, 0] < low + 1)
        assert found[inside].mean() == pytest.approx(missing[inside].mean(), abs=0.02)
