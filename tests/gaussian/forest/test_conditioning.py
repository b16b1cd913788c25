import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from acvae.forests.rooted import root_forest
from acvae.gaussian.forest.conditioning import condition

TOLERANCE = 1e-8


def dense_conditional(precision, observed, x):
    """Mean and covariance of the rest in one dimension: the block of the precision, inverted."""
    rest = ~observed
    covariance = oracles.invert(precision[np.ix_(rest, rest)])
    mean = -covariance @ precision[np.ix_(rest, observed)] @ x[observed].astype(np.longdouble)
    return mean.astype(np.float64), covariance.astype(np.float64)


def check(n, edges, rho, observed, x):
    """Means, standard deviations and edge correlations against the dense Gaussian, each dimension apart."""
    found = condition(root_forest(n, edges), rho, observed, x)
    new_id = np.cumsum(~observed) - 1
    left = [e for e, (u, v) in enumerate(edges) if not observed[u] and not observed[v]]
    for k in range(x.shape[1]):
        mean, covariance = dense_conditional(oracles.dense_precision(n, edges, rho[:, k]), observed, x[:, k])
        std = np.sqrt(np.diag(covariance))
        np.testing.assert_allclose(found.mean[~observed, k], mean, rtol=0, atol=TOLERANCE)
        np.testing.assert_allclose(found.std[~observed, k], std, rtol=TOLERANCE)
        for e in left:
            u, v = new_id[edges[e]]
            assert found.correlation[e, k] == pytest.approx(
                covariance[u, v] / (std[u] * std[v]), abs=TOLERANCE
            )
        # The rest is a forest again: products along its paths are all of its correlations.
        products = oracles.dense_correlation(
            len(mean), new_id[edges[left]].reshape(-1, 2), found.correlation[left]
        )
        np.testing.assert_allclose(products[:, :, k] * np.outer(std, std), covariance, rtol=0, atol=TOLERANCE)


def case(shape, n, share, *, seed=0, d=2, nasty=0.0):
    rng = np.random.default_rng(seed)
    edges = oracles.forest_edges(shape, n, rng)
    rho = oracles.random_correlations(rng, len(edges), d, nasty)
    return n, edges, rho, rng.random(n) < share, rng.normal(size=(n, d))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_agrees_with_the_dense_gaussian(shape, share):
    check(*case(shape, 40, share))


@pytest.mark.parametrize("shape", oracles.SHAPES)
def test_one_observed_vertex_at_any_place(shape):
    n, edges, rho, _, x = case(shape, 12, 0.0)
    for vertex in range(n):
        check(n, edges, rho, np.arange(n) == vertex, x)


@given(st.integers(1, 10), st.integers(0, 10_000), st.sampled_from([0.0, 0.3, 0.7, 1.0]))
@settings(max_examples=25, deadline=None)
def test_small_random_forests(n, seed, share):
    check(*case("many trees" if seed % 2 else "random", n, share, seed=seed))


@pytest.mark.parametrize("value", oracles.NASTY_CORRELATIONS)
def test_one_nasty_value_on_every_edge(value):
    n, edges, rho, observed, x = case("random", 25, 0.2)
    # Observations that such correlations allow: a draw from the joint itself.
    order = root_forest(n, edges)
    for at in np.flatnonzero(order.parent >= 0):
        child, above = order.vertex[at], order.vertex[order.parent[at]]
        x[child] = value * x[above] + np.sqrt(1 - value**2) * x[child]
    check(n, edges, np.full_like(rho, value), observed, x)


def test_nothing_observed_changes_nothing():
    n, edges, rho, _, x = case("random", 30, 0.0)
    found = condition(root_forest(n, edges), rho, np.zeros(n, dtype=bool), x)
    assert (found.mean == 0).all()
    np.testing.assert_allclose(found.std, 1, rtol=1e-15)
    np.testing.assert_allclose(found.correlation, rho, rtol=1e-14, atol=1e-15)


def test_worked_example():
    # 0 -ρ- 1 -ρ- 2 with both ends seen: x_1 has precision 1 + 2ρ²/(1 − ρ²) = (1 + ρ²)/(1 − ρ²).
    rho, (left, right) = 0.5, (1.0, 3.0)
    found = condition(
        root_forest(3, np.array([[0, 1], [1, 2]])),
        np.full((2, 1), rho),
        np.array([True, False, True]),
        np.array([[left], [0.0], [right]]),
    )
    assert found.std[1, 0] ** 2 == pytest.approx((1 - rho**2) / (1 + rho**2))
    assert found.mean[1, 0] == pytest.approx(rho * (left + right) / (1 + rho**2))


def test_a_path_of_ten_thousand_is_cut_in_two():
    n = 10_000
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    rho = np.full((n - 1, 1), 0.999)
    observed = np.arange(n) == n // 2
    found = condition(root_forest(n, edges), rho, observed, np.ones((n, 1)))
    step = np.abs(np.arange(n) - n // 2)
    np.testing.assert_allclose(found.mean[~observed, 0], 0.999 ** step[~observed], rtol=1e-9)
    np.testing.assert_allclose(
        found.std[~observed, 0], np.sqrt(-np.expm1(2 * step[~observed] * np.log(0.999))), rtol=1e-9
    )
