"""The line that fits best, against a general minimiser, also where scores are nearly all the same."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize

from acvae.links.scaling import fit_line
from acvae.links.training import CERTAIN, _loss, _slope


def logistic(link):
    return (
        lambda z: np.logaddexp(0, np.where(link, -z, z)),
        lambda z: 0.5 * (1 + np.tanh(z / 2)) - link,
    )


def data(seed, size=400, apart=1.5):
    rng = np.random.default_rng(seed)
    link = rng.random(size) < 0.2
    return rng.standard_normal(size) + apart * link, link, rng.uniform(0.1, 5, size)


def at(a, b, s, weight, loss):
    return weight @ loss(a * s + b)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (1e-3, 40.0), (200.0, -1e4)])
def test_no_line_is_better(seed, scale, shift):
    s, link, weight = data(seed)
    loss, slope = logistic(link)
    a, b = fit_line(scale * s + shift, weight, loss, slope)
    best = minimize(lambda p: at(*p, s, weight, loss), [1.0, 0.0], method="BFGS").fun
    assert at(a, b, scale * s + shift, weight, loss) == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize("offset", [0.0, 30.0, -30.0])
def test_the_loss_of_missing_links_is_minimised_from_wherever_scores_begin(offset):
    s, link, weight = data(7, apart=0.7)
    target = link.astype(np.float32)
    loss, slope = partial(_loss, link=target), partial(_slope, link=target)
    a, b = fit_line(0.01 * s + offset, weight, loss, slope)
    best = minimize(lambda p: at(*p, s, weight, loss), [1.0, -2.0], method="Nelder-Mead", tol=1e-10).fun
    assert at(a, b, 0.01 * s + offset, weight, loss) == pytest.approx(
        best, rel=1e-5
    )  # the loss has a corner at CERTAIN
    # The shares add up: as many links are expected among all pairs as there are, but for certain ones.
    z = a * (0.01 * s + offset) + b
    assert (z < CERTAIN + 0.5).all()
    assert weight[~link] @ (1 / (1 + np.exp(-z[~link]))) == pytest.approx(weight[link].sum(), rel=0.02)


def test_the_slope_is_that_of_the_loss():
    z = np.array([-3.0, 0.0, 3.9, 4.1, 9.0])
    for link in (np.zeros(5, np.float32), np.ones(5, np.float32)):
        difference = (_loss(z + 1e-6, link) - _loss(z - 1e-6, link)) / 2e-6
        np.testing.assert_allclose(_slope(z, link), difference, atol=1e-6)
    below, above = (_loss(np.array([CERTAIN + e]), np.ones(1, np.float32)) for e in (-1e-9, 1e-9))
    np.testing.assert_allclose(below, above, atol=1e-6)


def test_scores_that_are_all_the_same():
    link = np.array([True, False, False, False])
    a, b = fit_line(np.full(4, 2.0), np.ones(4), *logistic(link))
    assert a * 2 + b == pytest.approx(-np.log(3), rel=1e-6)
