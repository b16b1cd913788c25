"""Means and variances of columns against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from acvae.families.columns import by_columns

N = 50
NOISE = np.random.default_rng(0).normal(size=N)
ONE_MISSES = (np.arange(N) > 0).astype(float)
COLUMNS = {
    "near zero": NOISE,
    "half zeros": np.where(NOISE > 0, NOISE, 0),
    "far": 1e8 + NOISE,
    "very far": 1e9 + 1e-4 * NOISE,
    "far and one zero": 1e6 * ONE_MISSES,
    "tiny": 1e-30 * NOISE,
}
FORMS = [np.asarray, sp.csr_array]


def dense(table):
    return table.toarray() if sp.issparse(table) else table


def exact(column):
    """Mean and variance, both exact."""
    values = [Fraction(float(x)) for x in column]
    mean = sum(values) / len(values)
    return mean, float(sum((x - mean) ** 2 for x in values) / len(values))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_exact_moments(form, kind):
    x = np.stack(list(COLUMNS.values()), axis=1).astype(kind)
    x = x[:, np.abs(x).max(axis=0) < 1e7] if kind is np.float32 else x
    given = form(x)
    found = by_columns(given)
    assert found.varies.all()
    for k, column in enumerate(x.T):
        mean, variance = exact(column)
        assert found.variance[k] == pytest.approx(variance, rel=1e-12)
        off = float(Fraction(float(found.level[k])) + Fraction(float(found.mean[k])) - mean)
        assert abs(off) <= 1e-12 * np.sqrt(variance)
    np.testing.assert_array_equal(dense(found.table), x - found.level)
    np.testing.assert_array_equal(dense(given), x)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_near_zero_is_left_as_it_is(form):
    given = form(np.stack([NOISE, COLUMNS["half zeros"]], axis=1))
    found = by_columns(given)
    assert found.table is given
    assert not found.level.any()


@pytest.mark.parametrize("form", FORMS)
def test_a_spread_of_rounding_is_none(form):
    columns = [np.full(N, 0.1), np.full(N, -1e30), np.zeros(N), 3 + 1e-15 * NOISE, np.full(N, 1e9), NOISE]
    found = by_columns(form(np.stack(columns, axis=1)))
    assert found.varies.tolist() == [False] * 5 + [True]
    assert not found.variance[:5].any()
    assert not found.mean[:5].any()
    assert not dense(found.table)[:, :5].any()
    np.testing.assert_allclose(found.level[:5], [0.1, -1e30, 0, 3, 1e9], rtol=1e-15)


def test_rounding_is_that_of_the_values():
    """Neighbours in single precision, sixteen times nearer to each other than those of 1e8 are."""
    steps = (1e8 + np.spacing(np.float32(1e8)) * (np.arange(N) % 2)).astype(np.float32)[:, None]
    assert not by_columns(steps).varies[0]
    assert by_columns(steps.astype(np.float64)).varies[0]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [bool, np.int64, np.uint8])
def test_booleans_and_whole_numbers(form, kind):
    x = np.stack([NOISE > 0, NOISE > 1], axis=1).astype(kind)
    np.testing.assert_allclose(by_columns(form(x)).variance, x.astype(float).var(axis=0), rtol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_no_rows_and_no_columns(form):
    assert not by_columns(form(np.zeros((0, 2)))).varies.any()
    assert by_columns(form(np.zeros((2, 0)))).varies.shape == (0,)
