"""Feature matrices of every make."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch

from acvae._util.matrices import as_matrix, blank_rows, own_copy
from acvae.datasets import open_features, save_features
from acvae.exceptions import FeatureError

TABLE = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    "make",
    [
        np.asarray,
        lambda x: x.tolist(),
        pd.DataFrame,
        lambda x: pd.DataFrame(x).astype(pd.SparseDtype(float, 0)),
        lambda x: pd.DataFrame(x).astype({0: "Float64", 1: float, 2: "Int8"}),
        torch.from_numpy,
        lambda x: torch.from_numpy(x).to_sparse(),
        lambda x: torch.from_numpy(x).to_sparse_csr(),
        lambda x: torch.from_numpy(x).bfloat16(),
        sp.coo_array,
        sp.csc_matrix,
        lambda x: x.astype(np.longdouble),
    ],
)
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
def test_the_same_numbers(make):
    found = as_matrix(make(TABLE))
    dense = found.toarray() if sp.issparse(found) else found
    np.testing.assert_array_equal(dense, TABLE)
    assert dense.dtype.itemsize <= 8


def test_what_is_masked_is_missing():
    found = as_matrix(np.ma.masked_array(TABLE, mask=TABLE == 4))
    assert np.isnan(found[1, 1])
    assert np.isfinite(found).sum() == 5


def test_a_sparse_matrix_that_points_outside_itself():
    broken = sp.csr_array(np.eye(3))
    broken.indices = np.array([0, 1, 99], dtype=broken.indices.dtype)
    with pytest.raises(FeatureError, match="a sound CSR matrix, but row 2"):
        as_matrix(broken)


@pytest.mark.parametrize("odd", [None, 5, "abc", [1, 2], [[1], [1, 2]], np.ones((1, 1, 1)), [[1j]], [["a"]]])
def test_what_is_no_matrix(odd):
    with pytest.raises(FeatureError, match="features must be"):
        as_matrix(odd)


KEPT = np.array([True, False, True])
ROWS = np.array([[1.0, 0, 2], [3, 4, 5], [0, 6, 0]])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("odd", [3.0, np.nan, np.inf])
def test_rows_that_are_blanked(form, odd):
    rows = ROWS.copy()
    rows[1, 0] = odd
    given = form(rows)
    found = blank_rows(given, KEPT)
    dense, before = (x.toarray() if sp.issparse(x) else x for x in (found, given))
    np.testing.assert_array_equal(dense, [[1, 0, 2], [0, 0, 0], [0, 6, 0]])
    np.testing.assert_array_equal(before, rows)
    assert blank_rows(given, np.ones(3, dtype=bool)) is given


def test_rows_on_disk_stay_there_if_they_are_finite(tmp_path):
    for number, value in enumerate((3.0, np.nan)):
        rows = ROWS.copy()
        rows[1, 0] = value
        np.save(tmp_path / f"{number}.npy", rows)
    finite, gap = (np.load(tmp_path / f"{number}.npy", mmap_mode="r") for number in range(2))
    assert blank_rows(finite, KEPT) is finite
    assert not blank_rows(gap, KEPT)[1].any()
    save_features(tmp_path / "sparse", ROWS)
    mapped = open_features(tmp_path / "sparse")
    assert blank_rows(mapped, KEPT) is mapped


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_copy_is_made_of_what_is_shared_only(form):
    given = form(ROWS.copy())
    found = own_copy(given[:2], given)
    (given.data if sp.issparse(given) else given)[:] = 9
    np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, ROWS[:2])
    other = form(ROWS.copy())
    assert own_copy(other, given) is other


def test_what_is_mapped_and_read_only_is_not_copied(tmp_path):
    np.save(tmp_path / "x.npy", ROWS)
    for mode, stays in (("r", True), ("r+", False), ("c", False)):
        mapped = np.load(tmp_path / "x.npy", mmap_mode=mode)
        for part in (mapped, np.asarray(mapped)[1:]):
            assert np.shares_memory(own_copy(part, mapped), mapped) == stays
    save_features(tmp_path / "sparse", ROWS)
    given = open_features(tmp_path / "sparse")
    found = own_copy(given, given)
    assert np.shares_memory(found.data, given.data)
    assert np.shares_memory(found.indices, given.indices)
    np.testing.assert_array_equal(found.toarray(), ROWS)
