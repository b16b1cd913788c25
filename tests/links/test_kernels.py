"""What layers do to single numbers, against NumPy's several passes, bit by bit."""

import numpy as np

from acvae.links.kernels import add_and_cut, cut_where, outer_where

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
