"""The curve against NumPy's interpolation, that it keeps the order, and what a file may not hold."""

import numpy as np
import pytest

from acvae.exceptions import PosteriorError
from acvae.links.curve import Curve

CURVE = Curve(
    np.array([-3.0, -1.0, 0.5, 2.0], np.float32),
    np.array([-6.0, -5.5, 1.0, 1.25], np.float32),
)


def test_between_the_knots_it_is_numpys_interpolation():
    s = np.linspace(-3, 2, 101, dtype=np.float32)
    np.testing.assert_allclose(CURVE(s), np.interp(s, CURVE.at, CURVE.value), rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(CURVE(CURVE.at), CURVE.value)


def test_beyond_the_knots_the_outer_pieces_go_on():
    found = CURVE(np.array([-5.0, -1e4, 3.0, 1e4], np.float32))
    np.testing.assert_allclose(found, [-6.5, -6 - 0.25 * 9997, 1.25 + 1 / 6, 1.25 + 9998 / 6], rtol=1e-6)


def test_the_order_stays():
    s = np.sort(np.random.default_rng(0).normal(0, 4, 2000).astype(np.float32))
    assert (np.diff(CURVE(s)) >= 0).all()


def test_packed_and_unpacked():
    again = Curve.unpack(CURVE.pack("probability/"), "probability/")
    assert again is not None
    for a, b in zip(again, CURVE, strict=True):
        np.testing.assert_array_equal(a, b)
    assert Curve.unpack({}, "probability/") is None


@pytest.mark.parametrize(
    ("at", "value", "words"),
    [
        ([0.0], [0.0], "two knots or more"),
        ([0.0, 0.0], [0.0, 1.0], "does not rise"),
        ([0.0, 1.0], [1.0, 1.0], "does not rise"),
        ([0.0, 1.0], [0.0, np.inf], "not finite"),
        ([0.0, 1.0], [0.0, 1.0, 2.0], "shape"),
        ([], [], "two knots or more"),
    ],
)
def test_what_does_not_rise_is_refused(at, value, words):
    arrays = {"p/curve_at": np.array(at, np.float32), "p/curve_value": np.array(value, np.float32)}
    with pytest.raises(PosteriorError, match=words):
        Curve.unpack(arrays, "p/")
    del arrays["p/curve_value"]
    with pytest.raises(PosteriorError):
        Curve.unpack(arrays, "p/")
