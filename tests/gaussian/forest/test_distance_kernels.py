"""The loops around the matrix products of `distances`, each by hand on a few positions."""

import numpy as np
import pytest

from acvae.gaussian.forest.distance_kernels import clamp, finish, left_factors, place, scatter, small_pieces


def test_a_leaf_is_filled_from_its_table():
    # Positions 1 and 2 are a leaf, and 0 has none; the block begins at position 0, then at 1.
    start, stop, offset = np.array([0, 1, 1]), np.array([0, 3, 3]), np.array([0, 0, 2])
    table = np.array([0.5, 7, 7, 0.5])
    out = np.full((2, 3), -1.0)
    finish(np.array([2, 0]), start, stop, offset, table, out, 0)
    assert out.tolist() == [[-1, 7, 0], [0, -1, -1]]
    out = np.full((1, 2), -1.0)
    finish(np.array([1]), start, stop, offset, table, out, 1)
    assert out.tolist() == [[0, 7]]


def test_scatter():
    out = np.zeros((3, 4))
    scatter(np.array([[1.0, 2], [3, 4]]), np.array([3, 0]), np.array([2, 0]), out)
    assert out.tolist() == [[4, 0, 0, 3], [0, 0, 0, 0], [2, 0, 0, 1]]


def test_left_factors():
    mean, scaled = np.array([[1.0, 2, 3], [4, 5, 6]]), np.arange(12.0).reshape(2, 2, 3)
    out = np.full((2, 4), 9.0)
    left_factors(np.array([2, 0]), 1, mean, scaled, out)
    assert out.tolist() == [[-6, -12, -16, -22], [-2, -8, -12, -18]]
    out[:] = 9
    left_factors(np.array([1]), -1, mean, scaled, out)
    assert out[0].tolist() == [-4, -10, 9, 9]  # no one to be joined to


def test_what_rounding_left_below_zero_is_zero():
    out = np.full((2, 3), 5.0)
    place(np.array([[-4.0, -3, 1]]), np.array([2.0]), np.array([1.0, 1, 1]), np.array([1]), out)
    assert out.tolist() == [[5, 5, 5], [0, 0, 4]]
    block = np.array([[-1.0, -2, 3], [-1, -2, -3]])
    clamp(block, 1, 2, 0, 2)
    assert block.tolist() == [[-1, -2, 3], [0, 0, -3]]


@pytest.mark.parametrize("d", [1, 4, 6])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_two_pieces_one_in_the_other(d, dtype):
    """Within the inner one the distance is by its own centroid, to the rest by the outer one's."""
    n, rng = 6, np.random.default_rng(d)
    mean = rng.standard_normal((d, n)).astype(dtype)
    scaled = rng.uniform(-1, 1, (2, d, n)).astype(dtype)
    norm = (10 + (mean**2).sum(axis=0)).astype(dtype)
    deepest = np.array([0, 1, 1, 1, 0, 0])  # of each position; the inner piece is 1 … 3
    pieces = deepest, np.array([-1, 0]), np.array([0, 1]), np.array([6, 4]), np.array([0, 1])
    empty = np.zeros(n, dtype=np.int64)  # no position is in a leaf
    leaves = empty, empty, empty, np.zeros(0, dtype=dtype)
    column, at = np.array([5, 3, 1, 0, 2, 4]), np.array([2, 0])

    def expected(p, c):
        level = 1 if {p, c} <= {1, 2, 3} else 0
        product = mean[:, p] @ mean[:, c] + scaled[level, :, p] @ scaled[level, :, c]
        return 0 if p == c else max(0, norm[p] + norm[c] - 2 * product)

    out = np.full((2, n), -1, dtype=dtype)
    small_pieces(at, np.array([1, 0]), -1, pieces, leaves, (mean, scaled, norm), column, out, 0)
    for r, p in ((1, 2), (0, 0)):
        np.testing.assert_allclose(out[r, column], [expected(p, c) for c in range(n)], rtol=1e-5)
    out[:] = -1
    small_pieces(at[:1], np.array([0]), 0, pieces, leaves, (mean, scaled, norm), column, out, 0)
    assert (out[0, column[[0, 4, 5]]] == -1).all()  # below the limit is the inner piece alone
    np.testing.assert_allclose(out[0, column[1:4]], [expected(2, c) for c in (1, 2, 3)], rtol=1e-5)
