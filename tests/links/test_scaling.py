"""The line that fits best, against a general minimiser, also where scores are nearly all the same."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize

from acvae.links.scaling import CELLS, FLATTEST, fit_curve, fit_line, merged
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


# ---------------------------------------------------------------------- the line of pieces


def along(knots, values, s):
    """NumPy's interpolation, and straight on beyond."""
    first, last = ((values[k + 1] - values[k]) / (knots[k + 1] - knots[k]) for k in (0, -2))
    below, above = np.minimum(s - knots[0], 0), np.maximum(s - knots[-1], 0)
    return np.interp(s, knots, values) + first * below + last * above


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (1e-2, 40.0), (30.0, -1e3)])
def test_no_rising_line_of_pieces_is_better(seed, scale, shift):
    s, link, weight = data(seed, size=600)
    loss, slope = logistic(link)
    knots = np.array([-1.0, 0.0, 1.0, 2.0])
    values = fit_curve(scale * s + shift, weight, scale * knots + shift, loss, slope)
    steep = fit_line(s, weight, loss, slope)[0]
    assert (np.diff(values) >= 0.999 * FLATTEST * steep * np.diff(knots)).all()

    def at(values):
        return weight @ loss(along(knots, values, s))

    rising = [
        {"type": "ineq", "fun": lambda v, k=k: v[k + 1] - v[k] - FLATTEST * steep * (knots[k + 1] - knots[k])}
        for k in range(3)
    ]
    best = minimize(
        at, steep * knots, method="SLSQP", constraints=rising, options={"ftol": 1e-12, "maxiter": 500}
    )
    assert at(values) <= best.fun * (1 + 1e-6)
    assert at(values) < at(np.polyval(fit_line(s, weight, loss, slope), knots))


def test_a_curve_finds_the_bend_that_a_line_cannot():
    rng = np.random.default_rng(4)
    s = rng.uniform(-4, 4, 60_000)
    truth = np.where(s < 0, 0.5 * s, 2 * s) - 1
    link = rng.random(len(s)) < 1 / (1 + np.exp(-truth))
    knots = np.array([-4.0, -2.0, 0.0, 2.0])
    values = fit_curve(s, np.ones(len(s)), knots, *logistic(link))
    np.testing.assert_allclose(values, [-3, -2, -1, 3], atol=0.2)


def test_scores_that_fall_have_no_rising_curve():
    s, link, weight = data(0)
    with pytest.raises(ValueError, match="rise"):
        fit_curve(-s, weight, np.array([-1.0, 0.0, 1.0]), *logistic(link))


# ---------------------------------------------------------------------- many scores as few


def test_merged_scores_give_the_same_line_and_curve():
    s, link, weight = data(3, size=150_000)
    s = 4 * s
    loss, slope = logistic(link)
    parts = [merged(s[those], weight[those]) for those in (link, ~link)]
    fewer, less = (np.concatenate(both) for both in zip(*parts, strict=True))
    assert len(fewer) < 2 * CELLS + 2
    assert less.sum() == pytest.approx(weight.sum())
    assert less @ fewer == pytest.approx(weight @ s)
    kind = logistic(np.repeat([True, False], [len(part[0]) for part in parts]))
    np.testing.assert_allclose(fit_line(fewer, less, *kind), fit_line(s, weight, loss, slope), rtol=1e-5)
    knots = np.array([-6.0, 0.0, 4.0, 9.0])
    np.testing.assert_allclose(
        fit_curve(fewer, less, knots, *kind), fit_curve(s, weight, knots, loss, slope), atol=1e-3
    )


def test_few_scores_and_equal_ones():
    s, weight = np.array([3.0, 1.0]), np.array([1.0, 2.0])
    for found, given in zip(merged(s, weight), (s, weight), strict=True):
        np.testing.assert_array_equal(found, given)
    same, total = merged(np.full(CELLS + 1, 2.5), np.ones(CELLS + 1))
    assert (same.tolist(), total.tolist()) == ([2.5], [CELLS + 1])
