"""What a file may hold instead of what it should."""

import numpy as np
import pytest

from acvae.exceptions import PosteriorError
from acvae.gaussian.stored import Stored


def stored(**arrays):
    return Stored(arrays)


def test_copies_in_order():
    table = np.arange(6.0).reshape(2, 3).T
    found = stored(x=table).numbers("x", (3, 2))
    np.testing.assert_array_equal(found, table)
    assert found.flags.c_contiguous
    assert found.flags.writeable
    assert not np.shares_memory(found, table)


@pytest.mark.parametrize(
    ("array", "telling"),
    [
        (np.zeros((2, 2)), r"'x' has the shape \(2, 2\), not \(2, 3\)"),
        (np.zeros(6), r"the shape \(6,\), not \(2, 3\)"),
        (np.zeros((2, 3, 1)), r"the shape \(2, 3, 1\)"),
        (np.zeros((2, 3), np.float16), "the type float16"),
        (np.zeros((2, 3), np.int64), "the type int64"),
        (np.full((2, 3), np.nan), "not finite"),
        (np.full((2, 3), np.inf), "not finite"),
    ],
)
def test_numbers(array, telling):
    with pytest.raises(PosteriorError, match=telling):
        stored(x=array).numbers("x", (2, 3))


def test_any_size():
    assert stored(x=np.zeros((0, 2))).numbers("x", (None, 2)).shape == (0, 2)
    with pytest.raises(PosteriorError, match=r"not \(2, any\)"):
        stored(x=np.zeros((2, 0))).numbers("x", (2, None))
    with pytest.raises(PosteriorError, match="has no 'y'"):
        stored(x=np.zeros(2)).numbers("y", (2,))


@pytest.mark.parametrize(
    ("array", "telling"),
    [
        ([[0.0, 1.0]], "the type float64, not int64"),
        (np.array([[0, 1]], np.int32), "the type int32"),
        ([[0, 4]], "go from 0 to 4, not within 0…3"),
        ([[-1, 2]], "go from -1 to 2"),
        ([[np.iinfo(np.int64).min, 0]], "not within 0…3"),
    ],
)
def test_ids(array, telling):
    with pytest.raises(PosteriorError, match=telling):
        stored(x=np.array(array)).ids("x", (None, 2), 4)


@pytest.mark.parametrize(
    ("pairs", "telling"),
    [([[1, 1]], "not the smaller"), ([[2, 1]], "not the smaller"), ([[0, 1]] * 2, "twice")],
)
def test_links(pairs, telling):
    with pytest.raises(PosteriorError, match=telling):
        stored(x=np.array(pairs)).links("x", 4)


def test_links_that_are_some():
    pairs = np.array([[0, 1], [1, 3]])
    np.testing.assert_array_equal(stored(x=pairs).links("x", 4), pairs)
