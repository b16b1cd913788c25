"""Entries of sparse rows, against the dense table."""

import numpy as np
import pytest
import scipy.sparse as sp

from acvae._util.lookup import entries_at, strongest


def table(seed=0, rows=9, columns=30):
    dense = np.random.default_rng(seed).standard_normal((rows, columns))
    dense[np.random.default_rng(seed + 1).random(dense.shape) < 0.6] = 0
    dense[4] = 0
    return dense, sp.csr_array(dense)


def test_entries_that_are_there_and_that_are_not():
    dense, sparse = table()
    rng = np.random.default_rng(2)
    for place, column in (
        (rng.integers(0, 9, (50, 1)), rng.integers(0, 30, (50, 7))),
        (rng.integers(0, 9, 40_000), rng.integers(0, 30, 40_000)),  # by several threads
        (np.empty(0, int), np.empty(0, int)),
    ):
        found = entries_at(sparse.indptr, sparse.indices, sparse.data, 30, place, column)
        np.testing.assert_array_equal(found, dense[place, column])


@pytest.mark.parametrize("count", [1, 3, 100])
def test_the_strongest_of_each_row(count):
    dense, sparse = table()
    place, column = strongest(sparse.indptr, sparse.indices, sparse.data, count)
    for row in range(len(dense)):
        positive = np.flatnonzero(dense[row] > 0)
        best = positive[np.argsort(-dense[row, positive])][:count]
        assert set(column[place == row]) == set(best)
    assert 4 not in place


def test_of_equal_ones_no_more_than_asked_for():
    start, ids, values = np.array([0, 6]), np.arange(6), np.array([1.0, 2, 1, 1, 0, 1])
    place, column = strongest(start, ids, values, 3)
    assert column.tolist() == [1, 0, 2]
    assert place.tolist() == [0, 0, 0]
