"""What layers do to single numbers, against NumPy's several passes, bit by bit."""

import numpy as np

from acvae.links.kernels import add_and_cut, cut_where, outer_where, standardise

RNG = np.random.default_rng(0)
LAYER = RNG.standard_normal((50, 4)).astype(np.float32)
CUT = np.maximum(RNG.standard_normal((50, 4)).astype(np.float32), 0)


def test_an_offset_is_added_and_what_is_negative_cut():
    offset = RNG.standard_normal(4).astype(np.float32)
    out = LAYER.copy()
    add_and_cut(out, offset)
    np.testing.assert_array_equal(out, np.maximum(LAYER + offset, 0))


def test_what_is_no_number_stays_none():
    out = np.array([[np.nan, -1.0]])
    add_and_cut(out, np.zeros(2))
    np.testing.assert_array_equal(out, [[np.nan, 0.0]])


def test_nothing_comes_back_through_what_was_cut():
    out = LAYER.copy()
    cut_where(out, CUT)
    np.testing.assert_array_equal(out, LAYER * (CUT > 0))


def test_a_slope_goes_back_to_the_units_that_were_not_cut():
    slope, weight = LAYER[:, 0].copy(), LAYER[0].copy()
    out = np.empty_like(CUT)
    outer_where(slope, weight, CUT, out)
    np.testing.assert_array_equal(out, np.multiply.outer(slope, weight) * (CUT > 0))


def test_numbers_are_standardised_and_far_ones_drawn_in_but_kept_in_order():
    x = np.array([[1.0, 0.0], [14.0, -3.0], [25.0, 3.0]], np.float32)
    out = np.empty_like(x)
    standardise(x, np.array([1, 0], np.float32), np.array([2, 0.5], np.float32), 6.0, out)
    np.testing.assert_allclose(out[:, 0], [0, 6 + np.log(1.5), 6 + np.log(7)], rtol=1e-6)  # 6.5, 12
    np.testing.assert_allclose(out[:, 1], [0, -6, 6], rtol=1e-6)
