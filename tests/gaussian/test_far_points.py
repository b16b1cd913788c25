"""Densities far out, of a Gaussian whose density is known: standard normals without correlation."""

import numpy as np
import pytest

from acvae.gaussian.far_points import FAR, log_density_anywhere

N, D = 3, 2


class Standard:
    """N(0, I); notes the largest coordinate it was asked about."""

    def __init__(self):
        self.reach = 0.0

    def log_density(self, z):
        self.reach = max(self.reach, np.abs(z).max(initial=0))
        return -0.5 * ((z**2).sum(axis=(1, 2)) + N * D * np.log(2 * np.pi))


def test_near_points_are_asked_as_they_are():
    joint, z = Standard(), np.random.default_rng(0).standard_normal((4, N, D))
    np.testing.assert_array_equal(log_density_anywhere(joint, z), joint.log_density(z))


def test_far_points_are_brought_near():
    joint, z = Standard(), np.zeros((3, N, D))
    z[0, 0, 0], z[1, 1], z[2] = 1e120, -3e150, 2.0
    found = log_density_anywhere(joint, z)
    assert joint.reach == 2  # those far away came as directions
    expected = [-0.5e240, -0.5 * 2 * 9e300, -0.5 * (4 * N * D + N * D * np.log(2 * np.pi))]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_both_ways_agree_where_they_meet():
    z = np.full((2, N, D), 0.999 * FAR)
    z[1] *= 1.002
    near, far = log_density_anywhere(Standard(), z)
    assert far == pytest.approx(near * 1.002**2)


@pytest.mark.parametrize("value", [1e200, np.inf, -np.inf, np.nan])
def test_below_all_numbers_it_is_minus_infinity(value):
    z = np.zeros((2, N, D))
    z[1, 0, 1] = value
    found = log_density_anywhere(Standard(), z)
    assert np.isfinite(found[0])
    assert found[1] == -np.inf


def test_no_points():
    assert log_density_anywhere(Standard(), np.zeros((0, N, D))).shape == (0,)
