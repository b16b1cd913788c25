"""Rows of K looked up in, dense and sparse, by hand."""

import numpy as np
import pytest

from acvae.gaussian.graph.rows import DenseCovariance, SparseCovariance

VALUES = np.array([[1.0, 2, 3, 4], [5, 6, 7, 8]])  # rows of vertices 2 and 0, say


def sparse():
    """Rows of vertices 1 and 3 among four: touched were 1, 0 and 3, 1."""
    start, ids = np.array([0, 2, 4]), np.array([1, 0, 3, 1], dtype=np.int32)
    pushed, rest = np.array([0.5, 0.2, 0.4, 0.1]), np.array([0.1, 0.3, 0.0, 0.2])
    total = np.array([2.0, 4, 1, 5])
    return SparseCovariance(4, start, ids, pushed, rest, pushed + rest / total[ids])


DENSE = np.array([[0.2 + 0.3 / 2, 0.5 + 0.1 / 4, 0, 0], [0, 0.1 + 0.2 / 4, 0, 0.4]])


def test_sparse_entries_are_those_of_the_vertices_that_were_touched():
    np.testing.assert_allclose(sparse().dense(), DENSE)


def test_what_is_left_over_is_the_sum_of_the_residuals():
    np.testing.assert_allclose(sparse().left, [0.1 + 0.3, 0.2])
    rows = sparse()
    nothing = np.zeros(0)
    none = SparseCovariance(4, np.zeros(2, dtype=int), rows.ids[:0], nothing, nothing, nothing)
    assert none.left.tolist() == [0]


@pytest.mark.parametrize(("rows", "table"), [(DenseCovariance(VALUES), VALUES), (sparse(), DENSE)])
def test_both_are_indexed_as_an_array_is(rows, table):
    place, column = np.array([[0], [1]]), np.array([[3, 0, 1], [1, 1, 2]])
    np.testing.assert_allclose(rows[place, column], table[place, column])
    start, ids, values = rows.lists()
    again = np.zeros(table.shape)
    again[np.repeat([0, 1], np.diff(start)), ids] = values
    np.testing.assert_allclose(again, table)
    for place in range(2):
        ids, values = rows.row(place)
        np.testing.assert_allclose(table[place, ids], values)
        assert not np.delete(table[place], ids).any()


def test_ends_of_dense_rows_are_entries():
    # The query (2, 0), whose rows are the first and the second.
    found = DenseCovariance(VALUES).ends(np.array([[0, 1]]), np.array([[2, 0]]))
    assert found.tolist() == [[3, 1, 5]]


def test_ends_of_sparse_rows_are_seen_from_both_sides():
    found = sparse().ends(np.array([[0, 1], [1, 1]]), np.array([[1, 3], [3, 3]]))
    # K_ij = x_i[j] + r_i·x_j, and with itself K_ii = x_i[i] + x_i·r_i.
    k_11 = 0.5 + (0.5 * 0.1 + 0.2 * 0.3)
    k_33 = 0.4 + (0.4 * 0.0 + 0.1 * 0.2)
    k_13 = 0 + (0.1 * 0.1)
    np.testing.assert_allclose(found, [[k_11, k_13, k_33], [k_33, k_33, k_33]])


def test_one_entry_of_both_sides_leaves_no_trace_for_the_next():
    rows = sparse()
    queries, places = np.array([[1, 3]] * 40), np.array([[0, 1]] * 40)
    found = rows.ends(places, queries)
    assert (found == found[0]).all()
