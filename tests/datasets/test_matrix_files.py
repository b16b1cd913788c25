"""Matrices from files: what is read, in which form, and what is refused."""

import io

import numpy as np
import pytest
import scipy.sparse as sp

from acvae.datasets.matrix_files import as_dense_or_sparse, read_matrix
from acvae.exceptions import DataError

X = np.array([[0, 2, 0], [1.5, 0, 0]])


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def stored(matrix):
    file = io.BytesIO()
    sp.save_npz(file, matrix)
    return file.getvalue()


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array, sp.coo_array])
def test_sparse_files_come_as_csr(form, write):
    found = read_matrix(write("x.npz", stored(form(X))))
    assert found.format == "csr"
    np.testing.assert_array_equal(found.toarray(), X)


def test_dense_files_come_dense(write):
    for path in (write("x.npy", npy(X)), write("x.npz", npz(anything=X))):
        found = read_matrix(path)
        assert isinstance(found, np.ndarray)
        np.testing.assert_array_equal(found, X)
    text = "%%MatrixMarket matrix array real general\n2 3\n0\n1.5\n2\n0\n0\n0\n"
    np.testing.assert_array_equal(np.asarray(read_matrix(write("x.mtx", text))), X)


def test_half_precision_becomes_single(write):
    found = read_matrix(write("x.npy", npy(X.astype(np.float16))))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, X)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (npy(np.zeros(3)), r"two dimensions, but its shape is \(3,\)"),
        (npy(np.array([["a"]])), "real numbers, but holds <U1"),
        (npy(X * 1j), "real numbers, but holds complex128"),
        (
            npy(np.array([[1, np.inf], [np.nan, 2]])),
            "2 entries that are not finite, the first, inf, in row 0",
        ),
        (b"no array", "no header of a NumPy array"),
    ],
)
def test_what_is_no_matrix_of_finite_numbers(content, match, write):
    with pytest.raises(DataError, match=match):
        read_matrix(write("x.npy", content))


def test_gaps_may_be_allowed_but_nothing_infinite(write):
    found = read_matrix(write("x.npy", npy(np.array([[1, np.nan]]))), allow_nan=True)
    assert np.isnan(found[0, 1])
    with pytest.raises(DataError, match="1 entries that are not finite, the first, -inf"):
        read_matrix(write("x.npy", npy(np.array([[1, -np.inf, np.nan]]))), allow_nan=True)


CSR = {"format": "csr", "shape": [2, 3], "data": [1.0, 1], "indices": [0, 2], "indptr": [0, 1, 2]}


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"format": "bsr"}, "a sparse matrix of the kind 'bsr'; save it as CSR"),
        ({"format": 3}, "a sparse matrix of the kind 'None'"),
        ({"shape": [-2, 3]}, r"it has the shape \(-2, 3\)"),
        ({"shape": [2, 3, 4]}, "no matrix can be read"),
        ({"shape": [10**12, 3]}, "declares 1,000,000,000,000 rows"),
        ({"indices": [0, 3]}, "no matrix can be read"),
        ({"indices": [0, -1]}, "no matrix can be read"),
        ({"indptr": [0, 2, 1]}, "no matrix can be read"),
        ({"indptr": [0, 1, 9]}, "no matrix can be read"),
    ],
)
def test_no_index_of_a_sparse_file_is_believed(change, match, write):
    good = {name: np.asarray(value) for name, value in CSR.items()}
    assert read_matrix(write("good.npz", npz(**good))).sum() == 2
    bad = good | {name: np.asarray(value) for name, value in change.items()}
    with pytest.raises(DataError, match=match):
        read_matrix(write("x.npz", npz(**bad)))


def test_several_arrays_are_no_matrix(write):
    with pytest.raises(DataError, match="not a sparse matrix of SciPy, but holds the arrays a, b"):
        read_matrix(write("x.npz", npz(a=X, b=X)))


@pytest.mark.parametrize(("nonzero", "sparse"), [(2, False), (1, True), (0, True)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.coo_array])
def test_sparse_is_less_than_a_quarter(form, nonzero, sparse):
    x = np.zeros((2, 4))
    x[0, :nonzero] = 3
    found = as_dense_or_sparse(form(x))
    assert sp.issparse(found) == sparse
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found.toarray() if sparse else found, x)
