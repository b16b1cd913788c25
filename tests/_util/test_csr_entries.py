"""Stored entries of sparse matrices, looked at one by one."""

import numpy as np
import pytest

from acvae._util.csr_entries import all_ones, check_places, first_not_finite, is_clean
from acvae.exceptions import FeatureError

INDPTR, INDICES, DATA = np.array([0, 2, 2, 3]), np.array([0, 3, 1]), np.array([1.0, 2, 3])


def test_a_sound_matrix():
    check_places(INDPTR, INDICES, 4)
    assert is_clean(INDPTR, INDICES, DATA)


@pytest.mark.parametrize(
    ("indptr", "indices", "row"),
    [
        ([1, 2, 2, 3], [0, 3, 1], 0),  # does not begin at 0
        ([0, 2, 1, 3], [0, 3, 1], 1),  # ends before it begins
        ([0, 2, 2, 4], [0, 3, 1], 2),  # goes on beyond the end
        ([0, 2, 2, 3], [0, 4, 1], 0),
        ([0, 2, 2, 3], [0, 3, -1], 2),
    ],
)
def test_places_that_are_not_there(indptr, indices, row):
    with pytest.raises(FeatureError, match=f"row {row} has a column outside 0…3"):
        check_places(np.array(indptr), np.array(indices), 4)


@pytest.mark.parametrize(
    ("indptr", "indices", "data"),
    [
        ([0, 2, 2, 3], [3, 0, 1], [1, 2, 3]),  # columns fall
        ([0, 2, 2, 3], [0, 0, 1], [1, 2, 3]),  # one twice
        ([0, 2, 2, 3], [0, 3, 1], [1, 0, 3]),  # a zero
        ([0, 2, 2, 2], [0, 3, 1], [1, 2, 3]),  # an entry of no row
        ([0, 2, 2, 3], [0, 3, 1], [1, 2]),
    ],
)
def test_what_has_to_be_tidied(indptr, indices, data):
    assert not is_clean(np.array(indptr), np.array(indices), np.array(data, dtype=float))


def test_a_column_may_stand_in_two_rows():
    assert is_clean(np.array([0, 1, 2]), np.array([1, 1]), np.array([1.0, 1]))


def test_entries_that_are_not_finite():
    assert first_not_finite(DATA) == -1
    assert first_not_finite(np.array([])) == -1
    assert first_not_finite(np.array([1, np.inf, np.nan])) == 1
    assert first_not_finite(np.array([np.nan])) == 0


def test_ones():
    assert all_ones(np.array([1.0, 1]))
    assert all_ones(np.array([]))
    assert not all_ones(np.array([1.0, 1, 1.5]))
    assert not all_ones(np.array([0.0]))
