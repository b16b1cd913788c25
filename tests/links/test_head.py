"""Gradients against differences, and what a head keeps."""

import numpy as np

from acvae.links.curve import Curve
from acvae.links.head import Head, Parameters, backward, forward, start


def test_backward_against_differences():
    rng = np.random.default_rng(0)
    p = Parameters(*(rng.standard_normal(part.shape) for part in start(4, 5, seed=0)))  # float64
    x, slope = rng.standard_normal((7, 4)), rng.standard_normal(7)
    scores, one, two = forward(p, x)
    gradient = backward(p, x, one, two, slope)
    assert scores.shape == (7,)
    for k, part in enumerate(p):
        for place in np.ndindex(part.shape):
            sides = []
            for step in (1e-6, -1e-6):
                moved = [q.copy() for q in p]
                moved[k][place] += step
                sides.append(slope @ forward(Parameters(*moved), x)[0])
            expected = (sides[0] - sides[1]) / 2e-6
            np.testing.assert_allclose(gradient[k][place], expected, rtol=1e-5, atol=1e-7)


def test_packed_and_unpacked_scores_are_the_same():
    rng = np.random.default_rng(1)
    networks = tuple(
        Parameters(*(rng.standard_normal(part.shape).astype(np.float32) for part in start(3, 4, seed=k)))
        for k in range(2)
    )
    head = Head(np.zeros(3, np.float32), np.ones(3, np.float32), networks)
    x = rng.standard_normal((2, 5, 3)).astype(np.float32)
    again = Head.unpack(head.pack("order/"), "order/")
    assert head(x).shape == (2, 5)
    np.testing.assert_array_equal(again(x), head(x))


def test_a_curve_is_kept_and_taken():
    rng = np.random.default_rng(2)
    network = Parameters(*(rng.standard_normal(p.shape).astype(np.float32) for p in start(3, 4, seed=0)))
    plain = Head(np.zeros(3, np.float32), np.ones(3, np.float32), (network,))
    curve = Curve(np.array([-1.0, 0.0, 1.0], np.float32), np.array([-9.0, 0.0, 0.5], np.float32))
    bent = plain._replace(curve=curve)
    x = rng.standard_normal((2, 5, 3)).astype(np.float32)
    np.testing.assert_array_equal(bent(x), curve(plain(x).ravel()).reshape(2, 5))
    again = Head.unpack(bent.pack("probability/"), "probability/")
    np.testing.assert_array_equal(again(x), bent(x))
    np.testing.assert_array_equal(np.argsort(bent(x), axis=1), np.argsort(plain(x), axis=1))


def test_a_new_head_scores_nothing():
    head = Head(np.zeros(3, np.float32), np.ones(3, np.float32), (start(3, 8, seed=0),))
    np.testing.assert_array_equal(head(np.ones((4, 3), np.float32)), np.zeros(4))
