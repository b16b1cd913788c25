"""Ids that are repeated, empty, or spelt in two ways."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from acvae.datasets.ids import common_spelling, distinct, merge_rows, why_none_match
from acvae.exceptions import DataError

PATH = Path("x.csv")
TWICE = ["b", "a", "b", "c", "a", "b"]


def test_distinct_ids_in_order_of_appearance():
    found = distinct(TWICE, "first", PATH)
    assert found.names == ["b", "a", "c"]
    assert found.group.tolist() == [0, 1, 0, 2, 1, 0]
    assert found.first.tolist() == [0, 1, 3]


def test_repeated_ids_are_located():
    with pytest.raises(DataError, match=r"'b' twice, in rows 1 and 3 \(2 ids are repeated\)\. .* Really\?"):
        distinct(TWICE, "error", PATH, " Really?")
    with pytest.raises(DataError, match=r"'a' twice, in rows 1 and 2\. Say by"):
        distinct(["a", "a"], "error", PATH)


@pytest.mark.parametrize("duplicates", ["error", "first", "mean"])
def test_empty_ids_and_no_rows(duplicates):
    with pytest.raises(DataError, match="row 2: the id is empty"):
        distinct(["a", "", ""], duplicates, PATH)
    with pytest.raises(DataError, match=r"'x\.csv' has no rows"):
        distinct([], duplicates, PATH)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    ("how", "expected"), [("first", [[1, 0], [4, 2], [9, 9]]), ("mean", [[2, 3], [5, 2], [9, 9]])]
)
def test_rows_of_one_id(form, how, expected):
    matrix = np.array([[1, 0], [4, 2], [2, 3], [9, 9], [6, 2], [3, 6]], dtype=np.float32)
    found = merge_rows(form(matrix), distinct(TWICE, how, PATH), how)
    assert found.dtype == np.float32
    found = found.toarray() if sp.issparse(found) else found
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_rows_of_distinct_ids_are_as_they_were():
    matrix = np.ones((2, 1))
    assert merge_rows(matrix, distinct(["a", "b"], "mean", PATH), "mean") is matrix


def test_a_common_spelling_of_whole_numbers():
    assert common_spelling(["7", "12"], ["7", "12.0", "9.0"]) == {"12.0": "12"}
    assert common_spelling(["7.0", "x"], ["7", "x"]) == {"7": "7.0"}
    assert common_spelling(["7", "12"], ["7", "12"]) is None  # nothing is won
    assert common_spelling(["7", "7.0"], ["7.0", "8"]) is None  # two ids would be one


@pytest.mark.parametrize(
    ("names", "ends", "telling"),
    [
        (["a", "b"], ["a", "x"], "1 id of the edges is known, but never at both ends"),
        (["a", "b"], ["a", "b"], "2 ids of the edges are known"),
        (["1", "2"], ["1.0", "3.0"], "decimal point"),
        (["001", "2"], ["1", "3"], "leading zeros"),
        (["Ada", "Bo"], ["ada", "BO"], "capital letters differ: 2 ids would match"),
    ],
)
def test_why_none_match(names, ends, telling):
    assert telling in why_none_match(names, ends)


def test_where_there_is_no_reason():
    assert why_none_match(["a"], ["b"]) == ""
